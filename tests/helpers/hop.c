// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hop KEEPS FILE - do nothing but fork and exit, for ever
 *
 * KEEPS is what all hops have in common: "group" the process group, "session" the session but not
 * the group, "mnt" the mount namespace but neither. The first 8 bytes of FILE count the hops, so
 * that who reads them twice knows whether it still hops.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: hop group|session|mnt FILE\n");
		return 2;
	}
	int new_group = !strcmp(argv[1], "session");
	int new_session = !strcmp(argv[1], "mnt");
	int file = open(argv[2], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (file < 0 || ftruncate(file, sizeof(_Atomic unsigned long long)) < 0) {
		perror(argv[2]);
		return 125;
	}
	_Atomic unsigned long long *hops =
		mmap(NULL, sizeof(*hops), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (hops == MAP_FAILED) {
		perror("hop: mmap");
		return 125;
	}
	for (;;) {
		pid_t child = fork();

		if (child > 0)
			_exit(0);
		if (child < 0)
			continue;
		if (new_group)
			setpgid(0, 0);
		if (new_session)
			setsid();
		atomic_fetch_add(hops, 1);
	}
}
