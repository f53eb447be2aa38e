/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/details.h"

#include "core/list.h"
#include "linux/clock.h"
#include "linux/ground.h"
#include "linux/pidref.h"
#include "linux/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <libproc2/pids.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST 4096 /* bytes of a text; what is longer is cut */

/* What goes through the pipe before each text. */
struct heading {
	uint32_t process; /* its place in the list */
	uint32_t detail;
	uint32_t length;
};

/* By which item of libproc2. In none are the PIDs in namespaces inside ours. */
static const enum pids_item items[DETAILS] = {
	[DETAIL_TTY] = PIDS_TTY_NAME,  [DETAIL_WCHAN] = PIDS_WCHAN_NAME,
	[DETAIL_CGROUP] = PIDS_CGROUP, [DETAIL_NSPID] = PIDS_noop,
	[DETAIL_USER] = PIDS_noop,     [DETAIL_EXE] = PIDS_EXE,
	[DETAIL_ARGS] = PIDS_CMDLINE,
};

/* ---- in the child ---- */

static void tell(FILE *out, size_t process, enum detail detail, const char *text)
{
	struct heading heading = {
		.process = (uint32_t)process,
		.detail = detail,
		.length = (uint32_t)strnlen(text, LONGEST),
	};

	if (fwrite(&heading, sizeof(heading), 1, out) != 1 ||
	    fwrite(text, 1, heading.length, out) != heading.length)
		_exit(1);
}

/* What has been read is known, whatever blocks next. */
static void flush(FILE *out)
{
	if (fflush(out) != 0)
		_exit(1);
}

/* "NSpid: 4711 12": the PID in our namespace, then in each inside it (proc_pid_status(5)) */
static void tell_nspid(FILE *out, size_t place, pid_t pid)
{
	static const char name[] = "NSpid:\t";
	char line[256];
	FILE *status;

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	status = fopen(line, "re");
	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, name, strlen(name)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		for (char *tab = line + strlen(name); (tab = strchr(tab, '\t'));)
			*tab = ',';
		tell(out, place, DETAIL_NSPID, line + strlen(name));
	}
	if (status)
		fclose(status);
}

/* Most are the same user's, and to ask for his name can cost a read of a whole file. */
static void tell_users(FILE *out, const struct process *const *processes, size_t count)
{
	char name[256] = "";

	for (size_t i = 0; i < count; i++) {
		uid_t user = processes[i]->owner;

		if (i == 0 || user != processes[i - 1]->owner) {
			const struct passwd *entry = getpwuid(user);

			if (entry)
				snprintf(name, sizeof(name), "%s", entry->pw_name);
			else
				snprintf(name, sizeof(name), "%u", user);
		}
		tell(out, i, DETAIL_USER, name);
	}
}

static void tell_item(FILE *out, size_t place, const struct process *process, enum detail detail,
		      struct pids_info *info)
{
	unsigned pid = (unsigned)process->pid;
	struct pids_fetch *fetch = selection_read(info, &pid, 1, PIDS_SELECT_PID, &(bool){ false });
	const struct pids_result *head;

	if (!fetch || fetch->counts->total != 1)
		return;
	head = fetch->stacks[0]->head;
	if (clock_start_ticks(head[1].result.ull_int) != process->start_ticks)
		return;
	if (detail == DETAIL_NSPID)
		tell_nspid(out, place, process->pid);
	else if (head[0].result.str)
		tell(out, place, detail, head[0].result.str);
}

static void tell_detail(FILE *out, const struct process *const *processes, size_t count,
			enum detail detail)
{
	enum pids_item wanted[] = { items[detail], PIDS_TICS_BEGAN };
	struct pids_info *info = NULL;

	if (procps_pids_new(&info, wanted, 2) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		tell_item(out, i, processes[i], detail, info);
		if (detail >= DETAIL_EXE)
			flush(out);
	}
	procps_pids_unref(&info);
}

/* What can block comes last: the rest is known by then. */
static void tell_all(FILE *out, const struct process *const *processes, size_t count,
		     unsigned wanted)
{
	if (!out)
		_exit(1);
	for (enum detail detail = 0; detail < DETAILS; detail++) {
		if (!(wanted & DETAIL_BIT(detail)))
			continue;
		if (detail == DETAIL_USER)
			tell_users(out, processes, count);
		else
			tell_detail(out, processes, count, detail);
		flush(out);
	}
}

/* It may have to be left behind: it must hold nothing that somebody else waits for the end of. */
static int keep_only(int fd)
{
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (kept < 0 || dup2(kept, 0) < 0 || ground_close_from(1) < 0)
		_exit(1);
	return 0;
}

/*
 * Where it cannot be ended, since there is no descriptor for a pidfd, it ends with its parent; of
 * which the first in a PID namespace sees nothing.
 */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getpid() != 1 && getppid() != parent)
		_exit(1);
}

/* ---- in the parent ---- */

struct inbox {
	char *bytes;
	size_t count;
};

static int receive(int pipe, struct inbox *inbox, uint64_t until)
{
	struct pollfd poller = { .fd = pipe, .events = POLLIN };
	char buffer[4096];
	ssize_t size;

	for (;;) {
		if (poll(&poller, 1, clock_milliseconds_until(until)) <= 0)
			return -ETIMEDOUT;
		size = read(pipe, buffer, sizeof(buffer));
		if (size <= 0)
			return size < 0 ? -errno : 0;
		for (ssize_t i = 0; i < size; i++) {
			char *place = list_append(&inbox->bytes, &inbox->count, 1);

			if (!place)
				return -ENOMEM;
			*place = buffer[i];
		}
	}
}

static void unpack(const struct inbox *inbox, struct details *details, size_t count)
{
	struct heading heading;

	for (size_t at = 0; at + sizeof(heading) <= inbox->count; at += heading.length) {
		memcpy(&heading, inbox->bytes + at, sizeof(heading));
		at += sizeof(heading);
		if (heading.length > inbox->count - at || heading.process >= count ||
		    heading.detail >= DETAILS)
			return;
		free(details[heading.process].text[heading.detail]);
		details[heading.process].text[heading.detail] =
			strndup(inbox->bytes + at, heading.length);
	}
}

/* A child that is stuck in the kernel ends when it gets out of there, and is nobody's then. */
static void end_child(pid_t child)
{
	struct pidref ref;

	if (pidref_open(&ref, child) == 0) {
		struct pollfd poller = { .fd = ref.fd, .events = POLLIN };

		pidref_signal(&ref, SIGKILL);
		poll(&poller, 1, 100);
		pidref_close(&ref);
	}
	waitpid(child, NULL, WNOHANG);
}

static void read_through_child(const struct process *const *processes, size_t count,
			       unsigned wanted, uint64_t until, struct details *details)
{
	struct inbox inbox = { 0 };
	pid_t child, self = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0) {
		end_with(self);
		tell_all(fdopen(keep_only(ends[1]), "w"), processes, count, wanted);
		_exit(0);
	}
	close(ends[1]);
	if (child > 0) {
		receive(ends[0], &inbox, until);
		end_child(child);
		unpack(&inbox, details, count);
		free(inbox.bytes);
	}
	close(ends[0]);
}

struct details *details_read(const struct process *const *processes, size_t count, unsigned wanted,
			     uint64_t until)
{
	struct details *details = calloc(count + 1, sizeof(*details));

	if (details && wanted)
		read_through_child(processes, count, wanted, until, details);
	return details;
}

void details_free(struct details *details, size_t count)
{
	for (size_t i = 0; details && i < count; i++)
		for (enum detail detail = 0; detail < DETAILS; detail++)
			free(details[i].text[detail]);
	free(details);
}
