/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/groups.h"

#include "linux/group.h"

#include <errno.h>

static bool is_reaped(const struct pidref *ref)
{
	return pidref_signal(ref, 0) == -ESRCH;
}

/* A place in the table, or that of a group which is of least use: it is empty. Or NULL. */
static struct held_group *place_for(struct kill *kill)
{
	struct held_group *place;

	if (kill->group_count < HELD_GROUPS)
		return &kill->groups[kill->group_count++];
	place = &kill->groups[kill->next_group++ % HELD_GROUPS];
	if (!place->leader || place->leader == place->claim->members[0] ||
	    !group_is_empty(place->fd))
		return NULL;
	group_release(&place->fd);
	return place;
}

static void keep(struct kill *kill, const struct claim *claim, const struct member *leader,
		 pid_t number, int fd)
{
	struct held_group *place = place_for(kill);

	if (place)
		*place = (struct held_group){ claim, leader, number, fd };
	else
		group_release(&fd);
}

int groups_take_number(const struct pidref *ref)
{
	int fd = group_hold(ref->pid);

	if (fd >= 0 && is_reaped(ref)) {
		group_release(&fd);
		return -ESTALE;
	}
	return fd;
}

static void hold_target(struct kill *kill, size_t t)
{
	struct claim *claim = &kill->claims[t];
	struct member *target = claim->members[0];
	int fd = kill->orders.targets[t].group;

	kill->orders.targets[t].group = -EBADF;
	if (fd >= 0)
		keep(kill, claim, target, target->process.pid, fd);
	if (fd == -ESRCH)
		claim_succeed(claim, target->process.pid); /* there is nothing that it could lead */
}

/* What --all takes, if another leads it. */
static void hold_own(struct kill *kill, size_t t)
{
	const struct target *target = &kill->orders.targets[t];
	pid_t number = target->process.pgrp;
	struct process now;
	int fd;

	if (!kill->orders.rules.all || !number || number == target->process.pid ||
	    target->ref.fd < 0)
		return;
	fd = group_hold(number);
	if (fd >= 0 && !scan_peek(kill->orders.scan, target->process.pid, 0, &now) &&
	    now.pgrp == number && !is_reaped(&target->ref))
		keep(kill, &kill->claims[t], NULL, number, fd);
	else
		group_release(&fd);
}

void groups_hold_targets(struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		if (kill->orders.targets[t].over || kill->claims[t].members[0]->recycled)
			continue;
		hold_target(kill, t);
		hold_own(kill, t);
	}
}

static const struct held_group *find(const struct kill *kill, const struct claim *claim,
				     pid_t number)
{
	const struct member *leader = number ? claim_member(claim, number) : NULL;

	for (size_t i = 0; number && i < kill->group_count; i++)
		if (kill->groups[i].number == number && kill->groups[i].claim == claim &&
		    kill->groups[i].leader == leader)
			return &kill->groups[i];
	return NULL;
}

void groups_hold_member(struct kill *kill, const struct process *process, const struct pidref *ref)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];
		struct member *leader = claim_find(claim, process);
		int fd;

		if (!leader || leader->recycled || find(kill, claim, process->pid))
			continue;
		fd = groups_take_number(ref);
		if (fd >= 0)
			keep(kill, claim, leader, process->pid, fd);
	}
}

void groups_keep(struct kill *kill, size_t t, pid_t number, int fd)
{
	const struct claim *claim = &kill->claims[t];
	const struct member *leader = claim_member(claim, number);

	if (fd >= 0 && leader && !find(kill, claim, number))
		keep(kill, claim, leader, number, fd);
	else
		group_release(&fd);
}

bool groups_vouch(const struct kill *kill, const struct claim *claim, pid_t number)
{
	const struct held_group *held = find(kill, claim, number);
	const struct member *leader = number ? claim_member(claim, number) : NULL;

	if (held && !group_is_empty(held->fd))
		return true;
	return leader && pidref_keeps_number(&(struct pidref){
				 .pid = number, .fd = -1, .inode = leader->process.inode });
}

static bool is_over(const struct kill *kill, const struct claim *claim, pid_t number)
{
	const struct held_group *held = find(kill, claim, number);

	return held && group_is_empty(held->fd);
}

/* Who is in it after it was seen to be empty is in another, and what it led is empty, too. */
bool groups_notice(const struct kill *kill, struct claim *claim, const struct process *process)
{
	pid_t number = process->pgrp;
	struct process now;

	if (!is_over(kill, claim, number) ||
	    scan_peek(kill->orders.scan, process->pid, 0, &now) < 0 || now.pgrp != number ||
	    !is_over(kill, claim, number))
		return false;
	claim_succeed(claim, number);
	return true;
}

void groups_renew(struct kill *kill, size_t t, const struct member *before)
{
	const struct claim *claim = &kill->claims[t];
	size_t kept = 0;

	for (size_t i = 0; i < kill->group_count; i++) {
		struct held_group held = kill->groups[i];

		if (held.claim == claim && held.leader == before)
			held.leader = claim->members[0];
		else if (held.claim == claim && held.leader)
			group_release(&held.fd);
		if (held.fd >= 0)
			kill->groups[kept++] = held;
	}
	kill->group_count = kept;
}

int groups_yield_to(struct kill *kill, struct pidref *ref, pid_t pid)
{
	int rc = pidref_open(ref, pid);

	if (rc != -EMFILE || kill->group_count == 0)
		return rc;
	groups_clear(kill);
	return pidref_open(ref, pid);
}

void groups_clear(struct kill *kill)
{
	while (kill->group_count > 0)
		group_release(&kill->groups[--kill->group_count].fd);
}
