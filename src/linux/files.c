/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/files.h"

#include "core/cleanup.h"
#include "linux/clock.h"
#include "linux/close.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CLOCK_EVERY 1024 /* files */

/* The other sides of pseudo-terminals, Documentation/admin-guide/devices.txt */
#define FIRST_PTS_MAJOR 136
#define LAST_PTS_MAJOR	143

void files_release(struct stream *stream)
{
	close_descriptor(&stream->fd);
}

/* Of a leader that has ended before its threads, the files are those of a live thread. */
static DIR *open_folder(const struct process *process)
{
	cleanup(close_directory) DIR *tasks = NULL;
	char path[64];
	DIR *folder = NULL;
	struct dirent *entry;
	int failure = ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/%s", process->pid,
		 process->state == 'Z' ? "task" : "fd");
	if (process->state != 'Z')
		return opendir(path);
	tasks = opendir(path);
	while (tasks && !folder && (errno = 0, entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    atoi(entry->d_name) == process->pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/fd", process->pid, entry->d_name);
		folder = opendir(path);
		if (!folder && errno != ENOENT)
			failure = errno;
	}
	if (!folder && !errno)
		errno = failure;
	return folder;
}

/* The mode of the link itself says how the file was opened (proc_pid_fd(5)). */
static bool is_for_writing(int folder, const char *name)
{
	struct stat link;

	return fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && link.st_mode & S_IWUSR;
}

static bool read_name(int folder, const char *name, char *text, size_t size)
{
	ssize_t length = readlinkat(folder, name, text, size - 1);

	if (length < 0)
		return false;
	text[length] = '\0';
	return true;
}

/* Without a word to the file's server: AT_STATX_DONT_SYNC. */
static int identify(int folder, const char *name, unsigned flags, struct stream *stream)
{
	struct statx file;

	if (statx(folder, name, (int)(AT_STATX_DONT_SYNC | flags), STATX_TYPE | STATX_INO, &file) <
	    0)
		return -errno;
	*stream = (struct stream){
		.inode = file.stx_ino,
		.device = makedev(file.stx_dev_major, file.stx_dev_minor),
		.fd = -1,
	};
	if (S_ISFIFO(file.stx_mode)) {
		stream->kind = STREAM_FIFO;
	} else if (S_ISCHR(file.stx_mode) && file.stx_rdev_major >= FIRST_PTS_MAJOR &&
		   file.stx_rdev_major <= LAST_PTS_MAJOR) {
		stream->kind = STREAM_TERMINAL;
		stream->terminal = makedev(file.stx_rdev_major, file.stx_rdev_minor);
	}
	return 0;
}

/* A file with a path is held by that (O_PATH), which is no end of it and opens nothing. */
static int take(int folder, const char *name, struct stream *stream)
{
	int rc, fd = openat(folder, name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	rc = identify(fd, "", AT_EMPTY_PATH, stream);
	if (rc < 0 || !stream_has_path(stream))
		close(fd);
	else
		stream->fd = fd;
	return rc;
}

int files_stream(const struct process *process, int fd, bool hold, struct stream *stream)
{
	cleanup(close_directory) DIR *folder = open_folder(process);
	struct stream found = { .fd = -1 };
	char name[16], text[64];
	int rc = 0;

	if (!folder)
		return -errno;
	snprintf(name, sizeof(name), "%d", fd);
	if (is_for_writing(dirfd(folder), name) &&
	    read_name(dirfd(folder), name, text, sizeof(text)) && !stream_parse(text, &found) &&
	    text[0] == '/')
		rc = hold ? take(dirfd(folder), name, &found)
			  : identify(dirfd(folder), name, 0, &found);
	if (rc < 0 && rc != -ENOENT)
		return rc;
	*stream = found;
	return 0;
}

uint64_t files_peek(pid_t pid, const struct streams *streams)
{
	uint64_t writes = 0;

	for (int fd = 1; fd <= 2; fd++) {
		struct stream found = { .fd = -1 };
		char path[48], text[64];
		size_t place;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		if (!read_name(AT_FDCWD, path, text, sizeof(text)) ||
		    (!stream_parse(text, &found) && identify(AT_FDCWD, path, 0, &found) < 0))
			continue;
		place = streams_find(streams, &found);
		if (place < streams->count && is_for_writing(AT_FDCWD, path))
			writes |= STREAM_BIT(place);
	}
	return writes;
}

/* Whether a file with a path may be one of those, by its inode: that is told since Linux 5.14. */
static bool may_be_any(int infos, const char *name, const struct streams *streams)
{
	char text[512], *place;
	uint64_t inode;
	ssize_t size;
	int fd = infos < 0 ? -1 : openat(infos, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size < 0 ? 0 : size] = '\0';
	place = strstr(text, "\nino:");
	if (!place)
		return true;
	inode = strtoull(place + strlen("\nino:"), NULL, 10);
	for (size_t i = 0; i < streams->count; i++)
		if (stream_has_path(&streams->list[i]) && streams->list[i].inode == inode)
			return true;
	return false;
}

struct sought {
	const struct streams *streams;
	bool paths; /* there is one among them that has a path */
	int folder, infos;
};

static uint64_t bit_of(const struct sought *sought, const char *name)
{
	struct stream stream = { .fd = -1 };
	char text[64];
	size_t place;

	if (!read_name(sought->folder, name, text, sizeof(text)))
		return 0;
	if (!stream_parse(text, &stream) && (text[0] != '/' || !sought->paths ||
					     !may_be_any(sought->infos, name, sought->streams) ||
					     identify(sought->folder, name, 0, &stream) < 0))
		return 0;
	place = streams_find(sought->streams, &stream);
	if (place == sought->streams->count || !is_for_writing(sought->folder, name))
		return 0;
	return STREAM_BIT(place);
}

/*
 * A pseudo-terminal that has been closed may have left its number to another: then it has lost its
 * name, which is why it is held.
 */
static uint64_t those_that_are_over(const struct streams *streams)
{
	uint64_t over = 0;
	struct stat file;

	for (size_t i = 0; i < streams->count; i++)
		if (streams->list[i].kind == STREAM_TERMINAL && streams->list[i].fd >= 0 &&
		    (fstat(streams->list[i].fd, &file) < 0 || !file.st_nlink))
			over |= STREAM_BIT(i);
	return over;
}

static int read_folder(DIR *folder, struct sought *sought, uint64_t until, uint64_t *writes)
{
	uint64_t all = sought->streams->count == STREAMS_MAX
			       ? UINT64_MAX
			       : STREAM_BIT(sought->streams->count) - 1;
	struct dirent *entry;

	for (unsigned seen = 1; *writes != all; seen++) {
		errno = 0;
		entry = readdir(folder);
		if (!entry)
			return -errno;
		if (isdigit((unsigned char)entry->d_name[0]))
			*writes |= bit_of(sought, entry->d_name);
		if (seen % CLOCK_EVERY == 0 && clock_now() >= until)
			return -ETIMEDOUT;
	}
	return 0;
}

int files_writes(struct process *process, const struct streams *streams, uint64_t until)
{
	cleanup(close_directory) DIR *folder = NULL;
	struct sought sought = { .streams = streams, .infos = -1 };
	char path[64];
	int rc;

	process->writes = 0;
	if (!streams->count || clock_now() >= until)
		return streams->count ? -ETIMEDOUT : 0;
	folder = open_folder(process);
	if (!folder)
		return -errno;
	for (size_t i = 0; i < streams->count; i++)
		sought.paths = sought.paths || stream_has_path(&streams->list[i]);
	sought.folder = dirfd(folder);
	if (sought.paths && process->state != 'Z') {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo", process->pid);
		sought.infos = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	rc = read_folder(folder, &sought, until, &process->writes);
	process->writes &= ~those_that_are_over(streams);
	close_descriptor(&sought.infos);
	return rc;
}
