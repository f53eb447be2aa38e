/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process groups that are held: of those it is certain whether a group of their number is still the
 * same. A part of core/kill. Without a hold nothing is wrong, but more is in doubt.
 */
#ifndef NSKILL_CORE_GROUPS_H
#define NSKILL_CORE_GROUPS_H

#include "core/killing.h"

/**
 * Before the first look: hold the groups of the targets, dead or alive, and those that --all takes
 * with them. What the look finds in a group that is not empty after it, it has found in the held
 * one.
 */
void groups_hold_targets(struct kill *kill);

/** Hold the group that @process leads or may lead yet: a member, which @ref has pinned. */
void groups_hold_member(struct kill *kill, const struct process *process, const struct pidref *ref);

/**
 * The group of @ref's number, if that is its own yet: a descriptor for groups_keep(), or a negative
 * errno; -ESTALE when @ref has been reaped, so that another can bear it.
 */
int groups_take_number(const struct pidref *ref);

/** Hold by @fd, or not if that is an error, for the member of target @t that bears @number. */
void groups_keep(struct kill *kill, size_t t, pid_t number, int fd);

/**
 * Whether @number, whose group or session @claim knows, is the same still: the group is held and
 * not empty, or the kernel says so of a leader that was pinned.
 */
bool groups_vouch(const struct kill *kill, const struct claim *claim, pid_t number);

/**
 * @process was read before now: notice when the group that it is in has the number of one that is
 * held, and empty. Whether it is so.
 */
bool groups_notice(const struct kill *kill, struct claim *claim, const struct process *process);

/** The claim for target @t has been made anew: what it held of others than the target goes. */
void groups_renew(struct kill *kill, size_t t, const struct member *before);

/** pidref_open(), for which all holds are given up where it lacks a descriptor. */
int groups_yield_to(struct kill *kill, struct pidref *ref, pid_t pid);

/** Give up all. */
void groups_clear(struct kill *kill);

#endif
