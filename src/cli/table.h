/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The listing of processes, drawn by libsmartcols. */
#ifndef NSKILL_CLI_TABLE_H
#define NSKILL_CLI_TABLE_H

#include "cli/columns.h"
#include "core/kill.h"

struct table_style {
	const struct columns *columns; /* borrowed */
	bool forest;		       /* draw who is whose child */
	bool color;
	size_t width; /* of the terminal that it is for; 0: as wide as it needs to be */
	uint64_t now; /* clock ticks since boot */
};

/**
 * Print a line for each victim of @kill that @wanted wants, in the order in which they would be
 * signalled, under a heading. 0 or -ENOMEM.
 */
int table_print(FILE *stream, const struct kill *kill, bool (*wanted)(const struct victim *),
		const struct table_style *style);

/** Write how long ago @start_ticks was, as "12s", "3m05s", "2h07m" or "4d03h". Returns @text. */
char *table_age(char *text, size_t size, uint64_t start_ticks, uint64_t now, uint64_t hertz);

/* What a reason takes: the path of a cgroup is cut. */
#define WHY_SIZE 256

/**
 * Write what ties @victim to its target, as "target", "child of 7" or "pgrp 7"; a cgroup by its
 * path. Returns @text.
 */
char *table_why(char *text, size_t size, const struct victim *victim);

/** "KILL", or "signal 34" for one without a name, cut to @size bytes. Returns @text. */
const char *table_signal(char *text, size_t size, int signal);

#endif
