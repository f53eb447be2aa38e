/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A vigil waits for targets to end by themselves, and touches nobody. */
#ifndef NSKILL_CORE_VIGIL_H
#define NSKILL_CORE_VIGIL_H

#include "core/numbers.h"
#include "core/target.h"
#include "linux/watch.h"

struct vigil {
	struct watch watch;
	struct target *targets; /* borrowed */
	size_t count;
	size_t dead;	 /* the first of those that may have been dead from the beginning */
	size_t awaited;	 /* how many are alive */
	uint64_t forks;	 /* boot_forks() at the beginning; UINT64_MAX: unknown */
	uint64_t in_use; /* boot_numbers_in_use() then */
};

#define VIGIL_NULL ((struct vigil){ .watch = WATCH_NULL })

/** Start to wait for the @count @targets. 0 or a negative errno; vigil_close() releases it. */
int vigil_open(struct vigil *vigil, struct target *targets, size_t count);

/**
 * Wait, without a bound, for the next one that has ended; those that were dead at first come first.
 * Returns 1 and @ended, which is marked as dead and must be closed before the next call; 0 when all
 * have; -EINTR with the number of the signal that ends the wait in @signal, or another errno.
 */
int vigil_next(struct vigil *vigil, struct target **ended, int *signal);

/** What has been handed out since vigil_open(); the last number before is left unknown. */
struct numbers vigil_numbers(const struct vigil *vigil);

void vigil_close(struct vigil *vigil);

#endif
