// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * population [-m] NUMBER SIZE - be NUMBER processes that stay, in sessions of SIZE; print our PID
 *
 * All are below the first, whose PID it is, and which is one of them; with -m in a session and a
 * mount namespace of its own. The PID is printed when all are there.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stay(void)
{
	for (;;)
		pause();
}

static void arrive(int pipe)
{
	if (write(pipe, ".", 1) != 1)
		_exit(1);
}

/* One session: its leader, who is here, and the others, who are his children. */
static void lead(int size, int pipe)
{
	setsid();
	arrive(pipe);
	while (--size > 0) {
		pid_t child = fork();

		if (child < 0)
			_exit(1);
		if (child == 0) {
			arrive(pipe);
			stay();
		}
	}
	stay();
}

static int settle(int number, int size, int pipe)
{
	for (int left = number; left > 0; left -= size) {
		pid_t child = fork();

		if (child < 0)
			return -1;
		if (child == 0)
			lead(left < size ? left : size, pipe);
	}
	return 0;
}

/* Where one could not be forked, the pipe says nothing any more, and the alarm ends this. */
static int meet(int number, int pipe)
{
	char arrived[512];

	alarm(60);
	while (number > 0) {
		ssize_t got = read(pipe, arrived, sizeof(arrived));

		if (got <= 0)
			return -1;
		number -= (int)got;
	}
	alarm(0);
	return 0;
}

int main(int argc, char **argv)
{
	bool apart = argc == 4 && strcmp(argv[1], "-m") == 0;
	int number, size, pipes[2];

	if (argc != 3 + apart) {
		fprintf(stderr, "usage: population [-m] NUMBER SIZE\n");
		return 2;
	}
	number = atoi(argv[1 + apart]) - 1;
	size = atoi(argv[2 + apart]);
	if (size < 1 || pipe(pipes) < 0 || (apart && (setsid() < 0 || unshare(CLONE_NEWNS) < 0)) ||
	    settle(number, size, pipes[1]) < 0 || meet(number, pipes[0]) < 0) {
		perror("population");
		return 125;
	}
	printf("%d\n", getpid());
	fclose(stdout);
	stay();
}
