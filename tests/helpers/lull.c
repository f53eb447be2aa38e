// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lull MSEC NAME... - watch for MSEC milliseconds that no process called NAME is alive or born
 *
 * All processes are read in the beginning and in the end, and in between those whose PIDs are
 * handed out. Says who there was, and exits with 1 if there was anybody.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char **names;
static int seen;

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = -1;

	if (file >= 0) {
		length = read(file, text, size - 1);
		close(file);
	}
	text[length > 0 ? length : 0] = '\0';
	return length;
}

static void look_at(int pid, const char *when)
{
	char path[32], stat[512], *name, *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_file(path, stat, sizeof(stat)) <= 0)
		return;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!name || !end || end[1] != ' ' || end[2] == 'Z' || end[2] == 'X')
		return;
	*end = '\0';
	for (char **want = names; *want; want++) {
		if (strcmp(name + 1, *want) != 0)
			continue;
		if (seen++ < 10)
			printf("%s %s: %d %s) %s\n", *want, when, pid, name, end + 2);
	}
}

static void look_at_all(const char *when)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc) {
		perror("lull: /proc");
		exit(125);
	}
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at(atoi(entry->d_name), when);
	closedir(proc);
}

static int last_number_in(const char *path)
{
	char text[128];

	if (read_file(path, text, sizeof(text)) <= 0) {
		perror(path);
		exit(125);
	}
	return atoi(strrchr(text, ' ') ? strrchr(text, ' ') : text);
}

/* Numbers wrap around below pid_max. */
static void look_at_range(int after, int until, int pid_max)
{
	for (int pid = after; pid != until;) {
		pid = pid + 1 < pid_max ? pid + 1 : 1;
		look_at(pid, "born");
	}
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: lull MSEC NAME...\n");
		return 2;
	}
	int pid_max = last_number_in("/proc/sys/kernel/pid_max");
	int last = last_number_in("/proc/loadavg");
	long long end = now() + atoi(argv[1]);

	names = argv + 2;
	look_at_all("alive in the beginning");
	do {
		int newest = last_number_in("/proc/loadavg");

		look_at_range(last, newest, pid_max);
		last = newest;
		usleep(500);
	} while (now() < end);
	look_at_all("alive in the end");
	return seen > 0;
}
