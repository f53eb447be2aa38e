// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terminal [-e] [-s] COLUMNS COMMAND [ARGUMENT...] - run COMMAND with a terminal of that width as
 * its standard output, and copy what it writes to standard output
 *
 *	-e	that terminal is its standard error, and not its standard output
 *	-s	the terminal is stopped, as by ^S, until COMMAND has ended
 *
 * Exits as COMMAND does.
 */
#define _GNU_SOURCE
#include <pty.h>
#include <stdbool.h>
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
	int ours, theirs, status, option, output = STDOUT_FILENO;
	bool stopped = false;

	while ((option = getopt(argc, argv, "+es")) != -1) {
		if (option == 'e')
			output = STDERR_FILENO;
		stopped = stopped || option == 's';
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: terminal [-e] [-s] COLUMNS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	argv += optind;
	size.ws_col = (unsigned short)atoi(argv[0]);
	if (openpty(&ours, &theirs, NULL, NULL, &size) < 0) {
		perror("terminal: openpty");
		return 125;
	}
	if (stopped)
		tcflow(theirs, TCOOFF);
	pid_t child = fork();
	if (child == 0) {
		dup2(theirs, output);
		close(ours);
		close(theirs);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
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
