/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to write down of a target, so that a later run finds what is left of it. */
#ifndef NSKILL_CORE_REMEMBER_H
#define NSKILL_CORE_REMEMBER_H

#include "core/kill.h"

/**
 * Make @identity, with a record, of @target, which is the first that @kill was planned for. 0 or a
 * negative errno and @error.
 */
int remember(struct identity *identity, const struct target *target, const struct kill *kill,
	     struct error *error);

#endif
