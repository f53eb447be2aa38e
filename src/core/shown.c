/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/shown.h"

#include "core/groups.h"
#include "linux/boot.h"

#include <errno.h>
#include <stdlib.h>

void shown_begin(struct kill *kill)
{
	if (boot_forks(&kill->shown.forks) < 0)
		kill->shown.forks = UINT64_MAX;
	kill->shown.in_use = boot_numbers_in_use();
}

int shown_note(struct kill *kill)
{
	struct shown shown = kill->shown;

	shown.ticks = kill->ticks;
	shown.asked = true;
	shown.list = calloc(kill->victim_count + 1, sizeof(*shown.list));
	if (!shown.list)
		return -ENOMEM;
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->fate == FATE_LISTED)
			shown.list[shown.count++] = kill->victims[i]->process;
	kill->shown = shown;
	return 0;
}

struct numbers shown_numbers(const struct kill *kill)
{
	return (struct numbers){
		.forks = boot_forks_since(kill->shown.forks),
		.in_use = kill->shown.in_use,
		.max = scan_pid_max(),
	};
}

static const struct process *find(const struct kill *kill, const struct process *process)
{
	for (size_t i = 0; i < kill->shown.count; i++)
		if (process_same(&kill->shown.list[i], process))
			return &kill->shown.list[i];
	return NULL;
}

static bool is_left(const struct kill *kill, pid_t pid)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->fate == FATE_UNLISTED && kill->victims[i]->process.pid == pid)
			return true;
	return false;
}

static bool is_member(const struct kill *kill, pid_t pid)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct member *member = claim_member(&kill->claims[t], pid);

		if (member && !member->recycled)
			return true;
	}
	return false;
}

bool shown_admits(const struct kill *kill, const struct process *process)
{
	if (find(kill, process))
		return true;
	if (process->start_ticks < kill->shown.ticks || is_left(kill, process->ppid))
		return false;
	return kill->shown.resumed || process->ppid == 1 || is_member(kill, process->ppid);
}

static bool bears(const struct process *process, pid_t number)
{
	return process->pgrp == number || process->session == number;
}

void shown_doubt_number(struct kill *kill, size_t t, const struct snapshot *snapshot)
{
	struct claim *claim = &kill->claims[t];
	pid_t number = claim->target.pid;
	const struct process *now = snapshot_find(snapshot, number);

	if (claim->members[0]->recycled || !numbers_may_reach(&kill->since, number) ||
	    groups_vouch(kill, claim, number) || (now && process_same(now, &claim->target)))
		return;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct process *before = find(kill, process);

		if (before && bears(process, number) && bears(before, number))
			return;
	}
	claim_lose(claim, number);
}
