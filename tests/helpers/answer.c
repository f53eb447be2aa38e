// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answer COMMAND [ARGUMENT...] - run COMMAND in a session of its own that has a terminal, which is
 * none of its standard descriptors
 *
 * What the terminal shows goes to the file "screen". As often as that ends in a question, "[y/N] ",
 * "asked PID" is written to descriptor 9. What comes from the FIFO "answers" is typed. Exits as
 * COMMAND does, or with 128 and the signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTION "[y/N] "

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void become(int theirs, const sigset_t *mask, char **argv)
{
	/* A shell has these ignored for what it starts in the background. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	setsid();
	if (ioctl(theirs, TIOCSCTTY, 0) < 0)
		die("answer: TIOCSCTTY");
	close(theirs);
	execvp(argv[0], argv);
	die(argv[0]);
}

/* Whether @shown, to which @size bytes were added, ends in the question. */
static int is_asked(char *shown, const char *added, size_t size)
{
	const size_t length = strlen(QUESTION);

	for (size_t i = 0; i < size; i++) {
		memmove(shown, shown + 1, length - 1);
		shown[length - 1] = added[i];
	}
	return memcmp(shown, QUESTION, length) == 0;
}

static void type(int ours, int answers)
{
	char buffer[4096];
	ssize_t n = read(answers, buffer, sizeof(buffer));

	if (n > 0 && write(ours, buffer, (size_t)n) != n)
		die("answer: terminal");
}

/* Until @ended says that the child has, and all that it wrote is out. */
static void talk(int ours, int answers, int ended, int screen, pid_t child)
{
	struct pollfd fds[] = { { .fd = ours, .events = POLLIN },
				{ .fd = answers, .events = POLLIN },
				{ .fd = ended, .events = POLLIN } };
	char buffer[4096], shown[sizeof(QUESTION)] = "";
	ssize_t n;

	while (poll(fds, 3, -1) > 0) {
		if (fds[1].revents)
			type(ours, answers);
		if (fds[2].revents && !fds[0].revents)
			return;
		if (!fds[0].revents)
			continue;
		n = read(ours, buffer, sizeof(buffer));
		if (n <= 0)
			return;
		if (write(screen, buffer, (size_t)n) != n)
			die("answer: screen");
		if (is_asked(shown, buffer, (size_t)n))
			dprintf(9, "asked %d\n", child);
	}
}

int main(int argc, char **argv)
{
	int ours, theirs, answers, ended, screen, status;
	sigset_t set, mask;

	if (argc < 2) {
		fprintf(stderr, "usage: answer COMMAND [ARGUMENT...]\n");
		return 2;
	}
	answers = open("answers", O_RDWR | O_CLOEXEC);
	screen = open("screen", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (answers < 0 || screen < 0 || openpty(&ours, &theirs, NULL, NULL, NULL) < 0)
		die("answer");
	fcntl(ours, F_SETFD, FD_CLOEXEC);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &mask);
	ended = signalfd(-1, &set, SFD_CLOEXEC);
	pid_t child = fork();
	if (child == 0)
		become(theirs, &mask, argv + 1);
	/* It stays open here, or nobody would have it open before it is asked for. */
	talk(ours, answers, ended, screen, child);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
