/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to namespaces: who is in which, holding one, and whose it is. */
#ifndef NSKILL_LINUX_NAMESPACE_H
#define NSKILL_LINUX_NAMESPACE_H

#include "core/process.h"

/** A namespace that is held, so that its inode stays its own. */
struct held_namespace {
	enum scope_kind kind;
	uint64_t inode;
	int fd;
};

/**
 * The id (inode) of the namespace of that kind that @process is in; of a leader that has ended
 * before its threads, as @process tells, that of a live thread. 0, or -EACCES and the like when it
 * may not be read, -ESRCH or -ENOENT when there is none (any more).
 */
int namespace_read(const struct process *process, enum scope_kind kind, uint64_t *id);

/**
 * Hold the namespace of that kind that @process is in, so that its id is not handed out again.
 * Returns a descriptor, or a negative errno; -ESTALE when it is not the one that @process tells.
 */
int namespace_pin(const struct process *process, enum scope_kind kind);

/** Release what namespace_pin() returned, and make it -1. An error or -1 is allowed. */
void namespace_unpin(int *fd);

/**
 * The 64-bit id of the mount namespace that @fd holds, which is never handed out again. 0 or a
 * negative errno: before Linux 6.11 there is none.
 */
int namespace_unique_id(int fd, uint64_t *id);

/**
 * Whether the user namespace that process @pid lives in, or one above that, was made by @user.
 * False where that cannot be told.
 */
bool namespace_user_is(pid_t pid, uid_t user);

/** Whether we are in the first user namespace, where every user is who he is. */
bool namespace_is_first_user(void);

/**
 * Say of the namespace of that kind that @process is in whether it looks like the host's first,
 * whether it is owned by another user namespace than the first, and whether the caller may take it:
 * with CAP_SYS_PTRACE over it, or where the user namespace that owns it, or one above that, was
 * made by the caller. What may not be read is false. 0, or a negative errno when @process could not
 * be looked at, and another one in the same namespace should be: then what could not be read is
 * false.
 */
int namespace_describe(const struct process *process, enum scope_kind kind,
		       struct namespace *described);

/** The same of one that is held, whether or not anybody is in it. */
int namespace_describe_held(const struct held_namespace *held, struct namespace *described);

#endif
