/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/output.h"

#include "linux/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

int output_open(struct output *output, int fd)
{
	*output = (struct output){ .fd = fd };
	output->stream = open_memstream(&output->text, &output->size);
	return output->stream ? 0 : -ENOMEM;
}

static void interrupt_write(int signal)
{
	(void)signal;
}

/*
 * A descriptor that poll(2) calls writable takes PIPE_BUF bytes, unless another writer was faster:
 * then a timer that keeps on ringing ends the call.
 */
static ssize_t write_without_waiting(int fd, const char *text, size_t size)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000, .it_interval.tv_usec = 20000 };
	const struct itimerval never = { 0 };
	struct sigaction action = { .sa_handler = interrupt_write };
	ssize_t written;
	int saved;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	written = write(fd, text, size < PIPE_BUF ? size : PIPE_BUF);
	saved = errno;
	setitimer(ITIMER_REAL, &never, NULL);
	errno = saved;
	return written;
}

static void send(struct output *output, uint64_t until)
{
	struct pollfd poller = { .fd = output->fd, .events = POLLOUT };
	ssize_t written;

	fflush(output->stream);
	while (!output->error && output->sent < output->size) {
		if (poll(&poller, 1, clock_milliseconds_until(until)) <= 0)
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
