/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/ground.h"

#include "linux/again.h"
#include "linux/pidref.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static int check_pidfd(struct error *error)
{
	struct pidref self = PIDREF_NULL;
	const char *call = "pidfd_open";
	int rc = pidref_open(&self, getpid());

	if (rc == 0) {
		call = "pidfd_send_signal";
		rc = pidref_signal(&self, 0);
		pidref_close(&self);
	}
	if (rc == -ENOSYS)
		return error_set(error, STATUS_SYSTEM, ENOSYS,
				 "the kernel has no %s: Linux 5.3 or newer is needed", call);
	if (rc == -EPERM || rc == -EACCES)
		return error_set(error, STATUS_SYSTEM, -rc,
				 "%s is denied here: allow it in the seccomp profile that "
				 "this runs under",
				 call);
	if (rc < 0)
		return error_set(error, STATUS_SYSTEM, -rc, "%s fails: %s", call, strerror(-rc));
	return 0;
}

/* NSpid has one number for each PID namespace from that of /proc down to ours. */
static int count_pid_namespaces(void)
{
	char line[256];
	int count = 0;
	FILE *status = fopen("/proc/self/status", "re");

	if (!status)
		return 0;
	while (!count && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		for (const char *tab = line; (tab = strchr(tab, '\t')); tab++)
			count++;
	}
	fclose(status);
	return count;
}

static int check_proc(struct error *error)
{
	struct statfs fs;
	char self[32] = "";
	int count = 0;

	if (statfs("/proc", &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return error_set(error, STATUS_SYSTEM, ENOENT,
				 "/proc is not mounted: mount it with 'mount -t proc proc /proc'");
	for (int try = 0; count == 0 && try < TRIES; try++)
		count = count_pid_namespaces();
	if (count == 0)
		return error_set(error, STATUS_SYSTEM, EIO, "cannot read /proc/self/status");
	if (readlink("/proc/self", self, sizeof(self) - 1) < 0 || atoi(self) != getpid() ||
	    count > 1)
		return error_set(
			error, STATUS_SYSTEM, ESRCH,
			"/proc shows another PID namespace than the one nskill is in: "
			"mount it anew with 'mount -t proc proc /proc', or enter that namespace");
	return 0;
}

int ground_check(struct error *error)
{
	int rc = check_pidfd(error);

	return rc ? rc : check_proc(error);
}

void ground_features(struct ground_features *features)
{
	struct pidref self = PIDREF_NULL;

	*features = (struct ground_features){ 0 };
	if (pidref_open(&self, getpid()) < 0)
		return;
	features->pidfd = pidref_signal(&self, 0) == 0;
	/* The caller is in its group whatever the group's number is; -ESRCH is an answer, too. */
	features->group_signal = pidref_signal_group(&self, 0) != -EINVAL;
	features->unique_inode = self.inode != 0;
	pidref_close(&self);
}

void ground_fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void ground_leave_folder(void)
{
	if (chdir("/") < 0)
		return; /* it may be denied, and then it is held as by any other program */
}

int ground_close_from(int first)
{
	struct dirent *entry;
	DIR *folder;

	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return 0;
	/* Before Linux 5.9: one by one. */
	folder = opendir("/proc/self/fd");
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (fd >= first && fd != dirfd(folder))
			close(fd);
	}
	closedir(folder);
	return 0;
}
