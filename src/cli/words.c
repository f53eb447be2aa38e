/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/words.h"

#include "core/signals.h"
#include "linux/clock.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char words_not_the_owners[] = "the file that names the target is another user's";
const char words_in_doubt[] = "what tied it has ended, and it may be another by now";
const char words_not_listed[] = "it has joined since the list was shown";

const char *words_spared(const struct victim *victim)
{
	switch (victim->fate) {
	case FATE_LEFT:
		return words_not_the_owners;
	case FATE_DOUBTFUL:
		return words_in_doubt;
	case FATE_UNLISTED:
		return words_not_listed;
	default:
		return NULL;
	}
}

char *words_age(char *text, size_t size, uint64_t start_ticks, uint64_t now, uint64_t hertz)
{
	uint64_t seconds = now > start_ticks ? (now - start_ticks) / hertz : 0;
	uint64_t minutes = seconds / 60, hours = minutes / 60;

	if (hours >= 24)
		snprintf(text, size, "%" PRIu64 "d%02" PRIu64 "h", hours / 24, hours % 24);
	else if (hours)
		snprintf(text, size, "%" PRIu64 "h%02" PRIu64 "m", hours, minutes % 60);
	else if (minutes)
		snprintf(text, size, "%" PRIu64 "m%02" PRIu64 "s", minutes, seconds % 60);
	else
		snprintf(text, size, "%" PRIu64 "s", seconds);
	return text;
}

char *words_why(char *text, size_t size, const struct victim *victim)
{
	char path[WHY_SIZE - 16];

	if (!victim->why.id)
		snprintf(text, size, "target");
	else if (victim->why.kind == SCOPE_TREE)
		snprintf(text, size, "child of %" PRIu64, victim->why.id);
	else if (victim->why.cgroup)
		snprintf(text, size, "%s %s", scope_kind_name(victim->why.kind),
			 escape(path, sizeof(path), victim->why.cgroup->path));
	else
		snprintf(text, size, "%s %" PRIu64, scope_kind_name(victim->why.kind),
			 victim->why.id);
	return text;
}

char *words_name(char *text, size_t size, const struct process *process)
{
	char command[NAME_SIZE];

	snprintf(text, size, "%d (%s)", process->pid,
		 escape(command, sizeof(command), process->command));
	return text;
}

char *words_process(char *text, size_t size, const struct process *process)
{
	char command[NAME_SIZE], age[32];

	if (!process_known(process)) {
		snprintf(text, size, "%d, which may not be read", process->pid);
		return text;
	}
	snprintf(text, size, "%d (%s), %s old", process->pid,
		 escape(command, sizeof(command), process->command),
		 words_age(age, sizeof(age), process->start_ticks, clock_boot_ticks(),
			   clock_ticks_per_second()));
	return text;
}

char *words_scope(char *text, size_t size, struct scope scope)
{
	const char *words = scope_kind_words(scope.kind);
	char path[NAME_SIZE];

	if (scope.cgroup)
		snprintf(text, size, "%s %s", words,
			 escape(path, sizeof(path), scope.cgroup->path));
	else if (scope.id)
		snprintf(text, size, "%s %" PRIu64, words, scope.id);
	else
		snprintf(text, size, "%s", words);
	return text;
}

/* Who of those that are never signalled keeps a scope from being followed. */
static void show_guard(char *text, size_t size, const struct process *guard, const char *does,
		       const char *who)
{
	if (guard->pid == getpid())
		snprintf(text, size, "nskill itself %s", does);
	else if (guard->pid == 1)
		snprintf(text, size, "PID 1 %s", does);
	else
		snprintf(text, size, "an ancestor of nskill %s: %s", does, who);
}

static const char *explain_unknown(enum scope_kind kind)
{
	if (scope_kind_is_led(kind))
		return "it comes from outside this PID namespace";
	if (kind == SCOPE_CGROUP)
		return "no mounted hierarchy shows it";
	return "this user may not look at it";
}

char *words_reason(char *text, size_t size, const struct spared *spared)
{
	char who[WHO_SIZE] = "";

	if (spared->who.pid)
		words_process(who, sizeof(who), &spared->who);
	switch (spared->reason) {
	case SPARED_UNASKED:
		snprintf(text, size, "--match leaves it out");
		break;
	case SPARED_UNKNOWN:
		snprintf(text, size, "%s", explain_unknown(spared->scope.kind));
		break;
	case SPARED_GUARD:
		show_guard(text, size, &spared->who,
			   spared->scope.kind == SCOPE_IO ? "holds it" : "is in it", who);
		break;
	case SPARED_INITIAL:
		snprintf(text, size, "%s",
			 spared->scope.cgroup ? "it is the root" : "it is the host's");
		break;
	case SPARED_FOREIGN:
		snprintf(text, size, "it was not made by the caller");
		break;
	case SPARED_LEADER:
		snprintf(text, size, "its leader does not belong to the target: %s", who);
		break;
	case SPARED_LEADER_GONE:
		snprintf(text, size, "its leader is gone, and did not belong to the target");
		break;
	case SPARED_PIDNS_INIT:
		snprintf(text, size, "it holds the init of a PID namespace: %s", who);
		break;
	case SPARED_OUTER:
		snprintf(text, size, "the target's own %s is not followed",
			 scope_kind_words(spared->scope.kind));
		break;
	case SPARED_OLDER:
		if (spared->scope.kind == SCOPE_IO)
			snprintf(text, size, "it is the terminal of an older process%s%s",
				 *who ? ": " : "", who);
		else
			snprintf(text, size, "a process in it is older: %s", who);
		break;
	}
	return text;
}

char *words_state(char *text, size_t size, const struct victim *victim)
{
	const struct hindrance *hindrance = kill_hindrance(victim);
	char tracer[NAME_SIZE + 16];

	*text = '\0';
	if (hindrance->frozen)
		snprintf(text, size, "frozen by a cgroup: thaw it");
	else if (victim->process.state == 'D')
		snprintf(text, size, "uninterruptible: the kernel holds it");
	else if (victim->process.state == 'T')
		snprintf(text, size, "stopped");
	else if (victim->process.state == 't' && hindrance->tracer.pid)
		snprintf(text, size, "held by its tracer %s",
			 words_name(tracer, sizeof(tracer), &hindrance->tracer));
	else if (victim->process.state == 't')
		snprintf(text, size, "held by a tracer");
	return text;
}

char *words_left(char *text, size_t size, const struct victim *victim)
{
	char name[32];

	if (victim->error)
		snprintf(text, size, "may not be signalled: %s", strerror(victim->error));
	else if (words_spared(victim))
		snprintf(text, size, "%s", words_spared(victim));
	else if (!*words_state(text, size, victim) && victim->sent)
		snprintf(text, size, "%s has not ended it",
			 words_signal(name, sizeof(name), victim->sent));
	else if (!*text)
		snprintf(text, size, "no signal has been sent to it");
	return text;
}

const char *words_uncertain(const struct kill *kill)
{
	if (kill->unsettled)
		return "processes forked on or never stood still: some may be left";
	if (kill->interrupt)
		return "interrupted before it was certain that nothing is left";
	if (kill->timed_out)
		return "time was up before it was certain that nothing is left";
	return NULL;
}

const char *words_holder(char *text, size_t size, const struct holder *holder)
{
	switch (holder->reason) {
	case HOLDER_GUARD:
		return holder->process.pid == getpid() ? "nskill itself"
		       : holder->process.pid == 1      ? "PID 1"
						       : "an ancestor of nskill";
	case HOLDER_MEMBER:
		return "it belongs to the target";
	case HOLDER_ALIVE:
		return "still alive";
	case HOLDER_DENIED:
		snprintf(text, size, "may not be signalled: %s", strerror(holder->error));
		return text;
	case HOLDER_DOUBTFUL:
		return words_in_doubt;
	case HOLDER_LEFT:
		return words_not_the_owners;
	case HOLDER_UNLISTED:
		return "it was not on the list";
	case HOLDER_OLDER:
		return "older than the target";
	case HOLDER_UNTOLD:
		return "it may be older than the target; if it is the job's, name it by its PID";
	case HOLDER_UNASKED:
		return "not followed: -m +io would kill it, too";
	case HOLDER_TERMINAL:
		return "the terminal is not the target's own";
	case HOLDER_NEW:
		return "it has come since";
	}
	return "";
}

const char *words_signal(char *text, size_t size, int signal)
{
	const char *name = signal_name(signal);

	if (name)
		snprintf(text, size, "%s", name);
	else if (signal == SIGRTMIN)
		snprintf(text, size, "RTMIN");
	else if (signal > SIGRTMIN && signal <= SIGRTMAX)
		snprintf(text, size, "RTMIN+%d", signal - SIGRTMIN);
	else
		snprintf(text, size, "signal %d", signal);
	return text;
}

const char *words_no_output(const struct claim *claim)
{
	if (claim->answered)
		return "what it left has no pipe, FIFO, socket or pseudo-terminal as output";
	return "nobody is left who tells what it was (name a record, or who holds it)";
}
