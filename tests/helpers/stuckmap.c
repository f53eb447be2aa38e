// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuckmap NAME FILE - be stuck with the lock of its own memory held, FILE being the one of stuckfs
 *
 * Writes "NAME PID" to descriptor 9 and reads FILE in a thread; on SIGUSR1 maps it. To map a file
 * that is open for direct reading waits for the page that is being read. Whoever reads the
 * process's cmdline, environ or maps waits from then on.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void *read_it(void *path)
{
	char byte;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || read(file, &byte, 1) < 0)
		perror("stuckmap: read");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t go;
	int which, file;

	if (argc != 3) {
		fprintf(stderr, "usage: stuckmap NAME FILE\n");
		return 2;
	}
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	dprintf(9, "%s %d\n", argv[1], getpid());
	if (pthread_create(&thread, NULL, read_it, argv[2]) != 0)
		return 125;
	sigwait(&go, &which);
	file = open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (file < 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
		perror("stuckmap: mmap");
	for (;;)
		pause();
}
