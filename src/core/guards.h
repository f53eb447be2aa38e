/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who must never be signalled, whatever was asked for: nskill, its ancestors and PID 1. */
#ifndef NSKILL_CORE_GUARDS_H
#define NSKILL_CORE_GUARDS_H

#include "core/process.h"
#include "core/scope.h"

/** A scope that holds one of these is never followed either. */
struct guards {
	struct process *processes; /* owned; the first is nskill itself */
	size_t count;
};

/**
 * Read from @snapshot who is guarded, @self being nskill. 0, -ENOMEM, or -ESRCH when nskill itself
 * is not in it; release with guards_clear().
 */
int guards_read(struct guards *guards, const struct snapshot *snapshot, pid_t self);

void guards_clear(struct guards *guards);

/** Whether the process with that PID must never be signalled. */
bool guards_hold_pid(const struct guards *guards, pid_t pid);

/** The eldest guarded process that is in @scope, or NULL. */
const struct process *guards_in(const struct guards *guards, struct scope scope);

/**
 * Whether @namespace is the host's: it bears a mark of that, or is a mount namespace, whose mark is
 * not sure on every kernel, and nskill or an ancestor is in it; and no other user namespace than
 * the first is known to own it.
 */
bool guards_know_as_initial(const struct guards *guards, const struct namespace *namespace);

#endif
