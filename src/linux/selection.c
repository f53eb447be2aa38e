/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#define AT_WORK 4 /* descriptors that libproc2 may have open for one process at the same time */

/* Standard input is open: main sees to that. */
static int lowest_free(void)
{
	int fd = dup(STDIN_FILENO);

	if (fd >= 0)
		close(fd);
	return fd;
}

/* None of nskill's own is without FD_CLOEXEC; an inherited one may be, of whatever kind. */
static bool is_forgotten(int fd)
{
	struct statfs fs;

	return fcntl(fd, F_GETFD) == 0 && (fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC);
}

/* The lowest free number is handed out first: they are among the first that there was room at. */
static void close_forgotten(int from, int count)
{
	for (int fd = from, room = 0; room < count; fd++) {
		if (is_forgotten(fd))
			close(fd);
		else if (fcntl(fd, F_GETFD) >= 0)
			continue;
		room++;
	}
}

struct pids_fetch *selection_read(struct pids_info *info, unsigned *pids, int count,
				  enum pids_select_type which, bool *forgetful)
{
	int rc, from = lowest_free();
	struct pids_fetch *fetch;

	errno = 0; /* libproc2 ends early for one that was there before */
	fetch = procps_pids_select(info, pids, count, which);
	rc = errno;
	if (from >= 0 && is_forgotten(from)) {
		close_forgotten(from, count + AT_WORK);
		*forgetful = true;
	}
	errno = rc;
	return fetch;
}
