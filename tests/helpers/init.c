// SPDX-License-Identifier: GPL-2.0-or-later
/* init COMMAND... - the first process of a PID namespace: reaps all, leaves with COMMAND */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: init COMMAND...\n");
		return 2;
	}
	pid_t command = fork();
	if (command < 0) {
		perror("init: fork");
		return 125;
	}
	if (command == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	for (;;) {
		int status;
		pid_t ended = wait(&status);

		if (ended < 0)
			return 125;
		if (ended != command)
			continue;
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}
