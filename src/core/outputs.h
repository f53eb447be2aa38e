/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs of the targets: what these have as standard output and error, and who writes to that.
 * A part of core/kill. Files are looked at only when the orders ask for it.
 */
#ifndef NSKILL_CORE_OUTPUTS_H
#define NSKILL_CORE_OUTPUTS_H

#include "core/holders.h"
#include "core/killing.h"

/**
 * Whether to tell what the targets' outputs are, or at a later look whose they are, everybody must
 * be looked at, and not only those who can belong to the targets: a terminal may be an older
 * process's own, and of the dead others tell.
 */
bool outputs_need_all(const struct kill *kill);

/**
 * Find out what the targets have as output: of a dead one what was written down, or what those who
 * stand in for it in @snapshot have.
 */
void outputs_find(struct kill *kill, const struct snapshot *snapshot);

/** Fill in what everybody in @snapshot writes to, and count of whom that cannot be seen. */
void outputs_look(struct kill *kill, struct snapshot *snapshot);

/** The same for one process, where that may tie it. 0, or -EMFILE: too few descriptors to look. */
int outputs_read(struct kill *kill, struct process *process);

/**
 * The quickest look at @process, whose pidfd has that @inode, where that tells that it is younger
 * than every target: inodes rise with birth (Linux 6.9). Its number alone does not. Whether it
 * writes to any of them.
 */
bool outputs_peek(struct kill *kill, uint64_t inode, struct process *process);

/**
 * Look who writes to them now. 0 and @holders, which holders_clear() releases, or a negative errno
 * and @error.
 */
int outputs_holders(struct kill *kill, struct holders *holders, struct error *error);

void outputs_close(struct kill *kill);

#endif
