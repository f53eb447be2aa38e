/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/settle.h"

#include "core/cleanup.h"
#include "core/groups.h"
#include "core/reuse.h"
#include "core/victims.h"
#include "linux/clock.h"

#include <errno.h>
#include <signal.h>

#define PATIENCE     (2 * NS_PER_SECOND) /* a process of some GB takes this long to finish a fork */
#define PAUSE	     (NS_PER_SECOND / 1000)
#define INSIST_EVERY (NS_PER_SECOND / 100)
#define BIRTH_ROUNDS 2 /* rounds that found newcomers, after which everybody is stopped */

static bool must_stop(const struct kill *kill, const struct victim *victim)
{
	if (!victim_is_pending(victim))
		return false;
	return kill->restless || kill->births >= BIRTH_ROUNDS ||
	       !claim_follows(&kill->claims[victim->target], &victim->process);
}

static void stop(struct kill *kill, struct victim *victim)
{
	int rc = pidref_signal(&victim->ref, SIGSTOP);

	if (rc == -ESRCH) {
		victim_bury(kill, victim, FATE_ENDED);
	} else if (rc < 0) {
		victim_deny(kill, victim, -rc, SIGSTOP);
	} else {
		victim->stopped = true;
		kill_notify(kill, EVENT_STOPPED, victim, SIGSTOP);
	}
}

static bool is_held_still(const struct victim *victim)
{
	return victim->stopped && victim_is_pending(victim);
}

static size_t stop_all(struct kill *kill)
{
	size_t stopped = 0;

	for (size_t i = 0; i < kill->victim_count; i++) {
		if (!kill->victims[i]->stopped && must_stop(kill, kill->victims[i]))
			stop(kill, kill->victims[i]);
		stopped += is_held_still(kill->victims[i]);
	}
	return stopped;
}

/* Whether all stand still: who was seen to is asked again only when @thorough. */
static bool all_stand_still(struct kill *kill, bool thorough)
{
	bool all = true;

	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (!is_held_still(victim) || (victim->still && !thorough))
			continue;
		victim->still = scan_stopped(kill->orders.scan, victim->process.pid);
		all = all && victim->still;
	}
	return all;
}

struct newborn {
	struct pidref ref; /* null where descriptors do not reach */
	pid_t pid;
	bool child;   /* it was found to be a child of a member after it was pinned */
	bool stopped; /* and has been sent SIGSTOP */
};

static bool contains(const pid_t *pids, int count, pid_t pid)
{
	for (int i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/*
 * Whether that child is on the list, for whichever target. A parent that stands still reaps nobody:
 * the zombies that it has keep their numbers.
 */
static bool is_listed(const struct kill *kill, pid_t pid, bool thorough)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct member *member = claim_member(&kill->claims[t], pid);

		if (member && member->listed && (!member->dead || !thorough))
			return true;
	}
	return false;
}

/* Pin the children that are not known yet. How many there are, or a negative errno. */
static int pin_newborns(struct kill *kill, const struct victim *parent, bool thorough,
			struct newborn **newborns)
{
	cleanup(free_pointer) pid_t *children = NULL;
	int count = scan_children(kill->orders.scan, parent->process.pid, &children);
	int found = 0;

	if (count <= 0)
		return count;
	*newborns = calloc((size_t)count, sizeof(**newborns));
	if (!*newborns)
		return -ENOMEM;
	for (int c = 0; c < count; c++) {
		struct newborn *newborn = &(*newborns)[found];

		if (is_listed(kill, children[c], thorough) ||
		    guards_hold_pid(&kill->guards, children[c]))
			continue;
		*newborn = (struct newborn){ .ref = PIDREF_NULL, .pid = children[c] };
		groups_yield_to(kill, &newborn->ref, children[c]);
		found++;
	}
	return found;
}

/*
 * Those that fork and end live for less time than it takes to read them one by one. Who was pinned
 * and is among the children afterwards, too, is a child of a member: stopped, and read then.
 */
static void stop_newborns(struct kill *kill, const struct victim *parent, struct newborn *newborns,
			  int count)
{
	cleanup(free_pointer) pid_t *children = NULL;
	int left;

	if (!(kill->orders.rules.kinds & SCOPE_BIT(SCOPE_TREE)) ||
	    kill->orders.targets[parent->target].owned || count == 0)
		return;
	left = scan_children(kill->orders.scan, parent->process.pid, &children);
	if (pidref_ended(&parent->ref))
		return; /* its number, and so its children, may be another's */
	for (int i = 0; i < count; i++) {
		newborns[i].child =
			newborns[i].ref.fd >= 0 && contains(children, left, newborns[i].pid);
		newborns[i].stopped =
			newborns[i].child && !pidref_signal(&newborns[i].ref, SIGSTOP);
	}
}

/* A dead child is a member, too, whose group may fall; and is not asked for again. */
static void remember_dead(struct kill *kill, struct claim *claim, const struct process *process,
			  const struct pidref *ref)
{
	struct member *member = claim_member(claim, process->pid);

	if (ref->fd >= 0)
		groups_hold_member(kill, process, ref);
	member->dead = true;
	member->listed = true;
}

/* Who was stopped is known to be a child of a member, and must be killed whatever else is read. */
static bool belongs(struct kill *kill, const struct victim *parent, const struct newborn *newborn,
		    const struct process *process, struct scope *why)
{
	struct claim *claim = &kill->claims[parent->target];

	if (newborn->stopped) {
		*why = (struct scope){ .kind = SCOPE_TREE, .id = (uint64_t)parent->process.pid };
		return true;
	}
	reuse_notice(kill, process);
	reuse_notice_ties(kill, process);
	return claim_holds(claim, process, why);
}

/* Put it on the list, standing still. 1, or a negative errno. */
static int enlist(struct kill *kill, const struct victim *parent, struct newborn *newborn,
		  const struct process *process, struct scope why)
{
	struct victim *child;
	int rc = victims_add_pinned(kill, process, why, parent->target, &newborn->ref, &child);

	if (rc < 0)
		return rc;
	kill_notify(kill, EVENT_NEWCOMER, child, 0);
	child->stopped = newborn->stopped;
	if (child->stopped)
		kill_notify(kill, EVENT_STOPPED, child, SIGSTOP);
	else if (victim_is_pending(child))
		stop(kill, child);
	return 1;
}

/*
 * A child that /proc does not show, by @rc: it has gone since it was listed, and may have left a
 * child of its own; or it is hidden from us (hidepid), and that it is a child is all that is known
 * of it. Without a descriptor it is lost as soon as its parent ends.
 */
static int take_unread(struct kill *kill, const struct victim *parent, struct newborn *newborn,
		       int rc)
{
	struct claim *claim = &kill->claims[parent->target];
	struct scope why = { .kind = SCOPE_TREE, .id = (uint64_t)parent->process.pid };
	const struct process process = { .pid = newborn->pid,
					 .tgid = newborn->pid,
					 .ppid = parent->process.pid,
					 .threads = 1,
					 .state = '?',
					 .inode = newborn->ref.inode };

	if (newborn->ref.fd < 0 && rc == -EACCES) {
		kill->unsettled = true;
		return 0;
	}
	if (newborn->ref.fd < 0 || pidref_signal(&newborn->ref, 0) == -ESRCH)
		return 1;
	if (!newborn->child || claim_member(claim, newborn->pid))
		return 0;
	rc = claim_add(claim, &process, why);
	return rc ? rc : enlist(kill, parent, newborn, &process, why);
}

/*
 * Take the child in as a member, if it is one. 1: it was not known, or has gone before it could be
 * read, and may have left a child of its own; 0: it was, or is dead; or a negative errno.
 */
static int take_newborn(struct kill *kill, const struct victim *parent, struct newborn *newborn)
{
	struct claim *claim = &kill->claims[parent->target];
	const struct member *known;
	struct process process;
	struct scope why;
	int rc = scan_process(kill->orders.scan, newborn->pid, &process);

	if (rc == -ESRCH || rc == -EACCES)
		return take_unread(kill, parent, newborn, rc);
	if (rc < 0)
		return rc;
	known = claim_find(claim, &process);
	if (known ? known->listed : !belongs(kill, parent, newborn, &process, &why))
		return 0;
	if (known) /* there was no descriptor for it before */
		why = known->why;
	process.inode = newborn->ref.inode;
	rc = process_alive(&process) ? victims_claim(kill, &process, why, parent->target)
				     : claim_add(claim, &process, why);
	if (!rc && !process_alive(&process))
		remember_dead(kill, claim, &process, &newborn->ref);
	if (rc < 0 || newborn->ref.fd < 0 || !process_alive(&process))
		return rc; /* too few descriptors: the next look lists it */
	return enlist(kill, parent, newborn, &process, why);
}

/* How many children of @parent were not known, or a negative errno. */
static int take_children_of(struct kill *kill, const struct victim *parent, bool thorough)
{
	cleanup(free_pointer) struct newborn *newborns = NULL;
	int count = pin_newborns(kill, parent, thorough, &newborns), rc = 0, taken = 0;

	if (count < 0)
		return count;
	stop_newborns(kill, parent, newborns, count);
	for (int i = 0; i < count; i++) {
		if (rc >= 0)
			rc = take_newborn(kill, parent, &newborns[i]);
		taken += rc > 0;
		/* Who has come on the list is killed in its turn; nobody else may stay stopped. */
		if (newborns[i].stopped && newborns[i].ref.fd >= 0)
			pidref_signal(&newborns[i].ref, SIGKILL);
		pidref_close(&newborns[i].ref);
	}
	return rc < 0 ? rc : taken;
}

/*
 * The same for all who may have new ones: whoever was read while it stood still has none, but for
 * orphans that a subreaper (prctl(2)) is given; so all are read when @thorough.
 */
static int take_children(struct kill *kill, bool thorough)
{
	size_t known = kill->victim_count;
	int taken = 0;

	for (size_t i = 0; i < known; i++) {
		struct victim *victim = kill->victims[i];
		int rc;

		if (!is_held_still(victim) ||
		    (victim->settled && !victim->adopts && victim->why.id && !thorough))
			continue;
		rc = take_children_of(kill, victim, thorough);
		if (rc < 0)
			return rc;
		victim->adopts = victim->adopts || (victim->settled && rc > 0);
		victim->settled = victim->still;
		taken += rc;
	}
	return taken;
}

/* To wait for one that does not stop must leave time to wait for the end of all. */
static uint64_t patience(const struct kill *kill)
{
	uint64_t now = clock_now();
	uint64_t share = kill->orders.deadline > now ? (kill->orders.deadline - now) / 4 : 0;

	return now + (share < PATIENCE ? share : PATIENCE);
}

static bool is_childless(const struct kill *kill, const struct victim *parent)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (kill_alive(kill->victims[i]) &&
		    kill->victims[i]->process.ppid == parent->process.pid)
			return false;
	return true;
}

/*
 * Who waits for a child in vfork(2) stops when that has ended. The child, which is to be killed
 * anyway, can go before its parent as soon as it stands still and is known to have no children.
 */
static void release(struct kill *kill, const struct victim *parent)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *child = kill->victims[i];

		if (child->process.ppid != parent->process.pid || !victim_is_pending(child) ||
		    child->sent == SIGKILL)
			continue;
		if (!child->stopped)
			stop(kill, child); /* some scope that was taken ties it */
		else if (child->settled && is_childless(kill, child))
			victim_signal(kill, child, SIGKILL);
	}
}

/*
 * Who does not stand still has been sent SIGCONT by somebody since, or, @again, waits for a child.
 */
static void insist(struct kill *kill, bool again)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (!is_held_still(victim) || victim->still || victim->sent == SIGKILL)
			continue;
		if (pidref_signal(&victim->ref, SIGSTOP) == -ESRCH)
			victim_bury(kill, victim, FATE_ENDED);
		else if (again)
			release(kill, victim);
	}
}

/*
 * Who is stopped because descent alone ties it has children that lead groups of their own, and a
 * child that one of those has in the very moment of the strike may have left that: nothing would
 * tie it any more. All are stopped, then.
 */
static bool is_any_tied_by_descent(const struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (victim_is_pending(kill->victims[i]) && must_stop(kill, kill->victims[i]))
			return true;
	return false;
}

int settle(struct kill *kill)
{
	uint64_t limit = patience(kill), next = clock_now() + INSIST_EVERY;
	bool thorough = false, insisted = false;

	if (kill->signal != SIGKILL || kill->orders.plan)
		return 0;
	kill->restless = kill->restless || is_any_tied_by_descent(kill);
	while (stop_all(kill) > 0) {
		bool still = all_stand_still(kill, thorough);
		int rc, taken = take_children(kill, thorough);

		if (taken < 0 || (!taken && still && thorough) || kill->interrupt)
			return taken < 0 ? taken : 0;
		thorough = !taken && still;
		if (taken)
			limit = patience(kill);
		if (!thorough && clock_now() >= limit) {
			kill->unsettled = true;
			return 0;
		}
		if (!still && clock_now() >= next) {
			insist(kill, insisted);
			insisted = true;
			next = clock_now() + INSIST_EVERY;
		}
		/* Stopping sends no event; the pause ends early when somebody dies. */
		rc = victims_wait(kill, taken || thorough ? 0 : clock_now() + PAUSE);
		if (rc < 0)
			return rc;
	}
	return 0;
}
