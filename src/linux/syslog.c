/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/syslog.h"

#include "core/list.h"
#include "linux/clock.h"
#include "linux/close.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* What every daemon takes whole: RFC 3164, 4.1. */
#define LINE_SIZE 1024

/* Nothing tells when a stream that is full of callers has room for one more. */
#define RETRY_MILLISECONDS 20

/* As misc/syslog.c of glibc writes it: "<29>Nov  5 09:07:01 nskill[123]: ". */
static int print_head(char *line, size_t size, int priority)
{
	time_t now = time(NULL);
	struct tm parts;
	char when[32] = "";

	if (localtime_r(&now, &parts))
		strftime(when, sizeof(when), "%h %e %T", &parts);
	return snprintf(line, size, "<%d>%s nskill[%d]: ", LOG_DAEMON | priority, when, getpid());
}

void syslog_add(struct syslog *log, int priority, const char *format, ...)
{
	char line[LINE_SIZE], *kept, **place;
	int used = print_head(line, sizeof(line), priority);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, sizeof(line) - (size_t)used, format, args);
	va_end(args);
	kept = strdup(line);
	place = kept ? list_append(&log->lines, &log->count, sizeof(*place)) : NULL;
	if (place) {
		*place = kept;
	} else {
		free(kept);
		log->unwritten++;
	}
}

static void disconnect(struct syslog *log)
{
	close_descriptor(&log->fd);
	log->offset = 0;
}

static int connect_as(struct syslog *log, int socket_type)
{
	static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = _PATH_LOG };
	int rc = 0;

	log->socket_type = socket_type;
	log->fd = socket(AF_UNIX, socket_type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (log->fd < 0)
		return -errno;
	if (connect(log->fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		rc = -errno;
		disconnect(log);
	}
	return rc;
}

/* Most daemons have a datagram socket there, some a stream, where a NUL ends each line. */
static int send_line(struct syslog *log)
{
	const char *line = log->lines[log->sent] + log->offset;
	size_t size = strlen(line);
	ssize_t taken;
	int rc = 0;

	if (log->fd < 0)
		rc = connect_as(log, SOCK_DGRAM);
	if (rc == -EPROTOTYPE)
		rc = connect_as(log, SOCK_STREAM);
	if (rc < 0)
		return rc;
	size += log->socket_type == SOCK_STREAM;
	taken = send(log->fd, line, size, MSG_NOSIGNAL);
	if (taken < 0)
		return -errno;
	log->offset += (size_t)taken;
	if ((size_t)taken == size) {
		log->sent++;
		log->offset = 0;
	}
	return 0;
}

/* 0: all is out; -EAGAIN: the daemon must be waited for. One that was started anew is found. */
static int send_lines(struct syslog *log)
{
	int tries = 2, rc = 0;

	while (tries > 0 && log->sent < log->count) {
		rc = send_line(log);
		if (rc == -EAGAIN)
			break;
		if (rc < 0) {
			disconnect(log);
			tries--;
		}
	}
	return rc;
}

void syslog_push(struct syslog *log)
{
	send_lines(log);
}

int syslog_finish(struct syslog *log, uint64_t until, size_t *lost)
{
	int rc = send_lines(log), wait = -1;

	while (rc == -EAGAIN && wait != 0) {
		struct pollfd poller = { .fd = log->fd, .events = POLLOUT };

		wait = clock_milliseconds_until(until);
		if (log->fd < 0 && (wait < 0 || wait > RETRY_MILLISECONDS))
			poll(NULL, 0, RETRY_MILLISECONDS);
		else
			poll(&poller, 1, wait);
		rc = send_lines(log);
	}
	*lost = log->unwritten + log->count - log->sent;
	if (rc == -EAGAIN)
		return -ETIMEDOUT;
	return rc == 0 && log->unwritten ? -ENOMEM : rc;
}

void syslog_close(struct syslog *log)
{
	disconnect(log);
	for (size_t i = 0; i < log->count; i++)
		free(log->lines[i]);
	free(log->lines);
	*log = SYSLOG_NULL;
}
