// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure COMMAND... - run it, with nothing on standard input and its output nowhere; print how
 * many microseconds it took from before its start to its end, how many of a CPU's it and its
 * children used, its peak of memory in KiB, and its exit status
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long long used(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

/* A command's memory counts from the fork on, before it is executed: a shell has a lot of it. */
int main(int argc, char **argv)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), status;
	struct rusage usage;
	long long begin;
	pid_t child;

	if (argc < 2 || nowhere < 0) {
		fprintf(stderr, "usage: measure COMMAND...\n");
		return 2;
	}
	begin = now();
	child = fork();
	if (child == 0) {
		dup2(nowhere, STDIN_FILENO);
		dup2(nowhere, STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 125;
	}
	printf("%lld %lld %ld %d\n", now() - begin, used(usage.ru_utime) + used(usage.ru_stime),
	       usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
