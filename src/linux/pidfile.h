/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to files that name a process: opens, vets and reads them. What they say is read
 * elsewhere.
 */
#ifndef NSKILL_LINUX_PIDFILE_H
#define NSKILL_LINUX_PIDFILE_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PIDFILE_MAX ((size_t)64 * 1024)
#define PLAN_MAX    ((size_t)16 * 1024 * 1024) /* it has some hundred bytes for each process */

struct pidfile {
	char *text; /* owned; a NUL follows it */
	size_t size;
	uint64_t written;   /* when it was last written: ns of CLOCK_REALTIME; 0: unknown */
	bool whole_seconds; /* its file system may keep no more than seconds */
	bool foreign;	    /* its owner is neither root nor the caller */
	uid_t owner;
};

/**
 * Read the file at @path: a regular one, no symbolic link, of at most @most bytes, and unless
 * @trust is set, one that nobody but its owner, root and the caller's own group can have written or
 * replaced. It never blocks on what lies there instead. Returns 0 and writes @pidfile, which
 * pidfile_clear() releases, or a negative errno and @error (STATUS_REFUSED).
 */
int pidfile_read(const char *path, size_t most, bool trust, struct pidfile *pidfile,
		 struct error *error);

/** The same from standard input, to its end, but no longer than until clock_now() is @until. */
int pidfile_read_input(size_t most, uint64_t until, struct pidfile *pidfile, struct error *error);

void pidfile_clear(struct pidfile *pidfile);

#endif
