/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ends where not all who belong may: those that somebody was shown (--interactive), or that a
 * plan lists (--plan), on the fake system.
 */
#include "config.h"

#include "../fake/system.h"

#include "core/evidence.h"
#include "core/kill.h"
#include "core/plan.h"
#include "core/target.h"
#include "linux/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, NULL, NULL                                             \
	}
#define CONTAINER UINT64_C(501)
#define S	  NS_PER_SECOND
#define HOUR	  (3600 * S)
#define MOST	  8

static struct {
	struct target target;
	struct kill_orders orders;
	struct kill kill;
	struct error error;
	struct plan plan;
	struct planned_target planned_target;
	struct planned planned[MOST];
	char events[256];
} run;

static void note(void *data, const struct kill_notice *notice)
{
	static const char *const names[] = {
		[EVENT_GONE] = "gone", [EVENT_RECYCLED] = "recycled", [EVENT_UNLISTED] = "new"
	};
	size_t used = strlen(run.events);

	(void)data;
	if (notice->event < sizeof(names) / sizeof(*names) && names[notice->event])
		snprintf(run.events + used, sizeof(run.events) - used, "%s %d\n",
			 names[notice->event], notice->victim->process.pid);
}

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&run, 0, sizeof(run));
	run.kill.watch = WATCH_NULL;
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.targets = &run.target,
		.target_count = 1,
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT },
		.signal = SIGKILL,
		.deadline = fake.now + 10 * S,
		.notify = note,
	};
	return 0;
}

static void resolve(pid_t pid)
{
	struct identity identity = { .pid = pid, .trusted = true };

	assert_int_equal(target_open(&run.target, &identity, FAKE_NSKILL, fake_scan(), &run.error),
			 0);
	assert_int_equal(kill_plan(&run.kill, &run.orders, &run.error), 0);
}

static void finish_with(const char *log, const char *events)
{
	assert_string_equal(fake_log(), log);
	assert_string_equal(run.events, events);
	kill_clear(&run.kill);
	target_close(&run.target);
	fake_check();
}

static void carry_out(void)
{
	assert_int_equal(kill_carry_out(&run.kill, &run.error), 0);
}

/* A target with one child, in a group, a session and a namespace of its own. */
static void make_job(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 60, .pgrp = 60, .session = 60, .bystander = true);
}

/* ---- what was shown ---- */

static void show(void)
{
	run.orders.ask = true;
	resolve(100);
	assert_int_equal(kill_listed(&run.kill), 2);
	assert_int_equal(kill_show(&run.kill, &run.error), 0);
	fake.now += HOUR;
}

static void answer_yes(void)
{
	assert_int_equal(kill_resume(&run.kill, fake.now + 10 * S, &run.error), 0);
	carry_out();
}

static void test_shown(void **state)
{
	(void)state;
	make_job();
	show();
	answer_yes();
	assert_false(fake_is_alive(100) || fake_is_alive(101));
	assert_false(run.kill.timed_out);
	finish_with("100 KILL\n101 KILL\n", "");
}

static void test_born_meanwhile(void **state)
{
	pid_t born;

	(void)state;
	make_job();
	show();
	born = fake_fork(101);
	answer_yes();
	assert_false(fake_is_alive(100) || fake_is_alive(101) || fake_is_alive(born));
	assert_string_equal(run.events, "");
	kill_clear(&run.kill);
	target_close(&run.target);
	fake_check();
}

static void test_joined(void **state)
{
	pid_t joined, below;
	char events[64], log[64];

	(void)state;
	make_job();
	fake.group_signal = true;
	show();
	joined = fake_fork(FAKE_SHELL);
	fake_process(joined)->pgrp = 100;
	fake_process(joined)->bystander = true;
	below = fake_fork(joined);
	fake_process(below)->bystander = true;
	snprintf(events, sizeof(events), "new %d\nnew %d\n", joined, below);
	snprintf(log, sizeof(log), "100 KILL\n101 KILL\n");
	answer_yes();
	assert_true(fake_is_alive(joined) && fake_is_alive(below));
	finish_with(log, events);
}

static pid_t joined_before;

static void joined_one_forks(void)
{
	fake_process(fake_fork(joined_before))->bystander = true;
}

static void test_joined_forks(void **state)
{
	(void)state;
	make_job();
	show();
	joined_before = fake_fork(FAKE_SHELL);
	fake_process(joined_before)->pgrp = 100;
	fake_process(joined_before)->bystander = true;
	fake_after(DOOR_SIGNAL, 100, 1, joined_one_forks);
	answer_yes();
	assert_string_equal(fake_log(), "100 KILL\n101 KILL\n");
	kill_clear(&run.kill);
	target_close(&run.target);
	fake_check();
}

/* As nsenter(1) does: its parent is outside of the PID namespace, and not to be seen. */
static void test_joined_from_outside(void **state)
{
	char events[32];
	pid_t joined;

	(void)state;
	make_job();
	show();
	joined = fake_fork(FAKE_SHELL);
	fake_process(joined)->ppid = 0;
	fake_process(joined)->bystander = true;
	fake_join(joined, CONTAINER);
	snprintf(events, sizeof(events), "new %d\n", joined);
	answer_yes();
	assert_true(fake_is_alive(joined));
	finish_with("100 KILL\n101 KILL\n", events);
}

static void test_joined_elder(void **state)
{
	(void)state;
	make_job();
	PROCESS(.pid = 90, .bystander = true);
	show();
	fake_join(90, CONTAINER);
	fake_process(90)->pgrp = 100;
	answer_yes();
	assert_true(fake_is_alive(90));
	finish_with("100 KILL\n101 KILL\n", "new 90\n");
}

/* The target is dead, its number another's, and nothing but the list tells whose the child was. */
static void test_target_reused(void **state)
{
	(void)state;
	make_job();
	fake.group_signal = false;
	show();
	fake_setsid(101);
	fake_unshare(101);
	fake_end(100);
	fake.forks += (uint64_t)fake.pid_max;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = fake_ticks(),
		.bystander = true);
	answer_yes();
	assert_false(fake_is_alive(101));
	assert_true(fake_is_alive(100));
	finish_with("101 KILL\n", "");
}

/* Its number led a group again, and that has outlived it. */
static void test_number_reused(void **state)
{
	(void)state;
	make_job();
	fake.empty_groups = fake.handles = false;
	show();
	fake_end(101);
	fake_end(100);
	fake.forks += (uint64_t)fake.pid_max;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = fake_ticks(),
		.bystander = true);
	PROCESS(.pid = 200, .ppid = 100, .started = fake_ticks(), .bystander = true);
	fake_process(100)->bystander = false;
	fake_end(100);
	answer_yes();
	assert_true(fake_is_alive(200));
	assert_string_equal(fake_log(), "");
	kill_clear(&run.kill);
	target_close(&run.target);
	fake_check();
}

/* Nothing is known of the number, but that one who was shown has been in its group all the time. */
static void test_number_kept(void **state)
{
	(void)state;
	make_job();
	fake_process(101)->mntns = FAKE_HOST;
	fake.empty_groups = fake.handles = fake.group_signal = false;
	show();
	fake_end(100);
	fake.forks += (uint64_t)fake.pid_max;
	answer_yes();
	assert_false(fake_is_alive(101));
	finish_with("101 KILL\n", "");
}

/* ---- a plan ---- */

static void plan_process(pid_t pid, uint64_t inode)
{
	run.planned[run.plan.process_count++] = (struct planned){
		.process = { .pid = pid,
			     .tgid = pid,
			     .start_ticks = fake_process(pid)->started,
			     .inode = inode },
		.why = { .kind = SCOPE_PGRP, .id = pid == 100 ? 0 : 100 },
	};
}

static void make_plan(void)
{
	run.plan.targets = &run.planned_target;
	run.plan.processes = run.planned;
	run.plan.target_count = 1;
	run.orders.plan = &run.plan;
}

static void test_planned(void **state)
{
	(void)state;
	make_job();
	make_plan();
	fake.group_signal = true;
	plan_process(101, fake_process(101)->inode);
	plan_process(100, fake_process(100)->inode);
	resolve(100);
	carry_out();
	finish_with("101 KILL\n100 KILL\n", "");
}

static void test_new(void **state)
{
	(void)state;
	make_job();
	make_plan();
	PROCESS(.pid = 102, .ppid = 100, .bystander = true);
	plan_process(100, 0);
	plan_process(101, 0);
	resolve(100);
	carry_out();
	finish_with("100 KILL\n101 KILL\n", "new 102\n");
}

static void test_born_during_the_run(void **state)
{
	pid_t born;
	char events[32];

	(void)state;
	make_job();
	make_plan();
	plan_process(100, 0);
	plan_process(101, 0);
	resolve(100);
	born = fake_fork(101);
	fake_process(born)->bystander = true;
	snprintf(events, sizeof(events), "new %d\n", born);
	carry_out();
	finish_with("100 KILL\n101 KILL\n", events);
}

static void test_gone_and_recycled(void **state)
{
	(void)state;
	make_job();
	make_plan();
	PROCESS(.pid = 102, .ppid = 100);
	PROCESS(.pid = 103, .ppid = 100);
	plan_process(100, 0);
	plan_process(101, 0);
	plan_process(102, 0);
	plan_process(103, 0);
	run.planned[3].process.inode = fake_process(103)->inode + 1;
	fake_process(103)->bystander = true;
	fake_end(101);
	fake_end(102);
	PROCESS(.pid = 102, .started = fake_ticks(), .bystander = true);
	resolve(100);
	carry_out();
	finish_with("100 KILL\n", "new 103\ngone 101\nrecycled 102\nrecycled 103\n");
}

static void nothing_ties_101(void)
{
	fake_setsid(101);
	fake_unshare(101);
	fake_end(100);
	resolve(100);
	carry_out();
	assert_false(fake_is_alive(101));
	finish_with("101 KILL\n", "gone 100\n");
}

static void test_untied(void **state)
{
	(void)state;
	make_job();
	make_plan();
	plan_process(100, 0);
	plan_process(101, 0);
	nothing_ties_101();
}

/* He started in the tick of the look, and is known by his inode. */
static void test_untied_newborn(void **state)
{
	(void)state;
	make_job();
	fake_process(101)->started = fake_ticks();
	make_plan();
	plan_process(100, 0);
	plan_process(101, fake_process(101)->inode);
	nothing_ties_101();
}

static void stranger_instead_of_101(void)
{
	fake_end(101);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .started = fake_ticks(),
		.bystander = true);
}

/* Where no inode tells, the PID and the tick do not. */
static void test_stranger_in_one_tick(void **state)
{
	(void)state;
	fake.pidfs = false;
	make_job();
	fake_process(101)->started = fake_ticks();
	make_plan();
	plan_process(100, 0);
	plan_process(101, 0);
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_instead_of_101);
	resolve(100);
	carry_out();
	assert_true(fake_is_alive(101));
	assert_int_equal(run.kill.victims[1]->fate, FATE_DOUBTFUL);
	finish_with("100 KILL\n", "");
}

static void test_planned_by_descent(void **state)
{
	(void)state;
	PROCESS(.pid = 60, .pgrp = 60, .session = 60, .bystander = true);
	PROCESS(.pid = 100, .ppid = 60);
	fake_process(100)->bystander = false;
	make_plan();
	plan_process(100, 0);
	resolve(100);
	carry_out();
	finish_with("100 KILL\n", "");
}

static void test_guarded(void **state)
{
	(void)state;
	make_job();
	make_plan();
	plan_process(100, 0);
	plan_process(FAKE_SHELL, 0);
	resolve(100);
	carry_out();
	assert_int_equal(run.kill.victims[run.kill.victim_count - 1]->fate, FATE_DENIED);
	/* The child is not in the plan. */
	finish_with("100 KILL\n", "new 101\n");
}

/* ---- the document ---- */

#define HEAD                                                                                       \
	"{\"nskill\":\"" PACKAGE_VERSION "\",\"dry_run\":true,\"boot_id\":\"" FAKE_BOOT            \
	"\",\"pid_namespace\":7,\"match\":[\"pgrp\",\"tree\"],\"all\":false,"
#define TAIL "\"exit_status\":0,\"exit_signal\":null}"
#define TARGETS                                                                                    \
	"\"targets\":[{\"pid\":5,\"identity\":\"5:9\",\"start_ticks\":3,"                          \
	"\"state\":\"alive\",\"owner\":null}],"
#define PROCESS_OF(pid, outcome)                                                                   \
	"{\"pid\":" pid ",\"identity\":null,\"start_ticks\":4,\"uid\":0,\"target\":5,"             \
	"\"command\":\"a\\\\x0ab\",\"why\":\"pgrp\",\"why_id\":5,\"outcome\":\"" outcome "\"}"

static int read_text(const char *text)
{
	return plan_read(text, strlen(text), &run.plan, &run.error);
}

static void test_document(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD "\"signal\":\"TERM\"," TARGETS "\"processes\":[" PROCESS_OF(
				 "6", "listed") "," PROCESS_OF("7", "doubtful") "]," TAIL),
			 0);
	assert_int_equal(run.plan.signal, SIGTERM);
	assert_int_equal(run.plan.kinds, SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_TREE));
	assert_true(run.plan.pid_namespace == 7);
	assert_int_equal(run.plan.target_count, 1);
	assert_true(run.plan.targets[0].identity.inode == 9);
	assert_int_equal(run.plan.process_count, 1);
	assert_int_equal(run.plan.processes[0].process.pid, 6);
	assert_string_equal(run.plan.processes[0].process.command, "a\nb");
	plan_clear(&run.plan);
}

static void test_bad_documents(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"null",
		"{\"nskill\":1}",
		"{\"nskill\":\"0\"}",
		HEAD TARGETS "\"processes\":[]," TAIL,
		HEAD "\"signal\":\"NO\"," TARGETS "\"processes\":[]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS TAIL,
		HEAD "\"signal\":\"TERM\",\"processes\":[]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS "\"processes\":[5]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS
		     "\"processes\":[" PROCESS_OF("1", "listed") "]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS
		     "\"processes\":[" PROCESS_OF("-6", "listed") "]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS
		     "\"processes\":[" PROCESS_OF("4294967302", "listed") "]," TAIL,
		HEAD "\"signal\":\"TERM\"," TARGETS "\"processes\":[],\"exit_status\":0}",
		HEAD "\"signal\":\"TERM\"," TARGETS "\"processes\":[],\"exit_status\":5,"
		     "\"exit_signal\":null}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct plan before = run.plan;

		assert_true(read_text(texts[i]) < 0);
		assert_int_equal(run.error.status, STATUS_REFUSED);
		assert_memory_equal(&run.plan, &before, sizeof(before));
	}
}

/* @old in the text of a good plan becomes @new, and the sentence names the member. */
static const struct change {
	const char *old, *new, *named;
} changes[] = {
	{ "\"dry_run\":true", "\"dry_run\":false", "is the report of a run" },
	{ "\"dry_run\":true", "\"dry_run\":1", "'dry_run'" },
	{ "\"boot_id\":", "\"no\":", "'boot_id'" },
	{ FAKE_BOOT, "short", "'boot_id'" },
	{ "\"pid_namespace\":7", "\"pid_namespace\":-7", "'pid_namespace'" },
	{ "\"match\":[\"pgrp\"", "\"match\":[\"group\"", "'match'" },
	{ "\"match\":[\"pgrp\"", "\"match\":[5", "'match'" },
	{ "\"match\":", "\"no\":", "'match'" },
	{ "\"signal\":\"TERM\"", "\"signal\":15", "'signal'" },
	{ "\"targets\":[{", "\"targets\":{\"a\":[]},\"no\":[{", "'targets'" },
	{ "\"pid\":5", "\"pid\":1", "'pid'" },
	{ "\"identity\":\"5:9\"", "\"identity\":\"6:9\"", "'identity'" },
	{ "\"identity\":\"5:9\"", "\"identity\":\"5\"", "'identity'" },
	{ "\"identity\":\"5:9\"", "\"identity\":5", "'identity'" },
	{ "\"start_ticks\":3", "\"start_ticks\":\"3\"", "'start_ticks'" },
	{ "\"state\":\"alive\"", "\"state\":5", "'state'" },
	{ "\"owner\":null", "\"owner\":\"root\"", "'owner'" },
	{ "\"start_ticks\":4", "\"start_ticks\":0", "'start_ticks'" },
	{ "\"identity\":null,\"start_ticks\":4", "\"start_ticks\":4", "'identity'" },
	{ "\"uid\":0", "\"uid\":-1", "'uid'" },
	{ "\"command\":", "\"no\":", "'command'" },
	{ "\"why\":\"pgrp\"", "\"why\":\"love\"", "'why'" },
	{ "\"why\":\"pgrp\"", "\"why\":5", "'why'" },
	{ "\"why_id\":5", "\"why_id\":null", "'why'" },
	{ "\"why_id\":5", "\"why_id\":-5", "'why_id'" },
	{ "\"target\":5", "\"target\":6", "'target'" },
	{ "\"outcome\":", "\"no\":", "'outcome'" },
	{ "\"exit_status\":0", "\"exit_status\":3", "did not succeed" },
	{ "\"exit_status\":0", "\"exit_status\":-1", "did not succeed" },
	{ "\"exit_status\":0", "\"exit_status\":true", "did not succeed" },
	{ "\"exit_signal\":null", "\"exit_signal\":\"INT\"", "did not succeed" },
};

static void change_text(char *text, size_t size, const char *good, const struct change *change)
{
	const char *at = strstr(good, change->old);

	assert_non_null(at);
	snprintf(text, size, "%.*s%s%s", (int)(at - good), good, change->new,
		 at + strlen(change->old));
}

static void test_members(void **state)
{
	static const char good[] = HEAD "\"signal\":\"TERM\"," TARGETS
					"\"processes\":[" PROCESS_OF("6", "listed") "]," TAIL;
	char text[sizeof(good) + 64];

	(void)state;
	assert_int_equal(read_text(good), 0);
	plan_clear(&run.plan);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		change_text(text, sizeof(text), good, &changes[i]);
		if (read_text(text) == 0)
			fail_msg("taken: %s", text);
		assert_int_equal(run.error.status, STATUS_REFUSED);
		if (!strstr(run.error.text, changes[i].named))
			fail_msg("%s: %s", changes[i].new, run.error.text);
	}
}

/* What is no byte in hexadecimal is what it is, and a name is cut, not written past its end. */
static void test_commands(void **state)
{
	static const char good[] = HEAD "\"signal\":\"TERM\"," TARGETS
					"\"processes\":[" PROCESS_OF("6", "listed") "]," TAIL;
	static const struct {
		const char *written, *read;
	} cases[] = {
		{ "sleep", "sleep" },
		{ "\\\\x5cx41", "\\x41" },
		{ "\\\\xzz", "\\xzz" },
		{ "\\\\x4", "\\x4" },
		{ "\\\\", "\\" },
		{ "\\\\y41", "\\y41" },
		{ "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef012345",
		  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde" },
	};
	char text[sizeof(good) + 128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct change change = { "a\\\\x0ab", cases[i].written, "" };

		change_text(text, sizeof(text), good, &change);
		assert_int_equal(read_text(text), 0);
		assert_string_equal(run.plan.processes[0].process.command, cases[i].read);
		plan_clear(&run.plan);
	}
}

/* ---- the place where it was made ---- */

static int read_here(const struct origin *here)
{
	const struct evidence_rules rules = { .trust = true };

	return evidence_read_plan(&run.plan, FAKE_PIDFILE, here, &rules, &run.error);
}

static void test_origin(void **state)
{
	static const char good[] = HEAD "\"signal\":\"TERM\"," TARGETS
					"\"processes\":[" PROCESS_OF("6", "listed") "]," TAIL;
	struct origin here = { .boot = FAKE_BOOT, .pid_namespace = 7 };

	(void)state;
	assert_int_equal(read_here(&here), -ENOENT);
	fake_pidfile(good, fake.booted, false);
	assert_int_equal(read_here(&here), 0);
	assert_string_equal(run.plan.targets[0].identity.record.boot, "");
	plan_clear(&run.plan);

	here.pid_namespace = 8;
	assert_int_equal(read_here(&here), -EXDEV);
	here.pid_namespace = 0;
	assert_int_equal(read_here(&here), -ENODATA);
	here = (struct origin){ .pid_namespace = 7 };
	assert_int_equal(read_here(&here), -ENODATA);
	assert_int_equal(run.plan.target_count, 0);

	/* Of another boot, it is taken, and known to be so. */
	here = (struct origin){ .boot = "fedcba98-0000-0000-0000-000000000000",
				.pid_namespace = 8 };
	assert_int_equal(read_here(&here), 0);
	assert_string_equal(run.plan.targets[0].identity.record.boot, FAKE_BOOT);
	plan_clear(&run.plan);
	fake_no_pidfile(ARRIVAL_GONE);
}

static void test_owner(void **state)
{
	static const char good[] = HEAD "\"signal\":\"TERM\"," TARGETS
					"\"processes\":[" PROCESS_OF("6", "listed") "]," TAIL;
	const struct origin here = { .boot = FAKE_BOOT, .pid_namespace = 7 };
	const struct evidence_rules rules = { .trust = false };

	(void)state;
	fake_pidfile(good, fake.booted, false);
	fake_pidfile_owner(1000);
	assert_int_equal(evidence_read_plan(&run.plan, FAKE_PIDFILE, &here, &rules, &run.error), 0);
	assert_true(run.plan.targets[0].identity.owned);
	assert_int_equal(run.plan.targets[0].identity.owner, 1000);
	plan_clear(&run.plan);
	assert_int_equal(read_here(&here), 0); /* trusted */
	assert_false(run.plan.targets[0].identity.owned);
	plan_clear(&run.plan);
	fake_no_pidfile(ARRIVAL_GONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("who was shown ends after a yes", test_shown),
		TEST("so does who was born of them meanwhile", test_born_meanwhile),
		TEST("who has joined is left, and so are his children", test_joined),
		TEST("and so are those that he has while others are killed", test_joined_forks),
		TEST("one that has come from another PID namespace is left",
		     test_joined_from_outside),
		TEST("an older process that has joined is left", test_joined_elder),
		TEST("who bears the target's number by now lives, and who was shown ends",
		     test_target_reused),
		TEST("the group of a later bearer of the target's number lives",
		     test_number_reused),
		TEST("who was shown and is in the target's group still ends", test_number_kept),
		TEST("a plan's processes end in its order, one by one", test_planned),
		TEST("who is not in the plan is told, and lives", test_new),
		TEST("so is who was born during the run", test_born_during_the_run),
		TEST("who is gone or another by now is told, and nobody ends for it",
		     test_gone_and_recycled),
		TEST("who is in the plan ends though nothing ties him any more", test_untied),
		TEST("so does one as young as the look, whose inode is in it", test_untied_newborn),
		TEST("but no stranger with the PID and start tick, without inodes",
		     test_stranger_in_one_tick),
		TEST("nobody in a plan is stopped before the kill", test_planned_by_descent),
		TEST("who is guarded by now is not signalled", test_guarded),
		TEST("the document of a plan is read, and names as they were", test_document),
		TEST("what is no whole plan is refused", test_bad_documents),
		TEST("a member that is not what it is in a plan is named", test_members),
		TEST("commands are read as they were written, and no further", test_commands),
		TEST("a plan is for the boot and the PID namespace that it was made in",
		     test_origin),
		TEST("a plan of another user's speaks for his processes alone", test_owner),
	};

	return cmocka_run_group_tests_name("agreed", tests, NULL, NULL);
}
