/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a text whole, where that may block: to a file, or to who has been waited for. */
#ifndef NSKILL_LINUX_WRITE_H
#define NSKILL_LINUX_WRITE_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

/** Write all of @text to @fd. 0 or a negative errno. */
static inline int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t written = write(fd, text, left);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			left -= (size_t)written;
		}
	}
	return 0;
}

#endif
