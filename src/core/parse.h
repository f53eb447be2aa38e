/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words to values. Pure: a whole string is one value, or it is an error. Each returns 0 and writes
 * its result, or returns -EINVAL (not such a word) or -ERANGE (such a word, but too large) and
 * writes nothing.
 */
#ifndef NSKILL_CORE_PARSE_H
#define NSKILL_CORE_PARSE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A PID: decimal digits alone, no sign or white space; 0 is -EINVAL, 1 is accepted. */
int parse_pid(const char *word, pid_t *pid);

/** "PID:INODE", as util-linux prints it: a PID above 1 and the inode of its pidfd, above 0. */
int parse_pid_inode(const char *word, pid_t *pid, uint64_t *inode);

/** A count: decimal digits alone, at least 1. */
int parse_count(const char *word, size_t *count);

/**
 * The content of a plain pidfile, of @size bytes: one PID (as parse_pid(), and above 1), white
 * space before and after it allowed, NUL bytes not.
 */
int parse_pidfile(const char *text, size_t size, pid_t *pid);

/**
 * A signal: a name with or without SIG in any case (RTMIN+N and RTMAX-N too), or a number; not 0.
 */
int parse_signal(const char *word, int *signal);

/**
 * A span of time: a decimal number (as timeout(1): "1.5", ".5", "5.") with ms, s (the default), m,
 * h or d, or "infinity". In ns, rounded up; UINT64_MAX for infinity.
 */
int parse_duration(const char *word, uint64_t *ns);

/**
 * A list of kinds, separated by commas, as SCOPE_BIT()s: either plain names alone ("pgrp,mnt",
 * "all"), or changes to the default alone ("+mnt,-tree"). An empty list or item is -EINVAL.
 */
int parse_match(const char *word, unsigned *kinds);

/** Of a list that parse_match() refuses, the item it stumbles over, of @length bytes. */
const char *parse_match_fault(const char *word, size_t *length);

#endif
