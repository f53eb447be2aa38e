/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to process groups: holding one, so that no later group of its number is taken for it. */
#ifndef NSKILL_LINUX_GROUP_H
#define NSKILL_LINUX_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * Hold the group of @number: the one that there is now, or that the process makes which bears it.
 * Returns a descriptor, or a negative errno. -ESRCH: nobody bears it, as his own, his group's or
 * his session's. -EMFILE: few descriptors are left, which others need more. -ENOSYS: the kernel
 * (before 5.12) does not tell when a group is empty.
 */
int group_hold(pid_t number);

/**
 * Whether nobody is in the group that @fd holds, not even a zombie. As long as somebody is, its
 * number is not handed out; and once it is empty and its leader reaped, nobody ever is again.
 */
bool group_is_empty(int fd);

/** Release what group_hold() returned, and make it -1. An error or -1 is allowed. */
void group_release(int *fd);

#endif
