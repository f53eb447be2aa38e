/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/log.h"

#include "cli/words.h"
#include "core/signals.h"
#include "linux/clock.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

void log_open(struct log *log, const struct options *options)
{
	*log = LOG_NULL;
	log->options = options;
	log->began = clock_now();
}

void log_error(struct log *log, const struct error *error)
{
	if (!log->options)
		return;
	syslog_add(&log->syslog, LOG_ERR, "%s", error->text);
	syslog_push(&log->syslog);
}

/*
 * "KILL 5089 (sleep), user 1000, mnt 4026532177". What is not known is left out, and the signal of
 * one that had ended before its turn: by itself, or with its group.
 */
static void show_victim(char *text, size_t size, const struct victim *victim)
{
	const struct process *process = &victim->process;
	char command[4 * sizeof(process->command)], user[24] = "", mntns[32] = "";
	char signal[24] = "";

	escape(command, sizeof(command), process->command);
	if (victim->sent)
		words_signal(signal, sizeof(signal), victim->sent);
	if (process->ruid != UID_UNKNOWN)
		snprintf(user, sizeof(user), ", user %u", process->ruid);
	if (process->mntns)
		snprintf(mntns, sizeof(mntns), ", mnt %" PRIu64, process->mntns);
	snprintf(text, size, "%s%s%d (%s)%s%s", signal, *signal ? " " : "", process->pid, command,
		 user, mntns);
}

static void log_victim(struct log *log, const struct victim *victim)
{
	const struct hindrance *hindrance = kill_hindrance(victim);
	char who[4 * sizeof(victim->process.command) + 96];

	show_victim(who, sizeof(who), victim);
	switch (victim->fate) {
	case FATE_ENDED:
		log->ended++;
		syslog_add(&log->syslog, LOG_NOTICE, "%s: ended", who);
		break;
	case FATE_VANISHED:
		syslog_add(&log->syslog, LOG_NOTICE, "%s: gone before it could be pinned", who);
		break;
	case FATE_DENIED:
		log->spared++;
		syslog_add(&log->syslog, LOG_WARNING, "%s: may not be signalled: %s", who,
			   strerror(victim->error));
		break;
	case FATE_LEFT:
		log->spared++;
		syslog_add(&log->syslog, LOG_WARNING,
			   "%s: left alone, the file that names the target is another user's", who);
		break;
	case FATE_DOUBTFUL:
		log->spared++;
		syslog_add(&log->syslog, LOG_WARNING, "%s: left alone, it may be another by now",
			   who);
		break;
	case FATE_UNLISTED:
		log->spared++;
		syslog_add(&log->syslog, LOG_WARNING, "%s: left alone, it was not on the list",
			   who);
		break;
	case FATE_LISTED:
	case FATE_PINNED:
	case FATE_SIGNALLED:
		log->alive++;
		syslog_add(&log->syslog, LOG_WARNING, "%s: still alive, state %c%s%s%s", who,
			   victim->process.state, hindrance->frozen ? ", frozen by a cgroup" : "",
			   *hindrance->wait_channel ? ", waiting in " : "",
			   hindrance->wait_channel);
		break;
	}
}

void log_kill(struct log *log, const struct kill *kill)
{
	if (!log->options)
		return;
	for (size_t i = 0; i < kill->victim_count; i++)
		log_victim(log, kill->victims[i]);
	syslog_push(&log->syslog);
}

/* The targets as they were named, as far as a line can take them. */
static void show_targets(char *text, size_t size, const struct options *options)
{
	size_t used = 0;

	*text = '\0';
	if (options->plan) {
		char name[256];

		snprintf(text, size, " of the plan %s", escape(name, sizeof(name), options->plan));
	}
	for (size_t i = 0; i < options->operand_count; i++) {
		const struct operand *operand = &options->operands[i];
		char name[256];

		if (operand->path)
			escape(name, sizeof(name), operand->path);
		else if (operand->inode)
			snprintf(name, sizeof(name), "%d:%" PRIu64, operand->pid, operand->inode);
		else
			snprintf(name, sizeof(name), "%d", operand->pid);
		if (used + strlen(name) + sizeof(" ...") >= size) {
			snprintf(text + used, size - used, " ...");
			return;
		}
		used += (size_t)snprintf(text + used, size - used, " %s", name);
	}
}

static const char *const results[] = {
	[STATUS_GONE] = "nothing is left",  [STATUS_NOTHING] = "nothing was done",
	[STATUS_USAGE] = "usage",	    [STATUS_REFUSED] = "refused",
	[STATUS_INCOMPLETE] = "incomplete", [STATUS_SYSTEM] = "system error",
	[STATUS_TIMEOUT] = "time was up",
};

static int priority_of(enum status status, int deadly)
{
	if (status == STATUS_SYSTEM || status == STATUS_REFUSED)
		return LOG_ERR;
	return (deadly && deadly != SIGPIPE) || status == STATUS_INCOMPLETE ||
			       status == STATUS_TIMEOUT
		       ? LOG_WARNING
		       : LOG_NOTICE;
}

static void log_run(struct log *log, enum status status, int deadly)
{
	uint64_t milliseconds = (clock_now() - log->began) / (NS_PER_SECOND / 1000);
	char targets[512], signal[24], result[64];

	show_targets(targets, sizeof(targets), log->options);
	if (deadly == SIGPIPE) /* when all was done, nobody was there to read of it */
		snprintf(result, sizeof(result), "%s, dies of SIGPIPE", results[status]);
	else if (deadly)
		snprintf(result, sizeof(result), "dies of SIG%s", signal_name(deadly));
	else
		snprintf(result, sizeof(result), "%s, exit status %d", results[status], status);
	syslog_add(&log->syslog, priority_of(status, deadly),
		   "run by user %u, signal %s, targets%s: %zu ended, %zu still alive, "
		   "%zu not signalled, in %" PRIu64 ".%03" PRIu64 " s: %s",
		   getuid(), words_signal(signal, sizeof(signal), log->options->signal), targets,
		   log->ended, log->alive, log->spared, milliseconds / 1000, milliseconds % 1000,
		   result);
}

int log_finish(struct log *log, enum status status, int deadly, uint64_t until, size_t *lost)
{
	*lost = 0;
	if (!log->options)
		return 0;
	log_run(log, status, deadly);
	return syslog_finish(&log->syslog, until, lost);
}

void log_close(struct log *log)
{
	syslog_close(&log->syslog);
	*log = LOG_NULL;
}
