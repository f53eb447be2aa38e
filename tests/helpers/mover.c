// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mover NAME - write "NAME PID" to descriptor 9, read the inode of a mount namespace from standard
 * input, and move into new mount namespaces until one has been given that inode
 *
 * Those that have not are held, so that their inodes are not given out again. Has a child there,
 * then writes "NAME-child PID" and "NAME-moved PID", or "NAME-failed PID".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 400

static int move_to(unsigned long long inode)
{
	struct stat st;

	for (int try = 0; try < TRIES; try++) {
		if (open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC) < 0 || unshare(CLONE_NEWNS) < 0)
			return 0;
		if (stat("/proc/self/ns/mnt", &st) == 0 && st.st_ino == inode)
			return 1;
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
