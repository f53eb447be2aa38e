/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scope-exit cleanup: a variable marked with one of these is released when its block ends. */
#ifndef NSKILL_CORE_CLEANUP_H
#define NSKILL_CORE_CLEANUP_H

#include <stdlib.h>

#define cleanup(function) __attribute__((cleanup(function)))

/** Release the memory that a pointer variable owns: `cleanup(free_pointer) char *text = ...`. */
static inline void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

#endif
