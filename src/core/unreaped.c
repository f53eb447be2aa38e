/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/unreaped.h"

#include "core/list.h"

#include <errno.h>

/* Whether another target has been found to have it, too. */
static bool is_repeated(const struct kill *kill, size_t target, const struct process *process)
{
	for (size_t t = 0; t < target; t++)
		if (claim_find(&kill->claims[t], process))
			return true;
	return false;
}

static bool is_unreaped(const struct kill *kill, const struct member *member, struct process *now)
{
	return !scan_process(kill->orders.scan, member->process.pid, now) &&
	       process_same(&member->process, now) && now->state == 'Z' && !process_alive(now);
}

int unreaped_find(const struct kill *kill, struct unreaped **list)
{
	struct unreaped *found = NULL, *place;
	struct process now;
	size_t count = 0;

	for (size_t t = 0; t < kill->orders.target_count; t++) {
		for (size_t m = 0; m < kill->claims[t].member_count; m++) {
			const struct member *member = kill->claims[t].members[m];

			if (is_repeated(kill, t, &member->process) ||
			    !is_unreaped(kill, member, &now))
				continue;
			place = list_append(&found, &count, sizeof(*place));
			if (!place) {
				free(found);
				return -ENOMEM;
			}
			*place = (struct unreaped){ .process = now };
			if (now.ppid)
				scan_process(kill->orders.scan, now.ppid, &place->parent);
		}
	}
	*list = found;
	return (int)count;
}
