/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/numbers.h"

#define RESERVED_PIDS 300

bool numbers_may_reach(const struct numbers *numbers, pid_t pid)
{
	pid_t distance;

	if (!numbers->last || numbers->last >= numbers->max)
		return true;
	if (pid > numbers->last)
		distance = pid - numbers->last;
	else if (pid > RESERVED_PIDS)
		distance = numbers->max - numbers->last + pid - RESERVED_PIDS;
	else
		distance = numbers->max - numbers->last;
	return numbers->forks >= (uint64_t)distance || numbers->in_use >= (uint64_t)distance ||
	       numbers->forks + numbers->in_use >= (uint64_t)distance;
}

bool numbers_passed(pid_t seen, pid_t last, pid_t pid)
{
	return last >= seen ? pid > seen && pid <= last : pid > seen || pid <= last;
}
