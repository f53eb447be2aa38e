/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/table.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

enum { PID, PPID, PGRP, SID, MNTNS, STATE, AGE, WHY, COMMAND, COLUMNS };

static const struct {
	const char *name;
	int flags;
} columns[COLUMNS] = {
	[PID] = { "PID", SCOLS_FL_RIGHT },     [PPID] = { "PPID", SCOLS_FL_RIGHT },
	[PGRP] = { "PGRP", SCOLS_FL_RIGHT },   [SID] = { "SID", SCOLS_FL_RIGHT },
	[MNTNS] = { "MNTNS", SCOLS_FL_RIGHT }, [STATE] = { "STATE", 0 },
	[AGE] = { "AGE", SCOLS_FL_RIGHT },     [WHY] = { "WHY", 0 },
	[COMMAND] = { "COMMAND", 0 },
};

char *table_age(char *text, size_t size, uint64_t start_ticks, uint64_t now, uint64_t hertz)
{
	uint64_t seconds = now > start_ticks ? (now - start_ticks) / hertz : 0;
	uint64_t minutes = seconds / 60, hours = minutes / 60;

	if (hours >= 24)
		snprintf(text, size, "%" PRIu64 "d%02" PRIu64 "h", hours / 24, hours % 24);
	else if (hours)
		snprintf(text, size, "%" PRIu64 "h%02" PRIu64 "m", hours, minutes % 60);
	else if (minutes)
		snprintf(text, size, "%" PRIu64 "m%02" PRIu64 "s", minutes, seconds % 60);
	else
		snprintf(text, size, "%" PRIu64 "s", seconds);
	return text;
}

char *table_why(char *text, size_t size, const struct victim *victim)
{
	char path[WHY_SIZE - 16];

	if (!victim->why.id)
		snprintf(text, size, "target");
	else if (victim->why.kind == SCOPE_TREE)
		snprintf(text, size, "child of %" PRIu64, victim->why.id);
	else if (victim->why.cgroup)
		snprintf(text, size, "%s %s", scope_kind_name(victim->why.kind),
			 escape(path, sizeof(path), victim->why.cgroup->path));
	else
		snprintf(text, size, "%s %" PRIu64, scope_kind_name(victim->why.kind),
			 victim->why.id);
	return text;
}

static int set_number(struct libscols_line *line, size_t column, uint64_t number)
{
	char text[24] = "-";

	if (number)
		snprintf(text, sizeof(text), "%" PRIu64, number);
	return scols_line_set_data(line, column, text);
}

static int add_line(struct libscols_table *table, const struct victim *victim, uint64_t now,
		    uint64_t hertz)
{
	const struct process *process = &victim->process;
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char text[WHY_SIZE];
	const char state[] = { process->state, '\0' };
	int rc;

	if (!line)
		return -ENOMEM;
	rc = set_number(line, PID, (uint64_t)process->pid);
	rc = rc ? rc : set_number(line, PPID, (uint64_t)process->ppid);
	rc = rc ? rc : set_number(line, PGRP, (uint64_t)process->pgrp);
	rc = rc ? rc : set_number(line, SID, (uint64_t)process->session);
	rc = rc ? rc : set_number(line, MNTNS, process->mntns);
	rc = rc ? rc : scols_line_set_data(line, STATE, state);
	table_age(text, sizeof(text), process->start_ticks, now, hertz);
	rc = rc ? rc : scols_line_set_data(line, AGE, text);
	rc = rc ? rc : scols_line_set_data(line, WHY, table_why(text, sizeof(text), victim));
	escape(text, sizeof(text), process->command);
	return rc ? rc : scols_line_set_data(line, COMMAND, text);
}

static int fill(struct libscols_table *table, const struct kill *kill, uint64_t now, uint64_t hertz)
{
	int rc = 0;

	/* Text for programs and pagers, never cut to the width of a terminal. */
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	for (size_t i = 0; i < COLUMNS; i++)
		if (!scols_table_new_column(table, columns[i].name, 0, columns[i].flags))
			return -ENOMEM;
	for (size_t i = 0; !rc && i < kill->victim_count; i++)
		rc = add_line(table, kill->victims[i], now, hertz);
	return rc;
}

int table_print(FILE *stream, const struct kill *kill, uint64_t now, uint64_t hertz)
{
	struct libscols_table *table = scols_new_table();
	char *text = NULL;
	int rc = table ? fill(table, kill, now, hertz) : -ENOMEM;

	if (!rc)
		rc = scols_print_table_to_string(table, &text);
	/* Whether the last line ends depends on the version of the library. */
	if (!rc)
		fprintf(stream, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
	scols_unref_table(table);
	return rc;
}

const char *table_signal(char *text, size_t size, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "signal %d", signal);
	return text;
}
