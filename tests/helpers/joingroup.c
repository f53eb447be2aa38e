// SPDX-License-Identifier: GPL-2.0-or-later
/* joingroup PGID COMMAND... - run COMMAND as a member of that process group of the same session */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: joingroup PGID COMMAND...\n");
		return 2;
	}
	if (setpgid(0, atoi(argv[1])) < 0) {
		perror("joingroup: setpgid");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
