/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people and programs are told of each thing that core can know: in words, in the document,
 * and by syslog, whose door this stands in for.
 */
#include "config.h"

#include "../fake/system.h"

#include "cli/json.h"
#include "cli/log.h"
#include "cli/words.h"
#include "linux/clock.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <cmocka.h>

#define SECONDS	    UINT64_C(100) /* ticks */
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* ---- a syslog that keeps the last line ---- */

static struct {
	int priority;
	char line[1024];
	size_t lines, pushed;
} sent;

void syslog_add(struct syslog *log, int priority, const char *format, ...)
{
	va_list args;

	(void)log;
	va_start(args, format);
	vsnprintf(sent.line, sizeof(sent.line), format, args);
	va_end(args);
	sent.priority = priority;
	sent.lines++;
}

void syslog_push(struct syslog *log)
{
	(void)log;
	sent.pushed++;
}

int syslog_finish(struct syslog *log, uint64_t until, size_t *lost)
{
	(void)log;
	(void)until;
	*lost = 0;
	return 0;
}

void syslog_close(struct syslog *log)
{
	(void)log;
}

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&sent, 0, sizeof(sent));
	return 0;
}

/* ---- words ---- */

static void test_age(void **state)
{
	static const struct {
		uint64_t seconds;
		const char *words;
	} cases[] = {
		{ 0, "0s" },	   { 59, "59s" },	{ 60, "1m00s" },    { 3599, "59m59s" },
		{ 3600, "1h00m" }, { 86399, "23h59m" }, { 86400, "1d00h" }, { 90000, "1d01h" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
			words_age(text, sizeof(text), 7, 7 + cases[i].seconds * SECONDS, SECONDS),
			cases[i].words);
	assert_string_equal(words_age(text, sizeof(text), 8, 7, SECONDS), "0s");
}

static void test_process(void **state)
{
	struct process process = { .pid = 7, .command = "a\nb", .state = 'S' };
	char text[WHO_SIZE];

	(void)state;
	process.start_ticks = clock_boot_ticks();
	assert_string_equal(words_process(text, sizeof(text), &process), "7 (a\\x0ab), 0s old");
	process.state = '?';
	assert_string_equal(words_process(text, sizeof(text), &process),
			    "7, which may not be read");
}

static void test_signal(void **state)
{
	char text[32], wanted[32];

	(void)state;
	assert_string_equal(words_signal(text, sizeof(text), SIGTERM), "TERM");
	assert_string_equal(words_signal(text, sizeof(text), SIGRTMIN), "RTMIN");
	assert_string_equal(words_signal(text, sizeof(text), SIGRTMIN + 3), "RTMIN+3");
	snprintf(wanted, sizeof(wanted), "RTMIN+%d", SIGRTMAX - SIGRTMIN);
	assert_string_equal(words_signal(text, sizeof(text), SIGRTMAX), wanted);
	assert_string_equal(words_signal(text, sizeof(text), 32), "signal 32");
	assert_string_equal(words_signal(text, sizeof(text), SIGRTMAX + 1), "signal 65");
}

static void test_why(void **state)
{
	static const struct cgroup cgroup = { .id = 57, .path = "/a\nb" };
	const struct {
		struct scope why;
		const char *words;
	} cases[] = {
		{ { 0 }, "target" },
		{ { .kind = SCOPE_TREE, .id = 7 }, "child of 7" },
		{ { .kind = SCOPE_PGRP, .id = 7 }, "pgrp 7" },
		{ { .kind = SCOPE_CGROUP, .id = 57, .cgroup = &cgroup }, "cgroup /a\\x0ab" },
		{ { .kind = SCOPE_CGROUP, .id = 57 }, "cgroup 57" },
	};
	char text[WHY_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct victim victim = { .why = cases[i].why };

		assert_string_equal(words_why(text, sizeof(text), &victim), cases[i].words);
	}
}

static void test_reason(void **state)
{
	static const struct cgroup cgroup = { .id = 1, .path = "/" };
	const struct process somebody = { .pid = 7, .command = "sh", .start_ticks = fake_ticks() };
	const struct process self = { .pid = getpid() }, first = { .pid = 1 };
	const struct {
		struct spared spared;
		const char *words;
	} cases[] = {
		{ { .reason = SPARED_UNASKED }, "--match leaves it out" },
		{ { .reason = SPARED_UNKNOWN, .scope.kind = SCOPE_SESSION },
		  "it comes from outside this PID namespace" },
		{ { .reason = SPARED_UNKNOWN, .scope.kind = SCOPE_CGROUP },
		  "no mounted hierarchy shows it" },
		{ { .reason = SPARED_UNKNOWN, .scope.kind = SCOPE_MNT },
		  "this user may not look at it" },
		{ { .reason = SPARED_GUARD, .who = self }, "nskill itself is in it" },
		{ { .reason = SPARED_GUARD, .who = first, .scope.kind = SCOPE_IO },
		  "PID 1 holds it" },
		{ { .reason = SPARED_GUARD, .who = somebody },
		  "an ancestor of nskill is in it: 7 (sh), 0s old" },
		{ { .reason = SPARED_INITIAL, .scope.kind = SCOPE_MNT }, "it is the host's" },
		{ { .reason = SPARED_INITIAL, .scope = { SCOPE_CGROUP, 1, &cgroup } },
		  "it is the root" },
		{ { .reason = SPARED_FOREIGN }, "it was not made by the caller" },
		{ { .reason = SPARED_LEADER, .who = somebody },
		  "its leader does not belong to the target: 7 (sh), 0s old" },
		{ { .reason = SPARED_LEADER_GONE },
		  "its leader is gone, and did not belong to the target" },
		{ { .reason = SPARED_PIDNS_INIT, .who = somebody },
		  "it holds the init of a PID namespace: 7 (sh), 0s old" },
		{ { .reason = SPARED_OUTER, .scope.kind = SCOPE_MNT },
		  "the target's own mount namespace is not followed" },
		{ { .reason = SPARED_OLDER, .scope.kind = SCOPE_IO },
		  "it is the terminal of an older process" },
		{ { .reason = SPARED_OLDER, .scope.kind = SCOPE_IO, .who = somebody },
		  "it is the terminal of an older process: 7 (sh), 0s old" },
		{ { .reason = SPARED_OLDER, .scope.kind = SCOPE_MNT, .who = somebody },
		  "a process in it is older: 7 (sh), 0s old" },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(words_reason(text, sizeof(text), &cases[i].spared),
				    cases[i].words);
}

static struct hindrance in_fridge = { .frozen = true, .wait_channel = "fridge" };
static struct hindrance traced = { .tracer = { .pid = 8, .command = "gdb" } };

static void test_left(void **state)
{
	static const struct {
		struct victim victim;
		const char *words;
	} cases[] = {
		{ { .fate = FATE_DENIED, .error = EPERM },
		  "may not be signalled: Operation not permitted" },
		{ { .fate = FATE_LEFT }, words_not_the_owners },
		{ { .fate = FATE_DOUBTFUL }, words_in_doubt },
		{ { .fate = FATE_UNLISTED }, words_not_listed },
		{ { .fate = FATE_SIGNALLED, .hindrance = &in_fridge, .process.state = 'D' },
		  "frozen by a cgroup: thaw it" },
		{ { .fate = FATE_SIGNALLED, .process.state = 'D' },
		  "uninterruptible: the kernel holds it" },
		{ { .fate = FATE_SIGNALLED, .process.state = 'T', .sent = SIGTERM }, "stopped" },
		{ { .fate = FATE_SIGNALLED, .hindrance = &traced, .process.state = 't' },
		  "held by its tracer 8 (gdb)" },
		{ { .fate = FATE_SIGNALLED, .process.state = 't' }, "held by a tracer" },
		{ { .fate = FATE_SIGNALLED, .process.state = 'S', .sent = SIGTERM },
		  "TERM has not ended it" },
		{ { .fate = FATE_PINNED, .process.state = 'S' }, "no signal has been sent to it" },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(words_left(text, sizeof(text), &cases[i].victim),
				    cases[i].words);
}

static void test_uncertain(void **state)
{
	(void)state;
	assert_null(words_uncertain(&(struct kill){ 0 }));
	assert_non_null(
		strstr(words_uncertain(&(struct kill){ .timed_out = true }), "time was up"));
	assert_non_null(
		strstr(words_uncertain(&(struct kill){ .interrupt = SIGINT }), "interrupted"));
	assert_non_null(strstr(
		words_uncertain(&(struct kill){ .unsettled = true, .timed_out = true }), "forked"));
}

static void test_holder(void **state)
{
	const struct {
		struct holder holder;
		const char *words;
	} cases[] = {
		{ { .reason = HOLDER_GUARD, .process.pid = getpid() }, "nskill itself" },
		{ { .reason = HOLDER_GUARD, .process.pid = 1 }, "PID 1" },
		{ { .reason = HOLDER_GUARD, .process.pid = FAKE_SHELL }, "an ancestor of nskill" },
		{ { .reason = HOLDER_MEMBER }, "it belongs to the target" },
		{ { .reason = HOLDER_ALIVE }, "still alive" },
		{ { .reason = HOLDER_DENIED, .error = EPERM },
		  "may not be signalled: Operation not permitted" },
		{ { .reason = HOLDER_DOUBTFUL }, words_in_doubt },
		{ { .reason = HOLDER_LEFT }, words_not_the_owners },
		{ { .reason = HOLDER_UNLISTED }, "it was not on the list" },
		{ { .reason = HOLDER_OLDER }, "older than the target" },
		{ { .reason = HOLDER_UNTOLD },
		  "it may be older than the target; if it is the job's, name it by its PID" },
		{ { .reason = HOLDER_UNASKED }, "not followed: -m +io would kill it, too" },
		{ { .reason = HOLDER_TERMINAL }, "the terminal is not the target's own" },
		{ { .reason = HOLDER_NEW }, "it has come since" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(words_holder(text, sizeof(text), &cases[i].holder),
				    cases[i].words);
}

static void test_no_output(void **state)
{
	struct claim claim = { .answered = true };
	const char *answered = words_no_output(&claim);

	(void)state;
	assert_non_null(strstr(answered, "what it left has no pipe"));
	claim.answered = false;
	assert_non_null(strstr(words_no_output(&claim), "nobody is left who tells"));
}

/* ---- each fate, in the document and by syslog ---- */

static const struct {
	struct victim victim;
	const char *outcome, *line;
	int priority;
} fates[] = {
	{ { .fate = FATE_LISTED }, "listed", "7 (a\\x0ab): still alive, state S", LOG_WARNING },
	{ { .fate = FATE_PINNED }, "alive", "7 (a\\x0ab): still alive, state S", LOG_WARNING },
	{ { .fate = FATE_SIGNALLED, .sent = SIGTERM, .hindrance = &in_fridge },
	  "alive",
	  "TERM 7 (a\\x0ab): still alive, state S, frozen by a cgroup, waiting in fridge",
	  LOG_WARNING },
	{ { .fate = FATE_ENDED, .sent = SIGKILL }, "ended", "KILL 7 (a\\x0ab): ended", LOG_NOTICE },
	{ { .fate = FATE_VANISHED },
	  "vanished",
	  "7 (a\\x0ab): gone before it could be pinned",
	  LOG_NOTICE },
	{ { .fate = FATE_DENIED, .error = EPERM },
	  "denied",
	  "7 (a\\x0ab): may not be signalled: Operation not permitted",
	  LOG_WARNING },
	{ { .fate = FATE_LEFT },
	  "left",
	  "7 (a\\x0ab): left alone, the file that names the target is another user's",
	  LOG_WARNING },
	{ { .fate = FATE_DOUBTFUL },
	  "doubtful",
	  "7 (a\\x0ab): left alone, it may be another by now",
	  LOG_WARNING },
	{ { .fate = FATE_UNLISTED },
	  "new",
	  "7 (a\\x0ab): left alone, it was not on the list",
	  LOG_WARNING },
};

/* A kill that is over, of one victim. */
static struct kill *over(struct victim *victim)
{
	static struct target target;
	static struct claim claim;
	static struct victim *victims[1];
	static struct kill kill;

	victim->process =
		(struct process){ .pid = 7, .command = "a\nb", .state = 'S', .ruid = UID_UNKNOWN };
	target = (struct target){ .process = { .pid = 7 } };
	claim = (struct claim){ .target = { .pid = 7 } };
	victims[0] = victim;
	kill = (struct kill){ .orders = { .targets = &target, .target_count = 1 },
			      .claims = &claim,
			      .victims = victims,
			      .victim_count = 1 };
	return &kill;
}

static json_t *printed(struct json *json, enum status status, int deadly)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *document;

	assert_non_null(stream);
	assert_int_equal(json_print(json, stream, status, deadly, 1500000000), 0);
	fclose(stream);
	json_close(json);
	document = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(document);
	return document;
}

static const char *string_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void test_outcomes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(fates); i++) {
		struct victim victim = fates[i].victim;
		struct json json;
		json_t *document, *process;

		assert_int_equal(json_open(&json, ACTION_KILL), 0);
		json_add_kill(&json, over(&victim));
		document = printed(&json, STATUS_GONE, 0);
		process = json_array_get(json_object_get(document, "processes"), 0);
		assert_string_equal(string_at(process, "outcome"), fates[i].outcome);
		assert_string_equal(string_at(process, "command"), "a\\x0ab");
		json_decref(document);
	}
}

static void test_results(void **state)
{
	static const struct {
		enum status status;
		const char *result;
	} cases[] = {
		{ STATUS_GONE, "gone" },       { STATUS_NOTHING, "nothing" },
		{ STATUS_REFUSED, "refused" }, { STATUS_INCOMPLETE, "incomplete" },
		{ STATUS_SYSTEM, "error" },    { STATUS_TIMEOUT, "timeout" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json json;
		json_t *document;

		assert_int_equal(json_open(&json, ACTION_KILL), 0);
		document = printed(&json, cases[i].status, i ? SIGINT : 0);
		assert_string_equal(string_at(document, "result"), cases[i].result);
		assert_int_equal(json_integer_value(json_object_get(document, "exit_status")),
				 cases[i].status);
		if (i)
			assert_string_equal(string_at(document, "exit_signal"), "INT");
		else
			assert_true(json_is_null(json_object_get(document, "exit_signal")));
		json_decref(document);
	}
}

static void test_results_of_actions(void **state)
{
	static const struct {
		enum options_action action;
		const char *result;
	} cases[] = {
		{ ACTION_KILL, "gone" },
		{ ACTION_DRY_RUN, "listed" },
		{ ACTION_HOLDERS, "held" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json json;
		json_t *document;

		assert_int_equal(json_open(&json, cases[i].action), 0);
		document = printed(&json, STATUS_GONE, 0);
		assert_string_equal(string_at(document, "result"), cases[i].result);
		json_decref(document);
	}
}

static void test_target_states(void **state)
{
	static const struct {
		struct target target;
		const char *state;
	} cases[] = {
		{ { .process.pid = 7 }, "alive" },
		{ { .process.pid = 7, .dead = true }, "dead" },
		{ { .process.pid = 7, .dead = true, .reused = true }, "reused" },
		{ { .process.pid = 7, .dead = true, .over = true }, "before-boot" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct target target = cases[i].target;
		struct claim claim = { .target = target.process };
		const struct kill kill = { .orders = { .targets = &target, .target_count = 1 },
					   .claims = &claim };
		struct json json;
		json_t *document;

		assert_int_equal(json_open(&json, ACTION_DRY_RUN), 0);
		json_add_targets(&json, &kill);
		document = printed(&json, STATUS_GONE, 0);
		assert_string_equal(
			string_at(json_array_get(json_object_get(document, "targets"), 0), "state"),
			cases[i].state);
		json_decref(document);
	}
}

static void test_closed_document(void **state)
{
	struct victim victim = { .fate = FATE_ENDED };
	const struct holders holders = { 0 };
	const struct rules rules = { 0 };
	const struct origin here = { 0 };
	struct json json = { 0 };

	(void)state;
	json_add_orders(&json, &here, &rules, SIGKILL);
	json_add_error(&json, "an error");
	json_add_kill(&json, over(&victim));
	json_add_targets(&json, over(&victim));
	json_add_holders(&json, over(&victim), &holders);
	assert_null(json.document);
	assert_int_equal(json_print(&json, NULL, STATUS_GONE, 0, 0), 0);
}

static size_t pieces; /* of memory that jansson still gets */

static void *allocate_some(size_t size)
{
	return pieces && pieces-- ? malloc(size) : NULL;
}

/* How much of one is written with so many pieces of memory left; -1: it says that it is none. */
static long print_with(size_t count)
{
	struct victim victim = { .fate = FATE_ENDED };
	struct json json;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int rc;

	assert_non_null(stream);
	pieces = SIZE_MAX;
	assert_int_equal(json_open(&json, false), 0);
	json_add_kill(&json, over(&victim));
	pieces = count;
	rc = json_print(&json, stream, STATUS_GONE, 0, 1500000000);
	fclose(stream);
	pieces = SIZE_MAX;
	json_close(&json);
	free(text);
	if (rc == 0)
		return (long)size;
	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(size, 0);
	return -1;
}

static void test_whole_document(void **state)
{
	json_malloc_t allocate;
	json_free_t release;
	long size = -1;

	(void)state;
	json_get_alloc_funcs(&allocate, &release);
	json_set_alloc_funcs(allocate_some, free);
	for (size_t count = 0; size < 0 && count < 1000; count++)
		size = print_with(count);
	assert_int_equal(size, print_with(1000));
	json_set_alloc_funcs(allocate, release);
}

static void test_lines(void **state)
{
	const struct options options = { .signal = SIGKILL };

	(void)state;
	for (size_t i = 0; i < COUNT(fates); i++) {
		struct victim victim = fates[i].victim;
		struct log log;

		log_open(&log, &options);
		log_kill(&log, over(&victim));
		assert_string_equal(sent.line, fates[i].line);
		assert_int_equal(sent.priority, fates[i].priority);
		assert_int_equal(sent.lines, i + 1);
		assert_int_equal(sent.pushed, i + 1);
		log_close(&log);
	}
}

static void test_who(void **state)
{
	const struct options options = { .signal = SIGKILL };
	struct victim victim = { .fate = FATE_ENDED };
	struct log log;
	struct kill *kill = over(&victim);

	(void)state;
	victim.process.ruid = 1000;
	victim.process.mntns = 4711;
	log_open(&log, &options);
	log_kill(&log, kill);
	assert_string_equal(sent.line, "7 (a\\x0ab), user 1000, mnt 4711: ended");
	log_close(&log);
}

static void test_sums(void **state)
{
	static const struct {
		enum status status;
		int deadly, priority;
		const char *end;
	} cases[] = {
		{ STATUS_GONE, 0, LOG_NOTICE, ": nothing is left, exit status 0" },
		{ STATUS_NOTHING, 0, LOG_NOTICE, ": nothing was done, exit status 1" },
		{ STATUS_REFUSED, 0, LOG_ERR, ": refused, exit status 3" },
		{ STATUS_INCOMPLETE, 0, LOG_WARNING, ": incomplete, exit status 4" },
		{ STATUS_SYSTEM, 0, LOG_ERR, ": system error, exit status 5" },
		{ STATUS_TIMEOUT, 0, LOG_WARNING, ": time was up, exit status 124" },
		{ STATUS_GONE, SIGINT, LOG_WARNING, ": dies of SIGINT" },
		{ STATUS_GONE, SIGPIPE, LOG_NOTICE, ": nothing is left, dies of SIGPIPE" },
	};
	struct operand operands[] = { { .pid = 7 },
				      { .pid = 8, .inode = 4711 },
				      { .path = "/run/a\nb" } };
	const struct options options = { .signal = SIGTERM,
					 .operands = operands,
					 .operand_count = COUNT(operands) };
	char wanted[256];
	size_t lost;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct log log;

		log_open(&log, &options);
		fake.now += 1500 * FAKE_MS;
		assert_int_equal(log_finish(&log, cases[i].status, cases[i].deadly, 0, &lost), 0);
		assert_int_equal(sent.priority, cases[i].priority);
		snprintf(wanted, sizeof(wanted),
			 "run by user %u, signal TERM, targets 7 8:4711 /run/a\\x0ab: 0 ended, "
			 "0 still alive, 0 not signalled, in 1.500 s%s",
			 getuid(), cases[i].end);
		assert_string_equal(sent.line, wanted);
		log_close(&log);
	}
}

static void test_many_targets(void **state)
{
	static struct operand operands[200];
	const struct options options = { .signal = SIGKILL,
					 .operands = operands,
					 .operand_count = COUNT(operands) };
	const struct options planned = { .signal = SIGKILL, .plan = "a\tb" };
	struct log log;
	size_t lost;

	(void)state;
	for (size_t i = 0; i < COUNT(operands); i++)
		operands[i].pid = 100000;
	log_open(&log, &options);
	log_finish(&log, STATUS_GONE, 0, 0, &lost);
	assert_non_null(strstr(sent.line, " 100000 ...: 0 ended"));
	log_open(&log, &planned);
	log_finish(&log, STATUS_GONE, 0, 0, &lost);
	assert_non_null(strstr(sent.line, "targets of the plan a\\x09b: 0 ended"));
}

static void test_closed_log(void **state)
{
	struct victim victim = { .fate = FATE_ENDED };
	const struct error error = { .text = "an error" };
	struct log log = LOG_NULL;
	size_t lost = 1;

	(void)state;
	log_error(&log, &error);
	log_kill(&log, over(&victim));
	assert_int_equal(log_finish(&log, STATUS_GONE, 0, 0, &lost), 0);
	assert_int_equal(lost, 0);
	assert_int_equal(sent.lines, 0);
}

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, NULL, NULL                                             \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("an age is told in its two largest units", test_age),
		TEST("a process is told by PID, name and age, as far as it may be read",
		     test_process),
		TEST("a signal is told by its name, or by its distance from RTMIN", test_signal),
		TEST("what ties a process is told, with no control byte of a cgroup's", test_why),
		TEST("each reason for leaving a scope has words of its own", test_reason),
		TEST("each reason for somebody's being left has words of its own", test_left),
		TEST("what keeps an end from being certain is told", test_uncertain),
		TEST("each holder of an output is told from the others", test_holder),
		TEST("why nothing tells an output depends on whether anybody is left",
		     test_no_output),
		TEST("the document tells each fate", test_outcomes),
		TEST("the document tells each exit status, and the signal", test_results),
		TEST("and of a run that only looks, what it was for", test_results_of_actions),
		TEST("the document tells what became of a target", test_target_states),
		TEST("a document that is closed takes nothing", test_closed_document),
		TEST("wherever memory runs out, all of a document is printed or nothing",
		     test_whole_document),
		TEST("syslog gets a line for each fate, and none can be forged", test_lines),
		TEST("syslog gets the user and the mount namespace where they are known", test_who),
		TEST("syslog gets the sum of a run, the more severe the louder", test_sums),
		TEST("of too many targets syslog gets as many as a line takes", test_many_targets),
		TEST("a log that is closed takes nothing", test_closed_log),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
