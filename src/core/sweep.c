/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/sweep.h"

#include "core/cleanup.h"
#include "core/victims.h"
#include "linux/cgroup.h"

#include <errno.h>
#include <signal.h>

/*
 * Who is not known may have been born since the look, or have come: read now, he belongs or does
 * not. PID 0 is one who cannot be seen from here, and who is hidden is not known to belong.
 */
static bool is_member(const struct kill *kill, const struct claim *claim, pid_t pid)
{
	const struct member *member = claim_member(claim, pid);
	struct process now;
	struct scope why;
	int rc;

	if (guards_hold_pid(claim->guards, pid))
		return false;
	if (member && !member->dead && !member->recycled)
		return true;
	rc = scan_process(kill->orders.scan, pid, &now);
	if (rc < 0)
		return rc == -ESRCH;
	return !process_alive(&now) || claim_holds(claim, &now, &why);
}

static bool are_members(const struct kill *kill, const struct claim *claim, const pid_t *pids,
			int count)
{
	for (int i = 0; i < count; i++)
		if (!is_member(kill, claim, pids[i]))
			return false;
	return true;
}

/* The kernel asks nobody's leave for those within: the last look at them comes last of all. */
static bool sweep(const struct kill *kill, const struct claim *claim, struct scope scope)
{
	cleanup(cgroup_close) struct cgroup_ref ref = CGROUP_REF_NULL;
	cleanup(free_pointer) pid_t *pids = NULL;
	int count = cgroup_open(&ref, scope.cgroup);

	if (count >= 0)
		count = cgroup_list(&ref, &pids);
	if (count <= 0 || !are_members(kill, claim, pids, count))
		return false;
	return cgroup_kill(&ref) == 0;
}

static const struct victim *due_in(const struct kill *kill, struct scope scope)
{
	for (size_t i = 0; i < kill->victim_count; i++)
		if (victim_is_due(kill, kill->victims[i]) &&
		    scope_holds(scope, &kill->victims[i]->process))
			return kill->victims[i];
	return NULL;
}

static void consider(struct kill *kill, size_t t, struct scope scope)
{
	struct kill_notice notice = {
		.event = EVENT_CGROUP,
		.victim = due_in(kill, scope),
		.signal = SIGKILL,
		.scope = scope,
	};

	if (!notice.victim || !claim_takes(&kill->claims[t], scope))
		return;
	if (sweep(kill, &kill->claims[t], scope) && kill->orders.notify)
		kill->orders.notify(kill->orders.data, &notice);
}

void sweep_cgroups(struct kill *kill)
{
	if (kill->signal != SIGKILL || kill_must_spare(kill))
		return;
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct claim *claim = &kill->claims[t];

		/* Another user's file speaks for that user's processes alone. */
		if (kill->orders.targets[t].owned)
			continue;
		for (size_t i = 0; i < claim->followed_count; i++)
			if (claim->followed[i].kind == SCOPE_CGROUP)
				consider(kill, t, claim->followed[i]);
	}
}
