/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/pidref.h"

#include "linux/again.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* From <linux/pidfd.h> and <linux/magic.h> of Linux 6.9; older headers lack them. */
#define SIGNAL_PROCESS_GROUP (1U << 2)
#define PIDFS_MAGIC	     0x50494446

#define SPARE_DESCRIPTORS 12

/* glibc has these two since 2.36, musl does not. */
static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0U);
}

static int send_signal(int pidfd, int signal, unsigned flags)
{
	return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, flags) < 0 ? -errno : 0;
}

static int descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT_MAX)
		return INT_MAX;
	return (int)limit.rlim_cur;
}

void pidref_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static uint64_t unique_inode(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(fd, &fs) < 0 || (unsigned long)fs.f_type != PIDFS_MAGIC || fstat(fd, &st) < 0)
		return 0;
	return st.st_ino;
}

/*
 * That nobody is there is believed at once when nobody bears the number. If somebody does, he is
 * being reaped: pidfs gives out no reference to him a moment before that (Linux 6.16).
 */
static int open_pidfd(pid_t pid)
{
	int rc = -EIO;

	for (int try = 0; rc < 0 && try < TRIES; try++) {
		rc = pidfd_of(pid);
		if (rc < 0)
			rc = -errno;
		if (rc == -ESRCH && is_gone(pid))
			return rc;
	}
	return rc == -ESRCH ? -EINVAL : rc;
}

int pidref_open(struct pidref *ref, pid_t pid)
{
	int fd = open_pidfd(pid);

	if (fd < 0)
		return fd;
	/* The lowest free number is handed out first, so a high one tells that few are left. */
	if (fd >= descriptor_limit() - SPARE_DESCRIPTORS) {
		close(fd);
		return -EMFILE;
	}
	*ref = (struct pidref){ .pid = pid, .fd = fd, .inode = unique_inode(fd) };
	return 0;
}

int pidref_signal(const struct pidref *ref, int signal)
{
	int rc = -EIO;

	/* Nobody there, when it has not ended: that would be taken for its end. */
	for (int try = 0; rc < 0 && try < TRIES; try++) {
		rc = send_signal(ref->fd, signal, 0);
		if (rc == -ESRCH && pidref_ended(ref))
			return rc;
	}
	return rc == -ESRCH ? -EIO : rc;
}

int pidref_signal_group(const struct pidref *ref, int signal)
{
	return send_signal(ref->fd, signal, SIGNAL_PROCESS_GROUP);
}

int pidref_ended(const struct pidref *ref)
{
	struct pollfd poller = { .fd = ref->fd, .events = POLLIN };
	int rc = -1;

	for (int try = 0; rc < 0 && try < TRIES; try++)
		rc = poll(&poller, 1, 0);
	return rc > 0;
}

struct handle {
	struct file_handle head;
	uint64_t inode;
};

/* A file handle of pidfs has the inode alone; @root is ourselves, and any pidfd would do. */
static bool make_handle(int root, struct handle *handle)
{
	int mount;

	handle->head.handle_bytes = sizeof(handle->inode);
	return name_to_handle_at(root, "", &handle->head, &mount, AT_EMPTY_PATH) == 0 &&
	       handle->head.handle_bytes == sizeof(handle->inode) &&
	       handle->inode == unique_inode(root);
}

/*
 * The kernel finds a process by its handle, reaped or not, until it lets go of the number
 * (pidfs_remove_pid() in free_pid() of kernel/pid.c), which then only can be handed out again.
 */
bool pidref_keeps_number(const struct pidref *ref)
{
	int fd = -1, root = ref->inode ? pidfd_of(getpid()) : -1;
	struct handle handle = { 0 };

	if (root < 0)
		return false;
	if (make_handle(root, &handle)) {
		handle.inode = ref->inode;
		fd = open_by_handle_at(root, &handle.head, O_RDONLY | O_CLOEXEC);
	}
	close(root);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void pidref_close(struct pidref *ref)
{
	if (ref->fd >= 0)
		close(ref->fd);
	*ref = PIDREF_NULL;
}
