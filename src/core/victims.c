/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/victims.h"

#include "core/groups.h"
#include "core/list.h"
#include "core/shown.h"
#include "linux/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#define AT_ONCE 64

bool victim_is_pending(const struct victim *victim)
{
	return victim->fate == FATE_PINNED || victim->fate == FATE_SIGNALLED;
}

bool victim_is_due(const struct kill *kill, const struct victim *victim)
{
	if (victim->newcomer && kill->escalation != CLOCK_NEVER)
		return false;
	return victim_is_pending(victim) && victim->sent != kill->signal;
}

/*
 * As the plan has it, if there is one. Else the init of a PID namespace that is followed, since
 * the kernel ends the rest with it; then the targets as given, then by (start tick, PID): parents
 * before the children they would replace.
 */
static int compare_order(const void *a, const void *b)
{
	const struct victim *left = *(struct victim *const *)a;
	const struct victim *right = *(struct victim *const *)b;
	bool left_is_target = left->why.id == 0, right_is_target = right->why.id == 0;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	if (left->init != right->init)
		return left->init ? -1 : 1;
	if (left_is_target != right_is_target)
		return left_is_target ? -1 : 1;
	if (left_is_target && left->target != right->target)
		return left->target < right->target ? -1 : 1;
	return process_compare_age(&left->process, &right->process);
}

/* Who is not in the plan comes after it. */
static size_t rank(const struct kill *kill, const struct process *process)
{
	const struct planned *planned;

	if (!kill->orders.plan)
		return 0;
	planned = plan_find(kill->orders.plan, process);
	return planned ? (size_t)(planned - kill->orders.plan->processes) : SIZE_MAX;
}

static struct victim *append(struct kill *kill, const struct process *process, struct scope why,
			     size_t target)
{
	struct victim **place, *victim = calloc(1, sizeof(*victim));

	if (!victim)
		return NULL;
	*victim = (struct victim){
		.process = *process,
		.why = why,
		.target = target,
		.rank = rank(kill, process),
		.ref = PIDREF_NULL,
	};
	place = list_append(&kill->victims, &kill->victim_count, sizeof(*place));
	if (!place) {
		free(victim);
		return NULL;
	}
	*place = victim;
	return victim;
}

/* It is on the list for another target already; but being a target itself comes first. */
static void merge(struct victim *listed, const struct member *member, size_t target)
{
	if (member->why.id || !listed->why.id || listed->fate != FATE_LISTED)
		return;
	listed->why = member->why;
	listed->target = target;
}

static int enlist(struct kill *kill, const struct member *member, size_t target)
{
	struct victim *victim = NULL;

	if (kill->orders.target_count > 1)
		victim = kill_find(kill, &member->process);
	if (victim) {
		merge(victim, member, target);
		return 0;
	}
	victim = append(kill, &member->process, member->why, target);
	if (!victim)
		return -ENOMEM;
	victim->newcomer = kill->looks > 1;
	victim->init = member->process.pidns_init &&
		       claim_takes(&kill->claims[target], scope_of(&member->process, SCOPE_PID));
	return 0;
}

static bool is_agreed_to(const struct kill *kill, const struct victim *victim)
{
	if (kill->orders.plan)
		return victim->rank != SIZE_MAX;
	return !kill->shown.asked || shown_admits(kill, &victim->process);
}

/* Returns whether @victim is left, since it was not on the list that was agreed to. */
static bool leave_unlisted(struct kill *kill, struct victim *victim)
{
	if (is_agreed_to(kill, victim))
		return false;
	victim->fate = FATE_UNLISTED;
	pidref_close(&victim->ref);
	kill_notify(kill, EVENT_UNLISTED, victim, 0);
	return true;
}

int victims_enlist(struct kill *kill)
{
	size_t before = kill->victim_count, left = 0;

	for (size_t t = 0; t < kill->orders.target_count; t++) {
		for (size_t m = 0; m < kill->claims[t].member_count; m++) {
			struct member *member = kill->claims[t].members[m];

			if (member->listed || member->dead || !process_alive(&member->process))
				continue;
			member->listed = true;
			if (enlist(kill, member, t) < 0)
				return -ENOMEM;
		}
	}
	if (kill->victim_count > before)
		qsort(kill->victims + before, kill->victim_count - before, sizeof(*kill->victims),
		      compare_order);
	/* In their order, since who is born of one that is left is, too. */
	for (size_t i = before; i < kill->victim_count; i++)
		left += leave_unlisted(kill, kill->victims[i]);
	return (int)(kill->victim_count - before - left);
}

int victims_add_missing(struct kill *kill, const struct process *process, struct scope why,
			size_t target, enum kill_event event)
{
	struct victim *victim = append(kill, process, why, target);

	if (!victim)
		return -ENOMEM;
	if (event == EVENT_DENIED) {
		victim_deny(kill, victim, EPERM, kill->signal);
		return 0;
	}
	victim->fate = FATE_VANISHED;
	kill_notify(kill, event, victim, 0);
	return 0;
}

int victims_deny_closed(struct kill *kill, const struct snapshot *snapshot)
{
	struct scope why;
	int rc = 0;

	if (kill->orders.plan)
		return 0;
	for (size_t t = 0; t < kill->orders.target_count; t++)
		for (size_t i = 0; !rc && i < snapshot->closed_count; i++)
			if (!kill->orders.targets[t].over &&
			    claim_holds(&kill->claims[t], &snapshot->closed[i], &why) &&
			    !kill_find(kill, &snapshot->closed[i]))
				rc = victims_add_missing(kill, &snapshot->closed[i], why, t,
							 EVENT_DENIED);
	return rc;
}

int victims_claim(struct kill *kill, const struct process *process, struct scope why, size_t target)
{
	int rc = claim_add(&kill->claims[target], process, why);

	for (size_t t = 0; !rc && t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		if (t != target && !kill->orders.targets[t].over && !claim_find(claim, process) &&
		    claim_holds(claim, process, &why))
			rc = claim_add(claim, process, why);
	}
	return rc;
}

static bool is_told(const struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (claim_find(&kill->claims[t], process))
			return true;
	return kill_find(kill, process);
}

static bool is_in_doubt(struct kill *kill, size_t t, const struct process *process,
			struct scope *why)
{
	struct claim *claim = &kill->claims[t];

	return !kill->orders.targets[t].over && claim_doubts(claim, process, why) &&
	       !groups_notice(kill, claim, process) && !is_told(kill, process);
}

static int add_doubtful(struct kill *kill, const struct process *process, struct scope why,
			size_t target)
{
	struct victim *victim = append(kill, process, why, target);

	if (!victim)
		return -ENOMEM;
	victim->newcomer = kill->looks > 1;
	victim_doubt(kill, victim);
	return 0;
}

int victims_doubt(struct kill *kill, const struct snapshot *snapshot)
{
	struct scope why;
	int rc = 0;

	if (kill->orders.plan)
		return 0; /* who is in it is known for certain */
	for (size_t t = 0; t < kill->orders.target_count; t++)
		for (size_t i = 0; !rc && i < snapshot->count; i++)
			if (process_alive(&snapshot->processes[i]) &&
			    is_in_doubt(kill, t, &snapshot->processes[i], &why))
				rc = add_doubtful(kill, &snapshot->processes[i], why, t);
	return rc;
}

static bool is_anybody_named(const struct kill *kill, struct scope why)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->fate == FATE_DOUBTFUL &&
		    scope_equal(kill->victims[i]->why, why))
			return true;
	return false;
}

/* Whether others than its leader have been seen in @scope, so that there may be more. */
static bool has_been_shared(const struct claim *claim, struct scope scope)
{
	for (size_t i = 0; i < claim->member_count; i++) {
		const struct process *process = &claim->members[i]->process;

		if ((uint64_t)process->pid != scope.id &&
		    scope_equal(scope_of(process, scope.kind), scope))
			return true;
	}
	return false;
}

int victims_doubt_newcomer(struct kill *kill, const struct process *process)
{
	struct scope why;

	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (is_in_doubt(kill, t, process, &why) && !is_anybody_named(kill, why) &&
		    has_been_shared(&kill->claims[t], why))
			return add_doubtful(kill, process, why, t);
	return 0;
}

/* In every claim: its PID can be somebody else's from now on. */
static void bury_members(struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct member *member = claim_member(&kill->claims[t], process->pid);

		if (member && process_same(&member->process, process))
			member->dead = true;
	}
}

void victim_bury(struct kill *kill, struct victim *victim, enum fate fate)
{
	victim->fate = fate;
	kill->buried++;
	pidref_close(&victim->ref);
	bury_members(kill, &victim->process);
	kill_notify(kill, fate == FATE_ENDED ? EVENT_ENDED : EVENT_VANISHED, victim, 0);
}

int victims_wait(struct kill *kill, uint64_t until)
{
	void *ended[AT_ONCE];
	int rc;

	if (kill->orders.waiting)
		kill->orders.waiting(kill->orders.data, kill);
	do {
		rc = watch_wait(&kill->watch, until, ended, AT_ONCE, &kill->interrupt);
		for (int i = 0; i < rc; i++)
			victim_bury(kill, ended[i], FATE_ENDED);
		until = 0;
	} while (rc == AT_ONCE);
	if (rc == -EINTR)
		watch_ignore_interrupts(&kill->watch);
	return rc < 0 && rc != -EINTR ? rc : 0;
}

void victims_reap(struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (victim->ref.fd >= 0 && pidref_ended(&victim->ref))
			victim_bury(kill, victim, FATE_ENDED);
	}
}

bool victims_may_name(const struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (claim_find(&kill->claims[t], process) &&
		    target_may_name(&kill->orders.targets[t], process))
			return true;
	return false;
}

void victim_leave(struct kill *kill, struct victim *victim)
{
	victim->fate = FATE_LEFT;
	pidref_close(&victim->ref);
	kill_notify(kill, EVENT_LEFT, victim, 0);
}

int victims_add_pinned(struct kill *kill, const struct process *process, struct scope why,
		       size_t target, struct pidref *ref, struct victim **added)
{
	struct victim *victim = append(kill, process, why, target);
	struct member *member = claim_member(&kill->claims[target], process->pid);

	if (!victim)
		return -ENOMEM;
	if (member)
		member->listed = true;
	*added = victim;
	victim->ref = *ref;
	victim->fate = FATE_PINNED;
	victim->newcomer = true;
	*ref = PIDREF_NULL;
	groups_hold_member(kill, process, &victim->ref);
	if (!victims_may_name(kill, process)) {
		victim_leave(kill, victim);
		return 0;
	}
	if (leave_unlisted(kill, victim))
		return 0;
	return watch_add(&kill->watch, &victim->ref, victim);
}

void victim_deny(struct kill *kill, struct victim *victim, int error, int signal)
{
	victim->fate = FATE_DENIED;
	victim->error = error;
	kill_notify(kill, EVENT_DENIED, victim, signal);
}

void victim_doubt(struct kill *kill, struct victim *victim)
{
	bury_members(kill, &victim->process);
	for (size_t t = 0; t < kill->orders.target_count; t++)
		claim_lose(&kill->claims[t], victim->process.pid);
	victim->fate = FATE_DOUBTFUL;
	kill_notify(kill, EVENT_DOUBTFUL, victim, 0);
}

void victim_signal(struct kill *kill, struct victim *victim, int signal)
{
	int rc = pidref_signal(&victim->ref, signal);

	if (rc == -ESRCH) {
		victim_bury(kill, victim, FATE_ENDED);
		return;
	}
	if (rc < 0) {
		victim_deny(kill, victim, -rc, signal);
		if (victim->stopped) /* to be killed, which was not to be */
			pidref_signal(&victim->ref, SIGCONT);
		return;
	}
	victim->fate = FATE_SIGNALLED;
	victim->sent = signal;
	kill_notify(kill, EVENT_SIGNALLED, victim, signal);
	if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT)
		pidref_signal(&victim->ref, SIGCONT);
}
