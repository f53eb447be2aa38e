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

static int set_up(void **state)
{
	(void)state;
	fake_reset();
	memset(&run, 0, sizeof(run));
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
	const struct evidence_rules rules = { 0 };

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
	assert_false(run.target.over);
	assert_true(run.target.ref.fd >= 0);
}

static void assert_dead(uint64_t birth)
{
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.target.process.pid, 100);
	assert_true(run.target.dead);
	assert_false(run.target.over);
	assert_false(process_alive(&run.target.process));
	assert_int_equal(run.target.process.start_ticks, birth);
	assert_int_equal(run.target.mntns, -1);
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
	assert_true(run.target.mntns >= 0);
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
	assert_true(run.target.mntns < 0);
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
	assert_true(run.target.mntns >= 0);
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
		{ "", "does not hold one PID above 1" },
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
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
