/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/match.h"

#include "core/list.h"

#include <errno.h>
#include <stdlib.h>

/* Where PID 1 lives is as good as the host's, as far as can be seen from this PID namespace. */
static bool is_home_of_pid_1(struct scope scope, const struct guards *guards)
{
	for (size_t i = 0; i < guards->count; i++)
		if (guards->processes[i].pid == 1 &&
		    scope_equal(scope_of(&guards->processes[i], scope.kind), scope))
			return true;
	return false;
}

struct index {
	const struct process *
		*sorted; /* every process, in order of its number in one kind of scope */
	size_t count;
	enum scope_kind kind;
};

struct look {
	struct claim *claim;
	const struct snapshot *snapshot;
	struct index by[SCOPE_KINDS];
	const struct process **queue; /* members whose ties have still to be followed, in order */
	size_t queued, done;
	bool *in; /* by place in the snapshot: it is in the queue */
};

static int compare_in(const void *a, const void *b, void *kind)
{
	const struct process *left = *(const struct process *const *)a;
	const struct process *right = *(const struct process *const *)b;
	uint64_t l = scope_of(left, *(enum scope_kind *)kind).id;
	uint64_t r = scope_of(right, *(enum scope_kind *)kind).id;

	return l == r ? process_compare_age(left, right) : l > r ? 1 : -1;
}

static int index_build(struct index *index, const struct snapshot *snapshot, enum scope_kind kind)
{
	*index = (struct index){ .kind = kind, .count = snapshot->count };
	index->sorted = calloc(snapshot->count + 1, sizeof(*index->sorted));
	if (!index->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->count; i++)
		index->sorted[i] = &snapshot->processes[i];
	qsort_r(index->sorted, index->count, sizeof(*index->sorted), compare_in, &index->kind);
	return 0;
}

/* The first place in the index with that number or a higher one. */
static size_t index_first(const struct index *index, uint64_t id)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scope_of(index->sorted[middle], index->kind).id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Walks the processes of @scope, oldest first: *place starts at 0 and is the walk's own. */
static const struct process *next_in(const struct look *look, struct scope scope, size_t *place)
{
	const struct index *index = &look->by[scope.kind];
	size_t at = *place ? *place : index_first(index, scope.id);

	*place = at + 1;
	if (!scope.id || at >= index->count)
		return NULL;
	return scope_equal(scope_of(index->sorted[at], scope.kind), scope) ? index->sorted[at]
									   : NULL;
}

static int join(struct look *look, const struct process *process, struct scope why)
{
	size_t place = (size_t)(process - look->snapshot->processes);

	if (look->in[place] || !claim_may_hold(look->claim, process))
		return 0;
	look->in[place] = true;
	look->queue[look->queued++] = process;
	return claim_add(look->claim, process, why);
}

static int join_all(struct look *look, struct scope scope)
{
	const struct process *process;
	size_t place = 0;
	int rc = 0;

	while (!rc && (process = next_in(look, scope, &place)))
		rc = join(look, process, scope);
	return rc;
}

/* Only for two that started in the same tick: so did everybody between them. */
static bool is_ancestor(const struct look *look, const struct process *a, const struct process *b)
{
	/* A snapshot is not of one moment, so that parents could even go round in a circle. */
	for (size_t steps = 0; b && steps < look->snapshot->count; steps++) {
		if (b->start_ticks != a->start_ticks)
			break;
		if (b->ppid == a->pid)
			return true;
		b = snapshot_find(look->snapshot, b->ppid);
	}
	return false;
}

/* On a tie an ancestor is the older, then the lower pidfd inode, and otherwise nobody. */
static bool is_older(const struct look *look, const struct process *a, const struct process *b)
{
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks;
	if (is_ancestor(look, a, b))
		return true;
	if (is_ancestor(look, b, a))
		return false;
	return a->inode && b->inode && a->inode < b->inode;
}

/* Somebody alive in @scope who is older than @member, or NULL. */
static const struct process *older_in(const struct look *look, struct scope scope,
				      const struct process *member)
{
	const struct process *process;
	size_t place = 0;

	while ((process = next_in(look, scope, &place))) {
		if (process->start_ticks > member->start_ticks)
			break;
		if (process_alive(process) && process->pid != member->pid &&
		    is_older(look, process, member))
			return process;
	}
	return NULL;
}

static const struct process *pidns_init_in(const struct look *look, struct scope scope)
{
	const struct process *process;
	size_t place = 0;

	while ((process = next_in(look, scope, &place)))
		if (process->pidns_init)
			return process;
	return NULL;
}

/*
 * The target's own mount namespaces: of a live one the one that it is in; of a dead one each that a
 * member of the group or the session that bears its number is in.
 */
static bool is_own_mnt(const struct look *look, struct scope scope)
{
	const struct claim *claim = look->claim;
	const struct process *process;
	size_t place = 0;

	for (size_t i = 0; i < claim->own_count; i++)
		if (scope.id == claim->own[i])
			return true;
	if (!claim->target_dead || claim->target.mntns || claim->recorded)
		return scope_equal(scope, scope_of(&claim->target, SCOPE_MNT));
	while ((process = next_in(look, scope, &place)))
		if (process_alive(process) &&
		    (process->pgrp == claim->target.pid || process->session == claim->target.pid))
			return true;
	return false;
}

/*
 * Why @member does not make its mount namespace fall, as far as the namespace itself tells; false
 * when nothing is in the way. The rule may still find somebody older.
 */
static bool is_barred(const struct look *look, struct scope scope, bool own, struct spared *why)
{
	const struct namespace *namespace = snapshot_namespace(look->snapshot, scope.id);
	const struct process *who = guards_in(look->claim->guards, scope);

	why->notable = own;
	if (namespace && guards_know_as_initial(look->claim->guards, namespace)) {
		why->reason = SPARED_INITIAL;
		why->notable = false;
	} else if (who) {
		why->reason = SPARED_GUARD;
		why->notable = own && !is_home_of_pid_1(scope, look->claim->guards);
	} else if (!namespace || !namespace->ours) {
		why->reason = SPARED_FOREIGN;
	} else if (!own && !look->claim->own_fell) {
		why->reason = SPARED_OUTER;
	} else if (own && look->claim->target_dead && !look->claim->recorded &&
		   (who = pidns_init_in(look, scope))) {
		why->reason = SPARED_PIDNS_INIT;
	} else {
		return false;
	}
	if (who)
		why->who = *who;
	return true;
}

static int take_mnt(struct look *look, struct scope scope, bool own)
{
	int rc = claim_follow(look->claim, scope);

	if (own)
		look->claim->own_fell = true;
	return rc ? rc : join_all(look, scope);
}

/* What was somebody else's stays so when its elder dies before the run is over. */
static bool has_elder(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->elder_count; i++)
		if (scope_equal(claim->elders[i], scope))
			return true;
	return false;
}

/* The age rule, for the namespace that @member is in (or, of a dead target, that @scope names). */
static int consider_mnt(struct look *look, const struct process *member, struct scope scope)
{
	struct spared why = { .scope = scope };
	bool own;

	if (!scope.id || !(look->claim->rules->kinds & SCOPE_BIT(SCOPE_MNT)) ||
	    claim_is_following(look->claim, scope) || has_elder(look->claim, scope))
		return 0;
	own = is_own_mnt(look, scope);
	if (is_barred(look, scope, own, &why))
		return 0;
	if (!(own && look->claim->rules->all) && older_in(look, scope, member))
		return 0;
	return take_mnt(look, scope, own);
}

static int follow_led(struct look *look, pid_t leader)
{
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && kind < SCOPE_NAMED; kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)leader };

		if (scope.kind != SCOPE_MNT && claim_takes(look->claim, scope))
			rc = join_all(look, scope);
	}
	return rc;
}

static int follow_ties(struct look *look, const struct process *member)
{
	struct scope children = { .kind = SCOPE_TREE, .id = (uint64_t)member->pid };
	int rc = follow_led(look, member->pid);

	if (!rc && (look->claim->rules->kinds & SCOPE_BIT(SCOPE_TREE)))
		rc = join_all(look, children);
	if (!rc && process_alive(member))
		rc = consider_mnt(look, member, scope_of(member, SCOPE_MNT));
	return rc;
}

static int drain(struct look *look)
{
	int rc = 0;

	while (!rc && look->done < look->queued)
		rc = follow_ties(look, look->queue[look->done++]);
	return rc;
}

/* Take in who is known already, and notice whose PID has gone to somebody else. */
static int recognise(struct look *look)
{
	struct claim *claim = look->claim;
	int rc = 0;

	for (size_t i = 0; !rc && i < look->snapshot->count; i++) {
		const struct process *process = &look->snapshot->processes[i];
		struct member *member = claim_member(claim, process->pid);

		if (!member)
			continue;
		if (claim_find(claim, process) != member) {
			member->recycled = true;
			continue;
		}
		claim_update(member, process);
		rc = join(look, process, member->why);
	}
	return rc;
}

/* What --all takes: the target's own group and session, whoever leads them. */
static int take_own(struct look *look)
{
	struct claim *claim = look->claim;
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && kind < SCOPE_NAMED; kind++) {
		struct scope scope = scope_of(&claim->target, kind);

		if (!scope.id || scope.kind == SCOPE_MNT || guards_in(claim->guards, scope))
			continue;
		rc = claim_follow(claim, scope);
		if (!rc && claim_takes(claim, scope))
			rc = join_all(look, scope);
	}
	return rc;
}

/*
 * A dead target is in no namespace any more; those who bear its number lead to it, whether or not
 * their group and session are asked for.
 */
static int consider_stand_ins(struct look *look)
{
	struct claim *claim = look->claim;
	const struct process *process;
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && kind < SCOPE_MNT; kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)claim->target.pid };
		size_t place = 0;

		while (!rc && (process = next_in(look, scope, &place)))
			if (process_alive(process))
				rc = consider_mnt(look, &claim->target,
						  scope_of(process, SCOPE_MNT));
	}
	return rc;
}

/* The target counts with its birth, dead or alive, and whether or not it is reaped. */
static int consider_own(struct look *look)
{
	struct claim *claim = look->claim;
	struct scope scope = scope_of(&claim->target, SCOPE_MNT);
	int rc = consider_mnt(look, &claim->target, scope);

	for (size_t i = 0; !rc && i < claim->own_count; i++) {
		scope.id = claim->own[i];
		rc = consider_mnt(look, &claim->target, scope);
	}
	if (!rc && claim->target_dead && !claim->recorded && !claim->members[0]->recycled)
		rc = consider_stand_ins(look);
	return rc;
}

static int grow(struct look *look)
{
	struct claim *claim = look->claim;
	size_t known = claim->member_count;
	int rc = recognise(look);

	for (size_t i = 0; !rc && i < known; i++)
		rc = follow_led(look, claim->members[i]->process.pid);
	for (size_t i = 0; !rc && i < claim->followed_count; i++)
		if (claim_takes(claim, claim->followed[i]))
			rc = join_all(look, claim->followed[i]);
	if (!rc && claim->rules->all)
		rc = take_own(look);
	if (!rc)
		rc = consider_own(look);
	if (!rc)
		rc = drain(look);
	/* Sandboxes inside the target's own wait until that has fallen. */
	if (!rc && look->claim->own_fell) {
		look->done = 0;
		rc = drain(look);
	}
	return rc;
}

/* Explaining what was not followed. */

static bool is_told(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->spared_count; i++)
		if (claim->spared[i].scope.kind == scope.kind &&
		    claim->spared[i].scope.id == scope.id)
			return true;
	return false;
}

static void explain_led(const struct look *look, struct spared *why)
{
	const struct member *leader = claim_member(look->claim, (pid_t)why->scope.id);
	const struct process *who = guards_in(look->claim->guards, why->scope);

	if (who) {
		why->reason = SPARED_GUARD;
		why->notable = leader && !leader->recycled;
	} else {
		who = snapshot_find(look->snapshot, (pid_t)why->scope.id);
		why->reason = who && process_alive(who) ? SPARED_LEADER : SPARED_LEADER_GONE;
	}
	if (who)
		why->who = *who;
}

static int explain_mnt(const struct look *look, const struct process *member, struct spared *why)
{
	struct claim *claim = look->claim;
	const struct process *who;
	struct scope *place;

	if (is_barred(look, why->scope, why->own, why))
		return 0;
	why->reason = SPARED_OLDER;
	who = older_in(look, why->scope, member);
	if (who)
		why->who = *who;
	if (has_elder(claim, why->scope))
		return 0;
	place = list_append(&claim->elders, &claim->elder_count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = why->scope;
	return 0;
}

static int explain_scope(const struct look *look, const struct process *member, struct scope scope)
{
	struct claim *claim = look->claim;
	struct spared why = { .scope = scope };
	struct spared *place;
	int rc = 0;

	if (claim_takes(claim, scope) || is_told(claim, scope))
		return 0;
	why.own = scope.kind == SCOPE_MNT
			  ? is_own_mnt(look, scope)
			  : scope_equal(scope, scope_of(&claim->target, scope.kind));
	if (!(claim->rules->kinds & SCOPE_BIT(scope.kind)))
		why.reason = SPARED_UNASKED;
	else if (!scope.id)
		why.reason = SPARED_UNKNOWN;
	else if (scope.kind == SCOPE_MNT)
		rc = explain_mnt(look, member, &why);
	else
		explain_led(look, &why);
	place = rc ? NULL : list_append(&claim->spared, &claim->spared_count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = why;
	return 0;
}

static int explain(struct look *look)
{
	int rc = 0;

	look->claim->spared_count = 0;
	for (size_t i = 0; !rc && i < look->queued; i++)
		for (enum scope_kind kind = 0; !rc && kind < SCOPE_NAMED; kind++)
			if (process_alive(look->queue[i]))
				rc = explain_scope(look, look->queue[i],
						   scope_of(look->queue[i], kind));
	return rc;
}

int claim_grow(struct claim *claim, const struct snapshot *snapshot, const struct guards *guards,
	       const struct rules *rules)
{
	struct look look = { .claim = claim, .snapshot = snapshot };
	int rc = 0;

	claim->rules = rules;
	claim->guards = guards;
	look.queue = calloc(snapshot->count + 1, sizeof(*look.queue));
	look.in = calloc(snapshot->count + 1, sizeof(*look.in));
	if (!look.queue || !look.in)
		rc = -ENOMEM;
	for (enum scope_kind kind = 0; !rc && kind < SCOPE_KINDS; kind++)
		rc = index_build(&look.by[kind], snapshot, kind);
	if (!rc)
		rc = grow(&look);
	if (!rc)
		rc = explain(&look);
	for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++)
		free(look.by[kind].sorted);
	free(look.queue);
	free(look.in);
	return rc;
}
