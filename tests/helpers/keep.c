// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keep NAME COMMAND... - adopt whatever COMMAND orphans and leave it unreaped when it ends
 *
 * Writes "NAME PID" to descriptor 9 when COMMAND has ended. On SIGUSR1 reaps all that has ended and
 * writes "NAME-reaped PID".
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	sigset_t reap;
	int which, status;

	if (argc < 3) {
		fprintf(stderr, "usage: keep NAME COMMAND...\n");
		return 2;
	}
	sigemptyset(&reap);
	sigaddset(&reap, SIGUSR1);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
		perror("keep: prctl");
		return 125;
	}
	pid_t command = fork();
	if (command == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (command < 0 || sigprocmask(SIG_BLOCK, &reap, NULL) < 0 ||
	    waitpid(command, &status, 0) < 0) {
		perror("keep");
		return 125;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "keep: %s: wait status %#x\n", argv[2], status);
		return 125;
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	while (sigwait(&reap, &which) == 0) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		dprintf(9, "%s-reaped %d\n", argv[1], getpid());
	}
	return 125;
}
