/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/look.h"

#include "core/list.h"

#include <errno.h>
#include <stdlib.h>

static int compare_in(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->id != right->id)
		return left->id > right->id ? 1 : -1;
	return process_compare_age(left->process, right->process);
}

static int index_add(struct index *index, const struct process *process, enum scope_kind kind)
{
	struct entry *entry;

	for (struct scope in = scope_of(process, kind); in.id; in = scope_above(in)) {
		entry = list_append(&index->sorted, &index->count, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		*entry = (struct entry){ .id = in.id, .process = process };
	}
	return 0;
}

static int index_build(struct index *index, const struct snapshot *snapshot, enum scope_kind kind)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < snapshot->count; i++)
		rc = index_add(index, &snapshot->processes[i], kind);
	if (!rc && index->count)
		qsort(index->sorted, index->count, sizeof(*index->sorted), compare_in);
	return rc;
}

/* The first place in the index with that number or a higher one. */
static size_t index_first(const struct index *index, uint64_t id)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->sorted[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct process *look_next(const struct look *look, struct scope scope, size_t *place)
{
	const struct index *index = &look->by[scope.kind];
	size_t at = *place ? *place : index_first(index, scope.id);

	*place = at + 1;
	if (!scope.id || at >= index->count || index->sorted[at].id != scope.id)
		return NULL;
	return index->sorted[at].process;
}

int look_open(struct look *look, const struct snapshot *snapshot)
{
	struct look opened = { .snapshot = snapshot };
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && kind < SCOPE_KINDS; kind++)
		rc = index_build(&opened.by[kind], snapshot, kind);
	if (rc < 0)
		look_close(&opened);
	else
		*look = opened;
	return rc;
}

void look_close(struct look *look)
{
	for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++)
		free(look->by[kind].sorted);
	*look = (struct look){ 0 };
}

/* Only for two that started in the same tick: so did everybody between them. */
static bool is_ancestor(const struct look *look, const struct process *a, const struct process *b)
{
	const struct process *now = snapshot_find(look->snapshot, b->pid);

	/* Its parent may have ended since it was read. */
	if (now && process_same(now, b))
		b = now;
	/* A snapshot is not of one moment, so that parents could even go round in a circle. */
	for (size_t steps = 0; b && steps < look->snapshot->count; steps++) {
		if (b->start_ticks != a->start_ticks)
			break;
		if (b->ppid == a->pid)
			return true;
		b = snapshot_find(look->snapshot, b->ppid);
	}
	return false;
}

static bool is_older(const struct look *look, const struct process *a, const struct process *b)
{
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks;
	if (is_ancestor(look, a, b))
		return true;
	if (is_ancestor(look, b, a))
		return false;
	return a->inode && b->inode && a->inode < b->inode;
}

const struct process *look_older(const struct look *look, struct scope scope,
				 const struct process *member)
{
	const struct process *process;
	size_t place = 0;

	while ((process = look_next(look, scope, &place))) {
		if (process->start_ticks > member->start_ticks)
			break;
		if (process_alive(process) && process->pid != member->pid &&
		    is_older(look, process, member))
			return process;
	}
	return NULL;
}

const struct process *look_pidns_init(const struct look *look, struct scope scope)
{
	const struct process *process;
	size_t place = 0;

	while ((process = look_next(look, scope, &place)))
		if (process->pidns_init)
			return process;
	return NULL;
}
