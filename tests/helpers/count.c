// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count [-b BORN] NAME [CHILD...] - count how often TERM and the first real-time signal have come
 *
 * NAME and its children each write "NAME PID" to descriptor 9, and one byte into the file
 * NAME.signals for every signal (the real-time one is queued, so that none is lost), and into
 * NAME.beats every 20 ms. NAME has a child BORN, which does the same, when its first signal comes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sigset_t awaited;
static int signals, beats;

static int create(const char *name, const char *of)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s.%s", name, of);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0) {
		perror(path);
		_exit(125);
	}
	return fd;
}

static void mark(int fd)
{
	if (write(fd, ".", 1) != 1)
		_exit(125);
}

static void begin(const char *name)
{
	signals = create(name, "signals");
	beats = create(name, "beats");
	dprintf(9, "%s %d\n", name, getpid());
}

static void count(const char *name, const char *born)
{
	const struct timespec beat = { .tv_nsec = 20000000 };

	begin(name);
	for (;;) {
		if (sigtimedwait(&awaited, NULL, &beat) < 0) {
			if (errno == EAGAIN)
				mark(beats);
			continue;
		}
		mark(signals);
		if (born && fork() == 0)
			begin(born);
		born = NULL;
	}
}

int main(int argc, char **argv)
{
	const char *born = NULL;

	if (argc > 3 && argv[1][0] == '-' && argv[1][1] == 'b') {
		born = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: count [-b BORN] NAME [CHILD...]\n");
		return 2;
	}
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	for (int i = 2; i < argc; i++)
		if (fork() == 0)
			count(argv[i], NULL);
	count(argv[1], born);
}
