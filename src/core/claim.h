/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim is what one target is responsible for, as far as it has been seen: its members, and the
 * scopes that fell to it. It only grows, so that a member whose parent has died since stays one,
 * and a scope stays followed when its founder is gone. Pure: how it grows from a look at the whole
 * system is core/match.
 */
#ifndef NSKILL_CORE_CLAIM_H
#define NSKILL_CORE_CLAIM_H

#include "core/guards.h"
#include "core/stream.h"

struct rules {
	unsigned kinds; /* SCOPE_BIT()s of what to follow */
	bool all;	/* the target's own scopes even where the rule would not */
};

struct member {
	struct process process;
	struct scope why; /* what ties it; id 0: it is the target */
	bool dead;	  /* seen dead: its PID may be another's from now on */
	bool recycled;	  /* its PID has or may have gone to another: it leads nothing any more */
	bool lost;	  /* its PID may be another's: its group and session are in doubt */
	bool listed;	  /* the killer has it on its list */
	unsigned round;	  /* in which it was found */
};

/** Why a scope that holds a member is not followed. */
enum spared_reason {
	SPARED_UNASKED,	    /* --match leaves its kind out */
	SPARED_UNKNOWN,	    /* its id could not be read */
	SPARED_GUARD,	    /* it holds nskill, an ancestor of it or PID 1: who */
	SPARED_INITIAL,	    /* it is the host's namespace, or the root cgroup */
	SPARED_FOREIGN,	    /* the caller may not take it */
	SPARED_LEADER,	    /* its leader lives and is no member: who */
	SPARED_LEADER_GONE, /* its leader is gone and was no member */
	SPARED_PIDNS_INIT,  /* it holds the init of a PID namespace: who */
	SPARED_OUTER,	    /* the target's own of that kind is not followed either */
	SPARED_OLDER,	    /* somebody in it is older than every member: who; pid 0: was */
};

struct spared {
	struct scope scope;
	enum spared_reason reason;
	bool own;	    /* it is the target's own scope */
	bool notable;	    /* a container is left alive, or a guard alone keeps it from falling */
	struct process who; /* pid 0: nobody in particular */
};

struct claim {
	struct process target; /* of a dead one: PID, birth, and pgrp and session where known */
	bool target_dead;      /* it was dead when it was resolved */
	bool outlived;	       /* it was alive then, and has ended since: claim_outlive() */
	bool recorded;	       /* @own tells the namespaces of a dead one, and nobody stands in */
	struct scope *own;     /* namespaces and cgroups that were recorded as its own */
	size_t own_count;
	unsigned own_fell;	 /* of these kinds (SCOPE_BIT()s) the target's own fell to it */
	struct member **members; /* in the order in which they were found */
	size_t member_count;
	struct scope *followed; /* namespaces and cgroups that fell, and what --all took */
	size_t followed_count;
	struct namespace *fallen; /* of these the namespaces with an id that stays theirs */
	size_t fallen_count;
	struct scope *elders; /* those with somebody older in them: these never fall */
	size_t elder_count;
	struct spared *spared; /* as of the last claim_grow() */
	size_t spared_count;
	uint64_t born_by; /* the target was born by then: who started later is younger */
	uint64_t born_as; /* and its pidfd had that inode; 0: unknown */
	const struct streams *streams; /* borrowed; NULL: none are known */
	uint64_t outputs;      /* STREAM_BIT()s of @streams: its standard output and error */
	uint64_t barred;       /* of these, terminals that are somebody else's */
	bool untold;	       /* some of these could not be looked at, or were too many */
	bool answered;	       /* somebody stood in for a dead one, whatever he had as output */
	unsigned round;	       /* how often the last number handed out has been asked for */
	pid_t lost[SCOPE_MNT]; /* group and session that --all took, and that are in doubt */

	const struct rules *rules;   /* borrowed, as of the last claim_grow() */
	const struct guards *guards; /* likewise */
	void *by_pid;		     /* tsearch(3) tree of the members, the newest of each PID */
};

/**
 * A claim that has the target alone. @dead: it is a zombie or gone, and @target->start_ticks is its
 * birth as far as it is known. 0 or -ENOMEM; release with claim_clear() in either case.
 */
int claim_init(struct claim *claim, const struct process *target, bool dead);

/** Add the namespace or cgroup @scope to those known to be the target's. 0 or -ENOMEM. */
int claim_own(struct claim *claim, struct scope scope);

/** Whether @scope was given to claim_own(). */
bool claim_owns(const struct claim *claim, struct scope scope);

void claim_clear(struct claim *claim);

/* The rest is for a claim that has grown once (claim_grow() of core/match). */

/** Whether @process may be a member at all: it is neither guarded nor a kernel thread. */
bool claim_may_hold(const struct claim *claim, const struct process *process);

/**
 * Whether the process that @process is a reading of belongs to the target by what has been seen so
 * far; @why says how. Scopes that are unknown (0) do not count.
 */
bool claim_holds(const struct claim *claim, const struct process *process, struct scope *why);

/**
 * Whether @process, read after it was pinned, is @member, which was last seen in a look that began
 * at @seen_ticks. One that started before that tick is known by its start alone: nobody can come
 * later and have started earlier. In the same tick a PID can have changed hands, so it must be tied
 * too; and so must always be who is a member because of the output that it writes to.
 */
bool claim_confirms(const struct claim *claim, const struct member *member,
		    const struct process *process, uint64_t seen_ticks);

/**
 * Add @process, for which claim_holds() said @why. 0 or -ENOMEM; adding a member again is nothing.
 */
int claim_add(struct claim *claim, const struct process *process, struct scope why);

/** The newest member with that PID, or NULL. */
struct member *claim_member(const struct claim *claim, pid_t pid);

/** The member that @process is, or NULL. */
struct member *claim_find(const struct claim *claim, const struct process *process);

/** Note that @process bears the number of a member, and is not it. */
void claim_recycle(struct claim *claim, const struct process *process);

/** Group and session @number are another's now, and ours were left empty. */
void claim_succeed(struct claim *claim, pid_t number);

/** The group and the session that bear @number may be another's by now. */
void claim_lose(struct claim *claim, pid_t number);

/** Whether @process would belong by a group or session, @why, if that had not been lost. */
bool claim_doubts(const struct claim *claim, const struct process *process, struct scope *why);

/** Replace the reading of @member by @process, a newer one of the same process. */
void claim_update(struct member *member, const struct process *process);

/**
 * Whether everything in @scope is a member: it, or one above it, is followed, or led by a member;
 * and not guarded.
 */
bool claim_takes(const struct claim *claim, struct scope scope);

/**
 * Whether @process is known to be younger than the target. In the same tick the inodes of their
 * pidfds tell; without these, nobody is.
 */
bool claim_is_younger(const struct claim *claim, const struct process *process);

/** Whether writing to the target's output ties @process to it; @why says to what. */
bool claim_is_written_by(const struct claim *claim, const struct process *process,
			 struct scope *why);

/** Whether any scope that @process is in is taken: if not, descent alone ties it. */
bool claim_follows(const struct claim *claim, const struct process *process);

/** Follow @scope from now on, whoever leads it. 0 or -ENOMEM. */
int claim_follow(struct claim *claim, struct scope scope);

/** Whether @scope was given to claim_follow(). */
bool claim_is_following(const struct claim *claim, struct scope scope);

/** Stop following @scope. */
void claim_drop(struct claim *claim, struct scope scope);

#endif
