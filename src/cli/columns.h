/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the listing: which there are, and which were asked for. */
#ifndef NSKILL_CLI_COLUMNS_H
#define NSKILL_CLI_COLUMNS_H

#include "linux/details.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum column {
	COLUMN_PID,
	COLUMN_PPID,
	COLUMN_USER,
	COLUMN_STATE,
	COLUMN_AGE,
	COLUMN_PGRP,
	COLUMN_SID,
	COLUMN_MNTNS,
	COLUMN_WHY,
	COLUMN_COMMAND, /* those until here are the default */
	COLUMN_START,
	COLUMN_UID,
	COLUMN_TTY,
	COLUMN_WCHAN,
	COLUMN_CGROUP,
	COLUMN_NSPID,
	COLUMN_TARGET,
	COLUMN_EXE,
	COLUMN_ARGS,
	COLUMN_COUNT,
	COLUMN_NOTE = COLUMN_COUNT, /* of who is left; not to be asked for */
};

#define COLUMNS_MAX 64

/** In order; one may be named twice. */
struct columns {
	enum column list[COLUMNS_MAX];
	size_t count;
	size_t common; /* so many of them, the first, are shown though nobody has named them */
};

/** Make @columns the default. */
void columns_default(struct columns *columns);

/** Make @columns those of who is left when a kill is over. */
void columns_of_survivors(struct columns *columns);

/** To the default, and what was added to it, add which target each belongs to. */
void columns_tell_targets(struct columns *columns);

/**
 * Read a list, "PID,ARGS" in any case, or "+ARGS", which adds to the default. 0 and @columns, or
 * -EINVAL and the item @bad of @bad_length bytes, which is no column; -E2BIG: more than there is
 * room for.
 */
int columns_parse(const char *word, struct columns *columns, const char **bad, int *bad_length);

/** The heading of a column, as it is named in a list. */
const char *column_name(enum column column);

/** The flags of libsmartcols for it. */
int column_flags(enum column column);

/** Which detail it shows; DETAILS: none. */
enum detail column_detail(enum column column);

/** Which details (DETAIL_BIT()s of linux/details) the columns show. */
unsigned columns_details(const struct columns *columns);

/** Write a line for each column that there is. */
void columns_help(FILE *stream);

#endif
