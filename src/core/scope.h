/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scope is a process group, a session or a namespace, named by its kind and its number.
 * Descent (the tree) is a kind that can be asked for, too, but holds nobody by a number.
 */
#ifndef NSKILL_CORE_SCOPE_H
#define NSKILL_CORE_SCOPE_H

#include "core/process.h"

struct scope {
	enum scope_kind kind;
	uint64_t id; /* 0: unknown, equal to nothing; for the tree, the parent's PID */
};

/** The scope of that kind that @process is in; its id is 0 where it is unknown. */
struct scope scope_of(const struct process *process, enum scope_kind kind);

/** Whether two scopes are the same one; an unknown scope is not even itself. */
bool scope_equal(struct scope a, struct scope b);

#endif
