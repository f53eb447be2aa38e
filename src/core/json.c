/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool short_of_memory;

static void *allocate(size_t size)
{
	void *got = malloc(size);

	if (!got && size)
		short_of_memory = true;
	return got;
}

int json_read(const char *text, size_t size, json_t **value, struct error *error)
{
	json_error_t where;
	char what[sizeof(where.text)];
	json_t *read;

	json_set_alloc_funcs(allocate, free);
	short_of_memory = false;
	read = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
	if (short_of_memory) { /* a byte of a string can be missing */
		json_decref(read);
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	}
	if (!read)
		return error_set(error, STATUS_REFUSED, EINVAL, "is not JSON: line %d: %s",
				 where.line, escape(what, sizeof(what), where.text));
	*value = read;
	return 0;
}

/* All at once: json_dumps(3) can leave out a part, where its text has to grow. */
char *json_write(const json_t *value)
{
	const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(6);
	const size_t size = json_dumpb(value, NULL, 0, flags);
	char *text = size ? malloc(size + sizeof("\n")) : NULL;

	if (!text || json_dumpb(value, text, size, flags) != size) {
		free(text);
		return NULL;
	}
	strcpy(text + size, "\n");
	return text;
}

void json_release(json_t **value)
{
	json_decref(*value);
}
