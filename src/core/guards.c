/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/guards.h"

#include "core/list.h"

#include <errno.h>
#include <stdlib.h>

/* A process that is hidden from us is guarded by its PID alone. Its parent, or -ENOMEM. */
static pid_t guard(struct guards *guards, const struct snapshot *snapshot, pid_t pid)
{
	const struct process *process = snapshot_find(snapshot, pid);
	struct process *place = list_append(&guards->processes, &guards->count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = process ? *process : (struct process){ .pid = pid };
	return place->ppid;
}

int guards_read(struct guards *guards, const struct snapshot *snapshot, pid_t self)
{
	struct guards found = { 0 };
	pid_t pid = self;

	if (!snapshot_find(snapshot, self))
		return -ESRCH;
	while (pid > 1 && found.count < snapshot->count)
		pid = guard(&found, snapshot, pid);
	if (pid >= 0)
		pid = guard(&found, snapshot, 1);
	if (pid < 0) {
		guards_clear(&found);
		return -ENOMEM;
	}
	*guards = found;
	return 0;
}

void guards_clear(struct guards *guards)
{
	free(guards->processes);
	*guards = (struct guards){ 0 };
}

bool guards_hold_pid(const struct guards *guards, pid_t pid)
{
	for (size_t i = 0; i < guards->count; i++)
		if (guards->processes[i].pid == pid)
			return true;
	return pid <= 1;
}

const struct process *guards_in(const struct guards *guards, struct scope scope)
{
	/* The eldest says most: who leads a group or session, or has made the namespace. */
	for (size_t i = guards->count; i-- > 0;)
		if (scope_holds(scope, &guards->processes[i]))
			return &guards->processes[i];
	return NULL;
}

bool guards_know_as_initial(const struct guards *guards, const struct namespace *namespace)
{
	struct scope scope = { .kind = namespace->kind, .id = namespace->id };

	if (namespace->nested)
		return false;
	return namespace->first || (namespace->kind == SCOPE_MNT && guards_in(guards, scope));
}
