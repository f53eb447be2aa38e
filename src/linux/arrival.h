/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to a file that is yet to come, and so may be the directories that it is to be in: what
 * is on the way to it is watched, as far as there is anything.
 */
#ifndef NSKILL_LINUX_ARRIVAL_H
#define NSKILL_LINUX_ARRIVAL_H

#include "core/error.h"

#include <stdint.h>

struct arrival;

/** What arrival_wait() can say. */
enum arrival_change {
	ARRIVAL_NONE,	/* time is up */
	ARRIVAL_CHANGE, /* the file, or what is on the way to it, is not as it was */
	ARRIVAL_GONE,	/* so too; and what was missing has been there, and has gone again */
};

/**
 * Watch what is on the way to @path now. From then on no change of it goes unnoticed: look at the
 * file after this, and when arrival_wait() has told of a change, call this again before looking
 * again. *@arrival is NULL the first time; release it with arrival_close(), whatever is returned.
 *
 * What is not there, no directory, or not to be searched is no error: looking tells. A directory
 * that can be searched but not read cannot be watched: that is one only where the next thing on the
 * way is missing from it, and else what is further up and down the way has to tell. Returns 0, or a
 * negative errno and @error.
 */
int arrival_watch(struct arrival **arrival, const char *path, struct error *error);

/** Wait for a change until clock_now() is @until. An arrival_change, or a negative errno. */
int arrival_wait(struct arrival *arrival, uint64_t until);

/** For core/cleanup. */
void arrival_close(struct arrival **arrival);

#endif
