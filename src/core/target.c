/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/target.h"

#include "core/past.h"
#include "linux/boot.h"
#include "linux/clock.h"
#include "linux/group.h"
#include "linux/namespace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TRIES 5

/* A PID alone is that of another process if this one started after the PID was written down. */
static int check_age(const struct identity *identity, const struct process *process,
		     struct error *error)
{
	uint64_t started = past_wall(process->start_ticks);
	char name[320], then[32], written[32];

	if (!identity->dated || identity_is_exact(identity) ||
	    started <= identity->written + identity->tolerance)
		return 0;
	return error_set(
		error, STATUS_REFUSED, EEXIST,
		"%s started at %s, after that was written at %s: it is another process, or the "
		"clock was set in between; use --trust-pidfile if it is the one",
		past_name(identity, name, sizeof(name)), clock_format(started, then, sizeof(then)),
		clock_format(identity->written, written, sizeof(written)));
}

static int check_kind(const struct identity *identity, const struct process *process,
		      struct error *error)
{
	char name[320];

	past_name(identity, name, sizeof(name));
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
	return rc == -ESRCH ? -EACCES : rc;
}

static void hold_group(struct target *target, pid_t number)
{
	group_release(&target->group);
	target->group = group_hold(number);
}

/*
 * Pin first and read then. 0, -ESRCH when nobody bears the number, or who bore it has gone since;
 * -EACCES when somebody does who is not in /proc. Of a thread nothing is pinned.
 */
static int pin_and_read(pid_t pid, struct scan *scan, struct target *target)
{
	struct process *process = &target->process;
	int read, rc = -ESRCH;

	for (int try = 0; try < TRIES; try++) {
		rc = pidref_open(&target->ref, pid);
		if (rc != -EINVAL && rc != -ENOENT)
			break;
		/* A thread's id; or a process on its way out, which is asked again. */
		read = scan_process(scan, pid, process);
		if (!read && process->tgid != pid)
			return 0;
		if (read < 0)
			rc = read;
		else if (!process_alive(process))
			rc = -ESRCH;
	}
	if (rc < 0)
		return rc;
	hold_group(target, pid);
	rc = read_pinned(&target->ref, scan, process);
	if (rc < 0)
		pidref_close(&target->ref);
	return rc;
}

__attribute__((format(printf, 2, 3))) static void note(struct target *target, const char *format,
						       ...)
{
	size_t used = strlen(target->note);
	va_list args;

	if (used && used + 3 < sizeof(target->note)) {
		strcpy(target->note + used, "; ");
		used += 2;
	}
	va_start(args, format);
	vsnprintf(target->note + used, sizeof(target->note) - used, format, args);
	va_end(args);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Whether the process at hand is the one that was written down. The inode of a pidfd is unique for
 * a boot; a start tick and a PID together are not quite.
 */
static bool is_meant(const struct identity *identity, const struct process *process)
{
	if (process->tgid != process->pid)
		return !identity_is_exact(identity);
	if (identity->record.dead && process_alive(process))
		return false;
	if (identity->inode && process->inode)
		return identity->inode == process->inode;
	return !identity->start_ticks ||
	       distance(identity->start_ticks, process->start_ticks) <= clock_start_error();
}

static int open_reused(const struct identity *identity, struct target *target)
{
	char name[320], then[32];

	note(target, "%s is another process now, started at %s: the one that was meant is gone",
	     past_name(identity, name, sizeof(name)),
	     clock_format(past_wall(target->process.start_ticks), then, sizeof(then)));
	pidref_close(&target->ref);
	target->dead = target->reused = true;
	target->process = (struct process){ .pid = identity->pid,
					    .state = 'X',
					    .start_ticks = past_told_birth(identity) };
	target->born_by = past_born_by(identity, UINT64_MAX);
	target->born_as = identity->inode;
	return 0;
}

static int open_gone(const struct identity *identity, pid_t self, struct scan *scan,
		     struct target *target, struct error *error)
{
	char name[320];
	int rc;

	note(target, "%s is gone", past_name(identity, name, sizeof(name)));
	target->dead = true;
	target->process = (struct process){ .pid = identity->pid, .state = 'X' };
	hold_group(target, identity->pid);
	rc = past_birth(&target->past, identity, self, scan, &target->process.start_ticks, error);
	target->born_by = target->past.born_by;
	target->born_as = identity->inode;
	return rc;
}

static int check_owner(const struct identity *identity, const struct target *target,
		       struct error *error)
{
	char name[320];

	if (target_may_name(target, &target->process))
		return 0;
	return error_set(error, STATUS_REFUSED, EPERM,
			 "%s is not a process of user %u, whose file names it: use --trust-pidfile "
			 "if it may",
			 past_name(identity, name, sizeof(name)), identity->owner);
}

static int check_ancestry(const struct identity *identity, pid_t self, struct scan *scan,
			  struct error *error)
{
	struct process process = { .ppid = self };
	char name[320];
	int rc = 0;

	while (!rc && process.ppid > 1 && process.ppid != identity->pid)
		rc = scan_process(scan, process.ppid, &process);
	if (rc < 0 && rc != -ESRCH && rc != -EACCES)
		return error_set(error, STATUS_SYSTEM, -rc,
				 "cannot read the ancestors of nskill in /proc: %s", strerror(-rc));
	if (process.ppid != identity->pid)
		return 0;
	return error_set(error, STATUS_REFUSED, EPERM, "%s is nskill itself or an ancestor of it",
			 past_name(identity, name, sizeof(name)));
}

/* What cannot be held is not known a moment later. */
static int hold_namespace(const struct identity *identity, struct target *target,
			  enum scope_kind kind, struct error *error)
{
	uint64_t *id = &target->process.namespaces[kind - SCOPE_MNT];
	char name[320];
	int fd = -ESRCH;

	if (*id && !target->dead)
		fd = namespace_pin(&target->process, kind);
	if (fd >= 0) {
		target->held[target->held_count++] =
			(struct held_namespace){ .kind = kind, .inode = *id, .fd = fd };
		return 0;
	}
	*id = 0;
	if (fd == -ESRCH || fd == -ENOENT || fd == -ESTALE || fd == -EACCES || fd == -EPERM)
		return 0;
	return error_set(error, STATUS_SYSTEM, -fd, "cannot hold the %s of %s: %s",
			 scope_kind_words(kind), past_name(identity, name, sizeof(name)),
			 strerror(-fd));
}

static int hold_namespaces(const struct identity *identity, struct target *target,
			   struct error *error)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < SCOPE_NAMESPACES; i++)
		rc = hold_namespace(identity, target, SCOPE_MNT + i, error);
	return rc;
}

static int open_present(const struct identity *identity, pid_t self, struct scan *scan,
			struct target *target, struct error *error)
{
	char name[320];
	int rc = check_kind(identity, &target->process, error);

	if (!rc)
		rc = check_ancestry(identity, self, scan, error);
	if (!rc)
		rc = check_age(identity, &target->process, error);
	if (!rc)
		rc = check_owner(identity, target, error);
	if (rc < 0)
		return rc;
	target->dead = !process_alive(&target->process);
	target->born_by = target->process.start_ticks;
	target->born_as = target->process.inode;
	if (target->dead)
		note(target, "%s is dead, and not reaped yet",
		     past_name(identity, name, sizeof(name)));
	return hold_namespaces(identity, target, error);
}

/* By the clock, which may have been set since; a record tells the boot itself. */
static bool is_older_than_boot(const struct identity *identity)
{
	return identity->dated && !identity->record.boot[0] && identity->written < past_wall(0);
}

/* A number from before this boot names nobody of this one. 1: it is so, 0, or a negative errno. */
static int is_of_another_boot(const struct identity *identity)
{
	char now[BOOT_ID_SIZE];
	int rc;

	/* With more than a number, a process that fits is the one, whatever the clock says. */
	if (!identity->record.boot[0])
		return !identity_is_exact(identity) && is_older_than_boot(identity);
	rc = boot_id(now);
	return rc < 0 ? rc : strcmp(now, identity->record.boot) != 0;
}

static int open_over(const struct identity *identity, struct target *target)
{
	char name[320];

	note(target, "%s was written down before this boot: nothing of it is left",
	     past_name(identity, name, sizeof(name)));
	target->note_aloud = true;
	pidref_close(&target->ref);
	target->process = (struct process){ .pid = identity->pid, .state = 'X' };
	target->dead = target->over = true;
	return 0;
}

static void note_stranger(struct target *target)
{
	if (!target->past.stranger)
		return;
	note(target,
	     "not followed: mount namespace %" PRIu64 " bears the recorded number, but is another "
	     "one by now",
	     target->past.stranger);
	target->note_aloud = true;
}

static int open_target(const struct identity *identity, pid_t self, struct scan *scan,
		       struct target *target, struct error *error)
{
	char name[320];
	int rc;

	rc = is_of_another_boot(identity);
	if (rc < 0)
		return error_set(
			error, STATUS_REFUSED, -rc,
			"%s cannot be told from one of another boot: the boot id cannot be read",
			past_name(identity, name, sizeof(name)));
	if (rc > 0)
		return open_over(identity, target);
	rc = past_open(&target->past, identity, scan, error);
	if (rc < 0)
		return rc;
	note_stranger(target);
	rc = pin_and_read(identity->pid, scan, target);
	if (rc == 0 && identity->inode && !identity->start_ticks && !target->process.inode &&
	    target->process.tgid == identity->pid)
		return error_set(error, STATUS_SYSTEM, ENOSYS,
				 "the kernel gives pidfds no inode of their own (Linux 6.9 does): "
				 "name the PID alone");
	if (rc == 0 && is_meant(identity, &target->process))
		return open_present(identity, self, scan, target, error);
	if ((rc == 0 || rc == -ESRCH) && is_older_than_boot(identity))
		return open_over(identity, target);
	if (rc == 0)
		return open_reused(identity, target);
	if (rc == -ESRCH)
		return open_gone(identity, self, scan, target, error);
	past_name(identity, name, sizeof(name));
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
	opened.recorded = identity->record.boot[0] != '\0';
	opened.owned = identity->owned;
	opened.owner = identity->owner;
	/* Of what is not known to be of this boot, the number can be that of another pipe. */
	if (identity->record.boot[0] || identity->dated || identity->trusted)
		opened.output_count = identity->output_count;
	memcpy(opened.outputs, identity->outputs, sizeof(opened.outputs));
	rc = open_target(identity, self, scan, &opened, error);
	if (rc < 0) {
		target_close(&opened);
		return rc;
	}
	*target = opened;
	return 0;
}

bool target_may_name(const struct target *target, const struct process *process)
{
	if (!target->owned)
		return true;
	return process->ruid == target->owner || process->suid == target->owner ||
	       namespace_user_is(process->pid, target->owner);
}

void target_close(struct target *target)
{
	pidref_close(&target->ref);
	group_release(&target->group);
	for (size_t i = 0; i < target->held_count; i++)
		namespace_unpin(&target->held[i].fd);
	target->held_count = 0;
	past_close(&target->past);
}
