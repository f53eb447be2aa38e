/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a target that is dead, and what is written down of one, on the fake system. */
#include "config.h"

#include "../fake/system.h"

#include "core/document.h"
#include "core/evidence.h"
#include "core/kill.h"
#include "core/remember.h"
#include "core/target.h"
#include "linux/boot.h"
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
#define OTHER	  UINT64_C(502)
#define THIRD	  UINT64_C(503)
#define OWN	  UINT64_C(601) /* nskill's, where it is not in the host's */
#define BORN	  7000		/* ticks: the target's start */
#define RECORDED  8000		/* when it was written down */
#define SAFETY	  10
#define PID_MAX	  32768

static struct {
	struct identity identity;
	struct target target;
	struct kill kill;
	bool planned;
	struct error error;
	int rc;
} run;

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&run, 0, sizeof(run));
	run.target = TARGET_NULL;
	return 0;
}

static uint64_t wall_at(uint64_t ticks)
{
	return fake.booted + ticks * FAKE_TICK;
}

static void open_identity(void)
{
	run.rc = target_open(&run.target, &run.identity, FAKE_NSKILL, fake_scan(), &run.error);
}

/* A number alone, as the user gave it. */
static void number(void)
{
	run.identity = (struct identity){ .pid = 100 };
}

/* A plain pidfile that was written at that tick. */
static void pidfile(uint64_t written)
{
	run.identity = (struct identity){ .name = FAKE_PIDFILE,
					  .pid = 100,
					  .dated = true,
					  .written = wall_at(written),
					  .tolerance = 100 * FAKE_MS };
}

/* A record of this boot, with no mount namespace in it. */
static void record(void)
{
	run.identity = (struct identity){
		.name = FAKE_PIDFILE,
		.pid = 100,
		.start_ticks = BORN,
		.inode = 4711,
		.record = { .boot = FAKE_BOOT, .pgrp = 100, .session = 100, .time = RECORDED },
	};
}

static void record_namespace(uint64_t inode, uint64_t id)
{
	struct record *written = &run.identity.record;

	written->namespaces[written->namespace_count++] =
		(struct identity_namespace){ .inode = inode, .id = id };
}

static void finish(void)
{
	if (run.planned)
		kill_clear(&run.kill);
	run.planned = false;
	target_close(&run.target);
	run.target = TARGET_NULL;
	fake_check();
	assert_string_equal(fake_log(), "");
}

static void assert_taken(uint64_t birth)
{
	assert_string_equal(run.error.text, "");
	assert_int_equal(run.rc, 0);
	assert_true(run.target.dead);
	assert_false(run.target.over);
	assert_int_equal(run.target.process.pid, 100);
	assert_int_equal(run.target.process.start_ticks, birth);
}

static void assert_gone(uint64_t birth)
{
	assert_taken(birth);
	assert_false(run.target.reused);
	finish();
}

static void assert_refused(void)
{
	assert_int_equal(run.rc, -EPERM);
	assert_int_equal(run.error.status, STATUS_REFUSED);
	assert_string_equal(run.error.text,
			    "PID 100 (from /run/fake.pid) is gone, and so many processes have been "
			    "made since that who is in its group or session may be another's: use "
			    "--trust-pidfile if they are its own");
	assert_int_equal(run.target.process.pid, 0);
	finish();
	run.error = (struct error){ 0 };
}

/* Recorded mount namespaces. */

static void assert_held(size_t count, uint64_t inode)
{
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.past.namespace_count, count);
	assert_int_equal(run.target.past.stranger, 0);
	assert_false(run.target.note_aloud);
	if (count) {
		assert_int_equal(run.target.past.namespaces[0].inode, inode);
		assert_true(run.target.past.namespaces[0].fd >= 0);
	}
}

static void assert_stranger(uint64_t inode)
{
	char note[128];

	snprintf(note, sizeof(note),
		 "not followed: mount namespace %d bears the recorded number, but is another one "
		 "by now",
		 (int)inode);
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.past.stranger, inode);
	assert_non_null(strstr(run.target.note, note));
	assert_true(run.target.note_aloud);
}

static void inhabitant(pid_t pid, uint64_t mntns, uint64_t started)
{
	PROCESS(.pid = pid, .pgrp = pid, .session = pid, .mntns = mntns, .started = started);
}

static void test_found_by_id(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 9000);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	open_identity();
	assert_held(1, CONTAINER);
	assert_true(run.target.recorded);
	assert_string_equal(run.target.note, "PID 100 (from /run/fake.pid) is gone");
	assert_gone(BORN);
}

static void test_other_id(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER) + 1);
	open_identity();
	assert_stranger(CONTAINER);
	assert_int_equal(run.target.past.namespace_count, 0);
	assert_gone(BORN);
}

static void test_inode_handed_out_again(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	fake_end(110);
	inhabitant(111, OTHER, 7600);
	assert_int_equal(fake_unshare(111), CONTAINER);
	open_identity();
	assert_stranger(CONTAINER);
	assert_gone(BORN);
}

static void test_elder_than_the_record(void **state)
{
	static const struct {
		uint64_t written;
		bool ids;
	} cases[] = { { 0, true }, { 0, false }, { 12345, false } };

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		bool elder = i % 2;

		set_up(state);
		fake.unique_ids = cases[i / 2].ids;
		inhabitant(110, CONTAINER, 9000);
		inhabitant(111, CONTAINER, elder ? RECORDED - 1 : RECORDED);
		inhabitant(112, OTHER, 7500);
		record();
		record_namespace(CONTAINER, cases[i / 2].written);
		open_identity();
		if (elder)
			assert_held(1, CONTAINER);
		else
			assert_stranger(CONTAINER);
		assert_gone(BORN);
	}
}

static void test_nobody_in_it(void **state)
{
	(void)state;
	inhabitant(110, OTHER, 7500);
	PROCESS(.pid = 111, .mntns = CONTAINER, .ppid = FAKE_SHELL, .state = 'Z', .started = 7500);
	PROCESS(.pid = 112, .mntns = CONTAINER, .unreadable = true, .started = 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	open_identity();
	assert_held(0, 0);
	assert_gone(BORN);
}

static void test_several(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 9000);
	inhabitant(111, OTHER, 9000);
	inhabitant(112, THIRD, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	record_namespace(400, 40000);
	record_namespace(OTHER, fake_unique_id(OTHER) + 1);
	record_namespace(THIRD, 0);
	open_identity();
	assert_stranger(OTHER);
	assert_int_equal(run.target.past.namespace_count, 2);
	assert_int_equal(run.target.past.namespaces[0].inode, CONTAINER);
	assert_int_equal(run.target.past.namespaces[1].inode, THIRD);
	assert_gone(BORN);
}

static void end_110(void)
{
	fake_end(110);
}

static void test_held_through_another(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 7500);
	inhabitant(111, CONTAINER, 7600);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	fake_after(DOOR_SCAN_ALL, 0, 1, end_110);
	open_identity();
	assert_held(1, CONTAINER);
	assert_gone(BORN);
}

static void come_after_the_look(void)
{
	inhabitant(111, CONTAINER, fake_ticks());
	fake.last_pid = 111;
}

/* Those in it live for so short a time that no look meets one. */
static void test_held_through_a_newcomer(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	fake_process(110)->hidden = true;
	fake.last_pid = 110;
	fake_after(DOOR_SCAN_ALL, 0, 1, come_after_the_look);
	open_identity();
	assert_held(1, CONTAINER);
	assert_gone(BORN);
}

static void test_held_while_alive(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = OTHER, .started = BORN,
		.inode = 4711);
	inhabitant(110, CONTAINER, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	open_identity();
	assert_held(1, CONTAINER);
	assert_false(run.target.dead);
	assert_int_equal(run.target.process.mntns, OTHER);
	finish();
}

static void test_held_when_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = OTHER, .started = 9000);
	inhabitant(110, CONTAINER, 7500);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	open_identity();
	assert_held(1, CONTAINER);
	assert_taken(BORN);
	assert_true(run.target.reused);
	assert_int_equal(run.target.held_count, 0);
	assert_int_equal(run.target.process.mntns, 0);
	finish();
}

/* Both are told: that the number is another's, and that the namespace's is, too. */
static void test_stranger_when_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 9000);
	inhabitant(110, CONTAINER, 9000);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER) + 1);
	open_identity();
	assert_true(run.target.reused);
	assert_int_equal(run.target.past.stranger, CONTAINER);
	assert_true(run.target.note_aloud);
	assert_non_null(strstr(run.target.note, "not followed: mount namespace 501"));
	finish();
}

static void test_held_of_none(void **state)
{
	(void)state;
	inhabitant(110, CONTAINER, 7500);
	record();
	open_identity();
	assert_held(0, 0);
	assert_true(run.target.recorded);
	assert_int_equal(fake_calls(DOOR_PIN_NAMESPACE), 0);
	assert_gone(BORN);
}

/* Stand-ins. */

#define ON_HOST 0

/* Somebody in the group of the target's number; and as many processes as there are PIDs since. */
static void stand_in(uint64_t mntns, uint64_t started)
{
	fake.forks = 1000000;
	PROCESS(.pid = 110, .pgrp = 100, .session = 110, .mntns = mntns, .started = started);
}

static void test_unproven(void **state)
{
	(void)state;
	stand_in(ON_HOST, 8000);
	pidfile(7500);
	open_identity();
	assert_refused();
	fake_process(110)->pgrp = 110;
	fake_process(110)->session = 100;
	open_identity();
	assert_refused();
	record();
	open_identity();
	assert_refused();
}

static void test_unproven_without_stand_ins(void **state)
{
	(void)state;
	stand_in(ON_HOST, 8000);
	fake_process(110)->pgrp = 110;
	pidfile(7500);
	open_identity();
	assert_gone(7500 - SAFETY);
}

static void test_unproven_dead_stand_in(void **state)
{
	(void)state;
	stand_in(ON_HOST, 8000);
	PROCESS(.pid = 120, .ppid = FAKE_SHELL);
	fake_process(110)->ppid = 120;
	fake_exit(110);
	pidfile(7500);
	open_identity();
	assert_gone(7500 - SAFETY);
}

static void test_proven_by_file(void **state)
{
	(void)state;
	stand_in(ON_HOST, 7999);
	pidfile(8000);
	open_identity();
	assert_gone(7999 - SAFETY);
	fake_process(110)->started = 8000;
	open_identity();
	assert_refused();
}

/* One that is proven speaks for the others: they share its number. */
static void test_proven_by_one(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	PROCESS(.pid = 111, .pgrp = 111, .session = 100, .started = 7999);
	pidfile(8000);
	open_identity();
	assert_gone(7999 - SAFETY);
}

static void test_proven_by_record(void **state)
{
	(void)state;
	stand_in(ON_HOST, RECORDED - 1);
	record();
	open_identity();
	assert_gone(BORN);
	fake_process(110)->started = RECORDED;
	open_identity();
	assert_refused();
}

/* The record's time counts, not that of the file: it may have been copied. */
static void test_date_of_record_proves_nothing(void **state)
{
	(void)state;
	stand_in(ON_HOST, RECORDED);
	record();
	run.identity.dated = true;
	run.identity.written = wall_at(9000);
	open_identity();
	assert_refused();
}

static void test_proven_by_namespace(void **state)
{
	(void)state;
	stand_in(CONTAINER, 9000);
	PROCESS(.pid = 111, .pgrp = 111, .session = 100, .started = 9000);
	record();
	record_namespace(CONTAINER, fake_unique_id(CONTAINER));
	open_identity();
	assert_gone(BORN);
	run.identity.record.namespaces[0].id++;
	open_identity();
	assert_refused();
	run.identity.record.namespaces[0].inode = OTHER;
	open_identity();
	assert_refused();
}

/* Everybody's is everybody's: whoever bore the number since can have been there, too. */
static void test_not_proven_by_the_hosts(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	record();
	record_namespace(FAKE_HOST, fake_unique_id(FAKE_HOST));
	open_identity();
	assert_refused();
}

static void test_proven_by_forks(void **state)
{
	static const struct {
		pid_t last;
		uint64_t written, now, in_use;
		bool proven;
	} cases[] = {
		{ 101, 0, PID_MAX - 102, 0, true },
		{ 101, 0, PID_MAX - 101, 0, false },
		{ 101, 0, PID_MAX - 142, 40, true },
		{ 101, 0, PID_MAX - 142, 41, false },
		{ PID_MAX - 1, 900000, 900000, 0, true },
		{ PID_MAX - 1, 900000, 900001, 0, false }, /* those below 300 are not relied on */
		{ PID_MAX, 900000, 900000, 0, false },
		{ 0, 900000, 900000, 0, false },
		{ 5000, 900000, 899999, 0, false }, /* never written here */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		stand_in(ON_HOST, 9000);
		fake.forks = cases[i].now;
		record();
		run.identity.record.forks = cases[i].written;
		run.identity.record.last_pid = cases[i].last;
		run.identity.record.in_use = cases[i].in_use;
		open_identity();
		if (cases[i].proven)
			assert_gone(BORN);
		else
			assert_refused();
	}
}

/* A file that tells no more than a number is held against all that was made since boot. */
static void test_proven_since_boot(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	pidfile(8000);
	fake.forks = PID_MAX - 1;
	open_identity();
	assert_gone(8000 - SAFETY);
	fake.forks = PID_MAX;
	open_identity();
	assert_refused();
}

static void test_pid_max_counts(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	fake.pid_max = 4194304;
	pidfile(8000);
	open_identity();
	assert_gone(8000 - SAFETY);
	fake.forks = 4194304;
	open_identity();
	assert_refused();
}

static void test_forks_unreadable(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	fake.forks = 10;
	fake.forks_error = EACCES;
	pidfile(8000);
	open_identity();
	assert_refused();
}

static void test_proven_by_number(void **state)
{
	(void)state;
	stand_in(ON_HOST, 8000);
	number();
	open_identity();
	assert_gone(8000 - SAFETY);
}

/* Whoever gives an inode speaks of a time when that was alive. */
static void test_not_proven_by_inode(void **state)
{
	(void)state;
	stand_in(ON_HOST, 8000);
	number();
	run.identity.inode = 4711;
	open_identity();
	assert_int_equal(run.rc, -EPERM);
	assert_int_equal(run.error.status, STATUS_REFUSED);
	finish();
	run.error = (struct error){ 0 };
	fake.forks = PID_MAX - 1;
	open_identity();
	assert_gone(8000 - SAFETY);
}

static void test_not_proven_by_start(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	pidfile(8000);
	run.identity.start_ticks = BORN;
	open_identity();
	assert_refused();
}

static void test_proven_by_trust(void **state)
{
	(void)state;
	stand_in(ON_HOST, 9000);
	record();
	run.identity.trusted = true;
	open_identity();
	assert_gone(BORN);
}

/* Where they are. */

static void test_host_by_mark(void **state)
{
	(void)state;
	stand_in(700, 8000);
	fake_namespace(700)->first = true;
	fake_namespace(700)->nested = false;
	pidfile(7500);
	open_identity();
	assert_refused();
}

static void test_host_by_nskill(void **state)
{
	(void)state;
	stand_in(OWN, 8000);
	fake_join(FAKE_NSKILL, OWN);
	fake_namespace(OWN)->nested = false;
	pidfile(7500);
	open_identity();
	assert_refused();
	fake_namespace(OWN)->nested = true;
	open_identity();
	assert_gone(8000 - SAFETY);
}

static void test_host_by_ancestor(void **state)
{
	(void)state;
	stand_in(OWN, 8000);
	fake_join(FAKE_SHELL, OWN);
	fake_namespace(OWN)->nested = false;
	pidfile(7500);
	open_identity();
	assert_refused();
}

static void test_nobody_knows_where(void **state)
{
	(void)state;
	stand_in(CONTAINER, 8000);
	fake_process(110)->unreadable = true;
	pidfile(7500);
	open_identity();
	assert_refused();
}

static void test_one_on_host(void **state)
{
	(void)state;
	stand_in(CONTAINER, 8000);
	PROCESS(.pid = 111, .pgrp = 111, .session = 100, .started = 8100);
	PROCESS(.pid = 112, .pgrp = 100, .session = 112, .mntns = CONTAINER, .started = 8200);
	pidfile(7500);
	open_identity();
	assert_refused();
}

/* Birth. */

static void test_birth_of_unproven(void **state)
{
	(void)state;
	stand_in(CONTAINER, 8000);
	pidfile(7500);
	open_identity();
	assert_gone(8000 - SAFETY);
	fake.forks = PID_MAX - 1;
	open_identity();
	assert_gone(7500 - SAFETY);
}

static void test_birth_from_start(void **state)
{
	(void)state;
	stand_in(CONTAINER, 6500);
	pidfile(6000);
	run.identity.start_ticks = BORN;
	open_identity();
	assert_gone(BORN);
}

/* There, who started after it can seem to have started that much earlier. */
static void test_birth_in_time_namespace(void **state)
{
	(void)state;
	fake.start_error = 1;
	record();
	open_identity();
	assert_gone(BORN - 1);
}

static void test_birth_from_the_oldest(void **state)
{
	(void)state;
	stand_in(CONTAINER, 8000);
	PROCESS(.pid = 111, .pgrp = 111, .session = 100, .started = 7800, .mntns = CONTAINER);
	PROCESS(.pid = 112, .pgrp = 100, .session = 112, .started = 7900, .mntns = CONTAINER);
	pidfile(7850);
	open_identity();
	assert_gone(7800 - SAFETY);
}

/* Who has joined the group may be older than its leader was; nobody in the session is. */
static void test_latest_birth(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 90, .started = BORN - 500);
	PROCESS(.pid = 102, .pgrp = 102, .session = 100, .started = BORN + 20);
	PROCESS(.pid = 103, .pgrp = 103, .session = 100, .started = BORN + 30);
	number();
	open_identity();
	assert_int_equal(run.target.born_by, BORN + 20);
	assert_gone(BORN - 500 - SAFETY);
}

static void test_birth_in_the_future(void **state)
{
	uint64_t now = fake_ticks();

	(void)state;
	pidfile(now + 500);
	open_identity();
	assert_gone(now - SAFETY);
}

/* Between two ticks the wall clock is ahead of the ticks that are counted. */
static void test_birth_is_of_ticks(void **state)
{
	(void)state;
	fake.booted = 1000 * NS_PER_SECOND;
	pidfile(7500);
	run.identity.written += FAKE_TICK - 1;
	open_identity();
	assert_gone(7500 - SAFETY);
}

static void assert_traceless(bool traceless)
{
	open_identity();
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.past.traceless, traceless);
	finish();
}

static void test_traceless(void **state)
{
	(void)state;
	number();
	assert_traceless(true);
	pidfile(8000);
	assert_traceless(true);
	run.identity.start_ticks = BORN;
	assert_traceless(false);
	record();
	assert_traceless(false);
	stand_in(CONTAINER, 8000);
	number();
	assert_traceless(false);
}

/* Writing it down. */

static void plan(void)
{
	struct kill_orders orders = {
		.scan = fake_scan(),
		.targets = &run.target,
		.target_count = 1,
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT },
		.signal = SIGKILL,
		.deadline = fake.now + NS_PER_SECOND,
	};

	assert_int_equal(kill_plan(&run.kill, &orders, &run.error), 0);
	run.planned = true;
}

/* What is remembered of the number 100. */
static void remember_number(void)
{
	number();
	open_identity();
	assert_int_equal(run.rc, 0);
	plan();
	run.rc = remember(&run.identity, &run.target, &run.kill, &run.error);
}

static void assert_remembered(bool dead, uint64_t birth, uint64_t inode)
{
	const struct record *written = &run.identity.record;

	assert_int_equal(run.rc, 0);
	assert_null(run.identity.name);
	assert_int_equal(run.identity.pid, 100);
	assert_int_equal(run.identity.start_ticks, birth);
	assert_int_equal(run.identity.inode, inode);
	assert_string_equal(written->boot, FAKE_BOOT);
	assert_int_equal(written->time, run.kill.ticks);
	assert_int_equal(written->forks, fake.forks);
	assert_int_equal(written->last_pid, run.kill.last_pid);
	assert_int_equal(written->in_use, boot_numbers_in_use());
	assert_int_equal(written->dead, dead);
}

static void assert_namespace(size_t place, uint64_t inode, uint64_t id)
{
	assert_true(place < run.identity.record.namespace_count);
	assert_int_equal(run.identity.record.namespaces[place].inode, inode);
	assert_int_equal(run.identity.record.namespaces[place].id, id);
}

static void container(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 99, .mntns = CONTAINER, .started = BORN,
		.inode = 4711);
	fake.forks = 12345;
}

static void test_remember(void **state)
{
	(void)state;
	container();
	remember_number();
	assert_remembered(false, BORN, 4711);
	assert_int_equal(run.identity.record.pgrp, 100);
	assert_int_equal(run.identity.record.session, 99);
	assert_int_equal(run.identity.record.namespace_count, 1);
	assert_namespace(0, CONTAINER, fake_unique_id(CONTAINER));
	finish();
}

static void test_remember_without_ids(void **state)
{
	(void)state;
	fake.unique_ids = false;
	fake.pidfs = false;
	container();
	remember_number();
	assert_remembered(false, BORN, 0);
	assert_namespace(0, CONTAINER, 0);
	finish();
}

static void test_remember_unreadable(void **state)
{
	(void)state;
	container();
	fake_process(100)->unreadable = true;
	remember_number();
	assert_remembered(false, BORN, 4711);
	assert_int_equal(run.identity.record.namespace_count, 0);
	finish();
}

/* The sandboxes that a live one made are found through its own namespace. */
static void test_remember_own_alone(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .ppid = 100, .mntns = OTHER, .started = 8000);
	remember_number();
	assert_true(claim_is_following(&run.kill.claims[0],
				       (struct scope){ .kind = SCOPE_MNT, .id = OTHER }));
	assert_int_equal(run.identity.record.namespace_count, 1);
	assert_namespace(0, CONTAINER, fake_unique_id(CONTAINER));
	finish();
}

static void test_remember_zombie(void **state)
{
	(void)state;
	container();
	fake_process(100)->ppid = FAKE_SHELL;
	PROCESS(.pid = 101, .ppid = 1, .pgrp = 100, .session = 99, .mntns = CONTAINER,
		.started = 8000);
	fake_exit(100);
	remember_number();
	assert_remembered(true, BORN, 4711);
	assert_int_equal(run.identity.record.pgrp, 100);
	assert_int_equal(run.identity.record.namespace_count, 1);
	assert_namespace(0, CONTAINER, fake_unique_id(CONTAINER));
	finish();
}

/* Its namespaces are those that fell to it through its stand-ins, not each that one is in. */
static void test_remember_gone(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .started = 8000);
	PROCESS(.pid = 102, .pgrp = 102, .session = 100, .mntns = OTHER, .started = 8001);
	PROCESS(.pid = 103, .pgrp = 100, .session = 103, .mntns = THIRD, .started = 8002);
	PROCESS(.pid = 104, .pgrp = 104, .session = 104, .mntns = THIRD, .started = 6000);
	PROCESS(.pid = 105, .pgrp = 100, .session = 105, .started = 8003);
	remember_number();
	assert_remembered(true, 8000 - SAFETY, 0);
	assert_int_equal(run.identity.record.pgrp, 0);
	assert_int_equal(run.identity.record.session, 0);
	assert_int_equal(run.identity.record.namespace_count, 2);
	assert_namespace(0, CONTAINER, fake_unique_id(CONTAINER));
	assert_namespace(1, OTHER, fake_unique_id(OTHER));
	finish();
}

static void test_remember_gone_without_ids(void **state)
{
	(void)state;
	fake.unique_ids = false;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .started = 8000);
	remember_number();
	assert_int_equal(run.identity.record.namespace_count, 1);
	assert_namespace(0, CONTAINER, 0);
	finish();
}

/* Whoever led there may have ended since: the next one in it is asked. */
static void test_remember_through_another(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .started = 8000);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER, .started = 8001);
	PROCESS(.pid = 103, .pgrp = 100, .session = 103, .mntns = OTHER, .started = 8002);
	number();
	open_identity();
	plan();
	fake_end(101);
	fake_end(103);
	run.rc = remember(&run.identity, &run.target, &run.kill, &run.error);
	assert_remembered(true, 8000 - SAFETY, 0);
	assert_int_equal(run.identity.record.namespace_count, 1);
	assert_namespace(0, CONTAINER, fake_unique_id(CONTAINER));
	finish();
}

static void test_remember_many(void **state)
{
	(void)state;
	for (int i = 0; i < IDENTITY_NAMESPACES + 3; i++)
		PROCESS(.pid = 101 + i, .pgrp = 100, .session = 101 + i,
			.mntns = CONTAINER + (uint64_t)i, .started = 8000 + (uint64_t)i);
	remember_number();
	assert_remembered(true, 8000 - SAFETY, 0);
	assert_int_equal(run.identity.record.namespace_count, IDENTITY_NAMESPACES);
	finish();
}

static void test_remember_which_boot(void **state)
{
	for (int i = 0; i < 2; i++) {
		set_up(state);
		container();
		if (i)
			fake.boot_error = EACCES;
		else
			fake.forks_error = EACCES;
		remember_number();
		assert_int_equal(run.rc, -EACCES);
		assert_int_equal(run.error.status, STATUS_SYSTEM);
		assert_non_null(strstr(run.error.text, "cannot tell this boot"));
		assert_string_equal(run.identity.record.boot, "");
		finish();
	}
}

/* Written down, and read again. */

static void write_down(void)
{
	char *text = document_write(&run.identity);

	assert_non_null(text);
	fake_pidfile(text, wall_at(fake_ticks()), false);
	free(text);
	finish();
}

static void read_again(void)
{
	const struct evidence_rules rules = { 0 };

	fake.now += 10 * NS_PER_SECOND;
	run.identity = (struct identity){ 0 };
	assert_int_equal(evidence_read(&run.identity, FAKE_PIDFILE, &rules, &run.error), 0);
	open_identity();
}

static void test_again_alive(void **state)
{
	(void)state;
	container();
	remember_number();
	write_down();
	read_again();
	assert_int_equal(run.rc, 0);
	assert_false(run.target.dead);
	assert_int_equal(run.target.process.inode, 4711);
	assert_held(1, CONTAINER);
	finish();
}

/* Only who has called setsid is left, in the namespace; he was born after the record, too. */
static void test_again_dead(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .started = 9000);
	remember_number();
	write_down();
	fake_end(100);
	fake_process(101)->started = fake_ticks() + 1;
	fake.forks = 1000000;
	read_again();
	assert_taken(BORN);
	assert_held(1, CONTAINER);
	plan();
	assert_int_equal(run.kill.victim_count, 1);
	assert_int_equal(run.kill.victims[0]->process.pid, 101);
	finish();
}

static void test_again_reused(void **state)
{
	(void)state;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .started = 9000);
	remember_number();
	write_down();
	fake_end(100);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = BORN);
	PROCESS(.pid = 120, .pgrp = 120, .session = 100);
	read_again();
	assert_taken(BORN);
	assert_true(run.target.reused);
	plan();
	assert_int_equal(run.kill.victim_count, 1);
	assert_int_equal(run.kill.victims[0]->process.pid, 101);
	finish();
}

static void test_again_with_a_stranger(void **state)
{
	(void)state;
	container();
	remember_number();
	write_down();
	fake_end(100);
	inhabitant(120, CONTAINER, fake_ticks() + 1);
	read_again();
	assert_stranger(CONTAINER);
	plan();
	assert_int_equal(run.kill.victim_count, 0);
	finish();
}

static void test_again_without_ids(void **state)
{
	(void)state;
	fake.unique_ids = false;
	container();
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .started = 9000);
	remember_number();
	write_down();
	fake_end(100);
	read_again();
	assert_held(1, CONTAINER);
	finish();
	fake_end(101);
	inhabitant(120, CONTAINER, fake_ticks());
	read_again();
	assert_stranger(CONTAINER);
	finish();
}

static void test_again_of_dead(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .started = 8000);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER, .started = 8001);
	remember_number();
	write_down();
	fake_end(101);
	read_again();
	assert_taken(8000 - SAFETY);
	assert_held(1, CONTAINER);
	plan();
	assert_int_equal(run.kill.victim_count, 1);
	assert_int_equal(run.kill.victims[0]->process.pid, 102);
	finish();
}

/* Whoever bears the number now was not there when it was dead already. */
static void test_again_of_dead_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .started = 8000);
	remember_number();
	write_down();
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = 8000 - SAFETY);
	read_again();
	assert_taken(8000 - SAFETY);
	assert_true(run.target.reused);
	finish();
}

static void test_again_after_boot(void **state)
{
	(void)state;
	container();
	remember_number();
	memset(run.identity.record.boot, '0', 1);
	memset(run.identity.record.boot + 1, 'f', 1);
	write_down();
	read_again();
	assert_int_equal(run.rc, 0);
	assert_true(run.target.over);
	finish();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a recorded mount namespace is found by its id", test_found_by_id),
		TEST("one of another id is another, and that is said", test_other_id),
		TEST("one whose inode was handed out again is another",
		     test_inode_handed_out_again),
		TEST("without an id somebody in it must be older than the record",
		     test_elder_than_the_record),
		TEST("a recorded mount namespace that nobody is in is gone", test_nobody_in_it),
		TEST("each recorded mount namespace is judged by itself", test_several),
		TEST("when who is in it has ended another leads to it", test_held_through_another),
		TEST("and so does one who came after the look", test_held_through_a_newcomer),
		TEST("the recorded one of a live target is followed, too", test_held_while_alive),
		TEST("the recorded one of a reused number is followed", test_held_when_reused),
		TEST("of a reused number, too, it is said that another namespace is not followed",
		     test_stranger_when_reused),
		TEST("a record without a mount namespace leads to none", test_held_of_none),
		TEST("who bears the number long after the evidence is refused", test_unproven),
		TEST("where nobody bears it there is nothing to prove",
		     test_unproven_without_stand_ins),
		TEST("a zombie stands in for nobody, and need not be proven",
		     test_unproven_dead_stand_in),
		TEST("a stand-in that is older than the file is proven", test_proven_by_file),
		TEST("one that is proven speaks for all", test_proven_by_one),
		TEST("a stand-in that is older than the record is proven", test_proven_by_record),
		TEST("the date of a record's file proves nothing",
		     test_date_of_record_proves_nothing),
		TEST("a stand-in in the recorded mount namespace is proven",
		     test_proven_by_namespace),
		TEST("being in the host's mount namespace proves nothing, even when recorded",
		     test_not_proven_by_the_hosts),
		TEST("stand-ins are proven while the PIDs have not gone round",
		     test_proven_by_forks),
		TEST("so they are without a record if no number has been used twice since boot",
		     test_proven_since_boot),
		TEST("how many PIDs there are is the kernel's pid_max", test_pid_max_counts),
		TEST("where forks are not counted they prove nothing", test_forks_unreadable),
		TEST("who gives the number means who bears it", test_proven_by_number),
		TEST("an inode proves no stand-in", test_not_proven_by_inode),
		TEST("a start tick proves no stand-in", test_not_proven_by_start),
		TEST("with --trust-pidfile stand-ins are proven", test_proven_by_trust),
		TEST("unproven ones are refused in what bears the host's mark", test_host_by_mark),
		TEST("and in nskill's own mount namespace, unless that is nested",
		     test_host_by_nskill),
		TEST("and in that of an ancestor of nskill", test_host_by_ancestor),
		TEST("and in an unknown one", test_nobody_knows_where),
		TEST("and where one of several is in the host's", test_one_on_host),
		TEST("of unproven ones the oldest tells the birth, and not the file",
		     test_birth_of_unproven),
		TEST("a birth that is told is not put earlier", test_birth_from_start),
		TEST("but by the tick that it can be wrong by in another time namespace",
		     test_birth_in_time_namespace),
		TEST("the oldest stand-in tells the birth", test_birth_from_the_oldest),
		TEST("the oldest of the session tells when it was born at the latest",
		     test_latest_birth),
		TEST("nobody was born later than now", test_birth_in_the_future),
		TEST("a file's date counts in whole ticks", test_birth_is_of_ticks),
		TEST("without stand-ins and start a target has left no trace", test_traceless),
		TEST("of a live target itself and its mount namespace are remembered",
		     test_remember),
		TEST("on an older kernel without ids and inode", test_remember_without_ids),
		TEST("a mount namespace that may not be read is not remembered",
		     test_remember_unreadable),
		TEST("a live target's sandboxes are not remembered", test_remember_own_alone),
		TEST("of a zombie its birth and its stand-ins' mount namespace are remembered",
		     test_remember_zombie),
		TEST("of one that is gone the mount namespaces that fell are remembered",
		     test_remember_gone),
		TEST("and so without ids", test_remember_gone_without_ids),
		TEST("another member leads to it when the first has ended",
		     test_remember_through_another),
		TEST("no more mount namespaces are remembered than a record holds",
		     test_remember_many),
		TEST("nothing is remembered that could not be told from another boot's",
		     test_remember_which_boot),
		TEST("a record finds its target alive", test_again_alive),
		TEST("a record of a live target finds what is left in its mount namespace",
		     test_again_dead),
		TEST("and when its number has gone to another in the same tick", test_again_reused),
		TEST("but not when its mount namespace's number has gone to another",
		     test_again_with_a_stranger),
		TEST("without ids the elder tells them apart", test_again_without_ids),
		TEST("a record of a dead target finds what is left of it", test_again_of_dead),
		TEST("a record of a dead target knows its number as reused",
		     test_again_of_dead_reused),
		TEST("a record is over after the next boot", test_again_after_boot),
	};

	return cmocka_run_group_tests_name("past", tests, NULL, NULL);
}
