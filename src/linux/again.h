/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Retry while the process is still there: only an error that persists counts. */
#ifndef NSKILL_LINUX_AGAIN_H
#define NSKILL_LINUX_AGAIN_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#define TRIES 3

/** Whether nobody bears @pid any more, which is told without /proc and without a descriptor. */
static inline bool is_gone(pid_t pid)
{
	return getpgid(pid) < 0 && errno == ESRCH;
}

/** Whether an error says that one may not look, or that there is nothing (any more) to look at. */
static inline bool is_refusal(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -ENOENT || rc == -ESRCH;
}

#endif
