/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line on a terminal that tells whoever waits there how far the kill is. It is written anew in
 * its place, and gone before anything else is said. It never waits for the terminal.
 */
#ifndef NSKILL_CLI_PROGRESS_H
#define NSKILL_CLI_PROGRESS_H

#include "core/kill.h"
#include "linux/output.h"

/** Zero it to begin. */
struct progress {
	uint64_t next; /* when to write it (a time of clock_now()); 0: nobody has waited yet */
};

/** To be called while somebody is waited for: show the line on @err, now and then. */
void progress_show(struct progress *progress, struct output *err, const struct kill *kill);

/** The wait is over: erase it, and begin anew with the next. */
void progress_end(struct progress *progress, struct output *err);

#endif
