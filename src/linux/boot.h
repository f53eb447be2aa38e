/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to what tells one boot, and one moment of it, from another. */
#ifndef NSKILL_LINUX_BOOT_H
#define NSKILL_LINUX_BOOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Write this boot's id, 36 characters and a NUL, to @id. 0 or a negative errno. */
int boot_id(char id[37]);

/**
 * How many processes have been made since boot (`processes` in /proc/stat). 0 or a negative errno.
 */
int boot_forks(uint64_t *forks);

/**
 * Whether a PID may have been handed out twice since boot_forks() was @forks: before as many have
 * been made as there are PIDs none has.
 */
bool boot_came_round(uint64_t forks);

#endif
