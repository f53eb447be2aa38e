/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process as it was read at one moment, and a snapshot of many. Values only: nothing here looks
 * at the live system.
 */
#ifndef NSKILL_CORE_PROCESS_H
#define NSKILL_CORE_PROCESS_H

#include "core/kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define UID_UNKNOWN ((uid_t)-1)

/**
 * A cgroup, by its inode, which is handed out once (64 bits, fs/kernfs/dir.c), and where it is. A
 * value that never changes and outlives all that point to it: no cgroup is moved below another.
 */
struct cgroup {
	uint64_t id;
	const struct cgroup *parent; /* NULL: it is the root, as far as can be seen from here */
	const char *path;	     /* from the root, as proc_pid_cgroup(5) gives it: "/build/7" */
	const char *folder;	     /* where its files are */
};

struct process {
	pid_t pid;     /* 0: no process */
	pid_t tgid;    /* differs from pid when the number is a thread's */
	pid_t ppid;    /* 0: none that can be seen from here */
	pid_t pgrp;    /* 0: unknown */
	pid_t session; /* 0: unknown */
	int threads;   /* live and unreaped threads */
	char state;    /* the letter of proc_pid_stat(5); '?': it may not be read (hidepid) */
	bool kernel_thread;
	bool pidns_init;      /* PID 1 of some PID namespace (may be another's than ours) */
	uint64_t terminal;    /* device number of its controlling one; 0: it has none */
	uint64_t start_ticks; /* clock ticks since boot, in the initial time namespace's terms */
	union {
		/* inodes, in the order of the kinds; 0: unknown, or not asked for */
		uint64_t namespaces[SCOPE_NAMESPACES];
		uint64_t mntns; /* the first of them */
	};
	const struct cgroup *cgroup; /* NULL: unknown, or not asked for */
	uint64_t inode;	  /* inode of its pidfd, where pidfds have one of their own; 0: unknown */
	uid_t owner;	  /* of its folder in /proc; 0: root, or unknown */
	uid_t ruid, suid; /* real and saved user; UID_UNKNOWN where not read one by one */
	char command[64]; /* the kernel's name for it (comm), as libproc2 gives it */
	uint64_t writes;  /* STREAM_BIT()s: which of the streams of the run it writes to */
};

/** A namespace that some process in a snapshot is in, and what may be done with it. */
struct namespace
{
	uint64_t id;	 /* inode, which is no other's of whatever kind */
	uint64_t unique; /* is never handed out again; 0: unknown (before Linux 6.11) */
	enum scope_kind kind;
	bool first;  /* bears a mark of the host's first one */
	bool nested; /* its owner is known to be another user namespace than the first */
	bool ours;   /* the caller may take it: see namespace_describe() */
};

struct snapshot {
	struct process *processes; /* in order of PID */
	size_t count;
	struct namespace *namespaces; /* in order of id; every known id in @processes is in it */
	size_t namespace_count;
	struct process *closed; /* that may not be read (hidepid): PID, pgrp and session alone */
	size_t closed_count;
	size_t unreadable; /* processes of which a namespace could not be read */
	pid_t last_pid;	   /* the last PID handed out before the look began */
	uint64_t ticks;	   /* the time when the look began, in clock ticks since boot */
};

/**
 * Whether anything of @process still runs: a zombie with live threads does, a kernel thread never.
 */
bool process_alive(const struct process *process);

/** Whether it has been read: of one that may not be, its numbers are all that can be told. */
bool process_known(const struct process *process);

/**
 * Whether both are the same process as far as PID, start tick and (where both are known) inode
 * tell.
 */
bool process_same(const struct process *a, const struct process *b);

/** qsort(3) order of (start tick, PID). */
int process_compare_age(const void *a, const void *b);

/** The process with that PID, or NULL. */
struct process *snapshot_find(const struct snapshot *snapshot, pid_t pid);

/** The namespace with that id, or NULL. */
const struct namespace *snapshot_namespace(const struct snapshot *snapshot, uint64_t id);

/** Sort both lists as the members above promise. */
void snapshot_sort(struct snapshot *snapshot);

/** Free what the snapshot owns and make it empty. */
void snapshot_clear(struct snapshot *snapshot);

#endif
