/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/killing.h"

bool kill_alive(const struct victim *victim)
{
	return victim->fate != FATE_ENDED && victim->fate != FATE_VANISHED;
}

struct victim *kill_find(const struct kill *kill, const struct process *process)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill_alive(kill->victims[i]) &&
		    process_same(&kill->victims[i]->process, process))
			return kill->victims[i];
	return NULL;
}

size_t kill_listed(const struct kill *kill)
{
	size_t count = 0;

	for (size_t i = 0; i < kill->victim_count; i++)
		count += kill->victims[i]->fate == FATE_LISTED;
	return count;
}

size_t kill_signallable(const struct kill *kill)
{
	size_t count = 0;

	for (size_t i = 0; i < kill->victim_count; i++)
		count += kill->victims[i]->fate == FATE_LISTED && !kill->victims[i]->error;
	return count;
}

bool kill_must_spare(const struct kill *kill)
{
	return kill->orders.plan || kill->orders.ask;
}

void kill_notify(const struct kill *kill, enum kill_event event, const struct victim *victim,
		 int signal)
{
	struct kill_notice notice = {
		.event = event,
		.victim = victim,
		.signal = signal,
		.plan = kill->orders.plan && victim,
	};

	if (kill->orders.notify)
		kill->orders.notify(kill->orders.data, &notice);
}
