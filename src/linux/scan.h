/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to /proc, through libproc2: all processes, one process, and who came since. */
#ifndef NSKILL_LINUX_SCAN_H
#define NSKILL_LINUX_SCAN_H

#include "core/error.h"
#include "core/process.h"
#include "core/scope.h"

struct scan;

enum scan_flags {
	SCAN_INITS = 1, /* fill in pidns_init of processes outside the initial namespaces */
};

/**
 * Open the door, to read of namespaces and the cgroup those of @kinds (SCOPE_BIT()s), and always
 * the mount namespace. 0 and @scan, which scan_close() frees, or a negative errno and @error.
 */
int scan_open(struct scan **scan, unsigned kinds, struct error *error);

void scan_close(struct scan *scan);

/**
 * Read every process there is: all that may be seen, or it is an error. 0 and @snapshot, which
 * snapshot_clear() releases, or a negative errno and @error. A process's inode is filled in only
 * where age may not be told without it: for those in a namespace or cgroup who started in the same
 * tick, and before all others there. What it tells of cgroups is @scan's, and lasts as long.
 */
int scan_all(struct scan *scan, unsigned flags, struct snapshot *snapshot, struct error *error);

/** Those whom a look is about. */
struct scan_area {
	pid_t self;		   /* nskill's own PID */
	unsigned kinds;		   /* of scopes by which they lead on (SCOPE_BIT()s) */
	const struct scope *seeds; /* whom to begin with; of SCOPE_TREE, the process itself */
	size_t count;
};

/**
 * The same of those alone who are in one of the seeds, and of all to whom these lead: who shares a
 * group, a session or a namespace with them, or is in a group or a session that they lead, and
 * their children. By what nskill, an ancestor of it or PID 1 is in nobody is led to, but for the
 * groups and sessions of the seeds. These guards and the leaders of groups and sessions are read,
 * too. May read more than that.
 */
int scan_around(struct scan *scan, unsigned flags, const struct scan_area *area,
		struct snapshot *snapshot, struct error *error);

/**
 * Read one process, or the thread with that id (tgid tells). 0, -ESRCH when it is gone, -EACCES
 * when it is there but may not be seen, or an errno of reading that lasted.
 */
int scan_process(struct scan *scan, pid_t pid, struct process *process);

/** Fill in the inode of @process if it is there still, and the process that was read. */
void scan_inode(struct scan *scan, struct process *process);

/**
 * The quickest look: pid, pgrp, session, and of namespaces and the cgroup those of @kinds
 * (SCOPE_BIT()s), alone. Those of a thread, too. 0 or -ESRCH.
 */
int scan_peek(struct scan *scan, pid_t pid, unsigned kinds, struct process *process);

/** The last PID that was handed out in our PID namespace. 0 or a negative errno. */
int scan_last_pid(struct scan *scan, pid_t *pid);

/** kernel.pid_max: PIDs are below it. */
pid_t scan_pid_max(void);

/**
 * The children of every thread of @pid, in *@children (free() it). Their number, or a negative
 * errno.
 */
int scan_children(struct scan *scan, pid_t pid, pid_t **children);

/** Whether every thread of @pid is stopped or dead. */
bool scan_stopped(struct scan *scan, pid_t pid);

/** Whether @pid is in a frozen cgroup of the v1 freezer, whose hierarchy is where it usually is. */
bool scan_frozen(pid_t pid);

/** Who traces @pid. 0 and @tracer, or -ESRCH: nobody that can be seen from here. */
int scan_tracer(struct scan *scan, pid_t pid, struct process *tracer);

/** The kernel function that @pid waits in, "" where unknown, cut to @size bytes. */
void scan_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size);

#endif
