/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule of what belongs to a target. Pure: a snapshot goes in, a claim grows.
 *
 *  1. The target is a member.
 *  2. A child of a member is one.
 *  3. A process group or session whose leader is a member, alive or dead, falls: all in it are.
 *  4. A namespace that holds a member falls when nothing alive in it is older than that member; one
 *     that is not the target's own only when the target's own of that kind has fallen.
 *  5. The same again until nothing is added.
 *  6. When asked: who holds a writing end of the pipe that the target has as standard output or
 *     error, and is younger than the target, is a member; and from there on, the same again.
 *
 * A cgroup falls as a namespace does, with all below it; and one below the target's own need not
 * wait for that to fall. Never a scope that holds a guarded process, and never the host's
 * namespaces or the root cgroup.
 */
#ifndef NSKILL_CORE_MATCH_H
#define NSKILL_CORE_MATCH_H

#include "core/claim.h"

/**
 * Add everything in @snapshot that belongs to the target, and say in claim->spared what does not.
 * 0 or -ENOMEM. @guards and @rules must outlive the claim or its next growth.
 */
int claim_grow(struct claim *claim, const struct snapshot *snapshot, const struct guards *guards,
	       const struct rules *rules);

#endif
