/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said, and where: results on standard output, everything else on standard error. What
 * becomes of a kill, and what is wrong, goes to the log, too, once that is open.
 */
#ifndef NSKILL_CLI_REPORT_H
#define NSKILL_CLI_REPORT_H

#include "cli/json.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/error.h"
#include "core/evidence.h"
#include "core/holders.h"
#include "core/kill.h"
#include "linux/output.h"

struct report {
	struct output out, err;
	struct log log;
	struct json json;
	struct progress progress;
	uint64_t began; /* a time of clock_now() */
	bool verbose, quiet;
	struct columns columns; /* of a listing */
	bool forest;
	enum color color;
};

/** Start a report. 0 or -ENOMEM. */
int report_open(struct report *report);

/** From now on, gather what --json prints. STATUS_GONE, or STATUS_SYSTEM after a sentence. */
enum status report_json(struct report *report, enum options_action action);

/** What the document of a run says of where and how it was made. */
void report_orders(struct report *report, const struct origin *here, const struct rules *rules,
		   int signal);

/** One sentence on standard error, and after a usage error where to look. Returns its status. */
enum status report_error(struct report *report, const struct error *error);

/** An evidence_rules.notify: what a file is waited for, under --verbose. @data is the report. */
void report_evidence(void *data, enum evidence_event event, const char *path);

/** What became of targets that are not alive: when @asked, and when it must be known. */
void report_targets(struct report *report, const struct target *targets, size_t count, bool asked);

/** Nothing is done about @target, which --older leaves. */
void report_too_young(struct report *report, const struct target *target);

/** What a record of @target that has been written lacks. The exit status that this leads to. */
enum status report_record(struct report *report, const struct target *target);

/** With --on-exit, under --verbose: @target is alive and waited for; or it has ended. */
void report_waiting(struct report *report, const struct target *target);
void report_ended(struct report *report, const struct target *target);

/** --version: what was compiled in, and what the kernel has. */
void report_version(struct report *report);

/** --dry-run: what became of each target's scopes, and why; the list; how many there are. */
enum status report_plan(struct report *report, const struct kill *kill);

/**
 * --interactive: what was reported so far is brought out, and it is asked on @terminal whether that
 * is to be. STATUS_GONE: it is; STATUS_NOTHING after a sentence: it is not; STATUS_SYSTEM: it could
 * not be shown.
 */
enum status report_ask(struct report *report, const struct kill *kill, int terminal);

/**
 * Who still holds the outputs of the targets open, and why: on standard error after a kill, else on
 * standard output. STATUS_GONE: somebody does; STATUS_NOTHING: nobody, as far as could be seen;
 * STATUS_REFUSED: with --holders, that could not be told.
 */
enum status report_holders(struct report *report, const struct kill *kill,
			   const struct holders *holders, enum options_action action);

/**
 * Before the kill: that a container is left alone (on standard error, but for --quiet), and under
 * --verbose and --json every scope that is not followed.
 */
void report_spared(struct report *report, const struct kill *kill);

/** A kill_orders.notify: a line for each event, under --verbose. @data is the report. */
void report_event(void *data, const struct kill_notice *notice);

/** A kill_orders.waiting: on a terminal, how far it is. @data is the report. */
void report_wait(void *data, const struct kill *kill);

/** After the kill: who survived or could not be signalled. */
enum status report_result(struct report *report, const struct kill *kill);

/**
 * --json: print the document of a run that ends with @status or of the signal @deadly (0: none).
 * Returns @status, or STATUS_SYSTEM after a sentence.
 */
enum status report_document(struct report *report, enum status status, int deadly);

/**
 * Send on what has not been read yet, waiting until clock_now() is @until. Returns 0 or the -errno
 * of the output that could not be written.
 */
int report_finish(struct report *report, uint64_t until);

/**
 * After report_finish(): log the run, which ends with @status, or dies of the signal @deadly (0:
 * none), waiting for syslog until clock_now() is @until. Returns @status, or STATUS_SYSTEM after a
 * sentence when lines could not be sent.
 */
enum status report_run(struct report *report, enum status status, int deadly, uint64_t until);

void report_close(struct report *report);

#endif
