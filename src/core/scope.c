/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/scope.h"

static struct scope scope_of_cgroup(const struct cgroup *cgroup)
{
	return (struct scope){ .kind = SCOPE_CGROUP,
			       .id = cgroup ? cgroup->id : 0,
			       .cgroup = cgroup };
}

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
	case SCOPE_CGROUP:
		return scope_of_cgroup(process->cgroup);
	case SCOPE_IO:
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

struct scope scope_above(struct scope scope)
{
	if (scope.cgroup)
		return scope_of_cgroup(scope.cgroup->parent);
	return (struct scope){ .kind = scope.kind };
}

bool scope_holds(struct scope scope, const struct process *process)
{
	struct scope at = scope_of(process, scope.kind);

	while (at.id && !scope_equal(at, scope))
		at = scope_above(at);
	return scope_equal(at, scope);
}
