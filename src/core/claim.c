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
	return member->dead && process_alive(process) ? NULL : member;
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

bool claim_takes(const struct claim *claim, struct scope scope)
{
	if (!scope.id || !(claim->rules->kinds & SCOPE_BIT(scope.kind)))
		return false;
	if (guards_in(claim->guards, scope))
		return false;
	if (claim_is_following(claim, scope))
		return true;
	return scope.kind != SCOPE_MNT && is_led(claim, scope);
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

bool claim_holds(const struct claim *claim, const struct process *process, struct scope *why)
{
	struct scope scope;

	if (!claim_may_hold(claim, process))
		return false;
	for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++) {
		scope = scope_of(process, kind);
		if (claim_takes(claim, scope)) {
			*why = scope;
			return true;
		}
	}
	if (!is_child(claim, process))
		return false;
	*why = scope_of(process, SCOPE_TREE);
	return true;
}

bool claim_confirms(const struct claim *claim, const struct member *member,
		    const struct process *process, uint64_t seen_ticks)
{
	struct scope scope;

	if (!process_same(&member->process, process))
		return false;
	if (process->start_ticks < seen_ticks)
		return true;
	for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++) {
		scope = scope_of(process, kind);
		if (scope.id != (uint64_t)process->pid && claim_takes(claim, scope))
			return true;
	}
	return is_child(claim, process);
}

int claim_add(struct claim *claim, const struct process *process, struct scope why)
{
	struct member **place, **node, *member = claim_find(claim, process);

	if (member)
		return 0;
	member = calloc(1, sizeof(*member));
	if (!member)
		return -ENOMEM;
	*member = (struct member){ .process = *process, .why = why };
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

	*claim = (struct claim){ .target = *target, .target_dead = dead };
	rc = claim_add(claim, target, (struct scope){ 0 });
	if (!rc)
		claim->members[0]->dead = dead;
	return rc;
}

int claim_own(struct claim *claim, uint64_t id)
{
	uint64_t *place = list_append(&claim->own, &claim->own_count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = id;
	return 0;
}

bool claim_owns(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->own_count; i++)
		if (scope.kind == SCOPE_MNT && scope.id == claim->own[i])
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
	free(claim->elders);
	free(claim->spared);
	*claim = (struct claim){ 0 };
}

/*
 * The target as it was last seen, dead. Where nobody reads its namespace from it any more, the one
 * that has been held is one of its own, as if it had been recorded. It may have been seen in
 * another since, whose number can be a stranger's by now.
 */
static int keep_target(struct claim *kept, const struct claim *claim)
{
	struct process target = claim->members[0]->process;
	uint64_t mntns = claim->target.mntns;
	int rc;

	target.mntns = 0;
	rc = claim_init(kept, &target, true);
	if (!rc)
		kept->members[0]->recycled = claim->members[0]->recycled;
	kept->recorded = claim->recorded;
	for (size_t i = 0; !rc && i < claim->own_count; i++)
		rc = claim_own(kept, claim->own[i]);
	return !rc && mntns ? claim_own(kept, mntns) : rc;
}

/* What has fallen has, though it is empty by now; where somebody is in it, that is found anew. */
static bool has_fallen_empty(const struct claim *kept, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < kept->own_count; i++)
		if (snapshot_namespace(snapshot, kept->own[i]))
			return false;
	return kept->own_count > 0;
}

/* In the tick of the look itself, one that was not pinned can have been followed by another. */
static int keep_living(struct claim *kept, const struct claim *claim,
		       const struct snapshot *snapshot, uint64_t seen_ticks)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < claim->member_count; i++) {
		const struct member *member = claim->members[i];
		const struct process *now = snapshot_find(snapshot, member->process.pid);

		if (now && claim_find(claim, now) == member && now->start_ticks < seen_ticks)
			rc = claim_add(kept, now, member->why);
	}
	return rc;
}

/* Whether somebody known has been in @scope since the first look, and has kept its number. */
static bool is_vouched_for(const struct claim *kept, const struct claim *claim, struct scope scope)
{
	for (size_t i = 1; i < kept->member_count; i++) {
		const struct process *now = &kept->members[i]->process;
		const struct process *before = &claim_member(claim, now->pid)->process;

		if (scope_equal(scope_of(now, scope.kind), scope) &&
		    scope_equal(scope_of(before, scope.kind), scope))
			return true;
	}
	return false;
}

/* The target may have left its group and session since, unless its zombie says where it is. */
static void keep_own_scopes(struct claim *kept, const struct claim *claim,
			    const struct snapshot *snapshot)
{
	const struct process *now = snapshot_find(snapshot, kept->target.pid);

	if (now && claim_find(kept, now)) {
		kept->target.pgrp = now->pgrp;
		kept->target.session = now->session;
		return;
	}
	if (!is_vouched_for(kept, claim, scope_of(&kept->target, SCOPE_PGRP)))
		kept->target.pgrp = 0;
	if (!is_vouched_for(kept, claim, scope_of(&kept->target, SCOPE_SESSION)))
		kept->target.session = 0;
}

/* A number is not handed out while a group or session bears it. */
static int keep_leader(struct claim *kept, const struct claim *claim, pid_t before, pid_t now)
{
	const struct member *leader = before == now ? claim_member(claim, now) : NULL;
	int rc;

	if (!leader || leader->recycled || claim_member(kept, now))
		return 0;
	rc = claim_add(kept, &leader->process, leader->why);
	if (!rc)
		claim_member(kept, now)->dead = true;
	return rc;
}

static int keep_leaders(struct claim *kept, const struct claim *claim)
{
	size_t living = kept->member_count;
	int rc = 0;

	for (size_t i = 1; !rc && i < living; i++) {
		const struct process *now = &kept->members[i]->process;
		const struct process *before = &claim_member(claim, now->pid)->process;

		rc = keep_leader(kept, claim, before->pgrp, now->pgrp);
		if (!rc)
			rc = keep_leader(kept, claim, before->session, now->session);
	}
	return rc;
}

int claim_outlive(struct claim *claim, const struct snapshot *snapshot, uint64_t seen_ticks)
{
	struct claim kept;
	int rc = keep_target(&kept, claim);

	if (!rc)
		rc = keep_living(&kept, claim, snapshot, seen_ticks);
	if (!rc)
		keep_own_scopes(&kept, claim, snapshot);
	if (!rc)
		rc = keep_leaders(&kept, claim);
	if (rc < 0) {
		claim_clear(&kept);
		return rc;
	}
	kept.own_fell = claim->own_fell && has_fallen_empty(&kept, snapshot);
	kept.elders = claim->elders;
	kept.elder_count = claim->elder_count;
	claim->elders = NULL;
	claim_clear(claim);
	*claim = kept;
	return 0;
}
