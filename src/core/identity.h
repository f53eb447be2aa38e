/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a name on the command line means, and what speaks for it. A value: the live system is not
 * asked. */
#ifndef NSKILL_CORE_IDENTITY_H
#define NSKILL_CORE_IDENTITY_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct identity {
	const char *name; /* as it was written; borrowed */
	pid_t pid;
	bool dated;	    /* it comes from a pidfile, and must be as old as that */
	uint64_t written;   /* when the pidfile was last written: ns of CLOCK_REALTIME */
	uint64_t tolerance; /* ns that a process may have started later than that */
};

/** The identity that a bare number on the command line is. */
struct identity identity_of_number(const char *name, pid_t pid);

/**
 * The identity that the pidfile at @path gives. 0, or a negative errno and @error (STATUS_REFUSED).
 * @path is kept as the name.
 */
int identity_of_file(const char *path, struct identity *identity, struct error *error);

#endif
