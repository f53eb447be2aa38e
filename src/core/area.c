/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/area.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "core/outputs.h"

#include <errno.h>

struct seeds {
	struct scope *list;
	size_t count;
};

static void free_seeds(struct seeds *seeds)
{
	free(seeds->list);
}

static int add(struct seeds *seeds, struct scope seed)
{
	struct scope *place;

	if (!seed.id)
		return 0;
	place = list_append(&seeds->list, &seeds->count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = seed;
	return 0;
}

static int add_all(struct seeds *seeds, const struct scope *scopes, size_t count)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = add(seeds, scopes[i]);
	return rc;
}

/* Who bears it as his own, and who as that of his group or session: alive or dead, he may lead. */
static int add_number(struct seeds *seeds, pid_t number)
{
	const uint64_t id = (uint64_t)number;
	int rc = add(seeds, (struct scope){ .kind = SCOPE_TREE, .id = id });

	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++)
		rc = add(seeds, (struct scope){ .kind = kind, .id = id });
	return rc;
}

/* The target, what it is in, what was its own, and what it may lead. */
static int add_target(struct seeds *seeds, const struct claim *claim)
{
	int rc = add_number(seeds, claim->target.pid);

	for (enum scope_kind kind = 0; !rc && kind < SCOPE_CGROUP; kind++)
		rc = add(seeds, scope_of(&claim->target, kind));
	return rc ? rc : add_all(seeds, claim->own, claim->own_count);
}

/* What earlier looks have found, though it be dead, in doubt, or given up. */
static int add_found(struct seeds *seeds, const struct claim *claim)
{
	int rc = add_all(seeds, claim->followed, claim->followed_count);

	for (size_t i = 0; !rc && i < claim->member_count; i++)
		rc = add_number(seeds, claim->members[i]->process.pid);
	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++)
		rc = add_number(seeds, claim->lost[kind]);
	for (size_t i = 0; !rc && i < claim->fallen_count; i++)
		rc = add(seeds, (struct scope){ .kind = claim->fallen[i].kind,
						.id = claim->fallen[i].id });
	return rc;
}

/*
 * Anybody can hold an output that is followed, be older than the target on its terminal, be below
 * a cgroup, or be in a plan.
 */
static bool may_be_anybody(const struct kill *kill)
{
	const unsigned wide = SCOPE_BIT(SCOPE_CGROUP) | SCOPE_BIT(SCOPE_IO);

	if (kill->orders.plan || kill->orders.rules.kinds & wide)
		return true;
	return kill->orders.outputs && outputs_need_all(kill);
}

int area_scan(struct kill *kill, unsigned flags, struct snapshot *snapshot, struct error *error)
{
	cleanup(free_seeds) struct seeds seeds = { 0 };
	struct scan_area area = { .self = kill->orders.self, .kinds = kill->orders.rules.kinds };
	int rc = 0;

	if (may_be_anybody(kill))
		return scan_all(kill->orders.scan, flags, snapshot, error);
	for (size_t t = 0; !rc && t < kill->orders.target_count; t++) {
		if (kill->orders.targets[t].over)
			continue;
		rc = add_target(&seeds, &kill->claims[t]);
		if (!rc)
			rc = add_found(&seeds, &kill->claims[t]);
	}
	if (rc < 0)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	area.seeds = seeds.list;
	area.count = seeds.count;
	return scan_around(kill->orders.scan, flags, &area, snapshot, error);
}
