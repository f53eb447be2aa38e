/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/settle.h"

#include "core/cleanup.h"
#include "core/pin.h"
#include "core/victims.h"
#include "linux/clock.h"

#include <errno.h>
#include <signal.h>

#define PATIENCE     (2 * NS_PER_SECOND) /* a process of some GB takes this long to finish a fork */
#define PAUSE	     (NS_PER_SECOND / 1000)
#define BIRTH_ROUNDS 2 /* rounds that found newcomers, after which everybody is stopped */

static bool must_stop(const struct kill *kill, const struct victim *victim)
{
	if (!victim_is_pending(victim))
		return false;
	return kill->births >= BIRTH_ROUNDS ||
	       !claim_follows(&kill->claims[victim->target], &victim->process);
}

static void stop(struct kill *kill, struct victim *victim)
{
	int rc = pidref_signal(&victim->ref, SIGSTOP);

	if (rc == -ESRCH) {
		victim_bury(kill, victim, FATE_ENDED);
	} else if (rc < 0) {
		victim->fate = FATE_DENIED;
		victim->error = -rc;
		kill_notify(kill, EVENT_DENIED, victim, SIGSTOP);
	} else {
		victim->stopped = true;
		kill_notify(kill, EVENT_STOPPED, victim, SIGSTOP);
	}
}

static size_t stop_all(struct kill *kill)
{
	size_t stopped = 0;

	for (size_t i = 0; i < kill->victim_count; i++) {
		if (!kill->victims[i]->stopped && must_stop(kill, kill->victims[i]))
			stop(kill, kill->victims[i]);
		stopped += kill->victims[i]->stopped && victim_is_pending(kill->victims[i]);
	}
	return stopped;
}

static bool all_stand_still(const struct kill *kill)
{
	for (size_t i = 0; i < kill->victim_count; i++) {
		const struct victim *victim = kill->victims[i];

		if (victim->stopped && victim_is_pending(victim) &&
		    !scan_stopped(kill->orders.scan, victim->process.pid))
			return false;
	}
	return true;
}

/* 1: @pid is a new member; 0: it is not; or a negative errno. It is pinned if @ref is not null. */
static int take_child(struct kill *kill, size_t target, pid_t pid, struct pidref *ref)
{
	struct claim *claim = &kill->claims[target];
	struct process process;
	struct victim *child;
	struct scope why;
	int rc;

	if (scan_process(kill->orders.scan, pid, &process) < 0 || !process_alive(&process) ||
	    claim_find(claim, &process))
		return 0;
	pin_notice_reuse(kill, &process);
	if (!claim_holds(claim, &process, &why))
		return 0;
	process.inode = ref->inode;
	rc = claim_add(claim, &process, why);
	if (rc < 0 || ref->fd < 0)
		return rc; /* too few descriptors: the next look lists it */
	rc = victims_add_pinned(kill, &process, why, target, ref, &child);
	if (rc < 0)
		return rc;
	kill_notify(kill, EVENT_NEWCOMER, child, 0);
	return 1;
}

static int pin_and_take_child(struct kill *kill, size_t target, pid_t pid)
{
	struct pidref ref = PIDREF_NULL;
	int rc = pidref_open(&ref, pid);

	if (rc < 0 && rc != -EMFILE)
		return rc == -ENFILE || rc == -ENOMEM ? rc : 0;
	rc = take_child(kill, target, pid, &ref);
	pidref_close(&ref);
	return rc;
}

/* How many children of the stopped were new, or a negative errno. */
static int take_children(struct kill *kill)
{
	size_t known = kill->victim_count;
	int taken = 0;

	for (size_t i = 0; i < known; i++) {
		const struct victim *victim = kill->victims[i];
		cleanup(free_pointer) pid_t *children = NULL;
		int rc, count;

		if (!victim->stopped || !victim_is_pending(victim))
			continue;
		count = scan_children(kill->orders.scan, victim->process.pid, &children);
		for (int c = 0; c < count; c++) {
			rc = pin_and_take_child(kill, victim->target, children[c]);
			if (rc < 0)
				return rc;
			taken += rc;
		}
	}
	return taken;
}

int settle(struct kill *kill)
{
	uint64_t limit = clock_now() + PATIENCE;
	bool still;
	int rc = 0;

	if (kill->signal != SIGKILL)
		return 0;
	if (limit > kill->orders.deadline)
		limit = kill->orders.deadline;
	while (rc >= 0 && stop_all(kill) > 0) {
		still = all_stand_still(kill);
		rc = take_children(kill);
		if (rc < 0 || (rc == 0 && still) || kill->interrupt || clock_now() >= limit)
			break;
		/* Stopping sends no event; the pause ends early when somebody dies. */
		rc = victims_wait(kill, rc > 0 ? 0 : clock_now() + PAUSE);
	}
	return rc < 0 ? rc : 0;
}
