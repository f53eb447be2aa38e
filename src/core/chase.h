/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chase: who was born since the last look has a PID between the last one handed out then and
 * the last one now. Those alone are looked at, and struck on sight. A part of core/kill.
 */
#ifndef NSKILL_CORE_CHASE_H
#define NSKILL_CORE_CHASE_H

#include "core/killing.h"

/**
 * Look for newcomers that belong to a target, and signal them, until there are none, or none has
 * been found for a while though some vanished unread, or time is up. Newcomers are pinned and
 * listed only while a --kill-after is still to come. How many were found, or a negative errno.
 */
int chase(struct kill *kill);

#endif
