/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where PIDs and start ticks mean what they mean here: this boot, and our PID namespace. */
#ifndef NSKILL_CORE_ORIGIN_H
#define NSKILL_CORE_ORIGIN_H

#include "core/identity.h"

struct origin {
	char boot[BOOT_ID_SIZE]; /* empty: it cannot be told */
	uint64_t pid_namespace;	 /* inode; 0: it cannot be told */
};

/** That of the process @self, which is ours. */
void origin_read(struct origin *origin, pid_t self);

#endif
