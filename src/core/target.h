/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target: an identity held against the live system, and pinned there. */
#ifndef NSKILL_CORE_TARGET_H
#define NSKILL_CORE_TARGET_H

#include "core/past.h"
#include "core/process.h"
#include "linux/namespace.h"
#include "linux/pidref.h"
#include "linux/scan.h"

#include <errno.h>

struct target {
	const char *name;	/* as it was written; borrowed */
	struct process process; /* of one that is gone: PID and birth alone */
	bool dead; /* a zombie or gone: whoever is in the group or session of its number leads on */
	bool reused;   /* gone, and its number is another's: nobody is in its group or session */
	bool over;     /* from before this boot: nothing of it is left */
	bool recorded; /* a record tells its mount namespaces: stand-ins need not lead to them */
	bool owned;    /* may name only processes of @owner */
	uid_t owner;
	struct pidref ref; /* null when it is gone */
	int group;	   /* what group_hold() said of its number before it was read */
	struct held_namespace held[SCOPE_NAMESPACES]; /* of a live one, those that it is in */
	size_t held_count;
	struct past past; /* what a record told of it */
	char note[512];	  /* what became of it, for --verbose; empty when it is alive and meant */
	bool note_aloud;  /* without --verbose, too */
	uint64_t born_by; /* the latest tick that it can have started in */
	uint64_t born_as; /* the inode of its pidfd, of a dead one as it was told; 0: unknown */
	struct stream outputs[IDENTITY_OUTPUTS]; /* what it had as output, as was written down */
	size_t output_count;
};

#define TARGET_NULL ((struct target){ .ref = PIDREF_NULL, .group = -EBADF })

/**
 * Find, pin and check who @identity means; nskill itself, whose PID is @self, and its ancestors are
 * refused. Returns 0 and writes @target, which target_close() releases, or a negative errno and
 * @error: STATUS_REFUSED when it cannot be trusted or identified, STATUS_SYSTEM when the system
 * does not answer. Nothing is signalled.
 */
int target_open(struct target *target, const struct identity *identity, pid_t self,
		struct scan *scan, struct error *error);

/** Whether the file that named @target may name @process, too: it is its owner's. */
bool target_may_name(const struct target *target, const struct process *process);

void target_close(struct target *target);

#endif
