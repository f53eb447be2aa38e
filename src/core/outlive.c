/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/outlive.h"

#include <string.h>

/*
 * Where nobody reads its namespace from a dead target any more, the one that has been held is one
 * of its own, as if it had been recorded. It may have been seen in another since, whose number can
 * be a stranger's by now. Its cgroup needs no holding.
 */
static int keep_places(struct claim *kept, const struct claim *claim)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < SCOPE_NAMESPACES; i++)
		if (claim->target.namespaces[i])
			rc = claim_own(kept, scope_of(&claim->target, SCOPE_MNT + i));
	if (!rc && claim->target.cgroup)
		rc = claim_own(kept, scope_of(&claim->target, SCOPE_CGROUP));
	return rc;
}

/* The target as it was last seen, dead, or @alive as it still is. */
static int keep_target(struct claim *kept, const struct claim *claim, bool alive)
{
	struct process target = claim->members[0]->process;
	int rc;

	if (!alive) {
		memset(target.namespaces, 0, sizeof(target.namespaces));
		target.cgroup = NULL;
	}
	rc = claim_init(kept, &target, !alive);
	if (!rc)
		kept->members[0]->recycled = claim->members[0]->recycled;
	if (alive)
		kept->target = claim->target;
	kept->born_by = claim->born_by;
	kept->born_as = claim->born_as;
	kept->streams = claim->streams;
	kept->outputs = claim->outputs;
	kept->barred = claim->barred;
	kept->untold = claim->untold;
	kept->answered = claim->answered;
	kept->outlived = !claim->target_dead && !alive;
	kept->recorded = claim->recorded && claim->target_dead;
	for (size_t i = 0; !rc && i < claim->own_count; i++)
		rc = claim_own(kept, claim->own[i]);
	return rc || alive ? rc : keep_places(kept, claim);
}

static bool is_inhabited(const struct snapshot *snapshot, struct scope scope)
{
	if (scope_kind_link(scope.kind))
		return snapshot_namespace(snapshot, scope.id);
	for (size_t i = 0; i < snapshot->count; i++)
		if (scope_holds(scope, &snapshot->processes[i]))
			return true;
	return false;
}

/* What has fallen has, though it is empty by now; where somebody is in it, that is found anew. */
static unsigned fallen_empty(const struct claim *kept, const struct snapshot *snapshot)
{
	unsigned kinds = 0, found = 0;

	for (size_t i = 0; i < kept->own_count; i++) {
		kinds |= SCOPE_BIT(kept->own[i].kind);
		if (is_inhabited(snapshot, kept->own[i]))
			found |= SCOPE_BIT(kept->own[i].kind);
	}
	return kinds & ~found;
}

/*
 * In the tick of the look itself, one that was not pinned can have been followed by another, if
 * its number has been handed out again.
 */
static int keep_living(struct claim *kept, const struct claim *claim,
		       const struct snapshot *snapshot, uint64_t seen_ticks,
		       const struct numbers *since)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < claim->member_count; i++) {
		const struct member *member = claim->members[i];
		const struct process *now = snapshot_find(snapshot, member->process.pid);

		if (now && claim_find(claim, now) == member &&
		    (now->start_ticks < seen_ticks || !numbers_may_reach(since, now->pid)))
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

/* Whether another than the target has been left in @scope: an older one, or one who leads it. */
static bool is_anothers(const struct snapshot *snapshot, struct scope scope,
			const struct process *target)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (scope_equal(scope_of(process, scope.kind), scope) && process_alive(process) &&
		    (process->start_ticks < target->start_ticks ||
		     (uint64_t)process->pid == scope.id))
			return true;
	}
	return false;
}

/*
 * The target may have left its group and session since, unless its zombie says where it is; then
 * those that it has left behind there are older.
 */
static void keep_own_scopes(struct claim *kept, const struct claim *claim,
			    const struct snapshot *snapshot, const struct numbers *since)
{
	const struct process *now = snapshot_find(snapshot, kept->target.pid);
	struct scope pgrp = scope_of(&kept->target, SCOPE_PGRP);
	struct scope session = scope_of(&kept->target, SCOPE_SESSION);

	if (now && claim_find(kept, now)) {
		kept->target.pgrp = now->pgrp;
		kept->target.session = now->session;
		return;
	}
	if (!is_vouched_for(kept, claim, pgrp) && (numbers_may_reach(since, kept->target.pgrp) ||
						   is_anothers(snapshot, pgrp, &kept->target)))
		kept->target.pgrp = 0;
	if (!is_vouched_for(kept, claim, session) &&
	    (numbers_may_reach(since, kept->target.session) ||
	     is_anothers(snapshot, session, &kept->target)))
		kept->target.session = 0;
}

static int keep_dead(struct claim *kept, const struct claim *claim, const struct numbers *since)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < claim->member_count; i++) {
		const struct member *member = claim->members[i];

		if (member->recycled || claim_member(kept, member->process.pid) ||
		    numbers_may_reach(since, member->process.pid))
			continue;
		rc = claim_add(kept, &member->process, member->why);
		if (!rc)
			claim_member(kept, member->process.pid)->dead = true;
	}
	return rc;
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

int claim_outlive(struct claim *claim, const struct snapshot *snapshot, uint64_t seen_ticks,
		  const struct numbers *since, bool alive)
{
	struct claim kept;
	int rc = keep_target(&kept, claim, alive);

	if (!rc)
		rc = keep_living(&kept, claim, snapshot, seen_ticks, since);
	if (!rc && !alive)
		keep_own_scopes(&kept, claim, snapshot, since);
	if (!rc)
		rc = keep_leaders(&kept, claim);
	if (!rc)
		rc = keep_dead(&kept, claim, since);
	if (rc < 0) {
		claim_clear(&kept);
		return rc;
	}
	kept.own_fell = claim->own_fell & fallen_empty(&kept, snapshot);
	kept.round = claim->round;
	kept.elders = claim->elders;
	kept.elder_count = claim->elder_count;
	claim->elders = NULL;
	claim_clear(claim);
	*claim = kept;
	return 0;
}
