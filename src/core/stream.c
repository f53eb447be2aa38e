/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/stream.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { [STREAM_PIPE] = "pipe:[", [STREAM_SOCKET] = "socket:[" };

bool stream_has_path(const struct stream *stream)
{
	return stream->kind == STREAM_FIFO || stream->kind == STREAM_TERMINAL;
}

bool stream_equal(const struct stream *a, const struct stream *b)
{
	return a->kind != STREAM_NONE && a->kind == b->kind && a->inode == b->inode &&
	       a->device == b->device;
}

bool stream_parse(const char *text, struct stream *stream)
{
	for (enum stream_kind kind = STREAM_PIPE; kind <= STREAM_SOCKET; kind++) {
		const size_t length = strlen(names[kind]);
		unsigned long long inode;
		char *end;

		if (strncmp(text, names[kind], length) != 0 ||
		    !isdigit((unsigned char)text[length]))
			continue;
		errno = 0;
		inode = strtoull(text + length, &end, 10);
		if (errno || !inode || inode > INT64_MAX || strcmp(end, "]") != 0)
			return false;
		*stream = (struct stream){ .kind = kind, .inode = inode, .fd = -1 };
		return true;
	}
	return false;
}

char *stream_name(char *text, size_t size, const struct stream *stream)
{
	*text = '\0';
	if (stream->kind == STREAM_PIPE || stream->kind == STREAM_SOCKET)
		snprintf(text, size, "%s%" PRIu64 "]", names[stream->kind], stream->inode);
	return text;
}

size_t streams_find(const struct streams *streams, const struct stream *stream)
{
	size_t place = 0;

	while (place < streams->count && !stream_equal(&streams->list[place], stream))
		place++;
	return place;
}
