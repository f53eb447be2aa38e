/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON from text and back. Where memory runs out, jansson can lose a part and not say so. */
#ifndef NSKILL_CORE_JSON_H
#define NSKILL_CORE_JSON_H

#include "core/error.h"

#include <jansson.h>

/**
 * Read @text, of @size bytes. 0 and *@value, which json_release() releases; or a negative errno and
 * @error: -EINVAL, STATUS_REFUSED, with what is wrong; -ENOMEM, STATUS_SYSTEM.
 */
int json_read(const char *text, size_t size, json_t **value, struct error *error);

/** @value as lines, for the caller to free(), or NULL when there is no memory. */
char *json_write(const json_t *value);

void json_release(json_t **value);

#endif
