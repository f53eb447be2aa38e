/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closing what is open, also at the end of a scope: for core/cleanup. */
#ifndef NSKILL_LINUX_CLOSE_H
#define NSKILL_LINUX_CLOSE_H

#include <dirent.h>
#include <unistd.h>

/** Close the descriptor, if it is one, and make it -1. */
static inline void close_descriptor(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/** Close the directory, if it is open. */
static inline void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

#endif
