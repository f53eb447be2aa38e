// SPDX-License-Identifier: GPL-2.0-or-later
/* comm NAME TEXT - be called TEXT in /proc/PID/comm, write "NAME PID" to descriptor 9 and stay */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: comm NAME TEXT\n");
		return 2;
	}
	if (prctl(PR_SET_NAME, argv[2]) < 0) {
		perror("comm: prctl");
		return 125;
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	for (;;)
		pause();
}
