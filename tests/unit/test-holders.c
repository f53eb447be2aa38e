/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who holds the target's output, and the kind io, on the fake system. */
#include "config.h"

#include "../fake/system.h"

#include "core/kill.h"
#include "core/outputs.h"
#include "core/remember.h"
#include "linux/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, tear_down, NULL                                        \
	}
#define OUTPUT	  UINT64_C(7001)
#define OTHER	  UINT64_C(7002)
#define CONTAINER UINT64_C(501)
#define NOBODY	  (-1)

static struct {
	struct target targets[4];
	struct kill_orders orders;
	struct kill kill;
	struct holders holders;
	struct error error;
} run;

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&run, 0, sizeof(run));
	run.kill.watch = WATCH_NULL;
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.targets = run.targets,
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT | SCOPE_BIT(SCOPE_IO) },
		.outputs = true,
		.signal = SIGKILL,
		.deadline = fake.now + 10 * NS_PER_SECOND,
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	holders_clear(&run.holders);
	kill_clear(&run.kill);
	for (size_t i = 0; i < run.orders.target_count; i++)
		target_close(&run.targets[i]);
	fake_check();
	return 0;
}

static void resolve_identity(const struct identity *identity)
{
	assert_int_equal(target_open(&run.targets[run.orders.target_count], identity, FAKE_NSKILL,
				     fake_scan(), &run.error),
			 0);
	run.orders.target_count++;
}

static void resolve(pid_t pid)
{
	struct identity identity = { .pid = pid };

	resolve_identity(&identity);
}

static void plan(void)
{
	assert_int_equal(kill_plan(&run.kill, &run.orders, &run.error), 0);
}

static void carry_out(void)
{
	assert_int_equal(kill_carry_out(&run.kill, &run.error), 0);
}

static void nskill(pid_t pid)
{
	resolve(pid);
	plan();
	carry_out();
}

static void unasked(void)
{
	run.orders.rules.kinds = SCOPE_DEFAULT;
}

static void look(void)
{
	holders_clear(&run.holders);
	assert_int_equal(outputs_holders(&run.kill, &run.holders, &run.error), 0);
}

/* The holders are @count. */
static void assert_count(size_t count)
{
	look();
	assert_int_equal(run.holders.count, count);
}

static void assert_holder(pid_t pid, enum holder_reason reason)
{
	look();
	for (size_t i = 0; i < run.holders.count; i++) {
		if (run.holders.list[i].process.pid != pid)
			continue;
		assert_int_equal(run.holders.list[i].reason, reason);
		return;
	}
	fail_msg("%d is no holder", pid);
}

/* Shapes. The target is 100; a daemon has no other tie to it than its output. */

static void leader(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .output = OUTPUT);
}

static void daemon_of(pid_t pid)
{
	PROCESS(.pid = pid, .pgrp = pid, .session = pid, .output = OUTPUT);
}

static void older(pid_t pid)
{
	PROCESS(.pid = pid, .pgrp = pid, .session = pid, .output = OUTPUT, .bystander = true);
}

static void test_taken(void **state)
{
	(void)state;
	older(90);
	leader();
	daemon_of(101);
	nskill(100);
	assert_false(fake_is_alive(101));
	assert_true(fake_is_alive(90));
	assert_int_equal(run.kill.victims[1]->why.kind, SCOPE_IO);
	assert_int_equal(run.kill.victims[1]->why.id, OUTPUT);
	assert_count(1);
	assert_holder(90, HOLDER_OLDER);
}

/* Who is older can have joined its group: then nobody knows who is younger than it was. */
static void test_guest_of_group(void **state)
{
	(void)state;
	PROCESS(.pid = 80, .pgrp = 80, .session = 80, .output = OUTPUT, .bystander = true);
	older(90);
	PROCESS(.pid = 100, .ppid = 80, .pgrp = 100, .output = OUTPUT);
	fake_process(80)->pgrp = 100;
	fake_process(80)->bystander = fake_process(100)->bystander = false;
	fake_end(100);
	nskill(100);
	assert_true(fake_is_alive(90));
	look();
	assert_holder(90, HOLDER_UNTOLD);
}

static void test_unasked(void **state)
{
	(void)state;
	unasked();
	leader();
	daemon_of(101);
	nskill(100);
	assert_true(fake_is_alive(101));
	assert_count(1);
	assert_holder(101, HOLDER_UNASKED);
}

static void test_not_looked_at(void **state)
{
	(void)state;
	unasked();
	run.orders.outputs = false;
	leader();
	daemon_of(101);
	nskill(100);
	assert_true(fake_is_alive(101));
	assert_int_equal(fake_calls(DOOR_FILES), 0);
}

static void test_planned(void **state)
{
	(void)state;
	leader();
	daemon_of(101);
	resolve(100);
	plan();
	assert_count(2);
	assert_holder(100, HOLDER_MEMBER);
	assert_holder(101, HOLDER_MEMBER);
}

static void test_guarded(void **state)
{
	(void)state;
	leader();
	fake_process(FAKE_SHELL)->output = OUTPUT;
	fake_process(FAKE_NSKILL)->writes = OUTPUT;
	fake_process(1)->output = OUTPUT;
	daemon_of(101);
	nskill(100);
	assert_false(fake_is_alive(101));
	assert_count(3);
	assert_holder(FAKE_SHELL, HOLDER_GUARD);
	assert_holder(FAKE_NSKILL, HOLDER_GUARD);
	assert_holder(1, HOLDER_GUARD);
}

/* From a member on all other rules hold. */
static void test_ties_of_members(void **state)
{
	(void)state;
	leader();
	daemon_of(101);
	PROCESS(.pid = 102, .pgrp = 101, .session = 101);
	PROCESS(.pid = 103, .ppid = 101, .pgrp = 103, .session = 103);
	nskill(100);
	assert_false(fake_is_alive(102));
	assert_false(fake_is_alive(103));
}

static void test_not_further(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .output = OUTPUT, .writes = OTHER);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .output = OTHER, .bystander = true);
	nskill(100);
	assert_false(fake_is_alive(101));
}

/* The same tick. */

static void test_same_tick(void **state)
{
	(void)state;
	PROCESS(.pid = 99, .pgrp = 99, .output = OUTPUT, .started = 300, .bystander = true);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .output = OUTPUT, .started = 300);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .output = OUTPUT, .started = 300);
	nskill(100);
	assert_false(fake_is_alive(101));
	assert_holder(99, HOLDER_UNTOLD);
}

static void test_same_tick_without_pidfs(void **state)
{
	(void)state;
	fake.pidfs = false;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .output = OUTPUT, .started = 300);
	PROCESS(.pid = 101, .pgrp = 101, .output = OUTPUT, .started = 300, .bystander = true);
	nskill(100);
	assert_holder(101, HOLDER_UNTOLD);
}

/* Between the look and the pin. */

static void let_go(void)
{
	fake_process(101)->output = 0;
}

static void test_let_go(void **state)
{
	(void)state;
	leader();
	daemon_of(101);
	fake_after(DOOR_FILES, 101, 1, let_go);
	nskill(100);
	assert_true(fake_is_alive(101));
	assert_int_equal(run.kill.victims[1]->fate, FATE_DOUBTFUL);
	assert_count(0);
}

static void stranger(void)
{
	fake_end(101);
	PROCESS(.pid = 101, .pgrp = 101, .started = fake_ticks(), .bystander = true);
}

static void test_reused(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .output = OUTPUT, .started = fake_ticks());
	fake_after(DOOR_FILES, 101, 1, stranger);
	nskill(100);
	assert_true(fake_is_alive(101));
}

static void writer_instead_of_101(void)
{
	fake_end(101);
	fake.last_pid = 100;
	PROCESS(.pid = 101, .pgrp = 101, .output = OUTPUT, .started = fake_ticks());
}

static void end_the_writer(void)
{
	fake_exit(101);
}

static void test_files_of_the_next(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .started = 301, .bystander = true);
	PROCESS(.pid = 102, .ppid = 101, .pgrp = 102, .started = 302, .bystander = true);
	fake_after(DOOR_SCAN_ALL, 0, 1, writer_instead_of_101);
	fake_after(DOOR_FILES, 101, 1, end_the_writer);
	nskill(100);
	assert_true(fake_is_alive(102));
}

/* A child that has let go of everything else, and has lost its parent, like that one before. */
static void hop(void)
{
	pid_t child = fake_fork(101);

	fake_setsid(child);
	fake_end(101);
}

static void test_newcomer(void **state)
{
	(void)state;
	leader();
	daemon_of(101);
	fake_after(DOOR_SCAN_ALL, 0, 1, hop);
	nskill(100);
	assert_count(0);
	assert_int_equal(run.kill.looks, 2);
}

/* Dead targets. */

static void test_stand_ins(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .output = OUTPUT, .started = 295, .bystander = true);
	PROCESS(.pid = 101, .pgrp = 100, .session = 100, .output = OUTPUT, .started = 300);
	daemon_of(102);
	nskill(100);
	assert_false(fake_is_alive(101));
	assert_false(fake_is_alive(102));
	assert_holder(90, HOLDER_UNTOLD);
}

static void test_no_guarded_stand_in(void **state)
{
	(void)state;
	fake_process(FAKE_NSKILL)->pgrp = 100;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .output = OUTPUT, .bystander = true);
	daemon_of(102);
	nskill(100);
	assert_true(fake_is_alive(102));
	assert_int_equal(run.kill.claims[0].outputs, 0);
}

static void recorded(bool reused)
{
	struct identity identity = {
		.pid = 100,
		.start_ticks = 200,
		.outputs = { { .kind = STREAM_PIPE, .inode = OUTPUT, .fd = -1 } },
		.output_count = 1,
		.record = { .boot = FAKE_BOOT, .time = 250 },
	};

	PROCESS(.pid = 90, .pgrp = 90, .output = OUTPUT, .started = 200, .bystander = true);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .output = OUTPUT, .started = 201);
	/* Of the same tick the inodes tell, where there are any. */
	identity.inode = fake_process(90)->inode + 1;
	PROCESS(.pid = 103, .pgrp = 103, .session = 103, .output = OUTPUT, .started = 200,
		.inode = identity.inode + 1);
	if (reused)
		PROCESS(.pid = 100, .pgrp = 100, .output = OTHER, .bystander = true);
	resolve_identity(&identity);
	plan();
	carry_out();
	assert_false(fake_is_alive(102));
	assert_false(fake_is_alive(103));
	assert_count(1);
}

static void test_recorded(void **state)
{
	(void)state;
	recorded(false);
}

static void test_recorded_and_reused(void **state)
{
	(void)state;
	recorded(true);
}

static void test_reused_before_the_look(void **state)
{
	(void)state;
	leader();
	resolve(100);
	fake_end(100);
	PROCESS(.pid = 100, .pgrp = 100, .output = OTHER, .bystander = true);
	PROCESS(.pid = 101, .pgrp = 101, .output = OTHER, .bystander = true);
	plan();
	carry_out();
	assert_int_equal(run.kill.claims[0].outputs, 0);
}

static void test_undated(void **state)
{
	struct identity identity = {
		.pid = 100,
		.start_ticks = 200,
		.outputs = { { .kind = STREAM_PIPE, .inode = OUTPUT, .fd = -1 } },
		.output_count = 1,
	};

	(void)state;
	PROCESS(.pid = 102, .pgrp = 102, .output = OUTPUT, .started = 201, .bystander = true);
	resolve_identity(&identity);
	plan();
	carry_out();
	assert_int_equal(run.kill.claims[0].outputs, 0);
}

static void test_remembered(void **state)
{
	struct identity identity;

	(void)state;
	leader();
	resolve(100);
	plan();
	assert_int_equal(remember(&identity, &run.targets[0], &run.kill, &run.error), 0);
	assert_int_equal(identity.output_count, 1);
	assert_int_equal(identity.outputs[0].inode, OUTPUT);
}

static void test_on_exit(void **state)
{
	const struct numbers since = { .forks = 1, .in_use = 10, .last = 0, .max = 32768 };

	(void)state;
	leader();
	daemon_of(101);
	resolve(100);
	plan();
	fake_end(100);
	assert_int_equal(kill_plan_again(&run.kill, fake.now + NS_PER_SECOND, &since, &run.error),
			 0);
	carry_out();
	assert_false(fake_is_alive(101));
}

/* Terminals. */

static void assert_barred(enum spared_reason reason, pid_t who)
{
	const struct claim *claim = &run.kill.claims[0];

	assert_true(fake_is_alive(101));
	assert_true(claim->spared_count > 0);
	assert_int_equal(claim->spared[0].scope.kind, SCOPE_IO);
	assert_int_equal(claim->spared[0].reason, reason);
	assert_int_equal(claim->spared[0].who.pid, who);
	assert_holder(101, HOLDER_TERMINAL);
}

static void test_terminal(void **state)
{
	(void)state;
	fake.stream_kind = STREAM_TERMINAL;
	leader();
	daemon_of(101);
	nskill(100);
	assert_false(fake_is_alive(101));
}

static void test_terminal_of_nskill(void **state)
{
	(void)state;
	fake.stream_kind = STREAM_TERMINAL;
	leader();
	daemon_of(101);
	fake_process(FAKE_NSKILL)->output = OUTPUT;
	nskill(100);
	assert_barred(SPARED_GUARD, FAKE_NSKILL);
	for (size_t i = 0; i < run.holders.count; i++)
		assert_true(run.holders.list[i].shared);
}

static void test_terminal_of_older(void **state)
{
	(void)state;
	fake.stream_kind = STREAM_TERMINAL;
	older(90);
	leader();
	daemon_of(101);
	nskill(100);
	assert_barred(SPARED_OLDER, 90);
	for (size_t i = 0; i < run.holders.count; i++)
		assert_false(run.holders.list[i].shared);
}

/* He may hold it as /dev/tty, or where his files may not be looked at. */
static void test_terminal_that_older_is_on(void **state)
{
	(void)state;
	fake.stream_kind = STREAM_TERMINAL;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .terminal = OUTPUT, .bystander = true);
	leader();
	daemon_of(101);
	nskill(100);
	assert_barred(SPARED_OLDER, 90);
	assert_true(fake_is_alive(101));
}

static void test_terminal_of_older_unasked(void **state)
{
	(void)state;
	unasked();
	fake.stream_kind = STREAM_TERMINAL;
	older(90);
	leader();
	daemon_of(101);
	nskill(100);
	assert_true(fake_is_alive(101));
	assert_holder(90, HOLDER_OLDER);
	assert_holder(101, HOLDER_TERMINAL);
}

static void end_90(void)
{
	fake_end(90);
}

static void test_terminal_of_older_who_ends(void **state)
{
	(void)state;
	fake.stream_kind = STREAM_TERMINAL;
	older(90);
	leader();
	daemon_of(101);
	fake_after(DOOR_SIGNAL, 100, 1, end_90);
	nskill(100);
	assert_barred(SPARED_OLDER, 0);
}

/* What cannot be seen. */

static void test_closed(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .output = OUTPUT, .closed = true, .bystander = true);
	nskill(100);
	assert_int_equal(run.kill.unread_files, 1);
	assert_false(run.kill.claims[0].untold);
	assert_count(0);
}

static void test_closed_target(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .output = OUTPUT, .closed = true);
	daemon_of(101);
	nskill(100);
	assert_true(fake_is_alive(101));
	assert_true(run.kill.claims[0].untold);
}

static void test_too_many(void **state)
{
	(void)state;
	for (pid_t pid = 101; pid <= 101 + STREAMS_MAX; pid++)
		PROCESS(.pid = pid, .pgrp = 100, .session = 100, .output = (uint64_t)pid);
	nskill(100);
	assert_true(run.kill.claims[0].untold);
	assert_int_equal(run.kill.streams.count, STREAMS_MAX);
}

static void test_denied(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .output = OUTPUT, .denied = EPERM);
	nskill(100);
	assert_holder(101, HOLDER_DENIED);
}

static void test_unkillable(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .output = OUTPUT, .unkillable = true);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_holder(101, HOLDER_ALIVE);
	fake_process(101)->unkillable = false;
}

static void born_later(void)
{
	PROCESS(.pid = 190, .pgrp = 190, .output = OUTPUT);
}

static void test_new(void **state)
{
	(void)state;
	leader();
	nskill(100);
	born_later();
	assert_holder(190, HOLDER_NEW);
}

static void test_two_targets(void **state)
{
	(void)state;
	unasked();
	leader();
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .output = OTHER);
	PROCESS(.pid = 120, .pgrp = 120, .session = 120, .output = OTHER, .writes = OUTPUT);
	PROCESS(.pid = 121, .pgrp = 121, .session = 121, .output = OTHER);
	resolve(100);
	nskill(110);
	look();
	assert_int_equal(run.holders.count, 3);
	assert_int_equal(run.holders.list[0].process.pid, 120);
	assert_int_equal(run.holders.list[0].target, 0);
	assert_int_equal(run.holders.list[1].process.pid, 120);
	assert_int_equal(run.holders.list[1].target, 1);
	assert_int_equal(run.holders.list[2].process.pid, 121);
}

static void test_dead_holder(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .pgrp = 101, .output = OUTPUT, .state = 'Z');
	PROCESS(.pid = 3, .ppid = 2, .kernel_thread = true, .output = OUTPUT);
	nskill(100);
	assert_count(0);
}

/* The file that named the target may name only processes of its owner. */
static void test_left(void **state)
{
	struct identity identity = { .pid = 100, .owned = true, .owner = 1000 };

	(void)state;
	leader();
	fake_process(100)->user = fake_process(100)->saved_user = 1000;
	daemon_of(101);
	fake_process(101)->bystander = true;
	resolve_identity(&identity);
	plan();
	carry_out();
	assert_count(1);
	assert_holder(101, HOLDER_LEFT);
}

static void test_unlisted(void **state)
{
	(void)state;
	run.orders.ask = true;
	leader();
	daemon_of(101);
	fake_process(101)->output = 0;
	fake_process(101)->bystander = true;
	resolve(100);
	plan();
	assert_int_equal(kill_show(&run.kill, &run.error), 0);
	fake_process(101)->output = OUTPUT;
	fake.now += NS_PER_SECOND;
	assert_int_equal(kill_resume(&run.kill, fake.now + 10 * NS_PER_SECOND, &run.error), 0);
	carry_out();
	assert_count(1);
	assert_holder(101, HOLDER_UNLISTED);
}

static void stranger_with_output(void)
{
	fake_end(101);
	PROCESS(.pid = 101, .ppid = FAKE_SHELL, .started = fake_ticks(), .output = OUTPUT,
		.bystander = true);
}

/* What tied it has ended, and its number and start are those of somebody else, too. */
static void test_doubtful(void **state)
{
	(void)state;
	fake.group_signal = false;
	unasked();
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_with_output);
	nskill(100);
	assert_int_equal(run.kill.victims[1]->fate, FATE_DOUBTFUL);
	assert_holder(101, HOLDER_DOUBTFUL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("nobody is younger than one whose group an older one can have joined",
		     test_guest_of_group),
		TEST("who writes to the target's output and is younger is taken, older ones live",
		     test_taken),
		TEST("by default they live and are named", test_unasked),
		TEST("nobody's files are looked at when nothing asks for it", test_not_looked_at),
		TEST("before the kill members are told as such", test_planned),
		TEST("who is guarded is named", test_guarded),
		TEST("from a member on all other rules hold", test_ties_of_members),
		TEST("what else a member writes to is not followed", test_not_further),
		TEST("in the tick of the target's birth the inode tells", test_same_tick),
		TEST("without inodes nobody of that tick is taken", test_same_tick_without_pidfs),
		TEST("who lets go before it is pinned is left and named", test_let_go),
		TEST("a stranger with a member's PID and start tick lives", test_reused),
		TEST("nobody is taken for what the next who bears his number writes to",
		     test_files_of_the_next),
		TEST("a newcomer that drops all but the output is found", test_newcomer),
		TEST("stand-ins tell the output, and none that may be older is taken",
		     test_stand_ins),
		TEST("nobody stands in who shares a group with nskill", test_no_guarded_stand_in),
		TEST("a record tells the output", test_recorded),
		TEST("and so when the number is another's by now", test_recorded_and_reused),
		TEST("who bears its number before the look does not stand in",
		     test_reused_before_the_look),
		TEST("what may be of another boot tells no output", test_undated),
		TEST("a record is told the output", test_remembered),
		TEST("who writes to it is taken when the target has ended by itself", test_on_exit),
		TEST("a terminal is an output", test_terminal),
		TEST("one that nskill holds is not followed", test_terminal_of_nskill),
		TEST("one that an older process holds is not followed", test_terminal_of_older),
		TEST("nor one that controls an older process", test_terminal_that_older_is_on),
		TEST("nor is it said to be, where it was not asked for",
		     test_terminal_of_older_unasked),
		TEST("nor when that ends meanwhile", test_terminal_of_older_who_ends),
		TEST("whose files may not be looked at is counted", test_closed),
		TEST("that the target's own may not is known", test_closed_target),
		TEST("more outputs than there are bits are told of", test_too_many),
		TEST("who may not be signalled is named as such", test_denied),
		TEST("who does not end is named as such", test_unkillable),
		TEST("who comes at the end is named as such", test_new),
		TEST("who is another user's than the file is named as such", test_left),
		TEST("who joined after the list was shown is named as such", test_unlisted),
		TEST("who may be another by now is named as such", test_doubtful),
		TEST("of two targets each has its holders", test_two_targets),
		TEST("the dead and kernel threads hold nothing", test_dead_holder),
	};

	return cmocka_run_group_tests_name("holders", tests, NULL, NULL);
}
