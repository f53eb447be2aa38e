/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/record.h"

#include "core/cleanup.h"
#include "linux/write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Without this the new name may not outlive a crash; where directories cannot be synced, so be it.
 */
static void sync_directory(const char *path)
{
	cleanup(free_pointer) char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int replace(const char *path, const char *text, char *temporary)
{
	int rc, fd = mkostemp(temporary, O_CLOEXEC); /* made with mode 0600 */

	if (fd < 0)
		return -errno;
	rc = write_all(fd, text);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	if (close(fd) < 0 && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(temporary);
	return rc;
}

/* A device, such as /dev/null, must not be replaced by a file, nor a link that leads elsewhere. */
static bool is_replaceable(const char *path)
{
	struct stat there;

	return lstat(path, &there) < 0 || S_ISREG(there.st_mode);
}

int record_write(const char *path, const char *text, struct error *error)
{
	cleanup(free_pointer) char *temporary = NULL;
	char shown[256];
	int rc = -ENOMEM;

	if (!is_replaceable(path))
		return error_set(error, STATUS_SYSTEM, EEXIST,
				 "cannot write %s: it is there, and no regular file (- is standard "
				 "output)",
				 escape(shown, sizeof(shown), path));

	if (asprintf(&temporary, "%s.XXXXXX", path) >= 0)
		rc = replace(path, text, temporary);
	if (rc < 0)
		return error_set(error, STATUS_SYSTEM, -rc, "cannot write %s: %s",
				 escape(shown, sizeof(shown), path), strerror(-rc));
	sync_directory(path);
	return 0;
}
