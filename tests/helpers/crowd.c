// SPDX-License-Identifier: GPL-2.0-or-later
/* crowd NAME NUMBER - have NUMBER children that stay, then write "NAME PID" to descriptor 9 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: crowd NAME NUMBER\n");
		return 2;
	}
	for (int left = atoi(argv[2]); left > 0; left--) {
		pid_t child = fork();

		if (child < 0) {
			perror("crowd: fork");
			return 125;
		}
		if (child == 0) {
			for (;;)
				pause();
		}
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	for (;;)
		pause();
}
