/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What standard output and error can be that somebody waits for the end of. A value. */
#ifndef NSKILL_CORE_STREAM_H
#define NSKILL_CORE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_kind {
	STREAM_NONE, /* a file, /dev/null, nothing */
	STREAM_PIPE,
	STREAM_SOCKET,
	STREAM_FIFO,
	STREAM_TERMINAL, /* the side of a pseudo-terminal that programs write to */
};

struct stream {
	enum stream_kind kind;
	uint64_t inode;
	uint64_t device; /* that the inode is of; 0 for pipes and sockets, which share one count */
	uint64_t terminal; /* of one, the device number */
	int fd;		   /* holds its inode, which would be handed out again; -1: nothing does */
};

#define STREAMS_MAX 64 /* the bits of process.writes */

/** The streams that a run looks at: a process's bit mask tells which of them it writes to. */
struct streams {
	struct stream list[STREAMS_MAX];
	size_t count;
};

#define STREAM_BIT(place) (UINT64_C(1) << (place))

/** Whether it has a path, and its inode is soon handed out again when it is gone. */
bool stream_has_path(const struct stream *stream);

/** Whether both are the same one; none is not even itself. */
bool stream_equal(const struct stream *a, const struct stream *b);

/**
 * Read the name of a pipe or a socket, as the links of /proc/PID/fd have it: "pipe:[123]". False,
 * and nothing is written, when @text is anything else.
 */
bool stream_parse(const char *text, struct stream *stream);

/** Write that name of a pipe or a socket, or "" of another. Returns @text. */
char *stream_name(char *text, size_t size, const struct stream *stream);

/** The place of @stream in @streams, or @streams->count when it is not in there. */
size_t streams_find(const struct streams *streams, const struct stream *stream);

#endif
