/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds the output of a target open, and why he has not been ended: what keeps whoever waits
 * for the end of that output waiting. Pure: a snapshot goes in, a list comes out.
 */
#ifndef NSKILL_CORE_HOLDERS_H
#define NSKILL_CORE_HOLDERS_H

#include "core/killing.h"

enum holder_reason {
	HOLDER_GUARD,	 /* nskill, an ancestor of it or PID 1 */
	HOLDER_MEMBER,	 /* it belongs to the target, and nothing has been done yet */
	HOLDER_ALIVE,	 /* it does, and has not ended */
	HOLDER_DENIED,	 /* it does, and could not be signalled: error */
	HOLDER_LEFT,	 /* it does, but not to the owner of the file that named the target */
	HOLDER_DOUBTFUL, /* it did, and may be another by now */
	HOLDER_UNLISTED, /* it does, but was not on the list that was agreed to */
	HOLDER_OLDER,	 /* it is older than the target */
	HOLDER_UNTOLD,	 /* or may be: in the same tick, or the target's birth is not known */
	HOLDER_UNASKED,	 /* --match leaves io out */
	HOLDER_TERMINAL, /* the terminal is somebody else's */
	HOLDER_NEW,	 /* it has come since */
};

struct holder {
	struct process process;
	size_t target; /* whose output it is */
	enum holder_reason reason;
	int error;
	bool shared; /* that output is a terminal that nskill or an ancestor of it talks to, too */
};

struct holders {
	struct holder *list; /* by target, then by age */
	size_t count;
};

/**
 * Who in @snapshot, whose members tell what they write to, holds an output of the targets of @kill
 * that is open for writing. 0 and @holders, which holders_clear() releases, or -ENOMEM.
 */
int holders_find(struct holders *holders, const struct kill *kill, const struct snapshot *snapshot);

void holders_clear(struct holders *holders);

#endif
