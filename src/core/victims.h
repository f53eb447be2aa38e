/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The killer's list: who is on it, signalled, ended. A part of core/kill. */
#ifndef NSKILL_CORE_VICTIMS_H
#define NSKILL_CORE_VICTIMS_H

#include "core/killing.h"

/**
 * Make @process a member of the claim of @target, for @why, and of each other that holds it: one
 * target may lead where the other does not. 0 or -ENOMEM.
 */
int victims_claim(struct kill *kill, const struct process *process, struct scope why,
		  size_t target);

/**
 * Put every living member that is new in the claims on the list, in order. How many of them are to
 * be signalled, or -ENOMEM.
 */
int victims_enlist(struct kill *kill);

/**
 * Put on it @process, who cannot be signalled: it is gone, or (EVENT_DENIED) must not be; @event
 * tells. 0 or -ENOMEM.
 */
int victims_add_missing(struct kill *kill, const struct process *process, struct scope why,
			size_t target, enum kill_event event);

/** Put on it who belongs and may not be read: denied. 0 or -ENOMEM. */
int victims_deny_closed(struct kill *kill, const struct snapshot *snapshot);

/** Put on it who may belong, which cannot be known: to be left, and said to be. 0 or -ENOMEM. */
int victims_doubt(struct kill *kill, const struct snapshot *snapshot);

/** The same for one that a look may never see, as long as nobody else there is on it. */
int victims_doubt_newcomer(struct kill *kill, const struct process *process);

/** Put on the list @process, pinned by @ref (which the list takes over). 0 or a negative errno. */
int victims_add_pinned(struct kill *kill, const struct process *process, struct scope why,
		       size_t target, struct pidref *ref, struct victim **added);

/** It cannot be signalled, which is said at the end; @signal is what it was to get. */
void victim_deny(struct kill *kill, struct victim *victim, int error, int signal);

/** It may be another by now, or another's: it is left, and said to be. */
void victim_doubt(struct kill *kill, struct victim *victim);

/** Send @signal to @victim, and SIGCONT after a signal that a stopped process would not get. */
void victim_signal(struct kill *kill, struct victim *victim, int signal);

/**
 * Whether some target that @process belongs to may name it: a file of another user speaks for
 * processes of that user alone.
 */
bool victims_may_name(const struct kill *kill, const struct process *process);

/** Let @victim be: the file that named its target is another user's, and may not name it. */
void victim_leave(struct kill *kill, struct victim *victim);

/** Note that @victim has ended, and let go of it. */
void victim_bury(struct kill *kill, struct victim *victim, enum fate fate);

/** Whether @victim is pinned and nothing is known to stand in its way. */
bool victim_is_pending(const struct victim *victim);

/** Nobody gets the same signal twice, and newcomers none before that of --kill-after. */
bool victim_is_due(const struct kill *kill, const struct victim *victim);

/**
 * Wait until somebody on the list has ended, an interrupt has come (kept in kill->interrupt), or
 * clock_now() is @until, and bury who has ended. 0 or a negative errno.
 */
int victims_wait(struct kill *kill, uint64_t until);

/** Bury all whose pidfd says that they have ended. */
void victims_reap(struct kill *kill);

#endif
