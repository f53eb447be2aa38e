/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/table.h"

#include "cli/fit.h"
#include "cli/words.h"
#include "linux/clock.h"
#include "linux/details.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#define DETAILS_WITHIN NS_PER_SECOND

/* A list that comes when time is up can wait for the names of users that long. */
#define NAMES_WITHIN (NS_PER_SECOND / 10)

/* What libsmartcols draws for each step from a parent to its child, and what it is to leave. */
#define BRANCH_WIDTH   2
#define BESIDES_BRANCH 8

#define NO_ROW SIZE_MAX

/* Where a process is in the forest. */
struct knot {
	size_t parent; /* row, or NO_ROW */
	size_t depth;  /* steps from a root to it */
};

/* What is drawn, in order. */
struct listing {
	const struct table_style *style;
	const struct kill *kill;
	const struct victim **victims;
	size_t count;
	struct details *details;
	char **cells;		    /* row by row */
	size_t widths[COLUMNS_MAX]; /* that the columns may have; 0: it is left out */
	size_t deepest;		    /* step of the forest that there is room for */
	struct knot *knots;	    /* of each row */
	struct libscols_line **lines;
};

static void show_number(char *text, size_t size, uint64_t number)
{
	if (number)
		snprintf(text, size, "%" PRIu64, number);
}

/* Of today the time, of other days the date, too. */
static void show_start(char *text, size_t size, const struct process *process, uint64_t now)
{
	uint64_t age = now > process->start_ticks ? now - process->start_ticks : 0;

	clock_format(clock_wall() - age * clock_ns_per_tick(), text, size);
}

static void show_detail(char *text, size_t size, const struct details *details, enum detail detail)
{
	if (detail < DETAILS && details && details->text[detail] && *details->text[detail])
		snprintf(text, size, "%s", details->text[detail]);
}

/* As ps(1) shows who has no arguments, or none that could be read. */
static void show_args(char *text, size_t size, const struct details *details,
		      const struct process *process)
{
	if (details && details->text[DETAIL_ARGS] && *details->text[DETAIL_ARGS])
		snprintf(text, size, "%s", details->text[DETAIL_ARGS]);
	else
		snprintf(text, size, "[%s]", process->command);
}

static void show_why(char *text, size_t size, const struct victim *victim)
{
	if (victim->why.cgroup)
		snprintf(text, size, "%s %s", scope_kind_name(victim->why.kind),
			 victim->why.cgroup->path);
	else
		words_why(text, size, victim);
}

/* Where nobody can wait for his name, his number will do. */
static void show_user(char *text, size_t size, const struct listing *listing,
		      const struct process *process, const struct details *details)
{
	if (listing->style->left)
		snprintf(text, size, "%u", process->owner);
	show_detail(text, size, details, DETAIL_USER);
}

static void show_wait_channel(char *text, size_t size, const struct listing *listing,
			      const struct victim *victim, const struct details *details)
{
	const struct hindrance *hindrance = kill_hindrance(victim);

	if (!listing->style->left)
		show_detail(text, size, details, DETAIL_WCHAN);
	else if (*hindrance->wait_channel)
		snprintf(text, size, "%s", hindrance->wait_channel);
}

/* Of one that may not be read. */
static bool is_unknown(enum column column)
{
	return column == COLUMN_AGE || column == COLUMN_START || column == COLUMN_UID ||
	       column == COLUMN_USER;
}

/* As it is: libsmartcols writes control bytes as \xNN. */
static void show_cell(char *text, size_t size, const struct listing *listing, size_t row,
		      enum column column)
{
	const struct victim *victim = listing->victims[row];
	const struct process *process = &victim->process;
	const struct details *details = listing->details ? &listing->details[row] : NULL;

	snprintf(text, size, "-");
	if (!process_known(process) && is_unknown(column))
		return;
	switch (column) {
	case COLUMN_PID:
		return show_number(text, size, (uint64_t)process->pid);
	case COLUMN_PPID:
		return show_number(text, size, (uint64_t)process->ppid);
	case COLUMN_PGRP:
		return show_number(text, size, (uint64_t)process->pgrp);
	case COLUMN_SID:
		return show_number(text, size, (uint64_t)process->session);
	case COLUMN_MNTNS:
		return show_number(text, size, process->mntns);
	case COLUMN_UID:
		snprintf(text, size, "%u", process->owner);
		return;
	case COLUMN_STATE:
		snprintf(text, size, "%c", process->state);
		return;
	case COLUMN_AGE:
		words_age(text, size, process->start_ticks, listing->style->now,
			  clock_ticks_per_second());
		return;
	case COLUMN_START:
		return show_start(text, size, process, listing->style->now);
	case COLUMN_WHY:
		return show_why(text, size, victim);
	case COLUMN_TARGET:
		return show_number(text, size,
				   (uint64_t)listing->kill->claims[victim->target].target.pid);
	case COLUMN_USER:
		return show_user(text, size, listing, process, details);
	case COLUMN_WCHAN:
		return show_wait_channel(text, size, listing, victim, details);
	case COLUMN_NOTE:
		words_left(text, size, victim);
		return;
	case COLUMN_COMMAND:
		snprintf(text, size, "%s", process->command);
		return;
	case COLUMN_ARGS:
		return show_args(text, size, details, process);
	case COLUMN_TTY:
	case COLUMN_CGROUP:
	case COLUMN_NSPID:
	case COLUMN_EXE:
		return show_detail(text, size, details, column_detail(column));
	}
}

/* Of those that are listed before it. */
static size_t parent_row(const struct listing *listing, size_t row)
{
	for (size_t i = row; i-- > 0;)
		if (listing->victims[i]->process.pid == listing->victims[row]->process.ppid)
			return i;
	return NO_ROW;
}

static void grow_forest(struct listing *listing)
{
	for (size_t row = 0; row < listing->count; row++) {
		size_t parent = listing->style->forest ? parent_row(listing, row) : NO_ROW;

		listing->knots[row].parent = parent;
		if (parent != NO_ROW)
			listing->knots[row].depth = listing->knots[parent].depth + 1;
	}
}

static size_t depth_drawn(const struct listing *listing, size_t row)
{
	size_t depth = listing->knots[row].depth;

	return depth < listing->deepest ? depth : listing->deepest;
}

/* Below its parent; where there is no room, below who is the last above it to have children. */
static struct libscols_line *parent_line(const struct listing *listing, size_t row)
{
	size_t parent = listing->knots[row].parent;

	while (parent != NO_ROW && listing->knots[parent].depth >= listing->deepest)
		parent = listing->knots[parent].parent;
	return parent == NO_ROW ? NULL : listing->lines[parent];
}

static char **cell(const struct listing *listing, size_t row, size_t place)
{
	return &listing->cells[row * listing->style->columns->count + place];
}

static int fill_cells(struct listing *listing)
{
	const struct columns *columns = listing->style->columns;
	char text[8192];

	listing->cells = calloc(listing->count * columns->count + 1, sizeof(*listing->cells));
	if (!listing->cells)
		return -ENOMEM;
	for (size_t row = 0; row < listing->count; row++) {
		for (size_t i = 0; i < columns->count; i++) {
			show_cell(text, sizeof(text), listing, row, columns->list[i]);
			*cell(listing, row, i) = strdup(text);
			if (!*cell(listing, row, i))
				return -ENOMEM;
		}
	}
	return 0;
}

static void free_cells(struct listing *listing)
{
	size_t count = listing->count * listing->style->columns->count;

	for (size_t i = 0; listing->cells && i < count; i++)
		free(listing->cells[i]);
	free(listing->cells);
}

static int add_line(struct libscols_table *table, struct listing *listing, size_t row)
{
	struct libscols_line *line = scols_table_new_line(table, parent_line(listing, row));
	int rc = line ? 0 : -ENOMEM;
	size_t place = 0;

	for (size_t i = 0; !rc && i < listing->style->columns->count; i++)
		if (listing->widths[i])
			rc = scols_line_set_data(line, place++, *cell(listing, row, i));
	if (!rc && !listing->victims[row]->why.id)
		rc = scols_line_set_color(line, "bold");
	listing->lines[row] = line;
	return rc;
}

/* What people take for the name of a process has the branches of the tree. */
static bool has_branches(const struct table_style *style, size_t place)
{
	static const enum column names[] = { COLUMN_ARGS, COLUMN_COMMAND, COLUMN_EXE };
	const struct columns *columns = style->columns;

	for (size_t n = 0; style->forest && n < sizeof(names) / sizeof(*names); n++)
		for (size_t i = 0; i < columns->count; i++)
			if (columns->list[i] == names[n])
				return i == place;
	return style->forest && place == 0;
}

static int add_columns(struct libscols_table *table, const struct listing *listing)
{
	const struct table_style *style = listing->style;

	for (size_t i = 0; i < style->columns->count; i++) {
		enum column column = style->columns->list[i];
		int flags = column_flags(column);

		if (!listing->widths[i])
			continue;
		if (has_branches(style, i))
			flags |= SCOLS_FL_TREE;
		if (!scols_table_new_column(table, column_name(column), 0, flags))
			return -ENOMEM;
	}
	return 0;
}

static size_t branches_width(const struct listing *listing, size_t row, size_t place)
{
	if (!has_branches(listing->style, place))
		return 0;
	return BRANCH_WIDTH * depth_drawn(listing, row);
}

static void measure(struct listing *listing)
{
	for (size_t i = 0; i < listing->style->columns->count; i++) {
		listing->widths[i] = strlen(column_name(listing->style->columns->list[i]));
		for (size_t row = 0; row < listing->count; row++) {
			size_t width = fit_text_width(*cell(listing, row, i)) +
				       branches_width(listing, row, i);

			if (width > listing->widths[i])
				listing->widths[i] = width;
		}
	}
}

/* So that there is room for some of each text. */
static void limit_depth(struct listing *listing, size_t place, size_t natural)
{
	size_t width = listing->widths[place];

	if (has_branches(listing->style, place) && width < natural)
		listing->deepest =
			width > BESIDES_BRANCH ? (width - BESIDES_BRANCH) / BRANCH_WIDTH : 0;
}

/* With a + in front, if its branches are cut. */
static int fit_cell(struct listing *listing, size_t row, size_t place)
{
	char **text = cell(listing, row, place), *marked;

	if (has_branches(listing->style, place) && listing->knots[row].depth > listing->deepest) {
		if (asprintf(&marked, "+%s", *text) < 0)
			return -ENOMEM;
		free(*text);
		*text = marked;
	}
	fit_text(*text, listing->widths[place] - branches_width(listing, row, place));
	return 0;
}

/* Only for the eyes at a terminal is anything cut to its width. */
static int fit(struct listing *listing)
{
	const struct columns *columns = listing->style->columns;
	size_t natural[COLUMNS_MAX];
	int rc = 0;

	measure(listing);
	if (!listing->style->width)
		return 0;
	memcpy(natural, listing->widths, sizeof(natural));
	fit_columns(columns, listing->widths, listing->style->width);
	for (size_t i = 0; i < columns->count; i++) {
		limit_depth(listing, i, natural[i]);
		for (size_t row = 0; !rc && row < listing->count && listing->widths[i]; row++)
			rc = fit_cell(listing, row, i);
	}
	return rc;
}

static void tell_terminal(struct libscols_table *table, const struct table_style *style)
{
	scols_table_enable_colors(table, style->color);
	scols_table_set_termforce(table,
				  style->width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (style->width)
		scols_table_set_termwidth(table, style->width);
}

static int draw(struct libscols_table *table, struct listing *listing)
{
	int rc;

	tell_terminal(table, listing->style);
	rc = add_columns(table, listing);
	for (size_t i = 0; !rc && i < listing->count; i++)
		rc = add_line(table, listing, i);
	return rc;
}

static int print(FILE *stream, struct listing *listing)
{
	struct libscols_table *table = scols_new_table();
	char *text = NULL;
	int rc = table ? draw(table, listing) : -ENOMEM;

	if (!rc)
		rc = scols_print_table_to_string(table, &text);
	/* Whether the last line ends depends on the version of the library. */
	if (!rc)
		fprintf(stream, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
	scols_unref_table(table);
	return rc;
}

static int read_details(struct listing *listing)
{
	const struct process **processes = calloc(listing->count + 1, sizeof(*processes));
	unsigned wanted = columns_details(listing->style->columns);
	uint64_t within = listing->style->left ? NAMES_WITHIN : DETAILS_WITHIN;

	if (listing->style->left)
		wanted &= DETAIL_BIT(DETAIL_USER);
	if (!processes)
		return -ENOMEM;
	for (size_t i = 0; i < listing->count; i++)
		processes[i] = &listing->victims[i]->process;
	listing->details = details_read(processes, listing->count, wanted, clock_now() + within);
	free(processes);
	return listing->details ? 0 : -ENOMEM;
}

int table_print(FILE *stream, const struct kill *kill, bool (*wanted)(const struct victim *),
		const struct table_style *style)
{
	struct listing listing = {
		.style = style,
		.kill = kill,
		.victims = calloc(kill->victim_count + 1, sizeof(*listing.victims)),
		.lines = calloc(kill->victim_count + 1, sizeof(*listing.lines)),
		.knots = calloc(kill->victim_count + 1, sizeof(*listing.knots)),
		.deepest = SIZE_MAX,
	};
	int rc = listing.victims && listing.lines && listing.knots ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < kill->victim_count; i++)
		if (wanted(kill->victims[i]))
			listing.victims[listing.count++] = kill->victims[i];
	grow_forest(&listing);
	if (!rc)
		rc = read_details(&listing);
	if (!rc)
		rc = fill_cells(&listing);
	if (!rc && listing.count)
		rc = fit(&listing);
	if (!rc && listing.count)
		rc = print(stream, &listing);
	free_cells(&listing);
	details_free(listing.details, listing.count);
	free(listing.knots);
	free(listing.lines);
	free(listing.victims);
	return rc;
}
