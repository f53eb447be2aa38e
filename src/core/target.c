/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/target.h"

#include "core/cleanup.h"
#include "linux/clock.h"
#include "linux/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TRIES	  5
#define SAFETY_MS 100 /* a birth that is only estimated is put this much earlier */

static uint64_t ns_per_tick(void)
{
	return NS_PER_SECOND / clock_ticks_per_second();
}

/* When the machine booted by today's clock: a clock that was set since moves it. */
static uint64_t boot_wall(void)
{
	uint64_t now = clock_wall(), uptime = clock_boot_ticks() * ns_per_tick();

	return now > uptime ? now - uptime : 0;
}

/* Prefix of every refusal: "PID 5 (from /run/x.pid)", or "PID 5" when it was given as a number. */
static const char *show_name(const struct identity *identity, char *text, size_t size)
{
	char name[256];

	if (identity->dated)
		snprintf(text, size, "PID %d (from %s)", identity->pid,
			 escape(name, sizeof(name), identity->name));
	else
		snprintf(text, size, "PID %d", identity->pid);
	return text;
}

static int refuse_younger(const struct identity *identity, uint64_t started, struct error *error)
{
	char name[320], then[32], written[32];

	return error_set(
		error, STATUS_REFUSED, EEXIST,
		"%s started at %s, after its pidfile was written at %s: it is another process, "
		"or the clock was set in between",
		show_name(identity, name, sizeof(name)), clock_format(started, then, sizeof(then)),
		clock_format(identity->written, written, sizeof(written)));
}

static int check_age(const struct identity *identity, const struct process *process,
		     struct error *error)
{
	uint64_t started = boot_wall() + process->start_ticks * ns_per_tick();

	if (identity->dated && started > identity->written + identity->tolerance)
		return refuse_younger(identity, started, error);
	return 0;
}

static int check_kind(const struct identity *identity, const struct process *process,
		      struct error *error)
{
	char name[320];

	show_name(identity, name, sizeof(name));
	if (process->pid == 1)
		return error_set(error, STATUS_REFUSED, EPERM,
				 "%s is refused: everything descends from it", name);
	if (process->tgid != process->pid)
		return error_set(error, STATUS_REFUSED, EINVAL,
				 "%s is a thread of process %d: name the process", name,
				 process->tgid);
	if (process->kernel_thread)
		return error_set(error, STATUS_REFUSED, EPERM, "%s is a kernel thread", name);
	return 0;
}

/* What is read is of the pinned process if that has not been reaped since: else -ESRCH. */
static int read_pinned(const struct pidref *ref, struct scan *scan, struct process *process)
{
	int rc = -ESRCH;

	for (int try = 0; rc < 0 && try < TRIES; try++)
		rc = scan_process(scan, ref->pid, process);
	if (pidref_signal(ref, 0) == -ESRCH)
		return -ESRCH;
	process->inode = ref->inode;
	return rc < 0 ? -EACCES : 0;
}

/*
 * Pin first and read then. 0, -ESRCH when nobody bears the number, or who bore it has gone since;
 * -EACCES when somebody does who is not in /proc. Of a thread nothing is pinned.
 */
static int pin_and_read(pid_t pid, struct scan *scan, struct pidref *ref, struct process *process)
{
	int rc = -ESRCH;

	for (int try = 0; try < TRIES; try++) {
		rc = pidref_open(ref, pid);
		if (rc != -EINVAL && rc != -ENOENT)
			break;
		/* A thread's id; or a process on its way out, which is asked again. */
		if (!scan_process(scan, pid, process) && process->tgid != pid)
			return 0;
		rc = -ESRCH;
	}
	if (rc < 0)
		return rc;
	rc = read_pinned(ref, scan, process);
	if (rc < 0)
		pidref_close(ref);
	return rc;
}

static bool stands_in(const struct process *process, pid_t pid)
{
	return process_alive(process) && (process->pgrp == pid || process->session == pid);
}

/* The earlier of the pidfile's time and the oldest stand-in's start, and a little before that. */
static int estimate_birth(const struct identity *identity, struct scan *scan, struct target *target,
			  struct error *error)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	uint64_t safety = SAFETY_MS * clock_ticks_per_second() / 1000;
	uint64_t birth;
	int rc = scan_all(scan, 0, &snapshot, error);

	if (rc < 0)
		return rc;
	birth = snapshot.ticks;
	for (size_t i = 0; i < snapshot.count; i++)
		if (stands_in(&snapshot.processes[i], identity->pid) &&
		    snapshot.processes[i].start_ticks < birth)
			birth = snapshot.processes[i].start_ticks;
	if (identity->dated && (identity->written - boot_wall()) / ns_per_tick() < birth)
		birth = (identity->written - boot_wall()) / ns_per_tick();
	target->process.start_ticks = birth > safety ? birth - safety : 0;
	return 0;
}

static int open_gone(const struct identity *identity, struct scan *scan, struct target *target,
		     struct error *error)
{
	target->dead = true;
	target->process = (struct process){ .pid = identity->pid, .state = 'X' };
	return estimate_birth(identity, scan, target, error);
}

static int check_ancestry(const struct identity *identity, pid_t self, struct scan *scan,
			  struct error *error)
{
	struct process process = { .ppid = self };
	char name[320];

	while (process.ppid > 1 && process.ppid != identity->pid)
		if (scan_process(scan, process.ppid, &process) < 0)
			return 0;
	if (process.ppid != identity->pid)
		return 0;
	return error_set(error, STATUS_REFUSED, EPERM, "%s is nskill itself or an ancestor of it",
			 show_name(identity, name, sizeof(name)));
}

static int open_present(const struct identity *identity, pid_t self, struct scan *scan,
			struct target *target, struct error *error)
{
	int rc = check_kind(identity, &target->process, error);

	if (!rc)
		rc = check_ancestry(identity, self, scan, error);
	if (!rc)
		rc = check_age(identity, &target->process, error);
	if (rc < 0)
		return rc;
	target->dead = !process_alive(&target->process);
	if (target->process.mntns && !target->dead)
		target->mntns = namespace_pin(&target->process);
	if (target->mntns < 0)
		target->process.mntns = 0; /* what cannot be held is not known a moment later */
	return 0;
}

static int open_target(const struct identity *identity, pid_t self, struct scan *scan,
		       struct target *target, struct error *error)
{
	char name[320];
	int rc;

	/* A number from before this boot names nobody of this one. */
	if (identity->dated && identity->written < boot_wall()) {
		target->process = (struct process){ .pid = identity->pid, .state = 'X' };
		target->dead = target->over = true;
		return 0;
	}
	rc = pin_and_read(identity->pid, scan, &target->ref, &target->process);
	if (rc == 0)
		return open_present(identity, self, scan, target, error);
	if (rc == -ESRCH)
		return open_gone(identity, scan, target, error);
	show_name(identity, name, sizeof(name));
	if (rc == -EACCES)
		return error_set(error, STATUS_REFUSED, EACCES,
				 "%s exists but cannot be inspected: it is not visible in /proc",
				 name);
	return error_set(error, STATUS_SYSTEM, -rc, "%s cannot be pinned: %s", name, strerror(-rc));
}

int target_open(struct target *target, const struct identity *identity, pid_t self,
		struct scan *scan, struct error *error)
{
	struct target opened = TARGET_NULL;
	int rc;

	opened.name = identity->name;
	rc = open_target(identity, self, scan, &opened, error);
	if (rc < 0) {
		target_close(&opened);
		return rc;
	}
	*target = opened;
	return 0;
}

void target_close(struct target *target)
{
	pidref_close(&target->ref);
	namespace_unpin(&target->mntns);
}
