/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/evidence.h"

#include "core/cleanup.h"
#include "core/document.h"
#include "linux/arrival.h"
#include "linux/clock.h"
#include "linux/pidfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * A process and its pidfile are dated by different clocks of the kernel: starts in ticks of 10 ms,
 * files by the time of the last timer tick. File systems that keep whole seconds round down.
 */
#define TOLERANCE		(NS_PER_SECOND / 10)
#define TOLERANCE_WHOLE_SECONDS (2 * NS_PER_SECOND)

static int refuse_text(const char *path, int rc, const struct error *why, struct error *error)
{
	char shown[256];

	return error_set(error, why->status, -rc, "%s: %s", escape(shown, sizeof(shown), path),
			 why->text);
}

/* Whoever reads that it is not there, or not whole, may not know that it was waited for. */
static void after_wait(const struct evidence_rules *rules, struct error *error)
{
	size_t used = strlen(error->text);

	snprintf(error->text + used, sizeof(error->text) - used, ", after a wait of %.9g s",
		 (double)rules->wait / (double)NS_PER_SECOND);
}

static void tell(const struct evidence_rules *rules, enum evidence_event event, const char *path,
		 bool *told)
{
	if (!*told && rules->notify)
		rules->notify(rules->data, event, path);
	*told = true;
}

/* Until it is there and whole, or time is up: then what is there is taken as it is. */
static int wait_whole(struct pidfile *file, const char *path, const struct evidence_rules *rules,
		      struct error *error)
{
	cleanup(arrival_close) struct arrival *arrival = NULL;
	bool waiting = false, missed = false, seen = false;
	uint64_t until = clock_after(clock_now(), rules->wait);
	char shown[256];
	struct error why;
	int rc, watched;

	do {
		watched = arrival_watch(&arrival, path, &why);
		pidfile_clear(file);
		rc = pidfile_read(path, PIDFILE_MAX, rules->trust, file, error);
		if (rc < 0 && rc != -ENOENT)
			return rc;
		if (rc == 0 && !document_is_unfinished(file->text, file->size))
			return 0;
		if (watched < 0) {
			*error = why;
			return watched;
		}
		tell(rules, EVIDENCE_WAITING, path, &waiting);
		if (rc == -ENOENT && seen)
			tell(rules, EVIDENCE_MISSED, path, &missed);
		watched = arrival_wait(arrival, until);
		seen = rc == 0 || watched == ARRIVAL_GONE;
	} while (watched > 0);
	if (watched < 0)
		return error_set(error, STATUS_SYSTEM, -watched, "%s: cannot be waited for: %s",
				 escape(shown, sizeof(shown), path), strerror(-watched));
	/* Once more: what is mounted over a directory gives no event. */
	pidfile_clear(file);
	rc = pidfile_read(path, PIDFILE_MAX, rules->trust, file, error);
	if (rc == -ENOENT)
		after_wait(rules, error);
	return rc;
}

static int read_text(struct pidfile *file, const char *path, size_t most,
		     const struct evidence_rules *rules, struct error *error)
{
	if (!path)
		return pidfile_read_input(most, rules->input_until, file, error);
	return pidfile_read(path, most, rules->trust, file, error);
}

int evidence_read(struct identity *identity, const char *path, const struct evidence_rules *rules,
		  struct error *error)
{
	cleanup(pidfile_clear) struct pidfile file = { 0 };
	struct identity read = { .name = path ? path : "standard input" };
	struct error why;
	int rc;

	if (path && rules->wait)
		rc = wait_whole(&file, path, rules, error);
	else
		rc = read_text(&file, path, PIDFILE_MAX, rules, error);
	if (rc < 0)
		return rc;
	rc = document_read(file.text, file.size, &read, &why);
	if (rc < 0) {
		refuse_text(read.name, rc, &why, error);
		if (path && rules->wait && document_is_unfinished(file.text, file.size))
			after_wait(rules, error);
		return rc;
	}
	read.trusted = rules->trust;
	read.dated = file.written && !rules->trust;
	read.written = file.written;
	read.tolerance = file.whole_seconds ? TOLERANCE_WHOLE_SECONDS : TOLERANCE;
	read.owned = file.foreign && !rules->trust;
	read.owner = file.owner;
	*identity = read;
	return 0;
}

/* A plan of another user speaks for that user's processes alone, as his pidfile does. */
static void attribute(struct plan *plan, const char *name, const struct pidfile *file,
		      const struct evidence_rules *rules)
{
	for (size_t t = 0; t < plan->target_count; t++) {
		struct identity *identity = &plan->targets[t].identity;

		identity->name = name;
		identity->trusted = true;
		if (!file->foreign || rules->trust)
			continue;
		identity->owned = true;
		identity->owner = file->owner;
	}
}

static void note_another_boot(struct plan *plan)
{
	for (size_t t = 0; t < plan->target_count; t++)
		memcpy(plan->targets[t].identity.record.boot, plan->boot, sizeof(plan->boot));
}

static int check_origin(struct plan *plan, const struct origin *here, const char *name,
			struct error *error)
{
	char shown[256];

	if (!*here->boot || !here->pid_namespace || !plan->pid_namespace)
		return error_set(error, STATUS_REFUSED, ENODATA,
				 "%s: cannot be told from a plan of another boot or PID namespace",
				 escape(shown, sizeof(shown), name));
	if (strcmp(here->boot, plan->boot) != 0)
		note_another_boot(plan);
	else if (here->pid_namespace != plan->pid_namespace)
		return error_set(error, STATUS_REFUSED, EXDEV,
				 "%s: was made in another PID namespace, whose numbers mean others",
				 escape(shown, sizeof(shown), name));
	return 0;
}

int evidence_read_plan(struct plan *plan, const char *path, const struct origin *here,
		       const struct evidence_rules *rules, struct error *error)
{
	cleanup(pidfile_clear) struct pidfile file = { 0 };
	const char *name = path ? path : "standard input";
	struct error why;
	int rc;

	rc = read_text(&file, path, PLAN_MAX, rules, error);
	if (rc < 0)
		return rc;
	rc = plan_read(file.text, file.size, plan, &why);
	if (rc < 0)
		return refuse_text(name, rc, &why, error);
	attribute(plan, name, &file, rules);
	rc = check_origin(plan, here, name, error);
	if (rc < 0)
		plan_clear(plan);
	return rc;
}
