/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory runs out: of all that core asks for in a run, each piece in turn is not to be had, alone
 * or with all that is asked for later. What was done until then is right, and nothing is left behind
 * (that no memory is, is seen in a build with sanitizers).
 */
#include "config.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Volatile, since compilers know malloc(3) for a function that looks at nothing. */
static volatile struct {
	bool short_of;	     /* only what is tested gets too little */
	unsigned long asked; /* so far */
	unsigned long first; /* which is refused; 0: none */
	bool lasting;	     /* and all later ones */
	unsigned long refused;
} memory;

/* A sanitizer asks for memory itself before it is ready. */
#define BARE __attribute__((no_sanitize("address"), no_sanitize("undefined")))

BARE static bool is_refused(void)
{
	bool refused;

	if (!memory.short_of)
		return false;
	memory.asked++;
	refused = memory.first &&
		  (memory.lasting ? memory.asked >= memory.first : memory.asked == memory.first);
	memory.refused += refused;
	return refused;
}

/* What the C library, or a sanitizer, has for it. */
BARE static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* A sanitizer in the program itself (clang) is not the next one after it. */
__attribute__((weak)) void *__interceptor_malloc(size_t size);
__attribute__((weak)) void *__interceptor_calloc(size_t count, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *old, size_t size);

BARE void *malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		real = __interceptor_malloc;
	if (!real)
		*(void **)&real = next("malloc");
	return is_refused() ? NULL : real(size);
}

BARE void *calloc(size_t count, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		real = __interceptor_calloc;
	if (!real)
		*(void **)&real = next("calloc");
	return is_refused() ? NULL : real(count, size);
}

BARE void *realloc(void *old, size_t size)
{
	static void *(*real)(void *, size_t);

	if (!real)
		real = __interceptor_realloc;
	if (!real)
		*(void **)&real = next("realloc");
	return is_refused() ? NULL : real(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(old, bytes);
}

/* ---- the machine, which always has enough ---- */

static bool lend(void)
{
	bool was = memory.short_of;

	memory.short_of = false;
	return was;
}

static void *sure_calloc(size_t count, size_t size)
{
	bool was = lend();
	void *got = calloc(count, size);

	memory.short_of = was;
	return got;
}

static void *sure_reallocarray(void *old, size_t count, size_t size)
{
	bool was = lend();
	void *got = reallocarray(old, count, size);

	memory.short_of = was;
	return got;
}

static char *sure_strdup(const char *text)
{
	bool was = lend();
	char *got = strdup(text);

	memory.short_of = was;
	return got;
}

#define calloc	     sure_calloc
#define reallocarray sure_reallocarray
#undef strdup
#define strdup sure_strdup
#include "../fake/system.c"
#undef calloc
#undef reallocarray
#undef strdup

#include "core/document.h"
#include "core/evidence.h"
#include "core/kill.h"
#include "core/outputs.h"
#include "core/remember.h"
#include "core/target.h"
#include "core/unreaped.h"

#define CONTAINER UINT64_C(501)
#define SANDBOX	  UINT64_C(502)
#define OUTPUT	  UINT64_C(7001)
#define S	  NS_PER_SECOND
#define SCRIPT	  60
#define MOST	  5000 /* pieces of memory: more than any of these runs asks for */

static struct {
	struct target target;
	struct kill_orders orders;
	struct kill kill;
	struct holders holders;
	struct plan plan;
	struct identity identity, made;
	char *text;
	struct error error;
} run;

/* ---- pictures: whose PID is 100 or above belongs to the target, 100 ---- */

static void job(void)
{
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	PROCESS(.pid = 103, .ppid = 102, .mntns = SANDBOX);
}

static void bear(void)
{
	fake_fork(101);
}

static void job_that_forks(void)
{
	job();
	fake_after(DOOR_SCAN_ALL, 0, 1, bear);
	fake_after(DOOR_SIGNAL, 101, 1, bear);
}

/* Only descent ties these: they are stopped first. */
static void guest(void)
{
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .bystander = true);
	PROCESS(.pid = 100, .ppid = SCRIPT);
	fake_process(100)->bystander = false;
	PROCESS(.pid = 101, .ppid = 100);
	PROCESS(.pid = 102, .ppid = 101);
	fake_after(DOOR_SCAN_ALL, 0, 1, bear);
}

static void gone(void)
{
	job();
	fake_end(100);
}

/* What a record tells of one that is gone, and holds in its place. */
static void recorded(void)
{
	gone();
	run.identity.start_ticks = fake_process(101)->started - 1;
	run.identity.record = (struct record){ .boot = FAKE_BOOT,
					       .pgrp = 100,
					       .session = 100,
					       .time = fake_ticks(),
					       .namespaces = { { .inode = CONTAINER } },
					       .namespace_count = 1 };
}

/* Its mount namespace has an elder, and is left; so is the group that it is a guest in. */
static void guest_of_container(void)
{
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .mntns = CONTAINER,
		.bystander = true);
	PROCESS(.pid = 100, .ppid = SCRIPT);
	fake_process(100)->bystander = false;
	PROCESS(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	PROCESS(.pid = 102, .ppid = 101, .mntns = SANDBOX);
}

static void unreaped(void)
{
	job();
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .bystander = true);
	PROCESS(.pid = 104, .ppid = SCRIPT, .pgrp = 100, .session = 100);
	fake_process(104)->bystander = false;
}

static void cgroup(void)
{
	static const struct cgroup root = { .id = 1, .path = "/" };
	static const struct cgroup build = { .id = 57, .parent = &root, .path = "/build" };

	run.orders.rules.kinds |= SCOPE_BIT(SCOPE_CGROUP);
	fake_process(FAKE_NSKILL)->cgroup = &root;
	fake_process(FAKE_SHELL)->cgroup = &root;
	fake_process(1)->cgroup = &root;
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .cgroup = &build);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .cgroup = &build);
}

static void output(void)
{
	run.orders.rules.kinds |= SCOPE_BIT(SCOPE_IO);
	run.orders.outputs = true;
	PROCESS(.pid = SCRIPT, .pgrp = SCRIPT, .session = SCRIPT, .output = OUTPUT,
		.bystander = true);
	PROCESS(.pid = 100, .pgrp = 100, .session = 100, .output = OUTPUT);
	PROCESS(.pid = 101, .pgrp = 101, .session = 101, .output = OUTPUT);
}

static void stubborn(void)
{
	job();
	run.orders.signal = SIGTERM;
	run.orders.kill_after = S;
	fake_process(101)->ignores = true;
}

/* ---- what is done ---- */

static int resolve(void)
{
	return target_open(&run.target, &run.identity, FAKE_NSKILL, fake_scan(), &run.error);
}

static int look(void)
{
	int rc = resolve();

	run.orders.target_count = !rc;
	return rc ? rc : kill_plan(&run.kill, &run.orders, &run.error);
}

static int end_all(void)
{
	int rc = look();

	assert_string_equal(fake_log(), "");
	return rc ? rc : kill_carry_out(&run.kill, &run.error);
}

static int ask_first(void)
{
	int rc;

	run.orders.ask = true;
	rc = look();
	rc = rc ? rc : kill_show(&run.kill, &run.error);
	rc = rc ? rc : kill_resume(&run.kill, fake.now + 10 * S, &run.error);
	assert_string_equal(fake_log(), "");
	return rc ? rc : kill_carry_out(&run.kill, &run.error);
}

static int wait_for_the_end(void)
{
	const struct numbers since = { .max = fake.pid_max };
	int rc = look();

	if (rc < 0)
		return rc;
	fake_end(100);
	run.target.dead = true;
	rc = kill_plan_again(&run.kill, fake.now + 10 * S, &since, &run.error);
	assert_string_equal(fake_log(), "");
	return rc ? rc : kill_carry_out(&run.kill, &run.error);
}

static int name_holders(void)
{
	int rc = end_all();

	return rc ? rc : outputs_holders(&run.kill, &run.holders, &run.error);
}

/* What the plan lists is signalled, one who has gone is told, and one who has come is left. */
static void job_of_plan(void)
{
	static char text[2048];
	int used;

	job();
	run.orders.plan = &run.plan;
	used = snprintf(text, sizeof(text),
			"{\"nskill\":\"" PACKAGE_VERSION
			"\",\"dry_run\":true,\"boot_id\":\"" FAKE_BOOT
			"\",\"pid_namespace\":7,\"match\":[\"pgrp\",\"tree\"],\"all\":false,"
			"\"signal\":\"KILL\",\"targets\":[{\"pid\":100,\"identity\":null,"
			"\"start_ticks\":%" PRIu64 ",\"state\":\"alive\",\"owner\":null}],"
			"\"processes\":[",
			fake_process(100)->started);
	for (pid_t pid = 100; pid <= 104; pid++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s{\"pid\":%d,\"identity\":null,\"start_ticks\":%" PRIu64
				 ",\"uid\":0,\"target\":100,\"command\":\"a\",\"why\":\"pgrp\","
				 "\"why_id\":100,\"outcome\":\"listed\"}",
				 pid > 100 ? "," : "", pid,
				 pid < 104 ? fake_process(pid)->started : 1);
	snprintf(text + used, sizeof(text) - (size_t)used,
		 "],\"exit_status\":0,\"exit_signal\":null}");
	fake_pidfile(text, fake.booted, false);
}

static int end_planned(void)
{
	const struct evidence_rules rules = { .trust = true };
	const struct origin here = { .boot = FAKE_BOOT, .pid_namespace = 7 };
	int rc = evidence_read_plan(&run.plan, FAKE_PIDFILE, &here, &rules, &run.error);

	if (!rc) {
		run.plan.targets[0].place = 0;
		rc = end_all();
	}
	return rc;
}

/* Whoever has ended, and whose parent has not fetched him yet. */
static int name_unreaped(void)
{
	struct unreaped *list = NULL;
	int rc = end_all();

	if (!rc)
		rc = unreaped_find(&run.kill, &list);
	if (rc == -ENOMEM)
		run.error.status = STATUS_SYSTEM;
	free(list);
	return rc < 0 ? rc : 0;
}

/* ---- files ---- */

#define PLAN                                                                                       \
	"{\"nskill\":\"" PACKAGE_VERSION "\",\"dry_run\":true,\"boot_id\":\"" FAKE_BOOT            \
	"\",\"pid_namespace\":7,\"match\":[\"pgrp\",\"tree\"],\"all\":false,\"signal\":\"KILL\","  \
	"\"targets\":[{\"pid\":100,\"identity\":null,\"start_ticks\":3,\"state\":\"alive\","       \
	"\"owner\":null}],\"processes\":[{\"pid\":101,\"identity\":null,\"start_ticks\":4,"        \
	"\"uid\":0,\"target\":100,\"command\":\"a\",\"why\":\"pgrp\",\"why_id\":100,"              \
	"\"outcome\":\"listed\"}],\"exit_status\":0,\"exit_signal\":null}"
#define RUNC                                                                                       \
	"{\"init_process_pid\":100,\"init_process_start\":3,\"external_descriptors\":"             \
	"[\"/dev/null\",\"pipe:[7001]\",\"pipe:[7002]\"]}"
#define CRUN                                                                                       \
	"{\"pid\":100,\"process-start-time\":3,\"external_descriptors\":"                          \
	"\"[\\\"/dev/null\\\",\\\"pipe:[7001]\\\",\\\"pipe:[7002]\\\"]\"}"

static void runc(void)
{
	fake_pidfile(RUNC, fake.booted, false);
}

static void crun(void)
{
	fake_pidfile(CRUN, fake.booted, false);
}

static void planned(void)
{
	fake_pidfile(PLAN, fake.booted, false);
}

static int read_state(void)
{
	const struct evidence_rules rules = { .trust = true };
	int rc = evidence_read(&run.made, FAKE_PIDFILE, &rules, &run.error);

	if (!rc) {
		assert_int_equal(run.made.pid, 100);
		assert_int_equal(run.made.start_ticks, 3);
		assert_int_equal(run.made.output_count, 2);
	}
	return rc;
}

static int read_plan(void)
{
	const struct evidence_rules rules = { .trust = true };
	const struct origin here = { .boot = FAKE_BOOT, .pid_namespace = 7 };
	int rc = evidence_read_plan(&run.plan, FAKE_PIDFILE, &here, &rules, &run.error);

	if (!rc) {
		assert_int_equal(run.plan.target_count, 1);
		assert_int_equal(run.plan.process_count, 1);
	}
	return rc;
}

/* What is written is whole, and says what was to be said. */
static int write_record(void)
{
	int rc = look();

	rc = rc ? rc : remember(&run.made, &run.target, &run.kill, &run.error);
	if (rc < 0)
		return rc;
	run.text = document_write(&run.made);
	if (!run.text) {
		run.error.status = STATUS_SYSTEM;
		return -ENOMEM;
	}
	lend();
	assert_int_equal(document_read(run.text, strlen(run.text), &run.identity, &run.error), 0);
	assert_int_equal(run.identity.pid, 100);
	assert_int_equal(run.identity.record.namespace_count, 1);
	return 0;
}

/* ---- one run, and its judgement ---- */

static void begin(unsigned long first, bool lasting)
{
	fake_reset();
	memset(&run, 0, sizeof(run));
	run.kill.watch = WATCH_NULL;
	run.target = TARGET_NULL;
	run.identity.pid = 100;
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.targets = &run.target,
		.self = FAKE_NSKILL,
		.rules = { .kinds = SCOPE_DEFAULT },
		.signal = SIGKILL,
		.deadline = fake.now + 10 * S,
	};
	memory.first = first;
	memory.lasting = lasting;
	memory.asked = memory.refused = 0;
}

static bool is_anybody_told_of(void)
{
	for (size_t i = 0; i < run.kill.victim_count; i++)
		if (kill_alive(run.kill.victims[i]))
			return true;
	return run.kill.timed_out;
}

static void judge_members(bool ended)
{
	for (size_t i = 0; i < machine.body_count; i++) {
		const struct body *body = &machine.bodies[i];

		if (body->is.pid < 100 || body->dead || body->reaped)
			continue;
		if (ended)
			fail_msg("%d is alive, and nobody says so", body->is.pid);
		if (body->is.state == 'T')
			fail_msg("%d was stopped, and left so", body->is.pid);
	}
}

static void judge(int rc)
{
	if (rc < 0) {
		assert_true(memory.refused > 0);
		assert_int_equal(run.error.status, STATUS_SYSTEM);
		assert_int_equal(rc, -ENOMEM);
	}
	judge_members(rc == 0 && !is_anybody_told_of());
}

static void end(void)
{
	free(run.text);
	plan_clear(&run.plan);
	holders_clear(&run.holders);
	kill_clear(&run.kill);
	target_close(&run.target);
	fake_check();
}

/* Every piece in turn, until there is no such piece. */
static void starve(void (*picture)(void), int (*act)(void))
{
	for (int lasting = 0; lasting <= 1; lasting++) {
		for (unsigned long first = 1; first < MOST; first++) {
			int rc;

			begin(first, lasting);
			picture();
			memory.short_of = true;
			rc = act();
			memory.short_of = false;
			judge(rc);
			end();
			if (!memory.refused)
				break;
			if (first == MOST - 1)
				fail_msg("that is no end");
		}
		assert_true(memory.asked > 0);
	}
}

static void test_job(void **state)
{
	(void)state;
	starve(job, end_all);
}

static void test_forking(void **state)
{
	(void)state;
	starve(job_that_forks, end_all);
}

static void test_guest(void **state)
{
	(void)state;
	starve(guest, end_all);
}

static void test_gone(void **state)
{
	(void)state;
	starve(gone, end_all);
}

static void test_recorded(void **state)
{
	(void)state;
	starve(recorded, end_all);
}

static void test_cgroup(void **state)
{
	(void)state;
	starve(cgroup, end_all);
}

static void test_output(void **state)
{
	(void)state;
	starve(output, name_holders);
}

static void test_stubborn(void **state)
{
	(void)state;
	starve(stubborn, end_all);
}

static void test_ask(void **state)
{
	(void)state;
	starve(job, ask_first);
}

static void test_on_exit(void **state)
{
	(void)state;
	starve(job, wait_for_the_end);
}

static void test_guest_of_container(void **state)
{
	(void)state;
	starve(guest_of_container, end_all);
}

static void test_planned(void **state)
{
	(void)state;
	starve(job_of_plan, end_planned);
}

static void test_unreaped(void **state)
{
	(void)state;
	starve(unreaped, name_unreaped);
}

static void test_runc(void **state)
{
	(void)state;
	starve(runc, read_state);
}

static void test_crun(void **state)
{
	(void)state;
	starve(crun, read_state);
}

static void test_plan(void **state)
{
	(void)state;
	starve(planned, read_plan);
}

static void test_record(void **state)
{
	(void)state;
	starve(job, write_record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "out of memory, nobody of a job is left without a word", test_job, NULL, NULL,
		  NULL },
		{ "out of memory, nobody who is born meanwhile is", test_forking, NULL, NULL,
		  NULL },
		{ "out of memory, nobody is left stopped", test_guest, NULL, NULL, NULL },
		{ "out of memory, nobody of a target that is gone is left without a word",
		  test_gone, NULL, NULL, NULL },
		{ "out of memory, what a record holds is let go of", test_recorded, NULL, NULL,
		  NULL },
		{ "out of memory, nobody of a cgroup is left without a word", test_cgroup, NULL,
		  NULL, NULL },
		{ "out of memory, the older holder of an output lives", test_output, NULL, NULL,
		  NULL },
		{ "out of memory, KILL after TERM ends who is named", test_stubborn, NULL, NULL,
		  NULL },
		{ "out of memory, nobody is signalled who was not shown", test_ask, NULL, NULL,
		  NULL },
		{ "out of memory, nobody whom a target left is forgotten", test_on_exit, NULL, NULL,
		  NULL },
		{ "out of memory, who is older in a container lives", test_guest_of_container, NULL,
		  NULL, NULL },
		{ "out of memory, nobody of a plan is left without a word", test_planned, NULL,
		  NULL, NULL },
		{ "out of memory, nobody whom no parent has fetched is forgotten", test_unreaped,
		  NULL, NULL, NULL },
		{ "out of memory, no state of runc's is misread", test_runc, NULL, NULL, NULL },
		{ "out of memory, no status of crun's is misread", test_crun, NULL, NULL, NULL },
		{ "out of memory, no half of a plan is read", test_plan, NULL, NULL, NULL },
		{ "out of memory, no half of a record is written", test_record, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
