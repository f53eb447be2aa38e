/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to the clocks. Deadlines are absolute times of clock_now(), which never goes backwards.
 */
#ifndef NSKILL_LINUX_CLOCK_H
#define NSKILL_LINUX_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define CLOCK_NEVER   UINT64_MAX

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t clock_now(void);

/** The time @span ns after @time, or CLOCK_NEVER where that is beyond all times. */
static inline uint64_t clock_after(uint64_t time, uint64_t span)
{
	return span > CLOCK_NEVER - time ? CLOCK_NEVER : time + span;
}

/**
 * Clock ticks since boot (CLOCK_BOOTTIME), in the terms of the initial time namespace, whichever we
 * are in: all start times are counted so.
 */
uint64_t clock_boot_ticks(void);

/** Bring a start time, as /proc shows it to us, into the terms of the initial time namespace. */
uint64_t clock_start_ticks(uint64_t shown);

/**
 * By how many ticks what clock_start_ticks() says can be too early: a time namespace need not be
 * ahead by whole ticks, and then what /proc shows has been rounded at another place. 0 in the
 * initial one.
 */
uint64_t clock_start_error(void);

/** Sleep until clock_boot_ticks() tells another tick. */
void clock_pass_tick(void);

/** Clock ticks in a second (sysconf(_SC_CLK_TCK)). */
uint64_t clock_ticks_per_second(void);

static inline uint64_t clock_ns_per_tick(void)
{
	return NS_PER_SECOND / clock_ticks_per_second();
}

/** Nanoseconds of CLOCK_REALTIME, since 1970. */
uint64_t clock_wall(void);

/** Milliseconds from now until clock_now() is @until, rounded up, for poll(2); -1: for ever. */
int clock_milliseconds_until(uint64_t until);

/** Write @wall, a time of clock_wall(), as local date and time. Returns @text. */
char *clock_format(uint64_t wall, char *text, size_t size);

#endif
