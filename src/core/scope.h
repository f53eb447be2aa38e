/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scope is a process group, a session, a namespace or a cgroup, named by its kind and its number.
 * Descent (the tree) is a kind that can be asked for, too, but holds nobody by a number. A process
 * is in one scope of a kind; of cgroups in its own, and in each above that.
 */
#ifndef NSKILL_CORE_SCOPE_H
#define NSKILL_CORE_SCOPE_H

#include "core/process.h"

struct scope {
	enum scope_kind kind;
	uint64_t id; /* 0: unknown, equal to nothing; for the tree, the parent's PID; for io, the
			stream's inode */
	const struct cgroup *cgroup; /* of that kind: the cgroup itself, which tells those above */
};

/** The scope of that kind that @process is in, of cgroups its own; id 0: it is unknown. */
struct scope scope_of(const struct process *process, enum scope_kind kind);

/** Whether two scopes are the same one; an unknown scope is not even itself. */
bool scope_equal(struct scope a, struct scope b);

/** The scope that all in @scope are in, too; id 0: there is none, as always but with cgroups. */
struct scope scope_above(struct scope scope);

/** Whether @process is in @scope, or in one below it. */
bool scope_holds(struct scope scope, const struct process *process);

#endif
