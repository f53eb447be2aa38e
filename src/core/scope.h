/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scope is a process group, a session or a mount namespace, named by its kind and its number.
 * Descent (the tree) is a kind that can be asked for, too, but holds nobody by a number.
 */
#ifndef NSKILL_CORE_SCOPE_H
#define NSKILL_CORE_SCOPE_H

#include "core/process.h"

enum scope_kind {
	SCOPE_PGRP,
	SCOPE_SESSION,
	SCOPE_MNT,
	SCOPE_TREE,
	SCOPE_KINDS,		  /* how many there are */
	SCOPE_NAMED = SCOPE_TREE, /* how many of them, the first, have a number that is shared */
};

#define SCOPE_BIT(kind) (1U << (kind))
#define SCOPE_DEFAULT                                                                              \
	(SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_SESSION) | SCOPE_BIT(SCOPE_MNT) |                 \
	 SCOPE_BIT(SCOPE_TREE))

struct scope {
	enum scope_kind kind;
	uint64_t id; /* 0: unknown, equal to nothing; for the tree, the parent's PID */
};

/** The word for a kind on the command line and in listings: "pgrp", "session", "mnt", "tree". */
const char *scope_kind_name(enum scope_kind kind);

/** The scope of that kind that @process is in; its id is 0 where it is unknown. */
struct scope scope_of(const struct process *process, enum scope_kind kind);

/** Whether two scopes are the same one; an unknown scope is not even itself. */
bool scope_equal(struct scope a, struct scope b);

#endif
