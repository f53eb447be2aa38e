/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can still be told of a target that is dead: when it was born, who stands in for it, whether
 * they may, and what became of the mount namespaces that were written down. A part of core/target.
 */
#ifndef NSKILL_CORE_PAST_H
#define NSKILL_CORE_PAST_H

#include "core/target.h"

/** Nanoseconds of CLOCK_REALTIME when a process that started at @ticks, as we read it, did so. */
uint64_t past_wall(uint64_t ticks);

/** The start that @identity tells, in the terms in which we read starts ourselves; 0: none. */
uint64_t past_start(const struct identity *identity);

/** "PID 5 (from /run/x.pid)", or "PID 5" when it was given as a number. Returns @text. */
const char *past_name(const struct identity *identity, char *text, size_t size);

/**
 * Fill in the birth of a target that is gone. 0; or a negative errno and @error, STATUS_REFUSED
 * where those who bear its number may be another's.
 */
int past_find_birth(const struct identity *identity, struct scan *scan, struct target *target,
		    struct error *error);

/** Find and hold the recorded mount namespaces that are still there. 0 or a negative errno and
 * @error. */
int past_hold_namespaces(const struct identity *identity, struct scan *scan, struct target *target,
			 struct error *error);

#endif
