// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * logd [-s] [-f] [-w SECONDS] FILE - be the syslog daemon: make /dev/log, write "logd PID" to
 * descriptor 9, and append each line that comes to FILE
 *
 *	-s  a stream socket
 *	-f  its queue is full before anybody comes
 *	-w  do not read for SECONDS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static int client(int type)
{
	int fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);

	if (fd < 0)
		die("logd: socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (errno != EAGAIN)
		die("logd: connect");
	return -1;
}

static void fill(int type)
{
	int fd = client(type);

	if (type == SOCK_STREAM) {
		while (client(type) >= 0)
			;
		return;
	}
	while (send(fd, "<13>filler", 10, 0) > 0)
		;
	if (errno != EAGAIN)
		die("logd: send");
}

/* A NUL ends each line of a stream. */
static void take(int fd, FILE *file, int type)
{
	char text[65536];
	ssize_t size;

	while ((size = recv(fd, text, sizeof(text), 0)) > 0) {
		for (ssize_t i = 0; i < size; i++)
			fputc(text[i] ? text[i] : '\n', file);
		if (type == SOCK_DGRAM)
			fputc('\n', file);
		fflush(file);
	}
}

int main(int argc, char **argv)
{
	int option, type = SOCK_DGRAM, full = 0;
	unsigned int seconds = 0;

	while ((option = getopt(argc, argv, "sfw:")) != -1) {
		switch (option) {
		case 's':
			type = SOCK_STREAM;
			break;
		case 'f':
			full = 1;
			break;
		case 'w':
			seconds = (unsigned int)atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: logd [-s] [-f] [-w SECONDS] FILE\n");
		return 2;
	}
	FILE *file = fopen(argv[optind], "a");
	int fd = socket(AF_UNIX, type, 0);

	unlink(address.sun_path);
	if (!file || fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    chmod(address.sun_path, 0666) < 0 || (type == SOCK_STREAM && listen(fd, 4) < 0))
		die("logd");
	if (full)
		fill(type);
	dprintf(9, "logd %d\n", getpid());
	sleep(seconds);
	for (;;) {
		int peer = type == SOCK_STREAM ? accept(fd, NULL, NULL) : fd;

		take(peer, file, type);
		if (peer != fd)
			close(peer);
	}
}
