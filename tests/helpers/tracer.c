// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracer NAME HOW PID... - trace each PID, write "NAME PID" to descriptor 9 and stay for ever
 *
 *	seize    does no more than that
 *	stop     each is stopped as well
 *	exit     each is held at its end, when it has died
 *	exitkill each is killed when the tracer ends
 *
 * Nothing that happens to them is fetched, so that who has died stays a zombie. On SIGUSR1 all are
 * let go.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long options = 0;
	sigset_t go;
	int which;

	if (argc < 4) {
		fprintf(stderr, "usage: tracer NAME seize|stop|exit|exitkill PID...\n");
		return 2;
	}
	if (!strcmp(argv[2], "exit"))
		options = PTRACE_O_TRACEEXIT;
	if (!strcmp(argv[2], "exitkill"))
		options = PTRACE_O_EXITKILL;
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	for (int i = 3; i < argc; i++) {
		if (ptrace(PTRACE_SEIZE, atoi(argv[i]), NULL, options) < 0 ||
		    (!strcmp(argv[2], "stop") &&
		     ptrace(PTRACE_INTERRUPT, atoi(argv[i]), 0, 0) < 0)) {
			perror("tracer: ptrace");
			return 77;
		}
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	sigwait(&go, &which);
	return 0; /* its end lets all go */
}
