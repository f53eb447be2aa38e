// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mover NAME - write "NAME PID" to descriptor 9, read the inode of a mount namespace from standard
 * input, and move into new mount namespaces until one has been given that inode
 *
 * The lowest free inode is given out first. Namespaces of lower ones are held, so that it comes to
 * the wanted one; where somebody else on the machine has that, he is waited for, for 10 s. Has a
 * child there, then writes "NAME-child PID" and "NAME-moved PID", or "NAME-failed PID".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 2000
#define PAUSE 5000 /* us */

static int move_to(unsigned long long inode)
{
	struct stat st;

	for (int try = 0; try < TRIES; try++) {
		if (unshare(CLONE_NEWNS) < 0 || stat("/proc/self/ns/mnt", &st) < 0)
			return 0;
		if (st.st_ino == inode)
			return 1;
		if (st.st_ino < inode)
			open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
		else
			usleep(PAUSE);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long long inode;

	if (argc != 2) {
		fprintf(stderr, "usage: mover NAME\n");
		return 2;
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	if (scanf("%llu", &inode) == 1 && move_to(inode)) {
		pid_t child = fork();

		if (child > 0)
			dprintf(9, "%s-child %d\n%s-moved %d\n", argv[1], child, argv[1], getpid());
	} else {
		dprintf(9, "%s-failed %d\n", argv[1], getpid());
	}
	for (;;)
		pause();
}
