/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/chase.h"

#include "core/groups.h"
#include "core/outputs.h"
#include "core/reuse.h"
#include "core/victims.h"
#include "linux/clock.h"

#include <errno.h>
#include <signal.h>

#define QUIET_ROUNDS  20
#define CLOCK_EVERY   256 /* probes */
#define NEWBORN_TRIES 30
#define DOUBTS_MAX    64
#define PAUSES	      2
#define PAUSE	      (NS_PER_SECOND / 1000)
#define GRACE	      (NS_PER_SECOND / 4)

struct round {
	size_t found;		  /* members */
	size_t vanished;	  /* gone before they could be read */
	pid_t doubts[DOUBTS_MAX]; /* the last of those */
};

/* What the quickest look at a newcomer says. */
struct glance {
	struct process process;
	int target; /* that it belongs to, or -1 */
	struct scope why;
	bool struck; /* and it was killed at once */
	int group;   /* then its number is held, before it is reaped */
};

static void doubt(struct round *round, pid_t pid)
{
	round->doubts[round->vanished++ % DOUBTS_MAX] = pid;
}

static unsigned followed_kinds(const struct kill *kill)
{
	unsigned kinds = 0;

	for (size_t t = 0; t < kill->orders.target_count; t++)
		for (size_t i = 0; i < kill->claims[t].followed_count; i++)
			kinds |= SCOPE_BIT(kill->claims[t].followed[i].kind);
	return kinds & (SCOPE_NAMESPACE_BITS | SCOPE_BIT(SCOPE_CGROUP));
}

/* Where files are another user's, it must be known whose a process is before it may be struck. */
static bool may_strike_at_a_glance(const struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (kill->orders.targets[t].owned)
			return false;
	return kill->signal == SIGKILL && !kill->gathering && !kill_must_spare(kill);
}

/* The first target that @process belongs to, or -1. */
static int holder(const struct kill *kill, const struct process *process, struct scope *why)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (!kill->orders.targets[t].over && claim_holds(&kill->claims[t], process, why))
			return (int)t;
	return -1;
}

/*
 * What a newcomer is in, by the fewest calls: one that forks and ends at once lives for less time
 * than it takes to read its stat. 1: it belongs by that alone, 0: not by that, -ESRCH: gone.
 */
static int belongs_at_a_glance(struct kill *kill, const struct pidref *ref, struct glance *glance)
{
	pid_t pid = ref->pid;
	unsigned kinds = followed_kinds(kill);

	if (scan_peek(kill->orders.scan, pid, 0, &glance->process) < 0)
		return -ESRCH;
	reuse_notice_ties(kill, &glance->process);
	glance->target = holder(kill, &glance->process, &glance->why);
	if (glance->target >= 0)
		return 1;
	if (outputs_peek(kill, ref->inode, &glance->process))
		glance->target = holder(kill, &glance->process, &glance->why);
	if (glance->target >= 0)
		return 1;
	if (!kinds)
		return 0;
	if (scan_peek(kill->orders.scan, pid, kinds, &glance->process) < 0)
		return -ESRCH;
	glance->target = holder(kill, &glance->process, &glance->why);
	return glance->target >= 0;
}

/* Whether it is on the list, for whichever target, or waits to be. */
static bool is_member(const struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (claim_find(&kill->claims[t], process))
			return true;
	return false;
}

/* Who was struck is one of them, even if it has left what it was in by the time that it is read. */
static int take_in(struct kill *kill, const struct process *process, const struct glance *glance,
		   struct pidref *ref, struct round *round)
{
	struct victim *victim = NULL;
	struct scope why;
	int rc, target = holder(kill, process, &why);

	if (target < 0 && glance->struck && !pidref_ended(ref)) {
		target = glance->target;
		why = glance->why;
	}
	if (target < 0)
		return victims_doubt_newcomer(kill, process);
	if (is_member(kill, process)) {
		/* Born while the look was taken: whoever forks so often will have done it again. */
		round->found += kill->gathering;
		return 0;
	}
	round->found++;
	rc = victims_claim(kill, process, why, (size_t)target);
	if (!rc)
		rc = victims_add_pinned(kill, process, why, (size_t)target, ref, &victim);
	if (rc < 0)
		return rc;
	kill_notify(kill, EVENT_NEWCOMER, victim, 0);
	if (kill->escalation == CLOCK_NEVER && !kill->gathering && victim_is_pending(victim))
		victim_signal(kill, victim, kill->signal);
	return 0;
}

static bool is_known(const struct kill *kill, pid_t pid)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (claim_member(&kill->claims[t], pid))
			return true;
	return false;
}

/*
 * Of a newcomer that ends while it is read, some things can still be read, but not its namespace.
 */
static int take_in_or_doubt(struct kill *kill, const struct process *process,
			    const struct glance *glance, struct pidref *ref, struct round *round)
{
	size_t found = round->found;
	int rc = process_alive(process) ? take_in(kill, process, glance, ref, round) : 0;

	if (round->found == found && !process->mntns && ref->fd >= 0 && pidref_ended(ref))
		doubt(round, process->pid);
	return rc;
}

/*
 * Who was struck has ended; but a group and a session may bear its number, which was its own when
 * @process was read if it has not been reaped yet.
 */
static int remember_struck(struct kill *kill, const struct glance *glance, const struct pidref *ref,
			   const struct process *process)
{
	struct claim *claim = &kill->claims[glance->target];
	bool reaped = pidref_signal(ref, 0) == -ESRCH;
	int rc = claim_add(claim, reaped ? &glance->process : process, glance->why);
	struct member *member = claim_member(claim, ref->pid);

	if (rc < 0)
		return rc;
	member->dead = member->listed = true;
	return 0;
}

static int take_in_pinned(struct kill *kill, struct pidref *ref, struct round *round,
			  struct glance *glance)
{
	struct process process;
	int belongs = belongs_at_a_glance(kill, ref, glance);

	if (belongs < 0 && !pidref_ended(ref))
		belongs = 0; /* there, and not to be had by that: what /proc says of it decides */
	/* Pinned first, read then, found to be in a scope that is taken: struck, details later. */
	if (belongs > 0 && may_strike_at_a_glance(kill) && !is_known(kill, ref->pid))
		glance->struck = !pidref_signal(ref, SIGKILL);
	if (glance->struck)
		glance->group = groups_take_number(ref);
	glance->process.state = 'X';
	process = glance->process;
	if (belongs >= 0 && !scan_process(kill->orders.scan, ref->pid, &process)) {
		process.inode = ref->inode;
		outputs_read(kill, &process);
		reuse_notice(kill, &process);
		reuse_notice_ties(kill, &process);
		if (process.kernel_thread)
			return 0;
		if (belongs == 0 || process_alive(&process))
			return take_in_or_doubt(kill, &process, glance, ref, round);
	}
	if (belongs > 0)
		round->found++;
	else
		doubt(round, ref->pid);
	return glance->struck ? remember_struck(kill, glance, ref, &process) : 0;
}

static int probe_pinned(struct kill *kill, struct pidref *ref, struct round *round)
{
	struct glance glance = { .target = -1, .group = -1 };
	pid_t pid = ref->pid;
	int rc = take_in_pinned(kill, ref, round, &glance);

	if (glance.struck)
		groups_keep(kill, (size_t)glance.target, pid, glance.group);
	return rc;
}

/*
 * A PID is handed out some microseconds before the process can be looked up by it. The newest of
 * all is asked for again, as long as nobody newer comes.
 */
static int pin_newborn(struct kill *kill, struct pidref *ref, pid_t pid, pid_t last)
{
	int rc = groups_yield_to(kill, ref, pid);

	for (int try = 0; rc == -ESRCH && pid == last && try < NEWBORN_TRIES; try++) {
		if (scan_last_pid(kill->orders.scan, &last) < 0)
			break;
		rc = pidref_open(ref, pid);
	}
	return rc;
}

/* No descriptor for it: a member now, so that the last look lists it whatever ties it then. */
static int note_unpinned(struct kill *kill, pid_t pid, struct round *round)
{
	struct process process;
	struct scope why;
	int target, rc = scan_process(kill->orders.scan, pid, &process);

	if (rc < 0) {
		doubt(round, pid);
		return 0;
	}
	outputs_read(kill, &process);
	reuse_notice(kill, &process);
	reuse_notice_ties(kill, &process);
	target = process.tgid == pid && process_alive(&process) ? holder(kill, &process, &why) : -1;
	if (target < 0 || is_member(kill, &process))
		return 0;
	round->found++;
	return victims_claim(kill, &process, why, (size_t)target);
}

static int probe(struct kill *kill, pid_t pid, pid_t last, struct round *round)
{
	struct pidref ref = PIDREF_NULL;
	struct process process;
	int rc;

	if (guards_hold_pid(&kill->guards, pid))
		return 0;
	rc = pin_newborn(kill, &ref, pid, last);
	if (rc == -EINVAL || rc == -ENOENT) {
		/* Threads take numbers, too; whatever else says so is on its way out. */
		if (scan_process(kill->orders.scan, pid, &process) < 0 || process.tgid == pid)
			doubt(round, pid);
		return 0;
	}
	if (rc == -ESRCH) {
		doubt(round, pid);
		return 0;
	}
	if (rc == -EMFILE)
		return note_unpinned(kill, pid, round);
	if (rc < 0)
		return rc;
	rc = probe_pinned(kill, &ref, round);
	pidref_close(&ref);
	return rc;
}

/* Until nobody comes any more it takes microseconds, and is waited for a little; not for a bomb. */
static bool is_over(struct kill *kill, const struct round *round)
{
	uint64_t grace = round->found ? 0 : GRACE;

	kill->cut_short = clock_now() >= clock_after(kill->orders.deadline, grace);
	return kill->cut_short;
}

static int probe_range(struct kill *kill, pid_t first, pid_t last, struct round *round)
{
	int rc = 0;

	for (pid_t pid = first; !rc && pid <= last; pid++) {
		if (pid % CLOCK_EVERY == 0 && is_over(kill, round))
			break;
		kill->last_pid = pid;
		reuse_notice_passed(kill, pid);
		rc = probe(kill, pid, last, round);
	}
	return rc;
}

/* Numbers wrap around below pid_max. */
static int probe_since(struct kill *kill, pid_t seen, pid_t last, struct round *round)
{
	int rc;

	if (last > seen)
		return probe_range(kill, seen + 1, last, round);
	rc = probe_range(kill, seen + 1, scan_pid_max() - 1, round);
	return rc ? rc : probe_range(kill, 2, last, round);
}

/* Who could not be read may not have been there yet: a moment later that can be told. */
static int probe_doubts(struct kill *kill, const struct round *before, struct round *round)
{
	size_t count = before->vanished < DOUBTS_MAX ? before->vanished : DOUBTS_MAX;
	int rc = victims_wait(kill, clock_now() + PAUSE);

	for (size_t i = 0; !rc && i < count; i++)
		rc = probe(kill, before->doubts[i], 0, round);
	return rc;
}

int chase(struct kill *kill)
{
	struct round before = { 0 };
	int quiet = 0, pauses = 0, found = 0;

	kill->cut_short = false;
	if (kill->orders.plan)
		return 0; /* who is born after it was made is not in it */
	while (quiet < QUIET_ROUNDS && pauses <= PAUSES && !kill->interrupt) {
		struct round round = { 0 };
		uint64_t ticks = clock_boot_ticks();
		pid_t last;
		int rc;

		reuse_begin_round(kill);
		rc = scan_last_pid(kill->orders.scan, &last);

		if (!rc)
			rc = victims_wait(kill, 0);
		if (!rc && last != kill->last_pid)
			rc = probe_since(kill, kill->last_pid, last, &round);
		else if (!rc && before.vanished && pauses++ < PAUSES)
			rc = probe_doubts(kill, &before, &round);
		else if (!rc)
			break;
		if (rc < 0)
			return rc;
		if (kill->last_pid == last)
			kill->last_pid_ticks = ticks;
		reuse_begin_round(kill); /* their numbers have been seen, too */
		found += (int)round.found;
		if (!round.found && !round.vanished)
			break;
		if (round.found && kill->gathering)
			break; /* that there is anybody is enough to know: more will come */
		quiet = round.found ? 0 : quiet + 1;
		before = round;
		if (is_over(kill, &round))
			break;
	}
	kill->unread += before.vanished;
	return found;
}
