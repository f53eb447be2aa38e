/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/reuse.h"

#include "core/groups.h"
#include "core/numbers.h"
#include "core/victims.h"

#include <errno.h>

void reuse_notice(struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];
		struct member *member = claim_member(claim, process->pid);

		if (member && claim_find(claim, process) != member)
			claim_recycle(claim, process);
	}
}

/* A number is a member's as long as that has not ended, and then while nobody else bears it. */
static void notice_tie(struct kill *kill, struct claim *claim, pid_t pid)
{
	struct member *member = pid ? claim_member(claim, pid) : NULL;
	struct process now;
	int rc;

	if (!member || member->recycled || groups_vouch(kill, claim, pid) ||
	    scan_peek(kill->orders.scan, pid, 0, &now) < 0)
		return;
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->process.pid == pid && kill->victims[i]->ref.fd >= 0 &&
		    pidref_ended(&kill->victims[i]->ref))
			victim_bury(kill, kill->victims[i], FATE_ENDED);
	/* Who is there but not to be seen (hidepid) is not one who has been. */
	rc = scan_process(kill->orders.scan, pid, &now);
	if (rc == -EACCES || (!rc && claim_find(claim, &now) != member))
		claim_recycle(claim, &now);
}

static void notice_group(struct kill *kill, struct claim *claim, const struct process *process)
{
	if (!groups_notice(kill, claim, process))
		notice_tie(kill, claim, process->pgrp);
}

void reuse_notice_ties(struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		if (process->pgrp != process->pid)
			notice_group(kill, &kill->claims[t], process);
		if (process->session != process->pid && process->session != process->pgrp)
			notice_tie(kill, &kill->claims[t], process->session);
		if (process->ppid != process->pgrp && process->ppid != process->session)
			notice_tie(kill, &kill->claims[t], process->ppid);
	}
}

void reuse_begin_round(struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		kill->claims[t].round++;
}

static bool bears(const struct process *process, pid_t number)
{
	return process->pid == number || process->pgrp == number || process->session == number;
}

/* Whether it was there when the last number seen was handed out. */
static bool is_older(const struct kill *kill, const struct process *process)
{
	return process->start_ticks < kill->last_pid_ticks;
}

/* Whether @now, which is read of @member, is it: another can have started in the same tick. */
static bool is_certain(const struct kill *kill, const struct claim *claim,
		       const struct member *member, const struct process *now)
{
	if (!member || claim_find(claim, now) != member)
		return false;
	if (is_older(kill, now))
		return true;
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->ref.fd >= 0 && process_same(&kill->victims[i]->process, now))
			return !pidref_ended(&kill->victims[i]->ref);
	return false;
}

/* Whether somebody who has borne @number does so now that this has been passed. */
static bool is_kept(struct kill *kill, const struct claim *claim, pid_t number)
{
	if (groups_vouch(kill, claim, number))
		return true;
	for (size_t i = 0; i < claim->member_count; i++) {
		const struct member *member = claim->members[i];
		struct process now;

		if (!bears(&member->process, number))
			continue;
		if (member->round == claim->round)
			return true; /* it was read since, and is from before */
		if (!scan_process(kill->orders.scan, member->process.pid, &now) &&
		    bears(&now, number) && is_certain(kill, claim, member, &now))
			return true;
	}
	return false;
}

/* Whether anything follows from that number, which is not that of somebody just born. */
static bool is_of_interest(const struct kill *kill, const struct claim *claim, pid_t number)
{
	const struct member *leader = claim_member(claim, number);

	if (leader) /* known before the last number seen was asked for, or at least born before */
		return !leader->recycled &&
		       (leader->round + 1 < claim->round || is_older(kill, &leader->process));
	return claim_is_following(claim,
				  (struct scope){ .kind = SCOPE_PGRP, .id = (uint64_t)number }) ||
	       claim_is_following(claim,
				  (struct scope){ .kind = SCOPE_SESSION, .id = (uint64_t)number });
}

void reuse_notice_passed(struct kill *kill, pid_t number)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		if (is_of_interest(kill, claim, number) && !is_kept(kill, claim, number))
			claim_lose(claim, number);
	}
}

/* The same, where numbers up to @last have been handed out: by who has not come after that. */
static bool is_kept_in(const struct kill *kill, const struct claim *claim, pid_t number, pid_t last,
		       const struct snapshot *snapshot)
{
	const struct process *found = snapshot_find(snapshot, number);

	if (groups_vouch(kill, claim, number))
		return true;
	if (found && is_certain(kill, claim, claim_member(claim, number), found))
		return true;
	for (size_t i = 0; i < snapshot->count; i++) {
		pid_t pid = snapshot->processes[i].pid;

		if (pid != number && bears(&snapshot->processes[i], number) &&
		    !numbers_passed(number, last, pid))
			return true;
	}
	return false;
}

static void notice(const struct kill *kill, struct claim *claim, pid_t number, pid_t last,
		   const struct snapshot *snapshot)
{
	if (numbers_passed(kill->last_pid, last, number) && is_of_interest(kill, claim, number) &&
	    !is_kept_in(kill, claim, number, last, snapshot))
		claim_lose(claim, number);
}

void reuse_notice_passed_in(struct kill *kill, const struct snapshot *snapshot, pid_t last)
{
	/* At first nothing has been passed; later claim_outlive() tells the rest. */
	bool passed = kill->last_pid && !kill->outlived;

	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		for (size_t i = 0; i < snapshot->count; i++)
			groups_notice(kill, claim, &snapshot->processes[i]);
		for (size_t i = 0; passed && i < claim->member_count; i++)
			notice(kill, claim, claim->members[i]->process.pid, last, snapshot);
		for (size_t i = claim->followed_count; passed && i-- > 0;)
			if (scope_kind_is_led(claim->followed[i].kind))
				notice(kill, claim, (pid_t)claim->followed[i].id, last, snapshot);
	}
}

void reuse_note_elders(struct kill *kill, const struct snapshot *snapshot, pid_t last)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		for (size_t i = 0; i < claim->member_count; i++) {
			struct member *member = claim->members[i];

			if (member->round == claim->round &&
			    !numbers_passed(snapshot->last_pid, last, member->process.pid))
				member->round--;
		}
	}
}
