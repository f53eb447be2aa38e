/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The five promises, on machines made at random where anything happens while nskill runs.
 *
 *   identity      a signal goes through an open pidfd, to one who was read since it was pinned
 *   belonging     to nobody without a tie to a target, and to no guard
 *   completeness  "nothing is left": nobody lives who is known to belong
 *   bounds        an end at the deadline; who was stopped is killed; nothing stays open
 *   honesty       whoever is left is named, unless time was up
 *
 * RUNS says how many, SEED with which one to begin. A failure says which SEED brings it back.
 */
#include "config.h"

#include "ties.h"

#include "core/kill.h"
#include "core/signals.h"
#include "core/vigil.h"
#include "linux/boot.h"
#include "linux/clock.h"
#include "linux/namespace.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define QUICK_RUNS 2000
#define FIRST_SEED UINT64_C(1)
#define SLACK	   (50 * FAKE_MS) /* of a deadline, but for what passes in one call */

static struct {
	uint64_t seed;
	struct target targets[TARGETS_MAX];
	struct kill kills[TARGETS_MAX];
	size_t kill_count;
	struct kill_orders orders;
	struct error error;
	bool finished;
	bool left; /* a kill has not ended all, and said so */
} run;

static struct {
	uint64_t runs, processes, signals, strangers, untrue;
	uint64_t gone, late, denied, doubtful, interrupted, failed, refused, newcomers;
	uint64_t unread, overrun, calls;
} figures;

static const uint64_t second = NS_PER_SECOND;

/* Targets. */

static struct identity identify(size_t who, bool *recorded)
{
	const struct being *being = &world.beings[who];
	const struct fake_process *process = world_process(who);
	bool reused = !process && fake_process(being->pid);
	struct identity identity = { .pid = being->pid };

	*recorded = false;
	if (one_in(3) || reused)
		identity.start_ticks = being->started;
	if (fake.pidfs && (one_in(3) || reused))
		identity.inode = being->inode;
	if (process && one_in(4)) {
		*recorded = true;
		memcpy(identity.record.boot, FAKE_BOOT, sizeof(FAKE_BOOT));
		identity.start_ticks = being->started;
		identity.inode = fake.pidfs ? being->inode : 0;
		identity.record.time = fake_ticks();
		identity.record.dead = !fake_is_alive(being->pid);
		if (process->mntns != FAKE_HOST && fake.namespace_kind == SCOPE_MNT &&
		    !process->unreadable && !identity.record.dead) {
			identity.record.namespace_count = 1;
			identity.record.namespaces[0].inode = process->mntns;
			identity.record.namespaces[0].id =
				fake.unique_ids ? fake_unique_id(process->mntns) : 0;
		}
	}
	return identity;
}

/* What it can be taken for: of one that is gone, 100 ms before its oldest stand-in. */
static uint64_t birth_of(size_t who, bool told, bool with_hidden)
{
	uint64_t birth = world.beings[who].started;

	if (told || world_process(who))
		return birth;
	birth = fake_ticks();
	for (size_t i = 0; i < world.being_count; i++)
		if (world_is_alive(i) && (with_hidden || !world_process(i)->hidden) &&
		    (world.beings[i].group == who || world.beings[i].session == who) &&
		    world.beings[i].started < birth)
			birth = world.beings[i].started;
	return birth - 10;
}

static bool is_aimed_at(size_t who)
{
	for (size_t t = 0; t < world.aim_count; t++)
		if (world.aims[t].who == who)
			return true;
	return false;
}

static void aim(size_t who)
{
	const struct fake_process *process = world_process(who);
	struct aim *aim = &world.aims[world.aim_count];
	struct identity identity;
	int rc;

	if (is_aimed_at(who))
		return;
	*aim = (struct aim){ .who = who,
			     .dead = !world_is_alive(who),
			     .gone = !process,
			     .group = world.beings[who].group,
			     .session = world.beings[who].session };
	identity = identify(who, &aim->recorded);
	aim->owned = one_in(8);
	identity.owned = aim->owned;
	identity.owner = WORLD_USER;
	if (!aim->dead && !process->unreadable)
		aim->space = world_space_of(who);
	aim->birth = birth_of(who, identity.start_ticks, true);
	aim->latest_birth = birth_of(who, identity.start_ticks, false);
	rc = target_open(&run.targets[world.aim_count], &identity, FAKE_NSKILL, fake_scan(),
			 &run.error);
	tell("target %d: %s%s%s", identity.pid, rc ? run.error.text : "taken",
	     identity_is_exact(&identity) ? ", exact" : "", aim->recorded ? ", recorded" : "");
	if (rc < 0) {
		figures.refused++;
		return;
	}
	ties_aim((unsigned)world.aim_count);
	world.aim_count++;
}

/* Options. */

static uint64_t pick_timeout(void)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return (1 + below(20)) * FAKE_MS;
	case 2:
		return (1 + below(3000)) * FAKE_MS;
	case 3:
		return 600 * second; /* newcomers are looked for all the time */
	default:
		return 10 * second;
	}
}

static void on_event(void *data, const struct kill_notice *notice)
{
	static const char *const words[] = {
		[EVENT_SIGNALLED] = "signalled",
		[EVENT_GROUP] = "group struck",
		[EVENT_CGROUP] = "cgroup struck",
		[EVENT_STOPPED] = "stopped",
		[EVENT_NEWCOMER] = "newcomer",
		[EVENT_ENDED] = "ended",
		[EVENT_VANISHED] = "vanished",
		[EVENT_DENIED] = "denied",
		[EVENT_LEFT] = "left",
		[EVENT_DOUBTFUL] = "doubtful",
		[EVENT_ESCALATED] = "escalated",
	};

	(void)data;
	tell("    nskill: %s %d", words[notice->event],
	     notice->victim ? notice->victim->process.pid : 0);
}

/* Mostly all of these kinds; one at least. */
static unsigned some_of(unsigned kinds)
{
	unsigned some = kinds;

	if (one_in(3))
		for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++)
			some &= one_in(2) ? ~0U : ~SCOPE_BIT(kind);
	return some ? some : kinds;
}

static void pick_options(uint64_t *timeout)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1 };

	*timeout = pick_timeout();
	world.signal = one_in(3) ? signals[below(4)] : SIGKILL;
	world.rules = (struct rules){ .all = one_in(7) };
	world.rules.kinds = ties_add_kinds(some_of(SCOPE_DEFAULT | SCOPE_BIT(fake.namespace_kind)));
	run.orders = (struct kill_orders){
		.scan = fake_scan(),
		.self = FAKE_NSKILL,
		.rules = world.rules,
		.outputs = ties_have_outputs(),
		.signal = world.signal,
		.notify = on_event,
		.kill_after = one_in(2) && *timeout ? 1 + below(2000) * FAKE_MS : 0,
	};
	if (run.orders.kill_after >= *timeout)
		run.orders.kill_after = 0;
	tell("pidfs %d, group signal %d, unique ids %d, pins %zu, pid_max %d", fake.pidfs,
	     fake.group_signal, fake.unique_ids, fake.pins, fake.pid_max);
	tell("namespaces are %s", scope_kind_name(fake.namespace_kind));
	tell("signal %s, kinds %#x%s, timeout %" PRIu64 " ms, kill after %" PRIu64 " ms",
	     signal_name(world.signal), world.rules.kinds, world.rules.all ? ", all" : "",
	     *timeout / FAKE_MS, run.orders.kill_after / FAKE_MS);
}

static void pick_costs(void)
{
	static const uint64_t costs[] = { 1000, 5000, 20000 };
	uint64_t cost = costs[below(3)];

	/* A look is of one moment, so that the truth is that of the same. */
	for (enum fake_door door = DOOR_ANY + 1; door < DOORS; door++)
		fake_cost(door, door == DOOR_SCAN_ALL ? 0 : cost);
}

/* The promises. */

/* For the log, which the seed brings back. */
#define broken(...) (tell(__VA_ARGS__), fail())

/* As the exit status is told from it. */
static bool says_gone(const struct kill *kill, int rc)
{
	bool gone = rc == 0 && !kill->timed_out && !kill->unsettled && !kill->interrupt;

	for (size_t i = 0; i < kill->victim_count; i++)
		gone = gone && !kill_alive(kill->victims[i]);
	return gone;
}

/* Without pidfs it can be two: then one that lives. */
static const struct victim *find_victim(const struct kill *kill, size_t being)
{
	const struct being *who = &world.beings[being];
	const struct victim *found = NULL;

	for (size_t i = 0; i < kill->victim_count; i++) {
		const struct process *named = &kill->victims[i]->process;

		if (named->pid == who->pid && named->start_ticks == who->started &&
		    (!named->inode || named->inode == who->inode) &&
		    (!found || kill_alive(kill->victims[i])))
			found = kill->victims[i];
	}
	return found;
}

/* Or what it comes from was in doubt, and left: what follows from that is so with it. */
static bool is_named(const struct kill *kill, size_t being)
{
	const struct victim *named = find_victim(kill, being);

	if (named)
		return kill_alive(named);
	while (!named && world.beings[being].parent != being) {
		being = world.beings[being].parent;
		named = find_victim(kill, being);
	}
	return named && !named->sent && !named->stopped;
}

static void check_completeness(const struct kill *kill, unsigned targets)
{
	for (size_t i = 0; i < world.being_count; i++) {
		if (!world_owes(i, targets))
			continue;
		figures.untrue++;
		world_show(i);
		broken("said to be gone, but %d of target %d lives%s", world.beings[i].pid,
		       kill->orders.targets[0].process.pid,
		       world.beings[i].bred ? ", which was born meanwhile" : "");
	}
}

static void check_honesty(const struct kill *kill, unsigned targets)
{
	if (kill->timed_out || kill->unsettled || kill->interrupt)
		return;
	for (size_t i = 0; i < world.being_count; i++)
		if (world_owes(i, targets) && !is_named(kill, i) &&
		    world.beings[i].made_at < world.last_read) {
			world_show(i);
			broken("%d is left and not named", world.beings[i].pid);
		}
}

static void check_bounds(uint64_t deadline)
{
	uint64_t overrun = fake.now > deadline ? fake.now - deadline : 0;

	overrun = overrun > world.late ? overrun - world.late : 0;
	if (overrun > SLACK)
		broken("%" PRIu64 " us later than the deadline", overrun / 1000);
	if (overrun > figures.overrun)
		figures.overrun = overrun;
}

static void check_nobody_is_stopped(void)
{
	for (size_t i = 0; i < world.being_count; i++)
		if (world.beings[i].stopped && !world.beings[i].killed && world_is_alive(i))
			broken("%d was stopped, and not killed", world.beings[i].pid);
}

static void check_strangers(void)
{
	figures.strangers += world.strangers;
	if (world.strangers)
		broken("%s", world.first_stranger);
}

static void count_result(const struct kill *kill, int rc)
{
	figures.gone += says_gone(kill, rc);
	figures.interrupted += kill->interrupt != 0;
	figures.late += kill->timed_out || kill->unsettled;
	figures.failed += rc < 0;
	figures.unread += kill->unread;
	for (size_t i = 0; i < kill->victim_count; i++) {
		figures.denied += kill->victims[i]->fate == FATE_DENIED;
		figures.doubtful += kill->victims[i]->fate == FATE_DOUBTFUL;
		figures.newcomers += kill->victims[i]->newcomer;
	}
}

/* What an earlier kill has left and named is told by the exit status of the whole run. */
static void check(const struct kill *kill, unsigned targets, int rc)
{
	bool gone = says_gone(kill, rc);

	for (size_t i = 0; i < kill->victim_count; i++)
		tell("%d was target %d's by %s %" PRIu64, kill->victims[i]->process.pid,
		     kill->orders.targets[kill->victims[i]->target].process.pid,
		     scope_kind_name(kill->victims[i]->why.kind), kill->victims[i]->why.id);
	tell("result %d: %s", rc, gone ? "gone" : "not all are gone");
	count_result(kill, rc);
	check_strangers();
	check_bounds(kill->orders.deadline);
	check_nobody_is_stopped();
	if (gone && !run.left)
		check_completeness(kill, targets);
	else if (!gone && rc == 0)
		check_honesty(kill, targets);
	run.left = run.left || !gone;
}

/* Runs. */

static void kill_at_once(uint64_t timeout)
{
	struct kill *kill = &run.kills[run.kill_count++];
	int rc;

	world.acting = (1u << world.aim_count) - 1;
	world.read_up_to = &kill->last_pid;
	world.taken_in = &kill->looks;
	run.orders.targets = run.targets;
	run.orders.target_count = world.aim_count;
	run.orders.deadline = one_in(10) && world.patient && world.signal == SIGKILL
				      ? CLOCK_NEVER
				      : fake.now + timeout;
	world.deadline = run.orders.deadline;
	rc = kill_plan(kill, &run.orders, &run.error);
	if (!rc)
		rc = kill_carry_out(kill, &run.error);
	check(kill, (1u << world.aim_count) - 1, rc);
}

static size_t next_to_end;

static void end_a_target(void)
{
	pid_t pid = world.beings[world.aims[next_to_end++].who].pid;

	if (!fake_process(pid) || !world_is_alive(world.aims[next_to_end - 1].who))
		return;
	tell("target %d ends", pid);
	fake_process(pid)->state = 'S';
	fake_exit(pid);
	if (one_in(2))
		fake_reap(pid);
}

static void end_what_is_left(struct target *ended, uint64_t timeout, struct numbers since)
{
	size_t t = (size_t)(ended - run.targets);
	struct kill *kill = &run.kills[t];
	int rc;

	world.acting = 1u << t;
	world.read_up_to = &kill->last_pid;
	world.taken_in = &kill->looks;
	world_outlive((unsigned)t);
	tell("has ended: %d", ended->process.pid);
	world.deadline = fake.now + timeout;
	world.late = 0;
	rc = kill_plan_again(kill, fake.now + timeout, &since, &run.error);
	if (!rc)
		rc = kill_carry_out(kill, &run.error);
	check(kill, 1u << t, rc);
	kill_clear(kill);
	*kill = (struct kill){ .watch = WATCH_NULL };
	target_close(ended);
}

static void kill_on_exit(uint64_t timeout)
{
	struct vigil vigil = VIGIL_NULL;
	struct target *ended;
	int rc, signal;

	next_to_end = 0;
	world.waits = true;
	rc = vigil_open(&vigil, run.targets, world.aim_count);
	for (size_t t = 0; t < world.aim_count; t++) {
		world.acting = 1u << t;
		world.read_up_to = &run.kills[run.kill_count].last_pid;
		world.taken_in = &run.kills[run.kill_count].looks;
		run.orders.targets = &run.targets[t];
		run.orders.target_count = 1;
		run.orders.deadline = fake.now + timeout;
		rc = kill_plan(&run.kills[run.kill_count++], &run.orders, &run.error);
		if (rc)
			break;
		fake_in((1 + below(5000)) * FAKE_MS, end_a_target);
	}
	while (!rc) {
		rc = vigil_next(&vigil, &ended, &signal);
		if (rc <= 0)
			break;
		rc = 0;
		end_what_is_left(ended, timeout, vigil_numbers(&vigil));
	}
	vigil_close(&vigil);
}

/* With --on-exit there is a kill for each target, and somebody can belong to several. */
static void check_complaints(void)
{
	char text[4096], *line, *rest;

	snprintf(text, sizeof(text), "%s", fake_complaints());
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (run.kill_count == 1 || !strstr(line, " a second time"))
			broken("%s", line);
}

static void finish(void)
{
	world_rest();
	for (size_t i = 0; i < run.kill_count; i++)
		kill_clear(&run.kills[i]);
	for (size_t t = 0; t < world.aim_count; t++)
		target_close(&run.targets[t]);
	figures.runs++;
	figures.processes += world.being_count;
	figures.signals += world.signals;
	figures.calls += world.calls;
	check_complaints();
	check_strangers();
	run.finished = true;
}

static void run_once(uint64_t seed)
{
	unsigned count;
	uint64_t timeout;

	memset(&run, 0, sizeof(run));
	run.seed = seed;
	for (size_t t = 0; t < TARGETS_MAX; t++)
		run.targets[t] = TARGET_NULL;
	world_make(seed);
	pick_options(&timeout);
	count = one_in(3) ? 1 + below(TARGETS_MAX) : 1;
	for (unsigned i = 0; i < count; i++)
		aim(world_pick_target());
	if (world.aim_count) {
		pick_costs();
		world_run();
		if (one_in(5))
			kill_on_exit(timeout);
		else
			kill_at_once(timeout);
	}
	finish();
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void run_from(uint64_t seed, uint64_t runs)
{
	for (uint64_t i = 0; i < runs; i++)
		run_once(seed + i);
}

static void test_seeds(void **state)
{
	(void)state;
	run_from(number_of("SEED", FIRST_SEED), number_of("RUNS", QUICK_RUNS));
}

/* Where a number of RUNS was asked for, and no SEED: one in 20 more. */
static void test_new_seeds(void **state)
{
	(void)state;
	if (!getenv("SEED"))
		run_from((uint64_t)time(NULL) << 24, number_of("RUNS", 0) / 20);
}

/* Of a run that failed, and so did not come to its end; or the only one that was asked for. */
static int say_seed(void **state)
{
	(void)state;
	if (run.seed && (!run.finished || number_of("RUNS", 0) == 1))
		fprintf(stderr, "%s# SEED=%" PRIu64 " RUNS=1 brings it back\n", world.log,
			run.seed);
	run.seed = 0;
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		{ "the promises hold whatever happens", test_seeds, NULL, say_seed, NULL },
		{ "and so with seeds of the day", test_new_seeds, NULL, say_seed, NULL },
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	printf("# runs %" PRIu64 ": processes %" PRIu64 ", signals %" PRIu64
	       ", strangers hit %" PRIu64 ", untrue \"gone\" %" PRIu64 "\n",
	       figures.runs, figures.processes, figures.signals, figures.strangers, figures.untrue);
	printf("# gone %" PRIu64 ", late %" PRIu64 ", interrupted %" PRIu64 ", failed %" PRIu64
	       "; denied %" PRIu64 ", in doubt %" PRIu64 ", newcomers %" PRIu64
	       ", targets refused %" PRIu64 "\n",
	       figures.gone, figures.late, figures.interrupted, figures.failed, figures.denied,
	       figures.doubtful, figures.newcomers, figures.refused);
	printf("# longest overrun of a deadline %" PRIu64 " us, calls %" PRIu64 "\n",
	       figures.overrun / 1000, figures.calls);
	printf("# figures: runs=%" PRIu64 " processes=%" PRIu64 " strangers_hit=%" PRIu64
	       " false_gone=%" PRIu64 " unread=%" PRIu64 " overrun_ms=%" PRIu64 "\n",
	       figures.runs, figures.processes, figures.strangers, figures.untrue, figures.unread,
	       figures.overrun / FAKE_MS);
	return failed;
}
