/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/scan.h"

#include "core/list.h"
#include "core/numbers.h"
#include "core/scope.h"
#include "linux/again.h"
#include "linux/cgroup.h"
#include "linux/clock.h"
#include "linux/close.h"
#include "linux/namespace.h"
#include "linux/pidref.h"
#include "linux/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* lxcfs lays a file of its own over /proc/loadavg: its last PID is not the one of our namespace. */
static int open_loadavg(void)
{
	struct statfs fs;
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && (fstatfs(fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC))
		close_descriptor(&fd);
	return fd;
}

int scan_open(struct scan **scan, unsigned kinds, struct error *error)
{
	struct scan *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	opened->loadavg = open_loadavg();
	opened->kinds = (kinds & SCOPE_NAMESPACE_BITS) | SCOPE_BIT(SCOPE_MNT);
	rc = reading_open(opened);
	if (rc < 0) {
		scan_close(opened);
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read /proc through libproc2: %s", strerror(-rc));
	}
	rc = kinds & SCOPE_BIT(SCOPE_CGROUP) ? cgroups_open(&opened->cgroups) : 0;
	if (rc < 0) {
		scan_close(opened);
		return error_set(error, STATUS_SYSTEM, -rc, "cannot find the cgroups: %s",
				 strerror(-rc));
	}
	*scan = opened;
	return 0;
}

void scan_close(struct scan *scan)
{
	if (!scan)
		return;
	reading_close(scan);
	close_descriptor(&scan->loadavg);
	cgroups_close(scan->cgroups);
	free(scan);
}

int scan_process(struct scan *scan, pid_t pid, struct process *process)
{
	struct process found;
	int rc = -EIO;

	for (int try = 0; rc < 0 && (try < TRIES || (!is_refusal(rc) && reading_rest(scan)));
	     try++) {
		rc = reading_one(scan, pid, &found);
		if (rc < 0 && is_gone(pid))
			return -ESRCH;
	}
	if (rc < 0)
		return is_refusal(rc) ? -EACCES : rc;
	rc = reading_scopes(scan, &found);
	if (rc < 0)
		return rc;
	*process = found;
	return 0;
}

int scan_peek(struct scan *scan, pid_t pid, unsigned kinds, struct process *process)
{
	struct process peeked = {
		.pid = pid, .tgid = pid, .threads = 1, .ruid = UID_UNKNOWN, .suid = UID_UNKNOWN
	};

	peeked.pgrp = getpgid(pid);
	peeked.session = getsid(pid);
	if (peeked.pgrp < 0 || peeked.session < 0)
		return -ESRCH;
	reading_namespaces(&peeked, kinds);
	if (kinds & SCOPE_BIT(SCOPE_CGROUP))
		reading_cgroup(scan, &peeked);
	*process = peeked;
	return 0;
}

bool scan_stopped(struct scan *scan, pid_t pid)
{
	return reading_stopped(scan, pid);
}

void scan_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size)
{
	reading_wait_channel(scan, pid, name, size);
}

/* The last number of NSpid is the PID in the innermost PID namespace. */
static int read_innermost_pid(pid_t pid)
{
	char line[256];
	const char *last;
	int rc = reading_status(pid, "NSpid:", line, sizeof(line));

	if (rc < 0)
		return rc;
	last = strrchr(line, '\t');
	return last ? atoi(last) : -EIO;
}

/* Sets pidns_init. 0, also when the process is gone or may not be read, or a negative errno. */
static int read_init(struct process *process)
{
	int pid = -EIO;

	for (int try = 0; pid < 0 && try < TRIES; try++)
		pid = read_innermost_pid(process->pid);
	process->pidns_init = pid == 1;
	return pid < 0 && !is_refusal(pid) && !is_gone(process->pid) ? pid : 0;
}

/* Whether it is in a namespace that is not the host's. */
static bool is_apart(const struct snapshot *snapshot, const struct process *process)
{
	for (size_t i = 0; i < SCOPE_NAMESPACES; i++) {
		const struct namespace *in = snapshot_namespace(snapshot, process->namespaces[i]);

		if (in && !in->first)
			return true;
	}
	return false;
}

static int read_inits(struct snapshot *snapshot)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < snapshot->count; i++)
		if (is_apart(snapshot, &snapshot->processes[i]))
			rc = read_init(&snapshot->processes[i]);
	return rc;
}

static const struct process *oldest_in(const struct snapshot *snapshot, struct scope scope)
{
	const struct process *oldest = NULL;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (!process_alive(process) || !scope_holds(scope, process))
			continue;
		if (!oldest || process->start_ticks < oldest->start_ticks)
			oldest = process;
	}
	return oldest;
}

/* Pin first, read again after: the inode must be that of the process in the snapshot. */
void scan_inode(struct scan *scan, struct process *process)
{
	struct process again;
	struct pidref ref;

	if (pidref_open(&ref, process->pid) < 0)
		return;
	if (!scan_process(scan, process->pid, &again) && process_same(process, &again))
		process->inode = ref.inode;
	pidref_close(&ref);
}

/* Even of one who is alone: a target of the same tick may have died a moment ago. */
static void break_ties(struct scan *scan, struct snapshot *snapshot, struct scope scope)
{
	const struct process *oldest = oldest_in(snapshot, scope);

	for (size_t i = 0; oldest && i < snapshot->count; i++) {
		struct process *process = &snapshot->processes[i];

		if (process->start_ticks == oldest->start_ticks && scope_holds(scope, process))
			scan_inode(scan, process);
	}
}

/* Whether nobody before the process at @i is in the same cgroup. */
static bool is_first_in_cgroup(const struct snapshot *snapshot, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (snapshot->processes[before].cgroup == snapshot->processes[i].cgroup)
			return false;
	return true;
}

/* Of cgroups for each that somebody is in, but the root. */
static void break_all_ties(struct scan *scan, struct snapshot *snapshot)
{
	for (size_t row = 0; row < snapshot->namespace_count; row++) {
		const struct namespace *namespace = &snapshot->namespaces[row];

		if (!namespace->first)
			break_ties(scan, snapshot,
				   (struct scope){ .kind = namespace->kind, .id = namespace->id });
	}
	for (size_t i = 0; i < snapshot->count; i++) {
		struct scope scope = scope_of(&snapshot->processes[i], SCOPE_CGROUP);

		if (scope.id && scope.cgroup->parent && is_first_in_cgroup(snapshot, i))
			break_ties(scan, snapshot, scope);
	}
}

/*
 * The namespace that the process at @i is in, or who is in it, too, if he has ended meanwhile; when
 * all have, it is nobody's.
 */
static int describe(const struct snapshot *snapshot, size_t i, enum scope_kind kind,
		    struct namespace *row)
{
	const struct scope scope = scope_of(&snapshot->processes[i], kind);
	int rc = -ESRCH;

	for (; rc < 0 && i < snapshot->count; i++)
		if (scope_equal(scope_of(&snapshot->processes[i], kind), scope))
			rc = namespace_describe(&snapshot->processes[i], kind, row);
	return rc < 0 && !is_refusal(rc) && rc != -ESTALE ? rc : 0;
}

static bool is_row(const struct namespace *rows, size_t count, uint64_t id)
{
	for (size_t row = 0; row < count; row++)
		if (rows[row].id == id)
			return true;
	return false;
}

/* A row for every namespace of that kind that is known of somebody. */
static int list_kind(struct snapshot *snapshot, enum scope_kind kind)
{
	const size_t before = snapshot->namespace_count;
	uint64_t kthreadd = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];
		const uint64_t id = scope_of(process, kind).id;
		struct namespace *row;

		if (process->pid == KTHREADD && process->kernel_thread)
			kthreadd = id;
		if (!id ||
		    is_row(snapshot->namespaces + before, snapshot->namespace_count - before, id))
			continue;
		row = list_append(&snapshot->namespaces, &snapshot->namespace_count, sizeof(*row));
		if (!row)
			return -ENOMEM;
		*row = (struct namespace){ .id = id, .kind = kind };
		rc = describe(snapshot, i, kind, row);
	}
	for (size_t row = before; row < snapshot->namespace_count; row++)
		if (snapshot->namespaces[row].id == kthreadd)
			snapshot->namespaces[row].first = true;
	return rc;
}

static int list_namespaces(const struct scan *scan, struct snapshot *snapshot)
{
	int rc = 0;

	for (enum scope_kind kind = SCOPE_MNT; !rc && kind <= SCOPE_CGROUPNS; kind++)
		if (scan->kinds & SCOPE_BIT(kind))
			rc = list_kind(snapshot, kind);
	return rc;
}

/* Who is in the list of /proc, and not in the snapshot. Both are in the order of the PIDs. */
static void keep_missing(struct pids *listed, const struct snapshot *snapshot)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < listed->count; i++) {
		while (at < snapshot->count && snapshot->processes[at].pid < listed->list[i])
			at++;
		if (at == snapshot->count || snapshot->processes[at].pid != listed->list[i])
			listed->list[kept++] = listed->list[i];
	}
	listed->count = kept;
}

/*
 * Who was born since the snapshot was begun is left out, as he would be if he had come a moment
 * later: that there are newcomers is found out from the last PID, and must be.
 */
static int leave_newcomers(struct scan *scan, pid_t seen, struct pids *missing)
{
	size_t kept = 0;
	pid_t last;
	int rc;

	if (!seen || !missing->count)
		return 0;
	rc = scan_last_pid(scan, &last);
	for (size_t i = 0; !rc && i < missing->count; i++)
		if (!numbers_passed(seen, last, missing->list[i]))
			missing->list[kept++] = missing->list[i];
	missing->count = kept;
	return rc;
}

/* The system calls for each: openat, read and close of stat, newfstatat (libproc2); readlink. */
static int read_all(struct scan *scan, struct snapshot *snapshot)
{
	struct pids missing = { 0 };
	int rc = reading_all(scan, snapshot);

	if (!rc)
		rc = reading_list(&missing);
	if (!rc) {
		keep_missing(&missing, snapshot);
		rc = leave_newcomers(scan, snapshot->last_pid, &missing);
	}
	if (!rc)
		rc = reading_some(scan, missing.list, missing.count, snapshot);
	free(missing.list);
	return rc;
}

static int read_listed(struct scan *scan, const struct scan_area *area, struct snapshot *snapshot)
{
	if (!area || scan->cgroups || !reading_tells_children())
		return read_all(scan, snapshot);
	return reading_around(scan, area, snapshot);
}

static int fill(struct scan *scan, const struct scan_area *area, struct snapshot *snapshot)
{
	int rc = -EIO;

	for (int try = 0; rc < 0 && try < TRIES; try++) {
		snapshot_clear(snapshot);
		snapshot->ticks = clock_boot_ticks();
		if (scan->cgroups)
			cgroups_begin(scan->cgroups);
		rc = scan_last_pid(scan, &snapshot->last_pid);
		if (!rc)
			rc = read_listed(scan, area, snapshot);
		if (scan->cgroups)
			cgroups_end(scan->cgroups, snapshot);
		if (!rc)
			rc = list_namespaces(scan, snapshot);
	}
	return rc;
}

/* Nskill's parent may have ended while the others were read: its guards would end with him. */
static void mend_ancestors(struct scan *scan, const struct snapshot *snapshot)
{
	struct process *process = snapshot_find(snapshot, getpid());

	for (size_t steps = 0; process && steps < snapshot->count; steps++)
		process = snapshot_find(snapshot, reading_parent(scan, process));
}

int scan_around(struct scan *scan, unsigned flags, const struct scan_area *area,
		struct snapshot *snapshot, struct error *error)
{
	struct snapshot filled = { 0 };
	int rc = fill(scan, area, &filled);

	snapshot_sort(&filled);
	if (!rc && flags & SCAN_INITS)
		rc = read_inits(&filled);
	if (rc < 0) {
		snapshot_clear(&filled);
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read the processes in /proc: %s", strerror(-rc));
	}
	mend_ancestors(scan, &filled);
	break_all_ties(scan, &filled);
	*snapshot = filled;
	return 0;
}

int scan_all(struct scan *scan, unsigned flags, struct snapshot *snapshot, struct error *error)
{
	return scan_around(scan, flags, NULL, snapshot, error);
}

static void *tell_number(void *number)
{
	*(pid_t *)number = gettid();
	return NULL;
}

/*
 * Threads take their numbers from where processes do. Dearer than a file, but right in every PID
 * namespace and under any /proc.
 */
static int last_pid_by_thread(pid_t *pid)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, tell_number, pid);

	return rc ? -rc : -pthread_join(thread, NULL);
}

int scan_last_pid(struct scan *scan, pid_t *pid)
{
	char text[128];
	ssize_t size;
	int last;

	if (scan->loadavg < 0)
		return last_pid_by_thread(pid);
	size = pread(scan->loadavg, text, sizeof(text) - 1, 0);
	if (size <= 0 || text[size - 1] != '\n')
		return last_pid_by_thread(pid);
	text[size] = '\0';
	/* "0.20 0.18 0.12 1/80 11206": the last field (proc_loadavg(5)) */
	if (sscanf(text, "%*s %*s %*s %*s %d", &last) != 1)
		return last_pid_by_thread(pid);
	*pid = last;
	return 0;
}

pid_t scan_pid_max(void)
{
	FILE *file = fopen("/proc/sys/kernel/pid_max", "re");
	int max = 0;

	if (file) {
		if (fscanf(file, "%d", &max) != 1)
			max = 0;
		fclose(file);
	}
	return max > 0 ? max : 4 * 1024 * 1024; /* PID_MAX_LIMIT, the most there can be */
}
