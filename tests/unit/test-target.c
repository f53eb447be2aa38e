/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a name to a target, on the fake system. */
#include "config.h"

#include "../fake/system.h"

#include "core/evidence.h"
#include "core/target.h"
#include "linux/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, NULL, NULL                                             \
	}
#define CONTAINER UINT64_C(501)
#define S	  NS_PER_SECOND
#define MS	  FAKE_MS
#define SAFETY	  10 /* ticks that an estimated birth is put earlier */

static struct {
	struct identity identity;
	struct target target;
	struct error error;
	int rc;
} run;

static struct evidence_rules rules;

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&run, 0, sizeof(run));
	rules = (struct evidence_rules){ 0 };
	run.target = TARGET_NULL;
	return 0;
}

/* The time of the wall clock at that tick. */
static uint64_t wall_at(uint64_t ticks)
{
	return fake.booted + ticks * FAKE_TICK;
}

static void open_identity(void)
{
	run.rc = target_open(&run.target, &run.identity, FAKE_NSKILL, fake_scan(), &run.error);
}

static void open_number(pid_t pid)
{
	run.identity = (struct identity){ .pid = pid };
	open_identity();
}

static int read_identity(const char *path)
{
	return evidence_read(&run.identity, path, &rules, &run.error);
}

static void open_pidfile_of(const char *text, uint64_t written, bool whole_seconds)
{
	fake_pidfile(text, written, whole_seconds);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	open_identity();
}

static void open_pidfile(uint64_t written)
{
	open_pidfile_of("100\n", written, false);
}

static void finish(void)
{
	target_close(&run.target);
	fake_check();
	assert_string_equal(fake_log(), "");
}

/* What is said of the target, if it was taken, does not count: it was not. */
static void assert_refused(enum status status, const char *words)
{
	assert_true(run.rc < 0);
	assert_int_equal(run.error.status, status);
	if (!strstr(run.error.text, words))
		assert_string_equal(run.error.text, words);
	assert_int_equal(run.target.process.pid, 0);
	finish();
}

static void assert_alive(void)
{
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_false(run.target.dead);
	assert_false(run.target.reused);
	assert_false(run.target.over);
	assert_string_equal(run.target.note, "");
	assert_true(run.target.ref.fd >= 0);
}

static void assert_dead(uint64_t birth)
{
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_true(run.target.dead);
	assert_false(run.target.reused);
	assert_false(run.target.over);
	assert_false(process_alive(&run.target.process));
	assert_int_equal(run.target.process.start_ticks, birth);
	assert_int_equal(run.target.held_count, 0);
}

/* A process that started @ns after, or before, the time that the pidfile is from. */
#define WRITTEN 20000 /* ticks */
static uint64_t started_after(int64_t ns)
{
	PROCESS(.pid = 100, .started = (uint64_t)(WRITTEN + ns / (int64_t)FAKE_TICK));
	return wall_at(WRITTEN);
}

/* Alive. */

static void test_number(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER, .started = 7000,
		.inode = 4711);
	open_number(100);
	assert_alive();
	assert_null(run.target.name);
	assert_int_equal(run.target.process.start_ticks, 7000);
	assert_int_equal(run.target.process.pgrp, 100);
	assert_int_equal(run.target.process.session, 100);
	assert_int_equal(run.target.process.mntns, CONTAINER);
	assert_int_equal(run.target.process.inode, 4711);
	assert_int_equal(run.target.held_count, 1);
	finish();
}

static void test_number_has_no_date(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = fake_ticks());
	open_number(100);
	assert_alive();
	finish();
}

static void test_without_pidfs(void **state)
{
	(void)state;
	fake.pidfs = false;
	PROCESS(.pid = 100);
	open_number(100);
	assert_alive();
	assert_int_equal(run.target.process.inode, 0);
	finish();
}

static void test_unreadable_namespace(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .mntns = CONTAINER, .unreadable = true);
	open_number(100);
	assert_alive();
	assert_int_equal(run.target.process.mntns, 0);
	assert_int_equal(run.target.held_count, 0);
	finish();
}

static void leave_namespace(void)
{
	fake_unshare(100);
}

static void test_namespace_left(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .mntns = CONTAINER);
	fake_after(DOOR_SCAN_PROCESS, 100, 1, leave_namespace);
	open_number(100);
	assert_alive();
	assert_int_equal(run.target.process.mntns, 0);
	finish();
}

static void test_zombie_with_threads(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .mntns = CONTAINER, .state = 'Z', .threads = 2);
	open_number(100);
	assert_alive();
	assert_int_equal(run.target.process.mntns, CONTAINER);
	assert_int_equal(run.target.held_count, 1);
	finish();
}

/* The pidfile's age. */

static void test_pidfile_fits(void **state)
{
	(void)state;
	open_pidfile(started_after(-(int64_t)S));
	assert_alive();
	assert_string_equal(run.target.name, FAKE_PIDFILE);
	finish();
}

static void test_pidfile_within_tolerance(void **state)
{
	(void)state;
	open_pidfile(started_after(100 * MS));
	assert_alive();
	finish();
}

static void test_pidfile_beyond_tolerance(void **state)
{
	(void)state;
	open_pidfile(started_after(110 * MS));
	assert_refused(STATUS_REFUSED, "PID 100 (from " FAKE_PIDFILE ") started at ");
}

static void test_both_times_named(void **state)
{
	(void)state;
	open_pidfile(started_after(20 * S));
	assert_refused(STATUS_REFUSED, " started at second 1700000220, after that was "
				       "written at second 1700000200");
}

static void test_whole_seconds_within_tolerance(void **state)
{
	(void)state;
	open_pidfile_of("100", started_after(2 * S), true);
	assert_alive();
	finish();
}

static void test_whole_seconds_beyond_tolerance(void **state)
{
	(void)state;
	open_pidfile_of("100", started_after(2 * S + 10 * MS), true);
	assert_refused(STATUS_REFUSED, "after that was written");
}

static void test_younger_zombie(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .state = 'Z', .started = WRITTEN + 100);
	open_pidfile(wall_at(WRITTEN));
	assert_refused(STATUS_REFUSED, "after that was written");
}

static void test_before_boot(void **state)
{
	(void)state;
	PROCESS(.pid = 100);
	open_pidfile(fake.booted - 1);
	assert_int_equal(run.rc, 0);
	assert_true(run.target.over);
	assert_true(run.target.dead);
	assert_true(run.target.ref.fd < 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_int_equal(fake_calls(DOOR_PIN), 0);
	finish();
}

static void test_at_boot(void **state)
{
	(void)state;
	open_pidfile(fake.booted);
	assert_dead(0);
	finish();
}

/* Dead. */

static void test_zombie(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .session = 100, .state = 'Z',
		.started = 7000);
	PROCESS(.pid = 101, .pgrp = 100, .session = 100, .started = 6000);
	open_number(100);
	assert_dead(7000);
	assert_int_equal(run.target.process.pgrp, 100);
	assert_int_equal(run.target.process.session, 100);
	assert_true(run.target.ref.fd >= 0);
	finish();
}

static void test_gone(void **state)
{
	(void)state;
	open_number(100);
	assert_dead(fake_ticks() - SAFETY);
	assert_true(run.target.ref.fd < 0);
	finish();
}

static void test_gone_with_stand_ins(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = 8000);
	PROCESS(.pid = 102, .pgrp = 102, .session = 100, .started = 7000);
	PROCESS(.pid = 103, .pgrp = 103, .session = 103, .started = 6000);
	open_number(100);
	assert_dead(7000 - SAFETY);
	finish();
}

static void test_gone_with_dead_stand_in(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = 8000);
	PROCESS(.pid = 102, .ppid = FAKE_SHELL, .pgrp = 100, .started = 7000, .state = 'Z');
	open_number(100);
	assert_dead(8000 - SAFETY);
	finish();
}

static void test_gone_with_earlier_pidfile(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = 8000);
	open_pidfile(wall_at(7500));
	assert_dead(7500 - SAFETY);
	finish();
}

static void test_gone_with_later_pidfile(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = 8000);
	open_pidfile(wall_at(9000));
	assert_dead(8000 - SAFETY);
	finish();
}

static void test_gone_right_after_boot(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = SAFETY - 1);
	open_number(100);
	assert_dead(0);
	finish();
}

static void end_100(void)
{
	fake_end(100);
}

static void test_gone_while_pinned(void **state)
{
	(void)state;
	PROCESS(.pid = 100);
	fake_after(DOOR_PIN, 100, 1, end_100);
	open_number(100);
	assert_dead(fake_ticks() - SAFETY);
	finish();
}

static void reused_100(void)
{
	fake_end(100);
	PROCESS(.pid = 100, .started = 9000, .inode = 4712);
}

static void test_reused_while_pinned(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 9000, .inode = 4711);
	fake_after(DOOR_PIN, 100, 1, reused_100);
	open_number(100);
	assert_dead(fake_ticks() - SAFETY);
	finish();
}

static void test_on_its_way_out(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .unpinnable = EINVAL);
	fake_after(DOOR_PIN, 100, 2, end_100);
	open_number(100);
	assert_dead(fake_ticks() - SAFETY);
	finish();
}

/* Refused. */

static void test_thread(void **state)
{
	static const int errors[] = { EINVAL, ENOENT };

	for (size_t i = 0; i < 2; i++) {
		set_up(state);
		fake.thread_error = errors[i];
		PROCESS(.pid = 99);
		PROCESS(.pid = 100, .tgid = 99);
		open_number(100);
		assert_refused(STATUS_REFUSED, "PID 100 is a thread of process 99");
	}
}

static void test_thread_in_pidfile(void **state)
{
	(void)state;
	PROCESS(.pid = 99);
	PROCESS(.pid = 100, .tgid = 99);
	open_pidfile(wall_at(WRITTEN));
	assert_refused(STATUS_REFUSED, "PID 100 (from /run/fake.pid) is a thread of process 99");
}

static void test_hidden(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .hidden = true);
	open_number(100);
	assert_refused(STATUS_REFUSED, "PID 100 exists but cannot be inspected");
}

static void test_kernel_thread(void **state)
{
	(void)state;
	open_number(2);
	assert_refused(STATUS_REFUSED, "PID 2 is a kernel thread");
}

static void test_pid_1(void **state)
{
	(void)state;
	open_number(1);
	assert_refused(STATUS_REFUSED, "PID 1 is refused");
}

static void test_self(void **state)
{
	(void)state;
	open_number(FAKE_NSKILL);
	assert_refused(STATUS_REFUSED, "PID 50 is nskill itself or an ancestor of it");
}

static void test_ancestors(void **state)
{
	(void)state;
	PROCESS(.pid = 30);
	fake_process(FAKE_SHELL)->ppid = 30;
	open_number(FAKE_SHELL);
	assert_refused(STATUS_REFUSED, "PID 40 is nskill itself or an ancestor of it");
	open_number(30);
	assert_refused(STATUS_REFUSED, "PID 30 is nskill itself or an ancestor of it");
}

static void test_denied_signal(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .denied = EPERM);
	open_number(100);
	assert_alive();
	finish();
}

static void test_pin_errors(void **state)
{
	static const int errors[] = { EPERM, EMFILE, ENFILE, ENOMEM, ENOSYS };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		set_up(state);
		PROCESS(.pid = 100);
		fake.pin_error = errors[i];
		open_number(100);
		assert_int_equal(run.rc, -errors[i]);
		assert_refused(STATUS_SYSTEM, "PID 100 cannot be pinned");
	}
}

/* What a pidfile says. */

static void test_no_pidfile(void **state)
{
	(void)state;
	run.rc = read_identity("/run/missing.pid");
	assert_refused(STATUS_REFUSED, "/run/missing.pid");
}

static void test_pidfile_contents(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "is empty" },
		{ "1\n", "does not hold one PID above 1" },
		{ "12foo", "does not hold one PID above 1" },
		{ "100 101", "does not hold one PID above 1" },
		{ "99999999999", "its number is too large for a PID" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		fake_pidfile(cases[i].text, wall_at(WRITTEN), false);
		run.rc = read_identity(FAKE_PIDFILE);
		assert_int_equal(run.identity.pid, 0);
		assert_refused(STATUS_REFUSED, cases[i].words);
	}
}

/* Evidence that tells the process from others of its number. */

#define RUNC "{\"init_process_pid\":100,\"init_process_start\":7000}"
#define CRUN "{\"pid\":100,\"process-start-time\":7000}"
#define OCI  "{\"ociVersion\":\"1.0\",\"status\":\"running\",\"pid\":100}"

static void open_inode(uint64_t inode)
{
	run.identity = (struct identity){ .pid = 100, .inode = inode };
	open_identity();
}

/* A record of a process of this boot. */
static void open_record(uint64_t start, uint64_t inode, bool dead)
{
	run.identity = (struct identity){
		.name = FAKE_PIDFILE,
		.pid = 100,
		.start_ticks = start,
		.inode = inode,
		.record = { .boot = FAKE_BOOT, .time = WRITTEN, .dead = dead },
	};
	open_identity();
}

/* Nothing of the number's new bearer is taken for the target's. */
static void assert_reused(uint64_t birth)
{
	assert_int_equal(run.rc, 0);
	assert_true(run.target.dead);
	assert_true(run.target.reused);
	assert_false(run.target.over);
	assert_true(run.target.ref.fd < 0);
	assert_int_equal(run.target.held_count, 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_int_equal(run.target.process.state, 'X');
	assert_int_equal(run.target.process.start_ticks, birth);
	assert_int_equal(run.target.process.pgrp, 0);
	assert_int_equal(run.target.process.session, 0);
	assert_int_equal(run.target.process.mntns, 0);
	assert_int_equal(run.target.process.inode, 0);
	assert_false(run.target.note_aloud);
	if (!strstr(run.target.note, " is another process now, started at second "))
		assert_string_equal(run.target.note, "one about another process");
}

static void test_start_fits(void **state)
{
	static const char *const texts[] = { RUNC, CRUN };

	for (size_t i = 0; i < 2; i++) {
		set_up(state);
		PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER,
			.started = 7000);
		open_pidfile_of(texts[i], wall_at(WRITTEN), false);
		assert_alive();
		assert_int_equal(run.target.process.start_ticks, 7000);
		assert_int_equal(run.target.process.mntns, CONTAINER);
		finish();
	}
}

static void test_start_needs_no_date(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 7000);
	open_pidfile_of(RUNC, wall_at(5000), false);
	assert_alive();
	finish();
}

static void test_start_differs(void **state)
{
	static const uint64_t starts[] = { 6000, 6999, 7001, 9000 };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		set_up(state);
		PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER,
			.started = starts[i]);
		open_pidfile_of(RUNC, wall_at(WRITTEN), false);
		assert_reused(7000);
		finish();
	}
}

static void test_reuse_is_noted(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 9000);
	open_pidfile_of(RUNC, wall_at(WRITTEN), false);
	assert_string_equal(run.target.note,
			    "PID 100 (from /run/fake.pid) is another process now, started at "
			    "second 1700000090: the one that was meant is gone");
	finish();
}

static void test_time_namespace(void **state)
{
	for (uint64_t start = 6998; start <= 7002; start++) {
		set_up(state);
		fake.start_error = 1;
		PROCESS(.pid = 100, .started = start);
		open_pidfile_of(RUNC, wall_at(WRITTEN), false);
		if (start == 6998 || start == 7002)
			assert_reused(6999);
		else
			assert_alive();
		finish();
	}
}

static void test_zombie_that_fits(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .state = 'Z', .started = 7000);
	open_pidfile_of(RUNC, wall_at(WRITTEN), false);
	assert_dead(7000);
	assert_int_equal(run.target.process.pgrp, 100);
	assert_true(run.target.ref.fd >= 0);
	assert_string_equal(run.target.note,
			    "PID 100 (from /run/fake.pid) is dead, and not reaped yet");
	assert_false(run.target.note_aloud);
	finish();
}

static void test_zombie_that_differs(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .state = 'Z', .started = 7001);
	open_pidfile_of(RUNC, wall_at(WRITTEN), false);
	assert_reused(7000);
	finish();
}

static void test_ancestor_with_the_number(void **state)
{
	(void)state;
	run.identity =
		(struct identity){ .name = FAKE_PIDFILE, .pid = FAKE_SHELL, .start_ticks = 4000 };
	open_identity();
	assert_int_equal(run.rc, 0);
	assert_true(run.target.reused);
	finish();
}

static void test_inode_fits(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 7000, .inode = 4711);
	open_inode(4711);
	assert_alive();
	assert_int_equal(run.target.process.inode, 4711);
	finish();
}

static void test_inode_differs(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = 7000, .inode = 4711);
	open_inode(4712);
	assert_reused(0);
	assert_string_equal(run.target.note, "PID 100 is another process now, started at second "
					     "1700000070: the one that was meant is gone");
	finish();
}

static void test_inode_differs_in_a_time_namespace(void **state)
{
	(void)state;
	fake.start_error = 1;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = 7000, .inode = 4711);
	open_inode(4712);
	assert_reused(0);
	finish();
}

static void test_inode_of_gone(void **state)
{
	(void)state;
	open_inode(4711);
	assert_dead(fake_ticks() - SAFETY);
	assert_string_equal(run.target.note, "PID 100 is gone");
	assert_false(run.target.note_aloud);
	finish();
}

static void test_inode_without_pidfs(void **state)
{
	(void)state;
	fake.pidfs = false;
	PROCESS(.pid = 100);
	open_inode(4711);
	assert_int_equal(run.rc, -ENOSYS);
	assert_refused(STATUS_SYSTEM, "name the PID alone");
}

static void test_inode_decides(void **state)
{
	static const struct {
		uint64_t start, inode;
		bool meant;
	} cases[] = {
		{ 7000, 4711, true },
		{ 7005, 4711, true },
		{ 7000, 4712, false },
		{ 7005, 4712, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		PROCESS(.pid = 100, .started = 7000, .inode = 4711);
		open_record(cases[i].start, cases[i].inode, false);
		if (cases[i].meant)
			assert_alive();
		else
			assert_reused(cases[i].start);
		assert_true(run.target.recorded);
		finish();
	}
}

static void test_start_decides_without_inode(void **state)
{
	for (uint64_t start = 7000; start <= 7001; start++) {
		set_up(state);
		fake.pidfs = false;
		PROCESS(.pid = 100, .started = start);
		open_record(7000, 4711, false);
		if (start == 7000)
			assert_alive();
		else
			assert_reused(7000);
		finish();
	}
}

static void test_record_of_dead_alive(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .started = 7000, .inode = 4711);
	open_record(7000, 4711, true);
	assert_reused(7000);
	finish();
}

static void test_record_of_zombie(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .ppid = FAKE_SHELL, .pgrp = 100, .state = 'Z', .started = 7000,
		.inode = 4711);
	open_record(7000, 4711, true);
	assert_dead(7000);
	assert_int_equal(run.target.process.pgrp, 100);
	finish();
}

static void test_thread_with_exact_evidence(void **state)
{
	static const struct {
		uint64_t start, inode;
		int error;
		bool pidfs;
	} cases[] = {
		{ 7000, 0, EINVAL, true },     { 0, 4711, ENOENT, true },
		{ 7000, 4711, EINVAL, true },  { 7000, 0, ENOENT, false },
		{ 7000, 4711, EINVAL, false }, { 0, 4711, EINVAL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		fake.thread_error = cases[i].error;
		fake.pidfs = cases[i].pidfs;
		PROCESS(.pid = 99, .started = 7000);
		PROCESS(.pid = 100, .tgid = 99, .started = 7000);
		run.identity = (struct identity){ .name = FAKE_PIDFILE,
						  .pid = 100,
						  .start_ticks = cases[i].start,
						  .inode = cases[i].inode };
		open_identity();
		assert_reused(cases[i].start);
		finish();
	}
}

static void test_thread_in_oci_state(void **state)
{
	(void)state;
	PROCESS(.pid = 99);
	PROCESS(.pid = 100, .tgid = 99);
	open_pidfile_of(OCI, wall_at(WRITTEN), false);
	assert_refused(STATUS_REFUSED, "PID 100 (from /run/fake.pid) is a thread of process 99");
}

static void test_oci_state_is_dated(void **state)
{
	(void)state;
	open_pidfile_of(OCI, started_after(110 * MS), false);
	assert_refused(STATUS_REFUSED, "after that was written");
}

/* Other boots. */

static void assert_over(void)
{
	assert_int_equal(run.rc, 0);
	assert_true(run.target.over);
	assert_true(run.target.dead);
	assert_true(run.target.ref.fd < 0);
	assert_int_equal(run.target.held_count, 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_int_equal(run.target.past.namespace_count, 0);
	assert_true(run.target.note_aloud);
	assert_string_equal(run.target.note, "PID 100 (from /run/fake.pid) was written down before "
					     "this boot: nothing of it is left");
	assert_int_equal(fake_calls(DOOR_PIN), 0);
	assert_int_equal(fake_calls(DOOR_PIN_NAMESPACE), 0);
	finish();
}

static void test_record_of_another_boot(void **state)
{
	for (int trusted = 0; trusted <= 1; trusted++) {
		set_up(state);
		PROCESS(.pid = 100, .mntns = CONTAINER, .started = 7000, .inode = 4711);
		run.identity = (struct identity){
			.name = FAKE_PIDFILE,
			.pid = 100,
			.start_ticks = 7000,
			.inode = 4711,
			.trusted = trusted,
			.record = { .boot = "01234567-89ab-cdef-0123-456789abcdee",
				    .namespaces = { { .inode = CONTAINER } },
				    .namespace_count = 1,
				    .time = WRITTEN },
		};
		open_identity();
		assert_over();
	}
}

/* The clock may have been set since it was written. */
static void test_state_older_than_boot(void **state)
{
	for (uint64_t start = 7000; start <= 7001; start++) {
		set_up(state);
		PROCESS(.pid = 100, .started = start);
		open_pidfile_of(RUNC, fake.booted - 1, false);
		if (start == 7000)
			assert_alive();
		else
			assert_true(run.target.over);
		finish();
	}
}

/* Or it is of another boot: then few forks in this one do not speak for who bears its number. */
static void test_state_of_another_boot(void **state)
{
	(void)state;
	PROCESS(.pid = 101, .pgrp = 100, .session = 101, .started = 8000);
	open_pidfile_of(RUNC, fake.booted - 1, false);
	assert_true(run.rc < 0 || run.target.over);
	finish();
}

/* The clock may have been set since: that cannot move a record to another boot. */
static void test_date_of_record(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 7000, .inode = 4711);
	run.identity = (struct identity){ .name = FAKE_PIDFILE,
					  .pid = 100,
					  .start_ticks = 7000,
					  .inode = 4711,
					  .dated = true,
					  .written = fake.booted - 1,
					  .record = { .boot = FAKE_BOOT, .time = WRITTEN } };
	open_identity();
	assert_alive();
	finish();
}

static void test_boot_unreadable(void **state)
{
	(void)state;
	fake.boot_error = EACCES;
	PROCESS(.pid = 100, .started = 7000, .inode = 4711);
	open_record(7000, 4711, false);
	assert_int_equal(run.rc, -EACCES);
	assert_int_equal(fake_calls(DOOR_PIN), 0);
	assert_refused(STATUS_REFUSED, "PID 100 (from /run/fake.pid) cannot be told from one of "
				       "another boot: the boot id cannot be read");
	open_number(100);
	assert_alive();
	finish();
}

/* Whose file it is. */

#define OWNER 1000

static void open_pidfile_of_owner(void)
{
	fake_pidfile("100\n", wall_at(WRITTEN), false);
	fake_pidfile_owner(OWNER);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	open_identity();
}

static void assert_owner_takes(const struct fake_process *process)
{
	fake_reset();
	fake_add(process);
	open_pidfile_of_owner();
	assert_alive();
	assert_true(run.target.owned);
	assert_int_equal(run.target.owner, OWNER);
	assert_true(target_may_name(&run.target, &run.target.process));
	finish();
}

static void test_owner(void **state)
{
	(void)state;
	assert_owner_takes(&(struct fake_process){ .pid = 100, .user = OWNER });
	assert_owner_takes(
		&(struct fake_process){ .pid = 100, .user = OWNER, .saved_user = OWNER + 1 });
	assert_owner_takes(&(struct fake_process){ .pid = 100, .saved_user = OWNER });
	assert_owner_takes(&(struct fake_process){ .pid = 100, .namespace_user = OWNER });
	assert_owner_takes(
		&(struct fake_process){ .pid = 100, .user = 200000, .namespace_user = OWNER });
}

static void assert_owner_refused(const struct fake_process *process)
{
	fake_reset();
	run.target = TARGET_NULL;
	fake_add(process);
	open_pidfile_of_owner();
	assert_refused(STATUS_REFUSED,
		       "PID 100 (from /run/fake.pid) is not a process of user 1000, whose file "
		       "names it: use --trust-pidfile if it may");
}

static void test_not_of_the_owner(void **state)
{
	(void)state;
	assert_owner_refused(&(struct fake_process){ .pid = 100 });
	assert_owner_refused(&(struct fake_process){ .pid = 100, .user = OWNER + 1 });
	assert_owner_refused(&(struct fake_process){ .pid = 100, .namespace_user = OWNER + 1 });
	assert_owner_refused(
		&(struct fake_process){ .pid = 100, .ppid = FAKE_SHELL, .state = 'Z' });
}

static void test_trust_lifts_the_owner(void **state)
{
	(void)state;
	rules.trust = true;
	PROCESS(.pid = 100);
	open_pidfile_of_owner();
	assert_alive();
	assert_false(run.target.owned);
	assert_true(target_may_name(&run.target, &run.target.process));
	finish();
}

static void test_own_file_names_anybody(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .user = OWNER);
	open_pidfile(wall_at(WRITTEN));
	assert_alive();
	assert_false(run.target.owned);
	finish();
}

static void test_owner_of_reused(void **state)
{
	(void)state;
	PROCESS(.pid = 100, .started = 9000);
	fake_pidfile(RUNC, wall_at(WRITTEN), false);
	fake_pidfile_owner(OWNER);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	open_identity();
	assert_reused(7000);
	assert_true(run.target.owned);
	finish();
}

static void test_trust_lifts_the_age(void **state)
{
	(void)state;
	rules.trust = true;
	open_pidfile(started_after(20 * S));
	assert_alive();
	assert_true(run.identity.trusted);
	finish();
}

static void test_standard_input(void **state)
{
	(void)state;
	fake_pidfile(OCI, 1, false);
	fake_pidfile_owner(OWNER);
	PROCESS(.pid = 99);
	PROCESS(.pid = 100, .tgid = 99);
	assert_int_equal(read_identity(NULL), 0);
	assert_false(run.identity.dated);
	assert_false(run.identity.owned);
	assert_false(run.identity.trusted);
	open_identity();
	assert_refused(STATUS_REFUSED, "PID 100 (from standard input) is a thread of process 99");
}

/* Waiting for a pidfile. */

static uint64_t began;

static void begin_to_wait(void)
{
	began = fake.now;
	rules.wait = 5 * S;
}

static void assert_waited(uint64_t ns)
{
	assert_int_equal(fake.now - began, ns);
	finish();
}

static void empty_pidfile(void)
{
	fake_pidfile("", wall_at(WRITTEN), false);
}

static void half_a_pidfile(void)
{
	fake_pidfile("{\"init_process_pid\":100,", wall_at(WRITTEN), false);
}

static void whole_pidfile(void)
{
	fake_pidfile(RUNC, wall_at(WRITTEN), false);
}

static void no_pidfile(void)
{
	fake_no_pidfile(ARRIVAL_CHANGE);
}

static void come_and_gone(void)
{
	fake_no_pidfile(ARRIVAL_GONE);
}

static void gone_and_back(void)
{
	fake_no_pidfile(ARRIVAL_GONE);
	whole_pidfile();
}

static struct {
	unsigned waiting, missed;
	uint64_t waiting_at, missed_at;
} told;

static void note_evidence(void *data, enum evidence_event event, const char *path)
{
	assert_ptr_equal(data, &told);
	assert_string_equal(path, FAKE_PIDFILE);
	if (event == EVIDENCE_WAITING) {
		told.waiting++;
		told.waiting_at = fake.now;
	} else {
		told.missed++;
		told.missed_at = fake.now;
	}
}

static void listen_to_the_wait(void)
{
	memset(&told, 0, sizeof(told));
	rules.notify = note_evidence;
	rules.data = &told;
}

static void assert_told(unsigned waiting, unsigned missed)
{
	assert_int_equal(told.waiting, waiting);
	assert_int_equal(told.missed, missed);
}

static void test_wait(void **state)
{
	(void)state;
	begin_to_wait();
	listen_to_the_wait();
	fake_in(1 * S, empty_pidfile);
	fake_in(2 * S, half_a_pidfile);
	fake_in(3 * S, whole_pidfile);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	assert_int_equal(run.identity.pid, 100);
	assert_int_equal(run.identity.start_ticks, 7000);
	assert_told(1, 0);
	assert_int_equal(told.waiting_at, began);
	assert_waited(3 * S);
}

static void test_no_need_to_wait(void **state)
{
	(void)state;
	begin_to_wait();
	listen_to_the_wait();
	whole_pidfile();
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	assert_told(0, 0);
	assert_waited(0);
}

static void test_wait_is_no_cure(void **state)
{
	(void)state;
	begin_to_wait();
	fake_pidfile("rubbish", wall_at(WRITTEN), false);
	run.rc = read_identity(FAKE_PIDFILE);
	assert_int_equal(fake.now, began);
	assert_null(strstr(run.error.text, "wait"));
	assert_refused(STATUS_REFUSED, "/run/fake.pid: does not hold one PID above 1");
}

static void test_wait_in_vain(void **state)
{
	static const struct {
		void (*act)(void);
		int rc;
		const char *words;
	} cases[] = {
		{ NULL, -ENOENT, "pidfile /run/fake.pid: No such file or directory" },
		{ empty_pidfile, -EINVAL, "/run/fake.pid: is empty" },
		{ half_a_pidfile, -EINVAL, "/run/fake.pid: is not JSON: line 1: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		begin_to_wait();
		if (cases[i].act)
			fake_in(1 * S, cases[i].act);
		run.rc = read_identity(FAKE_PIDFILE);
		assert_int_equal(run.rc, cases[i].rc);
		assert_int_equal(fake.now - began, 5 * S);
		assert_non_null(strstr(run.error.text, ", after a wait of 5 s"));
		assert_refused(STATUS_REFUSED, cases[i].words);
	}
}

static void test_unwatchable(void **state)
{
	static void (*const acts[])(void) = { no_pidfile, empty_pidfile };

	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		set_up(state);
		fake.watch_error = ENOSPC;
		begin_to_wait();
		listen_to_the_wait();
		acts[i]();
		fake_in(1 * S, whole_pidfile);
		run.rc = read_identity(FAKE_PIDFILE);
		assert_int_equal(run.rc, -ENOSPC);
		assert_int_equal(fake.now, began);
		assert_told(0, 0);
		assert_refused(STATUS_SYSTEM, "/run/fake.pid: cannot be waited for");
	}
}

static void test_unwatchable_but_there(void **state)
{
	(void)state;
	fake.watch_error = ENOSPC;
	begin_to_wait();
	whole_pidfile();
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	finish();
}

static void test_missed(void **state)
{
	(void)state;
	begin_to_wait();
	listen_to_the_wait();
	fake_in(1 * S, come_and_gone);
	fake_in(2 * S, come_and_gone);
	fake_in(3 * S, whole_pidfile);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	assert_told(1, 1);
	assert_int_equal(told.missed_at, began + 1 * S);
	assert_waited(3 * S);
}

static void test_not_missed(void **state)
{
	(void)state;
	begin_to_wait();
	listen_to_the_wait();
	fake_in(1 * S, no_pidfile);
	fake_in(2 * S, gone_and_back);
	assert_int_equal(read_identity(FAKE_PIDFILE), 0);
	assert_told(1, 0);
	assert_waited(2 * S);
}

static void test_missed_unfinished(void **state)
{
	(void)state;
	begin_to_wait();
	listen_to_the_wait();
	fake_in(1 * S, half_a_pidfile);
	fake_in(2 * S, no_pidfile);
	run.rc = read_identity(FAKE_PIDFILE);
	assert_int_equal(run.rc, -ENOENT);
	assert_told(1, 1);
	assert_int_equal(told.missed_at, began + 2 * S);
	assert_refused(STATUS_REFUSED, "pidfile /run/fake.pid: No such file or directory");
}

static void test_does_not_wait_unasked(void **state)
{
	(void)state;
	began = fake.now;
	fake_in(1 * S, whole_pidfile);
	assert_int_equal(read_identity(FAKE_PIDFILE), -ENOENT);
	assert_int_equal(fake.now, began);
	finish();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("a live process is pinned with its namespace", test_number),
		TEST("a number may be as young as it likes", test_number_has_no_date),
		TEST("without pidfs a target has no inode", test_without_pidfs),
		TEST("a namespace that may not be read is unknown", test_unreadable_namespace),
		TEST("a namespace that was left in between is unknown", test_namespace_left),
		TEST("a zombie with live threads is alive", test_zombie_with_threads),
		TEST("a process older than its pidfile fits", test_pidfile_fits),
		TEST("100 ms younger is tolerated", test_pidfile_within_tolerance),
		TEST("more than 100 ms younger is refused", test_pidfile_beyond_tolerance),
		TEST("the refusal names both times", test_both_times_named),
		TEST("with whole seconds 2 s younger is tolerated",
		     test_whole_seconds_within_tolerance),
		TEST("with whole seconds more than 2 s younger is refused",
		     test_whole_seconds_beyond_tolerance),
		TEST("a zombie younger than its pidfile is refused", test_younger_zombie),
		TEST("a pidfile from before this boot names nobody", test_before_boot),
		TEST("a pidfile as old as this boot still does", test_at_boot),
		TEST("a zombie is dead, and tells its birth and scopes", test_zombie),
		TEST("one that is gone without stand-ins was born just now at the latest",
		     test_gone),
		TEST("one that is gone is older than its oldest stand-in",
		     test_gone_with_stand_ins),
		TEST("a dead stand-in says nothing of its age", test_gone_with_dead_stand_in),
		TEST("one that is gone is older than its pidfile", test_gone_with_earlier_pidfile),
		TEST("a pidfile later than the oldest stand-in says nothing",
		     test_gone_with_later_pidfile),
		TEST("nobody was born before the boot", test_gone_right_after_boot),
		TEST("one that ends while it is pinned is gone", test_gone_while_pinned),
		TEST("one whose number goes to another once it is pinned is gone",
		     test_reused_while_pinned),
		TEST("one on its way out is gone", test_on_its_way_out),
		TEST("a thread is refused, and its process named", test_thread),
		TEST("a thread in a pidfile is refused, too", test_thread_in_pidfile),
		TEST("one that /proc does not show is refused", test_hidden),
		TEST("a kernel thread is refused", test_kernel_thread),
		TEST("PID 1 is refused", test_pid_1),
		TEST("nskill itself is refused", test_self),
		TEST("an ancestor of nskill is refused", test_ancestors),
		TEST("one that may not be signalled is a target all the same", test_denied_signal),
		TEST("when pinning fails the system has failed", test_pin_errors),
		TEST("a pidfile that does not exist is refused", test_no_pidfile),
		TEST("a pidfile that does not hold one PID is refused", test_pidfile_contents),
		TEST("one whose start tick fits is meant", test_start_fits),
		TEST("and may be younger than the file", test_start_needs_no_date),
		TEST("one that started in another tick is another", test_start_differs),
		TEST("of that its start is told", test_reuse_is_noted),
		TEST("in another time namespace one tick more or less is the same",
		     test_time_namespace),
		TEST("a zombie whose start tick fits is the target, dead", test_zombie_that_fits),
		TEST("a zombie that started in another tick is another", test_zombie_that_differs),
		TEST("an ancestor of nskill that bears the number of one that is gone is another",
		     test_ancestor_with_the_number),
		TEST("one whose inode fits is meant", test_inode_fits),
		TEST("one with another inode is another", test_inode_differs),
		TEST("so it is in a time namespace, and nothing tells its birth",
		     test_inode_differs_in_a_time_namespace),
		TEST("one that is named by its inode can be gone", test_inode_of_gone),
		TEST("a kernel without pidfs knows nobody by an inode", test_inode_without_pidfs),
		TEST("where an inode is recorded it alone decides", test_inode_decides),
		TEST("without pidfs the recorded start tick decides",
		     test_start_decides_without_inode),
		TEST("one that was dead when it was recorded and lives is another",
		     test_record_of_dead_alive),
		TEST("a zombie that is still there is the one that was recorded",
		     test_record_of_zombie),
		TEST("a thread with the number of one that is known exactly is another",
		     test_thread_with_exact_evidence),
		TEST("a thread in an OCI state is refused", test_thread_in_oci_state),
		TEST("one that is younger than its OCI state is refused", test_oci_state_is_dated),
		TEST("a record of another boot is over, whoever vouches for it",
		     test_record_of_another_boot),
		TEST("a state.json that seems older than this boot is held against the start tick",
		     test_state_older_than_boot),
		TEST("who is in the group of its number is not taken for its own",
		     test_state_of_another_boot),
		TEST("a record's boot id counts, not its date", test_date_of_record),
		TEST("a record is refused where the boot id cannot be read", test_boot_unreadable),
		TEST("a file may name processes of its owner's user or user namespace", test_owner),
		TEST("a file may not name processes that are not its owner's",
		     test_not_of_the_owner),
		TEST("with --trust-pidfile it may", test_trust_lifts_the_owner),
		TEST("the caller's own file may name anybody", test_own_file_names_anybody),
		TEST("whose the process is that bears a reused number does not matter",
		     test_owner_of_reused),
		TEST("with --trust-pidfile a process may be younger", test_trust_lifts_the_age),
		TEST("standard input has no date, no owner and a name", test_standard_input),
		TEST("a pidfile is waited for until it is there and whole", test_wait),
		TEST("one that is whole is not waited for", test_no_need_to_wait),
		TEST("one that is wrong is not waited for", test_wait_is_no_cure),
		TEST("when time is up what is there is taken as it is", test_wait_in_vain),
		TEST("one that cannot be watched is not waited for", test_unwatchable),
		TEST("nor need it be where it is there", test_unwatchable_but_there),
		TEST("one that has come and gone is said to be missed, once", test_missed),
		TEST("so is one that has gone before it was whole", test_missed_unfinished),
		TEST("one that has gone and is back, or never came, is not", test_not_missed),
		TEST("without --wait-pidfile nothing is waited for", test_does_not_wait_unasked),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
