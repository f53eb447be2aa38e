/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ties that must be asked for, on machines made at random: who is in which cgroup, and who
 * writes to whose output; and the truth of what these make of whom.
 *
 * They have a chance of their own, so that a seed makes the same machine of all else, whatever is
 * thought of here.
 */
#ifndef NSKILL_TESTS_PROPERTY_TIES_H
#define NSKILL_TESTS_PROPERTY_TIES_H

#include "world.h"

/** Which of them the machine has; whoever is there from the start, before anybody else is. */
void ties_make(uint64_t seed);
/** One who has just been put on the machine. */
void ties_find_place(size_t being);
/** The kinds that are asked for (SCOPE_BIT()s): with @others, or alone; and whether outputs are. */
unsigned ties_add_kinds(unsigned others);
bool ties_have_outputs(void);
/** That target has been resolved. */
void ties_aim(unsigned target);

/** Something more has happened. */
void ties_happen(void);
/** Whether nothing happens now: a look at files is of the same moment as that at processes. */
bool ties_hold_still(void);
/** Whether one who writes to an output from now on can still be taken in by the look before. */
bool ties_look_goes_on(void);
/** What only those could know who have looked, before that target ended, is lost. */
void ties_outlive(unsigned target);

/*
 * A look at everything begins; it has followed all ties but those of terminals, which older members
 * do not bar; it has followed them all. And a part of that: the cgroups that fall (true: one has).
 */
void ties_begin_look(void);
void ties_note_look(void);
void ties_end_look(void);
bool ties_join(unsigned target, bool certain);

/** What that target may have as output is about to be asked for. */
void ties_note_outputs(unsigned target);
/** Whether a cgroup, or an output, ties that being to a target. */
bool ties_by_cgroup(size_t being, unsigned target, bool certain);
bool ties_by_output(size_t being, unsigned target, bool certain);

/** A line for the log on that being. */
void ties_show(size_t being);

/* What the world tells of itself. */

/** One who lives (or is a zombie), as of the question that is asked. */
struct present {
	const struct fake_process *process;
	size_t parent;
	struct space *space;
	bool alive;
};
const struct present *world_present(size_t being);

/** For which targets it may be signalled, or for certain belongs. */
unsigned world_bits(size_t being, bool certain);
bool world_is_older(size_t a, size_t b);
bool world_is_guard(size_t being);
/** Take in who may be signalled by the ties that there are now. */
void world_note_ties(void);

#endif
