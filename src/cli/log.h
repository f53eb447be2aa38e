/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --syslog sends: a line for each error and each process that was to end, and one per run. */
#ifndef NSKILL_CLI_LOG_H
#define NSKILL_CLI_LOG_H

#include "cli/options.h"
#include "core/kill.h"
#include "linux/syslog.h"

/** As LOG_NULL it is closed, and takes nothing. */
struct log {
	const struct options *options; /* borrowed; NULL: closed */
	struct syslog syslog;
	uint64_t began; /* a time of clock_now() */
	size_t ended, alive, spared;
};

#define LOG_NULL ((struct log){ .syslog = SYSLOG_NULL })

void log_open(struct log *log, const struct options *options);

void log_error(struct log *log, const struct error *error);

/** What became of each process of a kill that is over, in the order of the kill. */
void log_kill(struct log *log, const struct kill *kill);

/**
 * The line for the run, which ends with @status or, where it is not 0, by the signal @deadly. Then
 * send on what is not out yet: see syslog_finish().
 */
int log_finish(struct log *log, enum status status, int deadly, uint64_t until, size_t *lost);

void log_close(struct log *log);

#endif
