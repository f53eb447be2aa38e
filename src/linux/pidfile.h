/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to files that carry an identity: opens, vets and reads them. What they say is parsed
 * elsewhere. */
#ifndef NSKILL_LINUX_PIDFILE_H
#define NSKILL_LINUX_PIDFILE_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

#define PIDFILE_MAX (64 * 1024)

struct pidfile {
	char *text; /* owned; a NUL follows it */
	size_t size;
	uint64_t written;   /* when it was last written: ns of CLOCK_REALTIME */
	bool whole_seconds; /* its file system may keep no more than seconds */
};

/**
 * Read the file at @path: a regular one, no symbolic link, of at most PIDFILE_MAX bytes. It never
 * blocks on what lies there instead. Returns 0 and writes @pidfile, which pidfile_clear() releases,
 * or a negative errno and @error (STATUS_REFUSED).
 */
int pidfile_read(const char *path, struct pidfile *pidfile, struct error *error);

void pidfile_clear(struct pidfile *pidfile);

#endif
