/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot, indexed: who is in which scope, who is whose child, and who is older. Pure. */
#ifndef NSKILL_CORE_LOOK_H
#define NSKILL_CORE_LOOK_H

#include "core/process.h"
#include "core/scope.h"

/* That @process is in the scope @id. */
struct entry {
	uint64_t id;
	const struct process *process;
};

struct index {
	struct entry *sorted; /* for one kind of scope, by its number, then age */
	size_t count;
};

struct look {
	const struct snapshot *snapshot; /* borrowed */
	struct index by[SCOPE_KINDS];
};

/** Index @snapshot. 0 or -ENOMEM; release with look_close(), before the snapshot. */
int look_open(struct look *look, const struct snapshot *snapshot);

void look_close(struct look *look);

/**
 * Walk the processes of @scope, oldest first: *@place starts at 0 and is the walk's own. NULL: the
 * end.
 */
const struct process *look_next(const struct look *look, struct scope scope, size_t *place);

/**
 * Somebody alive in @scope who is older than @member, or NULL. Age is by start tick; on a tie an
 * ancestor is the older, then the lower pidfd inode, and otherwise nobody.
 */
const struct process *look_older(const struct look *look, struct scope scope,
				 const struct process *member);

/** A process in @scope that is the init of a PID namespace, or NULL. */
const struct process *look_pidns_init(const struct look *look, struct scope scope);

#endif
