/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/cleanup.h"
#include "linux/again.h"
#include "linux/close.h"
#include "linux/reading.h"
#include "linux/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LISTINGS 8

/* For kernels without CONFIG_PROC_CHILDREN. */
static int children_by_scan(struct scan *scan, pid_t pid, struct pids *children)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	struct pids all = { 0 };
	int rc = reading_list(&all);

	if (!rc)
		rc = reading_some(scan, all.list, all.count, &snapshot);
	free(all.list);
	for (size_t i = 0; !rc && i < snapshot.count; i++)
		if (snapshot.processes[i].ppid == pid)
			rc = pids_append(children, snapshot.processes[i].pid);
	return rc;
}

static int read_children(const char *path, struct pids *children)
{
	FILE *file = fopen(path, "re");
	char page[4096]; /* the most that one read gives */
	int child, rc = 0;

	if (!file)
		return -errno;
	setvbuf(file, page, _IOFBF, sizeof(page));
	while (!rc && fscanf(file, "%d", &child) == 1)
		rc = pids_append(children, child);
	if (!rc && ferror(file))
		rc = -EIO;
	fclose(file);
	return rc;
}

static bool is_any_gone(const struct pids *children, size_t first)
{
	for (size_t i = first; i < children->count; i++)
		if (is_gone(children->list[i]))
			return true;
	return false;
}

/*
 * A thread that has ended meanwhile has none. When the child that was listed last is reaped before
 * the next one is, the kernel goes on by the number of those before it, and for each of these that
 * is gone, too, leaves out one that is not (get_children_pid() of fs/proc/array.c). When all are
 * still there, nobody was left out.
 */
static int children_of_thread(pid_t pid, const char *thread, struct pids *children)
{
	size_t before = children->count;
	char path[96];
	int rc = -EIO;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, thread);
	for (int try = 0; rc < 0 && try < TRIES; try++) {
		children->count = before;
		rc = read_children(path, children);
	}
	for (int again = 0; !rc && again < LISTINGS && is_any_gone(children, before); again++) {
		children->count = before;
		rc = read_children(path, children);
	}
	return rc == -ENOENT || rc == -ESRCH || is_gone(pid) ? 0 : rc;
}

static int children_by_threads(pid_t pid, struct pids *children)
{
	cleanup(close_directory) DIR *tasks = NULL;
	struct dirent *entry;
	char path[32];
	int rc = 0;

	children->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return -errno;
	do {
		errno = 0;
		entry = readdir(tasks);
		if (!entry && errno)
			rc = -errno;
		else if (entry && isdigit((unsigned char)entry->d_name[0]))
			rc = children_of_thread(pid, entry->d_name, children);
	} while (!rc && entry);
	return rc;
}

bool reading_tells_children(void)
{
	bool has = false;

	for (int try = 0; !has && try < TRIES; try++)
		has = access("/proc/thread-self/children", R_OK) == 0;
	return has;
}

int scan_children(struct scan *scan, pid_t pid, pid_t **children)
{
	struct pids found = { 0 };
	bool by_threads = reading_tells_children();
	int rc = -EIO;

	for (int try = 0; rc < 0 && try < TRIES; try++) {
		found.count = 0;
		rc = by_threads ? children_by_threads(pid, &found)
				: children_by_scan(scan, pid, &found);
		if (rc < 0 && is_gone(pid))
			rc = 0;
	}
	if (rc < 0) {
		free(found.list);
		return rc;
	}
	*children = found.list;
	return (int)found.count;
}

int reading_children(struct scan *scan, const struct process *process, struct pids *children)
{
	cleanup(free_pointer) pid_t *list = NULL;
	char thread[16];
	int rc;

	if (process->threads == 1) {
		snprintf(thread, sizeof(thread), "%d", process->pid);
		return children_of_thread(process->pid, thread, children);
	}
	rc = scan_children(scan, process->pid, &list);
	for (int i = 0, count = rc; rc >= 0 && i < count; i++)
		rc = pids_append(children, list[i]);
	return rc < 0 ? rc : 0;
}
