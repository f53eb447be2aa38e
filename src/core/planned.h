/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who of a plan is still there, and who is not. A part of core/kill. */
#ifndef NSKILL_CORE_PLANNED_H
#define NSKILL_CORE_PLANNED_H

#include "core/killing.h"

/**
 * The first look, after the claims have grown: whoever of kill->orders.plan is in it belongs,
 * whether or not anything ties it still. How many have been added to the claims, or -ENOMEM.
 */
int planned_join(struct kill *kill, const struct snapshot *snapshot);

/** Put on the list, as vanished, who of the plan is gone, and tell of each. 0 or -ENOMEM. */
int planned_miss(struct kill *kill);

#endif
