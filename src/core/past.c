/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/past.h"

#include "core/cleanup.h"
#include "core/guards.h"
#include "core/list.h"
#include "core/numbers.h"
#include "linux/boot.h"
#include "linux/clock.h"
#include "linux/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	      20 /* of looking for newcomers */
#define NEWCOMERS_MAX 64 /* looked at in one: others have ended */

#define SAFETY_MS 100 /* a birth that is only estimated is put this much earlier */

/* When the clock of start times stood at 0, by today's wall clock: setting that moves it. */
static uint64_t epoch(void)
{
	uint64_t now = clock_wall(), uptime = clock_boot_ticks() * clock_ns_per_tick();

	return now > uptime ? now - uptime : 0;
}

uint64_t past_wall(uint64_t ticks)
{
	return epoch() + ticks * clock_ns_per_tick();
}

static uint64_t ticks_of_wall(uint64_t wall)
{
	uint64_t begin = epoch();

	return wall > begin ? (wall - begin) / clock_ns_per_tick() : 0;
}

const char *past_name(const struct identity *identity, char *text, size_t size)
{
	char name[256];

	if (identity->name)
		snprintf(text, size, "PID %d (from %s)", identity->pid,
			 escape(name, sizeof(name), identity->name));
	else
		snprintf(text, size, "PID %d", identity->pid);
	return text;
}

static bool stands_in(const struct process *process, pid_t pid)
{
	return process_alive(process) && (process->pgrp == pid || process->session == pid);
}

static bool is_older_than_evidence(const struct identity *identity, const struct process *process)
{
	if (identity->record.boot[0])
		return process->start_ticks < identity->record.time;
	return identity->written && process->start_ticks < ticks_of_wall(identity->written);
}

static bool is_in_held(const struct past *past, const struct process *process)
{
	for (size_t i = 0; i < past->namespace_count; i++)
		if (process->mntns == past->namespaces[i].inode)
			return true;
	return false;
}

/* Whether its number can have been handed out again: since boot, or since it was written down. */
static bool may_be_anothers(const struct identity *identity)
{
	const struct record *record = &identity->record;
	const struct numbers since = {
		.forks = boot_forks_since(record->forks),
		.in_use = record->in_use,
		.last = record->last_pid,
		.max = scan_pid_max(),
	};

	if (!record->boot[0])
		return since.forks >= (uint64_t)since.max;
	return numbers_may_reach(&since, identity->pid);
}

static bool is_on_host(const struct guards *guards, const struct snapshot *snapshot,
		       const struct process *process)
{
	const struct namespace *in = snapshot_namespace(snapshot, process->mntns);

	return !in || guards_know_as_initial(guards, in);
}

struct stand_ins {
	uint64_t oldest;	    /* start of the oldest; UINT64_MAX: there are none */
	uint64_t oldest_in_session; /* and of those that it is sure to be older than */
	bool proven;
	bool on_host; /* one at least is in the host's mount namespace, or in nobody knows which */
};

static struct stand_ins find_stand_ins(const struct identity *identity, const struct past *past,
				       const struct guards *guards, const struct snapshot *snapshot)
{
	struct stand_ins found = { .oldest = UINT64_MAX, .oldest_in_session = UINT64_MAX };
	bool on_host, bare = !identity->name && !identity_is_exact(identity);

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (!stands_in(process, identity->pid))
			continue;
		if (process->start_ticks < found.oldest)
			found.oldest = process->start_ticks;
		/* A group can be joined (setpgid(2)) by one who is older than its leader. */
		if (process->session == identity->pid &&
		    process->start_ticks < found.oldest_in_session)
			found.oldest_in_session = process->start_ticks;
		/* To be in the host's own mount namespace proves nothing. */
		on_host = is_on_host(guards, snapshot, process);
		found.on_host = found.on_host || on_host;
		if (is_older_than_evidence(identity, process) ||
		    (!on_host && is_in_held(past, process)))
			found.proven = true;
	}
	if (bare || identity->trusted || found.oldest == UINT64_MAX ||
	    (!found.proven && !may_be_anothers(identity)))
		found.proven = true;
	return found;
}

/* The starts of others may be read as that much earlier than they were. */
uint64_t past_told_birth(const struct identity *identity)
{
	return identity->start_ticks ? identity->start_ticks - clock_start_error() : 0;
}

/* What is told counts; else the earlier of the file's time and the oldest stand-in's start. */
static uint64_t estimate(const struct identity *identity, const struct stand_ins *stand_ins,
			 uint64_t now)
{
	uint64_t safety = SAFETY_MS * clock_ticks_per_second() / 1000;
	uint64_t earliest = stand_ins->oldest < now ? stand_ins->oldest : now;

	if (identity->start_ticks)
		return past_told_birth(identity);
	if (identity->dated && stand_ins->proven && ticks_of_wall(identity->written) < earliest)
		earliest = ticks_of_wall(identity->written);
	return earliest > safety ? earliest - safety : 0;
}

/*
 * An estimate is put early, so that nobody older is left out where the namespace must be the
 * target's. Who is younger than it is told by the latest that it can have started.
 */
uint64_t past_born_by(const struct identity *identity, uint64_t oldest)
{
	if (identity->record.dead)
		return identity->record.time < oldest ? identity->record.time : oldest;
	return identity->start_ticks ? identity->start_ticks + clock_start_error() : oldest;
}

int past_birth(struct past *past, const struct identity *identity, pid_t self, struct scan *scan,
	       uint64_t *birth, struct error *error)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	cleanup(guards_clear) struct guards guards = { 0 };
	struct stand_ins stand_ins;
	char name[320];
	int rc = scan_all(scan, 0, &snapshot, error);

	if (rc < 0)
		return rc;
	rc = guards_read(&guards, &snapshot, self);
	if (rc < 0)
		return error_set(error, STATUS_SYSTEM, -rc, "%s",
				 rc == -ESRCH ? "cannot find itself in /proc" : strerror(-rc));
	stand_ins = find_stand_ins(identity, past, &guards, &snapshot);
	if (!stand_ins.proven && stand_ins.on_host)
		return error_set(
			error, STATUS_REFUSED, EPERM,
			"%s is gone, and so many processes have been made since that who is in "
			"its group or session may be another's: use --trust-pidfile if they "
			"are its own",
			past_name(identity, name, sizeof(name)));
	past->traceless = stand_ins.oldest == UINT64_MAX && !identity->start_ticks;
	past->born_by = past_born_by(identity, stand_ins.oldest_in_session);
	*birth = estimate(identity, &stand_ins, snapshot.ticks);
	return 0;
}

/*
 * Without an id that is never handed out again, the namespace is the recorded one if somebody in it
 * is older than the record. (That nobody is older than the target is the rule's own condition.)
 */
static bool is_recorded(const struct identity_namespace *written, int fd,
			const struct identity *identity, const struct snapshot *snapshot)
{
	uint64_t id;

	if (written->id && namespace_unique_id(fd, &id) == 0)
		return id == written->id;
	for (size_t i = 0; i < snapshot->count; i++)
		if (snapshot->processes[i].mntns == written->inode &&
		    process_alive(&snapshot->processes[i]) &&
		    is_older_than_evidence(identity, &snapshot->processes[i]))
			return true;
	return false;
}

static int pin_by_inode(const struct snapshot *snapshot, uint64_t inode)
{
	int fd = -ESRCH;

	for (size_t i = 0; fd < 0 && i < snapshot->count; i++)
		if (snapshot->processes[i].mntns == inode)
			fd = namespace_pin(&snapshot->processes[i], SCOPE_MNT);
	return fd;
}

/* Through the newest of those born after @seen who is in it, and has not ended yet. */
static int pin_by_newcomer(struct scan *scan, pid_t seen, pid_t last, uint64_t inode)
{
	int fd = -ESRCH;

	for (pid_t pid = last; fd < 0 && pid > seen && last - pid < NEWCOMERS_MAX; pid--) {
		struct process now;

		if (!scan_peek(scan, pid, SCOPE_BIT(SCOPE_MNT), &now) && now.mntns == inode)
			fd = namespace_pin(&now, SCOPE_MNT);
	}
	return fd;
}

/* Those who do nothing but fork and end live for less time than a look takes. */
static int pin_by_newcomers(struct scan *scan, pid_t seen, uint64_t inode)
{
	bool rested = false;
	int fd = -ESRCH;

	for (int round = 0; fd < 0 && round < ROUNDS; round++) {
		pid_t last;

		if (scan_last_pid(scan, &last) < 0 || (last == seen && rested))
			break;
		if (last == seen) {
			clock_pass_tick();
			rested = true;
			continue;
		}
		fd = pin_by_newcomer(scan, seen < last ? seen : 0, last, inode);
		seen = last;
	}
	return fd;
}

static int hold(const struct identity_namespace *written, const struct identity *identity,
		struct scan *scan, const struct snapshot *snapshot, struct past *past)
{
	struct held_namespace *held;
	int fd = pin_by_inode(snapshot, written->inode);

	if (fd < 0)
		fd = pin_by_newcomers(scan, snapshot->last_pid, written->inode);
	if (fd < 0)
		return 0; /* nobody is in it any more */
	if (!is_recorded(written, fd, identity, snapshot)) {
		namespace_unpin(&fd);
		past->stranger = written->inode;
		return 0;
	}
	held = list_append(&past->namespaces, &past->namespace_count, sizeof(*held));
	if (!held) {
		namespace_unpin(&fd);
		return -ENOMEM;
	}
	*held = (struct held_namespace){ .kind = SCOPE_MNT, .inode = written->inode, .fd = fd };
	return 0;
}

int past_open(struct past *past, const struct identity *identity, struct scan *scan,
	      struct error *error)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	const struct record *record = &identity->record;
	struct past opened = { 0 };
	int rc;

	if (!record->namespace_count) {
		*past = opened;
		return 0;
	}
	rc = scan_all(scan, 0, &snapshot, error);
	for (size_t i = 0; !rc && i < record->namespace_count; i++) {
		rc = hold(&record->namespaces[i], identity, scan, &snapshot, &opened);
		if (rc < 0)
			error_set(error, STATUS_SYSTEM, -rc, "out of memory");
	}
	if (rc < 0)
		past_close(&opened);
	else
		*past = opened;
	return rc;
}

void past_close(struct past *past)
{
	for (size_t i = 0; i < past->namespace_count; i++)
		namespace_unpin(&past->namespaces[i].fd);
	free(past->namespaces);
	*past = (struct past){ 0 };
}
