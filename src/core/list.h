/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list that grows by one: the pointer and the count are the caller's own. */
#ifndef NSKILL_CORE_LIST_H
#define NSKILL_CORE_LIST_H

#include <stdlib.h>

/**
 * Make room for one more item of @size bytes at the end of the list that *@list points to, doubling
 * its room at powers of two. Returns the new item, not initialised, and counts it; or NULL when
 * there is no memory, and the list is as it was. @list is a pointer to the caller's list pointer.
 */
static inline void *list_append(void *list, size_t *count, size_t size)
{
	void **items = list;

	if ((*count & (*count - 1)) == 0) {
		void *grown = reallocarray(*items, *count ? *count * 2 : 1, size);

		if (!grown)
			return NULL;
		*items = grown;
	}
	return (char *)*items + (*count)++ * size;
}

#endif
