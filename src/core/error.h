/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An error is a sentence, an errno and the exit status it leads to. It is written where the
 * knowledge is, carried up by value, and printed once, by cli/report.
 */
#ifndef NSKILL_CORE_ERROR_H
#define NSKILL_CORE_ERROR_H

#include <stddef.h>

/** What a run can end with: the numbers are nskill's exit statuses. */
enum status {
	STATUS_GONE = 0,       /* nothing of the target is alive */
	STATUS_NOTHING = 1,    /* nothing was done */
	STATUS_USAGE = 2,      /* the command line makes no sense */
	STATUS_REFUSED = 3,    /* a target could not be trusted or identified, or is guarded */
	STATUS_INCOMPLETE = 4, /* some processes could not be signalled */
	STATUS_SYSTEM = 5,     /* the kernel, /proc, memory or the output failed */
	STATUS_TIMEOUT = 124,  /* time was up and survivors remain */
};

struct error {
	enum status status;
	char text[512]; /* one sentence without a full stop or a newline */
};

/**
 * Write a sentence into @error (which may be NULL) and return -@errnum, so that a caller can
 * `return error_set(...)`. A sentence that is too long is cut.
 */
int error_set(struct error *error, enum status status, int errnum, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** The more severe of two statuses: 5, 3, 124, 4, 1, 0 (2 never meets another). */
enum status status_worse(enum status a, enum status b);

/**
 * Copy @in to @out, of @size bytes at least 1, with every control byte, backslash and byte above
 * 0x7e written as \xNN, so that a name can neither break a line nor drive a terminal. Cut to fit,
 * never inside an escape. Returns @out.
 */
char *escape(char *out, size_t size, const char *in);

#endif
