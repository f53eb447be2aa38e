/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a number is a member's still, or another process has it by now. A part of core/kill.
 *
 * A number is free again when nobody bears it as PID, group or session. Who takes it then may lead
 * a group and a session of that number, and be gone again before he is seen.
 */
#ifndef NSKILL_CORE_REUSE_H
#define NSKILL_CORE_REUSE_H

#include "core/killing.h"

/** @process was read just now: if it bears the number of a member, notice when it is not that. */
void reuse_notice(struct kill *kill, const struct process *process);

/**
 * Before @process, which was read just now, is held to belong by its parent, group or session:
 * notice when the number of that has gone to another process.
 */
void reuse_notice_ties(struct kill *kill, const struct process *process);

/**
 * Who is found from now on is of a new round: the last number is about to be asked for, or those up
 * to it have been looked at.
 */
void reuse_begin_round(struct kill *kill);

/**
 * Numbers are handed out in order, and have come past @number since kill->last_pid was the last
 * one: notice when nobody who is known to be from before has borne it all the time, as its own, its
 * group's or its session's, so that it may be another's. Who was born before has been looked at.
 */
void reuse_notice_passed(struct kill *kill, pid_t number);

/** The same for all numbers up to @last, which was read after @snapshot. */
void reuse_notice_passed_in(struct kill *kill, const struct snapshot *snapshot, pid_t last);

/**
 * Those whom @snapshot has brought in are of this round only if their numbers have been handed out
 * while it was taken, up to @last. The others were there before.
 */
void reuse_note_elders(struct kill *kill, const struct snapshot *snapshot, pid_t last);

#endif
