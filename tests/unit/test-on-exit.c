/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait of --on-exit, on the fake system: hours go by between the first look and the end of a
 * target, and numbers go round. Who ends then, and who must live.
 */
#include "config.h"

#include "../fake/system.h"
#include "kinds.h"

#include "core/kill.h"
#include "core/target.h"
#include "core/vigil.h"
#include "linux/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, NULL, NULL                                             \
	}
#define CONTAINER UINT64_C(501)
#define SANDBOX	  UINT64_C(502)
#define S	  NS_PER_SECOND
#define HOUR	  (3600 * S)
#define SCRIPT	  60 /* leads a group and a session that others can be guests of */
#define TARGETS	  4

static struct {
	struct target targets[TARGETS];
	size_t count;
	struct kill_orders orders;
	struct kill kills[TARGETS]; /* one for each target */
	struct vigil vigil;
	struct error error;
	uint64_t began;
} run;

static int set_up(void **state)
{
	fake_reset();
	fake.namespace_kind = tested_kind(state);
	fake.group_signal = false;
	memset(&run, 0, sizeof(run));
	run.began = fake.now;
	run.vigil = VIGIL_NULL;
	for (size_t i = 0; i < TARGETS; i++)
		run.kills[i].watch = WATCH_NULL;
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT | SCOPE_BIT(fake.namespace_kind) },
		.signal = SIGKILL,
		.deadline = fake.now + 10 * S,
	};
	return 0;
}

static void resolve_identity(const struct identity *identity)
{
	assert_int_equal(target_open(&run.targets[run.count], identity, FAKE_NSKILL, fake_scan(),
				     &run.error),
			 0);
	run.count++;
}

static void resolve(pid_t pid)
{
	struct identity identity = { .pid = pid };

	resolve_identity(&identity);
}

static void look_first(void)
{
	assert_int_equal(vigil_open(&run.vigil, run.targets, run.count), 0);
	for (size_t i = 0; i < run.count; i++) {
		run.orders.targets = &run.targets[i];
		run.orders.target_count = 1;
		assert_int_equal(kill_plan(&run.kills[i], &run.orders, &run.error), 0);
	}
}

/* From here on a test says what happens while nskill waits. */
static void wait_for_a_while(pid_t pid)
{
	resolve(pid);
	look_first();
	fake.now += HOUR;
}

/* So long that every number can have been handed out twice. */
static void wait_for(pid_t pid)
{
	wait_for_a_while(pid);
	fake.forks += (uint64_t)fake.pid_max;
}

static struct kill *kill_of(const struct target *target)
{
	return &run.kills[target - run.targets];
}

static struct target *next_end(void)
{
	struct target *ended = NULL;
	int signal = 0;

	assert_int_equal(vigil_next(&run.vigil, &ended, &signal), 1);
	assert_true(ended->dead);
	return ended;
}

static void look_again(struct target *ended)
{
	const struct numbers since = vigil_numbers(&run.vigil);

	assert_int_equal(kill_plan_again(kill_of(ended), fake.now + 10 * S, &since, &run.error), 0);
}

static void carry_out(struct target *ended)
{
	assert_int_equal(kill_carry_out(kill_of(ended), &run.error), 0);
}

static void release(struct target *ended)
{
	kill_clear(kill_of(ended));
	target_close(ended);
}

/* The next target that has ended, and what it has left. */
static pid_t end_what_is_left(void)
{
	struct target *ended = next_end();

	look_again(ended);
	carry_out(ended);
	release(ended);
	return ended->process.pid;
}

static void assert_all_have_ended(void)
{
	struct target *ended = NULL;
	int signal = 0;

	assert_int_equal(vigil_next(&run.vigil, &ended, &signal), 0);
	assert_null(ended);
	assert_int_equal(signal, 0);
}

/* The end of a run, and whether nothing happened in it that must not. */
static void finish(void)
{
	for (size_t i = 0; i < run.count; i++)
		release(&run.targets[i]);
	vigil_close(&run.vigil);
	fake_check();
}

/* The one target has ended. */
static void finish_with(const char *log)
{
	end_what_is_left();
	assert_all_have_ended();
	assert_string_equal(fake_log(), log);
	finish();
}

static void assert_elapsed(uint64_t ns)
{
	assert_int_equal(fake.now - run.began, ns);
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
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT);
	PROCESS(.pid = 100, .ppid = SCRIPT);
}

/* One that leads another group and session than its parent. */
static void daemon_of(pid_t parent, pid_t pid)
{
	PROCESS(.pid = pid, .ppid = parent, .pgrp = pid, .session = pid);
}

/* A stranger born now, on a number that may have been another's. */
#define STRANGER(...) PROCESS(.started = fake_ticks(), .bystander = true, __VA_ARGS__)

static void strange_leader(pid_t pid)
{
	STRANGER(.pid = pid, .pgrp = pid, .session = pid);
}

/* Somebody in the group or session of one who may be gone: born now, and its parent is dead. */
#define ORPHAN(...) PROCESS(.started = fake_ticks(), __VA_ARGS__)

/* What is left, and that it was left alone before. */

static void end_100(void)
{
	fake_end(100);
}

static void assert_quiet(void)
{
	assert_string_equal(fake_log(), "");
	assert_int_equal(fake_calls(DOOR_SIGNAL), 0);
}

static void everything_of_100(void)
{
	container();
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .pgrp = 102, .session = 100);
	PROCESS(.pid = 103, .pgrp = 103, .session = 103, .mntns = CONTAINER);
	daemon_of(101, 104);
	fake_join(104, FAKE_HOST);
	PROCESS(.pid = 105, .pgrp = 105, .session = 105, .bystander = true);
}

static void test_all_that_is_left(void **state)
{
	(void)state;
	everything_of_100();
	resolve(100);
	look_first();
	fake_in(3 * HOUR - 1, assert_quiet);
	fake_in(3 * HOUR, end_100);
	finish_with("101 KILL\n102 KILL\n103 KILL\n104 KILL\n");
	assert_elapsed(3 * HOUR);
	assert_true(fake_is_alive(105));
}

static void test_listed(void **state)
{
	struct target *ended;

	(void)state;
	everything_of_100();
	wait_for(100);
	assert_int_equal(run.kills[0].victim_count, 5);
	fake_end(100);
	ended = next_end();
	look_again(ended);
	assert_int_equal(run.kills[0].victim_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(run.kills[0].victims[i]->process.pid, 101 + i);
		assert_false(run.kills[0].victims[i]->newcomer);
	}
	assert_quiet();
	finish();
}

static void test_born_in_scopes(void **state)
{
	(void)state;
	container();
	wait_for(100);
	ORPHAN(.pid = 201, .pgrp = 100, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 100);
	ORPHAN(.pid = 203, .pgrp = 203, .session = 203, .mntns = CONTAINER);
	ORPHAN(.pid = 204, .ppid = 203, .pgrp = 204, .session = 204, .mntns = FAKE_HOST);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n203 KILL\n204 KILL\n");
}

static void test_struck_as_a_whole(void **state)
{
	(void)state;
	fake.group_signal = true;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	wait_for(100);
	fake_end(100);
	finish_with("group 100 KILL\n101 KILL\n");
}

static void interrupt(void)
{
	fake_interrupt(SIGTERM);
}

static void test_interrupt(void **state)
{
	struct target *ended = NULL;
	int signal = 0;

	(void)state;
	everything_of_100();
	resolve(100);
	look_first();
	fake_in(HOUR, interrupt);
	assert_int_equal(vigil_next(&run.vigil, &ended, &signal), -EINTR);
	assert_int_equal(signal, SIGTERM);
	assert_false(run.targets[0].dead);
	assert_elapsed(HOUR);
	assert_quiet();
	finish();
	for (pid_t pid = 100; pid <= 105; pid++)
		assert_true(fake_is_alive(pid));
}

static void test_interrupt_of_the_kill(void **state)
{
	struct target *ended;

	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .dying = 5 * S);
	wait_for(100);
	fake_end(100);
	ended = next_end();
	look_again(ended);
	fake_in(S, interrupt);
	carry_out(ended);
	assert_int_equal(run.kills[0].interrupt, SIGTERM);
	assert_elapsed(HOUR + S);
	finish();
}

/* Who was known is known still. */

static void leave_everything(pid_t pid)
{
	fake_setsid(pid);
	fake_unshare(pid);
	fake_process(pid)->ppid = 1;
}

static void test_known_child_that_left(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	wait_for(100);
	leave_everything(101);
	fake_end(100);
	finish_with("101 KILL\n");
}

static const struct cgroup cgroup_root = { .id = 1, .path = "/" };
static const struct cgroup cgroup_job = { .id = 57, .parent = &cgroup_root, .path = "/job" };

/* What the target shared its cgroup with, when that is known of nobody else. */
static void with_cgroup(void)
{
	run.orders.rules.kinds |= SCOPE_BIT(SCOPE_CGROUP);
	fake_process(FAKE_NSKILL)->cgroup = &cgroup_root;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .cgroup = &cgroup_job);
}

static void test_cgroup(void **state)
{
	pid_t child;

	(void)state;
	with_cgroup();
	wait_for(100);
	child = fake_fork(100);
	fake_setsid(child);
	fake_process(child)->ppid = 1;
	fake_end(100);
	finish_with("cgroup /job KILL\n101 KILL\n");
	assert_int_equal(child, 101);
}

static const struct cgroup cgroup_jobs = { .id = 60, .parent = &cgroup_root, .path = "/jobs" };

/* The target's own had fallen, but an elder has come there since; one beside it waits for that. */
static void test_cgroup_elder_comes(void **state)
{
	(void)state;
	with_cgroup();
	PROCESS(.pid = 99, .pgrp = 99, .session = 99, .started = 10, .bystander = true);
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .cgroup = &cgroup_jobs);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .bystander = true);
	wait_for(100);
	fake_process(102)->cgroup = &cgroup_jobs;
	fake_process(99)->cgroup = &cgroup_job;
	fake_end(100);
	finish_with("101 KILL\n");
}

static void test_cgroup_elder(void **state)
{
	(void)state;
	with_cgroup();
	PROCESS(.pid = 99, .pgrp = 99, .session = 99, .started = 10, .cgroup = &cgroup_job,
		.bystander = true);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .cgroup = &cgroup_job, .bystander = true);
	wait_for(100);
	fake_end(99);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(101));
}

static void test_unknown_child_that_left(void **state)
{
	pid_t child;

	(void)state;
	container();
	wait_for(100);
	child = fake_fork(100);
	leave_everything(child);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(child));
}

/* Nothing but descent ties either: the one that was seen is known, and its children are. */
static void test_known_child_of_guest(void **state)
{
	pid_t grandchild, child;

	(void)state;
	guest();
	fake_process(SCRIPT)->bystander = true;
	PROCESS(.pid = 101, .ppid = 100);
	fake_process(101)->bystander = false;
	wait_for(100);
	child = fake_fork(100);
	fake_process(101)->ppid = 1;
	grandchild = fake_fork(101);
	fake_end(100);
	end_what_is_left();
	assert_false(fake_is_alive(101));
	assert_false(fake_is_alive(grandchild));
	assert_true(fake_is_alive(child));
	finish();
}

static void test_zombie_member_leads(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 90, .subreaper = true, .bystander = true);
	wait_for(100);
	fake_process(101)->ppid = 90;
	fake_exit(101);
	ORPHAN(.pid = 201, .pgrp = 101, .session = 101);
	fake_end(100);
	finish_with("201 KILL\n");
}

/* Numbers that go round. */

static void test_member_reused(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	wait_for(100);
	fake_end(101);
	strange_leader(101);
	STRANGER(.pid = 201, .ppid = 101);
	STRANGER(.pid = 202, .pgrp = 101, .session = 202);
	STRANGER(.pid = 203, .pgrp = 203, .session = 101);
	fake_end(100);
	finish_with("");
}

/* The number of a member is a stranger's group, whose leader is dead as well. */
static void test_dead_member_reused_and_gone(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	wait_for(100);
	fake_end(101);
	strange_leader(101);
	STRANGER(.pid = 201, .ppid = 101);
	STRANGER(.pid = 202, .pgrp = 202, .session = 101);
	fake_end(101);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(201));
	assert_true(fake_is_alive(202));
}

static void test_group_of_dead_member(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 60);
	PROCESS(.pid = 102, .ppid = 101);
	wait_for(100);
	fake_end(101);
	ORPHAN(.pid = 201, .pgrp = 101, .session = 60);
	fake_end(100);
	finish_with("102 KILL\n201 KILL\n");
}

static void test_session_of_dead_member(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 102, .ppid = 101, .pgrp = 102);
	wait_for(100);
	fake_end(101);
	ORPHAN(.pid = 201, .pgrp = 201, .session = 101);
	fake_end(100);
	finish_with("102 KILL\n201 KILL\n");
}

/* A living member vouches only for a group that it has been in since the first look. */
static void test_group_joined_later(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 102, .ppid = 100);
	wait_for(100);
	fake_end(101);
	strange_leader(101);
	STRANGER(.pid = 201, .ppid = 101);
	fake_process(102)->pgrp = 101;
	fake_end(101);
	fake_end(100);
	finish_with("102 KILL\n");
	assert_true(fake_is_alive(201));
}

static void test_group_left_since(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 102, .ppid = 101);
	wait_for(100);
	fake_end(101);
	fake_setsid(102);
	strange_leader(101);
	STRANGER(.pid = 201, .ppid = 101);
	fake_end(101);
	fake_end(100);
	finish_with("102 KILL\n");
	assert_true(fake_is_alive(201));
}

/* A stranger in the place of a dead member vouches for nothing. */
static void test_group_of_reused_member(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 102, .ppid = 101);
	wait_for(100);
	fake_end(102);
	fake_end(101);
	strange_leader(101);
	STRANGER(.pid = 102, .ppid = 101);
	STRANGER(.pid = 201, .ppid = 101);
	fake_end(101);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(102));
	assert_true(fake_is_alive(201));
}

static void test_dead_leader_is_not_listed(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	PROCESS(.pid = 102, .ppid = 101);
	wait_for(100);
	fake_end(101);
	fake_end(100);
	look_again(next_end());
	assert_int_equal(run.kills[0].victim_count, 1);
	assert_int_equal(run.kills[0].victims[0]->process.pid, 102);
	finish();
}

static void test_other_start(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	wait_for(100);
	fake_end(101);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .bystander = true);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(101));
}

static void test_same_tick(void **state)
{
	uint64_t tick = fake_ticks();

	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .started = tick);
	wait_for(100);
	fake_end(101);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .started = tick, .bystander = true);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(101));
}

static void test_tick_before(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks() - 1);
	wait_for(100);
	leave_everything(101);
	fake_end(100);
	finish_with("101 KILL\n");
}

static void test_same_tick_still_tied(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .started = fake_ticks());
	wait_for(100);
	fake_end(100);
	finish_with("101 KILL\n");
}

static void test_target_reused(void **state)
{
	for (int all = 0; all <= 1; all++) {
		set_up(state);
		fake.group_signal = true;
		run.orders.rules.all = all;
		container();
		PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
		wait_for(100);
		fake_end(100);
		strange_leader(100);
		STRANGER(.pid = 201, .ppid = 100);
		STRANGER(.pid = 202, .pgrp = 202, .session = 100);
		STRANGER(.pid = 203, .pgrp = 100, .session = 203, .mntns = SANDBOX);
		STRANGER(.pid = 204, .pgrp = 204, .session = 204, .mntns = SANDBOX);
		fake.now += S;
		finish_with("group 101 KILL\n101 KILL\n");
	}
}

/* Nor is a namespace its own because strangers in it are in a group of its number. */
static void test_namespace_of_reused(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	wait_for(100);
	fake_end(100);
	STRANGER(.pid = 100, .pgrp = 100, .session = 100, .mntns = SANDBOX);
	fake_join(101, SANDBOX);
	finish_with("101 KILL\n");
	assert_true(fake_is_alive(100));
}

/* Mount namespaces. */

static const struct spared *spared(enum scope_kind kind, uint64_t id)
{
	const struct claim *claim = &run.kills[0].claims[0];

	for (size_t i = 0; i < claim->spared_count; i++)
		if (claim->spared[i].scope.kind == kind && claim->spared[i].scope.id == id)
			return &claim->spared[i];
	fail_msg("nothing is said of %s %u", scope_kind_name(kind), (unsigned)id);
	return NULL;
}

/* The target has ended, and all that is left of it is in a namespace that is spared. */
static void finish_sparing(uint64_t mntns, enum spared_reason reason, pid_t who)
{
	struct target *ended = next_end();

	look_again(ended);
	assert_int_equal(spared(fake.namespace_kind, mntns)->reason, reason);
	assert_int_equal(spared(fake.namespace_kind, mntns)->who.pid, who);
	assert_true(spared(fake.namespace_kind, mntns)->own);
	assert_int_equal(spared(fake.namespace_kind, mntns)->notable,
			 fake.namespace_kind == SCOPE_MNT);
	carry_out(ended);
	finish();
}

static void test_namespace_without_stand_in(void **state)
{
	(void)state;
	container();
	wait_for(100);
	ORPHAN(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	fake_end(100);
	finish_with("201 KILL\n");
}

static void test_namespace_is_held(void **state)
{
	(void)state;
	container();
	wait_for(100);
	fake_end(100);
	strange_leader(201);
	assert_int_not_equal(fake_unshare(201), CONTAINER);
	finish_with("");
}

static void test_elder_joins(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .bystander = true);
	container();
	wait_for(100);
	fake_join(90, CONTAINER);
	STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	ORPHAN(.pid = 202, .pgrp = 100, .session = 202, .mntns = CONTAINER);
	fake_end(100);
	finish_sparing(CONTAINER, SPARED_OLDER, 90);
	assert_string_equal(fake_log(), "202 KILL\n");
}

static void test_elder_has_died(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .mntns = CONTAINER);
	container();
	wait_for(100);
	STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	fake_end(90);
	fake_end(100);
	finish_sparing(CONTAINER, SPARED_OLDER, 0);
	assert_string_equal(fake_log(), "");
	assert_true(fake_is_alive(201));
}

static void test_init_inside(void **state)
{
	(void)state;
	container();
	wait_for(100);
	ORPHAN(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER, .pidns_init = true);
	fake_end(100);
	finish_with("201 KILL\n");
}

/* The namespaces that it has moved to since are known by those who bear its number. */
static void test_moved(void **state)
{
	(void)state;
	container();
	wait_for(100);
	assert_int_equal(fake_unshare(100), SANDBOX);
	ORPHAN(.pid = 201, .pgrp = 100, .session = 201, .mntns = SANDBOX);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 202, .mntns = SANDBOX);
	ORPHAN(.pid = 203, .pgrp = 203, .session = 203, .mntns = CONTAINER);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n203 KILL\n");
}

static void test_moved_from_the_host(void **state)
{
	(void)state;
	leader();
	wait_for(100);
	fake_namespace(CONTAINER);
	assert_int_equal(fake_unshare(100), CONTAINER);
	ORPHAN(.pid = 201, .pgrp = 201, .session = 100, .mntns = CONTAINER);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 202, .mntns = CONTAINER);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n");
}

/* It may be somebody's container that a stand-in has entered. */
/* One of its group is a guest in somebody's container, which is younger than the target. */
static void test_guest_in_another(void **state)
{
	(void)state;
	leader();
	wait_for(100);
	STRANGER(.pid = 200, .pgrp = 200, .session = 200, .mntns = 777);
	fake.now += S;
	ORPHAN(.pid = 201, .pgrp = 100, .session = 100, .mntns = 777);
	STRANGER(.pid = 202, .pgrp = 202, .session = 202, .mntns = 777);
	fake_end(100);
	finish_with("201 KILL\n");
	assert_true(fake_is_alive(200));
	assert_true(fake_is_alive(202));
}

/* All in one tick: the child is born, seen, and loses what tied it. */
static void test_in_one_tick(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .started = fake_ticks());
	resolve(100);
	look_first();
	fake_end(100);
	finish_with("101 KILL\n");
}

/* nskill was late: the number of the target has had another owner, who has ended, too. */
static void test_late(void **state)
{
	(void)state;
	fake.group_signal = true;
	container();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	wait_for_a_while(100);
	fake_end(100);
	strange_leader(100);
	STRANGER(.pid = 201, .ppid = 100);
	STRANGER(.pid = 202, .ppid = 100, .pgrp = 202);
	fake_end(100);
	finish_with("group 101 KILL\n101 KILL\n");
	assert_true(fake_is_alive(201));
	assert_true(fake_is_alive(202));
}

static void test_moved_to_one_with_init(void **state)
{
	(void)state;
	leader();
	wait_for(100);
	STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .pidns_init = true);
	ORPHAN(.pid = 202, .pgrp = 100, .session = 202, .mntns = SANDBOX);
	fake_end(100);
	finish_sparing(SANDBOX, SPARED_PIDNS_INIT, 201);
	assert_string_equal(fake_log(), "202 KILL\n");
}

static void test_sandbox_of_known_child(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100);
	wait_for(100);
	assert_int_equal(fake_unshare(101), SANDBOX);
	fake_setsid(101);
	ORPHAN(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX);
	fake_end(100);
	finish_with("101 KILL\n201 KILL\n");
}

/* What is inside its own namespace falls only with that. */
static void test_sandbox_without_fall(void **state)
{
	for (int later = 0; later <= 1; later++) {
		set_up(state);
		PROCESS(.pid = 90, .pgrp = 90, .session = 90);
		container();
		if (!later)
			fake_join(90, CONTAINER);
		PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .mntns = SANDBOX);
		wait_for(100);
		STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX);
		if (later)
			fake_join(90, CONTAINER);
		else
			fake_end(90);
		fake_end(100);
		finish_with("101 KILL\n");
		assert_true(fake_is_alive(201));
	}
}

/* Nor where its own is known by a stand-in alone, which has ended by then. */
static void test_sandbox_of_dead(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90);
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	PROCESS(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	wait_for(100);
	assert_true(run.kills[0].claims[0].own_fell);
	fake_join(90, CONTAINER);
	fake_end(101);
	STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX);
	finish_with("102 KILL\n");
	assert_true(fake_is_alive(201));
}

/* Only what was held from the beginning has kept its number. */
static void test_moved_before_the_first_look(void **state)
{
	(void)state;
	container();
	resolve(100);
	assert_int_equal(fake_unshare(100), SANDBOX);
	look_first();
	fake.now += HOUR;
	fake_end(100);
	strange_leader(201);
	assert_int_equal(fake_unshare(201), SANDBOX);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 202, .mntns = CONTAINER);
	finish_with("202 KILL\n");
}

static void test_unreadable_at_the_first_look(void **state)
{
	(void)state;
	container();
	resolve(100);
	fake_process(100)->unreadable = true;
	look_first();
	ORPHAN(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	fake_end(100);
	finish_with("201 KILL\n");
}

static void test_on_the_host(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .bystander = true);
	wait_for(100);
	strange_leader(201);
	ORPHAN(.pid = 202, .pgrp = 100, .session = 202);
	fake_end(100);
	finish_with("202 KILL\n");
}

/* Options. */

static void test_all(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .mntns = CONTAINER);
	PROCESS(.pid = 100, .ppid = SCRIPT);
	wait_for(100);
	ORPHAN(.pid = 201, .pgrp = SCRIPT, .session = 201, .mntns = FAKE_HOST);
	ORPHAN(.pid = 202, .pgrp = 202, .session = SCRIPT, .mntns = FAKE_HOST);
	ORPHAN(.pid = 203, .pgrp = 203, .session = 203, .mntns = CONTAINER);
	fake_end(100);
	finish_with("60 KILL\n201 KILL\n202 KILL\n203 KILL\n");
}

/* Who was in it at the first look and is alive vouches for it. */
static void test_all_without_leader(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	guest();
	PROCESS(.pid = 101, .ppid = SCRIPT);
	wait_for(100);
	fake_end(SCRIPT);
	ORPHAN(.pid = 201, .pgrp = SCRIPT, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = SCRIPT);
	fake_end(100);
	finish_with("101 KILL\n201 KILL\n202 KILL\n");
}

/* Where no number can have been used twice, nobody has to vouch. */
static void test_all_in_time(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	guest();
	wait_for_a_while(100);
	fake_end(SCRIPT);
	ORPHAN(.pid = 201, .pgrp = SCRIPT, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = SCRIPT);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n");
}

/* But who is older, or leads, tells that the target has left. */
static void test_all_left_in_time(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	PROCESS(.pid = 80, .pgrp = 80, .session = 80, .bystander = true);
	PROCESS(.pid = 100, .pgrp = 70, .session = 70);
	wait_for_a_while(100);
	fake_process(80)->pgrp = 70;
	strange_leader(70);
	fake_process(70)->pgrp = 71;
	STRANGER(.pid = 202, .ppid = 70, .pgrp = 70);
	ORPHAN(.pid = 201, .pgrp = 100, .session = 100);
	fake_end(100);
	finish_with("201 KILL\n");
	assert_true(fake_is_alive(80));
	assert_true(fake_is_alive(202));
}

static void test_dead_leader_in_time(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 101);
	wait_for_a_while(100);
	fake_end(101);
	ORPHAN(.pid = 201, .pgrp = 101, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 101);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n");
}

static void test_forks_unknown(void **state)
{
	(void)state;
	fake.forks_error = EACCES;
	leader();
	daemon_of(100, 101);
	wait_for_a_while(100);
	fake_end(101);
	STRANGER(.pid = 201, .ppid = 1, .pgrp = 101, .session = 201);
	fake_end(100);
	finish_with("");
	assert_true(fake_is_alive(201));
}

/* So does the target itself while it is not reaped. */
static void test_all_of_zombie(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	PROCESS(.pid = 90, .pgrp = 90, .session = 90, .subreaper = true, .bystander = true);
	guest();
	wait_for(100);
	fake_process(100)->ppid = 90;
	fake_end(SCRIPT);
	ORPHAN(.pid = 201, .pgrp = SCRIPT, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = SCRIPT);
	fake_exit(100);
	finish_with("201 KILL\n202 KILL\n");
}

/* The group that it was in has gone since, and its number is another's. */
static void test_all_moved(void **state)
{
	for (int reaped = 0; reaped <= 1; reaped++) {
		set_up(state);
		run.orders.rules.all = true;
		PROCESS(.pid = 90, .subreaper = true, .bystander = true);
		guest();
		wait_for(100);
		fake_process(100)->ppid = 90;
		fake_setsid(100);
		fake_end(SCRIPT);
		strange_leader(SCRIPT);
		STRANGER(.pid = 201, .ppid = SCRIPT);
		STRANGER(.pid = 202, .ppid = SCRIPT, .pgrp = 202);
		fake.now += S;
		ORPHAN(.pid = 203, .pgrp = 100, .session = 203);
		fake_exit(100);
		if (reaped)
			fake_reap(100);
		finish_with("203 KILL\n");
		assert_true(fake_is_alive(SCRIPT));
	}
}

/* Of the two, the session is still the one that it was in. */
static void test_all_moved_job(void **state)
{
	(void)state;
	run.orders.rules.all = true;
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT);
	PROCESS(.pid = 70, .ppid = SCRIPT, .pgrp = 70);
	PROCESS(.pid = 100, .ppid = SCRIPT, .pgrp = 70);
	wait_for(100);
	fake_end(70);
	fake_process(100)->pgrp = 100;
	strange_leader(70);
	STRANGER(.pid = 201, .ppid = 70);
	fake.now += S;
	ORPHAN(.pid = 202, .pgrp = 202, .session = SCRIPT);
	fake_end(100);
	finish_with("60 KILL\n202 KILL\n");
	assert_true(fake_is_alive(70));
}

/* Who has left it, too, or has come to it later, vouches for nothing. */
static void test_all_moved_with_member(void **state)
{
	for (int joins = 0; joins <= 1; joins++) {
		set_up(state);
		run.orders.rules.all = true;
		guest();
		PROCESS(.pid = 70, .ppid = SCRIPT, .pgrp = 70);
		PROCESS(.pid = 101, .ppid = SCRIPT, .pgrp = joins ? SCRIPT : 70);
		fake_process(100)->pgrp = 70;
		wait_for(100);
		fake_end(70);
		fake_setsid(100);
		fake_setsid(101);
		strange_leader(70);
		STRANGER(.pid = 201, .ppid = 70);
		fake.now += S;
		if (joins)
			fake_process(101)->pgrp = 70;
		fake_end(100);
		finish_with("60 KILL\n101 KILL\n");
		assert_true(fake_is_alive(201));
	}
}

static void assert_match(unsigned kinds, const char *log)
{
	run.orders.rules.kinds = kinds;
	container();
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .mntns = FAKE_HOST);
	wait_for(100);
	ORPHAN(.pid = 201, .pgrp = 100, .session = 201);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 100);
	ORPHAN(.pid = 203, .pgrp = 203, .session = 203, .mntns = CONTAINER);
	fake_end(100);
	finish_with(log);
}

static void test_match(void **state)
{
	(void)state;
	assert_match(SCOPE_BIT(SCOPE_PGRP), "201 KILL\n");
	set_up(state);
	assert_match(SCOPE_BIT(SCOPE_SESSION), "202 KILL\n");
	set_up(state);
	assert_match(SCOPE_BIT(SCOPE_MNT), "203 KILL\n");
	set_up(state);
	assert_match(SCOPE_BIT(SCOPE_TREE), "101 STOP\n101 KILL\n");
}

static void test_kill_after(void **state)
{
	(void)state;
	run.orders.signal = SIGTERM;
	run.orders.kill_after = 2 * S;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .ignores = true);
	PROCESS(.pid = 102, .ppid = 100);
	wait_for(100);
	fake_end(100);
	finish_with("101 TERM\n101 CONT\n102 TERM\n102 CONT\n101 KILL\n");
	assert_elapsed(HOUR + 2 * S);
}

static void test_deadline(void **state)
{
	struct target *ended;

	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .unkillable = true);
	wait_for(100);
	fake_end(100);
	ended = next_end();
	look_again(ended);
	carry_out(ended);
	assert_true(run.kills[0].timed_out);
	assert_elapsed(HOUR + 10 * S);
	finish();
}

static void test_dies_in_time(void **state)
{
	struct target *ended;

	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100, .dying = 9 * S);
	wait_for(100);
	fake_end(100);
	ended = next_end();
	look_again(ended);
	carry_out(ended);
	assert_false(run.kills[0].timed_out);
	assert_elapsed(HOUR + 9 * S);
	finish();
}

/* A newcomer is chased as without the wait, and those of the wait are none. */
static void fork_101(void)
{
	fake_setsid(fake_fork(101));
}

static void test_chase(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	wait_for(100);
	fake_end(100);
	fake_after(DOOR_SCAN_ALL, 0, 1, fork_101);
	end_what_is_left();
	assert_false(fake_is_alive(101));
	assert_false(fake_is_alive(102));
	finish();
}

/* Targets. */

static void end_200(void)
{
	assert_quiet();
	fake_end(200);
}

static void test_each_when_it_ends(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	daemon_of(1, 200);
	PROCESS(.pid = 201, .ppid = 200, .dying = S);
	resolve(100);
	resolve(200);
	look_first();
	fake_in(HOUR, end_200);
	fake_in(2 * HOUR, end_100);
	assert_int_equal(end_what_is_left(), 200);
	assert_elapsed(HOUR + S);
	assert_true(fake_is_alive(100));
	assert_string_equal(fake_log(), "201 KILL\n");
	assert_int_equal(end_what_is_left(), 100);
	assert_elapsed(2 * HOUR);
	assert_all_have_ended();
	assert_string_equal(fake_log(), "201 KILL\n101 KILL\n");
	finish();
}

/* The one that ends while the other's are ended is dealt with afterwards. */
static void test_one_during_the_other(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 101, .ppid = 100);
	daemon_of(1, 200);
	PROCESS(.pid = 201, .ppid = 200, .dying = 5 * S);
	resolve(100);
	resolve(200);
	look_first();
	fake_end(200);
	fake_in(S, end_100);
	assert_int_equal(end_what_is_left(), 200);
	assert_elapsed(5 * S);
	assert_int_equal(end_what_is_left(), 100);
	assert_all_have_ended();
	assert_string_equal(fake_log(), "201 KILL\n101 KILL\n");
	finish();
}

static void test_one_is_left_of_the_other(void **state)
{
	(void)state;
	leader();
	daemon_of(100, 200);
	PROCESS(.pid = 201, .ppid = 200);
	resolve(100);
	resolve(200);
	look_first();
	ORPHAN(.pid = 202, .pgrp = 200, .session = 202);
	fake_end(100);
	assert_int_equal(end_what_is_left(), 100);
	assert_string_equal(fake_log(), "200 KILL\n201 KILL\n202 KILL\n");
	assert_int_equal(end_what_is_left(), 200);
	assert_all_have_ended();
	assert_string_equal(fake_log(), "200 KILL\n201 KILL\n202 KILL\n");
	finish();
}

static void test_the_dead_come_first(void **state)
{
	(void)state;
	leader();
	PROCESS(.pid = 201, .pgrp = 200, .session = 201);
	PROCESS(.pid = 301, .pgrp = 300, .session = 301);
	resolve(200);
	resolve(100);
	resolve(300);
	look_first();
	fake_end(100);
	assert_int_equal(end_what_is_left(), 200);
	assert_int_equal(end_what_is_left(), 300);
	assert_string_equal(fake_log(), "201 KILL\n301 KILL\n");
	assert_int_equal(end_what_is_left(), 100);
	assert_all_have_ended();
	finish();
}

static void test_ended_before_the_first_look(void **state)
{
	for (int reused = 0; reused <= 1; reused++) {
		set_up(state);
		container();
		PROCESS(.pid = 101, .ppid = 100);
		PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
		resolve(100);
		fake_end(100);
		if (reused) {
			fake_end(101);
			strange_leader(100);
			STRANGER(.pid = 201, .ppid = 100);
		}
		look_first();
		/* That it was seen is not forgotten when the stranger has gone, too. */
		if (reused)
			fake_end(100);
		finish_with(reused ? "102 KILL\n" : "101 KILL\n102 KILL\n");
		assert_elapsed(0);
	}
}

/* Born, ended and succeeded in one tick: that its pin has ended tells it from its successor. */
static void test_succeeded_before_the_first_look(void **state)
{
	uint64_t tick = fake_ticks();

	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = tick);
	resolve(100);
	fake_end(100);
	strange_leader(100);
	assert_int_equal(fake_process(100)->started, tick);
	STRANGER(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	fake.now += S;
	look_first();
	finish_with("");
	assert_true(fake_is_alive(101));
}

static void test_zombie(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .bystander = true);
	PROCESS(.pid = 101, .pgrp = 100, .session = 101);
	PROCESS(.pid = 100, .ppid = 90, .pgrp = 100, .session = 100, .state = 'Z');
	fake_process(100)->bystander = false;
	resolve(100);
	look_first();
	assert_true(run.targets[0].dead);
	finish_with("101 KILL\n");
	assert_elapsed(0);
}

static void end_the_threads(void)
{
	assert_quiet();
	fake_exit(100);
}

static void test_zombie_with_threads(void **state)
{
	(void)state;
	PROCESS(.pid = 90, .bystander = true);
	PROCESS(.pid = 100, .ppid = 90, .pgrp = 100, .session = 100, .mntns = CONTAINER,
		.state = 'Z', .threads = 2);
	fake_process(100)->bystander = false;
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	resolve(100);
	look_first();
	fake_in(HOUR, end_the_threads);
	finish_with("101 KILL\n");
	assert_elapsed(HOUR);
}

static void test_over(void **state)
{
	struct identity identity = {
		.name = FAKE_PIDFILE, .pid = 100, .dated = true, .written = 1
	};

	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 100, .bystander = true);
	resolve_identity(&identity);
	look_first();
	finish_with("");
}

static void resolve_record(uint64_t start, uint64_t mntns)
{
	struct identity identity = {
		.name = FAKE_PIDFILE,
		.pid = 100,
		.start_ticks = start,
		.record = { .boot = FAKE_BOOT, .time = 6000, .namespace_count = 1 },
	};

	identity.record.namespaces[0].inode = mntns;
	identity.record.namespaces[0].id = fake_unique_id(mntns);
	resolve_identity(&identity);
}

/* It lives, in another namespace than when it was written down: both are its own. */
static void test_recorded(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = SANDBOX, .started = 4000);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	resolve_record(4000, CONTAINER);
	assert_false(run.targets[0].dead);
	look_first();
	assert_int_equal(run.kills[0].victim_count, 2);
	fake.now += HOUR;
	ORPHAN(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	ORPHAN(.pid = 202, .pgrp = 202, .session = 202, .mntns = SANDBOX);
	fake_end(101);
	fake_end(100);
	finish_with("201 KILL\n202 KILL\n");
}

/* Where a record tells the namespaces, stand-ins end, but lead to no other. */
static void test_recorded_stand_in(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = 4000);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	resolve_record(4000, CONTAINER);
	look_first();
	fake.now += HOUR;
	STRANGER(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX);
	fake.now += S;
	ORPHAN(.pid = 202, .pgrp = 100, .session = 202, .mntns = SANDBOX);
	fake_end(100);
	finish_with("101 KILL\n202 KILL\n");
}

static void test_recorded_and_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .bystander = true);
	PROCESS(.pid = 110, .pgrp = 110, .session = 110, .mntns = CONTAINER);
	resolve_record(4000, CONTAINER);
	assert_true(run.targets[0].reused);
	look_first();
	/* Its successor has gone as well, and others bear the number in groups. */
	STRANGER(.pid = 201, .ppid = 100);
	fake_end(100);
	finish_with("110 KILL\n");
	assert_true(fake_is_alive(201));
}

static void test_reparented(void **state)
{
	(void)state;
	guest();
	PROCESS(.pid = 101, .ppid = 100);
	wait_for(100);
	fake_end(SCRIPT);
	fake_end(100);
	finish_with("101 STOP\n101 KILL\n");
}

/* The vigil alone. */

static void test_nobody_to_wait_for(void **state)
{
	(void)state;
	resolve(100);
	resolve(200);
	assert_int_equal(vigil_open(&run.vigil, run.targets, run.count), 0);
	assert_ptr_equal(next_end(), &run.targets[0]);
	assert_ptr_equal(next_end(), &run.targets[1]);
	assert_all_have_ended();
	assert_all_have_ended();
	assert_int_equal(fake_calls(DOOR_WAIT), 0);
	finish();
}

static void test_vigil_of_none(void **state)
{
	(void)state;
	assert_int_equal(vigil_open(&run.vigil, run.targets, 0), 0);
	assert_all_have_ended();
	finish();
}

static void test_vigil_closed(void **state)
{
	(void)state;
	leader();
	resolve(100);
	assert_int_equal(vigil_open(&run.vigil, run.targets, run.count), 0);
	vigil_close(&run.vigil);
	assert_int_equal(run.vigil.watch.epoll, -1);
	assert_int_equal(run.vigil.count, 0);
	vigil_close(&run.vigil);
	assert_true(run.targets[0].ref.fd >= 0);
	finish();
}

static void test_goes_on_after_an_interrupt(void **state)
{
	struct target *ended = NULL;
	int signal = 0;

	(void)state;
	leader();
	resolve(100);
	look_first();
	fake_interrupt(SIGHUP);
	assert_int_equal(vigil_next(&run.vigil, &ended, &signal), -EINTR);
	assert_int_equal(signal, SIGHUP);
	assert_null(ended);
	fake_end(100);
	assert_ptr_equal(next_end(), &run.targets[0]);
	release(&run.targets[0]);
	assert_all_have_ended();
	finish();
}

/* A wait has a bound of its own: the clock of the kernel counts some weeks at most. */
static void test_wakes_for_nothing(void **state)
{
	(void)state;
	leader();
	resolve(100);
	look_first();
	fake.idle_waits = 3;
	fake_in(HOUR, end_100);
	assert_ptr_equal(next_end(), &run.targets[0]);
	assert_elapsed(HOUR);
	assert_int_equal(fake_calls(DOOR_WAIT), 4);
	finish();
}

static void test_cannot_open(void **state)
{
	(void)state;
	leader();
	resolve(100);
	fake.watch_open_error = EMFILE;
	assert_int_equal(vigil_open(&run.vigil, run.targets, run.count), -EMFILE);
	assert_int_equal(run.vigil.watch.epoll, -1);
	finish();
}

static void test_cannot_add(void **state)
{
	(void)state;
	leader();
	resolve(100);
	fake.watch_add_error = ENOMEM;
	assert_int_equal(vigil_open(&run.vigil, run.targets, run.count), -ENOMEM);
	assert_int_equal(run.vigil.watch.epoll, -1);
	finish();
}

static void test_cannot_wait(void **state)
{
	struct target *ended = NULL;
	int signal = 0;

	(void)state;
	leader();
	resolve(100);
	look_first();
	fake.wait_error = EBADF;
	assert_int_equal(vigil_next(&run.vigil, &ended, &signal), -EBADF);
	assert_null(ended);
	assert_int_equal(signal, 0);
	assert_false(run.targets[0].dead);
	finish();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("the group that it led is struck as a whole", test_struck_as_a_whole),
		TEST("an interrupt of the kill is heard by that", test_interrupt_of_the_kill),
		TEST("but found by the cgroup that the target was in", test_cgroup),
		TEST("unless somebody older has been in that", test_cgroup_elder),
		TEST("or has come there since: then one beside it lives, too",
		     test_cgroup_elder_comes),
		TEST("where descent alone ties, children that were seen end with theirs",
		     test_known_child_of_guest),
		TEST("a member that is a zombie by then leads on", test_zombie_member_leads),
		TEST("who bears the number of a member by then lives, with all its own",
		     test_member_reused),
		TEST("so do those of a group or session whose leader bore it and has died, too",
		     test_dead_member_reused_and_gone),
		TEST("where no number has been used twice, what a dead member led ends",
		     test_dead_leader_in_time),
		TEST("where that is not known, it lives", test_forks_unknown),
		TEST("the group of a dead member ends if another has been in it all the time",
		     test_group_of_dead_member),
		TEST("so does the session of a dead member", test_session_of_dead_member),
		TEST("a group of a dead member's number that another has joined lives",
		     test_group_joined_later),
		TEST("so does one that another has been in before", test_group_left_since),
		TEST("so does one of strangers who bear the numbers of members",
		     test_group_of_reused_member),
		TEST("such a leader is not on the list", test_dead_leader_is_not_listed),
		TEST("who bears the number of a member with another start lives, whatever that is",
		     test_other_start),
		TEST("who bears the number of one seen in the tick of its birth lives, of the "
		     "same tick",
		     test_same_tick),
		TEST("who was seen a tick after its birth is known", test_tick_before),
		TEST("who was seen in the tick of its birth ends while it is tied",
		     test_same_tick_still_tied),
		TEST("who bears the target's number by then lives, and its namespace falls",
		     test_target_reused),
		TEST("a child that is seen in the tick of its birth is known", test_in_one_tick),
		TEST("--all takes the group, session and namespace that it was in", test_all),
		TEST("--all takes them though their leader has died", test_all_without_leader),
		TEST("so it does where no number has been used twice", test_all_in_time),
		TEST("but not where an older one or a leader is left in them",
		     test_all_left_in_time),
		TEST("--all takes those of a zombie by what that says", test_all_of_zombie),
		TEST("--all takes no group that it has left since", test_all_moved),
		TEST("of those it takes the others", test_all_moved_job),
		TEST("a member that has left it as well, or has come later, vouches for none",
		     test_all_moved_with_member),
		TEST("--match limits what ends", test_match),
		TEST("--kill-after counts from the end", test_kill_after),
		TEST("--timeout counts from the end", test_deadline),
		TEST("who dies within that time has died in time", test_dies_in_time),
		TEST("newcomers are chased", test_chase),
		TEST("each of several is dealt with when it ends", test_each_when_it_ends),
		TEST("one that ends while the other's end comes next", test_one_during_the_other),
		TEST("one that is left of another ends with that", test_one_is_left_of_the_other),
		TEST("those that were dead come first", test_the_dead_come_first),
		TEST("who bears the number of such a one lives, of the same tick",
		     test_succeeded_before_the_first_look),
		TEST("a zombie is not waited for", test_zombie),
		TEST("of one from before this boot nothing is left", test_over),
		TEST("the recorded namespaces of a live one fall", test_recorded),
		TEST("no others than those do, by its group", test_recorded_stand_in),
		TEST("those of one whose number was another's do", test_recorded_and_reused),
		TEST("one that has another parent by then is the same", test_reparented),
		TEST("where all are dead nothing is waited for", test_nobody_to_wait_for),
		TEST("without a target there is nothing to wait for", test_vigil_of_none),
		TEST("a vigil can be closed before the end, and twice", test_vigil_closed),
		TEST("after an interrupt the wait can go on", test_goes_on_after_an_interrupt),
		TEST("a wait that ends for nothing goes on", test_wakes_for_nothing),
		TEST("a vigil that cannot be opened leaves nothing open", test_cannot_open),
		TEST("a vigil that cannot watch leaves nothing open", test_cannot_add),
		TEST("a vigil that cannot wait says so", test_cannot_wait),
	};

	static const struct CMUnitTest of_each_kind[] = {
		TEST("nobody is signalled while the target lives, and all that it leaves ends "
		     "with it",
		     test_all_that_is_left),
		TEST("the target is not on the list of what it left", test_listed),
		TEST("who was born during the wait ends by group, session, namespace and descent",
		     test_born_in_scopes),
		TEST("an interrupt of the wait signals nobody", test_interrupt),
		TEST("a child that was seen and has left everything since ends",
		     test_known_child_that_left),
		TEST("a child that was born during the wait and has left everything lives",
		     test_unknown_child_that_left),
		TEST("a namespace of those who bear its number by then is not its own",
		     test_namespace_of_reused),
		TEST("its namespace falls though nobody stands in for it",
		     test_namespace_without_stand_in),
		TEST("its namespace keeps its number while it is waited for",
		     test_namespace_is_held),
		TEST("an older process that has joined its namespace spares that",
		     test_elder_joins),
		TEST("a namespace that held an older process at first stays spared",
		     test_elder_has_died),
		TEST("the init of a PID namespace does not spare its own namespace",
		     test_init_inside),
		TEST("a namespace that it has moved to falls by its group", test_moved),
		TEST("so does the first one that it has made", test_moved_from_the_host),
		TEST("one that is older than its group's guest in it lives", test_guest_in_another),
		TEST("the group and session of who bore its number after it live", test_late),
		TEST("one with the init of a PID namespace in it does not",
		     test_moved_to_one_with_init),
		TEST("a namespace that a child has made falls by that child",
		     test_sandbox_of_known_child),
		TEST("one inside the target's own lives where that does",
		     test_sandbox_without_fall),
		TEST("so does one whose own a dead stand-in led to", test_sandbox_of_dead),
		TEST("a namespace that it was in but that was not held is nobody's",
		     test_moved_before_the_first_look),
		TEST("one that was held and could not be read later is its own",
		     test_unreadable_at_the_first_look),
		TEST("the host's namespace never falls", test_on_the_host),
		TEST("one that ended before the first look is not waited for",
		     test_ended_before_the_first_look),
		TEST("a zombie with threads is", test_zombie_with_threads),
	};

	return RUN_WITH_KINDS("on-exit", tests, of_each_kind);
}
