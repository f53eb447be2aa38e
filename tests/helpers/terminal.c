// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terminal COLUMNS COMMAND [ARGUMENT...] - run COMMAND with a terminal of that width as its
 * standard output, and copy what it writes to standard output
 *
 * Exits as COMMAND does.
 */
#define _GNU_SOURCE
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24 };
	char buffer[4096];
	ssize_t count;
	int ours, theirs, status;

	if (argc < 3) {
		fprintf(stderr, "usage: terminal COLUMNS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	size.ws_col = (unsigned short)atoi(argv[1]);
	if (openpty(&ours, &theirs, NULL, NULL, &size) < 0) {
		perror("terminal: openpty");
		return 125;
	}
	pid_t child = fork();
	if (child == 0) {
		dup2(theirs, STDOUT_FILENO);
		close(ours);
		close(theirs);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	close(theirs);
	/* EIO: nobody has the other side open any more. */
	while ((count = read(ours, buffer, sizeof(buffer))) > 0)
		if (write(STDOUT_FILENO, buffer, (size_t)count) < 0)
			return 125;
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
