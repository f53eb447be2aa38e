/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/bounded.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* What the caller of nskill has left us of SIGALRM: a timer goes on over execve(2), too. */
struct legacy {
	struct itimerval timer;
	struct sigaction action;
	sigset_t mask;
};

static void interrupt(int signal)
{
	(void)signal;
}

/* It keeps on ringing, in case that the first time is before the call. */
static void begin(struct legacy *legacy)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000, .it_interval.tv_usec = 20000 };
	const struct sigaction action = { .sa_handler = interrupt };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, &legacy->action);
	setitimer(ITIMER_REAL, &soon, &legacy->timer);
	sigprocmask(SIG_UNBLOCK, &alarm, &legacy->mask);
}

static void end(const struct legacy *legacy)
{
	const struct itimerval never = { 0 };
	int saved = errno;

	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, &legacy->mask, NULL);
	sigaction(SIGALRM, &legacy->action, NULL);
	setitimer(ITIMER_REAL, &legacy->timer, NULL);
	errno = saved;
}

ssize_t bounded_read(int fd, void *to, size_t size)
{
	struct legacy legacy;
	ssize_t got;

	begin(&legacy);
	got = read(fd, to, size);
	end(&legacy);
	return got;
}

ssize_t bounded_write(int fd, const void *from, size_t size)
{
	struct legacy legacy;
	ssize_t written;

	begin(&legacy);
	written = write(fd, from, size);
	end(&legacy);
	return written;
}
