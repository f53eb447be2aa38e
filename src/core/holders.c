/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/holders.h"

#include "core/list.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct holder *left = a, *right = b;

	if (left->target != right->target)
		return left->target < right->target ? -1 : 1;
	return process_compare_age(&left->process, &right->process);
}

static void explain_victim(struct holder *holder, const struct victim *victim)
{
	holder->error = victim->error;
	switch (victim->fate) {
	case FATE_LISTED:
		holder->reason = HOLDER_MEMBER;
		break;
	case FATE_DENIED:
		holder->reason = HOLDER_DENIED;
		break;
	case FATE_LEFT:
		holder->reason = HOLDER_LEFT;
		break;
	case FATE_DOUBTFUL:
		holder->reason = HOLDER_DOUBTFUL;
		break;
	case FATE_UNLISTED:
		holder->reason = HOLDER_UNLISTED;
		break;
	default:
		holder->reason = HOLDER_ALIVE;
	}
}

/* Of one that died long ago only the latest time that it can have been born at may be known. */
static enum holder_reason explain_age(const struct claim *claim, const struct process *process)
{
	bool known = claim->born_by == claim->target.start_ticks;

	return known && process->start_ticks < claim->born_by ? HOLDER_OLDER : HOLDER_UNTOLD;
}

/* @barred: terminals that are somebody else's. */
static void explain(struct holder *holder, const struct kill *kill, uint64_t barred)
{
	const struct claim *claim = &kill->claims[holder->target];
	const struct process *process = &holder->process;
	const struct victim *victim = kill_find(kill, process);

	if (guards_hold_pid(&kill->guards, process->pid))
		holder->reason = HOLDER_GUARD;
	else if (victim)
		explain_victim(holder, victim);
	else if (!claim_is_younger(claim, process))
		holder->reason = explain_age(claim, process);
	else if (!(process->writes & claim->outputs & ~barred))
		holder->reason = HOLDER_TERMINAL;
	else if (!(kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO)))
		holder->reason = HOLDER_UNASKED;
	else
		holder->reason = HOLDER_NEW;
}

static uint64_t terminals_of(const struct kill *kill)
{
	uint64_t terminals = 0;

	for (size_t i = 0; i < kill->streams.count; i++)
		if (kill->streams.list[i].kind == STREAM_TERMINAL)
			terminals |= STREAM_BIT(i);
	return terminals;
}

/*
 * The terminals that guarded processes talk to: one that a command is typed in is held by all that
 * is done there. With @claim, those of older processes, too; see core/match.
 */
static uint64_t terminals_of_others(const struct kill *kill, const struct snapshot *snapshot,
				    const struct claim *claim)
{
	uint64_t held = 0;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (guards_hold_pid(&kill->guards, process->pid) ||
		    (claim && process_alive(process) && !claim_is_younger(claim, process) &&
		     !claim_find(claim, process)))
			held |= process->writes;
	}
	return held & terminals_of(kill);
}

static int find_of(struct holders *holders, const struct kill *kill,
		   const struct snapshot *snapshot, size_t target)
{
	const struct claim *claim = &kill->claims[target];
	const uint64_t shared = terminals_of_others(kill, snapshot, NULL);
	const uint64_t barred = terminals_of_others(kill, snapshot, claim) | claim->barred;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];
		struct holder *holder;

		if (!(process->writes & claim->outputs) || !process_alive(process))
			continue;
		holder = list_append(&holders->list, &holders->count, sizeof(*holder));
		if (!holder)
			return -ENOMEM;
		*holder = (struct holder){ .process = *process, .target = target };
		holder->shared = !(process->writes & claim->outputs & ~shared);
		explain(holder, kill, barred);
	}
	return 0;
}

int holders_find(struct holders *holders, const struct kill *kill, const struct snapshot *snapshot)
{
	struct holders found = { 0 };
	int rc = 0;

	for (size_t t = 0; !rc && t < kill->orders.target_count; t++)
		rc = find_of(&found, kill, snapshot, t);
	if (rc < 0) {
		holders_clear(&found);
		return rc;
	}
	if (found.count)
		qsort(found.list, found.count, sizeof(*found.list), compare);
	*holders = found;
	return 0;
}

void holders_clear(struct holders *holders)
{
	free(holders->list);
	*holders = (struct holders){ 0 };
}
