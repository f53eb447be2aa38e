/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The door to the file that an identity is written down in. */
#ifndef NSKILL_LINUX_RECORD_H
#define NSKILL_LINUX_RECORD_H

#include "core/error.h"

/**
 * Put @text into the file at @path, which is there whole or as it was before (a temporary file
 * beside it, fsync, rename), for its owner alone (mode 0600). 0, or a negative errno and @error
 * (STATUS_SYSTEM).
 */
int record_write(const char *path, const char *text, struct error *error);

#endif
