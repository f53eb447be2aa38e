// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timens NANOSECONDS COMMAND... - run COMMAND in a time namespace whose CLOCK_BOOTTIME is that much
 * ahead of ours (or behind it); "now" in place of the number: so that it has just begun to count
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static long long offset_of(const char *word)
{
	struct timespec now;

	if (strcmp(word, "now") != 0)
		return atoll(word);
	clock_gettime(CLOCK_BOOTTIME, &now);
	return 2000000 - (now.tv_sec * SECOND + now.tv_nsec); /* a little more than nothing */
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: timens NANOSECONDS|now COMMAND...\n");
		return 2;
	}
	if (unshare(CLONE_NEWTIME) < 0) {
		perror("timens: unshare");
		return 125;
	}
	int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	long long offset = offset_of(argv[1]);
	long long seconds = offset / SECOND, rest = offset % SECOND;
	if (rest < 0) {
		seconds--;
		rest += SECOND;
	}
	if (file < 0 || dprintf(file, "boottime %lld %lld\n", seconds, rest) < 0) {
		perror("timens: /proc/self/timens_offsets");
		return 125;
	}
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("timens");
		return 125;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
