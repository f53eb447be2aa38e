/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a file, or standard input, to the identity that it gives, and how far that can be trusted.
 */
#ifndef NSKILL_CORE_EVIDENCE_H
#define NSKILL_CORE_EVIDENCE_H

#include "core/identity.h"
#include "core/origin.h"
#include "core/plan.h"

/** What a wait is like: each at most once for a file. */
enum evidence_event {
	EVIDENCE_WAITING, /* the file is absent or unfinished; from now on no change is missed */
	EVIDENCE_MISSED, /* it, or the next directory on the way to it, was there and has gone again
			   * before it could be read whole; the wait goes on */
};

/** How a file is to be read. */
struct evidence_rules {
	bool trust;	      /* do not check the file's owner, mode and age */
	uint64_t wait;	      /* ns that a file may be absent or unfinished; 0: none */
	uint64_t input_until; /* of clock_now(), when standard input must have come to its end */
	void (*notify)(void *data, enum evidence_event event, const char *path); /* may be NULL */
	void *data;
};

/**
 * The identity that the file at @path gives, or standard input where that is NULL. 0, or a negative
 * errno and @error (STATUS_REFUSED, or STATUS_SYSTEM where nothing can be watched); -ENOENT: there
 * is no such file. @path is kept as the name.
 */
int evidence_read(struct identity *identity, const char *path, const struct evidence_rules *rules,
		  struct error *error);

/**
 * The plan in the file at @path, or from standard input where that is NULL, to be carried out
 * @here; the identities of its targets are complete. What @rules say of waiting does not count. As
 * evidence_read(); plan_clear() releases @plan. One of another boot is read, too: its targets are
 * known to be so.
 */
int evidence_read_plan(struct plan *plan, const char *path, const struct origin *here,
		       const struct evidence_rules *rules, struct error *error);

#endif
