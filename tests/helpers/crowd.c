// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd NAME NUMBER [FILE] - have NUMBER children that stay, then write "NAME PID" to descriptor 9
 *
 * Where FILE is given, the second 8 bytes of it count the children that have died, were stopped or
 * were made to go on.
 */
#define _GNU_SOURCE
#include "keeps.h"

#include <sys/wait.h>

static void count_hits(struct tally *tally)
{
	siginfo_t info;

	while (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED) == 0)
		tally->hits++;
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: crowd NAME NUMBER [FILE]\n");
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
	if (argc == 4)
		count_hits(tally_open(argv[3]));
	for (;;)
		pause();
}
