/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which PIDs can have been handed out since a moment. Pure. */
#ifndef NSKILL_CORE_NUMBERS_H
#define NSKILL_CORE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** What has been handed out since a moment. */
struct numbers {
	uint64_t forks;	 /* how many at most; UINT64_MAX: unknown */
	uint64_t in_use; /* how many were in use before, and so were passed over; the same */
	pid_t last;	 /* the last one before; 0: unknown */
	pid_t max;	 /* they are below this, and start again at 300 when they reach it */
};

/**
 * Whether @pid can be one of them. They are handed out in order, leaving out those in use: kernel's
 * alloc_pid(), where a number that is asked for (set_tid) is the exception.
 */
bool numbers_may_reach(const struct numbers *numbers, pid_t pid);

/** Whether @pid is one of those from behind @seen to @last; the lowest follow the highest. */
bool numbers_passed(pid_t seen, pid_t last, pid_t pid);

#endif
