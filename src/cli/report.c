/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/report.h"

#include "cli/table.h"
#include "cli/words.h"
#include "core/cleanup.h"
#include "core/unreaped.h"
#include "linux/clock.h"
#include "linux/ground.h"
#include "linux/terminal.h"

#include <errno.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long somebody who is to be asked may take to read what it is about. */
#define SHOWN_WITHIN (10 * NS_PER_SECOND)

int report_open(struct report *report)
{
	int rc;

	*report = (struct report){ .log = LOG_NULL, .began = clock_now() };
	rc = output_open(&report->out, STDOUT_FILENO);
	return rc ? rc : output_open(&report->err, STDERR_FILENO);
}

__attribute__((format(printf, 2, 3))) static void say(struct report *report, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	fputs("nskill: ", report->err.stream);
	vfprintf(report->err.stream, format, args);
	fputc('\n', report->err.stream);
	va_end(args);
}

static enum status out_of_memory(struct report *report)
{
	say(report, "out of memory");
	return STATUS_SYSTEM;
}

enum status report_json(struct report *report, enum options_action action)
{
	return json_open(&report->json, action) < 0 ? out_of_memory(report) : STATUS_GONE;
}

void report_orders(struct report *report, const struct origin *here, const struct rules *rules,
		   int signal)
{
	json_add_orders(&report->json, here, rules, signal);
}

enum status report_document(struct report *report, enum status status, int deadly)
{
	uint64_t took = clock_now() - report->began;

	if (json_print(&report->json, report->out.stream, status, deadly, took) < 0)
		return out_of_memory(report);
	return status;
}

enum status report_error(struct report *report, const struct error *error)
{
	say(report, "%s", error->text);
	json_add_error(&report->json, error->text);
	log_error(&report->log, error);
	if (error->status == STATUS_USAGE)
		fputs("Try 'nskill --help' for more information.\n", report->err.stream);
	return error->status;
}

void report_version(struct report *report)
{
	struct ground_features kernel;
	const char *scols = NULL;

	ground_features(&kernel);
	scols_get_library_version(&scols);
	fprintf(report->out.stream,
		"nskill %s\n"
		"compiled with: libproc2 %s, libsmartcols %s, jansson %s\n"
		"kernel: %cpidfd %cgroup-signal %cunique-pidfd-inode\n",
		PACKAGE_VERSION, LIBPROC2_VERSION, scols, jansson_version_str(),
		kernel.pidfd ? '+' : '-', kernel.group_signal ? '+' : '-',
		kernel.unique_inode ? '+' : '-');
}

void report_evidence(void *data, enum evidence_event event, const char *path)
{
	struct report *report = data;
	char shown[256];

	if (!report->verbose)
		return;
	escape(shown, sizeof(shown), path);
	switch (event) {
	case EVIDENCE_WAITING:
		say(report, "waiting for %s", shown);
		break;
	case EVIDENCE_MISSED:
		say(report, "%s was there, and has gone before it could be read", shown);
		break;
	}
	output_push(&report->err);
}

void report_targets(struct report *report, const struct target *targets, size_t count, bool asked)
{
	for (size_t t = 0; t < count; t++)
		if (*targets[t].note && (asked || (targets[t].note_aloud && !report->quiet)))
			say(report, "%s", targets[t].note);
}

void report_too_young(struct report *report, const struct target *target)
{
	char who[WHO_SIZE], sentence[WHO_SIZE + 64];

	if (target->dead)
		snprintf(sentence, sizeof(sentence),
			 "left alone what %d left, which is younger than --older",
			 target->process.pid);
	else
		snprintf(sentence, sizeof(sentence), "left alone %s: it is younger than --older",
			 words_process(who, sizeof(who), &target->process));
	say(report, "%s", sentence);
	json_add_error(&report->json, sentence);
}

enum status report_record(struct report *report, const struct target *target)
{
	char who[WHO_SIZE];

	if (target->dead || target->process.mntns)
		return STATUS_GONE;
	say(report, "the record of %s lacks its mount namespace: this user may not look at it",
	    words_process(who, sizeof(who), &target->process));
	return STATUS_INCOMPLETE;
}

void report_waiting(struct report *report, const struct target *target)
{
	char who[WHO_SIZE];

	if (report->verbose && !target->dead)
		say(report, "waiting for the end of %s",
		    words_process(who, sizeof(who), &target->process));
	output_push(&report->err);
}

void report_ended(struct report *report, const struct target *target)
{
	char who[WHO_SIZE];

	if (report->verbose && target->ref.fd >= 0)
		say(report, "has ended: %s", words_process(who, sizeof(who), &target->process));
	output_push(&report->err);
}

/* What it means: something of the target lives on. */
static void warn_of_container(struct report *report, const struct claim *claim,
			      const struct spared *spared)
{
	char scope[SCOPE_SIZE], reason[NAME_SIZE + 160];

	say(report, "left alone the container that %d is in, %s: %s%s", claim->target.pid,
	    words_scope(scope, sizeof(scope), spared->scope),
	    words_reason(reason, sizeof(reason), spared),
	    spared->reason == SPARED_OLDER ? "; --all takes it, too" : "");
}

/* Whether an earlier target has told of it already. */
static bool is_repeated(const struct kill *kill, size_t target, const struct spared *spared)
{
	for (size_t t = 0; t < target; t++)
		for (size_t i = 0; i < kill->claims[t].spared_count; i++)
			if (kill->claims[t].spared[i].scope.kind == spared->scope.kind &&
			    kill->claims[t].spared[i].scope.id == spared->scope.id)
				return true;
	return false;
}

static void print_spared(FILE *stream, const char *prefix, const struct spared *spared)
{
	char scope[SCOPE_SIZE], reason[NAME_SIZE + 160];

	fprintf(stream, "%snot followed: %s%s: %s\n", prefix, spared->own ? "the target's " : "",
		words_scope(scope, sizeof(scope), spared->scope),
		words_reason(reason, sizeof(reason), spared));
}

/* The place of a scope in a list of what is followed, which begins with " follows ". */
static const char *print_followed(FILE *out, const char *before, struct scope scope)
{
	char text[SCOPE_SIZE];

	fprintf(out, "%s%s", before, words_scope(text, sizeof(text), scope));
	return ", ";
}

/* What bears its number, and what whoever stands in for it has led to. */
static const char *print_followed_of_dead(FILE *out, const char *before, const struct claim *claim)
{
	for (enum scope_kind kind = 0; scope_kind_is_led(kind); kind++) {
		struct scope scope = { .kind = kind, .id = (uint64_t)claim->target.pid };

		if (claim_takes(claim, scope))
			before = print_followed(out, before, scope);
	}
	for (size_t i = 0; i < claim->followed_count; i++)
		before = print_followed(out, before, claim->followed[i]);
	return before;
}

/* "target 57 (sleep), 3m05s old, follows process group 57, session 57 and children" */
static void print_target(struct report *report, const struct claim *claim)
{
	const char *before = " follows ";
	char who[WHO_SIZE];
	FILE *out = report->out.stream;

	if (claim->target_dead) {
		fprintf(out, "target %d, which is dead,", claim->target.pid);
		before = print_followed_of_dead(out, before, claim);
	} else {
		fprintf(out, "target %s,", words_process(who, sizeof(who), &claim->target));
		for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++)
			if (claim_takes(claim, scope_of(&claim->target, kind)))
				before =
					print_followed(out, before, scope_of(&claim->target, kind));
	}
	if (claim->rules->kinds & SCOPE_BIT(SCOPE_TREE))
		fprintf(out, "%schildren", *before == ',' ? " and " : before);
	else if (*before != ',')
		fputs(" follows nothing", out);
	fputc('\n', out);
}

static bool is_listed(const struct victim *victim)
{
	return victim->fate == FATE_LISTED;
}

static bool wants_color(const struct report *report, const struct output *output)
{
	const char *no_color = getenv("NO_COLOR"); /* no-color.org */

	if (report->color != COLOR_AUTO)
		return report->color == COLOR_ALWAYS;
	return isatty(output->fd) && !(no_color && *no_color);
}

static int print_table(struct report *report, const struct kill *kill)
{
	struct columns columns = report->columns;
	const struct table_style style = {
		.columns = &columns,
		.forest = report->forest,
		.color = wants_color(report, &report->out),
		.width = output_width(&report->out),
		.now = clock_boot_ticks(),
	};

	if (kill->orders.target_count > 1)
		columns_tell_targets(&columns);
	return table_print(report->out.stream, kill, is_listed, &style);
}

static void print_left(struct report *report, const struct victim *victim)
{
	char who[WHO_SIZE], why[WHO_SIZE];

	fprintf(report->out.stream, "left alone: %s: %s\n",
		words_process(who, sizeof(who), &victim->process),
		words_left(why, sizeof(why), victim));
}

/* Also one that is listed, but may not be signalled. */
static bool is_to_be_left(const struct victim *victim)
{
	return victim->fate == FATE_LEFT || victim->fate == FATE_DENIED ||
	       victim->fate == FATE_DOUBTFUL || victim->error;
}

static void print_totals(struct report *report, const struct kill *kill)
{
	char name[32];

	for (size_t i = 0; i < kill->victim_count; i++)
		if (is_to_be_left(kill->victims[i]))
			print_left(report, kill->victims[i]);
	fprintf(report->out.stream, "processes that would get %s: %zu\n",
		words_signal(name, sizeof(name), kill->orders.signal), kill_signallable(kill));
	if (kill->unreadable)
		fprintf(report->out.stream,
			"processes whose namespaces could not be inspected: %zu\n",
			kill->unreadable);
}

enum status report_plan(struct report *report, const struct kill *kill)
{
	enum status status = kill_signallable(kill) ? STATUS_GONE : STATUS_NOTHING;

	if (report->json.document) {
		json_add_kill(&report->json, kill);
		return status;
	}
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		if (kill->orders.targets[t].over)
			continue; /* of another boot: nothing was claimed for it */
		print_target(report, &kill->claims[t]);
		for (size_t i = 0; i < kill->claims[t].spared_count; i++)
			if (!is_repeated(kill, t, &kill->claims[t].spared[i]))
				print_spared(report->out.stream, "", &kill->claims[t].spared[i]);
	}
	if (print_table(report, kill) < 0)
		return out_of_memory(report);
	print_totals(report, kill);
	return status;
}

/* Nobody is asked yet, so that --timeout bounds it, too. */
static uint64_t shown_until(const struct kill *kill)
{
	uint64_t now = clock_now(), least = now + NS_PER_SECOND / 4;
	uint64_t until = kill->orders.deadline < least ? least : kill->orders.deadline;

	return until < now + SHOWN_WITHIN ? until : now + SHOWN_WITHIN;
}

enum status report_ask(struct report *report, const struct kill *kill, int terminal)
{
	uint64_t until = shown_until(kill);
	size_t count = kill_signallable(kill);
	char question[128], name[32];
	bool yes = false;
	int rc;

	/* Nobody can agree to what he has not seen. */
	if (output_finish(&report->out, until) < 0)
		return STATUS_SYSTEM;
	output_finish(&report->err, until);
	snprintf(question, sizeof(question), "nskill: send %s to %zu process%s? [y/N] ",
		 words_signal(name, sizeof(name), kill->orders.signal), count,
		 count == 1 ? "" : "es");
	rc = terminal_ask(terminal, question, &yes);
	if (yes)
		return STATUS_GONE;
	if (rc < 0)
		say(report, "the terminal gives no answer: %s", strerror(-rc));
	say(report, "declined: nothing was signalled");
	return STATUS_NOTHING;
}

/* Of what else --json tells, only --verbose makes lines. */
__attribute__((format(printf, 3, 4))) static void
say_or_print(struct report *report, enum options_action action, const char *format, ...)
{
	bool result = action != ACTION_KILL && !report->json.document;
	FILE *stream = result ? report->out.stream : report->err.stream;
	va_list args;

	if (report->json.document && !report->verbose)
		return;
	va_start(args, format);
	if (!result)
		fputs("nskill: ", stream);
	vfprintf(stream, format, args);
	fputc('\n', stream);
	va_end(args);
}

/* Who is on the list of --dry-run has been told of there. */
static bool is_told_of(const struct report *report, const struct holder *holder,
		       enum options_action action)
{
	if (action == ACTION_HOLDERS)
		return false;
	/* Of who is known to be somebody else's only who asks for it wants to hear. */
	if (action == ACTION_KILL && !report->verbose && holder->reason != HOLDER_UNTOLD &&
	    holder->reason != HOLDER_NEW)
		return true;
	return holder->shared || (action == ACTION_DRY_RUN && holder->reason == HOLDER_MEMBER);
}

/* Below the line of a holder: whose he is, and what he was called with. */
static void print_details(FILE *out, const struct details *details)
{
	const char *user = details->text[DETAIL_USER], *arguments = details->text[DETAIL_ARGS];
	char text[1024];

	if (user)
		fprintf(out, "    user %s", escape(text, sizeof(text), user));
	if (arguments && *arguments)
		fprintf(out, "%s%s", user ? ": " : "    ", escape(text, sizeof(text), arguments));
	if (user || (arguments && *arguments))
		fputc('\n', out);
}

static struct details *read_details(const struct holders *holders)
{
	const struct process **processes = calloc(holders->count + 1, sizeof(*processes));
	struct details *details = NULL;

	for (size_t i = 0; processes && i < holders->count; i++)
		processes[i] = &holders->list[i].process;
	if (processes)
		details = details_read(processes, holders->count,
				       DETAIL_BIT(DETAIL_USER) | DETAIL_BIT(DETAIL_ARGS),
				       clock_now() + NS_PER_SECOND);
	free(processes);
	return details;
}

/* How many hold the output of that target. With @details, these are told of each, too. */
static size_t report_holders_of(struct report *report, const struct holders *holders, size_t target,
				const struct claim *claim, enum options_action action,
				const struct details *details)
{
	char who[WHO_SIZE], reason[128];
	size_t count = 0;

	for (size_t i = 0; i < holders->count; i++) {
		const struct holder *holder = &holders->list[i];

		if (holder->target != target)
			continue;
		count++;
		if (!is_told_of(report, holder, action))
			say_or_print(report, action, "still holding the output of %d: %s: %s",
				     claim->target.pid,
				     words_process(who, sizeof(who), &holder->process),
				     words_holder(reason, sizeof(reason), holder));
		if (details)
			print_details(report->out.stream, &details[i]);
	}
	return count;
}

/* When nobody does: since it has none, it could not be seen, or is not known any more. */
static void report_no_holder(struct report *report, const struct claim *claim, bool unseen,
			     enum options_action action)
{
	int pid = claim->target.pid;

	if (action == ACTION_KILL && !report->verbose)
		return;
	if (claim->outputs && action != ACTION_DRY_RUN)
		say_or_print(report, action, "nobody%s holds the output of %d open any more",
			     unseen ? " who can be seen" : "", pid);
	else if (claim->outputs || claim->untold || action != ACTION_HOLDERS)
		return;
	else if (claim->target_dead)
		say_or_print(report, action, "the output of %d is not known: it is dead, and %s",
			     pid, words_no_output(claim));
	else
		say_or_print(report, action,
			     "the output of %d is no pipe, FIFO, socket or pseudo-terminal", pid);
}

enum status report_holders(struct report *report, const struct kill *kill,
			   const struct holders *holders, enum options_action action)
{
	enum status status = STATUS_NOTHING;
	struct details *details = NULL;
	bool untold = false;

	if (action == ACTION_HOLDERS)
		json_add_targets(&report->json, kill);
	if (action == ACTION_HOLDERS && !report->json.document && holders->count)
		details = read_details(holders);
	json_add_holders(&report->json, kill, holders);
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct claim *claim = &kill->claims[t];

		if (claim->untold &&
		    !(action == ACTION_KILL && kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO)))
			say_or_print(report, action == ACTION_HOLDERS ? ACTION_KILL : action,
				     "the output of %d could not be inspected as a whole",
				     claim->target.pid);
		untold = untold || claim->untold;
		if (report_holders_of(report, holders, t, claim, action, details))
			status = STATUS_GONE;
		else if (!kill->orders.targets[t].over)
			report_no_holder(report, claim, kill->unread_files, action);
	}
	if (kill->unread_files && (action != ACTION_KILL || report->verbose))
		say_or_print(report, action,
			     "processes whose open files could not be inspected: %zu",
			     kill->unread_files);
	details_free(details, holders->count);
	output_push(&report->err);
	return status == STATUS_NOTHING && untold && action == ACTION_HOLDERS ? STATUS_REFUSED
									      : status;
}

/* Then io was asked for in vain. */
static void warn_of_lost_output(struct report *report, const struct kill *kill)
{
	if (report->quiet || !(kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO)))
		return;
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct claim *claim = &kill->claims[t];

		if (claim->target_dead && !kill->orders.targets[t].over && !claim->outputs)
			say(report, "not followed: the output of %d: it is dead, and %s",
			    claim->target.pid, words_no_output(claim));
	}
}

void report_spared(struct report *report, const struct kill *kill)
{
	json_add_spared(&report->json, kill);
	if (kill->orders.plan)
		return; /* it was seen when the plan was made */
	warn_of_lost_output(report, kill);
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		for (size_t i = 0; i < kill->claims[t].spared_count; i++) {
			const struct spared *spared = &kill->claims[t].spared[i];

			if (is_repeated(kill, t, spared))
				continue;
			if (spared->notable && spared->scope.kind == SCOPE_MNT && !report->quiet)
				warn_of_container(report, &kill->claims[t], spared);
			else if (report->verbose || (spared->notable && !report->quiet))
				print_spared(report->err.stream, "nskill: ", spared);
		}
	}
	if (report->verbose && kill->unreadable)
		say(report, "processes whose namespaces could not be inspected: %zu",
		    kill->unreadable);
	output_push(&report->err);
}

/* What has changed since the plan was made. */
static void report_planned(struct report *report, const struct kill_notice *notice)
{
	char who[WHO_SIZE], why[WHY_SIZE];

	words_why(why, sizeof(why), notice->victim);
	switch (notice->event) {
	case EVENT_GONE:
		say(report, "gone since the plan was made: %s: %s",
		    words_name(who, sizeof(who), &notice->victim->process), why);
		break;
	case EVENT_RECYCLED:
		say(report, "gone since the plan was made, and another process has its PID: %s: %s",
		    words_name(who, sizeof(who), &notice->victim->process), why);
		break;
	case EVENT_UNLISTED:
		say(report, "new since the plan was made, left alone: %s: %s",
		    words_process(who, sizeof(who), &notice->victim->process), why);
		break;
	default:
		break;
	}
	output_push(&report->err);
}

void report_event(void *data, const struct kill_notice *notice)
{
	struct report *report = data;
	char who[WHO_SIZE] = "", why[WHY_SIZE] = "", scope[SCOPE_SIZE], name[32];
	pid_t pid = 0;

	if (!report->quiet && notice->plan)
		report_planned(report, notice);
	if (!report->verbose)
		return;
	if (notice->victim) {
		pid = notice->victim->process.pid;
		words_process(who, sizeof(who), &notice->victim->process);
		words_why(why, sizeof(why), notice->victim);
	}
	words_signal(name, sizeof(name), notice->signal);
	switch (notice->event) {
	case EVENT_SIGNALLED:
		say(report, "sent %s to %s: %s", name, who, why);
		break;
	case EVENT_GROUP:
		say(report, "sent %s to process group %d as a whole", name, pid);
		break;
	case EVENT_CGROUP:
		say(report, "sent %s to %s as a whole (cgroup.kill)", name,
		    words_scope(scope, sizeof(scope), notice->scope));
		break;
	case EVENT_STOPPED:
		say(report, "stopped %s: %s", who, why);
		break;
	case EVENT_NEWCOMER:
		say(report, "found a newcomer %s: %s", who, why);
		break;
	case EVENT_ENDED:
		say(report, "ended %s", who);
		break;
	case EVENT_VANISHED:
		say(report, "vanished before it could be pinned: %s", who);
		break;
	case EVENT_DENIED:
	case EVENT_LEFT:
	case EVENT_DOUBTFUL:
	case EVENT_UNLISTED:
	case EVENT_GONE:
	case EVENT_RECYCLED:
		break; /* said at the end, or of a plan already */
	case EVENT_ESCALATED:
		say(report, "the time of --kill-after is over: KILL to what is left");
		break;
	}
	output_push(&report->err);
}

void report_wait(void *data, const struct kill *kill)
{
	struct report *report = data;

	if (!report->quiet && !report->verbose)
		progress_show(&report->progress, &report->err, kill);
}

static void say_survivor(struct report *report, const struct victim *victim)
{
	const struct hindrance *hindrance = kill_hindrance(victim);
	char who[WHO_SIZE], why[WHY_SIZE], state[NAME_SIZE + 64];

	words_process(who, sizeof(who), &victim->process);
	words_state(state, sizeof(state), victim);
	say(report, "still alive: %s, state %c%s%s%s%s%s: %s", who, victim->process.state,
	    *state ? " (" : "", state, *state ? ")" : "",
	    *hindrance->wait_channel ? ", waiting in " : "", hindrance->wait_channel,
	    words_why(why, sizeof(why), victim));
}

/* Who is new since a plan was made has been told of, and was not to end. */
static bool is_left(const struct victim *victim)
{
	return kill_alive(victim) && !(victim->fate == FATE_UNLISTED && victim->rank == SIZE_MAX);
}

/* To compare several of them; of one that could not be signalled, the sentence says it all. */
static void list_left(struct report *report, const struct kill *kill, enum status status)
{
	struct columns columns;
	const struct table_style style = {
		.columns = &columns,
		.color = wants_color(report, &report->err),
		.width = output_width(&report->err),
		.now = clock_boot_ticks(),
		.left = true,
	};
	size_t left = 0;

	for (size_t i = 0; i < kill->victim_count; i++)
		left += is_left(kill->victims[i]);
	if (report->quiet || report->json.document || (left < 2 && status != STATUS_TIMEOUT))
		return;
	columns_of_survivors(&columns);
	if (kill->orders.target_count > 1)
		columns_tell_targets(&columns);
	if (table_print(report->err.stream, kill, is_left, &style) < 0)
		out_of_memory(report);
}

/* They are dead, and only their parents can do something about it. */
static void say_unreaped(struct report *report, const struct kill *kill)
{
	cleanup(free_pointer) struct unreaped *list = NULL;
	char who[WHO_SIZE], parent[NAME_SIZE + 64];
	int count = unreaped_find(kill, &list);

	for (int i = 0; i < count; i++)
		say(report, "dead, but not yet reaped by its parent%s%s: %s",
		    list[i].parent.pid ? " " : ", which cannot be seen from here",
		    list[i].parent.pid ? words_name(parent, sizeof(parent), &list[i].parent) : "",
		    words_process(who, sizeof(who), &list[i].process));
}

static void say_totals(struct report *report, const struct kill *kill, enum status status)
{
	size_t ended = 0;

	for (size_t i = 0; i < kill->victim_count; i++)
		ended += kill->victims[i]->fate == FATE_ENDED;
	say(report, "processes that have ended: %zu%s", ended,
	    status == STATUS_GONE ? "; nothing is left" : "");
	if (kill->unread)
		say(report, "newcomers that were gone before they could be read: %zu",
		    kill->unread);
}

/* With io, somebody may be left who could not be seen to hold the output. */
static enum status report_unseen(struct report *report, const struct kill *kill)
{
	enum status status = STATUS_GONE;

	if (!(kill->orders.rules.kinds & SCOPE_BIT(SCOPE_IO)))
		return status;
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		if (!kill->claims[t].untold)
			continue;
		status = STATUS_INCOMPLETE;
		say(report, "the output of %d could not be inspected as a whole",
		    kill->claims[t].target.pid);
	}
	return status;
}

enum status report_result(struct report *report, const struct kill *kill)
{
	enum status status = report_unseen(report, kill);
	char who[WHO_SIZE];

	progress_end(&report->progress, &report->err);
	for (size_t i = 0; i < kill->victim_count; i++) {
		const struct victim *victim = kill->victims[i];

		if (victim->fate == FATE_DENIED) {
			status = status_worse(status, STATUS_INCOMPLETE);
			say(report, "may not signal %s: %s",
			    words_process(who, sizeof(who), &victim->process),
			    strerror(victim->error));
		} else if (victim->fate == FATE_UNLISTED && kill->orders.plan) {
			continue; /* it has been told of, and the plan says nothing of it */
		} else if (words_spared(victim)) {
			status = status_worse(status, STATUS_INCOMPLETE);
			say(report, "left alone %s: %s",
			    words_process(who, sizeof(who), &victim->process),
			    words_spared(victim));
		} else if (kill_alive(victim)) {
			status = status_worse(status, STATUS_TIMEOUT);
			say_survivor(report, victim);
		}
	}
	list_left(report, kill, status);
	if (status == STATUS_GONE && words_uncertain(kill)) {
		status = STATUS_TIMEOUT;
		say(report, "%s", words_uncertain(kill));
	}
	if (report->verbose)
		say_unreaped(report, kill);
	if (report->verbose)
		say_totals(report, kill, status);
	json_add_kill(&report->json, kill);
	log_kill(&report->log, kill);
	return status;
}

int report_finish(struct report *report, uint64_t until)
{
	int out = output_finish(&report->out, until);
	int err;

	if (out < 0 && out != -EPIPE) /* a reader who has enough says so by SIGPIPE */
		say(report, "cannot write standard output: %s", strerror(-out));
	err = output_finish(&report->err, until);
	return out ? out : err;
}

enum status report_run(struct report *report, enum status status, int deadly, uint64_t until)
{
	size_t lost;
	int rc = log_finish(&report->log, status, deadly, until, &lost);

	if (rc == 0)
		return status;
	say(report, "%zu line%s could not be sent to syslog: %s", lost, lost == 1 ? "" : "s",
	    rc == -ETIMEDOUT ? "it did not read them in time" : strerror(-rc));
	output_finish(&report->err, until);
	return STATUS_SYSTEM;
}

void report_close(struct report *report)
{
	json_close(&report->json);
	log_close(&report->log);
	output_close(&report->out);
	output_close(&report->err);
}
