/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes that fork for ever have in common, and where they say that they are alive. */
#ifndef NSKILL_TESTS_HELPERS_KEEPS_H
#define NSKILL_TESTS_HELPERS_KEEPS_H

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** What a file of 16 bytes has, so that who reads it twice knows whether its writers live. */
struct tally {
	_Atomic unsigned long long beats; /* moves as long as one of them lives */
	_Atomic unsigned long long hits;  /* of signals that none of them was to get */
};

/** All of the same file have the same tally. */
static inline struct tally *tally_open(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct tally *tally;

	if (file < 0 || ftruncate(file, sizeof(*tally)) < 0) {
		perror(path);
		exit(125);
	}
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (tally == MAP_FAILED) {
		perror("mmap");
		exit(125);
	}
	close(file);
	return tally;
}

/** What a child keeps of its parent: "group", "session" or "mnt", and "+unshare" behind it. */
struct keeps {
	bool new_group;	    /* the session, but not the group */
	bool new_session;   /* the mount namespace, but neither */
	bool new_namespace; /* and not that either */
};

static inline struct keeps keeps_parse(const char *word)
{
	return (struct keeps){ .new_group = !strncmp(word, "session", strlen("session")),
			       .new_session = !strncmp(word, "mnt", strlen("mnt")),
			       .new_namespace = strstr(word, "+unshare") };
}

/** A child that cannot leave does not go on: it would not be what the check is about. */
static inline void keeps_leave(const struct keeps *keeps)
{
	if (keeps->new_group && setpgid(0, 0) < 0)
		_exit(1);
	if (keeps->new_session && setsid() < 0)
		_exit(1);
	if (keeps->new_namespace && unshare(CLONE_NEWNS) < 0)
		_exit(1);
}

#endif
