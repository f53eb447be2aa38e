/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/scan.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "linux/clock.h"
#include "linux/close.h"
#include "linux/namespace.h"
#include "linux/pidref.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc2/pids.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL_THREAD 0x00200000UL /* PF_KTHREAD of include/linux/sched.h, in field 9 of stat */
#define KTHREADD      2

struct scan {
	struct pids_info *all;	   /* what stat alone tells */
	struct pids_info *one;	   /* the same and the Tgid, which costs a read of status */
	struct pids_info *details; /* the wait channel */
	int loadavg;		   /* -1: not to be had from procfs */
};

/* The order of the values in a stack, and so of items[] below. */
enum { PID, PPID, PGRP, SESSION, STATE, THREADS, START, FLAGS, COMMAND, TGID, RUID, SUID, ITEMS };

static enum pids_item items[ITEMS] = {
	[PID] = PIDS_ID_PID,	     [PPID] = PIDS_ID_PPID, [PGRP] = PIDS_ID_PGRP,
	[SESSION] = PIDS_ID_SESSION, [STATE] = PIDS_STATE,  [THREADS] = PIDS_NLWP,
	[START] = PIDS_TICS_BEGAN,   [FLAGS] = PIDS_FLAGS,  [COMMAND] = PIDS_CMD,
	[TGID] = PIDS_ID_TGID,	     [RUID] = PIDS_ID_RUID, [SUID] = PIDS_ID_SUID,
};

/* lxcfs lays a file of its own over /proc/loadavg: its last PID is not the one of our namespace. */
static int open_loadavg(void)
{
	struct statfs fs;
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && (fstatfs(fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int scan_open(struct scan **scan, struct error *error)
{
	enum pids_item details[] = { PIDS_WCHAN_NAME };
	struct scan *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	/* It would make libproc2 leave out the children of PID 2, whoever that is here. */
	unsetenv("LIBPROC_HIDE_KERNEL");
	opened->loadavg = open_loadavg();
	rc = procps_pids_new(&opened->all, items, TGID);
	if (rc >= 0)
		rc = procps_pids_new(&opened->one, items, ITEMS);
	if (rc >= 0)
		rc = procps_pids_new(&opened->details, details, 1);
	if (rc < 0) {
		scan_close(opened);
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read /proc through libproc2: %s", strerror(-rc));
	}
	*scan = opened;
	return 0;
}

void scan_close(struct scan *scan)
{
	if (!scan)
		return;
	if (scan->all)
		procps_pids_unref(&scan->all);
	if (scan->one)
		procps_pids_unref(&scan->one);
	if (scan->details)
		procps_pids_unref(&scan->details);
	if (scan->loadavg >= 0)
		close(scan->loadavg);
	free(scan);
}

static void process_from(const struct pids_result *head, struct process *process)
{
	*process = (struct process){
		.pid = head[PID].result.s_int,
		.tgid = head[PID].result.s_int,
		.ppid = head[PPID].result.s_int,
		.pgrp = head[PGRP].result.s_int,
		.session = head[SESSION].result.s_int,
		.state = (char)head[STATE].result.s_ch,
		.threads = head[THREADS].result.s_int,
		.start_ticks = clock_start_ticks(head[START].result.ull_int),
		.kernel_thread = head[FLAGS].result.ul_int & KERNEL_THREAD,
		.ruid = UID_UNKNOWN,
		.suid = UID_UNKNOWN,
	};
	snprintf(process->command, sizeof(process->command), "%s",
		 head[COMMAND].result.str ? head[COMMAND].result.str : "?");
}

/*
 * Leaves 0 (unknown) where it may not be read. Tells whether that is so for a process that lives.
 */
static bool read_namespace(struct process *process)
{
	int rc = namespace_read(process, &process->mntns);

	return rc < 0 && rc != -ESRCH && process_alive(process);
}

int scan_process(struct scan *scan, pid_t pid, struct process *process)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch;

	errno = 0;
	fetch = procps_pids_select(scan->one, &wanted, 1, PIDS_SELECT_PID);
	if (!fetch)
		return errno ? -errno : -EIO;
	if (fetch->counts->total < 1)
		return -ESRCH;
	process_from(fetch->stacks[0]->head, process);
	process->tgid = fetch->stacks[0]->head[TGID].result.s_int;
	process->ruid = fetch->stacks[0]->head[RUID].result.u_int;
	process->suid = fetch->stacks[0]->head[SUID].result.u_int;
	read_namespace(process);
	return 0;
}

int scan_peek(pid_t pid, bool with_mntns, struct process *process)
{
	struct process peeked = {
		.pid = pid, .tgid = pid, .threads = 1, .ruid = UID_UNKNOWN, .suid = UID_UNKNOWN
	};

	peeked.pgrp = getpgid(pid);
	peeked.session = getsid(pid);
	if (peeked.pgrp < 0 || peeked.session < 0)
		return -ESRCH;
	if (with_mntns)
		read_namespace(&peeked);
	*process = peeked;
	return 0;
}

/*
 * The last line of NSpid in status is the PID in the innermost PID namespace (proc_pid_status(5)).
 */
static bool is_init_of_pid_namespace(pid_t pid)
{
	char line[256];
	const char *last;
	bool init = false;
	FILE *status;

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	status = fopen(line, "re");
	if (!status)
		return false;
	while (fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6) == 0) {
			last = strrchr(line, '\t');
			init = last && strcmp(last, "\t1\n") == 0;
			break;
		}
	}
	fclose(status);
	return init;
}

static const struct process *oldest_of_namespace(const struct snapshot *snapshot, uint64_t id,
						 size_t *peers)
{
	const struct process *oldest = NULL;

	*peers = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (process->mntns != id || !process_alive(process))
			continue;
		if (!oldest || process->start_ticks < oldest->start_ticks) {
			oldest = process;
			*peers = 0;
		}
		*peers += process->start_ticks == oldest->start_ticks;
	}
	return oldest;
}

/* Pin first, read again after: the inode must be that of the process in the snapshot. */
static void read_inode(struct scan *scan, struct process *process)
{
	struct process again;
	struct pidref ref;

	if (pidref_open(&ref, process->pid) < 0)
		return;
	if (!scan_process(scan, process->pid, &again) && process_same(process, &again))
		process->inode = ref.inode;
	pidref_close(&ref);
}

static void break_ties(struct scan *scan, struct snapshot *snapshot, uint64_t id)
{
	size_t peers;
	const struct process *oldest = oldest_of_namespace(snapshot, id, &peers);

	for (size_t i = 0; peers > 1 && i < snapshot->count; i++) {
		struct process *process = &snapshot->processes[i];

		if (process->mntns == id && process->start_ticks == oldest->start_ticks)
			read_inode(scan, process);
	}
}

/* One row for every mount namespace that is known of somebody. */
static int list_namespaces(struct snapshot *snapshot)
{
	uint64_t kthreadd = 0;

	snapshot->namespaces = calloc(snapshot->count + 1, sizeof(*snapshot->namespaces));
	if (!snapshot->namespaces)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];
		struct namespace *rows = snapshot->namespaces;
		size_t row = 0;

		if (process->pid == KTHREADD && process->kernel_thread)
			kthreadd = process->mntns;
		if (!process->mntns)
			continue;
		while (row < snapshot->namespace_count && rows[row].id != process->mntns)
			row++;
		if (row < snapshot->namespace_count)
			continue;
		namespace_describe(process, &rows[row]);
		snapshot->namespace_count++;
	}
	for (size_t row = 0; row < snapshot->namespace_count; row++)
		if (snapshot->namespaces[row].id == kthreadd)
			snapshot->namespaces[row].first = true;
	return 0;
}

static int fill(struct scan *scan, struct snapshot *snapshot)
{
	struct pids_fetch *fetch;

	snapshot->ticks = clock_boot_ticks();
	scan_last_pid(scan, &snapshot->last_pid);
	fetch = procps_pids_reap(scan->all, PIDS_FETCH_TASKS_ONLY);
	if (!fetch)
		return errno ? -errno : -EIO;
	snapshot->processes =
		calloc((size_t)fetch->counts->total + 1, sizeof(*snapshot->processes));
	if (!snapshot->processes)
		return -ENOMEM;
	for (int i = 0; i < fetch->counts->total; i++) {
		struct process *process = &snapshot->processes[snapshot->count++];

		process_from(fetch->stacks[i]->head, process);
		snapshot->unreadable += read_namespace(process);
	}
	return list_namespaces(snapshot);
}

int scan_all(struct scan *scan, unsigned flags, struct snapshot *snapshot, struct error *error)
{
	struct snapshot filled = { 0 };
	int rc = fill(scan, &filled);

	if (rc < 0) {
		snapshot_clear(&filled);
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read the processes in /proc: %s", strerror(-rc));
	}
	snapshot_sort(&filled);
	for (size_t row = 0; row < filled.namespace_count; row++)
		if (!filled.namespaces[row].first)
			break_ties(scan, &filled, filled.namespaces[row].id);
	for (size_t i = 0; (flags & SCAN_INITS) && i < filled.count; i++) {
		struct process *process = &filled.processes[i];
		const struct namespace *in = snapshot_namespace(&filled, process->mntns);

		if (in && !in->first)
			process->pidns_init = is_init_of_pid_namespace(process->pid);
	}
	*snapshot = filled;
	return 0;
}

/* Costs a fork, but is right in every PID namespace and under any /proc. */
static int last_pid_by_fork(pid_t *pid)
{
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(0);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = child;
	return 0;
}

int scan_last_pid(struct scan *scan, pid_t *pid)
{
	char text[128];
	ssize_t size;
	int last;

	if (scan->loadavg < 0)
		return last_pid_by_fork(pid);
	size = pread(scan->loadavg, text, sizeof(text) - 1, 0);
	if (size <= 0)
		return last_pid_by_fork(pid);
	text[size] = '\0';
	/* "0.20 0.18 0.12 1/80 11206": the last field (proc_loadavg(5)) */
	if (sscanf(text, "%*s %*s %*s %*s %d", &last) != 1)
		return last_pid_by_fork(pid);
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

struct pids {
	pid_t *list;
	size_t count;
};

static int append_pid(struct pids *pids, pid_t pid)
{
	pid_t *place = list_append(&pids->list, &pids->count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = pid;
	return 0;
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static int children_by_scan(struct scan *scan, pid_t pid, struct pids *children)
{
	struct pids_fetch *fetch = procps_pids_reap(scan->all, PIDS_FETCH_TASKS_ONLY);
	int rc = fetch ? 0 : -EIO;

	for (int i = 0; !rc && i < fetch->counts->total; i++)
		if (fetch->stacks[i]->head[PPID].result.s_int == pid)
			rc = append_pid(children, fetch->stacks[i]->head[PID].result.s_int);
	return rc;
}

/* A thread that has ended meanwhile has none. */
static int children_of_thread(pid_t pid, const char *thread, struct pids *children)
{
	char path[96];
	FILE *file;
	int child, rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, thread);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	while (!rc && fscanf(file, "%d", &child) == 1)
		rc = append_pid(children, child);
	fclose(file);
	return rc;
}

static int children_by_threads(pid_t pid, struct pids *children)
{
	cleanup(close_directory) DIR *tasks = NULL;
	struct dirent *entry;
	char path[32];
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (!rc && tasks && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = children_of_thread(pid, entry->d_name, children);
	return rc;
}

int scan_children(struct scan *scan, pid_t pid, pid_t **children)
{
	struct pids found = { 0 };
	int rc;

	if (access("/proc/thread-self/children", R_OK) == 0)
		rc = children_by_threads(pid, &found);
	else
		rc = children_by_scan(scan, pid, &found);
	if (rc < 0) {
		free(found.list);
		return rc;
	}
	*children = found.list;
	return (int)found.count;
}

bool scan_stopped(struct scan *scan, pid_t pid)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch =
		procps_pids_select(scan->all, &wanted, 1, PIDS_SELECT_PID_THREADS);

	if (!fetch)
		return false;
	for (int i = 0; i < fetch->counts->total; i++) {
		char state = (char)fetch->stacks[i]->head[STATE].result.s_ch;

		if (!strchr("TtZX", state))
			return false;
	}
	return true;
}

/* The path of @pid in the hierarchy of the v1 freezer: "5:freezer:/build/7" (cgroups(7)). */
static bool find_freezer(pid_t pid, char *path, size_t size)
{
	char line[512], *place = NULL;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/cgroup", pid);
	file = fopen(line, "re");
	while (file && !place && fgets(line, sizeof(line), file))
		place = strstr(line, ":freezer:");
	if (place) {
		place += strlen(":freezer:");
		place[strcspn(place, "\n")] = '\0';
		snprintf(path, size, "/sys/fs/cgroup/freezer%s/freezer.state", place);
	}
	if (file)
		fclose(file);
	return place;
}

bool scan_frozen(pid_t pid)
{
	char path[640], state[32] = "";
	FILE *file;

	if (!find_freezer(pid, path, sizeof(path)))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = '\0';
	fclose(file);
	return strncmp(state, "FR", 2) == 0; /* FROZEN or FREEZING */
}

void scan_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch = procps_pids_select(scan->details, &wanted, 1, PIDS_SELECT_PID);
	const char *channel = NULL;

	if (fetch && fetch->counts->total == 1)
		channel = fetch->stacks[0]->head[0].result.str;
	snprintf(name, size, "%s", channel ? channel : "-");
}
