// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spray leave USEC - every USEC microseconds fork a child that leaves group and session, and stays;
 *                    MOST of them at the most, for the sake of the machine
 * spray adopt USEC COUNT - COUNT children that end after USEC microseconds and fork another before;
 *                          those come to this process, which is their subreaper
 *
 * Both write "spray PID" to descriptor 9 when there are children.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST 300
#define HOPS 3000 /* of each, for the same reason */

static void leave(useconds_t period)
{
	for (int made = 0; made < MOST; made++) {
		if (fork() == 0) {
			setsid();
			for (;;)
				pause();
		}
		if (made == 3)
			dprintf(9, "spray %d\n", getpid());
		usleep(period);
	}
	for (;;)
		pause();
}

static void hop(useconds_t period)
{
	int hops = 0;

	do
		usleep(period);
	while (++hops < HOPS && fork() == 0);
	_exit(0);
}

static void adopt(useconds_t period, int count)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN); /* the kernel reaps */
	for (int i = 0; i < count; i++)
		if (fork() == 0)
			hop(period);
	dprintf(9, "spray %d\n", getpid());
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "leave"))
		leave((useconds_t)atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "adopt"))
		adopt((useconds_t)atoi(argv[2]), atoi(argv[3]));
	fprintf(stderr, "usage: spray leave USEC | spray adopt USEC COUNT\n");
	return 2;
}
