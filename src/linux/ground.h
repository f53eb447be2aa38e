/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ground that everything else stands on: pidfds, and a /proc that shows our own PID namespace.
 */
#ifndef NSKILL_LINUX_GROUND_H
#define NSKILL_LINUX_GROUND_H

#include "core/error.h"

#include <stdbool.h>

/** What the kernel offers beyond the minimum; without these nskill does the same, only slower. */
struct ground_features {
	bool pidfd;	   /* pidfd_open and pidfd_send_signal (Linux 5.3) */
	bool group_signal; /* PIDFD_SIGNAL_PROCESS_GROUP (6.9) */
	bool unique_inode; /* pidfds with inodes of their own (pidfs, 6.9) */
};

/** 0, or a negative errno and @error (STATUS_SYSTEM) that says what is missing and what to do. */
int ground_check(struct error *error);

void ground_features(struct ground_features *features);

/**
 * Fill the places of standard input, output and error where the caller has closed them, so that no
 * other descriptor gets there: using such a place fails as it would have.
 */
void ground_fill_standard_descriptors(void);

/** Be in no folder that somebody may want to unmount. Relative paths are of / from now on. */
void ground_leave_folder(void);

/** Close every descriptor from @first on, so that nobody waits for one's end. 0 or -errno. */
int ground_close_from(int first);

#endif
