/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that exists in memory, behind the doors' headers. The linker puts it in the place of
 * liblinux.a, so that a test decides what happens between any two looks, and time stands still but
 * for waiting and what a test lets a call cost.
 *
 * It keeps a log of the signals that were sent, and complains of what must never happen: see
 * fake_check(). On it there are, from the start: PID 1, kthreadd (2), a login shell and, as a child
 * of that, nskill itself.
 */
#ifndef NSKILL_FAKE_SYSTEM_H
#define NSKILL_FAKE_SYSTEM_H

#include "core/process.h"
#include "core/stream.h"
#include "linux/arrival.h"
#include "linux/scan.h"

#define FAKE_SHELL   40		 /* leads its own group and session */
#define FAKE_NSKILL  50		 /* leads its own group, in the shell's session */
#define FAKE_HOST    0xf0000000u /* the host's mount namespace, which all these are in */
#define FAKE_MS	     UINT64_C(1000000)
#define FAKE_TICK    (10 * FAKE_MS)
#define FAKE_PIDFILE "/run/fake.pid"

#define FAKE_BOOT "01234567-89ab-cdef-0123-456789abcdef"

/** One process, by what /proc says of it and by how it behaves. What is left 0 has a default. */
struct fake_process {
	pid_t pid;     /* the next free one */
	pid_t tgid;    /* that of a process; of a thread, the process that it belongs to */
	pid_t ppid;    /* 1 */
	pid_t pgrp;    /* its parent's */
	pid_t session; /* its parent's */
	const struct cgroup *cgroup; /* its parent's; NULL: outside of all that can be seen */
	uint64_t mntns;	      /* its parent's; an id that was not known before is a container's */
	uint64_t started;     /* ticks: before the test, later than whoever was added earlier */
	uint64_t inode;	      /* the next one */
	int threads;	      /* 1; with state Z: how many live on behind the dead leader, plus 1 */
	char state;	      /* S; Z without more threads: a zombie */
	uid_t user;	      /* the real one: root */
	uid_t saved_user;     /* the saved one: the real one */
	uid_t namespace_user; /* who made the user namespace that it lives in; root: nobody */
	bool kernel_thread;
	bool pidns_init;
	bool hidden;	   /* not to be seen in /proc (hidepid) */
	bool unreadable;   /* the link of its mount namespace may not be read */
	uint64_t terminal; /* number of the stream that is its controlling terminal; 0: none */
	uint64_t output;   /* number of the stream that is its standard output; 0: none */
	uint64_t writes;   /* of another that it writes to; children get both */
	bool closed;	   /* its files may not be looked at */
	bool subreaper;	   /* takes in the orphans below it */
	bool reaps;	   /* fetches its dead children at once; PID 1 does, too */
	bool bystander;	   /* must never be signalled; its children neither */
	bool ignores;	   /* all signals that can be ignored */
	bool unkillable;   /* KILL has no effect */
	bool unstoppable;  /* STOP has no effect */
	pid_t tracer;	   /* who traces it */
	uint64_t dying;	   /* ns from the deadly signal to its end */
	uint64_t stopping; /* ns from SIGSTOP to its standing still */
	int denied;	   /* an errno for whoever signals it */
	int unpinnable;	   /* an errno for whoever pins it */
	int unpeekable;	   /* an errno for the quickest look at it */
	void (*handler)(
		void); /* called for a signal that can be caught, which then does not kill */
};

/** Make the machine anew. Everything below is of the machine as it is now. */
void fake_reset(void);

/** Add a process that is there before the test begins; see fake_process. Its PID. */
#define PROCESS(...) fake_add(&(struct fake_process){ __VA_ARGS__ })
pid_t fake_add(const struct fake_process *process);

/* What processes do. Each is the living (or unreaped) one that bears that PID now. */

/** A child, born now, in all of its parent's scopes. Its PID, which no number in use is. */
pid_t fake_fork(pid_t parent);
/** It ends, and is a zombie until it is reaped; its children go to a subreaper or PID 1. */
void fake_exit(pid_t pid);
void fake_reap(pid_t pid);
/** It ends and is reaped. */
void fake_end(pid_t pid);
void fake_setsid(pid_t pid);
/** It makes a mount namespace and moves there. The kernel hands out the lowest free id. */
uint64_t fake_unshare(pid_t pid);
void fake_join(pid_t pid, uint64_t mntns);

/** The process with that PID, to read or to change how it behaves. NULL: there is none. */
struct fake_process *fake_process(pid_t pid);
bool fake_is_alive(pid_t pid);
/** Of a mount namespace, what may be done with it; to be changed at will. */
struct namespace *fake_namespace(uint64_t id);
/**
 * The id that is never handed out again of the mount namespace that has the inode @id now. It
 * changes when somebody enters one that nobody is in or holds any more: that is a new one.
 */
uint64_t fake_unique_id(uint64_t id);

/** The calls that nskill makes, to say when something happens. */
enum fake_door {
	DOOR_ANY,
	DOOR_SCAN_BEGUN, /* the last PID is read, nobody is listed yet */
	DOOR_SCAN_ALL,
	DOOR_SCAN_PROCESS,
	DOOR_SCAN_PEEK,
	DOOR_LAST_PID,
	DOOR_CHILDREN,
	DOOR_STOPPED,
	DOOR_PIN,
	DOOR_PROBE, /* signal 0 */
	DOOR_SIGNAL,
	DOOR_SIGNAL_GROUP,
	DOOR_PIN_NAMESPACE,
	DOOR_FILES,
	DOOR_CGROUP_OPEN,
	DOOR_CGROUP_LIST,
	DOOR_CGROUP_KILL,
	DOOR_HOLD_GROUP,
	DOOR_GROUP, /* whether it is empty */
	DOOR_KEEPS_NUMBER,
	DOOR_WAIT,
	DOORS,
};

/** Call @act when the @nth call from now on of that door, about @pid (0: any), was answered. */
void fake_after(enum fake_door door, pid_t pid, unsigned nth, void (*act)(void));
/** Call @act after every such call. */
void fake_after_every(enum fake_door door, pid_t pid, void (*act)(void));
/** Call @act when @ns have passed. */
void fake_in(uint64_t ns, void (*act)(void));
/** Call @heard for every signal (but 0) that reaches a process, before it acts. */
void fake_on_signal(void (*heard)(const struct fake_process *process, int signal));
/** A signal to nskill itself: INT, TERM or HUP. */
void fake_interrupt(int signal);
/** Let every call of that door take @ns. */
void fake_cost(enum fake_door door, uint64_t ns);
/** How often that door has been called. */
unsigned fake_calls(enum fake_door door);

/** What the kernel and the limits are like; to be changed at will. */
struct fake_kernel {
	bool pidfs;			/* pidfds have inodes of their own (6.9) */
	bool group_signal;		/* PIDFD_SIGNAL_PROCESS_GROUP is there (6.9) */
	int cgroup_kill_error;		/* what opening cgroup.kill says, 0: no error */
	bool empty_groups;		/* a held group is told to be empty (5.12) */
	bool handles;			/* pidfds are found by their inode (6.14) */
	int thread_error;		/* what pidfd_open says of a thread: EINVAL or ENOENT */
	int pin_error;			/* what pidfd_open always says, 0: no error */
	size_t pins;			/* how many pidfds may be open */
	enum scope_kind namespace_kind; /* what the mntns of a fake_process are: SCOPE_MNT */
	enum stream_kind stream_kind;	/* what streams are: STREAM_PIPE */
	pid_t pid_max;
	pid_t last_pid;
	uint64_t forks;	      /* processes made since boot */
	int forks_error;      /* what reading that says, 0: no error */
	int boot_error;	      /* what reading the boot id says, 0: no error */
	int watch_error;      /* what watching a pidfile says, 0: no error */
	int watch_open_error; /* what starting to wait for processes says, 0: no error */
	int watch_add_error;  /* what waiting for one more says, 0: no error */
	int wait_error;	      /* what every wait says, 0: no error */
	unsigned idle_waits;  /* how many waits from now on end at once, for nothing */
	uint64_t start_error; /* ticks that a start can be wrong by, in a time namespace */
	bool unique_ids;      /* mount namespaces have ids of their own (6.11) */
	bool striking;	      /* a signal goes to a whole group now */
	uint64_t booted;      /* ns of the wall clock */
	uint64_t now;	      /* ns of the monotonic clock, which the boot clock is ahead of */
};
extern struct fake_kernel fake;

struct scan *fake_scan(void);
uint64_t fake_ticks(void);

/** Make the file at FAKE_PIDFILE another user's, or nobody's in particular again with 0. */
void fake_pidfile_owner(uid_t owner);

/** Put a pidfile at FAKE_PIDFILE; standard input gives the same text. */
void fake_pidfile(const char *text, uint64_t written, bool whole_seconds);

/** Take it away again, and say that of it. */
void fake_no_pidfile(enum arrival_change change);

/**
 * The signals that were sent, in order, a line each: "group 100 KILL", "cgroup /build KILL", "101
 * TERM", "102 KILL EPERM". Those that reached nobody, signal 0, and STOP again and again are left
 * out.
 */
const char *fake_log(void);

/**
 * What went wrong, a line each, or "": a signal through a reference that is not open, to a process
 * not read since it was pinned, to a guarded one or to a bystander; a bystander that died; the
 * same signal but KILL and STOP twice; an unknown descriptor or watch closed; a pin, a namespace, a
 * group or a watch left open.
 */
const char *fake_complaints(void);
#define fake_check() assert_string_equal(fake_complaints(), "")

#endif
