/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/group.h"

#include "linux/close.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The owner of an open file (F_SETOWN_EX of fcntl(2)) is kept as the kernel's own object for the
 * number, which a later bearer of that does not share. No signal comes of it without O_ASYNC, and
 * anybody may be named. An eventfd is the least thing that can be owned.
 */
static int hold(pid_t number)
{
	struct f_owner_ex owner = { .type = F_OWNER_PGRP, .pid = number };
	int rc, fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_SETOWN_EX, &owner) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

bool group_is_empty(int fd)
{
	struct f_owner_ex owner = { 0 };

	return fcntl(fd, F_GETOWN_EX, &owner) == 0 && owner.pid == 0;
}

/* A thread has a number, and no group can have that. */
static void *try_thread(void *empty)
{
	int fd = hold(gettid());

	*(bool *)empty = fd >= 0 && group_is_empty(fd);
	close_descriptor(&fd);
	return NULL;
}

/* Before Linux 5.12 the number was told whether or not anybody was in the group. */
static bool is_emptiness_told(void)
{
	static bool tried, told;
	pthread_t thread;

	if (!tried && pthread_create(&thread, NULL, try_thread, &told) == 0)
		pthread_join(thread, NULL);
	tried = true;
	return told;
}

/* The lowest free descriptor is handed out first. */
static bool is_in_upper_half(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd >= limit.rlim_cur / 2;
}

int group_hold(pid_t number)
{
	int fd;

	if (!is_emptiness_told())
		return -ENOSYS;
	fd = hold(number);
	if (fd >= 0 && is_in_upper_half(fd)) {
		close(fd);
		return -EMFILE;
	}
	return fd;
}

void group_release(int *fd)
{
	close_descriptor(fd);
}
