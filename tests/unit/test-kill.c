/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kill, on the fake system: who gets which signal, in which order, whatever happens between. */
#include "config.h"

#include "../fake/system.h"
#include "kinds.h"

#include "core/kill.h"
#include "core/target.h"
#include "core/unreaped.h"
#include "linux/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, NULL, NULL                                             \
	}
#define CONTAINER UINT64_C(501)
#define SANDBOX	  UINT64_C(502)
#define S	  NS_PER_SECOND
#define MS	  FAKE_MS
#define SCRIPT	  60 /* leads a group and a session that others can be guests of */

static struct {
	struct target targets[4];
	struct kill_orders orders;
	struct kill kill;
	struct error error;
	uint64_t began;
} run;

static int set_up(void **state)
{
	fake_reset();
	fake.namespace_kind = tested_kind(state);
	memset(&run, 0, sizeof(run));
	run.kill.watch = WATCH_NULL;
	run.began = fake.now;
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.targets = run.targets,
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT | SCOPE_BIT(fake.namespace_kind) },
		.signal = SIGKILL,
		.deadline = fake.now + 10 * S,
	};
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

/* The end of a run, and whether nothing happened in it that must not. */
static void finish(void)
{
	kill_clear(&run.kill);
	for (size_t i = 0; i < run.orders.target_count; i++)
		target_close(&run.targets[i]);
	fake_check();
}

static void finish_with(const char *log)
{
	assert_string_equal(fake_log(), log);
	finish();
}

static void assert_elapsed(uint64_t ns)
{
	assert_int_equal(fake.now - run.began, ns);
}

static const struct victim *victim(pid_t pid)
{
	for (size_t i = 0; i < run.kill.victim_count; i++)
		if (run.kill.victims[i]->process.pid == pid)
			return run.kill.victims[i];
	fail_msg("%d is on no list", pid);
	return NULL;
}

static void assert_fate(pid_t pid, enum fate fate)
{
	assert_int_equal(victim(pid)->fate, fate);
}

/* Shapes. A target is 100. */

static void leader(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100);
}

static void container(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
}

/* A target that descent alone ties its children to. */
static void guest(void)
{
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .bystander = true);
	PROCESS(.pid = 100, .ppid = SCRIPT);
	fake_process(100)->bystander = false;
}

/* One that leads another group and session than its parent. */
static void daemon_of(pid_t parent, pid_t pid)
{
	PROCESS(.pid = pid, .ppid = parent, .pgrp = pid, .session = pid);
}

/* Somebody of the target's session, that is not its child. */
static void of_session(pid_t pid)
{
	PROCESS(.pid = pid, .pgrp = pid, .session = 100);
}

static void bystander(pid_t pid)
{
	PROCESS(.pid = pid, .pgrp = pid, .session = pid, .bystander = true);
}

/* Order. */

static void test_order(void **state)
{
	(void)state;
	fake.group_signal = false;
	PROCESS(.pid = 150, .pgrp = 150, .session = 150, .started = 90);
	PROCESS(.pid = 120, .pgrp = 120, .session = 150, .started = 80);
	PROCESS(.pid = 110, .pgrp = 110, .session = 150, .started = 80);
	PROCESS(.pid = 130, .pgrp = 130, .session = 150, .started = 70);
	PROCESS(.pid = 140, .ppid = 150, .started = 100);
	nskill(150);
	finish_with("150 KILL\n130 KILL\n110 KILL\n120 KILL\n140 KILL\n");
}

static void test_order_of_targets(void **state)
{
	(void)state;
	fake.group_signal = false;
	daemon_of(1, 100);
	daemon_of(1, 101);
	PROCESS(.pid = 102, .ppid = 100);
	resolve(101);
	resolve(100);
	plan();
	carry_out();
	finish_with("101 KILL\n100 KILL\n102 KILL\n");
}

static void test_target_of_target(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .ppid = 100);
	resolve(100);
	resolve(102);
	plan();
	assert_int_equal(run.kill.victim_count, 3);
	assert_int_equal(run.kill.victims[0]->process.pid, 100);
	assert_int_equal(run.kill.victims[1]->process.pid, 102);
	assert_int_equal(run.kill.victims[2]->process.pid, 101);
	carry_out();
	for (pid_t pid = 100; pid <= 102; pid++)
		assert_false(fake_is_alive(pid));
	finish();
}

static void test_target_twice(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	resolve(100);
	resolve(100);
	plan();
	assert_int_equal(run.kill.victim_count, 1);
	carry_out();
	finish_with("100 KILL\n");
}

static void test_plan_signals_nobody(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	resolve(100);
	plan();
	assert_int_equal(run.kill.victim_count, 2);
	assert_fate(101, FATE_LISTED);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 0);
	finish_with("");
}

static void test_foreseen(void **state)
{
	unsigned probes;

	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .user = 1000, .denied = EPERM);
	PROCESS(.pid = 102, .ppid = 100, .user = 1000);
	PROCESS(.pid = 103, .ppid = 100, .denied = EPERM);
	resolve(100);
	plan();
	probes = fake_calls(DOOR_PROBE);
	kill_foresee(&run.kill);
	assert_int_equal(fake_calls(DOOR_PROBE), probes + 2);
	assert_int_equal(victim(101)->error, EPERM);
	assert_int_equal(victim(102)->error, 0);
	assert_int_equal(victim(103)->error, 0);
	assert_fate(101, FATE_LISTED);
	finish_with("");
}

/* It has his effective user, and not the real one, which the kernel asks for. */
static void test_foreseen_by_a_user(void **state)
{
	(void)state;
	fake_process(FAKE_NSKILL)->user = 1000;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .user = 1000, .denied = EPERM);
	PROCESS(.pid = 102, .ppid = 100, .user = 1000);
	resolve(100);
	plan();
	kill_foresee(&run.kill);
	assert_int_equal(victim(101)->error, EPERM);
	assert_int_equal(victim(102)->error, 0);
	assert_int_equal(kill_signallable(&run.kill), 2);
	assert_int_equal(kill_listed(&run.kill), 3);
	finish_with("");
}

static void test_ended(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	bystander(102);
	nskill(100);
	assert_fate(100, FATE_ENDED);
	assert_fate(101, FATE_ENDED);
	assert_false(run.kill.timed_out);
	assert_elapsed(0);
	finish();
	assert_true(fake_is_alive(102));
}

static void test_waits_for_the_end(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .dying = 3 * S);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	assert_elapsed(3 * S);
	finish();
}

/* Groups as a whole. */

static void test_group_first(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	nskill(100);
	finish_with("group 100 KILL\n100 KILL\n101 KILL\n");
}

/* Who has joined a group leads none, and there is nothing to be struck through him. */
static void test_group_by_its_leader_alone(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .ppid = 101);
	nskill(100);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 1);
	finish();
}

static void test_every_group_that_fell(void **state)
{
	(void)state;
	leader();
	of_session(101);
	PROCESS(.pid = 102, .ppid = 101);
	nskill(100);
	finish_with("group 100 KILL\ngroup 101 KILL\n100 KILL\n101 KILL\n102 KILL\n");
}

static void test_no_group_signal(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	of_session(101);
	nskill(100);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 1);
	finish_with("100 KILL\n101 KILL\n");
}

static void born_with_a_chosen_number(void)
{
	of_session(90);
}

static void test_no_group_signal_again(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_with_a_chosen_number);
	nskill(100);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 1);
	finish_with("100 KILL\n90 KILL\n");
}

static void test_group_that_did_not_fall(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = SCRIPT);
	nskill(100);
	finish_with("100 STOP\n100 KILL\n");
}

static void test_group_unasked(void **state)
{
	(void)state;
	run.orders.rules.kinds &= ~SCOPE_BIT(SCOPE_PGRP);
	leader();
	nskill(100);
	finish_with("100 KILL\n");
}

static void test_group_guarded(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	fake_process(FAKE_NSKILL)->pgrp = 100;
	nskill(100);
	finish_with("100 KILL\n101 KILL\n");
}

static void test_group_term(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	nskill(100);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 0);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_group_of_zombie_target(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .session = 100, .state = 'Z');
	PROCESS(.pid = 101, .pgrp = 100, .session = 100);
	nskill(100);
	finish_with("group 100 KILL\n101 KILL\n");
}

static void reap_100(void)
{
	fake_reap(100);
}

static void test_group_of_target_reaped_since(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .session = 100, .state = 'Z');
	PROCESS(.pid = 101, .pgrp = 100, .session = 100);
	fake_after(DOOR_SCAN_ALL, 0, 1, reap_100);
	nskill(100);
	finish_with("group 100 KILL\n101 KILL\n");
}

static void test_group_of_gone_target(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101);
	nskill(100);
	finish_with("101 KILL\n");
}

static void test_group_reached_in_part(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	nskill(100);
	assert_fate(100, FATE_ENDED);
	assert_fate(101, FATE_DENIED);
	finish_with("group 100 KILL\n100 KILL\n101 KILL EPERM\n");
}

/* Cgroups as a whole. */

static const struct cgroup cgroup_root = { .id = 1, .path = "/" };
static const struct cgroup cgroup_job = { .id = 57, .parent = &cgroup_root, .path = "/job" };
static const struct cgroup cgroup_part = { .id = 58, .parent = &cgroup_job, .path = "/job/part" };
static const struct cgroup cgroup_jobs = { .id = 60, .parent = &cgroup_root, .path = "/jobs" };

static char struck[32];

static void note_struck(void *data, const struct kill_notice *notice)
{
	(void)data;
	if (notice->event == EVENT_CGROUP)
		snprintf(struck, sizeof(struck), "%s %d", notice->scope.cgroup->path,
			 notice->victim->process.pid);
}

/* A target, and a daemon that its cgroup alone ties to it. */
static void cgroup_of_two(void)
{
	struck[0] = '\0';
	run.orders.notify = note_struck;
	run.orders.rules.kinds |= SCOPE_BIT(SCOPE_CGROUP);
	fake.group_signal = false;
	fake_process(FAKE_NSKILL)->cgroup = &cgroup_root;
	fake_process(FAKE_SHELL)->cgroup = &cgroup_root;
	fake_process(1)->cgroup = &cgroup_root;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .cgroup = &cgroup_job);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .cgroup = &cgroup_part);
}

static void test_cgroup(void **state)
{
	(void)state;
	cgroup_of_two();
	bystander(102);
	nskill(100);
	assert_string_equal(struck, "/job 100");
	finish_with("cgroup /job KILL\n100 KILL\n101 KILL\n");
}

static void test_cgroup_unasked(void **state)
{
	(void)state;
	cgroup_of_two();
	run.orders.rules.kinds = SCOPE_DEFAULT;
	fake_process(101)->bystander = true;
	nskill(100);
	assert_int_equal(fake_calls(DOOR_CGROUP_OPEN), 0);
	finish_with("100 KILL\n");
}

static void test_cgroup_missing(void **state)
{
	(void)state;
	cgroup_of_two();
	fake.cgroup_kill_error = ENOENT;
	nskill(100);
	assert_string_equal(struck, "");
	finish_with("100 KILL\n101 KILL\n");
}

static void test_cgroup_denied(void **state)
{
	(void)state;
	cgroup_of_two();
	fake.cgroup_kill_error = EACCES;
	nskill(100);
	finish_with("100 KILL\n101 KILL\n");
}

/* Who may not be signalled one by one can be reached so, and has ended then. */
static void test_cgroup_of_other_users(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_process(101)->denied = EPERM;
	nskill(100);
	assert_false(fake_is_alive(101));
	finish_with("cgroup /job KILL\n100 KILL\n101 KILL EPERM\n");
}

static void test_cgroup_term(void **state)
{
	(void)state;
	cgroup_of_two();
	run.orders.signal = SIGTERM;
	nskill(100);
	assert_int_equal(fake_calls(DOOR_CGROUP_OPEN), 0);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
}

static void test_cgroup_escalated(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_process(101)->ignores = true;
	run.orders.signal = SIGTERM;
	run.orders.kill_after = S;
	nskill(100);
	assert_string_equal(struck, "/job 101");
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\ncgroup /job KILL\n101 KILL\n");
}

static void nskill_comes_in(void)
{
	fake_process(FAKE_NSKILL)->cgroup = &cgroup_part;
}

static void test_cgroup_nskill_comes(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_after(DOOR_CGROUP_OPEN, 0, 1, nskill_comes_in);
	nskill(100);
	assert_string_equal(struck, "");
	finish_with("100 KILL\n101 KILL\n");
}

static void hidden_comes_in(void)
{
	PROCESS(.pid = 200, .bystander = true, .hidden = true, .cgroup = &cgroup_job);
}

static void test_cgroup_hidden(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_after(DOOR_CGROUP_OPEN, 0, 1, hidden_comes_in);
	nskill(100);
	finish_with("100 KILL\n101 KILL\n");
}

static void passer_by_comes(void)
{
	PROCESS(.pid = 200, .bystander = true, .cgroup = &cgroup_job);
}

static void passer_by_goes(void)
{
	fake_process(200)->cgroup = &cgroup_jobs;
}

static void test_cgroup_passer_by(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_after(DOOR_CGROUP_OPEN, 0, 1, passer_by_comes);
	fake_after(DOOR_CGROUP_LIST, 0, 1, passer_by_goes);
	nskill(100);
	assert_true(fake_is_alive(200));
	finish_with("100 KILL\n101 KILL\n");
}

/* Its last child has no parent and no group any more, and was born at the last moment. */
static void fork_from_101(void)
{
	const pid_t child = fake_fork(101);

	fake_process(child)->ppid = 1;
	fake_setsid(child);
}

static void test_cgroup_newborn(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_after(DOOR_CGROUP_OPEN, 0, 1, fork_from_101);
	nskill(100);
	finish_with("cgroup /job KILL\n100 KILL\n101 KILL\n");
}

static void test_cgroup_chase(void **state)
{
	(void)state;
	cgroup_of_two();
	fake.cgroup_kill_error = ENOENT;
	fake_after(DOOR_CGROUP_OPEN, 0, 1, fork_from_101);
	nskill(100);
	assert_int_equal(run.kill.victim_count, 2); /* struck before it was read in full */
	finish_with("100 KILL\n101 KILL\n102 KILL\n");
}

static void move_102_in(void)
{
	fake_process(102)->cgroup = &cgroup_part;
}

static void test_cgroup_moved_in(void **state)
{
	(void)state;
	cgroup_of_two();
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .cgroup = &cgroup_jobs);
	fake_after(DOOR_CGROUP_KILL, 0, 1, move_102_in);
	nskill(100);
	assert_fate(102, FATE_ENDED);
	finish_with("cgroup /job KILL\n100 KILL\n101 KILL\ncgroup /job KILL\n102 KILL\n");
}

static void move_101_out(void)
{
	fake_process(101)->cgroup = &cgroup_root;
}

static void test_cgroup_moved_out(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_after(DOOR_SCAN_ALL, 0, 1, move_101_out);
	nskill(100);
	finish_with("cgroup /job KILL\n100 KILL\n101 KILL\n");
}

static void test_cgroup_shared(void **state)
{
	(void)state;
	cgroup_of_two();
	PROCESS(.pid = 99, .pgrp = 99, .session = 99, .started = 10, .cgroup = &cgroup_job,
		.bystander = true);
	fake_process(101)->bystander = true;
	nskill(100);
	assert_int_equal(fake_calls(DOOR_CGROUP_OPEN), 0);
	finish_with("100 KILL\n");
}

static void test_cgroup_stand_in(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_process(101)->pgrp = 100;
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .cgroup = &cgroup_part);
	fake_end(100);
	nskill(100);
	assert_string_equal(struck, "/job/part 101");
	finish_with("cgroup /job/part KILL\n101 KILL\n102 KILL\n");
}

/* Between the look and the signal. */

static void stranger_instead_of_101(const struct fake_process *stranger)
{
	struct fake_process process = *stranger;

	fake_end(101);
	process.pid = 101;
	process.started = fake_ticks();
	process.bystander = true;
	fake_add(&process);
}

static void stranger_in_shell_group(void)
{
	stranger_instead_of_101(&(struct fake_process){ .ppid = FAKE_SHELL });
}

static void ordinary_in_shell_group(void)
{
	stranger_in_shell_group();
	fake_process(101)->bystander = false;
}

static void stranger_who_leads(void)
{
	stranger_instead_of_101(&(struct fake_process){ .pgrp = 101, .session = 101 });
}

static void test_reuse_in_one_tick(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_in_shell_group);
	nskill(100);
	assert_fate(101, FATE_DOUBTFUL);
	finish_with("100 KILL\n");
	assert_true(fake_is_alive(101));
}

static void end_101(void)
{
	fake_end(101);
}

static void test_reuse_in_one_tick_and_end(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, ordinary_in_shell_group);
	fake_after(DOOR_SCAN_PROCESS, 101, 1, end_101);
	nskill(100);
	assert_fate(101, FATE_VANISHED);
	finish_with("100 KILL\n");
}

static void test_reuse_by_leader_in_one_tick(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_who_leads);
	nskill(100);
	assert_fate(101, FATE_DOUBTFUL);
	finish_with("100 KILL\n");
	assert_true(fake_is_alive(101));
}

static void test_reuse_later(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_in_shell_group);
	nskill(100);
	finish_with("100 KILL\n");
	assert_true(fake_is_alive(101));
}

static void test_reuse_after_pin(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SCAN_PROCESS, 101, 1, stranger_in_shell_group);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	assert_int_equal(victim(101)->error, 0);
	finish_with("100 KILL\n");
	assert_true(fake_is_alive(101));
}

static void test_reuse_without_pidfs(void **state)
{
	(void)state;
	fake.pidfs = false;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_in_shell_group);
	nskill(100);
	finish_with("100 KILL\n");
	assert_true(fake_is_alive(101));
}

/* The number of 101 goes round: it is given away while nskill waits for the last to die. */
static void numbers_go_round(void)
{
	stranger_who_leads();
	fake.pid_max = 300;
	fake.last_pid = 101;
}

static void test_reuse_during_the_chase(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	bystander(110);
	fake_after(DOOR_SIGNAL, 101, 1, numbers_go_round);
	nskill(100);
	finish_with("100 KILL\n101 KILL\n");
	assert_true(fake_is_alive(101));
}

static void test_reuse_during_the_chase_of_term(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	bystander(110);
	fake_after(DOOR_SIGNAL, 101, 2, numbers_go_round);
	nskill(100);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
	assert_true(fake_is_alive(101));
}

static void stranger_with_child(void)
{
	stranger_in_shell_group();
	PROCESS(.pid = 90, .ppid = 101, .started = fake_ticks());
}

static void test_reuse_after_the_kill(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	fake_after(DOOR_SIGNAL, 101, 1, stranger_with_child);
	nskill(100);
	finish_with("100 KILL\n101 KILL\n");
	assert_true(fake_is_alive(90));
}

static void stranger_instead_of_zombie_101(void)
{
	fake_reap(101);
	PROCESS(.pid = 101, .ppid = FAKE_SHELL, .started = fake_ticks(), .bystander = true);
}

static void test_reuse_of_a_zombie_in_one_tick(void **state)
{
	(void)state;
	fake.pidfs = fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .state = 'Z', .started = fake_ticks());
	fake_process(100)->dying = S;
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_instead_of_zombie_101);
	nskill(100);
	assert_true(fake_is_alive(101));
	finish();
}

/* Nobody is in the target's group and session any more, so that its number is free. */
static void stranger_takes_the_number_of_100(void)
{
	fake.last_pid = 99;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = fake_ticks(),
		.bystander = true);
}

static void test_reuse_of_what_all_took(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	fake.group_signal = false;
	fake.pid_max = 400;
	leader();
	daemon_of(100, 101);
	fake_process(101)->dying = S;
	fake_in(S / 2, stranger_takes_the_number_of_100);
	nskill(100);
	assert_true(fake_is_alive(100));
	finish_with("100 KILL\n101 KILL\n");
}

/* The numbers have gone round. */
static void stranger_leads_and_leaves_group_301(void)
{
	fake.last_pid = 300;
	assert_int_equal(fake_fork(FAKE_SHELL), 301);
	fake_process(301)->bystander = true;
	fake_setsid(301);
	assert_int_equal(fake_fork(301), 302);
	fake_end(301);
}

/* And nobody has seen it. */
static void group_301_is_left_by_a_stranger(void)
{
	fake_end(301);
	stranger_leads_and_leaves_group_301();
}

static void group_301_and_numbers(void)
{
	fake.group_signal = false;
	fake.pid_max = 400;
	leader();
	daemon_of(100, 301);
	fake.last_pid = 310;
}

static void assert_302_is_left_in_doubt(void)
{
	assert_fate(302, FATE_DOUBTFUL);
	finish();
	assert_true(fake_is_alive(302));
}

/* Whoever bears the number when its group is to be held is not the one who was pinned. */
static void test_number_of_another_held(void **state)
{
	(void)state;
	group_301_and_numbers();
	fake_after(DOOR_SCAN_PROCESS, 301, 1, group_301_is_left_by_a_stranger);
	nskill(100);
	assert_302_is_left_in_doubt();
}

static void hidden_one_takes_301(void)
{
	fake_end(301);
	PROCESS(.pid = 301, .pgrp = 301, .session = 301, .started = fake_ticks(), .hidden = true,
		.bystander = true);
	fake.last_pid = 310;
	assert_int_equal(fake_fork(301), 311);
}

static void test_number_of_a_hidden_one(void **state)
{
	(void)state;
	fake.empty_groups = false;
	fake.handles = false;
	group_301_and_numbers();
	fake_after(DOOR_SIGNAL, 301, 1, hidden_one_takes_301);
	nskill(100);
	finish_with("100 KILL\n301 KILL\n");
	assert_true(fake_is_alive(311));
}

static void test_number_passed(void **state)
{
	(void)state;
	group_301_and_numbers();
	fake_after(DOOR_SCAN_ALL, 0, 1, group_301_is_left_by_a_stranger);
	nskill(100);
	assert_302_is_left_in_doubt();
}

static void end_302_of_a_child(void)
{
	fake_fork(302);
	fake_end(302);
}

static void when_the_newcomers_have_been_counted(void)
{
	fake_after(DOOR_LAST_PID, 0, 1, end_302_of_a_child);
}

/* Nothing holds it, so that only /proc tells of its end. */
static void test_who_is_in_doubt_ends_after_the_last_look(void **state)
{
	(void)state;
	group_301_and_numbers();
	fake_after(DOOR_SCAN_ALL, 0, 1, group_301_is_left_by_a_stranger);
	fake_after(DOOR_SCAN_ALL, 0, 2, when_the_newcomers_have_been_counted);
	nskill(100);
	assert_fate(302, FATE_ENDED);
	assert_fate(303, FATE_DOUBTFUL);
	finish();
}

/* As young as the look, but born before the last number was asked for. */
static void test_number_of_the_young_passed(void **state)
{
	(void)state;
	group_301_and_numbers();
	fake_process(301)->started = fake_ticks();
	fake_after(DOOR_LAST_PID, 0, 1, group_301_is_left_by_a_stranger);
	nskill(100);
	assert_302_is_left_in_doubt();
}

static void test_number_passed_when_time_is_up(void **state)
{
	(void)state;
	run.orders.deadline = fake.now;
	group_301_and_numbers();
	fake_after(DOOR_SCAN_ALL, 0, 1, group_301_is_left_by_a_stranger);
	nskill(100);
	assert_302_is_left_in_doubt();
}

static void fork_301(void)
{
	fake.last_pid = 300;
	assert_int_equal(fake_fork(100), 301);
	fake_setsid(301);
	fake.last_pid = 303;
}

/* Found by one round of the chase, and ended before the next, in the tick of the look. */
static void number_of_a_newcomer_is_passed(void)
{
	fake.group_signal = false;
	fake.pid_max = 400;
	leader();
	fake.last_pid = 310;
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_301);
	fake_after(DOOR_STOPPED, 301, 1, group_301_is_left_by_a_stranger);
	nskill(100);
}

static void test_number_of_a_newcomer_passed(void **state)
{
	(void)state;
	fake.empty_groups = false;
	number_of_a_newcomer_is_passed();
	assert_302_is_left_in_doubt();
}

static void test_stranger_in_a_group_that_was_held(void **state)
{
	(void)state;
	number_of_a_newcomer_is_passed();
	for (size_t i = 0; i < run.kill.victim_count; i++)
		assert_int_not_equal(run.kill.victims[i]->process.pid, 302);
	finish();
	assert_true(fake_is_alive(302));
}

/* What is left of a target, 301, that is gone. */
static void group_of_301(void)
{
	fake.pid_max = 400;
	PROCESS(.pid = 301, .pgrp = 301, .session = 301);
	PROCESS(.pid = 302, .ppid = 301);
	PROCESS(.pid = 304, .ppid = 301);
	fake_end(301);
	fake.last_pid = 310;
}

/* They fork and end while the numbers go round. */
static void group_of_301_hops(void)
{
	fake.last_pid = 300;
	assert_int_equal(fake_fork(302), 303);
	fake_end(302);
	fake_end(304);
}

static void test_number_passed_of_what_is_held(void **state)
{
	(void)state;
	group_of_301();
	fake_after(DOOR_SCAN_ALL, 0, 2, group_of_301_hops); /* the first is for who it was */
	nskill(301);
	assert_fate(303, FATE_ENDED);
	finish();
}

static void test_number_passed_of_what_cannot_be_held(void **state)
{
	(void)state;
	fake.empty_groups = false;
	group_of_301();
	fake_after(DOOR_SCAN_ALL, 0, 2, group_of_301_hops); /* the first is for who it was */
	nskill(301);
	assert_fate(303, FATE_DOUBTFUL);
	finish();
}

static void test_holds_make_way(void **state)
{
	(void)state;
	fake.pins = 2;
	group_of_301();
	fake_after(DOOR_PIN, 304, 2, group_of_301_hops);
	nskill(301);
	assert_fate(303, FATE_DOUBTFUL);
	finish();
}

/* The same of a session, whose members lead groups of their own. */
static void session_of_301_hops(void)
{
	fake_end(301);
	fake.last_pid = 300;
	assert_int_equal(fake_fork(302), 303);
	fake_process(303)->pgrp = 303;
	fake_end(302);
}

static void session_of_301(void)
{
	fake.pid_max = 400;
	PROCESS(.pid = 301, .pgrp = 301, .session = 301);
	PROCESS(.pid = 302, .pgrp = 302, .session = 301);
	fake.last_pid = 310;
	fake_after(DOOR_SCAN_ALL, 0, 1, session_of_301_hops);
	nskill(301);
}

static void test_number_passed_of_who_was_pinned(void **state)
{
	(void)state;
	session_of_301();
	assert_fate(303, FATE_ENDED);
	finish();
}

static void test_number_passed_of_a_session(void **state)
{
	(void)state;
	fake.handles = false;
	session_of_301();
	assert_fate(303, FATE_DOUBTFUL);
	finish();
}

/* Its leader had ended before, and was nobody of ours. */
static void test_number_passed_of_what_all_took(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	group_301_and_numbers();
	fake_process(301)->ppid = FAKE_SHELL;
	fake_process(100)->pgrp = fake_process(100)->session = 301;
	resolve(100);
	fake_exit(301);
	plan();
	fake_end(100);
	group_301_is_left_by_a_stranger();
	carry_out();
	assert_302_is_left_in_doubt();
}

/* The chase comes by it no more. */
static void and_to_one_with_a_chosen_number(void)
{
	stranger_leads_and_leaves_group_301();
	fake_end(302);
	PROCESS(.pid = 305, .pgrp = 301, .session = 301, .bystander = true);
	fake.last_pid = 302;
}

static void test_last_look_at_what_all_took(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	fake.empty_groups = false;
	group_301_and_numbers();
	fake_process(301)->ppid = FAKE_SHELL;
	fake_process(100)->pgrp = fake_process(100)->session = 301;
	fake_end(301);
	resolve(100);
	plan();
	fake_end(100);
	and_to_one_with_a_chosen_number();
	carry_out();
	assert_fate(305, FATE_DOUBTFUL);
	finish();
	assert_true(fake_is_alive(305));
}

static void group_100_is_left_by_a_stranger(void)
{
	stranger_takes_the_number_of_100();
	assert_int_equal(fake_fork(100), 101);
	fake_end(100);
}

static void test_stranger_in_the_group_of_who_was_reaped(void **state)
{
	for (int all = 0; all < 2; all++) {
		set_up(state);
		fake.group_signal = false;
		run.orders.rules.all = all;
		leader();
		resolve(100);
		fake_end(100);
		group_100_is_left_by_a_stranger();
		plan();
		carry_out();
		finish_with("");
		assert_true(fake_is_alive(101));
	}
}

static void test_stranger_in_a_later_group(void **state)
{
	(void)state;
	leader();
	fake_end(100);
	resolve(100);
	group_100_is_left_by_a_stranger();
	plan();
	carry_out();
	finish_with("");
	assert_true(fake_is_alive(101));
}

/* That keeps the group from falling, but those in it lead to the namespace all the same. */
static void test_stand_in_beside_nskill(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .ppid = 100, .pgrp = 102, .session = 102);
	fake_process(FAKE_NSKILL)->pgrp = 100;
	fake_process(FAKE_NSKILL)->session = 100;
	fake_end(100);
	resolve(100);
	plan();
	assert_non_null(victim(102));
	carry_out();
	assert_false(fake_is_alive(101) || fake_is_alive(102));
	finish();
}

static void group_301_is_borne_on(void)
{
	fake_end(301);
	fake.last_pid = 300;
	assert_int_equal(fake_fork(302), 303);
}

static void test_number_passed_over(void **state)
{
	(void)state;
	group_301_and_numbers();
	PROCESS(.pid = 302, .ppid = 301);
	fake_after(DOOR_SCAN_ALL, 0, 1, group_301_is_borne_on);
	nskill(100);
	assert_fate(303, FATE_ENDED);
	finish();
}

static void stand_in_304_unshares(void)
{
	fake_unshare(304);
}

/* No number has been handed out between the looks: 301 stays that of the target that is gone. */
static void test_no_number_passed(void **state)
{
	(void)state;
	fake.empty_groups = false;
	run.orders.rules.kinds = SCOPE_BIT(fake.namespace_kind);
	group_of_301();
	fake_join(302, CONTAINER);
	fake_after(DOOR_SCAN_ALL, 0, 2, stand_in_304_unshares); /* the first is for who it was */
	nskill(301);
	finish_with("302 KILL\n304 KILL\n");
}

static void orphan_101(void)
{
	fake_end(105);
}

static void test_reparented(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 105, .ppid = 100);
	daemon_of(105, 101);
	fake_after(DOOR_SCAN_ALL, 0, 1, orphan_101);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	assert_fate(105, FATE_VANISHED);
	finish();
}

static void test_reparented_to_subreaper(void **state)
{
	(void)state;
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .subreaper = true, .reaps = true);
	PROCESS(.pid = 100, .ppid = SCRIPT);
	daemon_of(100, 101);
	daemon_of(101, 102);
	nskill(100);
	assert_true(fake_is_alive(SCRIPT));
	assert_fate(102, FATE_ENDED);
	finish_with("100 STOP\n101 STOP\n102 STOP\ngroup 101 KILL\ngroup 102 KILL\n"
		    "100 KILL\n101 KILL\n102 KILL\n");
}

static void fork_100(void)
{
	if (fake_is_alive(100))
		fake_fork(100);
}

static void fork_101(void)
{
	fake_fork(101);
}

static void test_fork_after_the_look(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_101);
	nskill(100);
	assert_false(fake_is_alive(102));
	finish_with("100 STOP\n101 STOP\n102 STOP\n100 KILL\n101 KILL\n102 KILL\n");
}

static void fork_101_and_leave(void)
{
	pid_t child = fake_fork(101);

	fake_setsid(child);
}

static void test_fork_into_own_session(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	bystander(103);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_101_and_leave);
	nskill(100);
	assert_false(fake_is_alive(104));
	finish_with("100 STOP\n101 STOP\n104 STOP\n100 KILL\n101 KILL\n104 KILL\n");
}

static void fork_unpeekable_and_leave(void)
{
	pid_t child = fake_fork(100);

	fake_setsid(child);
	fake_process(child)->unpeekable = EPERM;
}

/* As with a security module that lets nobody ask for its group. */
static void test_newcomer_not_to_be_peeked_at(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_unpeekable_and_leave);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void bystander_forks(void)
{
	fake_fork(103);
	PROCESS(.pid = fake.last_pid + 1, .ppid = 103, .tgid = 103);
}

static void test_newcomer_bystander(void **state)
{
	static const int errors[] = { EINVAL, ENOENT };

	for (size_t i = 0; i < 2; i++) {
		set_up(state);
		fake.thread_error = errors[i];
		container();
		bystander(103);
		fake_after(DOOR_SCAN_ALL, 0, 1, bystander_forks);
		nskill(100);
		assert_int_equal(run.kill.unread, 0);
		finish_with("group 100 KILL\n100 KILL\n");
		assert_true(fake_is_alive(104));
	}
}

static void fork_across_the_end_of_numbers(void)
{
	for (int i = 0; i < 3; i++)
		fake_fork(101);
}

/* Its parent alone tells whose it is, and he is about to die. */
static void test_fork_and_leave_everything(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	bystander(103);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_101_and_leave);
	nskill(100);
	assert_false(fake_is_alive(104));
	finish_with("100 STOP\n101 STOP\n104 STOP\n"
		    "group 100 KILL\ngroup 104 KILL\n100 KILL\n101 KILL\n104 KILL\n");
}

/* The look has seen the child, but not the one after it: that its parent forks it has. */
static void test_fork_during_the_look(void **state)
{
	(void)state;
	leader();
	fake_after(DOOR_SCAN_BEGUN, 0, 1, fork_100);
	nskill(100);
	finish_with("100 STOP\n101 STOP\ngroup 100 KILL\n100 KILL\n101 KILL\n");
}

static pid_t heir;

/* A newcomer ends before it can be stopped, and its child has no parent that would tell of it. */
static void newcomer_300_leaves_an_heir(void)
{
	heir = fake_fork(300);
	fake_end(300);
}

static void heir_leaves_a_child(void)
{
	if (fake_process(heir)->state == 'T')
		return;
	fake_setsid(fake_fork(heir));
	fake_end(heir);
}

static void test_newcomer_while_all_are_stopped(void **state)
{
	(void)state;
	fake.group_signal = false;
	fake.last_pid = 299;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_100);
	fake_after(DOOR_SIGNAL, 100, 1, newcomer_300_leaves_an_heir);
	fake_after(DOOR_SIGNAL, 100, 2, heir_leaves_a_child);
	nskill(100);
	finish_with("100 STOP\n301 STOP\n100 KILL\n301 KILL\n");
}

static void test_wrap_around(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	fake.pid_max = 310;
	fake.last_pid = 308;
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_across_the_end_of_numbers);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n309 STOP\n300 STOP\n301 STOP\n"
		    "100 KILL\n101 KILL\n309 KILL\n300 KILL\n301 KILL\n");
}

/* One that does nothing but fork and exit. */

static pid_t hopper;
static bool leaves_session;

static void hop(void)
{
	pid_t child;

	if (!fake_is_alive(hopper) || fake_process(hopper)->state == 'T')
		return;
	child = fake_fork(hopper);
	if (leaves_session)
		fake_setsid(child);
	fake_end(hopper);
	hopper = child;
}

/* It lives for 3 to 10 calls of nskill's, at random, but the same in every run. */
static unsigned chance, rest;

static void hop_at_times(void)
{
	if (rest-- > 0)
		return;
	hop();
	chance = chance * 1103515245 + 12345;
	rest = 3 + (chance >> 16) % 8;
}

static void assert_hopper_ends(void (*at_every_call)(void))
{
	fake_cost(DOOR_ANY, 1000);
	fake_after_every(DOOR_ANY, 0, at_every_call);
	nskill(100);
	assert_false(run.kill.timed_out);
	assert_false(fake_is_alive(hopper));
	finish();
}

/* How a hop keeps its ties: what changes from one run to the next is the time between hops. */
static void assert_hoppers_end(void **state, const struct fake_process *first, bool leaves)
{
	for (unsigned seed = 1; seed <= 20; seed++) {
		set_up(state);
		fake.group_signal = false;
		chance = seed;
		rest = 0;
		leaves_session = leaves;
		container();
		bystander(103);
		hopper = fake_add(first);
		assert_hopper_ends(hop_at_times);
	}
}

static void test_hopper_in_group(void **state)
{
	assert_hoppers_end(state, &(struct fake_process){ .pid = 101, .pgrp = 100, .session = 101 },
			   false);
}

static void test_hopper_in_session(void **state)
{
	assert_hoppers_end(state, &(struct fake_process){ .pid = 101, .pgrp = 101, .session = 100 },
			   false);
}

static void test_hopper_in_namespace(void **state)
{
	assert_hoppers_end(state,
			   &(struct fake_process){
				   .pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER },
			   true);
}

static void test_hopper_in_struck_group(void **state)
{
	(void)state;
	leaves_session = false;
	leader();
	hopper = PROCESS(.pid = 101, .pgrp = 100, .session = 101);
	assert_hopper_ends(hop);
}

static void test_hopper_that_is_faster(void **state)
{
	(void)state;
	leaves_session = true;
	container();
	hopper = PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	run.orders.deadline = fake.now + S;
	fake_cost(DOOR_ANY, MS / 10);
	fake_after_every(DOOR_ANY, 0, hop);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_in_range(fake.now - run.began, S, S + 50 * MS);
	finish();
}

static void test_last_look(void **state)
{
	(void)state;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_with_a_chosen_number);
	nskill(100);
	assert_int_equal(run.kill.looks, 3);
	finish_with("group 100 KILL\n100 KILL\ngroup 90 KILL\n90 KILL\n");
}

/* All but the target are in nskill's session. */
static void test_led_and_left(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = FAKE_SHELL, .bystander = true);
	PROCESS(.pid = 101, .ppid = 100, .pgrp = SCRIPT, .session = FAKE_SHELL);
	PROCESS(.pid = 102, .pgrp = 101, .session = FAKE_SHELL);
	resolve(100);
	plan();
	assert_fate(102, FATE_LISTED);
	finish_with("");
}

static void joins_the_sandbox_with_a_chosen_number(void)
{
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .mntns = SANDBOX);
}

/* No id but the one that is handed out again, and that is held. */
static void test_last_look_into_a_sandbox(void **state)
{
	(void)state;
	fake.unique_ids = false;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	fake_after(DOOR_SIGNAL, 101, 1, joins_the_sandbox_with_a_chosen_number);
	nskill(100);
	assert_fate(90, FATE_ENDED);
	finish();
}

static void child_of_101_with_a_chosen_number(void)
{
	PROCESS(.pid = 90, .ppid = 101, .pgrp = SCRIPT, .session = SCRIPT);
}

static void test_last_look_at_children(void **state)
{
	(void)state;
	leader();
	bystander(SCRIPT);
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM, .pgrp = SCRIPT, .session = SCRIPT);
	fake_process(101)->bystander = false;
	fake_after(DOOR_SIGNAL, 100, 1, child_of_101_with_a_chosen_number);
	nskill(100);
	assert_fate(90, FATE_ENDED);
	assert_fate(101, FATE_DENIED);
	finish();
}

static void born_with_the_next_number(void)
{
	PROCESS(.pid = fake.last_pid + 1, .pgrp = 100, .session = 100);
}

static void test_born_during_the_last_look(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 2, born_with_the_next_number);
	nskill(100);
	assert_false(fake_is_alive(101));
	finish_with("100 KILL\n101 KILL\n");
}

static void born_to_ignore(void)
{
	born_with_the_next_number();
	fake_process(101)->ignores = true;
	fake_in(S, end_101);
}

static void test_born_during_the_last_look_of_term(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 2, born_to_ignore);
	nskill(100);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
}

/* A number is handed out a moment before its process can be had by it. */

static void number_is_handed_out(void)
{
	fake.last_pid = 101;
}

static void newborn_appears(void)
{
	PROCESS(.pid = 101, .pgrp = 100, .session = 100);
}

static void test_newborn(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 1, number_is_handed_out);
	fake_after(DOOR_PIN, 101, 3, newborn_appears);
	nskill(100);
	assert_int_equal(run.kill.looks, 2);
	assert_elapsed(0);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void test_newborn_a_moment_later(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SCAN_ALL, 0, 1, number_is_handed_out);
	fake_in(MS / 2, newborn_appears);
	nskill(100);
	assert_int_equal(run.kill.looks, 2);
	assert_in_range(fake.now - run.began, 0, 10 * MS);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

/* Each round finds only that somebody was there: nobody can tell whose he was. */
static void assert_certain(uint64_t time, bool certain)
{
	leaves_session = false;
	leader();
	fake_end(100);
	hopper = PROCESS(.pid = 200, .pgrp = 200, .session = 200, .bystander = true);
	run.orders.deadline = fake.now + time;
	fake_cost(DOOR_LAST_PID, 20 * MS);
	fake_after_every(DOOR_LAST_PID, 0, hop);
	nskill(100);
	assert_int_equal(run.kill.timed_out, !certain);
	finish();
}

static void test_vanishing_when_time_is_up(void **state)
{
	(void)state;
	assert_certain(0, false);
}

static void test_vanishing_while_there_is_time(void **state)
{
	(void)state;
	assert_certain(10 * S, true);
}

static void test_struck_at_a_glance(void **state)
{
	(void)state;
	fake.group_signal = false;
	leaves_session = false;
	leader();
	hopper = PROCESS(.pid = 101, .pgrp = 100, .session = 101);
	run.orders.deadline = fake.now + S;
	fake_cost(DOOR_ANY, 1000);
	fake_after_every(DOOR_SCAN_PROCESS, 0, hop); /* it is gone as soon as it was read */
	nskill(100);
	assert_false(run.kill.timed_out);
	assert_false(fake_is_alive(hopper));
	finish();
}

/* It leaves the group after it was struck, and is not dead yet. */
static void born_to_die_slowly(void)
{
	PROCESS(.pid = 101, .pgrp = 100, .session = 100, .dying = S);
}

static void leave_101(void)
{
	fake_setsid(101);
}

static void test_struck_is_waited_for(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_to_die_slowly);
	fake_after(DOOR_SIGNAL, 101, 1, leave_101);
	nskill(100);
	assert_elapsed(S);
	assert_fate(101, FATE_ENDED);
	finish();
}

/* 101 ends as it is struck, and nothing but its session tells whose 102 is. */
static void born_with_a_child(void)
{
	daemon_of(1, 101);
	fake_join(101, CONTAINER);
	PROCESS(.pid = 102, .ppid = 101, .mntns = SANDBOX);
}

static void test_struck_leads(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	fake_after(DOOR_SIGNAL, 100, 1, born_with_a_child);
	nskill(100);
	assert_false(fake_is_alive(102));
	finish();
}

/* Other signals. */

static void test_continued(void **state)
{
	static const struct {
		int signal;
		const char *log;
	} cases[] = {
		{ SIGTERM, "100 TERM\n100 CONT\n" }, { SIGINT, "100 INT\n100 CONT\n" },
		{ SIGHUP, "100 HUP\n100 CONT\n" },   { SIGQUIT, "100 QUIT\n100 CONT\n" },
		{ SIGUSR1, "100 USR1\n" },	     { SIGABRT, "100 ABRT\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		run.orders.signal = cases[i].signal;
		leader();
		nskill(100);
		assert_fate(100, FATE_ENDED);
		finish_with(cases[i].log);
	}
}

static void test_stopped_gets_term(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .state = 'T');
	nskill(100);
	assert_fate(100, FATE_ENDED);
	assert_elapsed(0);
	finish();
}

static void kill_after(uint64_t ns)
{
	run.orders.signal = SIGTERM;
	run.orders.kill_after = ns;
}

static void test_escalation(void **state)
{
	(void)state;
	kill_after(2 * S);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	PROCESS(.pid = 101, .ppid = 100);
	nskill(100);
	assert_elapsed(2 * S);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\ngroup 100 KILL\n100 KILL\n");
}

static void test_escalation_in_time(void **state)
{
	(void)state;
	kill_after(150 * MS);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	nskill(100);
	assert_elapsed(150 * MS);
	finish_with("100 TERM\n100 CONT\ngroup 100 KILL\n100 KILL\n");
}

/* A time that is beyond all that the clock can tell does not come. */
static void test_escalation_beyond_all_times(void **state)
{
	(void)state;
	kill_after(CLOCK_NEVER);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	nskill(100);
	assert_true(run.kill.timed_out);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_no_escalation_needed(void **state)
{
	(void)state;
	kill_after(2 * S);
	leader();
	fake_process(100)->dying = S;
	nskill(100);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_kill_is_not_escalated(void **state)
{
	(void)state;
	run.orders.kill_after = S;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_with_a_chosen_number);
	nskill(100);
	assert_elapsed(0);
	finish_with("group 100 KILL\n100 KILL\ngroup 90 KILL\n90 KILL\n");
}

static void test_newcomers_are_noted(void **state)
{
	(void)state;
	kill_after(2 * S);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .handler = fork_100);
	nskill(100);
	assert_elapsed(2 * S);
	finish_with("100 TERM\n100 CONT\ngroup 100 KILL\n100 KILL\n101 KILL\n");
}

static void test_noted_newcomer_of_last_look(void **state)
{
	(void)state;
	kill_after(2 * S);
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_with_a_chosen_number);
	nskill(100);
	assert_elapsed(2 * S);
	finish_with("100 TERM\n100 CONT\ngroup 90 KILL\n90 KILL\n");
}

static void end_helpers(void)
{
	fake_end(101);
	fake_end(100);
}

static void fork_helper(void)
{
	fake_fork(100);
	fake_process(101)->ignores = true;
	fake_in(S, end_helpers);
}

static void test_noted_newcomer_is_waited_for(void **state)
{
	(void)state;
	kill_after(2 * S);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .handler = fork_helper);
	nskill(100);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_newcomers_get_term_once(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .handler = fork_helper);
	nskill(100);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
}

static void of_last_look_and_end_later(void)
{
	born_with_a_chosen_number();
	fake_process(90)->ignores = true;
	fake_in(S, NULL);
}

static void end_90(void)
{
	fake_end(90);
}

static void fork_from_100(void)
{
	fake_fork(100);
}

/* Nobody who was there has ended since, and would have been noticed by that. */
static void test_newcomer_of_the_wait_gets_term_once(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	fake_process(100)->ignores = true;
	fake_in(S, fork_from_100);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(10 * S);
	assert_true(kill_alive(victim(100)));
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
}

static void test_newcomer_of_the_last_moment_is_listed(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	fake_process(100)->ignores = true;
	fake_in(10 * S, fork_from_100);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(10 * S);
	assert_non_null(victim(101));
	finish();
}

static void test_newcomer_of_last_look_gets_term_once(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, of_last_look_and_end_later);
	fake_in(3 * S, end_90);
	nskill(100);
	assert_elapsed(3 * S);
	finish_with("100 TERM\n100 CONT\n90 TERM\n90 CONT\n");
}

static void test_term_stops_nobody(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	guest();
	nskill(100);
	finish_with("100 TERM\n100 CONT\n");
}

/* What only descent ties. */

static void test_descent_is_stopped(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100);
	for (pid_t pid = 100; pid <= 101; pid++)
		fake_process(pid)->bystander = false;
	nskill(100);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void fork_101_unstopped_and_leave(void)
{
	if (fake_process(101)->state != 'T')
		fork_101_and_leave();
}

/* A child of one that leads its own group, born in the moment of the strike. */
static void test_leader_among_descent(void **state)
{
	(void)state;
	fake.group_signal = false;
	guest();
	daemon_of(100, 101);
	fake_after(DOOR_SIGNAL, 100, 2, fork_101_unstopped_and_leave);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

/* A target that can fork: its children are fair game, and so must it be. */
static void fork_unstopped(void)
{
	if (fake_is_alive(100) && fake_process(100)->state != 'T')
		fake_fork(100);
}

static void test_child_before_the_stop(void **state)
{
	(void)state;
	guest();
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_unstopped);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void another_takes_the_number_of_101(void)
{
	fake_end(101);
	fake.now += FAKE_TICK;
	fake.last_pid = 100;
	fake_setsid(fake_fork(100));
}

/* It bears the number of a member that has ended, and is told from that by a closer look. */
static void test_child_with_a_number_of_old(void **state)
{
	(void)state;
	run.orders.deadline = fake.now;
	guest();
	PROCESS(.pid = 101, .ppid = 100);
	fake_process(101)->bystander = false;
	fake_after(DOOR_SCAN_ALL, 0, 1, another_takes_the_number_of_101);
	nskill(100);
	finish_with("100 STOP\n101 STOP\ngroup 101 KILL\n100 KILL\n101 KILL\n");
}

static void test_child_during_the_stop(void **state)
{
	(void)state;
	guest();
	fake_process(100)->stopping = 5 * MS;
	fake_in(3 * MS, fork_unstopped);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void test_grandchild_during_the_stop(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .stopping = 5 * MS);
	fake_in(3 * MS, fork_101);
	nskill(100);
	finish_with("100 STOP\n101 STOP\n102 STOP\n100 KILL\n101 KILL\n102 KILL\n");
}

/* A child of 100 in the group of 101, as both are targets. */
static void born_between_targets(void)
{
	PROCESS(.pid = 102, .ppid = 100, .pgrp = 101, .session = 101);
}

static void test_child_of_two_targets(void **state)
{
	(void)state;
	fake.group_signal = false;
	guest();
	daemon_of(100, 101);
	fake_after(DOOR_SCAN_ALL, 0, 1, born_between_targets);
	resolve(101);
	resolve(100);
	plan();
	carry_out();
	assert_int_equal(run.kill.victim_count, 3);
	finish_with("101 STOP\n100 STOP\n102 STOP\n101 KILL\n100 KILL\n102 KILL\n");
}

static void test_hidden_child(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .hidden = true);
	nskill(100);
	assert_elapsed(0);
	assert_fate(101, FATE_ENDED);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void test_hidden_child_denied(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .hidden = true, .denied = EPERM);
	nskill(100);
	assert_elapsed(0);
	assert_fate(101, FATE_DENIED);
	assert_false(run.kill.timed_out);
	assert_true(fake_is_alive(101));
	finish();
}

/* Nothing holds it, and nothing else ties it: it is lost when its parent ends, and that is said. */
static void test_hidden_child_unpinned(void **state)
{
	static const int errors[] = { EMFILE, EPERM };

	for (size_t i = 0; i < 2; i++) {
		set_up(state);
		guest();
		PROCESS(.pid = 101, .ppid = 100, .hidden = true, .unpinnable = errors[i]);
		nskill(100);
		assert_elapsed(0);
		assert_true(run.kill.unsettled);
		assert_true(fake_is_alive(101));
		finish_with("100 STOP\n100 KILL\n");
	}
}

static void child_101_is_another(void)
{
	fake_end(101);
	fake.last_pid = 100;
	assert_int_equal(fake_fork(100), 101);
	fake_process(101)->pgrp = 101;
	fake_process(101)->output = 0;
	fake_process(101)->bystander = true;
}

/* Its group bears the number of a member, and is its own. */
static void test_child_bears_members_number(void **state)
{
	(void)state;
	run.orders.rules.kinds = SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_IO);
	run.orders.outputs = true;
	guest();
	fake_process(100)->output = 500;
	PROCESS(.pid = 101, .ppid = 100, .output = 500);
	fake_process(101)->bystander = false;
	fake_after(DOOR_STOPPED, 100, 1, child_101_is_another);
	nskill(100);
	assert_true(fake_is_alive(101));
	finish();
}

static void continue_100(void)
{
	fake_process(100)->state = 'S';
}

/* By somebody else, between the stop and the kill. */
static void test_continued_while_stopping(void **state)
{
	(void)state;
	guest();
	fake_after(DOOR_STOPPED, 100, 1, continue_100);
	fake_after(DOOR_STOPPED, 100, 3, fork_unstopped);
	nskill(100);
	assert_false(run.kill.unsettled);
	assert_false(fake_is_alive(101));
	assert_in_range(fake.now - run.began, 0, S / 10);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

/*
 * Waits in vfork(2): it stops when its child has ended, at once and before it does anything. That
 * child is a zombie then, and is seen to again.
 */
static void bystander_instead_of(pid_t pid, pid_t parent)
{
	if (fake_process(pid))
		fake_end(pid);
	PROCESS(.pid = pid, .ppid = parent, .pgrp = pid, .session = pid, .bystander = true,
		.started = fake_ticks());
}

/* Its number goes to a stranger between the list of the children and the pin. */
static void child_is_a_stranger(void)
{
	bystander_instead_of(101, FAKE_SHELL);
}

static void test_child_is_a_stranger(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .hidden = true);
	fake_after(DOOR_CHILDREN, 100, 1, child_is_a_stranger);
	nskill(100);
	assert_true(fake_is_alive(101));
	finish_with("100 STOP\n100 KILL\n");
}

/* The same of its parent, too, so that a stranger is a child of that number. */
static void parent_is_a_stranger(void)
{
	fake_end(100);
	bystander_instead_of(100, FAKE_SHELL);
	bystander_instead_of(101, 100);
}

static void test_parent_is_a_stranger(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .hidden = true);
	fake_after(DOOR_CHILDREN, 100, 1, parent_is_a_stranger);
	nskill(100);
	assert_true(fake_is_alive(100) && fake_is_alive(101));
	finish_with("100 STOP\n");
}

static void child_of_vfork_ends(const struct fake_process *process, int signal)
{
	if (process->pid != 101 || signal != SIGKILL)
		return;
	fake_process(100)->unstoppable = false;
	fake_process(100)->state = 'T';
}

static void test_vfork(void **state)
{
	(void)state;
	guest();
	fake_process(100)->unstoppable = true;
	PROCESS(.pid = 101, .ppid = 100);
	fake_on_signal(child_of_vfork_ends);
	nskill(100);
	assert_false(run.kill.unsettled);
	assert_in_range(fake.now - run.began, 0, S / 10);
	finish_with("100 STOP\n101 STOP\n101 KILL\n101 KILL\n100 KILL\n");
}

/* Its group has fallen, so that it need not be stopped but for that. */
static void test_vfork_of_leader(void **state)
{
	(void)state;
	fake.group_signal = false;
	guest();
	fake_process(100)->unstoppable = true;
	daemon_of(100, 101);
	fake_on_signal(child_of_vfork_ends);
	nskill(100);
	assert_false(run.kill.unsettled);
	finish_with("100 STOP\n101 STOP\n101 KILL\n101 KILL\n100 KILL\n");
}

/* It has a child that must be known of first. */
static void test_vfork_in_vfork(void **state)
{
	(void)state;
	guest();
	fake_process(100)->unstoppable = true;
	PROCESS(.pid = 101, .ppid = 100, .stopping = 30 * MS);
	PROCESS(.pid = 102, .ppid = 101);
	fake_on_signal(child_of_vfork_ends);
	nskill(100);
	assert_false(run.kill.unsettled);
	finish_with("100 STOP\n101 STOP\n102 STOP\n102 KILL\n101 KILL\n101 KILL\n"
		    "100 KILL\n");
}

static void test_stop_is_bounded(void **state)
{
	(void)state;
	guest();
	fake_process(100)->unstoppable = true;
	nskill(100);
	assert_in_range(fake.now - run.began, S / 10, 5 * S);
	assert_true(run.kill.unsettled);
	finish_with("100 STOP\n100 KILL\n");
}

static void test_stop_ends_with_the_deadline(void **state)
{
	(void)state;
	guest();
	fake_process(100)->unstoppable = true;
	fake_process(100)->dying = S;
	run.orders.deadline = fake.now + S / 2;
	nskill(100);
	assert_elapsed(S / 2);
	assert_true(run.kill.timed_out);
	finish_with("100 STOP\n100 KILL\n");
}

static void test_stop_ends_while_forks_go_on(void **state)
{
	(void)state;
	guest();
	fake_process(100)->unstoppable = true;
	run.orders.deadline = fake.now + S;
	fake_cost(DOOR_CHILDREN, MS);
	fake_after_every(DOOR_CHILDREN, 100, fork_100);
	resolve(100);
	plan();
	kill_carry_out(&run.kill, &run.error);
	assert_true(run.kill.unsettled);
	assert_in_range(fake.now - run.began, S / 10, S + S / 5);
	assert_false(fake_is_alive(100));
	finish();
}

static void test_patience(void **state)
{
	(void)state;
	run.orders.deadline = fake.now + S;
	guest();
	fake_process(100)->unstoppable = true;
	nskill(100);
	assert_elapsed(S / 4);
	finish_with("100 STOP\n100 KILL\n");
}

static void test_death_during_the_stop(void **state)
{
	(void)state;
	guest();
	fake_process(100)->denied = ESRCH;
	nskill(100);
	assert_fate(100, FATE_ENDED);
	finish_with("100 STOP ESRCH\n");
}

/* Members that answer kills with forks: each one that is signalled has put another there. */

static pid_t next_born;

static void born_again(void)
{
	if (next_born >= 86)
		of_session(next_born--);
}

static void test_bomb_is_stopped(void **state)
{
	(void)state;
	fake.group_signal = false;
	next_born = 90;
	leader();
	fake_after(DOOR_SIGNAL, 100, 1, born_again);
	fake_after(DOOR_SIGNAL, 90, 1, born_again);
	fake_after(DOOR_SIGNAL, 89, 2, born_again);
	nskill(100);
	finish_with("100 KILL\n90 KILL\n89 STOP\n89 KILL\n88 STOP\n88 KILL\n");
}

/* What stands in the way. */

static void child_of_101(void)
{
	fake_fork(101);
}

static void one_more_with_a_chosen_number(void)
{
	of_session(91);
}

/* Two come while 101 dies slowly, each for itself, and a third is found by the last look. */
static void test_births_during_the_wait(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .dying = S);
	fake_in(150 * MS, child_of_101);
	fake_in(350 * MS, child_of_101);
	fake_in(S, one_more_with_a_chosen_number);
	nskill(100);
	assert_false(fake_is_alive(91));
	finish_with("100 KILL\n101 KILL\n102 KILL\n103 KILL\n91 STOP\n91 KILL\n");
}

static void test_denied(void **state)
{
	static const int errors[] = { EPERM, EACCES };

	for (size_t i = 0; i < 2; i++) {
		set_up(state);
		fake.group_signal = false;
		leader();
		PROCESS(.pid = 101, .ppid = 100, .denied = errors[i]);
		PROCESS(.pid = 102, .ppid = 100);
		nskill(100);
		assert_fate(100, FATE_ENDED);
		assert_fate(101, FATE_DENIED);
		assert_int_equal(victim(101)->error, errors[i]);
		assert_true(kill_alive(victim(101)));
		assert_fate(102, FATE_ENDED);
		assert_false(run.kill.timed_out);
		assert_elapsed(0);
		finish();
	}
}

static void end_101_of_a_child(void)
{
	fake_fork(101);
	fake_end(101);
}

static void when_the_newcomers_are_counted(void)
{
	fake_after(DOOR_LAST_PID, 0, 1, end_101_of_a_child);
}

static void test_denied_ends_after_the_last_look(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	fake_after(DOOR_SCAN_ALL, 0, 2, when_the_newcomers_are_counted);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	assert_false(fake_is_alive(102));
	finish();
}

static void end_101_of_one_unseen(void)
{
	of_session(91);
	fake_end(101);
}

static void when_the_numbers_are_asked_for(void)
{
	fake_after(DOOR_LAST_PID, 0, 1, end_101_of_one_unseen);
}

/* Its number is none of those that are chased. */
static void test_denied_ends_during_the_proof(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	fake_after(DOOR_SCAN_ALL, 0, 2, when_the_numbers_are_asked_for);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	assert_false(fake_is_alive(91));
	finish();
}

static void test_denied_stop(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	nskill(100);
	assert_fate(101, FATE_DENIED);
	finish_with("100 STOP\n101 STOP EPERM\n100 KILL\n");
}

static void test_unkillable(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .unkillable = true);
	PROCESS(.pid = 102, .ppid = 100);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(10 * S);
	assert_fate(100, FATE_ENDED);
	assert_fate(101, FATE_SIGNALLED);
	assert_fate(102, FATE_ENDED);
	assert_string_equal(kill_hindrance(victim(101))->wait_channel, "fake_wait_101");
	assert_int_equal(victim(101)->process.state, 'D');
	assert_string_equal(kill_hindrance(victim(102))->wait_channel, "");
	finish_with("group 100 KILL\n100 KILL\n101 KILL\n102 KILL\n");
}

static void test_unkillable_after_escalation(void **state)
{
	(void)state;
	kill_after(2 * S);
	leader();
	fake_process(100)->unkillable = fake_process(100)->ignores = true;
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(10 * S);
	finish_with("100 TERM\n100 CONT\ngroup 100 KILL\n100 KILL\n");
}

static void test_ended_at_the_deadline(void **state)
{
	(void)state;
	leader();
	fake_process(100)->dying = 10 * S;
	nskill(100);
	assert_elapsed(10 * S);
	assert_fate(100, FATE_ENDED);
	assert_false(run.kill.timed_out);
	finish();
}

static void end_100_when_time_is_up(void)
{
	if (fake.now >= run.orders.deadline && fake_is_alive(100))
		fake_exit(100);
}

static void test_ended_after_the_deadline(void **state)
{
	(void)state;
	leader();
	fake_process(100)->unkillable = true;
	fake_after_every(DOOR_WAIT, 0, end_100_when_time_is_up);
	nskill(100);
	assert_elapsed(10 * S);
	assert_fate(100, FATE_ENDED);
	assert_false(run.kill.timed_out);
	finish();
}

static void test_timeout_0(void **state)
{
	(void)state;
	run.orders.deadline = fake.now;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .dying = MS);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(0);
	assert_fate(100, FATE_ENDED);
	assert_true(kill_alive(victim(101)));
	finish_with("group 100 KILL\n100 KILL\n101 KILL\n");
}

static void test_timeout_0_of_many(void **state)
{
	(void)state;
	run.orders.deadline = fake.now;
	leader();
	for (int i = 0; i < 200; i++)
		PROCESS(.ppid = 100);
	nskill(100);
	assert_false(run.kill.timed_out);
	assert_elapsed(0);
	finish();
}

static void test_many(void **state)
{
	(void)state;
	container();
	for (int i = 0; i < 500; i++)
		PROCESS(.ppid = 100);
	nskill(100);
	for (pid_t pid = 100; pid <= 600; pid++)
		assert_false(fake_is_alive(pid));
	assert_false(run.kill.timed_out);
	finish();
}

static void test_no_deadline(void **state)
{
	(void)state;
	run.orders.deadline = CLOCK_NEVER;
	leader();
	fake_process(100)->dying = 1000 * S;
	nskill(100);
	assert_elapsed(1000 * S);
	finish();
}

static void interrupt(void)
{
	fake_interrupt(SIGINT);
}

static void test_interrupt(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	PROCESS(.pid = 101, .ppid = 100);
	fake_in(S, interrupt);
	nskill(100);
	assert_int_equal(run.kill.interrupt, SIGINT);
	assert_elapsed(S);
	assert_false(run.kill.timed_out);
	assert_fate(100, FATE_SIGNALLED);
	assert_fate(101, FATE_ENDED);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n");
}

static void test_interrupt_at_once(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	fake_after(DOOR_SIGNAL, 100, 2, interrupt);
	nskill(100);
	assert_int_equal(run.kill.interrupt, SIGINT);
	assert_elapsed(0);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_interrupt_before_escalation(void **state)
{
	(void)state;
	kill_after(2 * S);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .ignores = true);
	fake_in(S, interrupt);
	nskill(100);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n");
}

static void test_interrupt_while_stopping(void **state)
{
	(void)state;
	guest();
	fake_process(100)->stopping = S;
	fake_process(100)->dying = S;
	fake_in(100 * MS, interrupt);
	nskill(100);
	assert_int_equal(run.kill.interrupt, SIGINT);
	assert_elapsed(100 * MS);
	assert_true(kill_alive(victim(100)));
	finish_with("100 STOP\n100 KILL\n");
}

static void deny_100(void)
{
	fake_process(100)->denied = EPERM;
}

static void test_denied_after_the_stop(void **state)
{
	(void)state;
	guest();
	fake_after(DOOR_SIGNAL, 100, 1, deny_100);
	nskill(100);
	assert_fate(100, FATE_DENIED);
	finish_with("100 STOP\n100 KILL EPERM\n100 CONT EPERM\n");
}

/* Descriptors run short. */

static void test_batches(void **state)
{
	(void)state;
	fake.group_signal = false;
	fake.pins = 3;
	leader();
	for (pid_t pid = 101; pid <= 106; pid++)
		PROCESS(.pid = pid, .ppid = 100);
	nskill(100);
	assert_false(run.kill.timed_out);
	assert_int_equal(fake_calls(DOOR_SCAN_ALL), 2);
	finish_with("100 KILL\n101 KILL\n102 KILL\n103 KILL\n104 KILL\n105 KILL\n106 KILL\n");
}

/* One of the next batch as young as the look has lost by then what tells him from another. */
static void test_batch_of_the_young(void **state)
{
	size_t looks = 0;

	(void)state;
	for (int young = 0; young < 2; young++) {
		set_up(state);
		fake.group_signal = false;
		fake.pins = 3;
		leader();
		for (pid_t pid = 101; pid <= 106; pid++)
			PROCESS(.pid = pid, .ppid = 100);
		if (young)
			fake_process(106)->started = fake_ticks();
		nskill(100);
		assert_true(run.kill.looks > looks);
		looks = run.kill.looks;
		finish();
	}
}

static void test_batches_get_the_first_signal(void **state)
{
	(void)state;
	kill_after(5 * S);
	fake.pins = 2;
	leader();
	for (pid_t pid = 101; pid <= 102; pid++)
		PROCESS(.pid = pid, .ppid = 100);
	nskill(100);
	assert_elapsed(0);
	finish_with("100 TERM\n100 CONT\n101 TERM\n101 CONT\n102 TERM\n102 CONT\n");
}

static void test_batch_that_does_not_end(void **state)
{
	(void)state;
	fake.group_signal = false;
	fake.pins = 2;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .unkillable = true);
	PROCESS(.pid = 102, .ppid = 100, .unkillable = true);
	PROCESS(.pid = 103, .ppid = 100);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_elapsed(10 * S);
	finish();
}

static void test_child_beyond_the_descriptors(void **state)
{
	(void)state;
	guest();
	fake.pins = 1;
	fake_cost(DOOR_STOPPED, 2 * FAKE_TICK);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_unstopped);
	nskill(100);
	assert_false(fake_is_alive(101));
	finish();
}

/* It could not be pinned at first, and has been stopped when it could. */
static void test_child_beyond_the_descriptors_is_stopped(void **state)
{
	(void)state;
	guest();
	fake.pins = 2;
	fake_process(100)->unkillable = true;
	PROCESS(.pid = 101, .ppid = 100, .stopping = 5 * MS);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_unstopped);
	fake_in(2 * MS, end_101);
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_fate(102, FATE_ENDED);
	finish_with("100 STOP\n101 STOP\n102 STOP\n100 KILL\n102 KILL\n");
}

static void fork_and_leave(void)
{
	if (fake_is_alive(100) && fake_process(100)->state != 'T')
		fake_setsid(fake_fork(100));
}

/* Nothing but its parent ties it, and there is no descriptor to hold it before that ends. */
static void test_newcomer_beyond_the_descriptors(void **state)
{
	(void)state;
	leader();
	fake.pins = 1;
	fake_cost(DOOR_SIGNAL, 2 * FAKE_TICK);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_and_leave);
	nskill(100);
	assert_false(fake_is_alive(101));
	finish();
}

/* As if it were on its way out, but it is not: it must not be taken for gone. */
static void test_pin_lies(void **state)
{
	const int errors[] = { EINVAL, ENOENT };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fake_reset();
		leader();
		PROCESS(.pid = 101, .ppid = 100, .unpinnable = errors[i]);
		resolve(100);
		plan();
		assert_int_equal(kill_carry_out(&run.kill, &run.error), -errors[i]);
		assert_int_equal(run.error.status, STATUS_SYSTEM);
		finish();
	}
}

/* Those whom it may not signal, and can forget, must not keep the descriptors from the others. */
static void test_denied_do_not_keep_descriptors(void **state)
{
	(void)state;
	fake.group_signal = false;
	fake.pins = 3;
	leader();
	for (pid_t pid = 101; pid <= 108; pid++)
		PROCESS(.pid = pid, .ppid = 100, .denied = pid % 2 ? EPERM : 0);
	nskill(100);
	for (pid_t pid = 101; pid <= 108; pid++)
		assert_fate(pid, pid % 2 ? FATE_DENIED : FATE_ENDED);
	assert_elapsed(0);
	finish();
}

static void exit_103(void)
{
	fake_exit(103);
}

/* Its descriptor was given up, and its parent, who lives, does not fetch it. */
static void test_denied_is_a_zombie(void **state)
{
	(void)state;
	fake.group_signal = false;
	fake.pins = 3;
	leader();
	bystander(SCRIPT);
	for (pid_t pid = 101; pid <= 108; pid++)
		PROCESS(.pid = pid, .ppid = 100, .denied = pid % 2 ? EPERM : 0);
	fake_process(103)->ppid = SCRIPT;
	fake_after(DOOR_SIGNAL, 108, 1, exit_103);
	nskill(100);
	assert_fate(101, FATE_DENIED);
	assert_fate(103, FATE_ENDED);
	finish();
}

/* It is known for a member before there is a descriptor for it, and stopped when there is one. */
static void test_interrupt_after_a_late_stop(void **state)
{
	(void)state;
	guest();
	fake.pins = 2;
	fake_process(100)->stopping = 5 * MS;
	PROCESS(.pid = 101, .ppid = 100, .stopping = S);
	fake_in(3 * MS, fork_unstopped);
	fake_in(6 * MS, end_101);
	fake_after(DOOR_SIGNAL, 102, 1, interrupt);
	nskill(100);
	assert_int_equal(run.kill.interrupt, SIGINT);
	assert_false(fake_is_alive(102));
	finish_with("100 STOP\n101 STOP\n102 STOP\n100 KILL\n102 KILL\n");
}

static void test_pin_fails(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .unpinnable = EPERM);
	resolve(100);
	plan();
	assert_int_equal(kill_carry_out(&run.kill, &run.error), -EPERM);
	assert_int_equal(run.error.status, STATUS_SYSTEM);
	finish();
}

static void test_hidden_nskill(void **state)
{
	(void)state;
	leader();
	resolve(100);
	fake_process(FAKE_NSKILL)->hidden = true;
	assert_int_equal(kill_plan(&run.kill, &run.orders, &run.error), -ESRCH);
	assert_int_equal(run.error.status, STATUS_SYSTEM);
	finish_with("");
}

/* It is on its way out, and the others of its group may not see it. */
static void hide_101(void)
{
	fake_process(101)->hidden = true;
	fake_process(101)->unpinnable = EINVAL;
	fake_process(101)->bystander = true;
}

static void test_pin_of_hidden(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 1, .pgrp = 100, .session = 100);
	fake_after(DOOR_SCAN_ALL, 0, 1, hide_101);
	nskill(100);
	assert_fate(101, FATE_VANISHED);
	finish_with("100 KILL\n");
}

/* The dead. */

static void test_zombies(void **state)
{
	(void)state;
	fake.group_signal = false;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .state = 'Z');
	PROCESS(.pid = 102, .ppid = 100, .state = 'Z', .threads = 2);
	nskill(100);
	assert_false(fake_is_alive(102));
	finish_with("100 KILL\n102 KILL\n");
}

static void end_100(void)
{
	fake_end(100);
}

static void test_tracer_is_named(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .bystander = true);
	leader();
	fake_process(100)->state = 't';
	fake_process(100)->unkillable = true;
	fake_process(100)->tracer = 90;
	nskill(100);
	assert_true(run.kill.timed_out);
	assert_int_equal(kill_hindrance(victim(100))->tracer.pid, 90);
	finish();
}

/* The target, a child that had died before, one that dies now; and two whom their parents reap. */
static void test_unreaped(void **state)
{
	struct unreaped *list = NULL;

	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .bystander = true);
	PROCESS(.pid = 100, .ppid = 90, .pgrp = 100, .session = 100);
	fake_process(100)->bystander = false;
	PROCESS(.pid = 101, .ppid = 90, .pgrp = 100, .session = 100, .state = 'Z');
	PROCESS(.pid = 102, .pgrp = 100, .session = 100);
	PROCESS(.pid = 103, .ppid = 102, .state = 'Z');
	fake_process(101)->bystander = false;
	nskill(100);
	assert_int_equal(unreaped_find(&run.kill, &list), 2);
	assert_int_equal(list[0].process.pid, 100);
	assert_int_equal(list[0].parent.pid, 90);
	assert_int_equal(list[1].process.pid, 101);
	assert_int_equal(list[1].parent.pid, 90);
	free(list);
	finish();
}

static void test_unreaped_of_two_targets(void **state)
{
	struct unreaped *list = NULL;

	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .bystander = true);
	PROCESS(.pid = 100, .ppid = 90, .pgrp = 100, .session = 100);
	PROCESS(.pid = 101, .ppid = 90, .pgrp = 100, .session = 100);
	fake_process(100)->bystander = fake_process(101)->bystander = false;
	resolve(100);
	resolve(101);
	plan();
	carry_out();
	assert_int_equal(unreaped_find(&run.kill, &list), 2);
	assert_int_equal(list[0].process.pid, 100);
	assert_int_equal(list[1].process.pid, 101);
	free(list);
	finish();
}

static void test_target_gone_since(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	resolve(100);
	end_100();
	plan();
	carry_out();
	assert_false(fake_is_alive(101));
	assert_false(fake_is_alive(102));
	assert_false(run.kill.timed_out);
	finish();
}

static void test_target_gone_after_the_look(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	daemon_of(101, 102);
	fake_after(DOOR_SCAN_ALL, 0, 1, end_100);
	nskill(100);
	assert_fate(100, FATE_ENDED);
	finish_with("101 KILL\n102 KILL\n");
}

/* Target, its end and the stranger with its number: all in the tick in which the look begins. */
static void test_target_reused_in_one_tick(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .started = fake_ticks());
	resolve(100);
	end_100();
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .started = fake_ticks(), .bystander = true);
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	plan();
	carry_out();
	finish_with("");
	assert_true(fake_is_alive(100));
	assert_true(fake_is_alive(101));
}

static void test_target_reused_later(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100);
	resolve(100);
	end_100();
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .bystander = true);
	PROCESS(.pid = 101, .ppid = 100);
	plan();
	carry_out();
	finish_with("");
}

static void test_nothing_left(void **state)
{
	(void)state;
	bystander(101);
	nskill(100);
	assert_int_equal(run.kill.victim_count, 0);
	assert_false(run.kill.timed_out);
	finish_with("");
}

/* Its number is another's now, who leads a group of that number; the pidfile is from before. */
static void test_over(void **state)
{
	struct identity identity = {
		.name = FAKE_PIDFILE, .pid = 100, .dated = true, .written = 1
	};

	(void)state;
	bystander(100);
	PROCESS(.pid = 101, .ppid = 100);
	resolve_identity(&identity);
	plan();
	carry_out();
	assert_int_equal(run.kill.victim_count, 0);
	finish_with("");
}

static void test_over_with_group(void **state)
{
	struct identity identity = {
		.name = FAKE_PIDFILE, .pid = 100, .dated = true, .written = 1
	};

	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 100, .bystander = true);
	resolve_identity(&identity);
	plan();
	carry_out();
	finish_with("");
}

static void test_init_of_pid_namespace(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER, .pidns_init = true,
		.bystander = true);
	nskill(100);
	assert_false(fake_is_alive(101));
	finish_with("101 KILL\n");
}

/* Namespaces that die and whose ids are handed out again. */

static void stranger_in_a_new_namespace(void)
{
	bystander(103);
	assert_int_equal(fake_unshare(103), CONTAINER);
}

static void founder_ends_and_id_is_reused(void)
{
	fake_end(101);
	stranger_in_a_new_namespace();
}

static void test_namespace_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	resolve(100); /* gone, and so nothing is held yet */
	fake_after(DOOR_SCAN_ALL, 0, 1, founder_ends_and_id_is_reused);
	plan();
	carry_out();
	assert_fate(101, FATE_VANISHED);
	finish_with("");
	assert_true(fake_is_alive(103));
}

static void pinned_101_is_reused_in_namespace(void)
{
	stranger_who_leads();
	assert_int_equal(fake_unshare(101), CONTAINER);
	fake_setsid(fake_fork(101));
}

static void test_namespace_held_through_stranger(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	resolve(100);
	fake_after(DOOR_SCAN_PROCESS, 101, 1, pinned_101_is_reused_in_namespace);
	plan();
	carry_out();
	finish_with("");
	assert_true(fake_is_alive(101));
	assert_true(fake_is_alive(102));
}

static void sandbox_ends_and_id_is_reused(void)
{
	fake_end(101);
	bystander(103);
	assert_int_equal(fake_unshare(103), SANDBOX);
}

static void test_sandbox_reused(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	fake_after(DOOR_SCAN_ALL, 0, 1, sandbox_ends_and_id_is_reused);
	nskill(100);
	finish();
	assert_true(fake_is_alive(103));
}

static void stranger_has_all_numbers_of_101(void)
{
	stranger_who_leads();
	assert_int_equal(fake_unshare(101), SANDBOX);
}

static void test_sandbox_reused_with_pid_in_one_tick(void **state)
{
	(void)state;
	fake.pidfs = false;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX, .started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, stranger_has_all_numbers_of_101);
	nskill(100);
	assert_fate(101, FATE_DOUBTFUL);
	finish_with("group 100 KILL\n100 KILL\n");
	assert_true(fake_is_alive(101));
}

/* Nothing but the sandbox ties 102, which is as young as the look. */
static void test_sandbox_kept_by_a_founder(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = SANDBOX, .started = fake_ticks());
	nskill(100);
	assert_fate(102, FATE_ENDED);
	finish();
}

static void sandbox_is_left_to_a_newcomer(void)
{
	fake_setsid(fake_fork(101));
	fake_end(101);
}

/* Whoever could have held the sandbox has ended, and nothing else ties who is in it now. */
static void test_sandbox_known_again(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	fake_after(DOOR_SCAN_ALL, 0, 1, sandbox_is_left_to_a_newcomer);
	nskill(100);
	assert_fate(102, FATE_ENDED);
	finish();
}

static void sandbox_ends_and_102_makes_another(void)
{
	fake_end(101);
	assert_int_equal(fake_unshare(102), SANDBOX);
	bystander(103);
	fake_join(103, SANDBOX);
}

/* That one is younger than the look, which found nobody of ours in it. */
static void test_sandbox_not_held_by_another(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	PROCESS(.pid = 102, .ppid = 100);
	fake_after(DOOR_SCAN_ALL, 0, 1, sandbox_ends_and_102_makes_another);
	nskill(100);
	assert_fate(102, FATE_ENDED);
	finish();
	assert_true(fake_is_alive(103));
}

static void unshare_101(void)
{
	fake_unshare(101);
}

static void sandbox_of_101_is_anothers(void)
{
	pid_t stranger;

	fake_end(101);
	stranger = fake_fork(FAKE_SHELL);
	fake_process(stranger)->bystander = true;
	fake_setsid(stranger);
	fake_unshare(stranger);
}

static void when_the_sandbox_has_been_seen(void)
{
	fake_after(DOOR_LAST_PID, 0, 1, sandbox_of_101_is_anothers);
}

/* It falls by the last look, and nobody holds it for us. */
static void test_sandbox_of_the_last_look(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	fake_after(DOOR_SIGNAL, 101, 1, unshare_101);
	fake_after(DOOR_SCAN_ALL, 0, 2, when_the_sandbox_has_been_seen);
	nskill(100);
	assert_fate(101, FATE_ENDED);
	finish_with("100 KILL\n101 KILL EPERM\n");
}

static void leave_the_namespace_101(void)
{
	fake_process(101)->unreadable = true;
}

static void test_on_its_way_out(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER,
		.started = fake_ticks());
	fake_after(DOOR_SCAN_ALL, 0, 1, leave_the_namespace_101);
	nskill(100);
	assert_fate(101, FATE_VANISHED);
	finish_with("100 KILL\n");
}

static void stranger_in_the_next_namespace(void)
{
	bystander(103);
	fake_unshare(103);
}

static void test_namespace_is_held(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = SANDBOX);
	fake_after(DOOR_SIGNAL, 101, 1, stranger_in_the_next_namespace);
	nskill(100);
	assert_int_equal(fake_process(103)->mntns, SANDBOX + 1);
	finish_with("100 KILL\n101 KILL\n");
}

static void test_unreadable_namespace(void **state)
{
	(void)state;
	container();
	fake_process(100)->unreadable = true;
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .unreadable = true);
	nskill(100);
	assert_int_equal(run.kill.unreadable, 2); /* 101 and PID 1, for 100 is dead */
	finish_with("group 100 KILL\n100 KILL\n");
	assert_true(fake_is_alive(101));
}

static void test_namespace_of_zombie_leader(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .mntns = CONTAINER, .pgrp = 100, .session = 100, .state = 'Z',
		.threads = 3);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	nskill(100);
	assert_false(fake_is_alive(100));
	assert_false(fake_is_alive(101));
	finish();
}

/* Nothing but the namespace ties it, and it comes when all have got their signal. */
static void orphan_in_namespace(void)
{
	pid_t pid = fake.last_pid + 1;

	PROCESS(.pid = pid, .pgrp = pid, .session = pid, .mntns = CONTAINER,
		.started = fake_ticks());
}

static void test_newcomer_in_namespace(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	bystander(103);
	fake_after(DOOR_SIGNAL, 101, 1, orphan_in_namespace);
	nskill(100);
	finish_with("100 KILL\n101 KILL\n104 KILL\n");
}

/* Nobody but him is left to be compared with the target, who is not to be seen any more. */
static void test_elder_in_one_tick(void **state)
{
	(void)state;
	bystander(90);
	fake_join(90, CONTAINER);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER,
		.started = fake_process(90)->started);
	resolve(100);
	fake_end(100);
	plan();
	carry_out();
	finish_with("");
}

static void test_younger_in_one_tick(void **state)
{
	(void)state;
	fake.group_signal = false;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER,
		.started = fake_process(100)->started);
	resolve(100);
	fake_end(100);
	plan();
	carry_out();
	finish_with("101 KILL\n");
}

/* It is gone as soon as it was read in full. */
static void test_struck_by_namespace(void **state)
{
	(void)state;
	fake.group_signal = false;
	leaves_session = true;
	container();
	hopper = PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	run.orders.deadline = fake.now + S;
	fake_cost(DOOR_ANY, 1000);
	fake_after_every(DOOR_SCAN_PROCESS, 0, hop);
	nskill(100);
	assert_false(run.kill.timed_out);
	assert_false(fake_is_alive(hopper));
	finish();
}

/* PID namespaces. */

static void follow_pid_namespaces(void)
{
	fake.namespace_kind = SCOPE_PID;
	run.orders.rules.kinds |= SCOPE_BIT(SCOPE_PID);
}

/* The target is in the group of the init, and the first by all other rules. */
static void init_beside_target(uint64_t dying)
{
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .pidns_init = true);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER, .dying = dying);
	PROCESS(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102, .dying = dying);
}

static void test_init_is_first(void **state)
{
	(void)state;
	follow_pid_namespaces();
	init_beside_target(3 * S);
	nskill(100);
	for (pid_t pid = 100; pid <= 102; pid++)
		assert_fate(pid, FATE_ENDED);
	assert_elapsed(3 * S);
	finish_with("101 KILL\ngroup 100 KILL\ngroup 102 KILL\n100 KILL\n102 KILL\n");
}

/* The kernel ends them: it matters not that nskill may not. */
static void test_denied_ends_with_init(void **state)
{
	(void)state;
	fake.group_signal = false;
	follow_pid_namespaces();
	init_beside_target(S);
	fake_process(102)->denied = EPERM;
	nskill(100);
	assert_fate(102, FATE_ENDED);
	assert_elapsed(S);
	finish_with("101 KILL\n100 KILL\n102 KILL EPERM\n");
}

static void test_init_is_listed_first(void **state)
{
	(void)state;
	follow_pid_namespaces();
	init_beside_target(0);
	bystander(90);
	resolve(100);
	plan();
	assert_int_equal(run.kill.victim_count, 3);
	for (size_t i = 0; i < 3; i++) {
		static const pid_t order[] = { 101, 100, 102 };

		assert_int_equal(run.kill.victims[i]->process.pid, order[i]);
	}
	finish_with("");
}

static void test_init_before_another_target(void **state)
{
	(void)state;
	fake.group_signal = false;
	follow_pid_namespaces();
	daemon_of(1, 110);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER, .pidns_init = true);
	resolve(110);
	resolve(100);
	plan();
	carry_out();
	finish_with("100 KILL\n110 KILL\n");
}

static void test_init_in_init(void **state)
{
	(void)state;
	fake.group_signal = false;
	follow_pid_namespaces();
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER, .pidns_init = true);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .dying = S);
	PROCESS(.pid = 102, .ppid = 100, .pgrp = 102, .session = 102, .mntns = SANDBOX,
		.pidns_init = true);
	PROCESS(.pid = 103, .ppid = 102, .pgrp = 103, .session = 103, .dying = S);
	nskill(100);
	finish_with("100 KILL\n102 KILL\n101 KILL\n103 KILL\n");
}

static void test_init_gets_term_first(void **state)
{
	(void)state;
	follow_pid_namespaces();
	run.orders.signal = SIGTERM;
	init_beside_target(S);
	nskill(100);
	finish_with("101 TERM\n101 CONT\n100 TERM\n100 CONT\n102 TERM\n102 CONT\n");
}

static void test_init_of_what_is_not_followed(void **state)
{
	(void)state;
	fake.namespace_kind = SCOPE_PID;
	init_beside_target(S);
	nskill(100);
	finish_with("group 100 KILL\ngroup 102 KILL\n100 KILL\n101 KILL\n102 KILL\n");
}

/* The target's own is the host's: what it has started in another ends as its child. */
static void test_init_below_the_host(void **state)
{
	(void)state;
	follow_pid_namespaces();
	leader();
	PROCESS(.pid = 101, .ppid = 100, .mntns = CONTAINER, .pidns_init = true, .dying = S);
	PROCESS(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102, .dying = S);
	nskill(100);
	finish_with("group 100 KILL\ngroup 102 KILL\n100 KILL\n101 KILL\n102 KILL\n");
}

/* A guest takes no PID namespace: that its init is older keeps it. */
static void test_guest_of_init(void **state)
{
	(void)state;
	follow_pid_namespaces();
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .mntns = CONTAINER, .pidns_init = true,
		.bystander = true);
	PROCESS(.pid = 91, .ppid = 90);
	leader();
	fake_join(100, CONTAINER);
	nskill(100);
	finish_with("group 100 KILL\n100 KILL\n");
}

/* What is told while it happens. */

static char told[256];

static void tell(void *data, const struct kill_notice *notice)
{
	static const char letters[] = {
		[EVENT_SIGNALLED] = 's', [EVENT_GROUP] = 'g',	  [EVENT_STOPPED] = 't',
		[EVENT_NEWCOMER] = 'n',	 [EVENT_ENDED] = 'e',	  [EVENT_VANISHED] = 'v',
		[EVENT_DENIED] = 'd',	 [EVENT_ESCALATED] = 'k',
	};
	size_t used = strlen(told);

	assert_ptr_equal(data, &run);
	assert_true(used + 1 < sizeof(told));
	told[used] = letters[notice->event];
}

static void listen(void)
{
	memset(told, 0, sizeof(told));
	run.orders.notify = tell;
	run.orders.data = &run;
}

static void test_told(void **state)
{
	(void)state;
	listen();
	kill_after(S);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .handler = fork_100);
	PROCESS(.pid = 101, .ppid = 100, .denied = EPERM);
	nskill(100);
	assert_string_equal(told, "sdnkgssee");
	finish();
}

static void test_told_of_descent(void **state)
{
	(void)state;
	listen();
	guest();
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_unstopped);
	nskill(100);
	assert_string_equal(told, "nttssee");
	finish();
}

/* A file that is another user's. */

#define OWNER 1000

static void resolve_as_owner(pid_t pid)
{
	struct identity identity = {
		.name = FAKE_PIDFILE, .pid = pid, .owned = true, .owner = OWNER
	};

	resolve_identity(&identity);
}

static pid_t left[8];
static size_t left_count;

static void note_left(void *data, const struct kill_notice *notice)
{
	(void)data;
	if (notice->event == EVENT_LEFT)
		left[left_count++] = notice->victim->process.pid;
}

static void owned_leader(void)
{
	left_count = 0;
	run.orders.notify = note_left;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .user = OWNER);
}

static void assert_left(pid_t pid)
{
	assert_fate(pid, FATE_LEFT);
	assert_int_equal(left_count, 1);
	assert_int_equal(left[0], pid);
	assert_true(fake_is_alive(pid));
}

static void test_owner_leaves_cgroup(void **state)
{
	(void)state;
	cgroup_of_two();
	fake_process(100)->user = OWNER;
	fake_process(101)->bystander = true;
	resolve_as_owner(100);
	plan();
	carry_out();
	assert_fate(101, FATE_LEFT);
	assert_int_equal(fake_calls(DOOR_CGROUP_OPEN), 0);
	finish_with("100 KILL\n");
}

static void test_owner_leaves(void **state)
{
	(void)state;
	owned_leader();
	PROCESS(.pid = 101, .ppid = 100, .user = OWNER);
	PROCESS(.pid = 102, .ppid = 100, .bystander = true);
	PROCESS(.pid = 103, .ppid = 100, .user = OWNER + 1, .namespace_user = OWNER);
	PROCESS(.pid = 104, .ppid = 100, .user = OWNER + 1, .saved_user = OWNER);
	resolve_as_owner(100);
	plan();
	carry_out();
	assert_left(102);
	assert_fate(100, FATE_ENDED);
	assert_int_equal(run.kill.victim_count, 5);
	assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 0);
	assert_false(run.kill.timed_out);
	assert_elapsed(0);
	finish_with("100 KILL\n101 KILL\n103 KILL\n104 KILL\n");
}

/* Of a file that may name anybody the group is struck all the same. */
static void test_owner_of_one_target(void **state)
{
	(void)state;
	owned_leader();
	PROCESS(.pid = 110, .pgrp = 110, .session = 110);
	resolve_as_owner(100);
	resolve(110);
	plan();
	carry_out();
	finish_with("group 110 KILL\n100 KILL\n110 KILL\n");
}

static void fork_foreign(void)
{
	pid_t child = fake_fork(101);

	fake_process(child)->bystander = true;
	fake_process(child)->user = 0;
}

static void test_owner_leaves_newcomers(void **state)
{
	(void)state;
	owned_leader();
	PROCESS(.pid = 101, .pgrp = 101, .session = 100, .user = OWNER);
	resolve_as_owner(100);
	plan();
	fake_after(DOOR_PIN, 101, 1, fork_foreign);
	carry_out();
	assert_left(102);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void fork_owned(void)
{
	fake_process(fake_fork(101))->user = OWNER;
}

static void test_owner_takes_newcomers(void **state)
{
	(void)state;
	owned_leader();
	PROCESS(.pid = 101, .pgrp = 101, .session = 100, .user = OWNER);
	resolve_as_owner(100);
	plan();
	fake_after(DOOR_PIN, 101, 1, fork_owned);
	carry_out();
	assert_fate(102, FATE_ENDED);
	assert_int_equal(left_count, 0);
	finish_with("100 STOP\n101 STOP\n102 STOP\n100 KILL\n101 KILL\n102 KILL\n");
}

/* What descent alone ties is stopped, and its children listed: those of others not even stopped. */
static void test_owner_leaves_children_of_the_stopped(void **state)
{
	(void)state;
	left_count = 0;
	run.orders.notify = note_left;
	guest();
	fake_process(100)->user = OWNER;
	PROCESS(.pid = 101, .ppid = 100, .user = OWNER);
	resolve_as_owner(100);
	plan();
	fake_after(DOOR_SIGNAL, 101, 1, fork_foreign);
	carry_out();
	assert_left(102);
	finish_with("100 STOP\n101 STOP\n100 KILL\n101 KILL\n");
}

static void test_owner_leaves_after_escalation(void **state)
{
	(void)state;
	owned_leader();
	fake_process(100)->ignores = true;
	PROCESS(.pid = 101, .ppid = 100, .bystander = true);
	run.orders.signal = SIGTERM;
	run.orders.kill_after = S;
	resolve_as_owner(100);
	plan();
	carry_out();
	assert_left(101);
	assert_elapsed(S);
	finish_with("100 TERM\n100 CONT\n100 KILL\n");
}

static void become_root(void)
{
	fake_process(101)->user = 0;
	fake_process(101)->bystander = true;
}

/* Whose it is counts when it is pinned, not when it is found. */
static void test_owner_changes(void **state)
{
	(void)state;
	owned_leader();
	PROCESS(.pid = 101, .ppid = 100, .user = OWNER);
	resolve_as_owner(100);
	plan();
	fake_after(DOOR_PIN, 101, 1, become_root);
	carry_out();
	assert_left(101);
	finish_with("100 KILL\n");
}

/* Another target takes it along, and that one's file may name anybody. */
static void test_owner_does_not_protect_from_others(void **state)
{
	for (int swapped = 0; swapped <= 1; swapped++) {
		set_up(state);
		owned_leader();
		PROCESS(.pid = 110, .pgrp = 110, .session = 110);
		PROCESS(.pid = 111, .ppid = 110, .pgrp = 111, .session = 100);
		if (swapped)
			resolve(110);
		resolve_as_owner(100);
		if (!swapped)
			resolve(110);
		plan();
		carry_out();
		assert_false(fake_is_alive(110));
		assert_false(fake_is_alive(111));
		finish();
	}
}

/* A number that has gone to another. */

static void resolve_record(bool dead, uint64_t mntns)
{
	struct identity identity = {
		.name = FAKE_PIDFILE,
		.pid = 100,
		.start_ticks = 4000,
		.record = { .boot = FAKE_BOOT, .time = 6000, .dead = dead },
	};

	if (mntns) {
		identity.record.namespaces[0].inode = mntns;
		identity.record.namespaces[0].id = fake_unique_id(mntns);
		identity.record.namespace_count = 1;
	}
	resolve_identity(&identity);
}

/* 100 is another's by now, who leads a group, a session and a container of his own. */
static void successor(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = SANDBOX, .bystander = true);
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .pgrp = 100, .session = 102, .bystander = true);
	PROCESS(.pid = 103, .pgrp = 103, .session = 100, .mntns = SANDBOX, .bystander = true);
	PROCESS(.pid = 104, .pgrp = 104, .session = 104, .mntns = SANDBOX, .bystander = true);
}

static void test_reused(void **state)
{
	for (int all = 0; all <= 1; all++) {
		set_up(state);
		successor();
		run.orders.rules.all = all;
		resolve_record(false, 0);
		assert_true(run.targets[0].reused);
		plan();
		assert_int_equal(run.kill.victim_count, 0);
		carry_out();
		assert_int_equal(fake_calls(DOOR_SIGNAL_GROUP), 0);
		finish_with("");
	}
}

/* Who bore it after the target has left a group and a session at the first look, too. */
static void test_reused_and_gone(void **state)
{
	(void)state;
	successor();
	fake_process(101)->ppid = 1;
	resolve_record(false, 0);
	fake_end(100);
	plan();
	carry_out();
	finish_with("");
}

static void test_reused_with_namespace(void **state)
{
	for (int all = 0; all <= 1; all++) {
		set_up(state);
		fake.group_signal = false;
		successor();
		PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER);
		PROCESS(.pid = 111, .ppid = 110, .pgrp = 111, .session = 111, .mntns = 503);
		run.orders.rules.all = all;
		resolve_record(false, CONTAINER);
		assert_true(run.targets[0].reused);
		plan();
		carry_out();
		finish_with("110 KILL\n111 KILL\n");
	}
}

/* The age rule counts from the recorded start. */
static void test_recorded_namespace_of_guest(void **state)
{
	(void)state;
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER, .started = 3999,
		.bystander = true);
	PROCESS(.pid = 111, .pgrp = 111, .session = 111, .mntns = CONTAINER, .bystander = true);
	resolve_record(false, CONTAINER);
	plan();
	carry_out();
	finish_with("");
}

static void end_110(void)
{
	fake_end(110);
}

static void test_recorded_elder_dies(void **state)
{
	(void)state;
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER, .started = 3999);
	PROCESS(.pid = 111, .pgrp = 111, .session = 111, .mntns = CONTAINER, .bystander = true);
	resolve_record(false, CONTAINER);
	fake_after(DOOR_SCAN_ALL, 0, 1, end_110);
	plan();
	carry_out();
	finish_with("");
}

/* Where a record tells the namespaces, stand-ins die, but do not lead to others. */
static void test_recorded_stand_ins(void **state)
{
	(void)state;
	fake.group_signal = false;
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER);
	PROCESS(.pid = 111, .pgrp = 100, .session = 111, .mntns = SANDBOX);
	PROCESS(.pid = 112, .pgrp = 112, .session = 112, .mntns = SANDBOX, .started = 9999,
		.bystander = true);
	fake_process(111)->started = 9999;
	fake_process(111)->inode = 2;
	fake_process(112)->inode = 1;
	resolve_record(true, CONTAINER);
	plan();
	carry_out();
	finish_with("110 KILL\n111 KILL\n");
}

/* It is held from the first look on, so that its number stays its own until the end. */
static void test_recorded_namespace_is_held(void **state)
{
	(void)state;
	fake.group_signal = false;
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER);
	PROCESS(.pid = 120, .pgrp = 120, .session = 120, .mntns = SANDBOX, .bystander = true);
	resolve_record(false, CONTAINER);
	fake_end(110);
	assert_int_not_equal(fake_unshare(120), CONTAINER);
	plan();
	carry_out();
	finish_with("");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("the target is first, the others follow by start tick and PID", test_order),
		TEST("several targets are first, as given", test_order_of_targets),
		TEST("a target that belongs to another is among the first, too",
		     test_target_of_target),
		TEST("a target that is named twice is listed once", test_target_twice),
		TEST("the plan lists all and signals nobody", test_plan_signals_nobody),
		TEST("of other users it tells who may not be signalled", test_foreseen),
		TEST("and to who is not root, of all", test_foreseen_by_a_user),
		TEST("the end is waited for, and not a moment longer", test_waits_for_the_end),
		TEST("a group that fell is struck as a whole, then each of it", test_group_first),
		TEST("it is struck through its leader alone", test_group_by_its_leader_alone),
		TEST("every group that fell is struck", test_every_group_that_fell),
		TEST("a kernel that cannot strike groups is asked once", test_no_group_signal),
		TEST("and not again when others are found", test_no_group_signal_again),
		TEST("a group that did not fall is not struck", test_group_that_did_not_fall),
		TEST("a group that is not followed is not struck", test_group_unasked),
		TEST("a group that nskill is in is not struck", test_group_guarded),
		TEST("a group is not struck with another signal than KILL", test_group_term),
		TEST("the group of a zombie target is struck through it",
		     test_group_of_zombie_target),
		TEST("and when it was reaped after it had been pinned",
		     test_group_of_target_reaped_since),
		TEST("the group of a target that was gone before is not struck",
		     test_group_of_gone_target),
		TEST("whom a strike did not reach is found out", test_group_reached_in_part),
		TEST("a cgroup that fell is struck as a whole, then each of it", test_cgroup),
		TEST("nothing is asked of cgroups by default", test_cgroup_unasked),
		TEST("where the kernel has no cgroup.kill each is signalled", test_cgroup_missing),
		TEST("and where this user may not write it", test_cgroup_denied),
		TEST("the strike reaches those who may not be signalled",
		     test_cgroup_of_other_users),
		TEST("a cgroup is not struck with another signal than KILL", test_cgroup_term),
		TEST("but when KILL follows that", test_cgroup_escalated),
		TEST("a cgroup is not struck when nskill has come to be in it",
		     test_cgroup_nskill_comes),
		TEST("nor when somebody hidden is in it", test_cgroup_hidden),
		TEST("nor when somebody in it is found to belong elsewhere", test_cgroup_passer_by),
		TEST("who was born in it since the look is struck, too", test_cgroup_newborn),
		TEST("a newcomer is known by its cgroup", test_cgroup_chase),
		TEST("who moves in is found by the last look", test_cgroup_moved_in),
		TEST("who moves out belongs still", test_cgroup_moved_out),
		TEST("a cgroup with somebody older in it is not struck", test_cgroup_shared),
		TEST("the cgroup of a stand-in is struck", test_cgroup_stand_in),
		TEST("another user's file strikes no cgroup", test_owner_leaves_cgroup),
		TEST("a stranger with a victim's PID and start tick lives, and is named",
		     test_reuse_in_one_tick),
		TEST("such a stranger lives when it leads a group of that number, too",
		     test_reuse_by_leader_in_one_tick),
		TEST("who has ended while it was read is nobody to be named",
		     test_reuse_in_one_tick_and_end),
		TEST("a stranger with a victim's PID alone lives", test_reuse_later),
		TEST("a stranger who takes the PID after the pin lives", test_reuse_after_pin),
		TEST("without pidfs the stranger lives, too", test_reuse_without_pidfs),
		TEST("a newcomer who leads a group of a dead member's number lives",
		     test_reuse_during_the_chase),
		TEST("and so when the signal is not KILL", test_reuse_during_the_chase_of_term),
		TEST("a stranger with a killed member's PID and start tick lives with its child",
		     test_reuse_after_the_kill),
		TEST("a stranger with a zombie's PID and start tick lives, without pidfs",
		     test_reuse_of_a_zombie_in_one_tick),
		TEST("a stranger who leads by the number of a group that --all took lives",
		     test_reuse_of_what_all_took),
		TEST("who is in a group that a stranger may have led is left, and named",
		     test_number_passed),
		TEST("and so when its leader had started in the tick of the look",
		     test_number_of_the_young_passed),
		TEST("and so when it has ended between the pin and the hold",
		     test_number_of_another_held),
		TEST("who is in the group of one who cannot be seen is not held",
		     test_number_of_a_hidden_one),
		TEST("and so when time is up", test_number_passed_when_time_is_up),
		TEST("and so when a newcomer had led the group", test_number_of_a_newcomer_passed),
		TEST("and so when --all had taken the group", test_number_passed_of_what_all_took),
		TEST("and so is who came to it with a chosen number",
		     test_last_look_at_what_all_took),
		TEST("and its child, when it has ended after the last look",
		     test_who_is_in_doubt_ends_after_the_last_look),
		TEST("but not when the group of its leader was held, which is empty",
		     test_stranger_in_a_group_that_was_held),
		TEST("nobody in a later group of the number is taken, when the target was named "
		     "first",
		     test_stranger_in_the_group_of_who_was_reaped),
		TEST("nor when nobody bore it before the look", test_stranger_in_a_later_group),
		TEST("who stands in leads on, though nskill is in the group, too",
		     test_stand_in_beside_nskill),
		TEST("a group that is held and not empty is the same when its number is passed",
		     test_number_passed_of_what_is_held),
		TEST("where none can be held, it is in doubt",
		     test_number_passed_of_what_cannot_be_held),
		TEST("with few descriptors no group is held", test_holds_make_way),
		TEST("a session whose leader was pinned is the same when its number is passed",
		     test_number_passed_of_who_was_pinned),
		TEST("where the kernel does not tell, it is in doubt",
		     test_number_passed_of_a_session),
		TEST("a group that was never empty is led by who is known to have led it",
		     test_number_passed_over),
		TEST("where no number was handed out, none has been passed", test_no_number_passed),
		TEST("a child whose parent died after the look is killed", test_reparented),
		TEST("orphans are killed below a subreaper that lives",
		     test_reparented_to_subreaper),
		TEST("a child forked after the look is killed", test_fork_after_the_look),
		TEST("one whose group may not be asked for is read at length",
		     test_newcomer_not_to_be_peeked_at),
		TEST("a child that left every scope is known by its parent, who is stopped first",
		     test_fork_and_leave_everything),
		TEST("one that forked during the look is stopped first, since it will again",
		     test_fork_during_the_look),
		TEST("an orphan born while the others are stopped is stopped first, too",
		     test_newcomer_while_all_are_stopped),
		TEST("newcomers are found where numbers start again", test_wrap_around),
		TEST("one that hops from fork to fork in a group ends", test_hopper_in_group),
		TEST("one that hops at every call ends by the strike of its group",
		     test_hopper_in_struck_group),
		TEST("one that hops from fork to fork in a session ends", test_hopper_in_session),
		TEST("when time is up before newcomers could be read, nothing is certain",
		     test_vanishing_when_time_is_up),
		TEST("when a number of rounds in a row has read none, it is",
		     test_vanishing_while_there_is_time),
		TEST("the first look finds who is in a group that a child has led and left",
		     test_led_and_left),
		TEST("who escaped the chase is found by the last look", test_last_look),
		TEST("and so is who has come to a sandbox that fell",
		     test_last_look_into_a_sandbox),
		TEST("and so is a child of one that may not be signalled",
		     test_last_look_at_children),
		TEST("who was born during the last look is found", test_born_during_the_last_look),
		TEST("who was born during the last look gets TERM once",
		     test_born_during_the_last_look_of_term),
		TEST("a newborn that cannot be had at once is asked for again", test_newborn),
		TEST("a newborn that is slower still is found before the last look",
		     test_newborn_a_moment_later),
		TEST("a newcomer is struck before it is read in full", test_struck_at_a_glance),
		TEST("who was struck so is waited for, even if it has left the group",
		     test_struck_is_waited_for),
		TEST("a child that bears the number of a member has a group of its own",
		     test_child_bears_members_number),
		TEST("and leads the session that bears its number", test_struck_leads),
		TEST("CONT follows TERM, INT, HUP and QUIT, and no other", test_continued),
		TEST("a stopped process gets its TERM", test_stopped_gets_term),
		TEST("after --kill-after what is left is killed", test_escalation),
		TEST("and not a moment later", test_escalation_in_time),
		TEST("but never after a time that is beyond all times",
		     test_escalation_beyond_all_times),
		TEST("--kill-after is not waited for when all have ended",
		     test_no_escalation_needed),
		TEST("KILL is not escalated", test_kill_is_not_escalated),
		TEST("newcomers are noted and killed after --kill-after", test_newcomers_are_noted),
		TEST("so are those that the last look finds", test_noted_newcomer_of_last_look),
		TEST("newcomers that end by themselves before that get nothing",
		     test_noted_newcomer_is_waited_for),
		TEST("without --kill-after newcomers get the signal once",
		     test_newcomers_get_term_once),
		TEST("so do those that the last look finds",
		     test_newcomer_of_last_look_gets_term_once),
		TEST("nobody is stopped before another signal than KILL", test_term_stops_nobody),
		TEST("what only descent ties is stopped before it is killed",
		     test_descent_is_stopped),
		TEST("and so is who leads a group among those", test_leader_among_descent),
		TEST("a child forked before the stop is killed", test_child_before_the_stop),
		TEST("a child with the number of one that ended is killed, though time is up",
		     test_child_with_a_number_of_old),
		TEST("a child forked while its parent stops is killed", test_child_during_the_stop),
		TEST("a grandchild forked while its parent stops is killed",
		     test_grandchild_during_the_stop),
		TEST("a child that is on the list for another target is not stopped again",
		     test_child_of_two_targets),
		TEST("a child that is hidden in /proc is stopped and killed", test_hidden_child),
		TEST("one that may not be signalled either is named", test_hidden_child_denied),
		TEST("who has the number of a child is not stopped for that",
		     test_child_is_a_stranger),
		TEST("nor is a child of who has the number of its parent",
		     test_parent_is_a_stranger),
		TEST("one that cannot be pinned either is told of", test_hidden_child_unpinned),
		TEST("one that is continued by others is stopped again",
		     test_continued_while_stopping),
		TEST("one that waits in vfork is stopped by the end of its child", test_vfork),
		TEST("and so is one whose child leads a group", test_vfork_of_leader),
		TEST("and so is one whose child waits in vfork, too", test_vfork_in_vfork),
		TEST("one that does not stop is killed after some time, and that is told of",
		     test_stop_is_bounded),
		TEST("a quarter of the time that is left is spent on it", test_patience),
		TEST("one that does not stop does not pass the deadline",
		     test_stop_ends_with_the_deadline),
		TEST("one that forks and does not stop does not pass the deadline",
		     test_stop_ends_while_forks_go_on),
		TEST("one that has ended needs no stop", test_death_during_the_stop),
		TEST("members that answer kills with forks are stopped first",
		     test_bomb_is_stopped),
		TEST("and so when some were born while others were waited for",
		     test_births_during_the_wait),
		TEST("who may not be signalled is named, and the others die", test_denied),
		TEST("what a denied one leaves as it ends after the last look is killed",
		     test_denied_ends_after_the_last_look),
		TEST("and so when it ends while that is taken", test_denied_ends_during_the_proof),
		TEST("who may not be stopped is named, and the others die", test_denied_stop),
		TEST("who cannot be killed is left exactly at the deadline", test_unkillable),
		TEST("and so after --kill-after", test_unkillable_after_escalation),
		TEST("who ends exactly at the deadline has ended", test_ended_at_the_deadline),
		TEST("so has who ends a moment later, before the last newcomers are looked for",
		     test_ended_after_the_deadline),
		TEST("a timeout of 0 is one look after the signals", test_timeout_0),
		TEST("a timeout of 0 is enough for many who have ended", test_timeout_0_of_many),
		TEST("five hundred are killed", test_many),
		TEST("without a deadline the wait is as long as it takes", test_no_deadline),
		TEST("an interrupt ends the wait, and survivors stay listed", test_interrupt),
		TEST("so does one that comes before the wait", test_interrupt_at_once),
		TEST("an interrupt comes before --kill-after", test_interrupt_before_escalation),
		TEST("who was stopped is killed whatever interrupts",
		     test_interrupt_while_stopping),
		TEST("more than can be pinned are killed in batches", test_batches),
		TEST("another look is taken before one that is as young as the last",
		     test_batch_of_the_young),
		TEST("every batch gets the first signal", test_batches_get_the_first_signal),
		TEST("a batch that does not end ends the run at the deadline",
		     test_batch_that_does_not_end),
		TEST("a child that could not be pinned at once does not escape",
		     test_child_beyond_the_descriptors),
		TEST("a child that could not be pinned before it was stopped is killed",
		     test_child_beyond_the_descriptors_is_stopped),
		TEST("a newcomer beyond the descriptors ends, although it has left",
		     test_newcomer_beyond_the_descriptors),
		TEST("who may not be killed any more when it was stopped is set going",
		     test_denied_after_the_stop),
		TEST("those who may not be signalled do not keep the descriptors of the others",
		     test_denied_do_not_keep_descriptors),
		TEST("one of those that is a zombie by now has ended", test_denied_is_a_zombie),
		TEST("nor is it left stopped when an order to stop comes",
		     test_interrupt_after_a_late_stop),
		TEST("a process that nobody may pin ends the run", test_pin_fails),
		TEST("but not one that cannot be seen any more", test_pin_of_hidden),
		TEST("so does one that is there although pinning says it is on its way out",
		     test_pin_lies),
		TEST("where nskill does not see itself it does nothing", test_hidden_nskill),
		TEST("zombies are not signalled, but with live threads they are", test_zombies),
		TEST("the tracer of a survivor is known", test_tracer_is_named),
		TEST("who is dead and not reaped is known, with the parent", test_unreaped),
		TEST("and once where it belonged to two targets", test_unreaped_of_two_targets),
		TEST("a stranger with the target's PID and start tick lives with its child",
		     test_target_reused_in_one_tick),
		TEST("a stranger with the target's PID lives with its child",
		     test_target_reused_later),
		TEST("a target that left nothing is no error", test_nothing_left),
		TEST("what bears the number of a target of another boot lives", test_over),
		TEST("who is in the group of a target of another boot lives", test_over_with_group),
		TEST("nor is one that a member made then, and that has its id",
		     test_sandbox_not_held_by_another),
		TEST("a sandbox whose members ended before it could be held is known again",
		     test_sandbox_known_again),
		TEST("the init of a PID namespace that is followed is struck before all others",
		     test_init_is_first),
		TEST("who may not be signalled ends with it", test_denied_ends_with_init),
		TEST("the plan lists it first", test_init_is_listed_first),
		TEST("it is struck before a target that was given before",
		     test_init_before_another_target),
		TEST("so are the inits of PID namespaces inside", test_init_in_init),
		TEST("it gets another signal than KILL first, too", test_init_gets_term_first),
		TEST("the init of one that is not followed has its turn",
		     test_init_of_what_is_not_followed),
		TEST("so has the init of one that a target outside has made",
		     test_init_below_the_host),
		TEST("a guest in a PID namespace ends alone", test_guest_of_init),
		TEST("each event is told as it happens", test_told),
		TEST("stops and children are told as they happen", test_told_of_descent),
		TEST("members that the file's owner may not name are left, and no group is struck",
		     test_owner_leaves),
		TEST("the group of another target is struck all the same",
		     test_owner_of_one_target),
		TEST("so do those that are born while others are waited for",
		     test_newcomer_of_the_wait_gets_term_once),
		TEST("one that is born when time is up is listed with the survivors",
		     test_newcomer_of_the_last_moment_is_listed),
		TEST("newcomers are not struck before it is known whose they are",
		     test_owner_leaves_newcomers),
		TEST("newcomers of the file's owner are killed", test_owner_takes_newcomers),
		TEST("children of the stopped are left, too",
		     test_owner_leaves_children_of_the_stopped),
		TEST("who was left is left by --kill-after, too",
		     test_owner_leaves_after_escalation),
		TEST("who has become another user's when it is pinned is left", test_owner_changes),
		TEST("who belongs to another target as well is killed for that",
		     test_owner_does_not_protect_from_others),
		TEST("nothing of who bears a reused number is touched", test_reused),
		TEST("nor of what he left behind", test_reused_and_gone),
		TEST("of a reused number the recorded mount namespace alone falls",
		     test_reused_with_namespace),
		TEST("a recorded mount namespace with somebody older than the target lives",
		     test_recorded_namespace_of_guest),
		TEST("and so when he dies before the last look", test_recorded_elder_dies),
		TEST("stand-ins lead to no other mount namespace than the recorded",
		     test_recorded_stand_ins),
		TEST("a recorded mount namespace keeps its number until the end",
		     test_recorded_namespace_is_held),
	};

	static const struct CMUnitTest of_each_kind[] = {
		TEST("all of it has ended, and a bystander lives", test_ended),
		TEST("a child that left the session is known by its namespace",
		     test_fork_into_own_session),
		TEST("newcomers that do not belong live, and threads are no newcomers",
		     test_newcomer_bystander),
		TEST("a newcomer is known by its namespace alone", test_newcomer_in_namespace),
		TEST("and is struck for that before it is read in full", test_struck_by_namespace),
		TEST("somebody older of the same tick keeps the namespace of a target that has "
		     "died",
		     test_elder_in_one_tick),
		TEST("somebody younger of the same tick does not", test_younger_in_one_tick),
		TEST("one that hops from session to session in a namespace ends",
		     test_hopper_in_namespace),
		TEST("one that is faster than every look ends the run at the deadline",
		     test_hopper_that_is_faster),
		TEST("a target that died before the look still leads", test_target_gone_since),
		TEST("a target that died after the look still leads",
		     test_target_gone_after_the_look),
		TEST("the namespace of a dead target lives where it holds an init",
		     test_init_of_pid_namespace),
		TEST("a namespace that died is not followed when its id is given away",
		     test_namespace_reused),
		TEST("a namespace is not held through a stranger with a member's PID",
		     test_namespace_held_through_stranger),
		TEST("a sandbox that died is not followed when its id is given away",
		     test_sandbox_reused),
		TEST("nor who has its founder's PID and start tick, too, and is named",
		     test_sandbox_reused_with_pid_in_one_tick),
		TEST("who started in the tick of the look belongs to one that its founder keeps",
		     test_sandbox_kept_by_a_founder),
		TEST("the id of a namespace that is followed is not given away",
		     test_namespace_is_held),
		TEST("nor is one followed that falls by the last look, and nobody holds",
		     test_sandbox_of_the_last_look),
		TEST("who has no namespace any more is on its way out, and nobody to be named",
		     test_on_its_way_out),
		TEST("a namespace that may not be read is not followed", test_unreadable_namespace),
		TEST("the namespace of a zombie leader with live threads falls",
		     test_namespace_of_zombie_leader),
	};

	return RUN_WITH_KINDS("kill", tests, of_each_kind);
}
