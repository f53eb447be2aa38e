// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zombie-leader NAME - end the first thread of this process while another stays
 *
 * When /proc shows the process as a zombie, writes "NAME PID" and "NAME-thread TID" to
 * descriptor 9.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_t first;
static const char *name;

static int is_zombie(void)
{
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	FILE *stat = fopen(path, "re");
	if (!stat)
		return 0;
	size_t length = fread(line, 1, sizeof(line) - 1, stat);
	fclose(stat);
	line[length] = '\0';
	const char *end = strrchr(line, ')');
	return end && end[1] == ' ' && end[2] == 'Z';
}

static void *stay(void *unused)
{
	(void)unused;
	pthread_join(first, NULL);
	while (!is_zombie())
		sched_yield();
	dprintf(9, "%s %d\n%s-thread %d\n", name, getpid(), name, gettid());
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t second;

	if (argc != 2) {
		fprintf(stderr, "usage: zombie-leader NAME\n");
		return 2;
	}
	name = argv[1];
	first = pthread_self();
	if (pthread_create(&second, NULL, stay, NULL)) {
		fprintf(stderr, "zombie-leader: no second thread\n");
		return 125;
	}
	pthread_exit(NULL);
}
