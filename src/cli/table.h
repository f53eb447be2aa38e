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
	bool left;    /* it is of who is left when time is up: nothing more is waited for */
};

/**
 * Print a line for each victim of @kill that @wanted wants, in the order in which they would be
 * signalled, under a heading. 0 or -ENOMEM.
 */
int table_print(FILE *stream, const struct kill *kill, bool (*wanted)(const struct victim *),
		const struct table_style *style);

#endif
