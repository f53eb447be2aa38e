/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, enum status status, int errnum, const char *format, ...)
{
	va_list args;

	if (error) {
		error->status = status;
		va_start(args, format);
		vsnprintf(error->text, sizeof(error->text), format, args);
		va_end(args);
	}
	return -errnum;
}

static int severity(enum status status)
{
	static const enum status mildest_first[] = {
		STATUS_GONE,	STATUS_NOTHING, STATUS_INCOMPLETE, STATUS_TIMEOUT,
		STATUS_REFUSED, STATUS_USAGE,	STATUS_SYSTEM,
	};
	int rank = 0;

	while (mildest_first[rank] != status)
		rank++;
	return rank;
}

enum status status_worse(enum status a, enum status b)
{
	return severity(a) >= severity(b) ? a : b;
}

char *escape(char *out, size_t size, const char *in)
{
	size_t used = 0;

	for (; *in; in++) {
		unsigned char byte = (unsigned char)*in;
		int plain = byte >= 0x20 && byte < 0x7f && byte != '\\';
		size_t need = plain ? 1 : 4;

		if (used + need >= size)
			break;
		if (plain)
			out[used] = *in;
		else
			snprintf(out + used, size - used, "\\x%02x", byte);
		used += need;
	}
	out[used] = '\0';
	return out;
}
