/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/watch.h"

#include "linux/clock.h"
#include "linux/close.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define AT_ONCE 64

static int add(struct watch *watch, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* What the caller has had ignored (nohup, a job in the background) must stay so. */
static sigset_t interrupts(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	return set;
}

int watch_open(struct watch *watch)
{
	struct watch opened = WATCH_NULL;
	sigset_t set = interrupts();
	int rc = 0;

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

int watch_wait(struct watch *watch, uint64_t until, void **ended, size_t size, int *signal)
{
	struct epoll_event events[AT_ONCE];
	struct signalfd_siginfo info;
	size_t count = 0;
	int n;

	do {
		n = epoll_wait(watch->epoll, events, size < AT_ONCE ? (int)size : AT_ONCE,
			       clock_milliseconds_until(until));
	} while (n < 0 && errno == EINTR && clock_now() < until);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
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
	close_descriptor(&watch->interrupts);
}

void watch_close(struct watch *watch)
{
	close_descriptor(&watch->epoll);
	close_descriptor(&watch->interrupts);
}
