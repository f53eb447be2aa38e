/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to what tells one boot, and one moment of it, from another. */
#ifndef NSKILL_LINUX_BOOT_H
#define NSKILL_LINUX_BOOT_H

#include <stdint.h>
#include <sys/types.h>

/** Write this boot's id, 36 characters and a NUL, to @id. 0 or a negative errno. */
int boot_id(char id[37]);

/**
 * How many processes have been made since boot (`processes` in /proc/stat). 0 or a negative errno.
 */
int boot_forks(uint64_t *forks);

/** How many have been made since boot_forks() was @forks; UINT64_MAX (of either): unknown. */
uint64_t boot_forks_since(uint64_t forks);

/**
 * How many PIDs are in use at most: that of each thread, and those of a group and a session that
 * have outlived their leaders. UINT64_MAX: unknown.
 */
uint64_t boot_numbers_in_use(void);

#endif
