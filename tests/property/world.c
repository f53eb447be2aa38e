/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "world.h"

#include "ties.h"

#include "core/signals.h"
#include "linux/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FIRST_INODE 1000 /* the fake system numbers them from here on */
#define INIT	    0u
#define KTHREADD    1u
#define SHELL	    2u
#define NSKILL	    3u
#define MADE	    4u /* the first that is made here */
#define NOBODY	    SIZE_MAX
#define CALLS_MAX   400000
#define FIRST_PID   300 /* numbers start again here */

struct world world;

/* Chance. */

static uint64_t next_random(void)
{
	uint64_t z = (world.random += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

unsigned below(unsigned n)
{
	return (unsigned)(next_random() % n);
}

bool one_in(unsigned n)
{
	return below(n) == 0;
}

void tell(const char *format, ...)
{
	static size_t used;
	va_list args;

	if (!world.log[0])
		used = 0;
	if (used + 400 > sizeof(world.log)) {
		memmove(world.log + sizeof(world.log) / 2, world.log + used - 8192, 8193);
		used = sizeof(world.log) / 2 + 8192; /* the beginning and the end say most */
	}
	used += (size_t)snprintf(world.log + used, 100, "%5u %9.3f ms  ", world.calls,
				 (double)(fake.now - 1000 * NS_PER_SECOND) / (double)FAKE_MS);
	va_start(args, format);
	used += (size_t)vsnprintf(world.log + used, 290, format, args);
	va_end(args);
	used += (size_t)snprintf(world.log + used, 2, "\n");
}

/* Who is who. */

struct fake_process *world_process(size_t being)
{
	struct fake_process *process;

	if (being == NOBODY)
		return NULL;
	process = fake_process(world.beings[being].pid);
	return process && process->inode == world.beings[being].inode ? process : NULL;
}

bool world_is_alive(size_t being)
{
	return world_process(being) && fake_is_alive(world.beings[being].pid);
}

static size_t being_of(const struct fake_process *process)
{
	return process ? process->inode - FIRST_INODE : NOBODY;
}

static struct space *find_space(const struct fake_process *process)
{
	uint64_t unique = process ? fake_unique_id(process->mntns) : 0;
	size_t i = 0;

	while (i < world.space_count && world.spaces[i].unique != unique)
		i++;
	if (i == world.space_count) {
		if (world.space_count++ == SPACES_MAX)
			fail_msg("too many mount namespaces");
		world.spaces[i] = (struct space){ .unique = unique };
	}
	return &world.spaces[i];
}

static struct space *space_of(size_t being)
{
	return find_space(world_process(being));
}

uint64_t world_space_of(size_t being)
{
	return space_of(being)->unique;
}

/* All that live (or are zombies), looked up once for many questions. */
static struct present now[BEINGS_MAX];

static void look_around(void)
{
	for (size_t i = 0; i < world.being_count; i++) {
		const struct fake_process *process = world_process(i);

		now[i].process = process;
		now[i].alive = process && fake_is_alive(process->pid);
		now[i].space = now[i].alive ? find_space(process) : NULL;
		now[i].parent = process ? being_of(fake_process(process->ppid)) : NOBODY;
	}
}

static bool is_guard(size_t being)
{
	return being == INIT || being == SHELL || being == NSKILL;
}

/* What is never followed. */
static bool is_guarded_group(size_t founder)
{
	return world.beings[SHELL].group == founder || world.beings[NSKILL].group == founder ||
	       founder == INIT;
}

static bool is_guarded_session(size_t founder)
{
	return world.beings[SHELL].session == founder || founder == INIT;
}

static bool follows(enum scope_kind kind)
{
	return world.rules.kinds & SCOPE_BIT(kind);
}

/*
 * Who belongs. Each question has two answers: what may be the case, so that a signal is allowed,
 * and what is certain, so that an end is owed.
 */

static unsigned bits(size_t being, bool certain)
{
	const struct being *who = &world.beings[being];

	if (!certain)
		return who->may;
	return who->must | (who->heard & who->may);
}

static bool led(size_t founder, unsigned bit, bool certain)
{
	return founder != NOBODY && bits(founder, certain) & bit;
}

static bool tied_by_descent(size_t being, unsigned bit, bool certain)
{
	if (!follows(SCOPE_TREE))
		return false;
	if (!certain && led(world.beings[being].parent, bit, false))
		return true;
	return led(now[being].parent, bit, certain);
}

/* Without pidfs, who bears the number of one that started in the same tick passes for that one. */
static size_t taken_for(size_t being)
{
	for (size_t i = MADE; !fake.pidfs && i < being; i++)
		if (world.beings[i].pid == world.beings[being].pid &&
		    world.beings[i].started == world.beings[being].started)
			return i;
	return NOBODY;
}

/*
 * Whether a number stays its founder's for those who look: numbers are handed out in order, and
 * when that one has been passed, somebody else may have had it, and may have left @being. Who is
 * from before, known, and there still, tells that nobody can.
 */
static bool stays_founders(size_t founder, size_t being, unsigned bit)
{
	size_t passed = world.beings[founder].passed;

	if (taken_for(founder) != NOBODY)
		return false;
	if (being < passed || !passed || now[founder].process)
		return true;
	for (size_t i = MADE; i < passed; i++)
		if (now[i].process && !now[i].process->hidden && bits(i, true) & bit &&
		    (world.beings[i].group == founder || world.beings[i].session == founder))
			return true;
	return false;
}

/*
 * What --all takes: what was the target's own when it was resolved, or when its end was seen. When
 * numbers may have come round while that was waited for, nothing of it is certain any more.
 */
static bool is_targets(size_t founder, unsigned t, enum scope_kind kind, bool certain)
{
	const struct aim *aim = &world.aims[t];
	const struct being *target = &world.beings[aim->who];
	bool then = founder == (kind == SCOPE_PGRP ? aim->group : aim->session);
	bool since = founder == (kind == SCOPE_PGRP ? target->group : target->session);

	if (!world.rules.all || aim->gone)
		return false;
	if (certain && aim->outlived)
		return then && since && fake.pid_max > 1000;
	return then || (!certain && aim->outlived && since);
}

static bool tied_by_number(size_t being, unsigned t, enum scope_kind kind, bool certain)
{
	const struct being *who = &world.beings[being];
	size_t founder = kind == SCOPE_PGRP ? who->group : who->session;

	if (!follows(kind) ||
	    (kind == SCOPE_PGRP ? is_guarded_group(founder) : is_guarded_session(founder)))
		return false;
	return (led(founder, 1u << t, certain) || is_targets(founder, t, kind, certain)) &&
	       (!certain || stays_founders(founder, being, 1u << t));
}

static bool tied_by_group(size_t being, unsigned t, bool certain)
{
	return tied_by_number(being, t, SCOPE_PGRP, certain) ||
	       tied_by_number(being, t, SCOPE_SESSION, certain);
}

/*
 * Without an id that stays its own, one that nobody can be found in to hold it by is not followed:
 * its inode may be another's by then.
 */
static bool stays_known(const struct space *space, unsigned bit)
{
	return fake.unique_ids || space->held & bit;
}

static bool tied_by_space(size_t being, unsigned t, bool certain)
{
	const struct space *space = now[being].space;
	unsigned bit = 1u << t;

	if (!follows(fake.namespace_kind) || !space || now[being].process->unreadable)
		return false;
	if (certain)
		return space->must & bit &&
		       (stays_known(space, bit) || space->fell_at[t] == world.looks);
	return space->may & bit;
}

static bool is_tied(size_t being, unsigned t, bool certain)
{
	return tied_by_descent(being, 1u << t, certain) || tied_by_group(being, t, certain) ||
	       tied_by_space(being, t, certain) || ties_by_cgroup(being, t, certain) ||
	       ties_by_output(being, t, certain);
}

static bool is_ancestor(size_t a, size_t b)
{
	do {
		b = now[b].parent;
	} while (b != NOBODY && b != INIT && b != a && !now[b].process->hidden);
	return b == a;
}

static bool is_older(size_t a, size_t b)
{
	const struct being *left = &world.beings[a], *right = &world.beings[b];

	if (left->started != right->started)
		return left->started < right->started;
	if (is_ancestor(a, b) || is_ancestor(b, a))
		return is_ancestor(a, b);
	return fake.pidfs && left->inode < right->inode;
}

/* Somebody who lives in @space, from *@place on. */
static size_t next_in(const struct space *space, size_t *place)
{
	while (*place < world.being_count) {
		size_t being = (*place)++;

		if (!world.beings[being].thread && now[being].space == space)
			return being;
	}
	return NOBODY;
}

/* Who cannot be seen there is nobody's elder as far as may be; but nothing is certain then. */
static bool is_blurred(size_t being)
{
	return now[being].process->unreadable || now[being].process->hidden;
}

/* Who is gone can have been the child of one of its tick. */
static bool is_in_doubt(size_t other, size_t member)
{
	return is_blurred(other) || (!now[member].process &&
				     world.beings[other].started == world.beings[member].started);
}

static bool has_elder(const struct space *space, size_t member, bool certain)
{
	size_t other, place = 0;

	while ((other = next_in(space, &place)) != NOBODY)
		if (other != member && (certain || !is_blurred(other)) &&
		    (is_older(other, member) || (certain && is_in_doubt(other, member))))
			return true;
	return false;
}

static bool is_older_than_target(const struct space *space, const struct aim *aim, bool certain)
{
	uint64_t birth = certain ? aim->latest_birth : aim->birth;
	size_t other, place = 0;

	if (!aim->dead && (!certain || world_is_alive(aim->who)) && (certain || !aim->outlived))
		return has_elder(space, aim->who, certain);
	if (certain && birth < world.beings[aim->who].started)
		birth = world.beings[aim->who].started;
	while ((other = next_in(space, &place)) != NOBODY) {
		if (other == aim->who || (!certain && is_blurred(other)))
			continue;
		if (world.beings[other].started < birth + certain || (certain && is_blurred(other)))
			return true;
	}
	return false;
}

/* Who stands in need not be known: whether he is from before a number was passed is not, then. */
static bool stands_in(const struct space *space, unsigned t, bool certain)
{
	const struct aim *aim = &world.aims[t];
	size_t other, place = 0;

	while ((other = next_in(space, &place)) != NOBODY)
		if (!is_blurred(other) &&
		    (world.beings[other].group == aim->who ||
		     world.beings[other].session == aim->who) &&
		    (!certain || stays_founders(aim->who, NOBODY, 1u << t)))
			return true;
	return false;
}

static bool is_host(const struct space *space)
{
	return space == now[INIT].space;
}

static const struct space *own_space(const struct aim *aim)
{
	for (size_t i = 0; aim->space && i < world.space_count; i++)
		if (world.spaces[i].unique == aim->space)
			return &world.spaces[i];
	return NULL;
}

static bool holds_pidns_init(const struct space *space, bool certain)
{
	size_t other, place = 0;

	while ((other = next_in(space, &place)) != NOBODY)
		if (now[other].process->pidns_init && (certain || !is_blurred(other)))
			return true;
	return false;
}

static bool is_foreign(const struct space *space)
{
	size_t other, place = 0;

	other = next_in(space, &place);
	return other != NOBODY && !fake_namespace(now[other].process->mntns)->ours;
}

/* Whether those who bear its number lead to the namespaces that were its own. */
static bool has_stand_ins(const struct aim *aim, bool certain)
{
	if (aim->outlived && !certain)
		return !aim->recorded || !aim->dead;
	return aim->dead && !aim->recorded && !aim->space;
}

static bool has_own_fallen(unsigned t, bool certain)
{
	const struct space *own = own_space(&world.aims[t]);

	if (own && (certain ? own->must : own->may) & 1u << t)
		return true;
	if (!has_stand_ins(&world.aims[t], certain))
		return false;
	for (size_t i = 0; i < world.space_count; i++)
		if ((certain ? world.spaces[i].must : world.spaces[i].may) & 1u << t)
			return true; /* the first to fall was one of its own */
	return false;
}

static bool falls(struct space *space, unsigned t, bool certain)
{
	const struct aim *aim = &world.aims[t];
	bool known = space == own_space(aim);
	bool own = known || (has_stand_ins(aim, certain) && stands_in(space, t, certain));
	size_t member, place = 0;
	bool occupied = false;
	bool takes_all = world.rules.all && fake.namespace_kind == SCOPE_MNT;

	if (is_host(space) || !follows(fake.namespace_kind) || is_foreign(space))
		return false;
	if (!own && !has_own_fallen(t, certain))
		return false;
	if (own && !known && holds_pidns_init(space, certain))
		return false;
	if (certain && next_in(space, &place) == NOBODY)
		return false; /* of one that is empty by now nothing can be told */
	place = 0;
	if (own && (takes_all || !is_older_than_target(space, aim, certain)))
		return true;
	while ((member = next_in(space, &place)) != NOBODY) {
		if (!(bits(member, false) & 1u << t))
			continue;
		occupied = true;
		if (bits(member, certain) & 1u << t && !is_blurred(member) &&
		    !has_elder(space, member, certain))
			return true;
	}
	if (own || occupied)
		space->elders |= 1u << t;
	return false;
}

static bool can_belong(size_t being)
{
	const struct fake_process *process = now[being].process;

	return process && !is_guard(being) && !process->kernel_thread &&
	       !world.beings[being].thread;
}

static bool join_beings(unsigned t, bool certain)
{
	bool changed = false;

	for (size_t i = MADE; i < world.being_count; i++) {
		struct being *being = &world.beings[i];

		if ((certain ? being->must : being->may) & 1u << t || !can_belong(i))
			continue;
		if (certain && (now[i].process->hidden || being->blurred))
			continue;
		if (!is_tied(i, t, certain) && (certain || !led(taken_for(i), 1u << t, false)))
			continue;
		*(certain ? &being->must : &being->may) |= 1u << t;
		changed = true;
	}
	return changed;
}

static bool join_spaces(unsigned t, bool certain)
{
	bool changed = false;

	for (size_t i = 0; i < world.space_count; i++) {
		struct space *space = &world.spaces[i];

		if ((certain ? space->must : space->may) & 1u << t)
			continue;
		if (certain && space->elders & 1u << t)
			continue; /* it was somebody else's at an earlier look */
		if (!falls(space, t, certain))
			continue;
		*(certain ? &space->must : &space->may) |= 1u << t;
		if (certain)
			space->fell_at[t] = world.looks;
		if (space == own_space(&world.aims[t]))
			space->held |= world.acting & 1u << t;
		changed = true;
	}
	return changed;
}

/* Repeat until nothing is added. Mount namespaces fall at looks alone. */
static void close_over(bool certain, bool look)
{
	look_around();
	for (unsigned t = 0; t < world.aim_count; t++) {
		bool changed = world.acting & 1u << t || !certain;

		ties_note_outputs(t);
		while (changed) {
			changed = join_beings(t, certain);
			if (look)
				changed = join_spaces(t, certain) || changed;
			if (look)
				changed = ties_join(t, certain) || changed;
		}
	}
}

static uint64_t last_ticks, look_began; /* when the last call ended, and the last look began */

/* Whether a living member has borne that number as its group or session all the time. */
static bool is_borne(size_t leader, unsigned bit)
{
	for (size_t i = MADE; i < world.being_count; i++) {
		const struct being *other = &world.beings[i];

		if (now[i].alive && other->must & bit && !other->moved &&
		    (other->group == leader || other->session == leader))
			return true;
	}
	return false;
}

/* What was certain of a target before its end was waited for, and is not any more. */
static void outlive(unsigned target)
{
	unsigned bit = 1u << target;

	look_around();
	for (size_t i = MADE; i < world.being_count; i++) {
		struct being *being = &world.beings[i];

		being->bred = false;
		if (now[i].alive ? being->moved && being->started + 1 >= world.look_ticks[target]
				 : !is_borne(i, bit) && i != world.aims[target].who)
			being->must &= ~bit;
	}
}

static void note_look(void)
{
	world.looks++;
	/* Who has ended since the end of the target and before the look is nobody it knows of. */
	for (unsigned t = 0; t < world.aim_count; t++)
		if (world.acting & 1u << t && world.aims[t].outlived && !world.aims[t].looked) {
			world.aims[t].looked = true;
			outlive(t);
		}
	for (unsigned t = 0; t < world.aim_count; t++)
		if (world.acting & 1u << t)
			world.look_ticks[t] = fake_ticks();
	/* In the tick of a look a number can change hands: who has lost his ties is not taken. */
	for (size_t i = MADE; i < world.being_count; i++)
		if (world.beings[i].started >= look_began)
			world.beings[i].blurred = true;
	ties_begin_look();
	close_over(false, true);
	ties_note_look();
	close_over(false, true);
	close_over(true, true);
	ties_end_look();
}

const struct present *world_present(size_t being)
{
	return &now[being];
}

unsigned world_bits(size_t being, bool certain)
{
	return bits(being, certain);
}

bool world_is_older(size_t a, size_t b)
{
	return is_older(a, b);
}

bool world_is_guard(size_t being)
{
	return is_guard(being);
}

void world_note_ties(void)
{
	close_over(false, ties_look_goes_on());
}

void world_outlive(unsigned target)
{
	world.aims[target].outlived = true;
	outlive(target);
	for (size_t i = 0; i < world.space_count; i++)
		world.spaces[i].must &= ~(1u << target);
	ties_outlive(target);
}

bool world_owes(size_t being, unsigned targets)
{
	const struct being *who = &world.beings[being];

	look_around();
	if (!can_belong(being) || !world_is_alive(being) || world_process(being)->hidden)
		return false;
	if ((who->must | who->owed) & targets)
		return true;
	/* What came after everything was read is nobody's to know. */
	if (!who->bred || who->takes_number || who->came_at >= world.last_look)
		return false;
	/* Where numbers may have come round during the wait, a dead leader's is not certain. */
	for (unsigned t = 0; t < world.aim_count; t++)
		if (targets & 1u << t && !(world.aims[t].outlived && fake.pid_max <= 1000) &&
		    (tied_by_group(being, t, true) || ties_by_cgroup(being, t, true) ||
		     (tied_by_space(being, t, true) && stays_known(space_of(being), 1u << t))))
			return true;
	return false;
}

/* Making processes. */

static size_t enroll(pid_t pid, size_t parent)
{
	const struct fake_process *process = fake_process(pid);
	size_t place = being_of(process);
	struct being *being = &world.beings[place];

	if (place != world.being_count || place == BEINGS_MAX)
		fail_msg("being %zu instead of %zu", place, world.being_count);
	world.being_count++;
	*being = (struct being){
		.pid = pid,
		.inode = process->inode,
		.parent = parent,
		.group = world.beings[parent].group,
		.session = world.beings[parent].session,
		.started = process->started,
		.made_at = world.calls,
	};
	return place;
}

static void lead_group(size_t being)
{
	world_process(being)->pgrp = world.beings[being].pid;
	world.beings[being].group = being;
}

static void lead_session(size_t being)
{
	fake_setsid(world.beings[being].pid);
	world.beings[being].group = world.beings[being].session = being;
}

static void enter_space_of(size_t being, size_t other)
{
	fake_join(world.beings[being].pid, world_process(other)->mntns);
}

static void enter_group_of(size_t being, size_t other)
{
	struct fake_process *process = world_process(being);
	const struct fake_process *to = world_process(other);

	process->pgrp = to->pgrp;
	process->session = to->session;
	world.beings[being].group = world.beings[other].group;
	world.beings[being].session = world.beings[other].session;
}

static size_t pick(bool (*fits)(size_t being))
{
	size_t start = below((unsigned)world.being_count);

	for (size_t i = 0; i < world.being_count; i++) {
		size_t being = (start + i) % world.being_count;

		if (fits(being))
			return being;
	}
	return NOBODY;
}

static bool can_parent(size_t being)
{
	const struct fake_process *process = world_process(being);

	return world_is_alive(being) && !process->kernel_thread && !world.beings[being].thread &&
	       being != NSKILL;
}

static bool is_made(size_t being)
{
	return being >= MADE && being < world.being_count && !world.beings[being].thread;
}

static bool is_made_alive(size_t being)
{
	return is_made(being) && world_is_alive(being);
}

static void give_manners(size_t being)
{
	struct fake_process *process = world_process(being);

	process->user = one_in(4) ? WORLD_USER : 0;
	process->saved_user = one_in(10) ? WORLD_USER : 0;
	process->unreadable = one_in(25);
	process->subreaper = one_in(15);
	process->reaps = one_in(4);
	process->hidden = !world.scarce && one_in(60);
	/* With one, the kernel would end strangers who are in there against all sense. */
	process->pidns_init = one_in(40) && fake.namespace_kind != SCOPE_PID;
	if (one_in(6))
		process->dying = below(20) * FAKE_MS / 10;
	if (one_in(12))
		process->dying = below(3000) * FAKE_MS;
	if (one_in(8))
		process->stopping = below(50) * FAKE_MS / 10;
	process->unstoppable = one_in(60);
	process->ignores = one_in(10);
	if (one_in(60))
		process->denied = EPERM;
	process->unkillable = world.patient ? false : one_in(80);
	if (!process->hidden && one_in(300))
		process->unpinnable = EPERM;
	if (one_in(30)) {
		process->state = 'Z';
		process->threads = 3;
	}
	if (process->unkillable)
		process->unstoppable = true;
}

static void find_place(size_t being)
{
	size_t other;

	switch (below(12)) {
	case 0:
	case 1:
		lead_group(being);
		break;
	case 2:
	case 3:
		lead_session(being);
		break;
	case 4:
		fake_unshare(world.beings[being].pid);
		break;
	case 5:
		lead_session(being);
		fake_unshare(world.beings[being].pid);
		break;
	case 6:
		other = pick(is_made_alive);
		enter_space_of(being, other);
		break;
	case 7:
		other = pick(is_made_alive);
		if (!one_in(3) && !world_process(other)->kernel_thread)
			enter_group_of(being, other);
		break;
	default:
		break;
	}
}

static uint64_t next_start(uint64_t start)
{
	if (one_in(3))
		return start;
	if (one_in(4))
		return start + below(200);
	if (one_in(30) && start + 2 < fake_ticks())
		return fake_ticks() - below(2);
	return start + below(3);
}

static void make_processes(void)
{
	unsigned count = one_in(4) ? below(6) : below(61);
	uint64_t start = 5100;

	for (unsigned i = 0; i < count + 1; i++) {
		size_t parent = one_in(6) ? (one_in(2) ? INIT : SHELL) : pick(can_parent);
		struct fake_process process = { .ppid = world.beings[parent].pid };

		start = next_start(start);
		if (start > fake_ticks())
			start = fake_ticks();
		process.started = start;
		if (one_in(40)) {
			process.ppid = 2;
			process.kernel_thread = true;
			parent = KTHREADD;
		} else if (one_in(25) && parent >= MADE) {
			process.tgid = world.beings[parent].pid;
			process.ppid = world_process(parent)->ppid;
		}
		parent = enroll(fake_add(&process), parent);
		world.beings[parent].thread = process.tgid != 0;
		if (process.kernel_thread || process.tgid)
			continue;
		give_manners(parent);
		find_place(parent);
		ties_find_place(parent);
	}
}

static void end_some(void)
{
	for (size_t i = MADE; i < world.being_count; i++) {
		pid_t pid = world.beings[i].pid;

		if (!is_made_alive(i) || world_process(i)->kernel_thread || !one_in(7))
			continue;
		fake_exit(pid);
		if (!one_in(3))
			fake_reap(pid);
	}
}

static void enroll_first(size_t being, pid_t pid, size_t parent, size_t group, size_t session)
{
	world.beings[being] = (struct being){ .pid = pid,
					      .inode = fake_process(pid)->inode,
					      .parent = parent,
					      .group = group,
					      .session = session,
					      .started = fake_process(pid)->started };
}

void world_make(uint64_t seed)
{
	memset(&world, 0, offsetof(struct world, log));
	world.log[0] = '\0';
	world.random = seed;
	fake_reset();
	if (one_in(2))
		fake.namespace_kind = SCOPE_MNT + below(SCOPE_NAMESPACES);
	enroll_first(INIT, 1, INIT, INIT, INIT);
	enroll_first(KTHREADD, 2, KTHREADD, KTHREADD, KTHREADD);
	enroll_first(SHELL, FAKE_SHELL, INIT, SHELL, SHELL);
	enroll_first(NSKILL, FAKE_NSKILL, SHELL, NSKILL, SHELL);
	world.being_count = MADE;
	fake.pidfs = !one_in(3);
	fake.group_signal = fake.pidfs && !one_in(4);
	fake.unique_ids = fake.pidfs && !one_in(3);
	world.scarce = one_in(5);
	if (world.scarce)
		fake.pins = 3 + below(12);
	fake.thread_error = one_in(2) ? EINVAL : ENOENT;

	/* Who waits for a descriptor is known by PID and tick alone, that both can be another's. */
	fake.pid_max = !world.scarce && one_in(2) ? FIRST_PID + 220 + (pid_t)below(200) : 32768;
	fake.last_pid = FIRST_PID + (pid_t)below((unsigned)(fake.pid_max - FIRST_PID));
	fake.now += below(10) * FAKE_MS;
	world.patient = one_in(3);
	ties_make(seed);
	make_processes();
	end_some();
	if (one_in(5))
		fake_namespace(FAKE_HOST + 1)->ours = false;
	if (one_in(6)) {
		size_t other = pick(is_made_alive);

		if (other != NOBODY && world.beings[other].group >= MADE &&
		    !world.beings[other].thread) {
			fake_process(FAKE_NSKILL)->pgrp = world_process(other)->pgrp;
			world.beings[NSKILL].group = world.beings[other].group;
		}
	}
}

size_t world_pick_target(void)
{
	return pick(is_made);
}

/* What happens. */

static bool is_kin(size_t being)
{
	return is_made_alive(being) && world.beings[being].may;
}

static bool can_act(size_t being)
{
	const struct fake_process *process = world_process(being);

	return is_made_alive(being) && !process->kernel_thread && process->state != 'T' &&
	       !world.beings[being].killed;
}

static bool is_kin_and_acts(size_t being)
{
	return can_act(being) && is_kin(being);
}

static size_t pick_actor(void)
{
	size_t being = one_in(4) ? NOBODY : pick(is_kin_and_acts);

	return being == NOBODY ? pick(can_act) : being;
}

static unsigned distance(pid_t from, pid_t to)
{
	return (unsigned)(to > from ? to - from : to - from + fake.pid_max - FIRST_PID);
}

static void note_passed(pid_t from)
{
	unsigned passed = distance(from, fake.last_pid);

	for (size_t i = MADE; i < world.being_count; i++)
		if (distance(from, world.beings[i].pid) <= passed)
			world.beings[i].passed = world.being_count;
}

/* Others have had all numbers up to that one. */
static void hand_out(pid_t number)
{
	pid_t from = fake.last_pid;

	fake.forks += distance(from, number);
	fake.last_pid = number;
	if (from != number)
		note_passed(from);
}

static size_t bear(size_t parent)
{
	pid_t from = fake.last_pid, pid = fake_fork(world.beings[parent].pid);

	note_passed(from);
	return enroll(pid, parent);
}

static bool is_in_use(pid_t number)
{
	for (size_t i = 0; i < world.being_count; i++) {
		const struct fake_process *process = world_process(i);

		if (process && (process->pid == number || process->pgrp == number ||
				process->session == number))
			return true;
	}
	return false;
}

/* Whether that number, or the next free one, can be handed out: none may go round unseen. */
static bool may_reach(pid_t number)
{
	unsigned ring = (unsigned)(fake.pid_max - FIRST_PID);
	pid_t read_up_to = *world.read_up_to ? *world.read_up_to : world.first_pid;
	unsigned so_far = fake.last_pid == read_up_to ? 0 : distance(read_up_to, fake.last_pid);

	if (number >= fake.pid_max)
		number = FIRST_PID;
	so_far += distance(fake.last_pid, number);
	for (; is_in_use(number); so_far++)
		number = number + 1 < fake.pid_max ? number + 1 : FIRST_PID;
	return so_far < ring;
}

static size_t fork_off(size_t parent)
{
	const struct fake_process *from;
	size_t child;
	bool known = world.beings[parent].must || world.beings[parent].heard;

	if (world.being_count + 2 >= BEINGS_MAX || !may_reach(fake.last_pid + 1))
		return NOBODY;
	child = bear(parent);
	from = world_process(parent);
	world_process(child)->unreadable = from->unreadable;
	world_process(child)->denied = from->denied;
	world_process(child)->user = from->user;
	world_process(child)->saved_user = from->saved_user;
	world_process(child)->hidden = from->hidden;
	world_process(child)->ignores = from->ignores;
	world_process(child)->reaps = one_in(4);
	if (one_in(6))
		world_process(child)->dying = below(40) * FAKE_MS / 10;
	for (size_t i = MADE; i < child; i++)
		if (world.beings[i].pid == world.beings[child].pid)
			world.beings[child].takes_number = true;
	world.beings[child].bred = world.looks && known && world.beings[parent].may;
	close_over(false, false);
	tell("%d forks %d", world.beings[parent].pid, world.beings[child].pid);
	return child;
}

static bool is_target(size_t being)
{
	for (size_t t = 0; t < world.aim_count; t++)
		if (world.aims[t].who == being)
			return true;
	return false;
}

static void move(size_t being)
{
	const struct fake_process *process = world_process(being);
	unsigned how = below(5);

	close_over(false, false);
	world.beings[being].moved = true;
	if ((how == 0 || how == 4) && process->pgrp != process->pid)
		lead_session(being);
	if (how == 1 && process->session != process->pid)
		lead_group(being);
	if ((how == 2 || how == 4) && !is_target(being))
		fake_unshare(process->pid);
	tell("%d moves: pgrp %d session %d mntns %" PRIu64, process->pid, process->pgrp,
	     process->session, process->mntns);
}

static size_t neighbour_of;

static bool is_neighbour(size_t being)
{
	return is_made_alive(being) && being != neighbour_of &&
	       !world_process(being)->kernel_thread &&
	       world.beings[being].session == world.beings[neighbour_of].session;
}

/* It goes where others are: to a group of its session, or to the host's mount namespace. */
static void wander(size_t being)
{
	const struct fake_process *process = world_process(being);
	size_t other;

	if (is_target(being))
		return;
	close_over(false, false);
	world.beings[being].moved = true;
	world.beings[being].came_at = world.calls;
	neighbour_of = being;
	other = one_in(2) ? pick(is_neighbour) : NOBODY;
	if (other != NOBODY && process->session != process->pid) {
		enter_group_of(being, other);
	} else {
		other = SHELL;
		enter_space_of(being, other);
	}
	tell("%d wanders to %d: pgrp %d session %d mntns %" PRIu64, process->pid,
	     world.beings[other].pid, process->pgrp, process->session, process->mntns);
	close_over(false, false);
}

static void leave_everything(size_t being)
{
	const struct fake_process *process = world_process(being);

	close_over(false, false);
	world.beings[being].moved = true;
	if (process->pgrp != process->pid)
		lead_session(being);
	if (!is_target(being))
		fake_unshare(process->pid);
	tell("%d leaves: pgrp %d session %d mntns %" PRIu64, process->pid, process->pgrp,
	     process->session, process->mntns);
}

/*
 * A target that is waited for is reaped as soon as it has ended, when it may be days since anybody
 * has looked: who has its number by then, and ends unseen, leaves a session like its own.
 */
static bool is_successor(size_t being)
{
	for (size_t t = 0; t < world.aim_count; t++)
		if (world.waits && being != world.aims[t].who &&
		    world.beings[being].pid == world.beings[world.aims[t].who].pid)
			return true;
	return false;
}

static void go(size_t being)
{
	pid_t pid = world.beings[being].pid;

	if (is_successor(being))
		return;
	close_over(false, false);
	tell("%d exits", pid);
	fake_exit(pid);
	if (one_in(2)) {
		tell("%d is reaped", pid);
		fake_reap(pid);
	}
}

/* Whose parent does not stand still. */
static bool can_be_reaped(size_t being)
{
	const struct fake_process *process = world_process(being), *parent;

	if (!is_made(being) || !process || world_is_alive(being))
		return false;
	parent = fake_process(process->ppid);
	return !parent || parent->state != 'T';
}

static void reap_one(void)
{
	size_t being = pick(can_be_reaped);

	if (being == NOBODY)
		return;
	tell("%d is reaped", world.beings[being].pid);
	fake_reap(world.beings[being].pid);
}

/* A child of somebody who has nothing to do with it, by a number that was another's. */
static size_t stranger(void)
{
	size_t parent = one_in(2) ? INIT : SHELL, being, old;
	pid_t number;

	if (world.being_count + 2 >= BEINGS_MAX)
		return NOBODY;
	old = pick(is_made);
	number = world.beings[old].pid;
	if (number > FIRST_PID && fake.pid_max < 1000 && !fake_process(number) &&
	    may_reach(number) && !one_in(4))
		hand_out(number - 1);
	else if (!may_reach(fake.last_pid + 1))
		return NOBODY;
	being = bear(parent);
	world.beings[being].takes_number = true;
	if (!one_in(3))
		lead_session(being);
	if (one_in(3))
		fake_unshare(world.beings[being].pid);
	tell("a stranger %d: ppid %d pgrp %d mntns %" PRIu64, world.beings[being].pid,
	     world.beings[parent].pid, world_process(being)->pgrp, world_process(being)->mntns);
	return being;
}

static void guest(void)
{
	size_t being = stranger(), other = pick(is_made_alive);

	if (being == NOBODY || other == NOBODY || other == being)
		return;
	if (one_in(3) && !world_process(other)->kernel_thread)
		enter_group_of(being, other);
	else
		enter_space_of(being, other);
	tell("%d joins %d: pgrp %d mntns %" PRIu64, world.beings[being].pid,
	     world.beings[other].pid, world_process(being)->pgrp, world_process(being)->mntns);
	close_over(false, false);
}

static void let_time_pass(void)
{
	uint64_t ns = one_in(3) ? (1 + below(3000)) * FAKE_MS : below(30) * FAKE_MS;

	tell("%" PRIu64 " ms pass", ns / FAKE_MS);
	fake.now += ns;
	world.adrift = true;
	if (fake.now > world.deadline)
		world.late += fake.now - world.deadline < ns ? fake.now - world.deadline : ns;
}

/* A number that one of them has left is a stranger's at once. */
static void swap(size_t being)
{
	pid_t pid = world.beings[being].pid;

	if (world.scarce || fake.pid_max > 1000 || is_target(being) || !may_reach(pid) ||
	    is_successor(being))
		return;
	close_over(false, false);
	tell("%d exits and is reaped", pid);
	fake_end(pid);
	hand_out(pid - 1);
	being = bear(SHELL);
	world.beings[being].takes_number = true;
	tell("a stranger %d", world.beings[being].pid);
}

static void hop(size_t being)
{
	size_t child = fork_off(being);

	if (child == NOBODY)
		return;
	if (one_in(3))
		move(child);
	go(being);
}

static void fork_and_leave(size_t being)
{
	size_t child = fork_off(being);

	if (child != NOBODY)
		leave_everything(child);
}

static void happen(void)
{
	size_t being = pick_actor(), child;
	unsigned what = below(20);

	if (what < 4) {
		stranger();
	} else if (what == 4) {
		guest();
	} else if (what == 5) {
		reap_one();
	} else if (what == 6 && one_in(3)) {
		let_time_pass();
	} else if (what == 7 && one_in(8) && !world.patient) {
		tell("an interrupt");
		fake_interrupt(SIGINT);
	} else if (being == NOBODY) {
		return;
	} else if (what < 11) {
		fork_off(being);
	} else if (what < 13) {
		hop(being);
	} else if (what < 14) {
		fork_and_leave(being);
	} else if (what < 15) {
		one_in(3) ? wander(being) : move(being);
	} else if (what < 17) {
		go(being);
	} else if (what == 17) {
		if (world.being_count + 2 < BEINGS_MAX)
			swap(being);
	} else if (what < 20) {
		child = fork_off(being);
		if (child != NOBODY)
			move(child);
	}
}

/*
 * Who stands still cannot fork, so that its children are all there to be found. Where descriptors
 * do not reach for them, they wait for the next look, and one that is of the same tick as they are
 * cannot tell them from others who bear their numbers then.
 */
static void owe_children_of_stopped(void)
{
	look_around();
	for (size_t i = MADE; i < world.being_count; i++) {
		size_t parent = now[i].parent;

		if (!can_belong(i) || now[i].process->hidden || parent != world.beings[i].parent)
			continue; /* it may have come as an orphan when all had been read */
		if (world.beings[parent].stopped && !world.beings[parent].killed &&
		    now[parent].process->state == 'T' && !now[parent].process->stopping &&
		    !(world.scarce && world.beings[i].started + 1 >= fake_ticks()))
			world.beings[i].owed |= bits(parent, true);
	}
}

static unsigned calls_of[DOORS];

static void note_calls(void)
{
	static enum fake_door before;
	enum fake_door door = DOOR_ANY;

	for (enum fake_door d = DOOR_ANY + 1; d < DOORS; d++)
		if (fake_calls(d) != calls_of[d]) {
			calls_of[d] = fake_calls(d);
			door = d;
		}
	world.calls++;
	/* After a pin that failed the last number is asked for that one alone; and after a look. */
	if (door == DOOR_SCAN_ALL ||
	    (door == DOOR_LAST_PID && before != DOOR_PIN && before != DOOR_SCAN_ALL))
		world.last_read = world.calls;
	if (door == DOOR_SCAN_ALL)
		world.last_look = world.calls;
	if (door == DOOR_SCAN_BEGUN)
		look_began = last_ticks;
	if (door == DOOR_SCAN_ALL)
		note_look();
	before = door;
}

static bool anybody_stopped;

static void meanwhile(void)
{
	bool still;

	note_calls();
	still = ties_hold_still();
	if (world.calls > CALLS_MAX) {
		tell("this has no end");
		fail();
	}
	if (anybody_stopped && !world.adrift && follows(SCOPE_TREE))
		owe_children_of_stopped();
	if (!still && ties_look_goes_on())
		close_over(false, true); /* of who was there when his files were read */
	while (!still && world.events && one_in(world.pace)) {
		world.events--;
		happen();
		ties_happen();
	}
	last_ticks = fake_ticks();
}

/* Whether it belongs to a target whose file may name it. */
static bool may_get(const struct being *being, const struct fake_process *process)
{
	for (size_t t = 0; t < world.aim_count; t++)
		if (being->may & 1u << t && (!world.aims[t].owned || process->user == WORLD_USER ||
					     process->saved_user == WORLD_USER))
			return true;
	return false;
}

static void on_signal(const struct fake_process *process, int signal)
{
	size_t place = being_of(process);
	struct being *being = &world.beings[place];

	tell("%d gets %s", process->pid, signal_name(signal));
	world.signals++;
	if (!may_get(being, process))
		close_over(false, false);
	if (!may_get(being, process)) {
		if (!world.strangers++)
			snprintf(world.first_stranger, sizeof(world.first_stranger),
				 "%d got %s, and has no tie to a target", process->pid,
				 signal_name(signal));
	}
	/* Who is struck with a group, which he may have come to just now, need not be known. */
	if (world_is_alive(place) && !process->hidden && !fake.striking)
		being->heard |= world.acting;
	if (signal == SIGSTOP)
		being->stopped = anybody_stopped = true;
	if (signal == SIGKILL)
		being->killed = true;
}

void world_show(size_t i)
{
	const struct being *being = &world.beings[i];
	const struct fake_process *p = world_process(i);

	if (!p) {
		tell("%d has ended", being->pid);
		return;
	}
	tell("%d%s: %c ppid %d pgrp %d session %d mntns %" PRIu64 " start %" PRIu64
	     "%s%s%s%s%s%s%s%s%s%s; may %x must %x%s%s",
	     being->pid, being->thread ? " (thread)" : "", p->state, p->ppid, p->pgrp, p->session,
	     p->mntns, p->started, p->hidden ? " hidden" : "", p->unreadable ? " unreadable" : "",
	     p->subreaper ? " subreaper" : "", p->denied ? " denied" : "",
	     p->unpinnable ? " unpinnable" : "", p->unkillable ? " unkillable" : "",
	     p->ignores ? " ignores" : "", p->dying ? " dying" : "", p->stopping ? " stopping" : "",
	     p->kernel_thread ? " kernel" : "", being->may, being->must,
	     being->bred ? ", bred" : "", being->heard ? ", heard" : "");
	ties_show(i);
}

void world_run(void)
{
	static const unsigned paces[] = { 1, 3, 10, 40 };

	memset(calls_of, 0, sizeof(calls_of));
	for (enum fake_door d = DOOR_ANY; d < DOORS; d++)
		calls_of[d] = fake_calls(d);
	anybody_stopped = false;
	last_ticks = fake_ticks();
	world.first_pid = fake.last_pid;
	world.pace = paces[below(4)] + 1;
	world.events = one_in(4) ? 0 : below(70);
	for (size_t t = 0; t < world.aim_count; t++) {
		world.beings[world.aims[t].who].may |= 1u << t;
		world.beings[world.aims[t].who].must |= 1u << t;
	}
	for (size_t i = 0; i < world.being_count; i++)
		world_show(i);
	fake_on_signal(on_signal);
	fake_after_every(DOOR_ANY, 0, meanwhile);
}

void world_rest(void)
{
	world.events = 0;
}
