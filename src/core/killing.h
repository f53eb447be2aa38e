/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a kill, which core/kill and its parts work on. */
#ifndef NSKILL_CORE_KILLING_H
#define NSKILL_CORE_KILLING_H

#include "core/claim.h"
#include "core/numbers.h"
#include "core/plan.h"
#include "core/target.h"
#include "linux/scan.h"
#include "linux/watch.h"

/* How many groups are held at most: each needs a descriptor. */
#define HELD_GROUPS 256

/** A group that is held, of those that a claim knows. */
struct held_group {
	const struct claim *claim;
	const struct member *leader; /* NULL: --all took it, and it is another's */
	pid_t number;
	int fd;
};

enum fate {
	FATE_LISTED, /* found; nothing done yet */
	FATE_PINNED, /* held by a pidfd and verified */
	FATE_SIGNALLED,
	FATE_ENDED,    /* nothing of it runs any more */
	FATE_VANISHED, /* gone, or not the same any more, before it could be pinned */
	FATE_DENIED,   /* may not be signalled: victim->error */
	FATE_LEFT,     /* the file that named the target may not name it */
	FATE_DOUBTFUL, /* what tied it has ended, and it may be another by now */
	FATE_UNLISTED, /* it belongs, but was not on the list that was agreed to */
};

/** What keeps a survivor from ending, as far as it could be found out. */
struct hindrance {
	char wait_channel[64];
	bool frozen;	       /* it is in a frozen cgroup */
	struct process tracer; /* pid 0: none that can be seen from here */
};

struct victim {
	struct process process; /* as last read */
	struct scope why;	/* what ties it; id 0: it is a target */
	size_t target;		/* which target it was first found for */
	size_t rank;		/* its place in the plan, if there is one */
	struct pidref ref;
	enum fate fate;
	int sent;      /* the last signal that it got, 0: none */
	int error;     /* why it could not be, or cannot be signalled: an errno */
	bool stopped;  /* has been sent SIGSTOP */
	bool still;    /* and every thread of it has been seen to stand still */
	bool settled;  /* and its children have been read since */
	bool adopts;   /* orphans have come to it after that: it is a subreaper */
	bool init;     /* of a PID namespace that is followed: with it, all in there end */
	bool newcomer; /* found after the plan: while --kill-after is to come it is only noted */
	struct hindrance *hindrance; /* owned; NULL: unknown, see kill_hindrance() */
};

/** The list that somebody was asked about, and who came while he thought. */
struct shown {
	struct process *list; /* as they were then */
	size_t count;
	uint64_t ticks;	 /* when the look began that they were found in */
	uint64_t forks;	 /* boot_forks() before that; UINT64_MAX: unknown */
	uint64_t in_use; /* boot_numbers_in_use() before that */
	bool asked;	 /* there is such a list, and nobody else may be signalled, but */
	bool resumed;	 /* who is born from now on belongs by the rule alone */
};

enum kill_event {
	EVENT_SIGNALLED, /* victim, signal */
	EVENT_GROUP,	 /* the group that victim leads was struck as a whole: signal */
	EVENT_CGROUP,	 /* the cgroup that victim is in was struck as a whole: scope, signal */
	EVENT_STOPPED,	 /* victim */
	EVENT_NEWCOMER,	 /* victim was born since the look before */
	EVENT_ENDED,	 /* victim */
	EVENT_VANISHED,	 /* victim */
	EVENT_DENIED,	 /* victim; its error */
	EVENT_LEFT,	 /* victim; the file that named the target may not name it */
	EVENT_DOUBTFUL,	 /* victim; it may be another by now */
	EVENT_UNLISTED,	 /* victim; it belongs, and was not on the list that was agreed to */
	EVENT_GONE,	 /* victim, of the plan */
	EVENT_RECYCLED,	 /* victim, of the plan: its PID is another process's now */
	EVENT_ESCALATED, /* --kill-after is over */
};

struct kill_notice {
	enum kill_event event;
	const struct victim *victim;
	int signal;
	struct scope scope; /* of EVENT_CGROUP */
	bool plan;	    /* a plan is carried out, and the victim was or was not in it */
};

struct kill;

struct kill_orders {
	struct scan *scan;
	struct target *targets; /* borrowed; the kill takes over pins and groups of theirs */
	size_t target_count;
	pid_t self; /* nskill's own PID */
	struct rules rules;
	struct plan *plan; /* borrowed; NULL: what is found now. Only who is in it is signalled */
	bool ask;	   /* what is found is shown to somebody before it is carried out */
	bool outputs;	   /* find out what the targets write to, even if that is not followed */
	int signal;
	uint64_t kill_after; /* ns from now; 0: never */
	uint64_t deadline;   /* a time of clock_now(), CLOCK_NEVER for none */
	void (*notify)(void *data, const struct kill_notice *notice); /* may be NULL */
	void (*waiting)(void *data, const struct kill *kill); /* before each wait; may be NULL */
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
	struct held_group groups[HELD_GROUPS];
	size_t group_count, next_group; /* that gives way to another when there are too many */
	struct shown shown;
	struct watch watch;
	int signal;		 /* the one to send now */
	uint64_t escalation;	 /* when KILL follows: a time of clock_now(), or CLOCK_NEVER */
	uint64_t ticks;		 /* when the last look at everything began */
	pid_t last_pid;		 /* PIDs up to this one have been seen */
	uint64_t last_pid_ticks; /* when that was the last one */
	size_t buried;		 /* who has ended or vanished so far */
	unsigned births;	 /* rounds that found new members */
	bool outlived;		 /* the targets have ended by themselves since the last look */
	struct numbers since;	 /* and these have been handed out meanwhile */
	bool gathering;		 /* newcomers are only listed: their turn comes at once */
	bool restless;		 /* descent alone ties some, or some were born: all are stopped */
	bool unsettled;		 /* children kept coming until time was up: some may be left */
	bool group_signal_missing;
	size_t unreadable; /* processes of which a namespace could not be read, at the last look */
	struct streams streams; /* what the targets have as output, where that was asked for */
	size_t unread_files;	/* processes whose files could not be, at the last look */
	size_t unread;		/* newcomers that vanished before they could be read */
	size_t looks;
	bool planned;	/* one look has been taken */
	bool cut_short; /* time was up before the last chase had found that nobody comes */
	bool timed_out;
	int interrupt; /* the signal that ended the wait, or 0 */
};

/** Whether that victim is alive still, as far as is known. */
bool kill_alive(const struct victim *victim);

/** Who on the list is alive still, and @process; or NULL. */
struct victim *kill_find(const struct kill *kill, const struct process *process);

/** What keeps @victim from ending; nothing, where nobody has looked. */
const struct hindrance *kill_hindrance(const struct victim *victim);

/** How many are listed, to be signalled. */
size_t kill_listed(const struct kill *kill);

/**
 * Whether there may be members who must live, since nobody has agreed to them: nothing is struck as
 * a whole, or at sight.
 */
bool kill_must_spare(const struct kill *kill);

/** How many of these may be signalled, as far as kill_foresee() has found out. */
size_t kill_signallable(const struct kill *kill);

/** Tell whoever listens. */
void kill_notify(const struct kill *kill, enum kill_event event, const struct victim *victim,
		 int signal);

#endif
