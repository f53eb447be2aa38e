/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/claim.h"

#include "core/list.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

static int compare_member_pid(const void *a, const void *b)
{
	const struct member *left = a, *right = b;

	return (left->process.pid > right->process.pid) - (left->process.pid < right->process.pid);
}

struct member *claim_member(const struct claim *claim, pid_t pid)
{
	struct member key = { .process.pid = pid };
	struct member **found = tfind(&key, &claim->by_pid, compare_member_pid);

	return found ? *found : NULL;
}

struct member *claim_find(const struct claim *claim, const struct process *process)
{
	struct member *member = claim_member(claim, process->pid);

	if (!member || !process_same(&member->process, process))
		return NULL;
	/* The start tick is too coarse to tell a newcomer from one that died a moment before. */
	if ((member->dead || !process_alive(&member->process)) && process_alive(process))
		return NULL;
	return member;
}

bool claim_is_following(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->followed_count; i++)
		if (scope_equal(claim->followed[i], scope))
			return true;
	return false;
}

int claim_follow(struct claim *claim, struct scope scope)
{
	struct scope *place;

	if (claim_is_following(claim, scope))
		return 0;
	place = list_append(&claim->followed, &claim->followed_count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = scope;
	return 0;
}

void claim_drop(struct claim *claim, struct scope scope)
{
	size_t kept = 0;

	for (size_t i = 0; i < claim->followed_count; i++)
		if (!scope_equal(claim->followed[i], scope))
			claim->followed[kept++] = claim->followed[i];
	claim->followed_count = kept;
}

/*
 * Whether a group or session is led by a member, alive or dead: then everything in it is a member.
 */
static bool is_led(const struct claim *claim, struct scope scope)
{
	const struct member *leader = claim_member(claim, (pid_t)scope.id);

	return leader && !leader->recycled;
}

static bool takes_as_such(const struct claim *claim, struct scope scope)
{
	if (!(claim->rules->kinds & SCOPE_BIT(scope.kind)) || guards_in(claim->guards, scope))
		return false;
	return claim_is_following(claim, scope) ||
	       (scope_kind_is_led(scope.kind) && is_led(claim, scope));
}

/* @scope, or the next one above it, that is taken; id 0: none. */
static struct scope taken(const struct claim *claim, struct scope scope)
{
	while (scope.id && !takes_as_such(claim, scope))
		scope = scope_above(scope);
	return scope;
}

bool claim_takes(const struct claim *claim, struct scope scope)
{
	return taken(claim, scope).id;
}

bool claim_may_hold(const struct claim *claim, const struct process *process)
{
	return !process->kernel_thread && !guards_hold_pid(claim->guards, process->pid);
}

bool claim_follows(const struct claim *claim, const struct process *process)
{
	for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++)
		if (claim_takes(claim, scope_of(process, kind)))
			return true;
	return false;
}

static bool is_child(const struct claim *claim, const struct process *process)
{
	const struct member *parent = process->ppid ? claim_member(claim, process->ppid) : NULL;

	return parent && !parent->dead && !parent->recycled &&
	       claim->rules->kinds & SCOPE_BIT(SCOPE_TREE);
}

bool claim_is_younger(const struct claim *claim, const struct process *process)
{
	if (process->start_ticks != claim->born_by)
		return process->start_ticks > claim->born_by;
	return claim->born_as && process->inode > claim->born_as;
}

bool claim_is_written_by(const struct claim *claim, const struct process *process,
			 struct scope *why)
{
	uint64_t written = process->writes & claim->outputs & ~claim->barred;

	if (!written || !(claim->rules->kinds & SCOPE_BIT(SCOPE_IO)) ||
	    !claim_is_younger(claim, process))
		return false;
	*why = (struct scope){
		.kind = SCOPE_IO,
		.id = claim->streams->list[__builtin_ctzll(written)].inode,
	};
	return true;
}

bool claim_holds(const struct claim *claim, const struct process *process, struct scope *why)
{
	struct scope scope;

	if (!claim_may_hold(claim, process))
		return false;
	for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++) {
		scope = taken(claim, scope_of(process, kind));
		if (scope.id) {
			*why = scope;
			return true;
		}
	}
	if (!is_child(claim, process))
		return claim_is_written_by(claim, process, why);
	*why = scope_of(process, SCOPE_TREE);
	return true;
}

bool claim_confirms(const struct claim *claim, const struct member *member,
		    const struct process *process, uint64_t seen_ticks)
{
	struct scope scope;

	if (!process_same(&member->process, process))
		return false;
	if (process->start_ticks < seen_ticks && member->why.kind != SCOPE_IO)
		return true;
	for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++) {
		scope = scope_of(process, kind);
		if (scope_kind_is_led(kind) && scope.id == (uint64_t)process->pid)
			continue;
		if (claim_takes(claim, scope))
			return true;
	}
	return is_child(claim, process) || claim_is_written_by(claim, process, &scope);
}

int claim_add(struct claim *claim, const struct process *process, struct scope why)
{
	struct member **place, **node, *member = claim_find(claim, process);

	if (member)
		return 0;
	member = calloc(1, sizeof(*member));
	if (!member)
		return -ENOMEM;
	*member = (struct member){ .process = *process, .why = why, .round = claim->round };
	place = list_append(&claim->members, &claim->member_count, sizeof(*place));
	node = place ? tsearch(member, &claim->by_pid, compare_member_pid) : NULL;
	if (!node) {
		claim->member_count -= place != NULL;
		free(member);
		return -ENOMEM;
	}
	*node = member; /* in place of an earlier one of the same PID, which is dead */
	*place = member;
	return 0;
}

static void give_up(struct claim *claim, pid_t number)
{
	struct member *member = claim_member(claim, number);

	if (member)
		member->recycled = true;
	claim_drop(claim, (struct scope){ .kind = SCOPE_PGRP, .id = (uint64_t)number });
	claim_drop(claim, (struct scope){ .kind = SCOPE_SESSION, .id = (uint64_t)number });
	if (claim->target.pgrp == number)
		claim->target.pgrp = 0;
	if (claim->target.session == number)
		claim->target.session = 0;
}

/* A number is free again when nobody is in its group and session. */
void claim_recycle(struct claim *claim, const struct process *process)
{
	struct member *member = claim_member(claim, process->pid);

	if (member && !process_same(&member->process, process))
		member->lost = false;
	give_up(claim, process->pid);
}

void claim_succeed(struct claim *claim, pid_t number)
{
	struct member *member = claim_member(claim, number);

	for (enum scope_kind kind = 0; scope_kind_is_led(kind); kind++)
		if (claim->lost[kind] == number)
			claim->lost[kind] = 0;
	if (member)
		member->lost = false;
	give_up(claim, number);
}

void claim_lose(struct claim *claim, pid_t number)
{
	struct member *member = claim_member(claim, number);

	for (enum scope_kind kind = 0; scope_kind_is_led(kind); kind++)
		if (claim_is_following(claim,
				       (struct scope){ .kind = kind, .id = (uint64_t)number }))
			claim->lost[kind] = number;
	if (member)
		member->lost = true;
	give_up(claim, number);
}

static bool is_lost(const struct claim *claim, struct scope scope)
{
	const struct member *leader = claim_member(claim, (pid_t)scope.id);

	if (!scope.id || !(claim->rules->kinds & SCOPE_BIT(scope.kind)) ||
	    guards_in(claim->guards, scope))
		return false;
	return claim->lost[scope.kind] == (pid_t)scope.id || (leader && leader->lost);
}

bool claim_doubts(const struct claim *claim, const struct process *process, struct scope *why)
{
	if (!claim_may_hold(claim, process))
		return false;
	for (enum scope_kind kind = 0; scope_kind_is_led(kind); kind++) {
		*why = scope_of(process, kind);
		if (is_lost(claim, *why))
			return true;
	}
	return false;
}

void claim_update(struct member *member, const struct process *process)
{
	uint64_t inode = member->process.inode;

	member->process = *process;
	if (!process->inode)
		member->process.inode = inode;
}

int claim_init(struct claim *claim, const struct process *target, bool dead)
{
	int rc;

	*claim = (struct claim){ .target = *target,
				 .target_dead = dead,
				 .born_by = target->start_ticks,
				 .born_as = target->inode };
	rc = claim_add(claim, target, (struct scope){ 0 });
	if (!rc)
		claim->members[0]->dead = dead;
	return rc;
}

int claim_own(struct claim *claim, struct scope scope)
{
	struct scope *place = list_append(&claim->own, &claim->own_count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = scope;
	return 0;
}

bool claim_owns(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->own_count; i++)
		if (scope_equal(claim->own[i], scope))
			return true;
	return false;
}

static void nothing_to_free(void *node)
{
	(void)node;
}

void claim_clear(struct claim *claim)
{
	tdestroy(claim->by_pid, nothing_to_free);
	for (size_t i = 0; i < claim->member_count; i++)
		free(claim->members[i]);
	free(claim->members);
	free(claim->own);
	free(claim->followed);
	free(claim->fallen);
	free(claim->elders);
	free(claim->spared);
	*claim = (struct claim){ 0 };
}
