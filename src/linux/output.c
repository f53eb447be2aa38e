/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/output.h"

#include "linux/bounded.h"
#include "linux/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* More than any line that is shown. */
#define LINE_SIZE 1024

static ssize_t keep(void *cookie, const char *text, size_t size)
{
	struct output *output = cookie;
	char *grown = realloc(output->text, output->size + size);

	if (!grown) {
		output->error = ENOMEM;
		return 0;
	}
	memcpy(grown + output->size, text, size);
	output->text = grown;
	output->size += size;
	return (ssize_t)size;
}

/* A stream of open_memstream(3) would say of no write that it had no memory. */
int output_open(struct output *output, int fd)
{
	*output = (struct output){ .fd = fd };
	output->stream = fopencookie(output, "w", (cookie_io_functions_t){ .write = keep });
	return output->stream ? 0 : -ENOMEM;
}

/* A descriptor that poll(2) calls writable takes PIPE_BUF bytes, unless another was faster. */
static ssize_t write_without_waiting(int fd, const char *text, size_t size)
{
	return bounded_write(fd, text, size < PIPE_BUF ? size : PIPE_BUF);
}

static bool is_writable(const struct output *output, uint64_t until)
{
	struct pollfd poller = { .fd = output->fd, .events = POLLOUT };

	return poll(&poller, 1, clock_milliseconds_until(until)) > 0;
}

/*
 * Blanks cover what is left of the longer line before, and the cursor goes back to the beginning:
 * that needs no terminal of any kind in particular.
 */
static void write_line(struct output *output, const char *line)
{
	int length = (int)strlen(line), blanks = (int)output->line - length;
	char text[LINE_SIZE * 2];
	int size = snprintf(text, sizeof(text), "\r%s%*s%s", line, blanks > 0 ? blanks : 0, "",
			    length ? "" : "\r");

	if (size < (int)sizeof(text) && write_without_waiting(output->fd, text, (size_t)size) > 0)
		output->line = (size_t)length;
}

static void send(struct output *output, uint64_t until)
{
	ssize_t written;

	fflush(output->stream);
	if (output->line && output->sent < output->size && is_writable(output, until))
		write_line(output, "");
	while (!output->error && output->sent < output->size) {
		if (!is_writable(output, until))
			return;
		written = write_without_waiting(output->fd, output->text + output->sent,
						output->size - output->sent);
		if (written >= 0)
			output->sent += (size_t)written;
		else if (errno != EINTR && errno != EAGAIN)
			output->error = errno;
		else if (clock_now() >= until)
			return; /* there was room, but others are always faster */
	}
}

size_t output_width(const struct output *output)
{
	struct winsize size;

	return ioctl(output->fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool output_takes_line(const struct output *output)
{
	const char *kind = getenv("TERM");
	pid_t foreground;

	if (!isatty(output->fd) || !kind || strcmp(kind, "dumb") == 0)
		return false;
	foreground = tcgetpgrp(output->fd); /* -1: it does not control us, and stops nobody */
	return foreground < 0 || foreground == getpgrp();
}

void output_line(struct output *output, const char *line)
{
	send(output, 0);
	if (output->error || output->sent < output->size || strlen(line) >= LINE_SIZE)
		return;
	if ((*line || output->line) && is_writable(output, 0))
		write_line(output, line);
}

void output_push(struct output *output)
{
	send(output, 0);
}

int output_finish(struct output *output, uint64_t until)
{
	send(output, until);
	if (!output->error && output->sent < output->size)
		output->error = ETIMEDOUT;
	return -output->error;
}

void output_close(struct output *output)
{
	if (output->stream)
		fclose(output->stream);
	free(output->text);
	*output = (struct output){ .fd = -1 };
}
