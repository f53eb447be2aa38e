/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of linux/scan share: reading /proc through libproc2. */
#ifndef NSKILL_LINUX_READING_H
#define NSKILL_LINUX_READING_H

#include "core/process.h"

#define KTHREADD 2

struct pids_info;
struct cgroups;

struct scan {
	struct pids_info *all;	   /* what stat alone tells */
	struct pids_info *one;	   /* the same and the Tgid, which costs a read of status */
	struct pids_info *details; /* the wait channel */
	int loadavg;		   /* -1: not to be had from procfs */
	unsigned kinds;		   /* of namespace, that are read */
	struct cgroups *cgroups;   /* NULL: not asked for */
	bool exhausted;		   /* libproc2 has had no memory: called again, it can crash */
	bool forgetful;		   /* it leaves descriptors open: see linux/selection */
	unsigned rests;		   /* how often a read may still be waited for, in the whole run */
};

struct pids {
	pid_t *list;
	size_t count;
};

/** Make ready to read. 0, or a negative errno: then reading_close() is still to be called. */
int reading_open(struct scan *scan);

void reading_close(struct scan *scan);

/** Append @pid. 0 or -ENOMEM. The list is to be freed by the caller. */
int pids_append(struct pids *pids, pid_t pid);

/** All PIDs in /proc, which are appended in its order: theirs. 0 or a negative errno. */
int reading_list(struct pids *pids);

/**
 * Read all processes, and append them to @snapshot, in the order of their PIDs, but those whom
 * libproc2 passes over since it could not read them, and all behind a failure to read /proc. 0 or a
 * negative errno.
 */
int reading_all(struct scan *scan, struct snapshot *snapshot);

/**
 * Read those processes, and append them to @snapshot, but those that are gone or may not be seen.
 * @pids is used up. 0 or a negative errno.
 */
int reading_some(struct scan *scan, pid_t *pids, size_t count, struct snapshot *snapshot);

struct scan_area;

/**
 * Read who is in @area (see scan_around()), and append them to @snapshot. Needs
 * reading_tells_children(), and cannot tell who is in a cgroup. 0 or a negative errno.
 */
int reading_around(struct scan *scan, const struct scan_area *area, struct snapshot *snapshot);

/**
 * Read the namespaces of @kinds that @process is in; 0 (unknown) where one may not be read. 1: that
 * is so for a process that lives; 0, or the errno of a read that failed for another reason.
 */
int reading_namespaces(struct process *process, unsigned kinds);

/** The same of its cgroup; and of all that is asked for. */
int reading_cgroup(const struct scan *scan, struct process *process);
int reading_scopes(const struct scan *scan, struct process *process);

/**
 * Read one process, or the thread with that id, but not its scopes. Once: 0, -ESRCH when it is
 * gone, or why it could not be read.
 */
int reading_one(struct scan *scan, pid_t pid, struct process *process);

/**
 * The parent of @process, which is read again, and written there, when the one that it was read
 * with has ended since.
 */
pid_t reading_parent(struct scan *scan, struct process *process);

/** Wait a moment for one who is on his way out. False: that has been done often enough. */
bool reading_rest(struct scan *scan);

/** Whether every thread of @pid is stopped or dead. */
bool reading_stopped(struct scan *scan, pid_t pid);

/** The kernel function that @pid waits in, "" where unknown. */
void reading_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size);

/** The line of its status that begins with @name (proc_pid_status(5)). 0 or a negative errno. */
int reading_status(pid_t pid, const char *name, char *line, int size);

/** Whether the kernel tells the children of a process (CONFIG_PROC_CHILDREN). */
bool reading_tells_children(void);

/**
 * Append the children of every thread of @process, of which pid and threads count. 0 or a negative
 * errno.
 */
int reading_children(struct scan *scan, const struct process *process, struct pids *children);

#endif
