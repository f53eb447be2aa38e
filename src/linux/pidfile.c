/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/pidfile.h"

#include "linux/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct error *error, int errnum, const char *path, const char *what)
{
	char shown[256];

	return error_set(error, STATUS_REFUSED, errnum, "pidfile %s: %s",
			 escape(shown, sizeof(shown), path), what);
}

static int vet(int fd, const char *path, struct pidfile *pidfile, struct error *error)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse(error, errno, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return refuse(error, EISDIR, path, "is a directory");
	if (!S_ISREG(st.st_mode))
		return refuse(error, EINVAL, path, "is not a regular file");
	if (st.st_size > PIDFILE_MAX)
		return refuse(error, EFBIG, path, "is larger than 64 KiB");
	pidfile->written =
		(uint64_t)st.st_mtim.tv_sec * NS_PER_SECOND + (uint64_t)st.st_mtim.tv_nsec;
	pidfile->whole_seconds = st.st_mtim.tv_nsec == 0;
	return 0;
}

/* One byte more than allowed is asked for, so that a file that has grown since is noticed. */
static int slurp(int fd, const char *path, struct pidfile *pidfile, struct error *error)
{
	ssize_t n;

	pidfile->text = malloc(PIDFILE_MAX + 2);
	if (!pidfile->text)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	do {
		n = read(fd, pidfile->text + pidfile->size, PIDFILE_MAX + 1 - pidfile->size);
		if (n > 0)
			pidfile->size += (size_t)n;
	} while ((n < 0 && errno == EINTR) || (n > 0 && pidfile->size <= PIDFILE_MAX));
	if (n < 0)
		return refuse(error, errno, path, strerror(errno));
	if (pidfile->size > PIDFILE_MAX)
		return refuse(error, EFBIG, path, "is larger than 64 KiB");
	pidfile->text[pidfile->size] = '\0';
	return 0;
}

int pidfile_read(const char *path, struct pidfile *pidfile, struct error *error)
{
	struct pidfile file = { 0 };
	int rc, fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP)
		return refuse(error, ELOOP, path, "is a symbolic link");
	if (fd < 0)
		return refuse(error, errno, path, strerror(errno));
	rc = vet(fd, path, &file, error);
	if (!rc)
		rc = slurp(fd, path, &file, error);
	close(fd);
	if (rc < 0) {
		pidfile_clear(&file);
		return rc;
	}
	*pidfile = file;
	return 0;
}

void pidfile_clear(struct pidfile *pidfile)
{
	free(pidfile->text);
	*pidfile = (struct pidfile){ 0 };
}
