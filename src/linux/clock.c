/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/clock.h"

#include <inttypes.h>
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

uint64_t clock_boot_ticks(void)
{
	return read_clock(CLOCK_BOOTTIME) / (NS_PER_SECOND / clock_ticks_per_second());
}
