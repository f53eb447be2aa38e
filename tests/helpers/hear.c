// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hear terminal|socket NAME COMMAND... - run COMMAND in a session of its own, with a
 * pseudo-terminal or an end of a socket pair as its standard descriptors, and hold nothing but the
 * other end
 *
 * Writes "NAME PID" to descriptor 9 when nobody holds the end of COMMAND any more, and stays.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_terminal(int ends[2])
{
	ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[0] < 0 || grantpt(ends[0]) < 0 || unlockpt(ends[0]) < 0)
		return -1;
	ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return ends[1] < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int ends[2], terminal, rc;
	char buffer[4096];
	pid_t child;

	if (argc < 4) {
		fprintf(stderr, "usage: hear terminal|socket NAME COMMAND...\n");
		return 2;
	}
	terminal = !strcmp(argv[1], "terminal");
	rc = terminal ? open_terminal(ends)
		      : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
	if (rc < 0) {
		perror("hear");
		return 77;
	}
	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (child == 0) {
		setsid();
		if (terminal)
			ioctl(ends[1], TIOCSCTTY, 0);
		for (int fd = 0; fd <= 2; fd++)
			dup2(ends[1], fd);
		signal(SIGCHLD, SIG_DFL);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	close(ends[1]);
	while (read(ends[0], buffer, sizeof(buffer)) > 0)
		;
	dprintf(9, "%s %d\n", argv[2], getpid());
	for (;;)
		pause();
}
