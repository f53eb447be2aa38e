// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hangup NAME COMMAND... - run COMMAND on a terminal of its own, which goes away on SIGUSR1
 *
 * COMMAND leads a session with that terminal as standard input, output and error. Writes "NAME PID"
 * with the PID of COMMAND to descriptor 9, and exits as it does, with 128 more than the signal that
 * it died of. What it has written before is copied to standard output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int signal)
{
	asked = signal;
}

static void run(int master, char **command)
{
	int slave;

	setsid();
	slave = open(ptsname(master), O_RDWR);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		_exit(125);
	for (int fd = 0; fd <= 2; fd++)
		dup2(slave, fd);
	if (slave > 2)
		close(slave);
	close(master);
	execvp(*command, command);
	_exit(127);
}

int main(int argc, char **argv)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), status;
	char text[4096];
	sigset_t user, none;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: hangup NAME COMMAND...\n");
		return 2;
	}
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0) {
		perror("hangup: pty");
		return 77;
	}
	sigemptyset(&none);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = ask }, NULL);
	child = fork();
	if (child == 0)
		run(master, argv + 2);
	if (child < 0) {
		perror("hangup: fork");
		return 125;
	}
	sigprocmask(SIG_BLOCK, &user, NULL);
	dprintf(9, "%s %d\n", argv[1], child);
	while (!asked) {
		struct pollfd poller = { .fd = master, .events = POLLIN };
		ssize_t size;

		if (ppoll(&poller, 1, NULL, &none) <= 0)
			continue;
		size = read(master, text, sizeof(text));
		if (size <= 0 || write(1, text, (size_t)size) < 0)
			break; /* it has ended */
	}
	close(master);
	if (waitpid(child, &status, 0) < 0)
		return 125;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
