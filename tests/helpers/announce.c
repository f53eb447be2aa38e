// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * announce [-g] [-r] [-d] [-p] NAME [COMMAND...] - write "NAME PID" to descriptor 9, then become
 * COMMAND, or stay for ever where there is none
 *
 *	-g  in a process group of its own
 *	-r  children are reaped, by ignoring SIGCHLD
 *	-d  not dumpable, so that its namespace links cannot be read (only without COMMAND)
 *	-p  the PID that /proc has: in a new PID namespace that has no /proc of its own, it is that
 *	    of the one around
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int number_in_proc(void)
{
	char text[32] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 ? atoi(text) : 0;
}

int main(int argc, char **argv)
{
	int option, number = getpid();

	while ((option = getopt(argc, argv, "+grdp")) != -1) {
		switch (option) {
		case 'g':
			if (setpgid(0, 0) < 0) {
				perror("announce: setpgid");
				return 125;
			}
			break;
		case 'r':
			signal(SIGCHLD, SIG_IGN);
			break;
		case 'd':
			prctl(PR_SET_DUMPABLE, 0);
			break;
		case 'p':
			number = number_in_proc();
			break;
		default:
			return 2;
		}
	}
	if (optind == argc) {
		fprintf(stderr, "usage: announce [-g] [-r] [-d] [-p] NAME [COMMAND...]\n");
		return 2;
	}
	if (dprintf(9, "%s %d\n", argv[optind], number) < 0) {
		perror("announce: descriptor 9");
		return 125;
	}
	if (optind + 1 < argc) {
		execvp(argv[optind + 1], argv + optind + 1);
		perror(argv[optind + 1]);
		return 127;
	}
	for (;;)
		pause();
}
