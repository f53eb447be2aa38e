/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is still certain of a claim after nobody has looked for a while, perhaps for days. Pure. */
#ifndef NSKILL_CORE_OUTLIVE_H
#define NSKILL_CORE_OUTLIVE_H

#include "core/claim.h"
#include "core/numbers.h"

/**
 * The target has ended, unless it is @alive, any time after the last claim_grow(), whose look began
 * at @seen_ticks. Keep what is still certain by @snapshot: the target; of a dead one the namespace
 * that it was in when the claim was made, which must have been held; its group and session where
 * somebody still vouches for them; members who live; and the dead whose number cannot be another's
 * yet: it has not been handed out again @since then, or a living member has borne it all the time
 * as its group or session. 0 or -ENOMEM.
 */
int claim_outlive(struct claim *claim, const struct snapshot *snapshot, uint64_t seen_ticks,
		  const struct numbers *since, bool alive);

#endif
