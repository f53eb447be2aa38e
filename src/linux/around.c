/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "core/scope.h"
#include "linux/again.h"
#include "linux/namespace.h"
#include "linux/reading.h"
#include "linux/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * To ask for somebody's group, session and mount namespace costs a third of reading his stat, and
 * most are in none that matters. So these are asked for first, of everybody, and whoever can matter
 * is read at length. The system calls for one who does not: getpgid, getsid, readlink; and for
 * nskill not run by root newfstatat, with geteuid where the link is refused.
 */

struct glimpse {
	pid_t pid;
	bool wanted;
	bool unclear; /* something of him could not be read: at length more can be told */
	bool closed;  /* and of his namespaces one may not be read, at length neither */
};

/* That somebody is in a scope; in the order of the scopes. */
struct entry {
	uint64_t id;
	uint32_t place; /* among the glimpses */
	uint16_t kind;
	bool visited; /* in the first of a scope: all of them are wanted */
};

struct around {
	struct scan *scan;
	const struct scan_area *area;
	struct snapshot *snapshot;
	struct glimpse *glimpses; /* in order of PID */
	size_t count;
	struct entry *entries;
	size_t entry_count;
	struct scope *barred; /* what guarded processes are in: nobody can have it */
	size_t barred_count;
	struct pids wanted; /* and not read yet */
	bool is_root;	    /* who is refused nobody's namespaces */
};

static void close_around(struct around *around)
{
	free(around->glimpses);
	free(around->entries);
	free(around->barred);
	free(around->wanted.list);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

static int compare_glimpses(const void *a, const void *b)
{
	const struct glimpse *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static int want(struct around *around, struct glimpse *glimpse)
{
	if (!glimpse || glimpse->wanted)
		return 0;
	glimpse->wanted = true;
	return pids_append(&around->wanted, glimpse->pid);
}

/* Or NULL: who came since they were listed has a number that tells so. */
static struct glimpse *find(const struct around *around, pid_t pid)
{
	const struct glimpse key = { .pid = pid };

	if (!around->count)
		return NULL;
	return bsearch(&key, around->glimpses, around->count, sizeof(key), compare_glimpses);
}

/* ---- a glimpse of everybody ---- */

static int enter(struct around *around, enum scope_kind kind, int64_t id)
{
	struct entry *entry;

	if (id <= 0)
		return 0;
	entry = list_append(&around->entries, &around->entry_count, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	*entry = (struct entry){ .id = (uint64_t)id,
				 .kind = kind,
				 .place = (uint32_t)around->count - 1 };
	return 0;
}

/* Whose he is tells whether a refusal lasts (namespace_read()). */
static void glance_at_owner(struct process *process)
{
	char folder[32];
	struct stat st;

	snprintf(folder, sizeof(folder), "/proc/%d", process->pid);
	if (stat(folder, &st) == 0)
		process->owner = st.st_uid;
}

/* That there is nothing to read can be so for the leader of threads alone. */
static void glance_at_namespaces(struct process *process, unsigned kinds, struct glimpse *glimpse)
{
	for (enum scope_kind kind = SCOPE_MNT; kind <= SCOPE_CGROUPNS; kind++) {
		int rc = 0;

		if (kinds & SCOPE_BIT(kind))
			rc = namespace_read(process, kind, &process->namespaces[kind - SCOPE_MNT]);
		if (rc == -EACCES || rc == -EPERM)
			glimpse->closed = true;
		else if (rc < 0 && rc != -ESRCH)
			glimpse->unclear = true;
	}
}

static int glance(struct around *around, pid_t pid)
{
	struct process process = { .pid = pid, .threads = 1 };
	struct glimpse *place, glimpse = { .pid = pid };
	int rc;

	process.pgrp = getpgid(pid);
	process.session = getsid(pid);
	glimpse.unclear = process.pgrp < 0 || process.session < 0;
	if (glimpse.unclear && is_gone(pid))
		return 0;
	if (!around->is_root)
		glance_at_owner(&process);
	glance_at_namespaces(&process, around->scan->kinds, &glimpse);
	/* A kernel thread is in no group, and may be looked into by nobody but root. */
	glimpse.closed = glimpse.closed && process.pgrp;
	place = list_append(&around->glimpses, &around->count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = glimpse;
	rc = enter(around, SCOPE_PGRP, process.pgrp);
	if (!rc)
		rc = enter(around, SCOPE_SESSION, process.session);
	for (size_t i = 0; !rc && i < SCOPE_NAMESPACES; i++)
		rc = enter(around, SCOPE_MNT + i, (int64_t)process.namespaces[i]);
	return rc;
}

/* /proc is in the order of the PIDs. */
static int glance_at_all(struct around *around)
{
	struct pids all = { 0 };
	int rc = reading_list(&all);

	for (size_t i = 0; !rc && i < all.count; i++)
		rc = glance(around, all.list[i]);
	free(all.list);
	if (around->entry_count)
		qsort(around->entries, around->entry_count, sizeof(*around->entries),
		      compare_entries);
	return rc;
}

/* ---- who can matter ---- */

static bool is_barred(const struct around *around, struct scope scope)
{
	for (size_t i = 0; i < around->barred_count; i++)
		if (scope_equal(around->barred[i], scope))
			return true;
	return false;
}

static struct entry *first_in(const struct around *around, struct scope scope)
{
	size_t low = 0, high = around->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct entry *entry = &around->entries[middle];

		if (entry->kind < scope.kind || (entry->kind == scope.kind && entry->id < scope.id))
			low = middle + 1;
		else
			high = middle;
	}
	return around->entries + low;
}

/* All who are in @scope are wanted, even if it is barred. */
static int visit_all(struct around *around, struct scope scope)
{
	const struct entry *end;
	struct entry *entry;
	int rc = 0;

	if (!scope.id || !around->entry_count)
		return 0;
	end = around->entries + around->entry_count;
	entry = first_in(around, scope);
	if (entry == end || entry->kind != scope.kind || entry->id != scope.id || entry->visited)
		return 0;
	entry->visited = true;
	for (; !rc && entry < end && entry->kind == scope.kind && entry->id == scope.id; entry++)
		rc = want(around, &around->glimpses[entry->place]);
	return rc;
}

static int visit(struct around *around, struct scope scope)
{
	return is_barred(around, scope) ? 0 : visit_all(around, scope);
}

static int visit_children(struct around *around, const struct process *process)
{
	struct pids children = { 0 };
	int rc = reading_children(around->scan, process, &children);

	for (size_t i = 0; !rc && i < children.count; i++)
		rc = want(around, find(around, children.list[i]));
	free(children.list);
	return rc;
}

/*
 * Whom @process leads to; also by what it leads, even if it has left that. The leader of its group
 * is told of even where that is another's.
 */
static int follow(struct around *around, const struct process *process)
{
	int rc = 0;

	for (enum scope_kind kind = 0; !rc && scope_kind_is_led(kind); kind++) {
		struct scope scope = scope_of(process, kind);

		rc = visit(around, scope);
		if (!rc)
			rc = visit(around,
				   (struct scope){ .kind = kind, .id = (uint64_t)process->pid });
		if (!rc && scope.id)
			rc = want(around, find(around, (pid_t)scope.id));
	}
	for (size_t i = 0; !rc && i < SCOPE_NAMESPACES; i++)
		rc = visit(around, scope_of(process, SCOPE_MNT + i));
	if (!rc && around->area->kinds & SCOPE_BIT(SCOPE_TREE))
		rc = visit_children(around, process);
	return rc;
}

static int bar(struct around *around, const struct process *process)
{
	for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++) {
		struct scope *place, scope = scope_of(process, kind);

		if (!scope.id || kind == SCOPE_TREE || is_barred(around, scope))
			continue;
		place = list_append(&around->barred, &around->barred_count, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = scope;
	}
	return 0;
}

/* Read @pid, unless he has been or is not there: *guard is NULL then. */
static int read_one(struct around *around, pid_t pid, const struct process **guard)
{
	struct glimpse *glimpse = find(around, pid);
	size_t before = around->snapshot->count;
	int rc;

	*guard = NULL;
	if (!glimpse || glimpse->wanted)
		return 0;
	glimpse->wanted = true;
	rc = reading_some(around->scan, &pid, 1, around->snapshot);
	if (!rc && around->snapshot->count > before)
		*guard = &around->snapshot->processes[before];
	return rc;
}

/* Who is the parent of @child now that @gone may have ended, or 0: the same, or nobody. */
static pid_t next_parent(struct around *around, struct process *child, pid_t gone)
{
	pid_t parent = child->ppid == gone ? reading_parent(around->scan, child) : 0;

	return parent == gone ? 0 : parent;
}

/* Nskill and its ancestors, or PID 1. */
static int read_guards(struct around *around, pid_t pid)
{
	struct process child = { 0 };
	const struct process *guard;
	int rc;

	do {
		rc = read_one(around, pid, &guard);
		if (!rc && guard)
			rc = bar(around, guard);
		if (guard)
			child = *guard;
		pid = guard ? guard->ppid : next_parent(around, &child, pid);
	} while (!rc && pid > 0);
	return rc;
}

/* It tells the host's namespaces. Where that number is another's, nothing is special about him. */
static int read_kthreadd(struct around *around)
{
	const size_t unreadable = around->snapshot->unreadable;
	const struct process *process;
	int rc = read_one(around, KTHREADD, &process);

	if (rc < 0 || !process)
		return rc;
	if (process->kernel_thread)
		return bar(around, process);
	around->snapshot->unreadable = unreadable;
	around->snapshot->count--;
	find(around, KTHREADD)->wanted = false;
	return 0;
}

static int visit_seeds(struct around *around)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < around->count; i++)
		if (around->glimpses[i].unclear)
			rc = want(around, &around->glimpses[i]);
	for (size_t i = 0; !rc && i < around->area->count; i++) {
		struct scope seed = around->area->seeds[i];

		if (seed.kind == SCOPE_TREE)
			rc = want(around, find(around, (pid_t)seed.id));
		else if (scope_kind_is_led(seed.kind)) /* who is in there stands in for the dead */
			rc = visit_all(around, seed);
		else
			rc = visit(around, seed);
	}
	return rc;
}

/* Until they lead to nobody else. */
static int read_wanted(struct around *around)
{
	struct snapshot *snapshot = around->snapshot;
	size_t followed = snapshot->count;
	int rc = 0;

	while (!rc && around->wanted.count) {
		size_t count = around->wanted.count;
		pid_t *pids = around->wanted.list;

		around->wanted = (struct pids){ 0 };
		rc = reading_some(around->scan, pids, count, snapshot);
		free(pids);
		for (; !rc && followed < snapshot->count; followed++) {
			/* A copy: the list can move. */
			const struct process process = snapshot->processes[followed];

			rc = follow(around, &process);
		}
	}
	return rc;
}

/* Who has been read has been counted. */
static void count_closed(struct around *around)
{
	for (size_t i = 0; i < around->count; i++)
		if (around->glimpses[i].closed && !around->glimpses[i].wanted)
			around->snapshot->unreadable++;
}

int reading_around(struct scan *scan, const struct scan_area *area, struct snapshot *snapshot)
{
	cleanup(close_around) struct around around = {
		.scan = scan, .area = area, .snapshot = snapshot, .is_root = geteuid() == 0
	};
	int rc = glance_at_all(&around);

	if (!rc)
		rc = read_guards(&around, area->self);
	if (!rc)
		rc = read_guards(&around, 1);
	if (!rc)
		rc = read_kthreadd(&around);
	if (!rc)
		rc = visit_seeds(&around);
	if (!rc)
		rc = read_wanted(&around);
	count_closed(&around);
	return rc;
}
