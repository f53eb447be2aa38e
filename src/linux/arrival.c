/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/arrival.h"

#include "core/list.h"
#include "linux/clock.h"
#include "linux/close.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ITSELF (IN_DELETE_SELF | IN_MOVE_SELF)
#define CAME   (IN_CREATE | IN_MOVED_TO)
#define WENT   (IN_DELETE | IN_MOVED_FROM)
#define FILLED (IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB)
#define LINKS  40 /* symbolic links on one way: the kernel follows no more */

/* A directory on the way, and the name that is looked up in it. */
struct step {
	int watch;
	char *name;
	unsigned walk; /* the last one that came by */
	bool last;     /* it got no further: nothing was there, or it is the file */
	bool came;     /* the name has come since */
};

struct arrival {
	int inotify;
	unsigned walk;
	struct step *steps;
	size_t count;
};

/*
 * A path on which symbolic links are replaced by what they lead to: the name that is looked up is
 * from @name to @end, in the directory that is before it.
 */
struct way {
	char text[PATH_MAX];
	size_t name, end;
	unsigned links;
};

static int step_take(struct arrival *arrival, int watch, const char *name)
{
	struct step *step = NULL;
	char *copy;

	for (size_t i = 0; i < arrival->count; i++) {
		struct step *other = &arrival->steps[i];

		if (other->watch == watch && strcmp(other->name, name) == 0)
			step = other;
		else if (other->walk == arrival->walk)
			other->last = other->came = false;
	}
	if (!step) {
		copy = strdup(name);
		step = copy ? list_append(&arrival->steps, &arrival->count, sizeof(*step)) : NULL;
		if (!step) {
			free(copy);
			return -ENOMEM;
		}
		*step = (struct step){ .watch = watch, .name = copy };
	}
	step->walk = arrival->walk;
	step->last = true;
	return 0;
}

static bool is_watched(const struct arrival *arrival, int watch)
{
	for (size_t i = 0; i < arrival->count; i++)
		if (arrival->steps[i].watch == watch)
			return true;
	return false;
}

/*
 * What the walk did not come by is watched no more. But those of the walk before are kept once:
 * their events may not have been read yet, and tell what came and went in between.
 */
static void steps_drop(struct arrival *arrival)
{
	size_t i = 0;

	while (i < arrival->count) {
		struct step step = arrival->steps[i];

		if (arrival->walk - step.walk <= 1) {
			i++;
			continue;
		}
		arrival->steps[i] = arrival->steps[--arrival->count];
		free(step.name);
		if (!is_watched(arrival, step.watch))
			inotify_rm_watch(arrival->inotify, step.watch);
	}
}

/* Watch the directory that the walk has come to, for the name that is looked up in it. */
static int step_watch(struct arrival *arrival, struct way *way)
{
	uint32_t mask = CAME | WENT | ITSELF | IN_ONLYDIR | IN_MASK_ADD;
	char name[NAME_MAX + 1];
	char *at = way->text + way->name;
	int watch;

	if (way->end - way->name > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, at, way->end - way->name);
	name[way->end - way->name] = '\0';
	if (!way->text[way->end])
		mask |= FILLED;
	*at = '\0';
	watch = inotify_add_watch(arrival->inotify, way->name ? way->text : ".", mask);
	*at = name[0];
	return watch < 0 ? -errno : step_take(arrival, watch, name);
}

/* Links in /proc lead where their text does not. */
static bool is_magic(struct way *way)
{
	struct statfs fs;
	char first = way->text[way->name];
	int rc;

	way->text[way->name] = '\0';
	rc = statfs(way->name ? way->text : ".", &fs);
	way->text[way->name] = first;
	return rc == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* 1: there is something to go on with; 0: there is not; or a negative errno. */
static int way_advance(struct way *way)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t size;
	int rc;

	way->text[way->end] = '\0';
	size = readlink(way->text, target, sizeof(target) - 1);
	rc = size < 0 ? errno : 0;
	way->text[way->end] = '/';
	if (rc == EINVAL || (!rc && is_magic(way))) {
		way->name = way->end;
		return 1;
	}
	if (rc || ++way->links > LINKS)
		return 0;
	target[size] = '\0';
	strcpy(rest, way->text + way->end);
	if (target[0] == '/')
		way->name = 0;
	rc = snprintf(way->text + way->name, sizeof(way->text) - way->name, "%s%s", target, rest);
	return (size_t)rc < sizeof(way->text) - way->name ? 1 : -ENAMETOOLONG;
}

/*
 * Each directory is watched before it is looked into, so that no creation slips in between. What
 * fails because something has changed on the way is noticed further up, where it is watched
 * already.
 */
static int arrival_walk(struct arrival *arrival, struct way *way)
{
	int rc, unwatched = 0;

	for (;;) {
		way->name += strspn(way->text + way->name, "/");
		way->end = way->name + strcspn(way->text + way->name, "/");
		rc = step_watch(arrival, way);
		if (rc == -ENOENT || rc == -ENOTDIR)
			return unwatched;
		if (rc < 0 && rc != -EACCES)
			return rc;
		unwatched = rc;
		if (!way->text[way->end])
			return unwatched;
		rc = way_advance(way);
		if (rc <= 0)
			return rc < 0 ? rc : unwatched;
	}
}

static struct arrival *arrival_open(void)
{
	struct arrival *opened = calloc(1, sizeof(*opened));

	if (!opened)
		return NULL;
	opened->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (opened->inotify < 0) {
		free(opened);
		return NULL;
	}
	return opened;
}

static const char *explain(int errnum)
{
	switch (errnum) {
	case EMFILE:
		return "too many inotify instances (fs.inotify.max_user_instances) or open files";
	case ENOSPC:
		return "too many inotify watches (fs.inotify.max_user_watches)";
	case EACCES:
		return "a directory on the way to it may not be read";
	default:
		return strerror(errnum);
	}
}

static int fail(const char *path, int rc, struct error *error)
{
	bool refused = rc == -EACCES || rc == -ENAMETOOLONG;
	char shown[256];

	return error_set(error, refused ? STATUS_REFUSED : STATUS_SYSTEM, -rc,
			 "%s: cannot be waited for: %s", escape(shown, sizeof(shown), path),
			 explain(-rc));
}

int arrival_watch(struct arrival **arrival, const char *path, struct error *error)
{
	struct way way = { .name = 0 };
	int rc;

	if (!*arrival)
		*arrival = arrival_open();
	if (!*arrival)
		return fail(path, -errno, error);
	if (strlen(path) >= sizeof(way.text))
		return fail(path, -ENAMETOOLONG, error);
	strcpy(way.text, path);
	(*arrival)->walk++;
	rc = arrival_walk(*arrival, &way);
	steps_drop(*arrival);
	return rc < 0 ? fail(path, rc, error) : 0;
}

static enum arrival_change step_judge(struct step *step, const struct inotify_event *event)
{
	bool was_there = step->last && step->came;

	if (step->watch != event->wd)
		return ARRIVAL_NONE;
	if (!event->len)
		return ARRIVAL_CHANGE;
	if (strcmp(step->name, event->name) != 0)
		return ARRIVAL_NONE;
	if (event->mask & (CAME | WENT))
		step->came = event->mask & CAME;
	return event->mask & WENT && was_there ? ARRIVAL_GONE : ARRIVAL_CHANGE;
}

static enum arrival_change arrival_judge(struct arrival *arrival, const struct inotify_event *event)
{
	enum arrival_change change = ARRIVAL_NONE, judged;

	if (event->mask & IN_Q_OVERFLOW)
		return ARRIVAL_CHANGE;
	for (size_t i = 0; i < arrival->count; i++) {
		judged = step_judge(&arrival->steps[i], event);
		if (judged > change)
			change = judged;
	}
	return change;
}

static enum arrival_change arrival_read(struct arrival *arrival)
{
	_Alignas(struct inotify_event) char events[16 * 1024];
	enum arrival_change change = ARRIVAL_NONE, judged;
	const struct inotify_event *event;
	ssize_t size = read(arrival->inotify, events, sizeof(events));

	for (ssize_t at = 0; at < size; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const struct inotify_event *)(events + at);
		judged = arrival_judge(arrival, event);
		if (judged > change)
			change = judged;
	}
	return change;
}

/* The clock is asked each time: there may be no end of events that concern others. */
int arrival_wait(struct arrival *arrival, uint64_t until)
{
	struct pollfd poller = { .fd = arrival->inotify, .events = POLLIN };
	enum arrival_change change;
	int rc;

	while (clock_now() < until) {
		rc = poll(&poller, 1, clock_milliseconds_until(until));
		if (rc < 0 && errno != EINTR)
			return -errno;
		change = rc > 0 ? arrival_read(arrival) : ARRIVAL_NONE;
		if (change)
			return change;
	}
	return ARRIVAL_NONE;
}

void arrival_close(struct arrival **arrival)
{
	struct arrival *closed = *arrival;

	if (!closed)
		return;
	close_descriptor(&closed->inotify);
	for (size_t i = 0; i < closed->count; i++)
		free(closed->steps[i].name);
	free(closed->steps);
	free(closed);
	*arrival = NULL;
}
