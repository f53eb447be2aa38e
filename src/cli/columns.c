/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/columns.h"

#include <errno.h>
#include <libsmartcols.h>
#include <string.h>
#include <strings.h>

#define NUMBER SCOLS_FL_RIGHT
#define LONG   SCOLS_FL_TRUNC

static const struct {
	const char *name;
	int flags;
	enum detail detail; /* that it shows, or DETAILS: none */
	const char *help;
} columns_known[COLUMN_COUNT + 1] = {
	[COLUMN_PID] = { "PID", NUMBER, DETAILS, "process ID" },
	[COLUMN_PPID] = { "PPID", NUMBER, DETAILS, "process ID of the parent" },
	[COLUMN_USER] = { "USER", 0, DETAIL_USER, "user name" },
	[COLUMN_STATE] = { "STATE", 0, DETAILS, "state, a letter of proc_pid_stat(5)" },
	[COLUMN_AGE] = { "AGE", NUMBER, DETAILS, "time since it started" },
	[COLUMN_PGRP] = { "PGRP", NUMBER, DETAILS, "process group ID" },
	[COLUMN_SID] = { "SID", NUMBER, DETAILS, "session ID" },
	[COLUMN_MNTNS] = { "MNTNS", NUMBER, DETAILS, "inode of the mount namespace" },
	[COLUMN_WHY] = { "WHY", 0, DETAILS, "what ties it to the target" },
	[COLUMN_COMMAND] = { "COMMAND", LONG, DETAILS, "name, as the kernel has it" },
	[COLUMN_START] = { "START", 0, DETAILS, "when it started" },
	[COLUMN_UID] = { "UID", NUMBER, DETAILS, "user ID" },
	[COLUMN_TTY] = { "TTY", 0, DETAIL_TTY, "controlling terminal" },
	[COLUMN_WCHAN] = { "WCHAN", 0, DETAIL_WCHAN, "kernel function it waits in" },
	[COLUMN_CGROUP] = { "CGROUP", LONG, DETAIL_CGROUP, "control groups" },
	[COLUMN_NSPID] = { "NSPID", 0, DETAIL_NSPID,
			   "process IDs, from our PID namespace to its own" },
	[COLUMN_TARGET] = { "TARGET", NUMBER, DETAILS, "process ID of the target it belongs to" },
	[COLUMN_EXE] = { "EXE", LONG, DETAIL_EXE, "path of the program" },
	[COLUMN_ARGS] = { "ARGS", LONG, DETAIL_ARGS, "arguments" },
	[COLUMN_NOTE] = { "NOTE", LONG, DETAILS, "why it is left" },
};

void columns_default(struct columns *columns)
{
	*columns = (struct columns){ .count = 0 };
	for (enum column column = 0; column <= COLUMN_COMMAND; column++)
		columns->list[columns->count++] = column;
	columns->common = columns->count;
}

void columns_of_survivors(struct columns *columns)
{
	columns_default(columns);
	columns->list[columns->count++] = COLUMN_WCHAN;
	columns->list[columns->count++] = COLUMN_NOTE;
	columns->common = columns->count;
}

void columns_tell_targets(struct columns *columns)
{
	size_t place = COLUMN_COMMAND;

	if (!columns->common || columns->count == COLUMNS_MAX)
		return;
	memmove(columns->list + place + 1, columns->list + place,
		(columns->count - place) * sizeof(*columns->list));
	columns->list[place] = COLUMN_TARGET;
	columns->count++;
	columns->common++;
}

static enum column find(const char *word, size_t length)
{
	enum column column = 0;

	while (column < COLUMN_COUNT &&
	       (strncasecmp(columns_known[column].name, word, length) != 0 ||
		columns_known[column].name[length]))
		column++;
	return column;
}

int columns_parse(const char *word, struct columns *columns, const char **bad, int *bad_length)
{
	struct columns parsed = { .count = 0 };

	if (*word == '+') {
		columns_default(&parsed);
		word++;
	}
	for (bool more = true; more;) {
		size_t length = strcspn(word, ",");
		enum column column = find(word, length);

		if (parsed.count == COLUMNS_MAX)
			return -E2BIG;
		if (column == COLUMN_COUNT) {
			*bad = word;
			*bad_length = (int)length;
			return -EINVAL;
		}
		parsed.list[parsed.count++] = column;
		more = word[length] == ',';
		word += length + more;
	}
	*columns = parsed;
	return 0;
}

const char *column_name(enum column column)
{
	return columns_known[column].name;
}

int column_flags(enum column column)
{
	return columns_known[column].flags;
}

enum detail column_detail(enum column column)
{
	return columns_known[column].detail;
}

unsigned columns_details(const struct columns *columns)
{
	unsigned details = 0;

	for (size_t i = 0; i < columns->count; i++)
		if (column_detail(columns->list[i]) < DETAILS)
			details |= DETAIL_BIT(column_detail(columns->list[i]));
	return details;
}

void columns_help(FILE *stream)
{
	for (enum column column = 0; column < COLUMN_COUNT; column++)
		fprintf(stream, "%8s  %s\n", columns_known[column].name,
			columns_known[column].help);
}
