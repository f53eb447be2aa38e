// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bare - what cannot be done with less: the limits that nskill is held against
 *
 *	bare look PID      read stat and ns/mnt of every process once; print how many are alive in
 *	                   the mount namespace of PID (or, where it is "mnt:[N]", in that)
 *	bare list PID      print the PIDs of these
 *	bare kill FILE     send KILL through pidfds to the PIDs in FILE, and wait for their ends
 *	bare cgroup FOLDER write to cgroup.kill there, wait until nobody is in it, then look once
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int die(const char *what)
{
	perror(what);
	exit(125);
}

static ssize_t read_file(int folder, const char *path, char *text, size_t size)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return got;
}

static bool is_alive(const char *stat)
{
	const char *name_end = strrchr(stat, ')');

	return name_end && name_end[2] != 'Z' && name_end[2] != 'X';
}

/* The two reads, whoever it is. */
static bool lives_in(int proc, const char *pid, const char *mntns)
{
	char path[64], stat[1024], link[64];
	ssize_t got;

	snprintf(path, sizeof(path), "%.16s/stat", pid);
	read_file(proc, path, stat, sizeof(stat));
	snprintf(path, sizeof(path), "%.16s/ns/mnt", pid);
	got = readlinkat(proc, path, link, sizeof(link) - 1);
	link[got < 0 ? 0 : got] = '\0';
	return got > 0 && strcmp(link, mntns) == 0 && is_alive(stat);
}

static int look(const char *whom, bool list)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[64], mntns[64] = "";
	int count = 0;

	if (!proc)
		die("/proc");
	snprintf(path, sizeof(path), "%.16s/ns/mnt", whom);
	if (strchr(whom, ':'))
		snprintf(mntns, sizeof(mntns), "%.60s", whom);
	else if (readlinkat(dirfd(proc), path, mntns, sizeof(mntns) - 1) < 0)
		die(path);
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !lives_in(dirfd(proc), entry->d_name, mntns))
			continue;
		count++;
		if (list)
			puts(entry->d_name);
	}
	closedir(proc);
	if (!list)
		printf("%d\n", count);
	return 0;
}

static int kill_listed(const char *file)
{
	FILE *pids = fopen(file, "re");
	struct rlimit limit;
	int *held, count = 0, pid;

	if (!pids || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die(file);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	held = calloc(limit.rlim_cur, sizeof(*held));
	if (!held)
		die("calloc");
	for (; fscanf(pids, "%d", &pid) == 1; count++) {
		held[count] = (int)syscall(SYS_pidfd_open, pid, 0);
		if (held[count] < 0)
			die("pidfd_open");
	}
	fclose(pids);
	for (int i = 0; i < count; i++)
		syscall(SYS_pidfd_send_signal, held[i], SIGKILL, NULL, 0);
	for (int i = 0; i < count; i++)
		poll(&(struct pollfd){ .fd = held[i], .events = POLLIN }, 1, -1);
	return 0;
}

static int kill_cgroup(const char *folder)
{
	int cgroup = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int events = openat(cgroup, "cgroup.events", O_RDONLY | O_CLOEXEC);
	int fd = openat(cgroup, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	char text[128] = "";

	if (fd < 0 || events < 0 || write(fd, "1", 1) != 1)
		die("cgroup.kill");
	for (;;) {
		ssize_t got = pread(events, text, sizeof(text) - 1, 0);

		if (got < 0)
			die("cgroup.events");
		text[got] = '\0';
		if (strstr(text, "populated 0"))
			return look("self", false);
		poll(&(struct pollfd){ .fd = events, .events = POLLPRI }, 1, -1);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "look") == 0)
		return look(argv[2], false);
	if (argc == 3 && strcmp(argv[1], "list") == 0)
		return look(argv[2], true);
	if (argc == 3 && strcmp(argv[1], "kill") == 0)
		return kill_listed(argv[2]);
	if (argc == 3 && strcmp(argv[1], "cgroup") == 0)
		return kill_cgroup(argv[2]);
	fprintf(stderr, "usage: bare look PID | list PID | kill FILE | cgroup FOLDER\n");
	return 2;
}
