/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to cgroups: which hierarchy counts, who is in which, and the end of one as a whole.
 *
 * Of the hierarchies that are mounted, and shown from where our own paths count, the unified one
 * (v2) counts, or else v1's `pids`, or else a named one; but one without any cgroup below its root
 * only when no other has one: on hybrid machines the unified one may lie idle, and everything that
 * tells processes apart be in v1. One hierarchy counts for all: what two tell of one process cannot
 * be held against each other.
 */
#ifndef NSKILL_LINUX_CGROUP_H
#define NSKILL_LINUX_CGROUP_H

#include "core/process.h"

struct cgroups;

/** Find the hierarchy. 0 and @cgroups, with none where there is none, or a negative errno. */
int cgroups_open(struct cgroups **cgroups);

/** Free it, and every cgroup that it has told of. NULL is allowed. */
void cgroups_close(struct cgroups *cgroups);

/**
 * The cgroup that @process is in. 0, also with NULL where it is outside of what is mounted; or a
 * negative errno.
 */
int cgroups_read(struct cgroups *cgroups, const struct process *process,
		 const struct cgroup **cgroup);

/** Between these many processes are read: each path is looked up once, and once more at the end. */
void cgroups_begin(struct cgroups *cgroups);

/** Where a path has become another cgroup's meanwhile, those who were found at it are unknown. */
void cgroups_end(struct cgroups *cgroups, struct snapshot *snapshot);

/** A cgroup that can be ended as a whole. */
struct cgroup_ref {
	int folder;
	int kill; /* cgroup.kill, to be written */
};

#define CGROUP_REF_NULL ((struct cgroup_ref){ -1, -1 })

/** 0, -ESTALE when it is gone, or another negative errno when it cannot be ended so. */
int cgroup_open(struct cgroup_ref *ref, const struct cgroup *cgroup);

void cgroup_close(struct cgroup_ref *ref);

/**
 * Who is in it and below, in *@pids (free() it): the processes, as we number them; 0 for one of
 * another PID namespace. Their number, or a negative errno.
 */
int cgroup_list(const struct cgroup_ref *ref, pid_t **pids);

/** KILL all in it and below, those who are being born, too. 0 or a negative errno. */
int cgroup_kill(const struct cgroup_ref *ref);

#endif
