/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/kill.h"

#include "core/area.h"
#include "core/chase.h"
#include "core/cleanup.h"
#include "core/groups.h"
#include "core/list.h"
#include "core/match.h"
#include "core/outlive.h"
#include "core/outputs.h"
#include "core/pin.h"
#include "core/planned.h"
#include "core/reuse.h"
#include "core/settle.h"
#include "core/shown.h"
#include "core/sweep.h"
#include "core/victims.h"
#include "linux/clock.h"
#include "linux/namespace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CHASE_EVERY   (NS_PER_SECOND / 10)
#define GATHER_ROUNDS 8

static int system_failed(int rc, struct error *error)
{
	return error_set(error, STATUS_SYSTEM, -rc, "cannot go on: %s", strerror(-rc));
}

static bool any_dead_target(const struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (kill->orders.targets[t].dead)
			return true;
	return false;
}

static int outlive(struct kill *kill, size_t t, const struct snapshot *snapshot)
{
	struct claim *claim = &kill->claims[t];
	const struct member *before = claim->members[0];
	int rc = claim_outlive(claim, snapshot, kill->ticks, &kill->since,
			       !kill->orders.targets[t].dead);

	if (rc < 0)
		return rc;
	groups_renew(kill, t, before);
	if (kill->shown.asked && kill->orders.targets[t].dead)
		shown_doubt_number(kill, t, snapshot);
	return 0;
}

static int read_guards(struct kill *kill, const struct snapshot *snapshot, struct error *error)
{
	int rc;

	guards_clear(&kill->guards);
	rc = guards_read(&kill->guards, snapshot, kill->orders.self);
	if (rc == -ESRCH)
		return error_set(error, STATUS_SYSTEM, ESRCH, "cannot find itself in /proc");
	return rc < 0 ? system_failed(rc, error) : 0;
}

/* The guards are read here, since what they write to is known only by now. */
static int grow_claims(struct kill *kill, const struct snapshot *snapshot, struct error *error)
{
	int rc = read_guards(kill, snapshot, error);

	if (rc < 0)
		return rc;
	for (size_t t = 0; !rc && t < kill->orders.target_count; t++) {
		if (kill->orders.targets[t].over)
			continue;
		if (kill->outlived)
			rc = outlive(kill, t, snapshot);
		if (!rc)
			rc = claim_grow(&kill->claims[t], snapshot, &kill->guards,
					&kill->orders.rules);
	}
	return rc < 0 ? system_failed(rc, error) : 0;
}

/* Those in the look may bear a number that has changed hands unseen. */
static int notice_passed(struct kill *kill, const struct snapshot *snapshot, pid_t *last,
			 struct error *error)
{
	int rc = scan_last_pid(kill->orders.scan, last);

	if (rc < 0)
		return system_failed(rc, error);
	reuse_notice_passed_in(kill, snapshot, *last);
	return 0;
}

static int add_held(struct snapshot *snapshot, const struct held_namespace *held, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct namespace *row;

		if (snapshot_namespace(snapshot, held[i].inode))
			continue;
		row = list_append(&snapshot->namespaces, &snapshot->namespace_count, sizeof(*row));
		if (!row)
			return -ENOMEM;
		namespace_describe_held(&held[i], row);
		snapshot_sort(snapshot);
	}
	return 0;
}

/* Of the targets' own namespaces the look knows none that somebody is in for moments only. */
static int add_own(const struct kill *kill, struct snapshot *snapshot, struct error *error)
{
	int rc = 0;

	for (size_t t = 0; !rc && t < kill->orders.target_count; t++) {
		const struct target *target = &kill->orders.targets[t];

		rc = add_held(snapshot, target->held, target->held_count);
		if (!rc)
			rc = add_held(snapshot, target->past.namespaces,
				      target->past.namespace_count);
	}
	return rc < 0 ? system_failed(rc, error) : 0;
}

/* What guarded processes write to must be known before a terminal is followed. */
static int take_snapshot(struct kill *kill, unsigned flags, struct snapshot *snapshot,
			 struct error *error)
{
	int rc = area_scan(kill, flags, snapshot, error);

	if (rc < 0 || kill->planned || !kill->orders.outputs)
		return rc;
	rc = read_guards(kill, snapshot, error);
	if (!rc)
		outputs_find(kill, snapshot);
	return rc;
}

/* What they have led to by now belongs, too, and is told, but not signalled. */
static int join_planned(struct kill *kill, const struct snapshot *snapshot, struct error *error)
{
	int rc = planned_join(kill, snapshot);

	if (rc > 0)
		return grow_claims(kill, snapshot, error);
	return rc < 0 ? system_failed(rc, error) : 0;
}

/* One look. How many new victims there are, or a negative errno. */
static int look(struct kill *kill, struct error *error)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	bool inits = any_dead_target(kill) || kill->orders.rules.kinds & SCOPE_BIT(SCOPE_PID);
	unsigned flags = inits ? SCAN_INITS : 0;
	pid_t last = 0;
	int rc;

	reuse_begin_round(kill);
	rc = take_snapshot(kill, flags, &snapshot, error);
	if (!rc)
		rc = notice_passed(kill, &snapshot, &last, error);
	if (!rc)
		rc = add_own(kill, &snapshot, error);
	if (!rc && kill->orders.outputs && kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO))
		outputs_look(kill, &snapshot);
	if (!rc)
		rc = grow_claims(kill, &snapshot, error);
	if (!rc && kill->orders.plan && !kill->planned)
		rc = join_planned(kill, &snapshot, error);
	if (rc < 0)
		return rc;
	reuse_note_elders(kill, &snapshot, last);
	kill->planned = true;
	kill->looks++;
	kill->ticks = kill->last_pid_ticks = snapshot.ticks;
	kill->last_pid = snapshot.last_pid;
	kill->unreadable = snapshot.unreadable;
	rc = victims_deny_closed(kill, &snapshot);
	if (!rc)
		rc = victims_doubt(kill, &snapshot);
	if (!rc)
		rc = victims_enlist(kill);
	return rc < 0 ? system_failed(rc, error) : rc;
}

static int open_claim(struct claim *claim, const struct target *target)
{
	int rc = claim_init(claim, &target->process, target->dead);

	for (size_t i = 0; !rc && i < target->past.namespace_count; i++)
		rc = claim_own(claim, (struct scope){ .kind = SCOPE_MNT,
						      .id = target->past.namespaces[i].inode });
	if (!rc) {
		claim->born_by = target->born_by;
		claim->born_as = target->born_as;
		claim->recorded = target->recorded;
		claim->members[0]->recycled = target->reused;
		/* Before the look: who bears its number afterwards is somebody else. */
		if (target->ref.fd >= 0 && pidref_ended(&target->ref))
			claim->members[0]->dead = true;
	}
	return rc;
}

/* Who is not of the user whose file names them will not be signalled: a list says so beforehand. */
static void leave_other_users(struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];
		struct process now;

		if (victim->fate == FATE_LISTED && kill->orders.targets[victim->target].owned &&
		    !scan_process(kill->orders.scan, victim->process.pid, &now) &&
		    process_same(&victim->process, &now) && !victims_may_name(kill, &now))
			victim_leave(kill, victim);
	}
}

int kill_plan(struct kill *kill, const struct kill_orders *orders, struct error *error)
{
	int rc = 0;

	*kill = (struct kill){
		.orders = *orders,
		.watch = WATCH_NULL,
		.signal = orders->signal,
		.escalation = CLOCK_NEVER,
	};
	kill->claims = calloc(orders->target_count + 1, sizeof(*kill->claims));
	if (!kill->claims)
		rc = -ENOMEM;
	for (size_t t = 0; !rc && t < orders->target_count; t++)
		rc = open_claim(&kill->claims[t], &orders->targets[t]);
	if (rc < 0)
		return system_failed(rc, error);
	if (orders->ask)
		shown_begin(kill);
	groups_hold_targets(kill);
	rc = look(kill, error);
	if (rc < 0)
		return rc;
	leave_other_users(kill);
	if (orders->plan)
		rc = planned_miss(kill);
	return rc < 0 ? system_failed(rc, error) : 0;
}

void kill_identify(struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (!kill->victims[i]->process.inode)
			scan_inode(kill->orders.scan, &kill->victims[i]->process);
}

/* Root may signal whoever is his, as it seems; of others the real and the saved user count, too. */
static bool is_surely_ours(const struct kill *kill, const struct process *process)
{
	return process->owner == 0 && kill->guards.processes[0].owner == 0;
}

void kill_foresee(struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];
		struct pidref ref;

		if (victim->fate != FATE_LISTED || is_surely_ours(kill, &victim->process) ||
		    pidref_open(&ref, victim->process.pid) < 0)
			continue;
		if (pidref_signal(&ref, 0) == -EPERM)
			victim->error = EPERM;
		pidref_close(&ref);
	}
}

static void clear_victims(struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		pidref_close(&kill->victims[i]->ref);
		free(kill->victims[i]->hindrance);
		free(kill->victims[i]);
	}
	free(kill->victims);
	kill->victims = NULL;
	kill->victim_count = 0;
}

/* Who started in this very tick could not be told from another once nothing ties him. */
static bool is_any_newborn(const struct kill *kill)
{
	uint64_t now = clock_boot_ticks();

	for (size_t t = 0; t < kill->orders.target_count; t++)
		for (size_t m = 1; m < kill->claims[t].member_count; m++)
			if (kill->claims[t].members[m]->process.start_ticks >= now)
				return true;
	return false;
}

int kill_plan_again(struct kill *kill, uint64_t deadline, const struct numbers *since,
		    struct error *error)
{
	int rc;

	clear_victims(kill);
	if (is_any_newborn(kill))
		clock_pass_tick();
	kill->orders.deadline = deadline;
	kill->looks = 0;
	kill->outlived = true;
	kill->since = *since;
	kill->since.last = kill->last_pid;
	rc = look(kill, error);
	kill->outlived = false;
	return rc < 0 ? rc : 0;
}

int kill_show(struct kill *kill, struct error *error)
{
	int rc;

	kill_identify(kill);
	rc = shown_note(kill);
	return rc < 0 ? system_failed(rc, error) : 0;
}

/* Nobody has waited for them meanwhile. */
static void notice_dead_targets(struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct target *target = &kill->orders.targets[t];

		if (target->ref.fd >= 0 && pidref_ended(&target->ref))
			target->dead = true;
	}
}

int kill_resume(struct kill *kill, uint64_t deadline, struct error *error)
{
	struct numbers since = shown_numbers(kill);
	int rc;

	notice_dead_targets(kill);
	rc = kill_plan_again(kill, deadline, &since, error);
	kill->shown.resumed = true;
	return rc;
}

static bool time_is_up(const struct kill *kill)
{
	return clock_now() >= kill->orders.deadline;
}

static int strike_group(struct kill *kill, const struct victim *leader, const struct pidref *ref)
{
	struct scope group = { .kind = SCOPE_PGRP, .id = (uint64_t)ref->pid };
	int rc = 0;

	if (ref->fd < 0 || leader->process.pgrp != ref->pid ||
	    kill->orders.targets[leader->target].owned)
		return 0;
	if (!claim_takes(&kill->claims[leader->target], group))
		return 0;
	rc = pidref_signal_group(ref, SIGKILL);
	if (rc == 0)
		kill_notify(kill, EVENT_GROUP, leader, SIGKILL);
	return rc == -EINVAL ? rc : 0;
}

/*
 * A whole group at once leaves no gap for a fork. That some could be reached is called success, so
 * that each is signalled by itself all the same.
 */
static void strike_groups(struct kill *kill)
{
	int rc = 0;

	if (kill->signal != SIGKILL || kill->group_signal_missing || kill_must_spare(kill))
		return;
	for (size_t t = 0; !rc && t < kill->orders.target_count; t++) {
		struct victim zombie = { .target = t, .process = kill->orders.targets[t].process };

		if (kill->orders.targets[t].dead && !kill->orders.targets[t].over)
			rc = strike_group(kill, &zombie, &kill->orders.targets[t].ref);
	}
	for (size_t i = 0; !rc && i < kill->victim_count; i++)
		if (victim_is_due(kill, kill->victims[i]))
			rc = strike_group(kill, kill->victims[i], &kill->victims[i]->ref);
	kill->group_signal_missing = rc < 0;
}

static void signal_due(struct kill *kill, bool inits_only)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (victim_is_due(kill, victim) && (victim->init || !inits_only))
			victim_signal(kill, victim, kill->signal);
	}
}

static void signal_in_order(struct kill *kill)
{
	signal_due(kill, true);
	sweep_cgroups(kill);
	strike_groups(kill);
	signal_due(kill, false);
}

/*
 * Who was born since the look may have left every scope, so that only a parent tells whose it is,
 * and the parents are about to die. If there is anybody, more would follow: all must be stopped.
 */
static int gather_newcomers(struct kill *kill)
{
	int found;

	kill->gathering = true;
	found = chase(kill);
	kill->gathering = false;
	if (found > 0)
		kill->restless = true;
	return found;
}

/*
 * Stop who must be, with all who have come since; and again, since orphans of somebody who ended
 * meanwhile fork on while the others are stopped.
 */
static int gather_and_settle(struct kill *kill)
{
	int rc = 0, found = 1;

	for (int round = 0; !rc && found && round < GATHER_ROUNDS; round++) {
		found = gather_newcomers(kill);
		if (found < 0)
			return found;
		if (found || !round)
			rc = settle(kill);
		if (kill->signal != SIGKILL || kill->interrupt || time_is_up(kill))
			break;
	}
	return rc;
}

static int strike(struct kill *kill)
{
	int rc = pin_all(kill);

	if (rc < 0)
		return rc;
	rc = gather_and_settle(kill);
	signal_in_order(kill); /* whatever settling said: what was stopped must be killed */
	return rc;
}

static int escalate(struct kill *kill, struct error *error)
{
	int rc;

	kill->escalation = CLOCK_NEVER;
	kill->signal = SIGKILL;
	kill_notify(kill, EVENT_ESCALATED, NULL, SIGKILL);
	rc = look(kill, error);
	if (rc < 0)
		return rc;
	rc = strike(kill);
	return rc < 0 ? system_failed(rc, error) : 0;
}

static bool is_anybody_pending(const struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (victim_is_pending(kill->victims[i]))
			return true;
	return false;
}

/*
 * With few descriptors, a look at everything before each batch would take the time. But who started
 * in the tick of the last one may have lost what tells him from another by his turn.
 */
static bool is_next_batch_known(const struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill->victims[i]->fate == FATE_LISTED &&
		    kill->victims[i]->process.start_ticks >= kill->ticks)
			return false;
	return kill_listed(kill) > 0;
}

/* Nobody tells of a birth: while others are waited for, newcomers are looked for now and then. */
static uint64_t next_event(const struct kill *kill)
{
	uint64_t next = clock_now() + CHASE_EVERY;

	if (kill->escalation < next)
		next = kill->escalation;
	return kill->orders.deadline < next ? kill->orders.deadline : next;
}

/*
 * Until all on the list have ended and nobody has come since, or the wait itself must end. Who was
 * born until then is on the list.
 */
static int await(struct kill *kill, struct error *error)
{
	int rc = 0;

	while (!kill->interrupt) {
		rc = chase(kill);
		if (rc < 0)
			return system_failed(rc, error);
		kill->births += rc > 0;
		if (kill->interrupt || !is_anybody_pending(kill))
			return 0;
		kill->timed_out = time_is_up(kill);
		if (kill->timed_out)
			return 0;
		rc = victims_wait(kill, next_event(kill));
		if (rc < 0)
			return system_failed(rc, error);
		if (clock_now() >= kill->escalation) {
			rc = escalate(kill, error);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/*
 * One more look at all who can belong, and at who was born while it was taken. 0: nothing of the
 * targets is alive; 1: there is somebody to deal with; or a negative errno.
 */
static int prove(struct kill *kill, struct error *error)
{
	size_t buried = kill->buried;
	int found = look(kill, error);

	if (found < 0)
		return found;
	if (!kill_listed(kill)) {
		found = pin_all(kill); /* nobody, but namespaces that have fallen only now */
		if (!found)
			found = chase(kill);
		if (found < 0)
			return system_failed(found, error);
	}
	kill->births += found > 0;
	/* Who could not be signalled, and has ended only now, may have left somebody. */
	victims_reap(kill);
	kill->timed_out = kill->cut_short;
	return found > 0 || kill->buried != buried || kill_listed(kill) || is_anybody_pending(kill);
}

static int carry_out(struct kill *kill, struct error *error)
{
	int rc;

	do {
		rc = strike(kill);
		if (rc < 0)
			return system_failed(rc, error);
		rc = await(kill, error);
		if (rc < 0 || kill->interrupt || kill->timed_out)
			return rc;
		rc = is_next_batch_known(kill) ? 1 : prove(kill, error);
		if (rc <= 0)
			return rc;
	} while (!time_is_up(kill));
	kill->timed_out = true;
	return 0;
}

/* Read a survivor again. Returns whether it is one still. */
static bool read_survivor(struct kill *kill, struct victim *victim)
{
	struct process now;
	int rc = scan_process(kill->orders.scan, victim->process.pid, &now);

	if (!rc && process_same(&victim->process, &now)) {
		victim->process.state = now.state;
		victim->process.threads = now.threads;
		return process_alive(&now);
	}
	return rc && rc != -ESRCH;
}

/* Without memory to tell it, it is not told. */
static void find_hindrance(const struct kill *kill, struct victim *victim)
{
	pid_t pid = victim->process.pid;
	struct hindrance *found = victim->hindrance;

	if (!found)
		found = victim->hindrance = calloc(1, sizeof(*found));
	if (!found)
		return;
	found->frozen = scan_frozen(pid);
	if (victim->process.state == 't')
		scan_tracer(kill->orders.scan, pid, &found->tracer);
	scan_wait_channel(kill->orders.scan, pid, found->wait_channel, sizeof(found->wait_channel));
}

const struct hindrance *kill_hindrance(const struct victim *victim)
{
	static const struct hindrance none;

	return victim->hindrance ? victim->hindrance : &none;
}

/* What can be told of those who are left. Returns whether one of them has ended just now. */
static bool examine_survivors(struct kill *kill)
{
	size_t buried = kill->buried;

	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (!kill_alive(victim))
			continue;
		if (!read_survivor(kill, victim)) {
			victim_bury(kill, victim, FATE_ENDED);
			continue;
		}
		find_hindrance(kill, victim);
	}
	return kill->buried != buried;
}

int kill_carry_out(struct kill *kill, struct error *error)
{
	int rc = watch_open(&kill->watch);
	bool over;

	if (rc < 0)
		return system_failed(rc, error);
	if (kill->orders.kill_after && kill->signal != SIGKILL)
		kill->escalation = clock_after(clock_now(), kill->orders.kill_after);
	do {
		rc = carry_out(kill, error);
		over = rc < 0 || kill->interrupt || kill->timed_out;
		if (over)
			victims_reap(kill);
		/* Who has ended only now, and could not be signalled, may have left somebody. */
	} while (examine_survivors(kill) && !over);
	return rc;
}

void kill_clear(struct kill *kill)
{
	clear_victims(kill);
	groups_clear(kill);
	for (size_t i = 0; i < kill->held_count; i++)
		namespace_unpin(&kill->held[i].fd);
	for (size_t t = 0; kill->claims && t < kill->orders.target_count; t++)
		claim_clear(&kill->claims[t]);
	free(kill->held);
	free(kill->claims);
	free(kill->shown.list);
	outputs_close(kill);
	guards_clear(&kill->guards);
	watch_close(&kill->watch);
	*kill = (struct kill){ .watch = WATCH_NULL };
}
