/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/scan.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "core/scope.h"
#include "linux/again.h"
#include "linux/cgroup.h"
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
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_THREAD 0x00200000UL /* PF_KTHREAD of include/linux/sched.h, in field 9 of stat */
#define KTHREADD      2
#define AT_ONCE	      255 /* PIDs, the most that libproc2 selects before 4.0.6 */

struct scan {
	struct pids_info *all;	   /* what stat alone tells */
	struct pids_info *one;	   /* the same and the Tgid, which costs a read of status */
	struct pids_info *details; /* the wait channel */
	int loadavg;		   /* -1: not to be had from procfs */
	unsigned kinds;		   /* of namespace, that are read */
	struct cgroups *cgroups;   /* NULL: not asked for */
	bool exhausted;		   /* libproc2 has had no memory: called again, it can crash */
	unsigned rests;		   /* how often a read may still be waited for, in the whole run */
};

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

int scan_open(struct scan **scan, unsigned kinds, struct error *error)
{
	enum pids_item details[] = { PIDS_WCHAN_NAME };
	struct scan *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	/* It would make libproc2 leave out the children of PID 2, whoever that is here. */
	unsetenv("LIBPROC_HIDE_KERNEL");
	opened->loadavg = open_loadavg();
	opened->kinds = (kinds & SCOPE_NAMESPACE_BITS) | SCOPE_BIT(SCOPE_MNT);
	opened->rests = RESTS;
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
	if (scan->all)
		procps_pids_unref(&scan->all);
	if (scan->one)
		procps_pids_unref(&scan->one);
	if (scan->details)
		procps_pids_unref(&scan->details);
	if (scan->loadavg >= 0)
		close(scan->loadavg);
	cgroups_close(scan->cgroups);
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
		.owner = head[OWNER].result.u_int,
		.terminal = (unsigned)head[TERMINAL].result.s_int,
		.ruid = UID_UNKNOWN,
		.suid = UID_UNKNOWN,
	};
	snprintf(process->command, sizeof(process->command), "%s",
		 head[COMMAND].result.str ? head[COMMAND].result.str : "?");
}

/*
 * Leaves 0 (unknown) where one may not be read. 1: that is so for a process that lives; 0, or the
 * errno of a read that failed for another reason.
 */
static int read_namespaces(struct process *process, unsigned kinds)
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
static int read_cgroup(const struct scan *scan, struct process *process)
{
	int rc = scan->cgroups ? cgroups_read(scan->cgroups, process, &process->cgroup) : 0;

	if (rc == 0 || rc == -ESRCH || !process_alive(process))
		return 0;
	return is_refusal(rc) ? 1 : rc;
}

static int read_scopes(const struct scan *scan, struct process *process)
{
	int rc = read_namespaces(process, scan->kinds);
	int more = rc < 0 ? 0 : read_cgroup(scan, process);

	return more ? more : rc;
}

/*
 * Select those PIDs. libproc2 leaves out whom it could not read, and ends early for an errno that
 * was there before.
 */
static struct pids_fetch *select_pids(struct scan *scan, struct pids_info *info, unsigned *pids,
				      int count, enum pids_select_type which)
{
	struct pids_fetch *fetch;

	errno = scan->exhausted ? ENOMEM : 0;
	fetch = scan->exhausted ? NULL : procps_pids_select(info, pids, count, which);
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
static bool rest(struct scan *scan)
{
	if (!scan->rests)
		return false;
	scan->rests--;
	nanosleep(&(struct timespec){ .tv_nsec = RESTS_NS }, NULL);
	return true;
}

static int read_one(struct scan *scan, pid_t pid, struct process *process)
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

int scan_process(struct scan *scan, pid_t pid, struct process *process)
{
	struct process found;
	int rc = -EIO;

	for (int try = 0; rc < 0 && (try < TRIES || (!is_refusal(rc) && rest(scan))); try++) {
		rc = read_one(scan, pid, &found);
		if (rc < 0 && is_gone(pid))
			return -ESRCH;
	}
	if (rc < 0)
		return is_refusal(rc) ? -EACCES : rc;
	rc = read_scopes(scan, &found);
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
	read_namespaces(&peeked, kinds);
	if (kinds & SCOPE_BIT(SCOPE_CGROUP))
		read_cgroup(scan, &peeked);
	*process = peeked;
	return 0;
}

/*
 * The line of its status that begins with @name (proc_pid_status(5)), to its end. 0 or a negative
 * errno.
 */
static int find_in_status(pid_t pid, const char *name, char *line, int size)
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

/* The last number of NSpid is the PID in the innermost PID namespace. */
static int read_innermost_pid(pid_t pid)
{
	char line[256];
	const char *last;
	int rc = find_in_status(pid, "NSpid:", line, sizeof(line));

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
		rc = read_scopes(scan, process);
	snapshot->unreadable += rc > 0;
	return rc < 0 ? rc : 0;
}

/*
 * Read those processes. What is left in @pids, and counted, are those that libproc2 has left out
 * although they are there; or a negative errno.
 */
static int read_listed(struct scan *scan, unsigned *pids, int count, struct snapshot *snapshot)
{
	struct pids_fetch *fetch = select_pids(scan, scan->all, pids, count, PIDS_SELECT_PID);
	int read = 0, left = 0, rc = 0;

	if (!fetch)
		return errno ? -errno : -EIO;
	for (int i = 0; !rc && i < count; i++) {
		const struct pids_result *head =
			read < fetch->counts->total ? fetch->stacks[read]->head : NULL;
		bool listed = head && head[PID].result.s_int == (int)pids[i];

		read += listed;
		if (listed && is_read(head))
			rc = append(scan, snapshot, head);
		else if (!is_gone((pid_t)pids[i]))
			pids[left++] = pids[i];
	}
	return rc < 0 ? rc : left;
}

/* Who may not be read is unknown, as if he were hidden; nothing is known when another may not. */
static int explain(const unsigned *pids, int count)
{
	int rc = 0;

	for (int i = 0; !rc && i < count; i++) {
		rc = reason((pid_t)pids[i]);
		if (rc == -EACCES || rc == -EPERM || is_gone((pid_t)pids[i]))
			rc = 0;
	}
	return rc;
}

struct listed {
	unsigned *list;
	size_t count;
};

static int read_again(struct scan *scan, unsigned *pids, int count, struct snapshot *snapshot)
{
	int left = count;

	for (int try = 0; left > 0 && (try < TRIES || (explain(pids, left) < 0 && rest(scan)));
	     try++)
		left = read_listed(scan, pids, left, snapshot);
	return left > 0 ? explain(pids, left) : left;
}

/* In the order of the directory, which is that of the PIDs. */
static int list_folder(DIR *folder, const struct snapshot *snapshot, struct listed *missing)
{
	struct dirent *entry;
	size_t at = 0;

	while ((errno = 0, entry = readdir(folder))) {
		pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		unsigned *place;

		while (at < snapshot->count && snapshot->processes[at].pid < pid)
			at++;
		if (!pid || (at < snapshot->count && snapshot->processes[at].pid == pid))
			continue;
		place = list_append(&missing->list, &missing->count, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = (unsigned)pid;
	}
	return -errno;
}

/*
 * Who was born since the snapshot was begun is left out, as he would be if he had come a moment
 * later: that there are newcomers is found out from the last PID, and must be.
 */
static int leave_newcomers(struct scan *scan, const struct snapshot *snapshot,
			   struct listed *missing)
{
	pid_t seen = snapshot->last_pid, last;
	size_t kept = 0;
	int rc;

	if (!seen || !missing->count)
		return 0;
	rc = scan_last_pid(scan, &last);
	for (size_t i = 0; !rc && i < missing->count; i++) {
		pid_t pid = (pid_t)missing->list[i];
		bool since = last >= seen ? pid > seen && pid <= last : pid > seen || pid <= last;

		if (!since)
			missing->list[kept++] = missing->list[i];
	}
	missing->count = kept;
	return rc;
}

/*
 * libproc2 passes over whom it cannot read, and ends where the directory cannot be read. Who is
 * listed there but is not in the snapshot must be asked again.
 */
static int read_missing(struct scan *scan, struct snapshot *snapshot)
{
	cleanup(close_directory) DIR *folder = opendir("/proc");
	struct listed missing = { 0 };
	int rc = folder ? list_folder(folder, snapshot, &missing) : -errno;

	if (!rc)
		rc = leave_newcomers(scan, snapshot, &missing);
	for (size_t at = 0; !rc && at < missing.count; at += AT_ONCE) {
		size_t left = missing.count - at;

		rc = read_again(scan, missing.list + at, left < AT_ONCE ? (int)left : AT_ONCE,
				snapshot);
	}
	free(missing.list);
	return rc;
}

static int read_folder(struct scan *scan, struct snapshot *snapshot)
{
	struct pids_fetch *fetch;
	int rc = 0;

	fetch = reap_pids(scan);
	if (!fetch)
		return errno ? -errno : -EIO;
	for (int i = 0; !rc && i < fetch->counts->total; i++)
		if (is_read(fetch->stacks[i]->head))
			rc = append(scan, snapshot, fetch->stacks[i]->head);
	return rc < 0 ? rc : read_missing(scan, snapshot);
}

static int fill(struct scan *scan, struct snapshot *snapshot)
{
	int rc = -EIO;

	for (int try = 0; rc < 0 && try < TRIES; try++) {
		snapshot_clear(snapshot);
		snapshot->ticks = clock_boot_ticks();
		if (scan->cgroups)
			cgroups_begin(scan->cgroups);
		rc = scan_last_pid(scan, &snapshot->last_pid);
		if (!rc)
			rc = read_folder(scan, snapshot);
		if (scan->cgroups)
			cgroups_end(scan->cgroups, snapshot);
		if (!rc)
			rc = list_namespaces(scan, snapshot);
	}
	return rc;
}

int scan_all(struct scan *scan, unsigned flags, struct snapshot *snapshot, struct error *error)
{
	struct snapshot filled = { 0 };
	int rc = fill(scan, &filled);

	snapshot_sort(&filled);
	if (!rc && flags & SCAN_INITS)
		rc = read_inits(&filled);
	if (rc < 0) {
		snapshot_clear(&filled);
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read the processes in /proc: %s", strerror(-rc));
	}
	break_all_ties(scan, &filled);
	*snapshot = filled;
	return 0;
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
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	int rc = read_folder(scan, &snapshot);

	for (size_t i = 0; !rc && i < snapshot.count; i++)
		if (snapshot.processes[i].ppid == pid)
			rc = append_pid(children, snapshot.processes[i].pid);
	return rc;
}

static int read_children(const char *path, struct pids *children)
{
	FILE *file = fopen(path, "re");
	int child, rc = 0;

	if (!file)
		return -errno;
	while (!rc && fscanf(file, "%d", &child) == 1)
		rc = append_pid(children, child);
	if (!rc && ferror(file))
		rc = -EIO;
	fclose(file);
	return rc;
}

/* A thread that has ended meanwhile has none. */
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

static bool has_children_files(void)
{
	bool has = false;

	for (int try = 0; !has && try < TRIES; try++)
		has = access("/proc/thread-self/children", R_OK) == 0;
	return has;
}

int scan_children(struct scan *scan, pid_t pid, pid_t **children)
{
	struct pids found = { 0 };
	bool by_threads = has_children_files();
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

/* A thread that libproc2 could not read is missed by the number that the others tell. */
bool scan_stopped(struct scan *scan, pid_t pid)
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

int scan_tracer(struct scan *scan, pid_t pid, struct process *tracer)
{
	char line[256];
	int number;

	if (find_in_status(pid, "TracerPid:", line, sizeof(line)) < 0 ||
	    sscanf(line, "TracerPid: %d", &number) != 1 || number <= 0)
		return -ESRCH;
	return scan_process(scan, number, tracer);
}

void scan_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size)
{
	unsigned wanted = (unsigned)pid;
	struct pids_fetch *fetch = select_pids(scan, scan->details, &wanted, 1, PIDS_SELECT_PID);
	const char *channel = NULL;

	if (fetch && fetch->counts->total == 1)
		channel = fetch->stacks[0]->head[0].result.str;
	snprintf(name, size, "%s", channel ? channel : "-");
}
