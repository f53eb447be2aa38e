/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can still be told of a target that is dead: when it was born, who stands in for it, whether
 * they may, and what became of the mount namespaces that were written down. A part of core/target.
 */
#ifndef NSKILL_CORE_PAST_H
#define NSKILL_CORE_PAST_H

#include "core/identity.h"
#include "linux/namespace.h"
#include "linux/scan.h"

struct past {
	struct held_namespace *namespaces; /* the recorded ones that are still there */
	size_t namespace_count;
	uint64_t born_by;  /* of one that is gone: the latest tick that it can have started in */
	bool traceless;	   /* nobody stands in, and nothing tells its birth */
	uint64_t stranger; /* a recorded inode that is another namespace's by now, or 0 */
};

/** Nanoseconds of CLOCK_REALTIME when a process that started at @ticks, as we read it, did so. */
uint64_t past_wall(uint64_t ticks);

/** "PID 5 (from /run/x.pid)", or "PID 5" when it was given as a number. Returns @text. */
const char *past_name(const struct identity *identity, char *text, size_t size);

/**
 * Find and hold the recorded mount namespaces that are still there. 0 or a negative errno and
 * @error.
 */
int past_open(struct past *past, const struct identity *identity, struct scan *scan,
	      struct error *error);

/** The earliest tick that it can have started in, as @identity tells; 0: that tells nothing. */
uint64_t past_told_birth(const struct identity *identity);

/**
 * The birth of a process that is gone, in clock ticks since boot; @self is nskill's own PID. 0; or
 * a negative errno and @error, STATUS_REFUSED where those who bear its number may be another's.
 */
int past_birth(struct past *past, const struct identity *identity, pid_t self, struct scan *scan,
	       uint64_t *birth, struct error *error);

/**
 * By when the process that @identity means was born at the latest, if it is gone and its oldest
 * stand-in started at @oldest (UINT64_MAX: there are none).
 */
uint64_t past_born_by(const struct identity *identity, uint64_t oldest);

void past_close(struct past *past);

#endif
