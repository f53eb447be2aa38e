/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/clock.h"

#include "linux/again.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

int clock_milliseconds_until(uint64_t until)
{
	const uint64_t millisecond = NS_PER_SECOND / 1000;
	uint64_t now = clock_now(), left;

	if (until == CLOCK_NEVER)
		return -1;
	left = until > now ? (until - now + millisecond - 1) / millisecond : 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

char *clock_format(uint64_t wall, char *text, size_t size)
{
	time_t seconds = (time_t)(wall / NS_PER_SECOND);
	struct tm parts;

	if (!localtime_r(&seconds, &parts) || !strftime(text, size, "%F %T", &parts))
		snprintf(text, size, "%" PRIu64, wall / NS_PER_SECOND);
	return text;
}

uint64_t clock_ticks_per_second(void)
{
	return (uint64_t)sysconf(_SC_CLK_TCK);
}

/*
 * How far our time namespace is ahead of the initial one (time_namespaces(7)), in ns modulo 2^64.
 */
static uint64_t offset(void)
{
	static uint64_t nanoseconds;
	static bool known;
	int64_t whole, part;
	char line[128];
	FILE *file;

	if (known)
		return nanoseconds;
	for (int try = 0; !known && try < TRIES; try++) {
		file = fopen("/proc/self/timens_offsets", "re");
		while (file && fgets(line, sizeof(line), file)) {
			if (sscanf(line, "boottime %" SCNd64 " %" SCNd64, &whole, &part) != 2)
				continue;
			nanoseconds = (uint64_t)whole * NS_PER_SECOND + (uint64_t)part;
			known = true;
		}
		if (file)
			fclose(file);
	}
	known = true; /* there is none before time namespaces (Linux 5.5) */
	return nanoseconds;
}

uint64_t clock_boot_ticks(void)
{
	return (read_clock(CLOCK_BOOTTIME) - offset()) / clock_ns_per_tick();
}

void clock_pass_tick(void)
{
	struct timespec left = { .tv_nsec = (long)clock_ns_per_tick() };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/*
 * Of one that started before the namespace's zero, /proc shows a negative time as an unsigned one.
 */
uint64_t clock_start_ticks(uint64_t shown)
{
	return offset() ? (shown * clock_ns_per_tick() - offset()) / clock_ns_per_tick() : shown;
}

uint64_t clock_start_error(void)
{
	return offset() ? 1 : 0;
}
