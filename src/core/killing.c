/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/killing.h"

bool kill_alive(const struct victim *victim)
{
	return victim->fate != FATE_ENDED && victim->fate != FATE_VANISHED;
}

void kill_notify(const struct kill *kill, enum kill_event event, const struct victim *victim,
		 int signal)
{
	struct kill_notice notice = { .event = event, .victim = victim, .signal = signal };

	if (kill->orders.notify)
		kill->orders.notify(kill->orders.data, &notice);
}
