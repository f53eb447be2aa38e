/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/terminal.h"

#include "linux/close.h"
#include "linux/write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#define BLANKS " \t\r\n"

int terminal_open(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * To the end of the line; one that does not fit, or holds a NUL, is empty. 1: a line, 0: the end
 * comes first.
 */
static int read_line(int fd, char *line, size_t size)
{
	size_t used = 0;
	ssize_t n;
	char byte;

	while ((n = read(fd, &byte, 1)) == 1 && byte != '\n') {
		if (byte == '\0')
			used = size;
		if (used < size)
			line[used++] = byte;
	}
	line[used < size ? used : 0] = '\0';
	return n < 0 ? -errno : (int)n;
}

static bool is_yes(char *line)
{
	char *word = line + strspn(line, BLANKS);
	size_t length = strlen(word);

	while (length > 0 && strchr(BLANKS, word[length - 1]))
		word[--length] = '\0';
	return strcasecmp(word, "y") == 0 || strcasecmp(word, "yes") == 0;
}

static void continued(int signal)
{
	(void)signal;
}

static int ask(int terminal, const char *question, bool *yes)
{
	char line[16];
	int rc;

	do {
		/* What was typed before is no answer. */
		tcflush(terminal, TCIFLUSH);
		rc = write_all(terminal, question);
		if (!rc)
			rc = read_line(terminal, line, sizeof(line));
	} while (rc == -EINTR);
	if (rc < 0)
		return rc;
	if (rc == 0)
		write_all(terminal, "\n");
	*yes = rc > 0 && is_yes(line);
	return 0;
}

int terminal_ask(int terminal, const char *question, bool *yes)
{
	/* Without SA_RESTART: whoever was stopped meanwhile has lost sight of the question. */
	const struct sigaction action = { .sa_handler = continued };
	struct sigaction before;
	int rc;

	sigaction(SIGCONT, &action, &before);
	rc = ask(terminal, question, yes);
	sigaction(SIGCONT, &before, NULL);
	return rc;
}

void terminal_close(int *terminal)
{
	close_descriptor(terminal);
}
