/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/watch.h"

#include "linux/clock.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define AT_ONCE	  64
#define NS_PER_MS (NS_PER_SECOND / 1000)

static int add(struct watch *watch, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int watch_open(struct watch *watch)
{
	struct watch opened = WATCH_NULL;
	sigset_t set;
	int rc = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	opened.epoll = epoll_create1(EPOLL_CLOEXEC);
	opened.interrupts = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (opened.epoll < 0 || opened.interrupts < 0)
		rc = -errno;
	if (!rc)
		rc = add(&opened, opened.interrupts, NULL);
	if (!rc)
		rc = sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? -errno : 0;
	if (rc < 0) {
		watch_close(&opened);
		return rc;
	}
	*watch = opened;
	return 0;
}

int watch_add(struct watch *watch, const struct pidref *ref, void *data)
{
	return add(watch, ref->fd, data);
}

/* Rounded up, so that time is really up when epoll says so. */
static int milliseconds_until(uint64_t until)
{
	uint64_t now, left;

	if (until == CLOCK_NEVER)
		return -1;
	now = clock_now();
	if (now >= until)
		return 0;
	left = (until - now + NS_PER_MS - 1) / NS_PER_MS;
	return left > INT_MAX ? INT_MAX : (int)left;
}

int watch_wait(struct watch *watch, uint64_t until, void **ended, size_t size, int *signal)
{
	struct epoll_event events[AT_ONCE];
	struct signalfd_siginfo info;
	size_t count = 0;
	int n;

	do {
		n = epoll_wait(watch->epoll, events, size < AT_ONCE ? (int)size : AT_ONCE,
			       milliseconds_until(until));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr) {
			ended[count++] = events[i].data.ptr;
		} else if (read(watch->interrupts, &info, sizeof(info)) == sizeof(info)) {
			*signal = (int)info.ssi_signo;
			return -EINTR;
		}
	}
	return (int)count;
}

void watch_ignore_interrupts(struct watch *watch)
{
	if (watch->interrupts >= 0)
		close(watch->interrupts);
	watch->interrupts = -1;
}

void watch_close(struct watch *watch)
{
	if (watch->epoll >= 0)
		close(watch->epoll);
	watch_ignore_interrupts(watch);
	*watch = WATCH_NULL;
}
