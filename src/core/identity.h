/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a name means, and what speaks for it. A value: the live system is not asked. */
#ifndef NSKILL_CORE_IDENTITY_H
#define NSKILL_CORE_IDENTITY_H

#include "core/error.h"
#include "core/stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BOOT_ID_SIZE	    37 /* a UUID as text, and its NUL */
#define IDENTITY_NAMESPACES 16
#define IDENTITY_OUTPUTS    16

/** A mount namespace that was written down. */
struct identity_namespace {
	uint64_t inode; /* is handed out again when the namespace has gone */
	uint64_t id;	/* is not; 0: the kernel that it was written under had none */
};

/** What a nskill record adds to PID, start and inode. */
struct record {
	char boot[BOOT_ID_SIZE]; /* empty: there is no record */
	pid_t pgrp, session;	 /* 0: unknown */
	struct identity_namespace namespaces[IDENTITY_NAMESPACES];
	size_t namespace_count;
	uint64_t time;	 /* when it was written: clock ticks since boot */
	uint64_t forks;	 /* processes that had been made since boot by then */
	pid_t last_pid;	 /* the last PID that had been handed out; 0: not told */
	uint64_t in_use; /* how many PIDs were in use at most */
	bool dead;	 /* the target was dead then, and its start an estimate */
};

struct identity {
	const char *name; /* of the file, NULL: a number was given */
	pid_t pid;
	uint64_t start_ticks; /* in the initial time namespace's terms; 0: not told */
	uint64_t inode;	      /* of its pidfd; 0: not told */
	bool trusted;	      /* the caller vouches for it: --trust-pidfile */
	bool dated;	      /* it comes from a file that was written at a known time */
	uint64_t written;     /* when: ns of CLOCK_REALTIME */
	uint64_t tolerance;   /* ns that the process may have started later than that */
	bool owned;	      /* it speaks only for processes of its file's owner */
	uid_t owner;
	struct stream outputs[IDENTITY_OUTPUTS]; /* pipes and sockets that it had as output */
	size_t output_count;
	struct record record;
};

/** Whether @identity tells more than a PID, so that another process of that PID is told apart. */
static inline bool identity_is_exact(const struct identity *identity)
{
	return identity->start_ticks || identity->inode;
}

#endif
