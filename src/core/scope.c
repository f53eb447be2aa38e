/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/scope.h"

struct scope scope_of(const struct process *process, enum scope_kind kind)
{
	struct scope scope = { .kind = kind };

	switch (kind) {
	case SCOPE_PGRP:
		scope.id = (uint64_t)process->pgrp;
		break;
	case SCOPE_SESSION:
		scope.id = (uint64_t)process->session;
		break;
	case SCOPE_TREE:
		scope.id = (uint64_t)process->ppid;
		break;
	case SCOPE_KINDS:
		break;
	default:
		scope.id = process->namespaces[kind - SCOPE_MNT];
	}
	return scope;
}

bool scope_equal(struct scope a, struct scope b)
{
	return a.id && a.kind == b.kind && a.id == b.id;
}
