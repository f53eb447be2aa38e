/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/namespace.h"

#include "core/cleanup.h"
#include "linux/again.h"
#include "linux/close.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * include/linux/proc_ns.h (PROC_DYNAMIC_FIRST). The first mount namespace had this one or the next,
 * before it had one of its own.
 */
#define FIRST_DYNAMIC_INODE 0xf0000000U

#define OVERFLOW_USER 65534 /* user_namespaces(7): who has no number in ours */

/* NS_GET_MNTNS_ID of <linux/nsfs.h> since Linux 6.11; older headers lack it. */
#define GET_MNTNS_ID _IOR(NSIO, 0x5, uint64_t)

void namespace_unpin(int *fd)
{
	close_descriptor(fd);
}

/* "mnt:[4026531841]" */
static int read_link(const char *path, enum scope_kind kind, uint64_t *id)
{
	const char *name = scope_kind_link(kind);
	const size_t skipped = strlen(name) + strlen(":[");
	unsigned long long inode;
	char text[64], *end;
	ssize_t size = readlink(path, text, sizeof(text) - 1);

	if (size < 0)
		return -errno;
	text[size] = '\0';
	if ((size_t)size < skipped || strncmp(text, name, strlen(name)) != 0)
		return -EPROTO;
	inode = strtoull(text + skipped, &end, 10);
	if (end == text + skipped || strcmp(end, "]") != 0)
		return -EPROTO;
	*id = inode;
	return 0;
}

/* The path of the link: the leader's own, or that of a live thread when the leader has ended. */
static int find_link(const struct process *process, enum scope_kind kind, char *path, size_t size,
		     uint64_t *id)
{
	cleanup(close_directory) DIR *tasks = NULL;
	const char *name = scope_kind_link(kind);
	struct dirent *entry;
	int rc;

	snprintf(path, size, "/proc/%d/ns/%s", process->pid, name);
	rc = read_link(path, kind, id);
	if (rc != -ENOENT || process->threads <= 1)
		return rc;
	snprintf(path, size, "/proc/%d/task", process->pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, size, "/proc/%d/task/%.20s/ns/%s", process->pid, entry->d_name,
			 name);
		if (!read_link(path, kind, id))
			return 0;
	}
	return rc;
}

/*
 * That one may not look at root's processes, or those of users from outside, lasts. There are many,
 * and to ask again costs.
 */
static bool is_foreign(const struct process *process)
{
	return process->owner != geteuid() &&
	       (process->owner == 0 || process->owner == OVERFLOW_USER);
}

int namespace_read(const struct process *process, enum scope_kind kind, uint64_t *id)
{
	char path[96];
	int rc = -EIO;

	for (int try = 0; rc < 0 && try < TRIES; try++) {
		rc = find_link(process, kind, path, sizeof(path), id);
		if (rc == -EACCES && (try > 0 || is_foreign(process)))
			break;
		if (rc < 0 && is_gone(process->pid))
			return -ESRCH;
	}
	return rc;
}

static int pin(const struct process *process, enum scope_kind kind)
{
	char path[96];
	uint64_t id;
	struct stat st;
	int fd, rc = find_link(process, kind, path, sizeof(path), &id);

	if (rc < 0)
		return rc;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_ino != process->namespaces[kind - SCOPE_MNT]) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

int namespace_pin(const struct process *process, enum scope_kind kind)
{
	int fd = -EIO;

	for (int try = 0; fd < 0 && try < TRIES; try++)
		fd = pin(process, kind);
	return fd < 0 && is_gone(process->pid) ? -ESRCH : fd;
}

/* capget(2) has no wrapper in glibc, and one bit is not worth a library. */
static bool has_ptrace_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective & CAP_TO_MASK(CAP_SYS_PTRACE);
}

static bool is_first_user_namespace(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == scope_kind_first(SCOPE_USER);
}

/* What ioctl_nsfs(2) answers, or a negative errno that lasted. */
static int ask(int fd, unsigned long what, void *answer)
{
	int rc = -1;

	for (int try = 0; rc < 0 && try < TRIES; try++)
		rc = ioctl(fd, what, answer);
	return rc < 0 ? -errno : rc;
}

/*
 * Whether @user made that user namespace, or one above it. Nobody made the first one, although root
 * owns it. -EPERM is the kernel's word for one that cannot be seen from here: not made by us.
 */
static bool is_made_by(int userns, uid_t user)
{
	int at = userns, parent;
	bool made = false;
	uid_t owner;

	for (; at >= 0; at = parent) {
		made = !is_first_user_namespace(at) && ask(at, NS_GET_OWNER_UID, &owner) == 0 &&
		       owner == user;
		parent = made ? -1 : ask(at, NS_GET_PARENT, NULL);
		if (at != userns)
			close(at);
	}
	return made;
}

bool namespace_is_first_user(void)
{
	cleanup(namespace_unpin) int own = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

	return own >= 0 && is_first_user_namespace(own);
}

bool namespace_user_is(pid_t pid, uid_t user)
{
	char path[32];
	cleanup(namespace_unpin) int userns = -1;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	userns = open(path, O_RDONLY | O_CLOEXEC);
	return userns >= 0 && is_made_by(userns, user);
}

int namespace_unique_id(int fd, uint64_t *id)
{
	uint64_t unique;

	int rc = ask(fd, GET_MNTNS_ID, &unique);

	if (!rc)
		*id = unique;
	return rc;
}

/* The user namespace that owns the one that @fd holds; a user namespace is its own owner here. */
static int open_owner(int fd, enum scope_kind kind)
{
	if (fd >= 0 && kind == SCOPE_USER)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? fd : ask(fd, NS_GET_USERNS, NULL);
}

static bool is_first(uint64_t id, enum scope_kind kind)
{
	return id == scope_kind_first(kind) ||
	       (kind == SCOPE_MNT && (id == FIRST_DYNAMIC_INODE || id == FIRST_DYNAMIC_INODE + 1));
}

int namespace_describe_held(const struct held_namespace *held, struct namespace *described)
{
	cleanup(namespace_unpin) int userns = open_owner(held->fd, held->kind);
	uint64_t unique = 0;

	if (held->fd >= 0 && held->kind == SCOPE_MNT)
		namespace_unique_id(held->fd, &unique);
	/*
	 * The kernel tells the owner only where it is the caller's own user namespace or one below
	 * (ioctl_nsfs(2)): there, capabilities that are effective are effective over it.
	 */
	*described = (struct namespace){
		.id = held->inode,
		.unique = unique,
		.kind = held->kind,
		.first = is_first(held->inode, held->kind),
		.nested = userns >= 0 && !is_first_user_namespace(userns),
		.ours = userns >= 0 && (has_ptrace_capability() || is_made_by(userns, geteuid())),
	};
	return userns < 0 && userns != -EPERM && userns != -ENOTTY ? userns : 0;
}

int namespace_describe(const struct process *process, enum scope_kind kind,
		       struct namespace *described)
{
	cleanup(namespace_unpin) int fd = namespace_pin(process, kind);
	const struct held_namespace held = { .kind = kind,
					     .inode = process->namespaces[kind - SCOPE_MNT],
					     .fd = fd };

	return namespace_describe_held(&held, described);
}
