// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuckargs NAME FILE - lay a page of FILE over its own arguments, write "NAME PID" to descriptor 9
 * and stay for ever
 *
 * Where FILE is never read to the end (see stuckfs), whoever reads /proc/PID/cmdline waits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 4

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static char filler[PAGES * 65536];

	if (argc == 3) {
		memset(filler, 'x', PAGES * page);
		execv("/proc/self/exe", (char *[]){ argv[0], argv[1], argv[2], filler, NULL });
		perror("stuckargs: exec");
		return 125;
	}
	if (argc != 4) {
		fprintf(stderr, "usage: stuckargs NAME FILE\n");
		return 2;
	}
	/* A page with nothing in it but the last argument. */
	char *place = argv[3] + page - (uintptr_t)argv[3] % page;
	int file = open(argv[2], O_RDONLY | O_CLOEXEC);

	if (file < 0) {
		perror(argv[2]);
		return 125;
	}
	if (mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
		perror("stuckargs: mmap");
		return 125;
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	for (;;)
		pause();
}
