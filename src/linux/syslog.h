/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to syslog. That of libc waits for as long as the daemon does not read, so that a run
 * could be held for ever: lines are kept here, and sent on as far as they go.
 */
#ifndef NSKILL_LINUX_SYSLOG_H
#define NSKILL_LINUX_SYSLOG_H

#include <stddef.h>
#include <stdint.h>

struct syslog {
	int fd; /* connected as soon as there is something to send; -1: not connected */
	int socket_type;
	char **lines;
	size_t count, sent;
	size_t offset;	  /* bytes of the next line that a stream has taken already */
	size_t unwritten; /* lines that there was no memory for */
};

#define SYSLOG_NULL ((struct syslog){ .fd = -1 })

/** Add a line of that priority (LOG_NOTICE and so on), of the present time. A long one is cut. */
void syslog_add(struct syslog *log, int priority, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Send on what can be sent without waiting. What cannot is kept. */
void syslog_push(struct syslog *log);

/**
 * Send on the rest, waiting for the daemon until clock_now() is @until. Returns 0, or a negative
 * errno, -ETIMEDOUT when it did not read, and in @lost how many lines are not out.
 */
int syslog_finish(struct syslog *log, uint64_t until, size_t *lost);

void syslog_close(struct syslog *log);

#endif
