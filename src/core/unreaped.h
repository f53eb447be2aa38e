/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whoever belonged to the targets and is dead, but is a zombie still: its parent has to reap it. */
#ifndef NSKILL_CORE_UNREAPED_H
#define NSKILL_CORE_UNREAPED_H

#include "core/killing.h"

struct unreaped {
	struct process process;
	struct process parent; /* pid 0: not to be seen from here */
};

/**
 * Look for those among all who have belonged to the targets. How many there are, and @list, to be
 * freed; or -ENOMEM.
 */
int unreaped_find(const struct kill *kill, struct unreaped **list);

#endif
