/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/reading.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "linux/again.h"
#include "linux/cgroup.h"
#include "linux/clock.h"
#include "linux/close.h"
#include "linux/namespace.h"
#include "linux/selection.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc2/pids.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_THREAD 0x00200000UL /* PF_KTHREAD of include/linux/sched.h, in field 9 of stat */

#define AT_ONCE 255 /* PIDs, the most that libproc2 selects before 4.0.6 */
#define FEW	8   /* fewer than the descriptors that linux/pidref spares */

#define MEMORY_OF_A_SELECTION 98304 /* bytes */

#define RESTS	 20
#define RESTS_NS 5000000

/*
 * The order of the values in a stack, and so of items[] below. From TGID on they are of status, the
 * others of stat.
 */
enum {
	PID,
	PPID,
	PGRP,
	SESSION,
	STATE,
	THREADS,
	START,
	FLAGS,
	COMMAND,
	OWNER,
	TERMINAL,
	TGID,
	RUID,
	SUID,
	BLOCKED,
	ITEMS
};

static enum pids_item items[ITEMS] = {
	[PID] = PIDS_ID_PID,	     [PPID] = PIDS_ID_PPID,  [PGRP] = PIDS_ID_PGRP,
	[SESSION] = PIDS_ID_SESSION, [STATE] = PIDS_STATE,   [THREADS] = PIDS_NLWP,
	[START] = PIDS_TICS_BEGAN,   [FLAGS] = PIDS_FLAGS,   [COMMAND] = PIDS_CMD,
	[TERMINAL] = PIDS_TTY,	     [OWNER] = PIDS_ID_EUID, [BLOCKED] = PIDS_SIGBLOCKED,
	[TGID] = PIDS_ID_TGID,	     [RUID] = PIDS_ID_RUID,  [SUID] = PIDS_ID_SUID,
};

int reading_open(struct scan *scan)
{
	enum pids_item details[] = { PIDS_WCHAN_NAME };
	int rc;

	/* It would make libproc2 leave out the children of PID 2, whoever that is here. */
	unsetenv("LIBPROC_HIDE_KERNEL");
	scan->rests = RESTS;
	rc = procps_pids_new(&scan->all, items, TGID);
	if (rc >= 0)
		rc = procps_pids_new(&scan->one, items, ITEMS);
	if (rc >= 0)
		rc = procps_pids_new(&scan->details, details, 1);
	return rc < 0 ? rc : 0;
}

void reading_close(struct scan *scan)
{
	if (scan->all)
		procps_pids_unref(&scan->all);
	if (scan->one)
		procps_pids_unref(&scan->one);
	if (scan->details)
		procps_pids_unref(&scan->details);
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
		.owner = head[OWNER].result.u_int,
		.terminal = (unsigned)head[TERMINAL].result.s_int,
		.ruid = UID_UNKNOWN,
		.suid = UID_UNKNOWN,
	};
	snprintf(process->command, sizeof(process->command), "%s",
		 head[COMMAND].result.str ? head[COMMAND].result.str : "?");
}

int reading_namespaces(struct process *process, unsigned kinds)
{
	bool refused = false;

	for (enum scope_kind kind = SCOPE_MNT; kind <= SCOPE_CGROUPNS; kind++) {
		int rc = 0;

		if (kinds & SCOPE_BIT(kind))
			rc = namespace_read(process, kind, &process->namespaces[kind - SCOPE_MNT]);
		if (rc == 0)
			continue;
		if (rc == -ESRCH || !process_alive(process))
			return 0;
		if (!is_refusal(rc))
			return rc;
		refused = true;
	}
	return refused;
}

/* The same of the cgroup. */
int reading_cgroup(const struct scan *scan, struct process *process)
{
	int rc = scan->cgroups ? cgroups_read(scan->cgroups, process, &process->cgroup) : 0;

	if (rc == 0 || rc == -ESRCH || !process_alive(process))
		return 0;
	return is_refusal(rc) ? 1 : rc;
}

int reading_scopes(const struct scan *scan, struct process *process)
{
	int rc = reading_namespaces(process, scan->kinds);
	int more = rc < 0 ? 0 : reading_cgroup(scan, process);

	return more ? more : rc;
}

/*
 * libproc2 4.0.4 can end in a wrong free() when it has no memory for a selection. What is freed
 * here the C library keeps, and it will do for one. Volatile: a compiler would see that nothing
 * comes of it.
 */
static bool is_memory_left(void)
{
	void *volatile some = malloc(MEMORY_OF_A_SELECTION);
	bool left = some;

	free(some);
	return left;
}

/* Select those PIDs. libproc2 leaves out whom it could not read. */
static struct pids_fetch *select_pids(struct scan *scan, struct pids_info *info, unsigned *pids,
				      int count, enum pids_select_type which)
{
	struct pids_fetch *fetch;

	scan->exhausted = scan->exhausted || !is_memory_left();
	errno = ENOMEM;
	fetch = scan->exhausted ? NULL : selection_read(info, pids, count, which, &scan->forgetful);
	scan->exhausted = !fetch && errno == ENOMEM;
	return fetch;
}

static struct pids_fetch *reap_pids(struct scan *scan)
{
	struct pids_fetch *fetch;

	errno = scan->exhausted ? ENOMEM : 0;
	fetch = scan->exhausted ? NULL : procps_pids_reap(scan->all, PIDS_FETCH_TASKS_ONLY);
	scan->exhausted = !fetch && errno == ENOMEM;
	return fetch;
}

/* Of a stat that could be read only in part, what is missing is 0. */
static bool is_read(const struct pids_result *head)
{
	return head[STATE].result.s_ch && (head[FLAGS].result.ul_int || head[START].result.ull_int);
}

/* The same of status, which libproc2 does without where it cannot be read. */
static bool is_whole(const struct pids_result *head, pid_t pid)
{
	const char *blocked = head[BLOCKED].result.str;

	return is_read(head) && head[PID].result.s_int == pid && head[TGID].result.s_int &&
	       blocked && *blocked;
}

/* Why libproc2 has left him out: what the kernel says when it is asked for the same. */
static int reason(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return -EIO;
}

/* Who is on his way out may be there and not be read for a moment. */
bool reading_rest(struct scan *scan)
{
	if (!scan->rests)
		return false;
	scan->rests--;
	nanosleep(&(struct timespec){ .tv_nsec = RESTS_NS }, NULL);
	return true;
}

int reading_one(struct scan *scan, pid_t pid, struct process *process)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch = select_pids(scan, scan->one, &wanted, 1, PIDS_SELECT_PID);
	const struct pids_result *head;

	if (!fetch)
		return errno ? -errno : -EIO;
	if (fetch->counts->total < 1 || !is_whole(fetch->stacks[0]->head, pid))
		return is_gone(pid) ? -ESRCH : reason(pid);
	head = fetch->stacks[0]->head;
	process_from(head, process);
	process->tgid = head[TGID].result.s_int;
	process->ruid = head[RUID].result.u_int;
	process->suid = head[SUID].result.u_int;
	return 0;
}

pid_t reading_parent(struct scan *scan, struct process *process)
{
	struct process now = *process;

	for (int try = 0; process->ppid > 0 && is_gone(process->ppid) && try < TRIES; try++)
		if (!reading_one(scan, process->pid, &now))
			process->ppid = now.ppid;
	return process->ppid;
}

int reading_status(pid_t pid, const char *name, char *line, int size)
{
	int rc = -EIO;
	FILE *status;

	snprintf(line, (size_t)size, "/proc/%d/status", pid);
	status = fopen(line, "re");
	if (!status)
		return -errno;
	while (rc < 0 && fgets(line, size, status))
		if (strncmp(line, name, strlen(name)) == 0 && strchr(line, '\n'))
			rc = 0;
	fclose(status);
	return rc;
}

static int append(const struct scan *scan, struct snapshot *snapshot,
		  const struct pids_result *head)
{
	struct process *process =
		list_append(&snapshot->processes, &snapshot->count, sizeof(*process));
	int rc = 0;

	if (!process)
		return -ENOMEM;
	process_from(head, process);
	/* Of kernel threads the first is enough to tell the host's. */
	if (!process->kernel_thread || process->pid == KTHREADD)
		rc = reading_scopes(scan, process);
	snapshot->unreadable += rc > 0;
	return rc < 0 ? rc : 0;
}

/*
 * Read those processes. What is left in @pids, and counted, are those that libproc2 has left out
 * although they are there; or a negative errno.
 */
static int read_listed(struct scan *scan, pid_t *pids, int count, struct snapshot *snapshot)
{
	struct pids_fetch *fetch =
		select_pids(scan, scan->all, (unsigned *)pids, count, PIDS_SELECT_PID);
	int read = 0, left = 0, rc = 0;

	if (!fetch)
		return errno ? -errno : -EIO;
	for (int i = 0; !rc && i < count; i++) {
		const struct pids_result *head =
			read < fetch->counts->total ? fetch->stacks[read]->head : NULL;
		bool listed = head && head[PID].result.s_int == pids[i];

		read += listed;
		if (listed && is_read(head))
			rc = append(scan, snapshot, head);
		else if (!is_gone(pids[i]))
			pids[left++] = pids[i];
	}
	return rc < 0 ? rc : left;
}

/* Who may not be read is unknown, as if he were hidden; nothing is known when another may not. */
static int explain(const pid_t *pids, int count)
{
	int rc = 0;

	for (int i = 0; !rc && i < count; i++) {
		rc = reason(pids[i]);
		if (rc == -EACCES || rc == -EPERM || is_gone(pids[i]))
			rc = 0;
	}
	return rc;
}

/* Of them the kernel tells group and session all the same, but of its threads, which have none. */
static int note_closed(const pid_t *pids, int count, struct snapshot *snapshot)
{
	for (int i = 0; i < count; i++) {
		pid_t pgrp = getpgid(pids[i]), session = getsid(pids[i]);
		struct process *place;

		if (pgrp <= 0 || session <= 0)
			continue;
		place = list_append(&snapshot->closed, &snapshot->closed_count, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = (struct process){
			.pid = pids[i],
			.tgid = pids[i],
			.pgrp = pgrp,
			.session = session,
			.threads = 1,
			.state = '?',
			.ruid = UID_UNKNOWN,
			.suid = UID_UNKNOWN,
			.command = "?",
		};
		snapshot->unreadable++;
	}
	return 0;
}

/*
 * libproc2 passes over whom it cannot read. Who is listed but not read must be asked again.
 */
static int read_again(struct scan *scan, pid_t *pids, int count, struct snapshot *snapshot)
{
	int rc, left = count;

	for (int try = 0;
	     left > 0 && (try < TRIES || (explain(pids, left) < 0 && reading_rest(scan))); try++)
		left = read_listed(scan, pids, left, snapshot);
	if (left <= 0)
		return left;
	rc = explain(pids, left);
	return rc < 0 ? rc : note_closed(pids, left, snapshot);
}

/* To select them one by one, libproc2 reads the status of each, too. */
int reading_all(struct scan *scan, struct snapshot *snapshot)
{
	struct pids_fetch *fetch = reap_pids(scan);
	int rc = 0;

	if (!fetch)
		return errno ? -errno : -EIO;
	for (int i = 0; !rc && i < fetch->counts->total; i++)
		if (is_read(fetch->stacks[i]->head))
			rc = append(scan, snapshot, fetch->stacks[i]->head);
	return rc;
}

int reading_some(struct scan *scan, pid_t *pids, size_t count, struct snapshot *snapshot)
{
	int rc = 0;

	for (size_t at = 0, size; !rc && at < count; at += size) {
		size = scan->forgetful ? FEW : AT_ONCE;
		if (size > count - at)
			size = count - at;
		rc = read_again(scan, pids + at, (int)size, snapshot);
	}
	return rc;
}

int pids_append(struct pids *pids, pid_t pid)
{
	pid_t *place = list_append(&pids->list, &pids->count, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = pid;
	return 0;
}

int reading_list(struct pids *pids)
{
	cleanup(close_directory) DIR *folder = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	if (!folder)
		return -errno;
	while (!rc && (errno = 0, entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = pids_append(pids, atoi(entry->d_name));
	return rc ? rc : -errno;
}

/* A thread that libproc2 could not read is missed by the number that the others tell. */
bool reading_stopped(struct scan *scan, pid_t pid)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch;
	int threads = 1, read;

	fetch = select_pids(scan, scan->all, &wanted, 1, PIDS_SELECT_PID_THREADS);
	if (!fetch)
		return false;
	read = fetch->counts->total;
	for (int i = 0; i < read; i++) {
		const struct pids_result *head = fetch->stacks[i]->head;

		if (!is_read(head) || !strchr("TtZX", head[STATE].result.s_ch))
			return false;
		threads = head[THREADS].result.s_int;
	}
	return read >= threads || is_gone(pid);
}

void reading_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch = select_pids(scan, scan->details, &wanted, 1, PIDS_SELECT_PID);
	const char *channel = NULL;

	if (fetch && fetch->counts->total == 1)
		channel = fetch->stacks[0]->head[0].result.str;
	/* What libproc2 has where it is none, or may not be read. */
	if (channel && (strcmp(channel, "-") == 0 || strcmp(channel, "?") == 0))
		channel = NULL;
	snprintf(name, size, "%s", channel ? channel : "");
}
