/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/process.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

bool process_alive(const struct process *process)
{
	if (process->kernel_thread)
		return false;
	if (process->state != 'Z' && process->state != 'X')
		return true;
	return process->threads > 1;
}

bool process_known(const struct process *process)
{
	return process->state != '?';
}

bool process_same(const struct process *a, const struct process *b)
{
	if (a->pid != b->pid || a->start_ticks != b->start_ticks)
		return false;
	return !a->inode || !b->inode || a->inode == b->inode;
}

int process_compare_age(const void *a, const void *b)
{
	const struct process *left = a, *right = b;
	int order = compare(left->start_ticks, right->start_ticks);

	return order ? order : compare((uint64_t)left->pid, (uint64_t)right->pid);
}

static int compare_pid(const void *a, const void *b)
{
	const struct process *left = a, *right = b;

	return compare((uint64_t)left->pid, (uint64_t)right->pid);
}

static int compare_namespace(const void *a, const void *b)
{
	const struct namespace *left = a, *right = b;

	return compare(left->id, right->id);
}

struct process *snapshot_find(const struct snapshot *snapshot, pid_t pid)
{
	struct process key = { .pid = pid };

	if (!snapshot->count)
		return NULL;
	return bsearch(&key, snapshot->processes, snapshot->count, sizeof(key), compare_pid);
}

const struct namespace *snapshot_namespace(const struct snapshot *snapshot, uint64_t id)
{
	struct namespace key = { .id = id };

	if (!snapshot->namespace_count)
		return NULL;
	return bsearch(&key, snapshot->namespaces, snapshot->namespace_count, sizeof(key),
		       compare_namespace);
}

void snapshot_sort(struct snapshot *snapshot)
{
	if (snapshot->count)
		qsort(snapshot->processes, snapshot->count, sizeof(*snapshot->processes),
		      compare_pid);
	if (snapshot->namespace_count)
		qsort(snapshot->namespaces, snapshot->namespace_count,
		      sizeof(*snapshot->namespaces), compare_namespace);
}

void snapshot_clear(struct snapshot *snapshot)
{
	free(snapshot->processes);
	free(snapshot->namespaces);
	free(snapshot->closed);
	*snapshot = (struct snapshot){ 0 };
}
