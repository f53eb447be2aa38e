// SPDX-License-Identifier: GPL-2.0-or-later
/* setpid PID COMMAND... - run COMMAND as a child that has this PID, and wait for it */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: setpid PID COMMAND...\n");
		return 2;
	}
	pid_t wanted = atoi(argv[1]);
	struct clone_args how = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = 1,
	};
	pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof(how));
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("setpid");
		return 125;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
