/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/match.h"

#include "core/list.h"
#include "core/look.h"

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

/* One growth of a claim. */
struct growth {
	struct claim *claim;
	struct look look;
	const struct process **queue; /* members whose ties have still to be followed, in order */
	size_t queued, done;
	bool *in; /* by place in the snapshot: it is in the queue */
};

static int join(struct growth *growth, const struct process *process, struct scope why)
{
	size_t place = (size_t)(process - growth->look.snapshot->processes);

	if (growth->in[place] || !claim_may_hold(growth->claim, process))
		return 0;
	growth->in[place] = true;
	growth->queue[growth->queued++] = process;
	return claim_add(growth->claim, process, why);
}

static int join_all(struct growth *growth, struct scope scope)
{
	const struct process *process;
	size_t place = 0;
	int rc = 0;

	while (!rc && (process = look_next(&growth->look, scope, &place)))
		rc = join(growth, process, scope);
	return rc;
}

/*
 * The target's own namespaces and cgroup: of a live one those that it is in; of a dead one each
 * that a member of the group or the session that bears its number is in.
 */
static bool is_own(const struct growth *growth, struct scope scope)
{
	const struct claim *claim = growth->claim;
	const struct process *process;
	size_t place = 0;

	if (claim_owns(claim, scope))
		return true;
	if (!claim->target_dead || scope_of(&claim->target, scope.kind).id || claim->recorded)
		return scope_equal(scope, scope_of(&claim->target, scope.kind));
	if (claim->members[0]->recycled)
		return false;
	while ((process = look_next(&growth->look, scope, &place)))
		if (process_alive(process) && scope_equal(scope_of(process, scope.kind), scope) &&
		    (process->pgrp == claim->target.pid || process->session == claim->target.pid) &&
		    !guards_hold_pid(claim->guards, process->pid))
			return true;
	return false;
}

/* Nothing but those who stand in for a dead target says that it is its own. */
static bool is_only_said_to_be_own(const struct claim *claim, struct scope scope)
{
	return claim->target_dead && !claim_owns(claim, scope) &&
	       !scope_equal(scope, scope_of(&claim->target, scope.kind));
}

static bool is_below_own(const struct growth *growth, struct scope scope)
{
	do
		scope = scope_above(scope);
	while (scope.id && !is_own(growth, scope));
	return scope.id;
}

/* What a process does not see is not its root cgroup either, but then nobody here can be below. */
static bool is_root(struct scope scope)
{
	return scope.kind == SCOPE_CGROUP && !scope.cgroup->parent;
}

/* A namespace may be one that the caller did not make; a cgroup is as anybody's as those in it. */
static bool is_foreign(const struct namespace *namespace, struct scope scope)
{
	return scope.kind != SCOPE_CGROUP && (!namespace || !namespace->ours);
}

/* The namespace that @scope is, or NULL: a cgroup, whose number can be the same, is none. */
static const struct namespace *namespace_of(const struct growth *growth, struct scope scope)
{
	return scope_kind_link(scope.kind) ? snapshot_namespace(growth->look.snapshot, scope.id)
					   : NULL;
}

/*
 * Why @scope, a namespace or a cgroup, does not fall, as far as it tells itself; false when nothing
 * is in the way. The rule may still find somebody older. It is notable when a container is left
 * alive.
 */
static bool is_barred(const struct growth *growth, struct scope scope, bool own, struct spared *why)
{
	const struct namespace *namespace = namespace_of(growth, scope);
	const struct process *who = guards_in(growth->claim->guards, scope);

	why->notable = own && scope.kind == SCOPE_MNT;
	if (is_root(scope) ||
	    (namespace && guards_know_as_initial(growth->claim->guards, namespace))) {
		why->reason = SPARED_INITIAL;
		why->notable = false;
	} else if (who) {
		why->reason = SPARED_GUARD;
		why->notable = why->notable && !is_home_of_pid_1(scope, growth->claim->guards);
	} else if (is_foreign(namespace, scope)) {
		why->reason = SPARED_FOREIGN;
	} else if (!own && !(growth->claim->own_fell & SCOPE_BIT(scope.kind)) &&
		   !is_below_own(growth, scope)) {
		why->reason = SPARED_OUTER;
	} else if (own && is_only_said_to_be_own(growth->claim, scope) &&
		   (who = look_pidns_init(&growth->look, scope))) {
		why->reason = SPARED_PIDNS_INIT;
	} else {
		return false;
	}
	if (who)
		why->who = *who;
	return true;
}

static bool has_fallen(const struct claim *claim, const struct namespace *namespace)
{
	for (size_t i = 0; i < claim->fallen_count; i++)
		if (claim->fallen[i].unique == namespace->unique)
			return true;
	return false;
}

static int note_fall(struct growth *growth, struct scope scope)
{
	const struct namespace *namespace = namespace_of(growth, scope);
	struct claim *claim = growth->claim;
	struct namespace *place;

	if (!namespace || !namespace->unique || has_fallen(claim, namespace))
		return 0;
	place = list_append(&claim->fallen, &claim->fallen_count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = *namespace;
	return 0;
}

/* Who could have been held by it may have ended at once, and left somebody in it all the same. */
static int follow_fallen(struct growth *growth)
{
	const struct snapshot *snapshot = growth->look.snapshot;
	int rc = 0;

	for (size_t i = 0; !rc && i < snapshot->namespace_count; i++) {
		const struct namespace *namespace = &snapshot->namespaces[i];
		struct scope scope = { .kind = namespace->kind, .id = namespace->id };

		if (has_fallen(growth->claim, namespace))
			rc = claim_follow(growth->claim, scope);
	}
	return rc;
}

static int take_namespace(struct growth *growth, struct scope scope, bool own)
{
	int rc = note_fall(growth, scope);

	if (!rc)
		rc = claim_follow(growth->claim, scope);
	if (own)
		growth->claim->own_fell |= SCOPE_BIT(scope.kind);
	return rc ? rc : join_all(growth, scope);
}

/* What was somebody else's stays so when its elder dies before the run is over. */
static bool has_elder(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->elder_count; i++)
		if (scope_equal(claim->elders[i], scope))
			return true;
	return false;
}

/* What --all takes even where somebody older is in it. */
static bool is_unconditional(const struct claim *claim, struct scope scope, bool own)
{
	return own && claim->rules->all && scope.kind == SCOPE_MNT;
}

/*
 * The age rule, for the namespace or cgroup that @member is in (or, of a dead target, that @scope
 * names).
 */
static int consider(struct growth *growth, const struct process *member, struct scope scope)
{
	struct claim *claim = growth->claim;
	struct spared why = { .scope = scope };
	bool own;

	if (!scope.id || !(claim->rules->kinds & SCOPE_BIT(scope.kind)) ||
	    claim_is_following(claim, scope) || claim_takes(claim, scope) ||
	    has_elder(claim, scope))
		return 0;
	own = is_own(growth, scope);
	if (is_barred(growth, scope, own, &why))
		return 0;
	if (!is_unconditional(claim, scope, own) && look_older(&growth->look, scope, member))
		return 0;
	return take_namespace(growth, scope, own);
}

/* The same for each namespace that @process is in, and for its cgroup. */
static int consider_all(struct growth *growth, const struct process *member,
			const struct process *process)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < SCOPE_NAMESPACES; i++)
		rc = consider(growth, member, scope_of(process, SCOPE_MNT + i));
	return rc ? rc : consider(growth, member, scope_of(process, SCOPE_CGROUP));
}

static int follow_led(struct growth *growth, pid_t leader)
{
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)leader };

		if (claim_takes(growth->claim, scope))
			rc = join_all(growth, scope);
	}
	return rc;
}

static int follow_ties(struct growth *growth, const struct process *member)
{
	struct scope children = { .kind = SCOPE_TREE, .id = (uint64_t)member->pid };
	int rc = follow_led(growth, member->pid);

	if (!rc && (growth->claim->rules->kinds & SCOPE_BIT(SCOPE_TREE)))
		rc = join_all(growth, children);
	if (!rc && process_alive(member))
		rc = consider_all(growth, member, member);
	return rc;
}

static int drain(struct growth *growth)
{
	int rc = 0;

	while (!rc && growth->done < growth->queued)
		rc = follow_ties(growth, growth->queue[growth->done++]);
	return rc;
}

/* Take in who is known already, and notice whose PID has gone to somebody else. */
static int recognise(struct growth *growth)
{
	struct claim *claim = growth->claim;
	int rc = 0;

	for (size_t i = 0; !rc && i < growth->look.snapshot->count; i++) {
		const struct process *process = &growth->look.snapshot->processes[i];
		struct member *member = claim_member(claim, process->pid);

		if (!member)
			continue;
		if (claim_find(claim, process) != member) {
			claim_recycle(claim, process);
			continue;
		}
		claim_update(member, process);
		rc = join(growth, process, member->why);
	}
	return rc;
}

/* What --all takes: the target's own group and session, whoever leads them. */
static int take_own(struct growth *growth)
{
	struct claim *claim = growth->claim;
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++) {
		struct scope scope = scope_of(&claim->target, kind);

		if (!scope.id || guards_in(claim->guards, scope))
			continue;
		rc = claim_follow(claim, scope);
		if (!rc && claim_takes(claim, scope))
			rc = join_all(growth, scope);
	}
	return rc;
}

/*
 * A dead target is in no namespace any more; those who bear its number lead to it, whether or not
 * their group and session are asked for. The birth of one that was dead from the beginning is told
 * by them. If it was seen alive, the namespace is one that it moved to since, or one that they are
 * guests in: then it must be younger than they are.
 */
static int consider_stand_ins(struct growth *growth)
{
	struct claim *claim = growth->claim;
	const struct process *process;
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)claim->target.pid };
		size_t place = 0;

		while (!rc && (process = look_next(&growth->look, scope, &place)))
			if (process_alive(process))
				rc = consider_all(growth,
						  claim->outlived ? process : &claim->target,
						  process);
	}
	return rc;
}

/* The target counts with its birth, dead or alive, and whether or not it is reaped. */
static int consider_own(struct growth *growth)
{
	struct claim *claim = growth->claim;
	int rc = consider_all(growth, &claim->target, &claim->target);

	for (size_t i = 0; !rc && i < claim->own_count; i++)
		rc = consider(growth, &claim->target, claim->own[i]);
	if (!rc && claim->target_dead && !claim->recorded && !claim->members[0]->recycled)
		rc = consider_stand_ins(growth);
	return rc;
}

/* Who is on a terminal may hold it by another name (/dev/tty), or where it may not be looked at. */
static bool is_on(const struct process *process, const struct claim *claim, size_t place)
{
	return process->writes & STREAM_BIT(place) ||
	       (process->terminal && process->terminal == claim->streams->list[place].terminal);
}

/*
 * A terminal of which an older process holds an end is the one that the target was started from;
 * and nobody's is one that nskill or an ancestor of it talks to.
 */
static bool is_anothers(const struct growth *growth, size_t place, struct spared *why)
{
	const struct claim *claim = growth->claim;
	const struct snapshot *snapshot = growth->look.snapshot;

	for (size_t i = claim->guards->count; i-- > 0;) {
		if (!is_on(&claim->guards->processes[i], claim, place))
			continue;
		*why = (struct spared){ .reason = SPARED_GUARD,
					.who = claim->guards->processes[i] };
		return true;
	}
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (!is_on(process, claim, place) || !process_alive(process) ||
		    claim_is_younger(claim, process) || claim_find(claim, process))
			continue;
		*why = (struct spared){ .reason = SPARED_OLDER, .who = *process };
		return true;
	}
	return false;
}

static bool is_terminal(const struct claim *claim, size_t place)
{
	return claim->outputs & STREAM_BIT(place) &&
	       claim->streams->list[place].kind == STREAM_TERMINAL;
}

/* Whoever writes to the target's output and is younger than it. What else they write to is not. */
static int join_writers(struct growth *growth)
{
	struct claim *claim = growth->claim;
	struct spared why;
	struct scope scope;
	int rc = 0;

	for (size_t i = 0; claim->outputs && i < claim->streams->count; i++)
		if (is_terminal(claim, i) && is_anothers(growth, i, &why))
			claim->barred |= STREAM_BIT(i);
	for (size_t i = 0; !rc && i < growth->look.snapshot->count; i++) {
		const struct process *process = &growth->look.snapshot->processes[i];

		if (process_alive(process) && claim_is_written_by(claim, process, &scope))
			rc = join(growth, process, scope);
	}
	return rc;
}

static int grow(struct growth *growth)
{
	struct claim *claim = growth->claim;
	size_t known = claim->member_count;
	int rc = recognise(growth);

	for (size_t i = 0; !rc && i < known; i++)
		rc = follow_led(growth, claim->members[i]->process.pid);
	if (!rc)
		rc = follow_fallen(growth);
	for (size_t i = 0; !rc && i < claim->followed_count; i++)
		if (claim_takes(claim, claim->followed[i]))
			rc = join_all(growth, claim->followed[i]);
	if (!rc && claim->rules->all)
		rc = take_own(growth);
	if (!rc)
		rc = consider_own(growth);
	if (!rc)
		rc = drain(growth);
	/* Sandboxes inside the target's own wait until that has fallen. */
	if (!rc && growth->claim->own_fell) {
		growth->done = 0;
		rc = drain(growth);
	}
	if (!rc)
		rc = join_writers(growth);
	if (!rc)
		rc = drain(growth);
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

static void explain_led(const struct growth *growth, struct spared *why)
{
	const struct member *leader = claim_member(growth->claim, (pid_t)why->scope.id);
	const struct process *who = guards_in(growth->claim->guards, why->scope);

	if (who) {
		why->reason = SPARED_GUARD;
		why->notable = leader && !leader->recycled;
	} else {
		who = snapshot_find(growth->look.snapshot, (pid_t)why->scope.id);
		why->reason = who && process_alive(who) ? SPARED_LEADER : SPARED_LEADER_GONE;
	}
	if (who)
		why->who = *who;
}

static int explain_namespace(const struct growth *growth, const struct process *member,
			     struct spared *why)
{
	struct claim *claim = growth->claim;
	const struct process *who;
	struct scope *place;

	if (is_barred(growth, why->scope, why->own, why))
		return 0;
	why->reason = SPARED_OLDER;
	who = look_older(&growth->look, why->scope, member);
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

/* Of what must be asked for, nothing is read otherwise. */
static bool is_of_interest(const struct claim *claim, enum scope_kind kind)
{
	return (claim->rules->kinds | SCOPE_DEFAULT) & SCOPE_BIT(kind);
}

static int explain_scope(const struct growth *growth, const struct process *member,
			 struct scope scope)
{
	struct claim *claim = growth->claim;
	struct spared why = { .scope = scope };
	struct spared *place;
	int rc = 0;

	if (!is_of_interest(claim, scope.kind) || claim_takes(claim, scope) ||
	    is_told(claim, scope))
		return 0;
	why.own = scope_kind_is_led(scope.kind)
			  ? scope_equal(scope, scope_of(&claim->target, scope.kind))
			  : is_own(growth, scope);
	if (!(claim->rules->kinds & SCOPE_BIT(scope.kind)))
		why.reason = SPARED_UNASKED;
	else if (!scope.id)
		why.reason = SPARED_UNKNOWN;
	else if (scope_kind_is_led(scope.kind))
		explain_led(growth, &why);
	else
		rc = explain_namespace(growth, member, &why);
	if (rc < 0)
		return rc;
	place = list_append(&claim->spared, &claim->spared_count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = why;
	return 0;
}

/* Of a target that is gone, nobody may be known; but who lives in its namespace is left alive. */
static int explain_own(struct growth *growth)
{
	const struct claim *claim = growth->claim;
	int rc = 0;

	for (size_t i = 0; !rc && i < claim->own_count; i++) {
		const struct process *process;
		size_t place = 0;

		do {
			process = look_next(&growth->look, claim->own[i], &place);
		} while (process && !process_alive(process));
		if (process)
			rc = explain_scope(growth, &claim->target, claim->own[i]);
	}
	return rc;
}

static int explain_terminals(const struct growth *growth)
{
	struct claim *claim = growth->claim;
	struct spared why, *place;

	for (size_t i = 0; claim->barred && i < claim->streams->count; i++) {
		if (!(claim->barred & STREAM_BIT(i)) ||
		    !(claim->rules->kinds & SCOPE_BIT(SCOPE_IO)))
			continue;
		if (!is_anothers(growth, i, &why))
			why = (struct spared){ .reason = SPARED_OLDER };
		why.scope = (struct scope){ .kind = SCOPE_IO, .id = claim->streams->list[i].inode };
		why.own = true;
		place = list_append(&claim->spared, &claim->spared_count, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = why;
	}
	return 0;
}

static int explain(struct growth *growth)
{
	int rc;

	growth->claim->spared_count = 0;
	rc = explain_terminals(growth);
	if (!rc)
		rc = explain_own(growth);
	for (size_t i = 0; !rc && i < growth->queued; i++)
		for (enum scope_kind kind = 0; !rc && kind < SCOPE_NAMED; kind++)
			if (process_alive(growth->queue[i]))
				rc = explain_scope(growth, growth->queue[i],
						   scope_of(growth->queue[i], kind));
	return rc;
}

int claim_grow(struct claim *claim, const struct snapshot *snapshot, const struct guards *guards,
	       const struct rules *rules)
{
	struct growth growth = { .claim = claim };
	int rc = look_open(&growth.look, snapshot);

	claim->rules = rules;
	claim->guards = guards;
	growth.queue = calloc(snapshot->count + 1, sizeof(*growth.queue));
	growth.in = calloc(snapshot->count + 1, sizeof(*growth.in));
	if (!growth.queue || !growth.in)
		rc = -ENOMEM;
	if (!rc)
		rc = grow(&growth);
	if (!rc)
		rc = explain(&growth);
	look_close(&growth.look);
	free(growth.queue);
	free(growth.in);
	return rc;
}
