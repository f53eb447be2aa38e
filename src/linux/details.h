/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only a listing tells of processes. Some of it can block for as long as a process is stuck
 * (its arguments are in its memory), or a name service is: a child reads it, which is killed when
 * it takes too long.
 */
#ifndef NSKILL_LINUX_DETAILS_H
#define NSKILL_LINUX_DETAILS_H

#include "core/process.h"

enum detail {
	DETAIL_TTY,
	DETAIL_WCHAN,
	DETAIL_CGROUP,
	DETAIL_NSPID,
	DETAIL_USER, /* from here on it can block */
	DETAIL_EXE,
	DETAIL_ARGS,
	DETAILS
};

#define DETAIL_BIT(detail) (1U << (detail))

/** Texts, owned; NULL: unknown, or not asked for. */
struct details {
	char *text[DETAILS];
};

/**
 * Read the details @wanted (DETAIL_BIT()s) of each of @count processes, until @until (a time of
 * clock_now()): what is not known by then stays NULL, and so it does of a process that is not the
 * same any more. Returns an array of @count for details_free(), or NULL when there is no memory.
 */
struct details *details_read(const struct process *const *processes, size_t count, unsigned wanted,
			     uint64_t until);

void details_free(struct details *details, size_t count);

#endif
