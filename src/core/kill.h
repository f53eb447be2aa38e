/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends what belongs to the targets, against a deadline, and knows at the end what is left.
 *
 *  plan    look at everything, grow the claims, list the victims in order
 *  pin     a pidfd for each, read again, compare
 *  settle  stop what only descent ties, so that no fork slips out
 *  signal  groups as a whole first, then each in order
 *  await   chase newcomers; wait on the pidfds; after --kill-after, KILL
 *  prove   look at everything once more; if there is a member, again from pin
 */
#ifndef NSKILL_CORE_KILL_H
#define NSKILL_CORE_KILL_H

#include "core/claim.h"
#include "core/target.h"
#include "linux/scan.h"
#include "linux/watch.h"

enum fate {
	FATE_LISTED, /* found; nothing done yet */
	FATE_PINNED, /* held by a pidfd and verified */
	FATE_SIGNALLED,
	FATE_ENDED,    /* nothing of it runs any more */
	FATE_VANISHED, /* gone, or not the same any more, before it could be pinned */
	FATE_DENIED,   /* may not be signalled: victim->error */
	FATE_LEFT,     /* the file that named the target may not name it */
};

struct victim {
	struct process process; /* as last read */
	struct scope why;	/* what ties it; id 0: it is a target */
	size_t target;		/* which target it was first found for */
	struct pidref ref;
	enum fate fate;
	int sent;  /* the last signal that it got, 0: none */
	int error; /* why it could not be signalled: an errno */
	bool stopped;
	char wait_channel[64]; /* of a survivor */
};

enum kill_event {
	EVENT_SIGNALLED, /* victim, signal */
	EVENT_GROUP,	 /* the group that victim leads was struck as a whole: signal */
	EVENT_STOPPED,	 /* victim */
	EVENT_NEWCOMER,	 /* victim was born since the look before */
	EVENT_ENDED,	 /* victim */
	EVENT_VANISHED,	 /* victim */
	EVENT_DENIED,	 /* victim; its error */
	EVENT_LEFT,	 /* victim; the file that named the target may not name it */
	EVENT_ESCALATED, /* --kill-after is over */
};

struct kill_notice {
	enum kill_event event;
	const struct victim *victim;
	int signal;
};

struct kill_orders {
	struct scan *scan;
	struct target *targets; /* borrowed; the kill takes over the pins of live ones */
	size_t target_count;
	pid_t self; /* nskill's own PID */
	struct rules rules;
	int signal;
	uint64_t kill_after; /* ns from now; 0: never */
	uint64_t deadline;   /* a time of clock_now(), CLOCK_NEVER for none */
	void (*notify)(void *data, const struct kill_notice *notice); /* may be NULL */
	void *data;
};

struct kill {
	struct kill_orders orders;
	struct claim *claims; /* one for each target; of one that is over, empty */
	struct guards guards;
	struct victim **victims; /* in the order in which they are signalled */
	size_t victim_count;
	struct held_namespace *held;
	size_t held_count;
	struct watch watch;
	int signal;	     /* the one to send now */
	uint64_t escalation; /* when KILL follows: a time of clock_now(), or CLOCK_NEVER */
	uint64_t ticks;	     /* when the last look at everything began */
	pid_t last_pid;	     /* PIDs up to this one have been seen */
	unsigned births;     /* rounds that found new members */
	bool group_signal_missing;
	size_t unreadable; /* processes whose mount namespace may not be read, at the last look */
	size_t unread;	   /* newcomers that vanished before they could be read */
	size_t looks;
	bool timed_out;
	int interrupt; /* the signal that ended the wait, or 0 */
};

/**
 * Look, and list who would be signalled, in order. Signals nothing. 0, or a negative errno and
 * @error; in both cases release @kill with kill_clear().
 */
int kill_plan(struct kill *kill, const struct kill_orders *orders, struct error *error);

/**
 * Carry out what was planned until nothing of it is alive, the deadline has come, or somebody
 * interrupts; then kill->victims tell what became of each, and kill_alive() who is left. 0, or a
 * negative errno and @error when the system failed in between.
 */
int kill_carry_out(struct kill *kill, struct error *error);

/** Whether that victim is alive still, as far as is known. */
bool kill_alive(const struct victim *victim);

void kill_clear(struct kill *kill);

#endif
