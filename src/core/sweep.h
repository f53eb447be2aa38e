/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strike that ends a cgroup as a whole, with no gap for a fork. A part of core/kill. */
#ifndef NSKILL_CORE_SWEEP_H
#define NSKILL_CORE_SWEEP_H

#include "core/killing.h"

/**
 * End as a whole each cgroup that fell and holds somebody who is due KILL, where the kernel can
 * (cgroup.kill, Linux 5.14), this user may, and every process in it and below is a member. Who is
 * not struck is left to the individual signals, which follow all the same.
 */
void sweep_cgroups(struct kill *kill);

#endif
