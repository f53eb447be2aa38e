/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to waiting: for pinned processes to end, for somebody's interrupt, and for the clock. */
#ifndef NSKILL_LINUX_WATCH_H
#define NSKILL_LINUX_WATCH_H

#include "linux/pidref.h"

#include <stddef.h>

struct watch {
	int epoll;
	int interrupts; /* a signalfd */
};

#define WATCH_NULL ((struct watch){ .epoll = -1, .interrupts = -1 })

/**
 * Start to watch for SIGINT, SIGTERM, SIGHUP and SIGQUIT, but for those that are ignored; from now
 * on only watch_wait() reports them. Returns 0 or a negative errno. watch_close() releases it; the
 * signals stay blocked.
 */
int watch_open(struct watch *watch);

/**
 * Watch for the end of @ref too; @data is what watch_wait() hands back. Ends with pidref_close().
 */
int watch_add(struct watch *watch, const struct pidref *ref, void *data);

/**
 * Wait until a watched process has ended, an interrupt has come, or clock_now() is @until.
 * Returns how many of the @size places of @ended were filled with the data of processes that have
 * ended (0 when time was up), or -EINTR with the number of the signal in @signal, or another errno.
 */
int watch_wait(struct watch *watch, uint64_t until, void **ended, size_t size, int *signal);

/** Forget interrupts: from now on watch_wait() returns for processes and the clock alone. */
void watch_ignore_interrupts(struct watch *watch);

void watch_close(struct watch *watch);

#endif
