/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nskill ends what a process leaves behind. This is the story of a run; the rest of the house:
 *
 *   cli/options    the command line as a struct
 *   cli/report     what is said, and the exit status it leads to
 *   cli/columns    which columns a listing can have
 *   cli/json       the report as a document, with jansson
 *   cli/words      what people read for what core knows
 *   cli/table      the listing, drawn by libsmartcols
 *   cli/fit        makes the listing fit a terminal
 *   cli/progress   the line on a terminal while somebody is waited for
 *   cli/log        what --syslog sends
 *
 *   core/identity  who a name on the command line means
 *   core/evidence  from a file to the identity that it gives
 *   core/json      JSON from text and back
 *   core/document  the forms in which a file names a process
 *   core/target    an identity held against the live system, and pinned there
 *   core/past      what can still be told of a target that is dead
 *   core/plan      the list that an earlier --dry-run has printed
 *   core/origin    which boot and PID namespace this is
 *   core/remember  what to write down of a target
 *   core/match     the rule of what belongs to a target: a snapshot goes in, a claim grows
 *   core/outputs   what the targets have as standard output and error, and who writes to that
 *   core/holders   who still does, and why he was left
 *   core/look      a snapshot, indexed: who is in which scope, and who is older
 *   core/claim     what one target is responsible for, as far as it has been seen
 *   core/outlive   what is certain of a claim when its target has ended since
 *   core/guards    who must never be signalled
 *   core/vigil     waits for targets to end by themselves
 *   core/kill      plan, pin, signal, await, prove
 *   core/area      whom a look must be about
 *   core/killing   the state of a kill
 *   core/victims   the killer's list
 *   core/pin       pins who is on the list, and makes sure who it is
 *   core/planned   who of a plan is still there
 *   core/settle    stops what could fork between the look and the kill
 *   core/shown     who was on the list that somebody was asked about, and who came later
 *   core/sweep     the strike that ends a cgroup as a whole
 *   core/chase     newcomers, struck on sight
 *   core/reuse     whether a number is a member's still
 *   core/groups    process groups that are held, so that a number cannot deceive
 *   core/unreaped  who is dead, but a zombie still
 *   core/process   one process as it was read, and a snapshot of many
 *   core/stream    a pipe or the like that somebody may wait for the end of
 *   core/numbers   which PIDs can have been used again
 *   core/kind      the kinds of scope, a table
 *   core/scope     a process group, a session, a namespace, a cgroup
 *   core/parse     words to values
 *   core/signals   the names of signals
 *   core/error     one sentence, with the exit status it leads to
 *   core/list      a list that grows by one
 *   core/cleanup   scope-exit cleanup
 *
 *   linux/scan       the door to /proc
 *   linux/reading    how that is read, through libproc2
 *   linux/selection  of which it leaves descriptors open in one version
 *   linux/around     whom a look must read at length
 *   linux/children   whose children the kernel tells of
 *   linux/survivor   why somebody does not end
 *   linux/pidref     the door to pidfds
 *   linux/group      the door to process groups
 *   linux/watch      the door to waiting
 *   linux/namespace  the door to namespaces
 *   linux/cgroup     the door to cgroups
 *   linux/files      the door to what a process writes to
 *   linux/pidfile    the door to files that name a process
 *   linux/arrival    the door to a file that is yet to come
 *   linux/record     the door to the file that an identity is written down in
 *   linux/boot       the door to what tells one boot from another
 *   linux/clock      the door to the clocks
 *   linux/bounded    a read or write that a timer ends
 *   linux/output     the door to standard output and error
 *   linux/terminal   the door to whoever sits there
 *   linux/details    what only a listing tells of processes
 *   linux/syslog     the door to syslog
 *   linux/ground     what must be there before anything else
 *   linux/again      tries again what has failed for a moment
 *   linux/close      scope-exit cleanup of files and directories
 *   linux/write      all of a text, or an error
 *
 * Main and cli use core, core uses the doors, and nothing looks back.
 */
#include "config.h"

#include "cli/options.h"
#include "cli/report.h"
#include "core/cleanup.h"
#include "core/document.h"
#include "core/evidence.h"
#include "core/kill.h"
#include "core/outputs.h"
#include "core/remember.h"
#include "core/target.h"
#include "core/vigil.h"
#include "linux/clock.h"
#include "linux/ground.h"
#include "linux/pidref.h"
#include "linux/record.h"
#include "linux/scan.h"
#include "linux/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long output may be waited for after the deadline, and when there is none. */
#define OUTPUT_SLACK (NS_PER_SECOND / 4)
#define OUTPUT_BOUND (10 * NS_PER_SECOND)

struct run {
	struct options options;
	struct report report;
	struct scan *scan;
	struct target *targets; /* those that were not refused */
	size_t target_count;
	struct plan plan; /* with --plan */
	struct origin here;
	uint64_t deadline;
	struct kill *kills; /* one, or with --on-exit one for each target */
	size_t kill_count;
	int terminal; /* where to ask, or -1 */
	int deadly;   /* the signal that nskill itself must die of, or 0 */
};

static struct evidence_rules evidence_rules(struct run *run)
{
	const struct options *options = &run->options;

	return (struct evidence_rules){
		.trust = options->trust_pidfile,
		.wait = options->wait_pidfile,
		.input_until = clock_after(clock_now(), options->timeout),
		.notify = report_evidence,
		.data = &run->report,
	};
}

static int identify(struct run *run, const struct operand *operand, struct identity *identity,
		    struct error *error)
{
	const struct evidence_rules rules = evidence_rules(run);

	if (operand->path)
		return evidence_read(identity, operand->input ? NULL : operand->path, &rules,
				     error);
	*identity = (struct identity){ .pid = operand->pid, .inode = operand->inode };
	return 0;
}

static bool is_too_young(const struct run *run, const struct target *target)
{
	uint64_t now = clock_boot_ticks(), start = target->process.start_ticks;
	uint64_t age = now > start ? (now - start) * clock_ns_per_tick() : 0;

	return run->options.older && !target->over && !target->past.traceless &&
	       age < run->options.older;
}

/* The same process, named twice. */
static bool is_given_already(const struct run *run, const struct target *target)
{
	for (size_t t = 0; t < run->target_count; t++)
		if (!target->dead && !run->targets[t].dead && target->ref.inode &&
		    run->targets[t].ref.inode == target->ref.inode)
			return true;
	return false;
}

static bool is_listing(const struct options *options)
{
	return options->action == ACTION_DRY_RUN || options->interactive;
}

/* STATUS_GONE: it is among the targets, or known to be gone. */
static enum status open_operand(struct run *run, const struct operand *operand)
{
	struct target *target = &run->targets[run->target_count];
	struct identity identity;
	struct error error;
	int rc = identify(run, operand, &identity, &error);

	if (rc == -ENOENT && run->options.ignore_missing)
		return STATUS_GONE;
	if (!rc)
		rc = target_open(target, &identity, getpid(), run->scan, &error);
	if (rc < 0)
		return report_error(&run->report, &error);
	if (is_given_already(run, target)) {
		target_close(target);
		return STATUS_GONE;
	}
	if (is_too_young(run, target)) {
		if (run->options.verbose || run->options.json || is_listing(&run->options))
			report_too_young(&run->report, target);
		target_close(target);
		return STATUS_NOTHING;
	}
	run->target_count++;
	return STATUS_GONE;
}

/* Those that are refused are named, and nobody of theirs is signalled. */
static enum status open_planned(struct run *run)
{
	enum status status = STATUS_GONE;
	struct error error;

	for (size_t i = 0; i < run->plan.target_count; i++) {
		struct planned_target *planned = &run->plan.targets[i];
		struct target *target = &run->targets[run->target_count];

		if (target_open(target, &planned->identity, getpid(), run->scan, &error) < 0)
			status = status_worse(status, report_error(&run->report, &error));
		else
			planned->place = run->target_count++;
	}
	return status;
}

/* All are resolved before anything is done; the refused ones are named, the others carried out. */
static enum status open_targets(struct run *run)
{
	size_t count = run->options.operand_count + run->plan.target_count + 1;
	enum status status = STATUS_GONE;
	struct error error;

	run->targets = calloc(count, sizeof(*run->targets));
	run->kills = calloc(count, sizeof(*run->kills));
	if (!run->targets || !run->kills) {
		error_set(&error, STATUS_SYSTEM, ENOMEM, "out of memory");
		return report_error(&run->report, &error);
	}
	if (run->options.plan)
		status = open_planned(run);
	for (size_t i = 0; i < run->options.operand_count; i++)
		status = status_worse(status, open_operand(run, &run->options.operands[i]));
	report_targets(&run->report, run->targets, run->target_count,
		       run->options.verbose || is_listing(&run->options));
	return status;
}

static enum status write_record(struct run *run, const struct kill *kill)
{
	cleanup(free_pointer) char *text = NULL;
	struct identity identity;
	struct error error;
	int rc = remember(&identity, &run->targets[0], kill, &error);

	if (!rc) {
		text = document_write(&identity);
		if (!text)
			rc = error_set(&error, STATUS_SYSTEM, ENOMEM, "out of memory");
	}
	if (!rc && strcmp(run->options.record, "-") == 0)
		fputs(text, run->report.out.stream);
	else if (!rc)
		rc = record_write(run->options.record, text, &error);
	return rc < 0 ? report_error(&run->report, &error)
		      : report_record(&run->report, &run->targets[0]);
}

/* Who holds an output is asked once more at the end: that is what a caller waits for. */
static enum status tell_holders(struct run *run, struct kill *kill, enum options_action action)
{
	cleanup(holders_clear) struct holders holders = { 0 };
	struct error error;

	if (outputs_holders(kill, &holders, &error) < 0)
		return report_error(&run->report, &error);
	return report_holders(&run->report, kill, &holders, action);
}

static enum status list_plan(struct run *run, struct kill *kill)
{
	enum status told, status;

	if (run->options.json)
		kill_identify(kill);
	kill_foresee(kill);
	status = report_plan(&run->report, kill);

	told = tell_holders(run, kill, ACTION_DRY_RUN);
	return told == STATUS_SYSTEM ? told : status;
}

/* Whoever thinks about it takes his time, so that --timeout counts from the answer. */
static enum status ask(struct run *run, struct kill *kill)
{
	enum status status = STATUS_GONE;
	struct error error;

	if (kill_show(kill, &error) < 0)
		return report_error(&run->report, &error);
	if (kill_signallable(kill))
		status = report_ask(&run->report, kill, run->terminal);
	else if (kill_listed(kill))
		status = STATUS_INCOMPLETE;
	terminal_close(&run->terminal);
	if (status != STATUS_GONE)
		return status;
	run->deadline = clock_after(clock_now(), run->options.timeout);
	if (kill_resume(kill, run->deadline, &error) < 0)
		return report_error(&run->report, &error);
	return STATUS_GONE;
}

/* Whoever asks for io waits for the end of the output, which others may hold, too. */
static bool tells_holders(const struct options *options)
{
	return options->verbose || options->json ||
	       (options->kinds & SCOPE_BIT(SCOPE_IO) && !options->quiet);
}

static enum status end_all(struct run *run, struct kill *kill)
{
	enum status status = STATUS_GONE;
	bool any = kill_listed(kill) > 0;
	struct error error;

	report_spared(&run->report, kill);
	if (kill_carry_out(kill, &error) < 0)
		status = report_error(&run->report, &error);
	run->deadly = kill->interrupt;
	if (run->options.require_match && !(run->options.plan ? any : kill->victim_count > 0))
		status = status_worse(status, STATUS_NOTHING);
	status = status_worse(status, report_result(&run->report, kill));
	if (tells_holders(&run->options) && tell_holders(run, kill, ACTION_KILL) == STATUS_SYSTEM)
		status = STATUS_SYSTEM;
	return status;
}

static enum status carry_out_plan(struct run *run, struct kill *kill)
{
	enum status status = STATUS_GONE;
	struct error error;

	if (run->options.action == ACTION_RECORD)
		return write_record(run, kill);
	if (run->options.action == ACTION_HOLDERS)
		return tell_holders(run, kill, ACTION_HOLDERS);
	if (is_listing(&run->options))
		status = list_plan(run, kill);
	if (status == STATUS_SYSTEM)
		return status;
	if (run->options.max && kill_listed(kill) > run->options.max) {
		error_set(&error, STATUS_REFUSED, E2BIG,
			  "%zu processes are on the list, more than --max=%zu", kill_listed(kill),
			  run->options.max);
		return report_error(&run->report, &error);
	}
	if (run->options.action == ACTION_DRY_RUN)
		return status;
	status = run->options.interactive ? ask(run, kill) : STATUS_GONE;
	return status == STATUS_GONE ? end_all(run, kill) : status;
}

static bool looks_at_outputs(const struct options *options)
{
	return options->verbose || options->json || options->kinds & SCOPE_BIT(SCOPE_IO) ||
	       options->interactive || options->action != ACTION_KILL;
}

static struct rules rules_of(const struct options *options)
{
	return (struct rules){ .kinds = options->kinds, .all = options->all };
}

/* A plan of its own for @count targets. STATUS_GONE: it is made, and the last of the kills. */
static enum status plan(struct run *run, struct target *targets, size_t count)
{
	const struct kill_orders orders = {
		.scan = run->scan,
		.targets = targets,
		.target_count = count,
		.self = getpid(),
		.rules = rules_of(&run->options),
		.plan = run->options.plan ? &run->plan : NULL,
		.ask = run->options.interactive,
		.outputs = looks_at_outputs(&run->options),
		.signal = run->options.signal,
		.kill_after = run->options.kill_after,
		.deadline = run->deadline,
		.notify = report_event,
		.waiting = report_wait,
		.data = &run->report,
	};
	struct error error;

	if (kill_plan(&run->kills[run->kill_count++], &orders, &error) < 0)
		return report_error(&run->report, &error);
	return STATUS_GONE;
}

static enum status kill_targets(struct run *run)
{
	enum status status = plan(run, run->targets, run->target_count);

	return status == STATUS_GONE ? carry_out_plan(run, &run->kills[0]) : status;
}

/* The time counts from the end of the target. */
static enum status end_what_is_left(struct run *run, struct target *target, struct numbers since)
{
	struct kill *kill = &run->kills[target - run->targets];
	enum status status;
	struct error error;

	run->deadline = clock_after(clock_now(), run->options.timeout);
	report_ended(&run->report, target);
	if (kill_plan_again(kill, run->deadline, &since, &error) < 0)
		status = report_error(&run->report, &error);
	else
		status = carry_out_plan(run, kill);
	kill_clear(kill);
	target_close(target);
	return status;
}

static enum status end_what_each_leaves(struct run *run)
{
	cleanup(vigil_close) struct vigil vigil = VIGIL_NULL;
	enum status status = STATUS_GONE;
	struct target *ended;
	struct error error;
	int rc = vigil_open(&vigil, run->targets, run->target_count);

	ground_leave_folder();
	for (size_t i = 0; !rc && i < run->target_count; i++) {
		status = plan(run, &run->targets[i], 1);
		if (status != STATUS_GONE)
			return status;
		report_waiting(&run->report, &run->targets[i]);
	}
	while (rc >= 0 && !run->deadly) {
		rc = vigil_next(&vigil, &ended, &run->deadly);
		if (rc == 0)
			return status;
		if (rc > 0)
			status = status_worse(status,
					      end_what_is_left(run, ended, vigil_numbers(&vigil)));
	}
	if (run->deadly)
		return status;
	error_set(&error, STATUS_SYSTEM, -rc, "cannot wait: %s", strerror(-rc));
	return report_error(&run->report, &error);
}

/* All targets are known to be gone by what names them. */
static enum status nothing_there(const struct run *run)
{
	bool wanted = run->options.require_match || run->options.action == ACTION_DRY_RUN ||
		      run->options.action == ACTION_HOLDERS;

	return wanted ? STATUS_NOTHING : STATUS_GONE;
}

/* What it was made with counts, but for the signal, if one is given. */
static int read_plan(struct run *run, struct error *error)
{
	const struct evidence_rules rules = evidence_rules(run);
	const char *name = strcmp(run->options.plan, "-") == 0 ? NULL : run->options.plan;
	char shown[256];
	int rc = evidence_read_plan(&run->plan, name, &run->here, &rules, error);

	if (rc < 0)
		return rc;
	run->options.kinds = run->plan.kinds;
	run->options.all = run->plan.all;
	if (!run->options.signal_given)
		run->options.signal = run->plan.signal;
	/* Who made the plan may have named no signal, either: see finish() in cli/options. */
	if (run->options.kill_after && !run->options.signal_given && run->options.signal == SIGKILL)
		return error_set(
			error, STATUS_REFUSED, EINVAL,
			"%s: would send KILL first, and --kill-after needs a first signal: "
			"add -TERM, or another",
			escape(shown, sizeof(shown), name ? name : "standard input"));
	return 0;
}

static int prepare(struct run *run, struct error *error)
{
	struct rules rules;
	int rc = ground_check(error);

	if (run->options.json || run->options.plan)
		origin_read(&run->here, getpid());
	if (!rc && run->options.plan)
		rc = read_plan(run, error);
	if (rc < 0)
		return rc;
	rules = rules_of(&run->options);
	report_orders(&run->report, &run->here, &rules, run->options.signal);
	return scan_open(&run->scan, run->options.kinds, error);
}

static enum status carry_out(struct run *run)
{
	struct error error;
	enum status status;

	pidref_raise_limit();
	if (prepare(run, &error) < 0)
		return report_error(&run->report, &error);
	status = open_targets(run);
	run->deadline = clock_after(clock_now(), run->options.timeout);
	if (status == STATUS_SYSTEM)
		return status;
	if (!run->target_count)
		return status == STATUS_GONE ? nothing_there(run) : status;
	if (run->options.on_exit)
		return status_worse(status, end_what_each_leaves(run));
	return status_worse(status, kill_targets(run));
}

/* Before anything is looked at: where nobody can be asked, the line makes no sense. */
static int find_terminal(struct run *run, struct error *error)
{
	run->terminal = terminal_open();
	if (run->terminal >= 0)
		return 0;
	return error_set(
		error, STATUS_USAGE, -run->terminal,
		"--interactive has no terminal to ask on (-n lists, and -n -J makes a plan): %s",
		strerror(-run->terminal));
}

static enum status act(struct run *run)
{
	struct error error;

	switch (run->options.action) {
	case ACTION_HELP:
		fputs(options_help, run->report.out.stream);
		return STATUS_GONE;
	case ACTION_VERSION:
		report_version(&run->report);
		return STATUS_GONE;
	case ACTION_COLUMNS:
		columns_help(run->report.out.stream);
		return STATUS_GONE;
	case ACTION_KILL:
	case ACTION_DRY_RUN:
	case ACTION_HOLDERS:
	case ACTION_RECORD:
		break;
	}
	run->report.verbose = run->options.verbose;
	run->report.quiet = run->options.quiet;
	run->report.columns = run->options.columns;
	run->report.forest = run->options.forest;
	run->report.color = run->options.color;
	if (run->options.json && report_json(&run->report, run->options.action) != STATUS_GONE)
		return STATUS_SYSTEM;
	if (run->options.interactive && find_terminal(run, &error) < 0)
		return report_error(&run->report, &error);
	if (run->options.on_exit)
		ground_close_from(STDERR_FILENO + 1);
	if (run->options.syslog)
		log_open(&run->report.log, &run->options);
	return carry_out(run);
}

/* A reader who has gone away, or does not read, changes the status but not what was done. */
static enum status finish_output(struct run *run, enum status status)
{
	uint64_t now = clock_now(), until = run->deadline;
	int rc;

	status = report_document(&run->report, status, run->deadly);
	if (until < now + OUTPUT_SLACK)
		until = now + OUTPUT_SLACK;
	if (until > now + OUTPUT_BOUND)
		until = now + OUTPUT_BOUND;
	rc = report_finish(&run->report, until);
	if (rc == -EPIPE && !run->deadly)
		run->deadly = SIGPIPE;
	if (rc < 0 && rc != -EPIPE)
		status = STATUS_SYSTEM;
	return report_run(&run->report, status, run->deadly, until);
}

static void die_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	struct run run = { .terminal = -1 };
	struct error error;
	enum status status;

	ground_fill_standard_descriptors();
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	/* A terminal may stop whoever writes to it from the background (stty tostop). */
	sigaction(SIGTTOU, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	if (report_open(&run.report) < 0)
		return STATUS_SYSTEM;
	if (options_parse(argc, argv, &run.options, &error) < 0)
		status = report_error(&run.report, &error);
	else
		status = act(&run);
	status = finish_output(&run, status);
	for (size_t i = 0; i < run.kill_count; i++)
		kill_clear(&run.kills[i]);
	for (size_t i = 0; i < run.target_count; i++)
		target_close(&run.targets[i]);
	terminal_close(&run.terminal);
	free(run.kills);
	free(run.targets);
	plan_clear(&run.plan);
	scan_close(run.scan);
	options_clear(&run.options);
	report_close(&run.report);
	if (run.deadly)
		die_of(run.deadly);
	return status;
}
