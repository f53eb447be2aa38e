// SPDX-License-Identifier: GPL-2.0-or-later
/* pidfd-inode PID - print the inode of that process's pidfd; fails where the kernel has no pidfs */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PIDFS 0x50494446 /* PID_FS_MAGIC since Linux 6.9 */

int main(int argc, char **argv)
{
	struct statfs fs;
	struct stat st;

	if (argc != 2) {
		fprintf(stderr, "usage: pidfd-inode PID\n");
		return 2;
	}
	int fd = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
	if (fd < 0 || fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0) {
		perror("pidfd-inode");
		return 125;
	}
	if (fs.f_type != PIDFS)
		return 1;
	printf("%llu\n", (unsigned long long)st.st_ino);
	return 0;
}
