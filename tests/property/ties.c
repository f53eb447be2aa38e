/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "ties.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CGROUPS	     48
#define FIRST_STREAM 500
#define STREAMS	     60
#define GUARDS	     4 /* who is there before all others, kthreadd among them */
#define SHELL	     2
#define NSKILL	     3

struct place {
	struct cgroup cgroup;
	char path[16];
	unsigned may, must; /* for which targets it fell at some look; and for certain */
	unsigned elders;    /* for which somebody in it was older at some look */
	unsigned anothers;  /* and that was seen for certain, so that it never falls */
	bool joined;	    /* a guard has come to it, or to one above or beside it */
};

static struct {
	uint64_t random;
	bool cgroups, asked; /* there are some; and they are followed */
	bool outputs, followed;
	bool steady; /* files do not change, and are looked at in the moment of the processes */
	struct place places[CGROUPS];
	size_t place_count;
	unsigned stream_count;
	bool terminals_open; /* whose they are is not known yet at this look */
	bool sweeping;	     /* who is in a cgroup has been read, and it is about to be struck */
	unsigned calls_of[2];
	bool looking;	     /* all processes have been read, and nothing is made of it yet */
	size_t looks_before; /* that the kill had taken in then */
	struct {
		const struct cgroup *own;
		uint64_t may_outputs; /* a bit for each: its own, or of those who stand in for it */
		uint64_t output;      /* for certain its own */
		uint64_t barred;      /* a terminal that is somebody else's */
		uint64_t unsure;      /* one that can be */
		bool looked;	      /* it is known what it has as output */
	} aims[TARGETS_MAX];
} ties;

/* Chance of their own. */
static void swap_chance(void)
{
	uint64_t random = world.random;

	world.random = ties.random;
	ties.random = random;
}

/* Making them. */

static struct place *place_of(const struct cgroup *cgroup)
{
	return cgroup ? &ties.places[cgroup->id - 1] : NULL;
}

static const struct cgroup *make_cgroup(const struct cgroup *parent)
{
	struct place *place = &ties.places[ties.place_count];

	if (ties.place_count == CGROUPS)
		return parent;
	snprintf(place->path, sizeof(place->path), "/%zu", ties.place_count);
	place->cgroup = (struct cgroup){
		.id = ++ties.place_count, .parent = parent, .path = place->path, .folder = "/fake"
	};
	return &place->cgroup;
}

static bool is_in(const struct cgroup *cgroup, const struct cgroup *in)
{
	while (cgroup && cgroup != in)
		cgroup = cgroup->parent;
	return cgroup;
}

static const struct cgroup *any_cgroup(void)
{
	return &ties.places[below((unsigned)ties.place_count)].cgroup;
}

static void make_cgroups(void)
{
	static const int errors[] = { 0, 0, 0, ENOENT, EACCES };
	const struct cgroup *root = make_cgroup(NULL), *session = root;

	for (unsigned i = 0; i < 5; i++)
		make_cgroup(any_cgroup());
	if (one_in(2))
		session = any_cgroup();
	for (size_t i = 0; i < GUARDS; i++)
		world_process(i)->cgroup = root;
	fake_process(FAKE_SHELL)->cgroup = session;
	fake_process(FAKE_NSKILL)->cgroup = one_in(4) ? any_cgroup() : session;
	/* Where it is, nobody need be older: that it is there is what keeps that from falling. */
	world.beings[NSKILL].started = fake_process(FAKE_NSKILL)->started = fake_ticks();
	fake.cgroup_kill_error = errors[below(5)];
}

static uint64_t make_stream(void)
{
	return ties.stream_count < STREAMS ? FIRST_STREAM + ties.stream_count++ : 0;
}

static void make_outputs(void)
{
	uint64_t talk = make_stream();

	fake.stream_kind = STREAM_PIPE + below(STREAM_TERMINAL - STREAM_PIPE + 1);
	/* A terminal is somebody else's by those who hold it: of one moment, that is certain. */
	ties.steady = fake.stream_kind == STREAM_TERMINAL || one_in(2);
	if (!one_in(3))
		return;
	fake_process(FAKE_SHELL)->output = talk;
	fake_process(FAKE_NSKILL)->output = talk;
}

void ties_make(uint64_t seed)
{
	memset(&ties, 0, sizeof(ties));
	ties.random = ~seed;
	swap_chance();
	ties.cgroups = one_in(3);
	ties.asked = ties.cgroups && !one_in(5);
	ties.outputs = one_in(3);
	ties.followed = ties.outputs && !one_in(5);
	if (ties.cgroups)
		make_cgroups();
	if (ties.outputs)
		make_outputs();
	swap_chance();
}

static uint64_t output_of_another(void)
{
	const struct fake_process *other = world_process(below((unsigned)world.being_count));

	return other ? other->output : 0;
}

static void find_cgroup(struct fake_process *process)
{
	switch (below(8)) {
	case 0:
		process->cgroup = any_cgroup();
		break;
	case 1:
		process->cgroup = make_cgroup(process->cgroup);
		break;
	case 2:
		process->cgroup = make_cgroup(&ties.places[0].cgroup);
		break;
	default:
		break; /* its parent's */
	}
}

static void find_output(struct fake_process *process)
{
	switch (below(8)) {
	case 0:
		process->output = 0;
		break;
	case 1:
		process->output = make_stream();
		break;
	case 2:
		process->writes = output_of_another();
		break;
	default:
		break; /* its parent's */
	}
}

void ties_find_place(size_t being)
{
	struct fake_process *process = world_process(being);
	const struct fake_process *parent = fake_process(process->ppid);

	swap_chance();
	if (ties.cgroups)
		find_cgroup(process);
	if (ties.outputs) {
		process->output = parent->output;
		process->writes = parent->writes;
		find_output(process);
		process->closed = one_in(25);
	}
	swap_chance();
}

unsigned ties_add_kinds(unsigned others)
{
	unsigned kinds = (ties.asked ? SCOPE_BIT(SCOPE_CGROUP) : 0) |
			 (ties.followed ? SCOPE_BIT(SCOPE_IO) : 0);
	bool alone;

	swap_chance();
	alone = kinds && one_in(5);
	swap_chance();
	return alone ? kinds : kinds | others;
}

bool ties_have_outputs(void)
{
	return ties.outputs;
}

static uint64_t stream_bit(uint64_t stream)
{
	return stream ? UINT64_C(1) << (stream - FIRST_STREAM) : 0;
}

static uint64_t written_by(const struct fake_process *process)
{
	return stream_bit(process->output) | stream_bit(process->writes);
}

void ties_aim(unsigned target)
{
	const struct aim *aim = &world.aims[target];
	const struct fake_process *process = world_process(aim->who);

	if (!process)
		return;
	ties.aims[target].own = process->cgroup;
	if (aim->dead)
		return;
	ties.aims[target].may_outputs = stream_bit(process->output);
	if (!process->closed && ties.steady)
		ties.aims[target].output = stream_bit(process->output);
}

/* What happens. */

static bool is_target(size_t being)
{
	for (size_t t = 0; t < world.aim_count; t++)
		if (world.aims[t].who == being)
			return true;
	return false;
}

static bool can_act(size_t being)
{
	const struct fake_process *process = world_process(being);

	return being >= GUARDS && world_is_alive(being) && !process->kernel_thread &&
	       process->state != 'T' && !world.beings[being].thread &&
	       !world.beings[being].killed && !is_target(being);
}

static void migrate(size_t being)
{
	struct fake_process *process = world_process(being);

	world_note_ties();
	world.beings[being].moved = true;
	world.beings[being].came_at = world.calls;
	process->cgroup = one_in(4) ? make_cgroup(any_cgroup()) : any_cgroup();
	tell("%d goes to cgroup %s", process->pid, process->cgroup->path);
	world_note_ties();
}

static void change_output(size_t being)
{
	struct fake_process *process = world_process(being);

	/* Its files are read after its cgroup: both must have been so at one moment. */
	if (ties_look_goes_on() && world.beings[being].came_at >= world.last_look)
		return;

	world_note_ties();
	world.beings[being].moved = true;
	if (one_in(2))
		process->output = process->writes = 0;
	else
		process->writes = output_of_another();
	tell("%d writes to %" PRIu64 " and %" PRIu64, process->pid, process->output,
	     process->writes);
	world_note_ties();
}

/*
 * What has fallen is let go when a guard comes to it. What is in there and holds no guard may not
 * have been looked at by itself before, so that nothing is certain of that either.
 */
static void note_guard(const struct cgroup *cgroup)
{
	while (cgroup->parent && cgroup->parent->parent)
		cgroup = cgroup->parent;
	for (size_t i = 0; cgroup->parent && i < ties.place_count; i++)
		ties.places[i].joined |= is_in(&ties.places[i].cgroup, cgroup);
}

/* A guard comes to where others are. */
static void join_with_guard(size_t guard)
{
	struct fake_process *process = world_process(guard);

	world_note_ties();
	process->cgroup = any_cgroup();
	note_guard(process->cgroup);
	tell("%d, a guard, goes to cgroup %s", process->pid, process->cgroup->path);
}

/* Whoever came last, or anybody; where files are steady, one who has just been born. */
void ties_happen(void)
{
	size_t newest = world.being_count - 1, being;

	swap_chance();
	being = one_in(2) ? newest : below((unsigned)world.being_count);
	if (ties.cgroups && one_in(4) && can_act(being))
		migrate(being);
	/* Between the last look at who is in there and the strike nobody can be spared. */
	if (ties.cgroups && one_in(40) && !ties.sweeping)
		join_with_guard(one_in(2) ? SHELL : NSKILL);
	if (ties.steady)
		being = newest;
	if (ties.outputs && one_in(3) && can_act(being) &&
	    (!ties.steady || world.beings[being].made_at == world.calls))
		change_output(being);
	swap_chance();
}

static void note_sweep(void)
{
	static const enum fake_door doors[] = { DOOR_CGROUP_LIST, DOOR_SCAN_PROCESS };
	bool called[2];

	for (size_t i = 0; i < 2; i++) {
		called[i] = fake_calls(doors[i]) != ties.calls_of[i];
		ties.calls_of[i] = fake_calls(doors[i]);
	}
	ties.sweeping = called[0] || (ties.sweeping && called[1]);
}

bool ties_hold_still(void)
{
	note_sweep();
	if (ties.looking && *world.taken_in != ties.looks_before) {
		ties.looking = false;
		for (unsigned t = 0; t < world.aim_count; t++)
			ties.aims[t].looked |= world.acting & 1u << t;
	}
	return ties.steady && ties.looking;
}

bool ties_look_goes_on(void)
{
	return ties.followed && ties.looking;
}

/* Cgroups. */

static bool is_guarded(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < GUARDS; i++)
		if (world_is_guard(i) && is_in(world_process(i)->cgroup, cgroup))
			return true;
	return false;
}

/* Who lives in it or below, from *@place on; @hidden: one that cannot be seen counts, too. */
static size_t next_in(const struct cgroup *cgroup, size_t *place, bool hidden)
{
	while (*place < world.being_count) {
		size_t being = (*place)++;
		const struct present *now = world_present(being);

		if (now->alive && !world.beings[being].thread && !now->process->kernel_thread &&
		    is_in(now->process->cgroup, cgroup) && (hidden || !now->process->hidden))
			return being;
	}
	return world.being_count;
}

static bool has_elder(const struct cgroup *cgroup, size_t member, bool certain)
{
	size_t other, place = 0;

	while ((other = next_in(cgroup, &place, certain)) < world.being_count)
		if (other != member && (world_is_older(other, member) ||
					(certain && world_present(other)->process->hidden)))
			return true;
	return false;
}

/* Of one that is dead its tick alone may be known, and that not for certain. */
static bool has_elder_of_target(const struct cgroup *cgroup, const struct aim *aim, bool certain)
{
	uint64_t started = world.beings[aim->who].started;
	size_t other, place = 0;

	if (!aim->dead && world_present(aim->who)->alive && !aim->outlived)
		return has_elder(cgroup, aim->who, certain);
	if (!certain && aim->birth < started)
		started = aim->birth;
	if (certain && aim->latest_birth > started)
		started = aim->latest_birth;
	while ((other = next_in(cgroup, &place, certain)) < world.being_count)
		if (other != aim->who && (world.beings[other].started < started + certain ||
					  (certain && world_present(other)->process->hidden)))
			return true;
	return false;
}

/* Those who bear a dead target's number lead to what was its own. */
static bool stands_in(size_t being, const struct aim *aim)
{
	return (world.beings[being].group == aim->who || world.beings[being].session == aim->who) &&
	       world_present(being)->alive;
}

static bool is_own(const struct cgroup *cgroup, unsigned t, bool certain)
{
	const struct aim *aim = &world.aims[t];

	if (cgroup == ties.aims[t].own)
		return true;
	if (certain || (world_present(aim->who)->alive && !aim->outlived))
		return false;
	for (size_t i = GUARDS; i < world.being_count; i++)
		if (stands_in(i, aim) && world_present(i)->process->cgroup == cgroup)
			return true;
	return false;
}

/*
 * One that is the target's own, or below one; or any when an own one has fallen. Who led to one
 * that has, and said that it was its own, may have ended since: as far as may be, any that has will
 * do.
 */
static bool is_within_reach(const struct cgroup *cgroup, unsigned t, bool certain)
{
	for (size_t i = 0; i < ties.place_count; i++) {
		const struct place *place = &ties.places[i];
		bool own = is_own(&place->cgroup, t, certain);

		if ((own && is_in(cgroup, &place->cgroup)) ||
		    (certain ? own && place->must & 1u << t : place->may & 1u << t))
			return true;
	}
	return false;
}

/* Of a dead target, one that a stand-in is in does not fall with the init of a PID namespace. */
static bool may_be_a_container(const struct cgroup *cgroup, const struct aim *aim)
{
	size_t other, place = 0;

	while ((aim->dead || aim->outlived) &&
	       (other = next_in(cgroup, &place, true)) < world.being_count)
		if (world_present(other)->process->pidns_init)
			return true;
	return false;
}

static bool falls(struct place *place, unsigned t, bool certain)
{
	const struct cgroup *cgroup = &place->cgroup;
	const struct aim *aim = &world.aims[t];
	unsigned bit = 1u << t;
	bool own = is_own(cgroup, t, certain), occupied = own;

	if (!cgroup->parent || is_guarded(cgroup) || !is_within_reach(cgroup, t, certain))
		return false;
	if (own && !has_elder_of_target(cgroup, aim, certain))
		return true;
	for (size_t i = GUARDS; i < world.being_count; i++) {
		const struct present *now = world_present(i);
		bool belongs = world_bits(i, false) & bit || (!certain && own && stands_in(i, aim));

		if (!belongs || !now->alive || now->process->cgroup != cgroup)
			continue;
		occupied = true;
		if (certain && (now->process->hidden || !(world_bits(i, true) & bit)))
			continue;
		if (!has_elder(cgroup, i, certain))
			return true;
	}
	if (occupied)
		place->elders |= bit;
	return false;
}

bool ties_join(unsigned t, bool certain)
{
	unsigned bit = 1u << t;
	bool changed = false;

	for (size_t i = 0; ties.asked && i < ties.place_count; i++) {
		struct place *place = &ties.places[i];
		unsigned *fallen = certain ? &place->must : &place->may;

		if (*fallen & bit || !(world.rules.kinds & SCOPE_BIT(SCOPE_CGROUP)))
			continue;
		/* What was somebody else's at an earlier look stays so. */
		if ((certain && (place->elders & bit || place->joined)) || place->anothers & bit ||
		    !falls(place, t, certain) ||
		    (certain && may_be_a_container(&place->cgroup, &world.aims[t])))
			continue;
		*fallen |= bit;
		changed = true;
	}
	return changed;
}

bool ties_by_cgroup(size_t being, unsigned target, bool certain)
{
	const struct fake_process *process = world_present(being)->process;
	const struct cgroup *cgroup = process && ties.asked ? process->cgroup : NULL;

	for (; cgroup; cgroup = cgroup->parent)
		if ((certain ? place_of(cgroup)->joined ? 0 : place_of(cgroup)->must
			     : place_of(cgroup)->may) &
		    1u << target)
			return true;
	return false;
}

/* Whether nothing but somebody older keeps it from falling, where a member is seen in it. */
static bool is_seen_to_be_anothers(const struct cgroup *cgroup, unsigned t)
{
	for (const struct cgroup *above = cgroup; above; above = above->parent)
		if (place_of(above)->may & 1u << t)
			return false;
	if (!cgroup->parent || is_guarded(cgroup) || !is_within_reach(cgroup, t, true) ||
	    (is_own(cgroup, t, false) && !is_own(cgroup, t, true)))
		return false;
	for (size_t i = GUARDS; i < world.being_count; i++) {
		const struct present *now = world_present(i);

		if (now->alive && now->process->cgroup == cgroup && !now->process->hidden &&
		    world.beings[i].must & 1u << t)
			return true;
	}
	return false;
}

void ties_end_look(void)
{
	for (unsigned t = 0; ties.asked && t < world.aim_count; t++)
		for (size_t i = 0; world.acting & 1u << t && i < ties.place_count; i++)
			if (is_seen_to_be_anothers(&ties.places[i].cgroup, t))
				ties.places[i].anothers |= 1u << t;
}

/*
 * What fell is looked at anew; and what has been somebody else's stays so. What it had as output
 * was looked at before.
 */
void ties_outlive(unsigned target)
{
	ties.aims[target].looked = true;
	for (size_t i = 0; i < ties.place_count; i++)
		ties.places[i].must &= ~(1u << target);
}

/* Outputs. */

/* Of a dead one, those who stand in tell; that is asked when it is looked at first. */
void ties_note_outputs(unsigned t)
{
	const struct aim *aim = &world.aims[t];

	if (ties.aims[t].looked || (!aim->dead && world_present(aim->who)->alive))
		return;
	for (size_t i = GUARDS; i < world.being_count; i++)
		if (stands_in(i, aim))
			ties.aims[t].may_outputs |= stream_bit(world_present(i)->process->output);
}

/* In one tick the order of their pidfds tells, and it need not be known. */
static bool is_younger(size_t being, size_t target, bool certain)
{
	const struct being *who = &world.beings[being], *other = &world.beings[target];

	if (who->started != other->started)
		return who->started > other->started;
	return !certain && fake.pidfs && who->inode > other->inode;
}

static bool can_be_seen(const struct fake_process *process)
{
	return !process->hidden && !process->closed;
}

/*
 * A terminal is somebody else's that a guard or one who is not younger than the target has. Whoever
 * may be a member by now does not bar it; but may do so as far as is certain.
 */
static void bar_terminals(unsigned t)
{
	for (size_t i = 0; i < world.being_count; i++) {
		const struct present *now = world_present(i);
		bool guard = world_is_guard(i);

		if (!now->alive || (!guard && is_younger(i, world.aims[t].who, true)))
			continue;
		ties.aims[t].unsure |= i == world.aims[t].who ? 0 : written_by(now->process);
		if (can_be_seen(now->process) &&
		    (guard || (!(world_bits(i, false) & 1u << t) &&
			       !is_younger(i, world.aims[t].who, false))))
			ties.aims[t].barred |= written_by(now->process);
	}
}

void ties_begin_look(void)
{
	ties.terminals_open = true;
}

void ties_note_look(void)
{
	ties.terminals_open = false;
	ties.looking = true;
	ties.looks_before = *world.taken_in;
	for (unsigned t = 0; t < world.aim_count; t++) {
		if (!(world.acting & 1u << t))
			continue;
		if (fake.stream_kind == STREAM_TERMINAL)
			bar_terminals(t);
		/* Who has ended by the first look cannot be asked any more. */
		if (!ties.aims[t].looked && !world_present(world.aims[t].who)->alive)
			ties.aims[t].output = 0;
	}
}

/*
 * It is certain that one is tied only where files are steady: elsewhere he can have ended by the
 * time that his are looked at, and nobody knows of his children; only to a target that lives at the
 * first look, since what one that is dead had is told by others, if at all; and not in the tick of
 * its birth, where it takes descriptors to tell who is younger.
 */
bool ties_by_output(size_t being, unsigned t, bool certain)
{
	const struct present *now = world_present(being);
	const struct aim *aim = &world.aims[t];
	uint64_t outputs;

	if (!ties.followed || !(world.rules.kinds & SCOPE_BIT(SCOPE_IO)) || !now->alive ||
	    now->process->closed || !is_younger(being, aim->who, certain))
		return false;
	if (ties.terminals_open && fake.stream_kind == STREAM_TERMINAL)
		return false;
	outputs = certain ? ties.aims[t].output & ~ties.aims[t].unsure
			  : ties.aims[t].may_outputs & ~ties.aims[t].barred;
	return written_by(now->process) & outputs;
}

void ties_show(size_t being)
{
	const struct fake_process *process = world_process(being);

	if (process && ties.cgroups && process->cgroup && process->cgroup->parent)
		tell("    in cgroup %s, below %s", process->cgroup->path,
		     process->cgroup->parent->path);
	if (process && written_by(process))
		tell("    writes to %" PRIu64 " and %" PRIu64 "%s", process->output,
		     process->writes, process->closed ? ", closed" : "");
}
