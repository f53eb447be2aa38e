/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/pidfile.h"

#include "core/cleanup.h"
#include "linux/bounded.h"
#include "linux/clock.h"
#include "linux/close.h"
#include "linux/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct error *error, int errnum, const char *path, const char *what)
{
	char shown[256];

	return error_set(error, STATUS_REFUSED, errnum, "%s: %s",
			 escape(shown, sizeof(shown), path), what);
}

static int refuse_size(struct error *error, const char *path, size_t most)
{
	char what[64];

	snprintf(what, sizeof(what), "is larger than %zu KiB", most / 1024);
	return refuse(error, EFBIG, path, what);
}

/* Whether others than its owner, root and the caller's own group can write it. */
static bool is_open_to_others(const struct stat *st)
{
	gid_t own = geteuid() == 0 ? 0 : getegid();

	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != own);
}

static int vet_directory(int directory, const char *path, struct error *error)
{
	struct stat st;

	if (fstat(directory, &st) < 0)
		return refuse(error, errno, path, strerror(errno));
	if (is_open_to_others(&st) && !(st.st_mode & S_ISVTX))
		return refuse(error, EPERM, path,
			      "others can replace it: its directory is writable by others or by a "
			      "group; mend the mode, or use --trust-pidfile");
	return 0;
}

static uid_t overflow_user(void)
{
	FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
	unsigned user = 65534;

	if (file) {
		if (fscanf(file, "%u", &user) != 1)
			user = 65534;
		fclose(file);
	}
	return user;
}

/* 0 is unknown, which what is dated at or before 1970 is not: it is from before this boot. */
static uint64_t nanoseconds(const struct timespec *time)
{
	if (time->tv_sec < 0 || (time->tv_sec == 0 && time->tv_nsec == 0))
		return 1;
	if ((uint64_t)time->tv_sec >= INT64_MAX / NS_PER_SECOND)
		return INT64_MAX; /* of the year 2262 */
	return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

static int vet(int fd, const char *path, size_t most, bool trust, struct pidfile *pidfile,
	       struct error *error)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse(error, errno, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return refuse(error, EISDIR, path, "is a directory");
	if (!S_ISREG(st.st_mode))
		return refuse(error, EINVAL, path, "is not a regular file");
	if (st.st_size > (off_t)most)
		return refuse_size(error, path, most);
	if (!trust && is_open_to_others(&st))
		return refuse(error, EPERM, path,
			      "is writable by others or by a group: mend the mode, or use "
			      "--trust-pidfile");
	pidfile->owner = st.st_uid;
	/* A user whom this user namespace does not know is shown as the overflow user: anybody. */
	if (!trust && st.st_uid == overflow_user() && !namespace_is_first_user())
		return refuse(error, EPERM, path,
			      "its owner is unknown in this user namespace: use --trust-pidfile");
	pidfile->foreign = st.st_uid != 0 && st.st_uid != geteuid();
	pidfile->written = nanoseconds(&st.st_mtim);
	pidfile->whole_seconds = st.st_mtim.tv_nsec == 0;
	return 0;
}

/* @until: NULL for a file that was vetted, which others do not read away. */
static ssize_t read_some(int fd, char *to, size_t size, const uint64_t *until)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		if (until && poll(&poller, 1, clock_milliseconds_until(*until)) == 0)
			break;
		n = until ? bounded_read(fd, to, size) : read(fd, to, size);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			return n;
	} while (!until || clock_now() < *until);
	errno = ETIMEDOUT;
	return -1;
}

/* One byte more than allowed is asked for, so that a file that has grown since is noticed. */
static int slurp(int fd, const char *path, size_t most, const uint64_t *until,
		 struct pidfile *pidfile, struct error *error)
{
	ssize_t n;

	pidfile->text = malloc(most + 2);
	if (!pidfile->text)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	do {
		n = read_some(fd, pidfile->text + pidfile->size, most + 1 - pidfile->size, until);
		if (n > 0)
			pidfile->size += (size_t)n;
	} while (n > 0 && pidfile->size <= most);
	if (n < 0)
		return refuse(error, errno, path,
			      errno == ETIMEDOUT ? "did not come to its end in time"
						 : strerror(errno));
	if (pidfile->size > most)
		return refuse_size(error, path, most);
	pidfile->text[pidfile->size] = '\0';
	return 0;
}

/* The directory's path and, behind its last slash, the name in it: @directory is for free(). */
static const char *split(const char *path, char **directory)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (!slash)
		*directory = strdup(".");
	else if (slash == path)
		*directory = strdup("/");
	else
		*directory = strndup(path, (size_t)(slash - path));
	return *name ? name : ".";
}

static int open_vetted(const char *path, bool trust, struct error *error)
{
	cleanup(free_pointer) char *folder = NULL;
	const char *name = split(path, &folder);
	cleanup(close_descriptor) int directory = -1;
	int fd, rc;

	if (!folder)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return refuse(error, errno, path, strerror(errno));
	rc = trust ? 0 : vet_directory(directory, path, error);
	if (rc < 0)
		return rc;
	fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP)
		return refuse(error, ELOOP, path, "is a symbolic link: name the file itself");
	return fd < 0 ? refuse(error, errno, path, strerror(errno)) : fd;
}

int pidfile_read(const char *path, size_t most, bool trust, struct pidfile *pidfile,
		 struct error *error)
{
	struct pidfile file = { 0 };
	cleanup(close_descriptor) int fd = open_vetted(path, trust, error);
	int rc = fd;

	if (rc >= 0)
		rc = vet(fd, path, most, trust, &file, error);
	if (!rc)
		rc = slurp(fd, path, most, NULL, &file, error);
	if (rc < 0) {
		pidfile_clear(&file);
		return rc;
	}
	*pidfile = file;
	return 0;
}

int pidfile_read_input(size_t most, uint64_t until, struct pidfile *pidfile, struct error *error)
{
	struct pidfile file = { 0 };
	int rc = slurp(STDIN_FILENO, "standard input", most, &until, &file, error);

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
