// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hop KEEPS FILE [USEC] - do nothing but fork and exit, for ever
 *
 * KEEPS is what all hops have in common: "group" the process group, "session" the session but not
 * the group, "mnt" the mount namespace but neither; with "+unshare" behind it each hop makes a
 * mount namespace. Each lives for USEC microseconds more than it must. The first 8 bytes of FILE
 * count the hops, so that who reads them twice knows whether it still hops; the next 8 the SIGCONTs
 * that came.
 */
#define _GNU_SOURCE
#include "keeps.h"

static struct tally *tally;

static void count_hit(int signal)
{
	(void)signal;
	tally->hits++;
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: hop group|session|mnt[+unshare] FILE [USEC]\n");
		return 2;
	}
	struct keeps keeps = keeps_parse(argv[1]);
	useconds_t stay = argc == 4 ? (useconds_t)atoi(argv[3]) : 0;

	tally = tally_open(argv[2]);
	signal(SIGCONT, count_hit);
	for (;;) {
		pid_t child = fork();

		if (child > 0)
			_exit(0);
		if (child < 0)
			continue;
		keeps_leave(&keeps);
		tally->beats++;
		if (stay)
			usleep(stay);
	}
}
