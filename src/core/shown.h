/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list that somebody was asked about, and who came while he thought about it. A part of
 * core/kill.
 */
#ifndef NSKILL_CORE_SHOWN_H
#define NSKILL_CORE_SHOWN_H

#include "core/killing.h"

/** Before the first look: note which numbers have been handed out. */
void shown_begin(struct kill *kill);

/** Note who is listed now. 0 or -ENOMEM. */
int shown_note(struct kill *kill);

/** What has been handed out since shown_begin(); the last number before is left unknown. */
struct numbers shown_numbers(const struct kill *kill);

/**
 * Whether @process, a member, may be signalled: it was shown, or it was born of those who were. One
 * that is older than the list, or a child of somebody else, has joined since. An orphan of PID 1 is
 * nobody else's child.
 */
bool shown_admits(const struct kill *kill, const struct process *process);

/**
 * Target @t is dead, and may have been so for long: give up its number where that can be another's
 * by now, and nobody who was shown has borne it all the time. @snapshot is the first look since.
 */
void shown_doubt_number(struct kill *kill, size_t t, const struct snapshot *snapshot);

#endif
