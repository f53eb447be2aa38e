/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan: what --dry-run with --json printed, to be carried out later. Pure: text in, a plan out.
 * What is said of targets and processes is believed only as far as they can be verified.
 */
#ifndef NSKILL_CORE_PLAN_H
#define NSKILL_CORE_PLAN_H

#include "core/identity.h"
#include "core/scope.h"

#define PLAN_NOWHERE SIZE_MAX

struct planned_target {
	struct identity identity;
	bool ended;   /* it was dead then, and so is its number's bearer another */
	size_t place; /* among the targets of the run; PLAN_NOWHERE: it is none of them */
};

enum planned_state {
	PLANNED_UNSEEN,	  /* nobody has looked yet */
	PLANNED_HERE,	  /* it has been found */
	PLANNED_GONE,	  /* nobody bears its PID */
	PLANNED_RECYCLED, /* another process does */
	PLANNED_GUARDED,  /* it is there, and must not be signalled by whoever we are */
};

struct planned {
	struct process process; /* PID, start, inode and command, as written down */
	struct scope why;	/* what tied it; of a cgroup, by its number alone */
	size_t target;		/* in the plan */
	enum planned_state state;
};

struct plan {
	char boot[BOOT_ID_SIZE];
	uint64_t pid_namespace; /* inode; 0: it could not be read */
	unsigned kinds;		/* SCOPE_BIT()s that were followed */
	bool all;		/* --all */
	int signal;
	struct planned_target *targets;
	size_t target_count;
	struct planned *processes; /* in the order in which they are signalled */
	size_t process_count;
};

/**
 * Read @text, of @size bytes. Returns 0 and writes @plan, which plan_clear() releases, or a
 * negative errno and @error (STATUS_REFUSED) with what is wrong, to be put behind the name of the
 * file.
 */
int plan_read(const char *text, size_t size, struct plan *plan, struct error *error);

/** The entry of one that has been found, PLANNED_HERE, which @process is; or NULL. */
struct planned *plan_find(const struct plan *plan, const struct process *process);

void plan_clear(struct plan *plan);

#endif
