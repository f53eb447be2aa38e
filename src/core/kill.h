/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends what belongs to the targets, against a deadline, and knows at the end what is left.
 *
 *  plan    look at everything, grow the claims, list the victims in order
 *  pin     a pidfd for each, read again, compare
 *  settle  before a KILL, stop all, where descent alone ties some or some have been born since, so
 *          that no fork slips out
 *  signal  first the init of a PID namespace that is followed, then cgroups and groups as a whole,
 *          then each in order
 *  await   chase newcomers; wait on the pidfds; after --kill-after, KILL
 *  prove   look at everything once more; if there is a member, again from pin
 */
#ifndef NSKILL_CORE_KILL_H
#define NSKILL_CORE_KILL_H

#include "core/killing.h"

/**
 * Look, and list who would be signalled, in order. Signals nothing. 0, or a negative errno and
 * @error; in both cases release @kill with kill_clear().
 */
int kill_plan(struct kill *kill, const struct kill_orders *orders, struct error *error);

/** Fill in the inodes of those who are listed: what tells them from all others of this boot. */
void kill_identify(struct kill *kill);

/**
 * Find out who of those who are listed may not be signalled: their error says so. They stay on the
 * list.
 */
void kill_foresee(struct kill *kill);

/**
 * The targets have ended by themselves since kill_plan(): look again, and list what they left, to
 * be ended until @deadline. @since: what numbers have been handed out meanwhile; the last one
 * before is known here. As kill_plan() does.
 */
int kill_plan_again(struct kill *kill, uint64_t deadline, const struct numbers *since,
		    struct error *error);

/**
 * With kill_orders.ask: what is listed is shown to somebody, who may take any time: note who that
 * is. From then on nobody else is signalled, but who is born of them. 0, or a negative errno
 * and @error.
 */
int kill_show(struct kill *kill, struct error *error);

/**
 * The answer is yes: look again, and list who was shown and is there still, to be ended until
 * @deadline. Who belongs by now and may not be signalled is on the list, too, as FATE_UNLISTED. As
 * kill_plan() does.
 */
int kill_resume(struct kill *kill, uint64_t deadline, struct error *error);

/**
 * Carry out what was planned until nothing of it is alive, the deadline has come, or somebody
 * interrupts; then kill->victims tell what became of each, and kill_alive() who is left. 0, or a
 * negative errno and @error when the system failed in between.
 */
int kill_carry_out(struct kill *kill, struct error *error);

void kill_clear(struct kill *kill);

#endif
