/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/outputs.h"

#include "core/cleanup.h"
#include "linux/clock.h"
#include "linux/files.h"
#include "linux/scan.h"

#include <errno.h>

#define SLACK (NS_PER_SECOND / 4) /* for a look after the deadline */

/* There may be thousands of descriptors. One look is taken even when time is up. */
static uint64_t time_limit(const struct kill *kill)
{
	uint64_t least = clock_now() + SLACK;

	return kill->orders.deadline > least ? kill->orders.deadline : least;
}

static bool is_followed(const struct kill *kill)
{
	return kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO);
}

static void add(struct kill *kill, struct claim *claim, struct stream *stream)
{
	size_t place = streams_find(&kill->streams, stream);

	if (stream->kind == STREAM_NONE)
		return;
	if (place < kill->streams.count || place == STREAMS_MAX)
		files_release(stream);
	else
		kill->streams.list[kill->streams.count++] = *stream;
	if (place < STREAMS_MAX)
		claim->outputs |= STREAM_BIT(place);
	else
		claim->untold = true;
}

/*
 * What @process, which @ref has pinned since before it was read, has as its output. That is held
 * where somebody may be ended for it, but not merely to be named: --on-exit can wait for days.
 */
static void add_those_of(struct kill *kill, struct claim *claim, const struct process *process,
			 const struct pidref *ref)
{
	for (int fd = 1; fd <= 2; fd++) {
		struct stream stream;
		int rc = files_stream(process, fd, is_followed(kill), &stream);

		if (pidref_ended(ref)) {
			if (!rc)
				files_release(&stream);
			return;
		}
		if (!rc)
			add(kill, claim, &stream);
		else
			claim->untold = claim->untold || (rc != -ENOENT && rc != -ESRCH);
	}
}

/* In a group or a session that nskill or an ancestor is in are others than the target's. */
static bool stands_in(const struct kill *kill, const struct process *process, pid_t pid)
{
	for (enum scope_kind kind = 0; scope_kind_is_led(kind); kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)pid };

		if (scope_equal(scope_of(process, kind), scope) && process_alive(process) &&
		    !guards_in(&kill->guards, scope))
			return true;
	}
	return false;
}

static void add_stand_in(struct kill *kill, struct claim *claim, pid_t pid)
{
	struct process fresh;
	struct pidref ref;

	if (pidref_open(&ref, pid) < 0)
		return;
	if (!scan_process(kill->orders.scan, pid, &fresh) &&
	    stands_in(kill, &fresh, claim->target.pid)) {
		claim->answered = true;
		add_those_of(kill, claim, &fresh, &ref);
	}
	pidref_close(&ref);
}

static void find_of_dead(struct kill *kill, size_t t, const struct snapshot *snapshot)
{
	const struct target *target = &kill->orders.targets[t];
	struct claim *claim = &kill->claims[t];
	const struct process *now = snapshot_find(snapshot, claim->target.pid);

	for (size_t i = 0; i < target->output_count; i++) {
		struct stream stream = target->outputs[i];

		add(kill, claim, &stream);
	}
	/* Who bears its number by now leads a group and a session of his own. */
	if (target->output_count || claim->members[0]->recycled || (now && process_alive(now)))
		return;
	for (size_t i = 0; i < snapshot->count; i++)
		if (stands_in(kill, &snapshot->processes[i], claim->target.pid))
			add_stand_in(kill, claim, snapshot->processes[i].pid);
}

static bool is_any_terminal(const struct streams *streams)
{
	for (size_t i = 0; i < streams->count; i++)
		if (streams->list[i].kind == STREAM_TERMINAL)
			return true;
	return false;
}

bool outputs_need_all(const struct kill *kill)
{
	if (kill->planned)
		return is_any_terminal(&kill->streams);
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct target *target = &kill->orders.targets[t];
		struct stream stream;

		if (target->over)
			continue;
		if (target->dead || kill->claims[t].members[0]->dead)
			return true;
		for (int fd = 1; fd <= 2; fd++)
			if (!files_stream(&target->process, fd, false, &stream) &&
			    stream.kind == STREAM_TERMINAL)
				return true;
	}
	return false;
}

void outputs_find(struct kill *kill, const struct snapshot *snapshot)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct target *target = &kill->orders.targets[t];

		kill->claims[t].streams = &kill->streams;
		if (target->over)
			continue;
		if (target->dead || kill->claims[t].members[0]->dead)
			find_of_dead(kill, t, snapshot);
		else
			add_those_of(kill, &kill->claims[t], &target->process, &target->ref);
	}
}

/* In the tick of a target's birth, the order of their pidfds alone tells who is younger. */
static bool is_as_old_as_a_target(const struct kill *kill, const struct process *process)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (kill->claims[t].born_by == process->start_ticks)
			return true;
	return false;
}

/* By number: what was read are another's files if that has been handed out again meanwhile. */
static int read_writes(struct kill *kill, struct process *process, uint64_t until)
{
	struct process again;
	int rc = files_writes(process, &kill->streams, until);

	if (process->writes && !scan_process(kill->orders.scan, process->pid, &again) &&
	    !process_same(process, &again))
		process->writes = 0;
	return rc;
}

void outputs_look(struct kill *kill, struct snapshot *snapshot)
{
	uint64_t until = time_limit(kill);

	kill->unread_files = 0;
	for (size_t i = 0; kill->streams.count && i < snapshot->count; i++) {
		struct process *process = &snapshot->processes[i];
		int rc = process_alive(process) ? read_writes(kill, process, until) : 0;

		kill->unread_files += rc < 0 && rc != -ENOENT && rc != -ESRCH;
		if (process->writes && !process->inode && is_as_old_as_a_target(kill, process))
			scan_inode(kill->orders.scan, process);
	}
}

int outputs_read(struct kill *kill, struct process *process)
{
	int rc = 0;

	if (is_followed(kill) && kill->streams.count)
		rc = read_writes(kill, process, time_limit(kill));
	return rc == -EMFILE ? rc : 0;
}

static bool is_youngest(const struct kill *kill, uint64_t inode)
{
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (!kill->claims[t].target.inode || inode <= kill->claims[t].target.inode)
			return false;
	return true;
}

bool outputs_peek(struct kill *kill, uint64_t inode, struct process *process)
{
	if (!is_followed(kill) || !kill->streams.count || !is_youngest(kill, inode))
		return false;
	process->writes = files_peek(process->pid, &kill->streams);
	process->start_ticks = clock_boot_ticks();
	return process->writes;
}

int outputs_holders(struct kill *kill, struct holders *holders, struct error *error)
{
	cleanup(snapshot_clear) struct snapshot snapshot = { 0 };
	int rc = 0;

	*holders = (struct holders){ 0 };
	if (kill->streams.count)
		rc = scan_all(kill->orders.scan, 0, &snapshot, error);
	if (rc < 0)
		return rc;
	outputs_look(kill, &snapshot);
	rc = holders_find(holders, kill, &snapshot);
	return rc < 0 ? error_set(error, STATUS_SYSTEM, -rc, "out of memory") : 0;
}

void outputs_close(struct kill *kill)
{
	for (size_t i = 0; i < kill->streams.count; i++)
		files_release(&kill->streams.list[i]);
	kill->streams.count = 0;
}
