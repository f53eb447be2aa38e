/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine made at random on the fake system, what happens on it while nskill runs, and the truth
 * of who belongs to whom. Here it is known who made which process, group, session and mount
 * namespace, which nskill can only infer; and nothing of core/match is asked.
 *
 * Between who must be ended and who must be let be there are those whose ties were gone before
 * anybody could have seen them: the contract leaves either open.
 */
#ifndef NSKILL_TESTS_PROPERTY_WORLD_H
#define NSKILL_TESTS_PROPERTY_WORLD_H

#include "../fake/system.h"

#include "core/claim.h"

#define TARGETS_MAX 3
#define BEINGS_MAX  512
#define SPACES_MAX  128
#define WORLD_USER  1000u /* whose some processes are, and some files that name a target */

/** A process that lives or has lived. Processes and mount namespaces are meant by their place. */
struct being {
	pid_t pid;
	uint64_t inode;
	size_t parent;	       /* who made it */
	size_t group, session; /* who made these */
	uint64_t started;
	unsigned may;	   /* for which targets it may be signalled, a bit each */
	unsigned must;	   /* for which it was seen to belong to them */
	unsigned heard;	   /* for which it was signalled: nskill has known it */
	unsigned owed;	   /* for which its parent stood still before it could lose it */
	bool thread;	   /* not a process, but a number that is taken */
	bool moved;	   /* has left a scope since the first look */
	bool bred;	   /* was made by somebody known to belong, while nskill ran */
	bool stopped;	   /* got STOP */
	bool killed;	   /* got KILL */
	unsigned came_at;  /* the call after which it last went where others are */
	unsigned made_at;  /* after so many calls of nskill's */
	bool blurred;	   /* started in the tick of a look */
	bool takes_number; /* bears a number that another had */
	size_t passed;	   /* who is born from here on, was so after its number had been passed */
};

/** A mount namespace. */
struct space {
	uint64_t unique;
	unsigned may, must;	       /* for which targets it fell at some look; and for certain */
	unsigned elders;	       /* for which somebody in it was older at some look */
	unsigned fell_at[TARGETS_MAX]; /* the look, for certain */
	unsigned held; /* for which it was so from the beginning, so that its id stays */
};

/** Who is meant by a target, and how. */
struct aim {
	size_t who;
	bool dead;	       /* a zombie or gone when it was resolved */
	bool gone;	       /* nobody bore its number, or another does */
	bool recorded;	       /* by a record */
	bool owned;	       /* by a file that speaks for its owner's processes alone */
	size_t group, session; /* its own then, which --all takes */
	bool outlived;	       /* has ended since it was resolved, and that was waited for */
	bool looked;	       /* and there has been a look since */
	uint64_t space;	       /* its own mount namespace by its unique id, 0: not known */
	uint64_t birth;	       /* the earliest that it can be taken for, in ticks */
	uint64_t latest_birth; /* and the latest: not every stand-in can be seen */
};

extern struct world {
	uint64_t random;
	struct being beings[BEINGS_MAX];
	size_t being_count;
	struct space spaces[SPACES_MAX];
	size_t space_count;
	struct aim aims[TARGETS_MAX];
	size_t aim_count;
	struct rules rules;
	int signal;
	bool adrift;  /* time passed in one call, so that waiting may have been cut short */
	bool patient; /* nobody interrupts, and everything comes to an end */
	bool scarce;  /* only a few pidfds may be open */
	bool waits;   /* for the targets to end by themselves */
	unsigned events, pace; /* how many are to come; one in so many calls */
	unsigned calls;	       /* of nskill's, so far */
	unsigned looks;
	unsigned last_look;	 /* the call that last read everything */
	unsigned last_read;	 /* the call that last read who came since */
	const pid_t *read_up_to; /* the last number that nskill has dealt with; 0: none yet */
	const size_t *taken_in;	 /* how many looks the kill has made something of */
	pid_t first_pid;	 /* the last one before that */
	unsigned acting;	 /* for which targets nskill looks around now, a bit each */
	uint64_t look_ticks[TARGETS_MAX];
	uint64_t deadline;
	uint64_t late;	  /* ns that passed in single calls, after that */
	size_t strangers; /* signals that hit somebody who must be let be */
	size_t signals;
	char first_stranger[160];
	char log[64 * 1024];
} world;

/** Numbers at random, the same for the same world.random: below @n, which is not 0; one in @n. */
unsigned below(unsigned n);
bool one_in(unsigned n);

/** A line for the log of what happened. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Make the machine anew, from the seed. */
void world_make(uint64_t seed);

/** Somebody who can be a target, dead or alive. */
size_t world_pick_target(void);

/** A line for the log on that being. */
void world_show(size_t being);

/** Let things happen from now on. */
void world_run(void);
/** And no more. */
void world_rest(void);

/** That target has ended: what could only be known of who had died before is lost. */
void world_outlive(unsigned target);

/** The living process of that being (or its zombie), or NULL. */
struct fake_process *world_process(size_t being);
bool world_is_alive(size_t being);

/** Whether that being belongs to a target of @targets (a bit each), and nskill can know that. */
bool world_owes(size_t being, unsigned targets);

/** The unique id of the mount namespace that a being is in. */
uint64_t world_space_of(size_t being);

#endif
