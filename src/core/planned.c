/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/planned.h"

#include "core/victims.h"
#include "linux/clock.h"

/* Where it belongs, or NULL: its target is none of this run's, or of another boot. */
static struct claim *claim_of(struct kill *kill, const struct planned *planned)
{
	size_t place = kill->orders.plan->targets[planned->target].place;

	if (place == PLAN_NOWHERE || kill->orders.targets[place].over)
		return NULL;
	return &kill->claims[place];
}

static bool is_it(struct kill *kill, const struct planned *planned, struct process *now)
{
	uint64_t then = planned->process.start_ticks;
	uint64_t apart =
		now->start_ticks > then ? now->start_ticks - then : then - now->start_ticks;

	if (planned->process.inode && !now->inode)
		scan_inode(kill->orders.scan, now);
	if (planned->process.inode && now->inode && planned->process.inode != now->inode)
		return false;
	return apart <= clock_start_error() && process_alive(now);
}

/* What tied it, which need not be so any more; but what is no target cannot be tied as one. */
static struct scope why_of(const struct planned *planned, const struct process *now)
{
	if (planned->why.id)
		return planned->why;
	return (struct scope){ .kind = SCOPE_TREE, .id = now->ppid ? (uint64_t)now->ppid : 1 };
}

/* Whether it has been added, or -ENOMEM. */
static int join(struct kill *kill, struct planned *planned, const struct snapshot *snapshot)
{
	struct claim *claim = claim_of(kill, planned);
	struct process *now = snapshot_find(snapshot, planned->process.pid);
	struct member *member;
	int rc;

	if (!claim)
		return 0;
	if (!now || !is_it(kill, planned, now)) {
		planned->state = now && process_alive(now) ? PLANNED_RECYCLED : PLANNED_GONE;
		return 0;
	}
	if (!claim_may_hold(claim, now)) {
		planned->state = PLANNED_GUARDED;
		return 0;
	}
	planned->state = PLANNED_HERE;
	planned->process.start_ticks = now->start_ticks;
	member = claim_find(claim, now);
	if (member) {
		member->process.inode = now->inode;
		return 0;
	}
	rc = claim_add(claim, now, why_of(planned, now));
	return rc < 0 ? rc : 1;
}

int planned_join(struct kill *kill, const struct snapshot *snapshot)
{
	int added = 0;

	for (size_t i = 0; i < kill->orders.plan->process_count; i++) {
		int rc = join(kill, &kill->orders.plan->processes[i], snapshot);

		if (rc < 0)
			return rc;
		added += rc;
	}
	return added;
}

static enum kill_event event_of(const struct planned *planned)
{
	switch (planned->state) {
	case PLANNED_RECYCLED:
		return EVENT_RECYCLED;
	case PLANNED_GUARDED:
		return EVENT_DENIED;
	case PLANNED_GONE:
	case PLANNED_UNSEEN:
	case PLANNED_HERE:
		break;
	}
	return EVENT_GONE;
}

int planned_miss(struct kill *kill)
{
	for (size_t i = 0; i < kill->orders.plan->process_count; i++) {
		const struct planned *planned = &kill->orders.plan->processes[i];
		size_t place = kill->orders.plan->targets[planned->target].place;
		int rc;

		if (planned->state == PLANNED_UNSEEN || planned->state == PLANNED_HERE)
			continue;
		rc = victims_add_missing(kill, &planned->process, planned->why, place,
					 event_of(planned));
		if (rc < 0)
			return rc;
	}
	return 0;
}
