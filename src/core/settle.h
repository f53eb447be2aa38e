/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops what could fork between the look and the kill, so that no child slips out of it: everybody,
 * when there is somebody whom descent alone ties, or kills are answered with forks. A part of
 * core/kill.
 */
#ifndef NSKILL_CORE_SETTLE_H
#define NSKILL_CORE_SETTLE_H

#include "core/killing.h"

/**
 * Stop them, wait (for a bounded time) until every thread of them stands still, and list their
 * children, until there is no new one. Only when a KILL follows. 0 or a negative errno; an
 * interrupt is kept in kill->interrupt, and the KILL must follow all the same.
 */
int settle(struct kill *kill);

#endif
