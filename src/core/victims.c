/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/victims.h"

#include "core/list.h"
#include "linux/namespace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#define AT_ONCE 64

bool victim_is_pending(const struct victim *victim)
{
	return victim->fate == FATE_PINNED || victim->fate == FATE_SIGNALLED;
}

/* Targets as given, then by (start tick, PID): parents before the children they would replace. */
static int compare_order(const void *a, const void *b)
{
	const struct victim *left = *(struct victim *const *)a;
	const struct victim *right = *(struct victim *const *)b;
	bool left_is_target = left->why.id == 0, right_is_target = right->why.id == 0;

	if (left_is_target != right_is_target)
		return left_is_target ? -1 : 1;
	if (left_is_target && left->target != right->target)
		return left->target < right->target ? -1 : 1;
	return process_compare_age(&left->process, &right->process);
}

static struct victim *append(struct kill *kill, const struct process *process, struct scope why,
			     size_t target)
{
	struct victim **place, *victim = calloc(1, sizeof(*victim));

	if (!victim)
		return NULL;
	*victim = (struct victim){
		.process = *process, .why = why, .target = target, .ref = PIDREF_NULL
	};
	place = list_append(&kill->victims, &kill->victim_count, sizeof(*place));
	if (!place) {
		free(victim);
		return NULL;
	}
	*place = victim;
	return victim;
}

static struct victim *find_listed(const struct kill *kill, const struct process *process)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill_alive(kill->victims[i]) &&
		    process_same(&kill->victims[i]->process, process))
			return kill->victims[i];
	return NULL;
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
		victim = find_listed(kill, &member->process);
	if (victim) {
		merge(victim, member, target);
		return 0;
	}
	victim = append(kill, &member->process, member->why, target);
	if (!victim)
		return -ENOMEM;
	victim->newcomer = kill->looks > 1;
	return 0;
}

int victims_enlist(struct kill *kill)
{
	size_t before = kill->victim_count;

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
	return (int)(kill->victim_count - before);
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
	pidref_close(&victim->ref);
	bury_members(kill, &victim->process);
	kill_notify(kill, fate == FATE_ENDED ? EVENT_ENDED : EVENT_VANISHED, victim, 0);
}

int victims_wait(struct kill *kill, uint64_t until)
{
	void *ended[AT_ONCE];
	int rc;

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

/* A file that is another user's must not make us kill what he could not. */
static void leave(struct kill *kill, struct victim *victim)
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
	int rc;

	if (!victim)
		return -ENOMEM;
	if (member)
		member->listed = true;
	*added = victim;
	victim->ref = *ref;
	victim->fate = FATE_PINNED;
	victim->newcomer = true;
	*ref = PIDREF_NULL;
	if (!target_may_name(&kill->orders.targets[target], process)) {
		leave(kill, victim);
		return 0;
	}
	rc = watch_add(&kill->watch, &victim->ref, victim);
	return rc;
}

/* A live target has been pinned since it was resolved, and that pin is the one that counts. */
static int pin_target(struct kill *kill, struct victim *victim)
{
	struct target *target = &kill->orders.targets[victim->target];
	struct process fresh;

	if (!scan_process(kill->orders.scan, victim->process.pid, &fresh) &&
	    process_same(&fresh, &victim->process))
		victim->process = fresh;
	victim->ref = target->ref;
	target->ref = PIDREF_NULL;
	victim->process.inode = victim->ref.inode;
	victim->fate = FATE_PINNED;
	return 0;
}

/* A number is a member's as long as that has not ended, and then while nobody else bears it. */
static void notice_reuse_of(struct kill *kill, struct claim *claim, pid_t pid)
{
	struct member *member = pid ? claim_member(claim, pid) : NULL;
	struct process now;

	if (!member || member->recycled || scan_peek(pid, false, &now) < 0)
		return;
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->process.pid == pid && kill->victims[i]->ref.fd >= 0 &&
		    pidref_ended(&kill->victims[i]->ref))
			victim_bury(kill, kill->victims[i], FATE_ENDED);
	if (!scan_process(kill->orders.scan, pid, &now) && claim_find(claim, &now) != member)
		member->recycled = true;
}

void victims_notice_reuse(struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		if (process->pgrp != process->pid)
			notice_reuse_of(kill, &kill->claims[t], process->pgrp);
		if (process->session != process->pid && process->session != process->pgrp)
			notice_reuse_of(kill, &kill->claims[t], process->session);
		if (process->ppid != process->pgrp && process->ppid != process->session)
			notice_reuse_of(kill, &kill->claims[t], process->ppid);
	}
}

/* Pin, read, compare: 0, -ESRCH when it is gone or another now, or an errno that ends the run. */
static int pin_member(struct kill *kill, struct victim *victim)
{
	struct claim *claim = &kill->claims[victim->target];
	struct member *member = claim_member(claim, victim->process.pid);
	struct process fresh;
	struct pidref ref;
	int rc = pidref_open(&ref, victim->process.pid);

	if (rc == -EINVAL || rc == -ENOENT)
		rc = -ESRCH;
	if (rc < 0)
		return rc;
	if (!member || scan_process(kill->orders.scan, victim->process.pid, &fresh) < 0)
		rc = -ESRCH;
	if (!rc)
		victims_notice_reuse(kill, &fresh);
	if (rc < 0 || !claim_confirms(claim, member, &fresh, kill->ticks)) {
		pidref_close(&ref);
		return -ESRCH;
	}
	fresh.inode = ref.inode;
	claim_update(member, &fresh);
	victim->process = fresh;
	victim->ref = ref;
	victim->fate = FATE_PINNED;
	return 0;
}

static bool holds(const struct target *target, uint64_t id)
{
	for (size_t i = 0; i < target->past.namespace_count; i++)
		if (target->past.namespaces[i].inode == id)
			return true;
	return target->mntns >= 0 && target->process.mntns == id;
}

static bool is_held(const struct kill *kill, uint64_t id)
{
	for (size_t i = 0; i < kill->held_count; i++)
		if (kill->held[i].inode == id)
			return true;
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (holds(&kill->orders.targets[t], id))
			return true;
	return false;
}

/* The descriptor is that of the pinned member's namespace if the member has not ended meanwhile. */
static int hold_through(struct kill *kill, const struct victim *victim)
{
	struct held_namespace *held;
	int fd = namespace_pin(&victim->process);

	if (fd >= 0 && pidref_ended(&victim->ref))
		namespace_unpin(&fd);
	if (fd < 0)
		return -ESTALE;
	held = list_append(&kill->held, &kill->held_count, sizeof(*held));
	if (!held) {
		namespace_unpin(&fd);
		return -ENOMEM;
	}
	*held = (struct held_namespace){ .inode = victim->process.mntns, .fd = fd };
	return 0;
}

/*
 * The kernel hands out the id of a mount namespace again as soon as it is free, so that one which
 * nobody holds must not be followed.
 */
static int hold_namespace(struct kill *kill, uint64_t id)
{
	int rc = -ESTALE;

	if (is_held(kill, id))
		return 0;
	for (size_t i = 0; rc == -ESTALE && i < kill->victim_count; i++)
		if (victim_is_pending(kill->victims[i]) && kill->victims[i]->process.mntns == id)
			rc = hold_through(kill, kill->victims[i]);
	return rc;
}

static int hold_namespaces(struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		for (size_t i = claim->followed_count; i-- > 0;) {
			struct scope scope = claim->followed[i];
			int rc = scope.kind == SCOPE_MNT ? hold_namespace(kill, scope.id) : 0;

			if (rc == -ESTALE)
				claim_drop(claim, scope);
			else if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int pin(struct kill *kill, struct victim *victim)
{
	const struct target *target = &kill->orders.targets[victim->target];
	int rc;

	if (victim->why.id == 0 && target->ref.fd >= 0)
		rc = pin_target(kill, victim);
	else
		rc = pin_member(kill, victim);
	if (rc < 0)
		return rc;
	if (!target_may_name(target, &victim->process)) {
		leave(kill, victim);
		return 0;
	}
	return watch_add(&kill->watch, &victim->ref, victim);
}

int victims_pin(struct kill *kill)
{
	size_t pinned = 0;

	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];
		int rc = victim->fate == FATE_LISTED ? pin(kill, victim) : 0;

		pinned += victim_is_pending(victim);
		if (rc == -ESRCH) {
			victim_bury(kill, victim, FATE_VANISHED);
			continue;
		}
		if (rc == -EMFILE && pinned > 0)
			break; /* the rest when these have ended */
		if (rc < 0)
			return rc;
	}
	return hold_namespaces(kill);
}

void victim_signal(struct kill *kill, struct victim *victim, int signal)
{
	int rc = pidref_signal(&victim->ref, signal);

	if (rc == -ESRCH) {
		victim_bury(kill, victim, FATE_ENDED);
		return;
	}
	if (rc < 0) {
		victim->fate = FATE_DENIED;
		victim->error = -rc;
		kill_notify(kill, EVENT_DENIED, victim, signal);
		return;
	}
	victim->fate = FATE_SIGNALLED;
	victim->sent = signal;
	kill_notify(kill, EVENT_SIGNALLED, victim, signal);
	if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT)
		pidref_signal(&victim->ref, SIGCONT);
}
