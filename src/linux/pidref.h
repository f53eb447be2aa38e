/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to pidfds. A pidref is a process that no later owner of its PID can slip into: what is
 * signalled through it is the process that bore the PID when it was opened, or nobody.
 */
#ifndef NSKILL_LINUX_PIDREF_H
#define NSKILL_LINUX_PIDREF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pidref {
	pid_t pid;
	int fd;		/* -1: the null reference */
	uint64_t inode; /* unique for this boot where the kernel has pidfs (6.9), otherwise 0 */
};

#define PIDREF_NULL ((struct pidref){ .fd = -1 })

/**
 * Pin the process that bears @pid now. Returns 0 and writes @ref, which pidref_close() releases.
 * -ESRCH: nobody bears it. -ENOENT or -EINVAL: a thread's id, or (-EINVAL) a process on its way
 * out. -EMFILE, -ENFILE, -ENOMEM: no room. Any error is one that lasted.
 */
int pidref_open(struct pidref *ref, pid_t pid);

/**
 * Raise the soft limit of open files to the hard one. pidref_open() leaves a few below the limit
 * free for reading /proc, and answers -EMFILE before they are used up.
 */
void pidref_raise_limit(void);

/**
 * Send @signal. 0; -ESRCH when it has been reaped, which it is held to be only when it has ended,
 * too; -EPERM or -EACCES when it may not be.
 */
int pidref_signal(const struct pidref *ref, int signal);

/**
 * Send @signal to the whole process group that bears @ref's PID, at once. Success means that one
 * member at least was reached. -EINVAL: the kernel (before 6.9) cannot.
 */
int pidref_signal_group(const struct pidref *ref, int signal);

/** Whether its whole thread group has ended (it may be a zombie still). */
int pidref_ended(const struct pidref *ref);

/**
 * Whether the number of @ref, which need not be open any more, is known to be the one that it bore:
 * it has not been free since, though by now only a group or a session may bear it. False where that
 * is not told (before Linux 6.14).
 */
bool pidref_keeps_number(const struct pidref *ref);

/** Release @ref and make it null. A null reference is allowed. */
void pidref_close(struct pidref *ref);

#endif
