/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/fit.h"

#include <stdbool.h>
#include <string.h>

/* What gives way, the first first: cut to @least, or left out (0), what was named last. */
static const struct {
	enum column column;
	size_t least;
} gives_way[] = {
	{ COLUMN_COMMAND, 24 }, { COLUMN_CGROUP, 12 }, { COLUMN_EXE, 12 },   { COLUMN_ARGS, 20 },
	{ COLUMN_WHY, 19 },	{ COLUMN_WCHAN, 10 },  { COLUMN_USER, 8 },   { COLUMN_MNTNS, 0 },
	{ COLUMN_SID, 0 },	{ COLUMN_PGRP, 0 },    { COLUMN_NSPID, 0 },  { COLUMN_UID, 0 },
	{ COLUMN_TTY, 0 },	{ COLUMN_START, 0 },   { COLUMN_PPID, 0 },   { COLUMN_CGROUP, 0 },
	{ COLUMN_NOTE, 20 },	{ COLUMN_WCHAN, 0 },   { COLUMN_EXE, 0 },    { COLUMN_AGE, 0 },
	{ COLUMN_WHY, 0 },	{ COLUMN_USER, 0 },    { COLUMN_TARGET, 0 }, { COLUMN_ARGS, 0 },
	{ COLUMN_COMMAND, 15 }, { COLUMN_NOTE, 0 },
};

/* How libsmartcols writes a byte: as it is, or as \xNN. */
static size_t byte_width(const char *byte)
{
	bool plain = *byte >= 0x20 && *byte < 0x7f && !(byte[0] == '\\' && byte[1] == 'x');

	return plain ? 1 : 4;
}

size_t fit_text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += byte_width(text);
	return width;
}

void fit_text(char *text, size_t width)
{
	size_t used = 0;

	if (fit_text_width(text) <= width)
		return;
	while (used + byte_width(text) < width)
		used += byte_width(text++);
	strcpy(text, "+");
}

static size_t count_shown(const size_t *widths, size_t count)
{
	size_t shown = 0;

	for (size_t i = 0; i < count; i++)
		shown += widths[i] > 0;
	return shown;
}

/* By how much they are too wide; < 0: there is room. */
static long excess(const size_t *widths, size_t count, size_t width)
{
	long total = -1;

	for (size_t i = 0; i < count; i++)
		if (widths[i])
			total += (long)widths[i] + 1;
	return total - (long)width;
}

/* By @over, but not below @least; or wholly. */
static size_t give_way(size_t width, long over, size_t least)
{
	if (width <= least || !least)
		return least < width ? least : width;
	return (long)width - over > (long)least ? width - (size_t)over : least;
}

/* Room that is left goes back to what was cut. */
static void widen(size_t *widths, const size_t *natural, size_t count, size_t width)
{
	for (size_t i = 0; i < count; i++) {
		long room = -excess(widths, count, width);
		size_t wanted = natural[i] - widths[i];

		if (widths[i] && room > 0)
			widths[i] += wanted < (size_t)room ? wanted : (size_t)room;
	}
}

/* What was named is cut, but not left out. */
static void make_way(const struct columns *columns, size_t *widths, size_t width)
{
	size_t count = columns->count;

	for (size_t g = 0; g < sizeof(gives_way) / sizeof(*gives_way); g++) {
		for (size_t i = 0; i < count; i++) {
			long over = excess(widths, count, width);

			if (columns->list[i] == gives_way[g].column && over > 0 &&
			    (gives_way[g].least ||
			     (i < columns->common && count_shown(widths, count) > 1)))
				widths[i] = give_way(widths[i], over, gives_way[g].least);
		}
	}
}

/* The next that was named; false: there is none. */
static bool leave_out(const struct columns *columns, size_t *widths)
{
	if (count_shown(widths, columns->count) == 1)
		return false;
	for (size_t g = 0; g < sizeof(gives_way) / sizeof(*gives_way); g++) {
		for (size_t i = columns->common; i < columns->count; i++) {
			if (columns->list[i] != gives_way[g].column || gives_way[g].least ||
			    !widths[i])
				continue;
			widths[i] = 0;
			return true;
		}
	}
	return false;
}

void fit_columns(const struct columns *columns, size_t *widths, size_t width)
{
	size_t natural[COLUMNS_MAX], count = columns->count;

	memcpy(natural, widths, count * sizeof(*natural));
	do {
		memcpy(widths, natural, count * sizeof(*natural));
		make_way(columns, widths, width);
	} while (excess(widths, count, width) > 0 && leave_out(columns, natural));
	widen(widths, natural, count, width);
}
