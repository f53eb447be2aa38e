/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of scope: what ties processes together. A new kind of namespace is a line here and a
 * row of the table in core/kind.c.
 */
#ifndef NSKILL_CORE_KIND_H
#define NSKILL_CORE_KIND_H

#include <stdbool.h>
#include <stdint.h>

enum scope_kind {
	SCOPE_PGRP,
	SCOPE_SESSION,
	SCOPE_MNT, /* the namespaces, and no others, from here */
	SCOPE_PID,
	SCOPE_NET,
	SCOPE_IPC,
	SCOPE_UTS,
	SCOPE_USER,
	SCOPE_TIME,
	SCOPE_CGROUPNS,		  /* to here */
	SCOPE_CGROUP,		  /* one holds all that is in those below it, too */
	SCOPE_TREE,		  /* holds nobody by a number that is shared */
	SCOPE_IO,		  /* nor does this: the target's output */
	SCOPE_KINDS,		  /* how many there are */
	SCOPE_NAMED = SCOPE_TREE, /* how many of them, the first, have such a number */
};

#define SCOPE_NAMESPACES (SCOPE_CGROUPNS - SCOPE_MNT + 1)

#define SCOPE_BIT(kind)	     (1U << (kind))
#define SCOPE_ALL	     (SCOPE_BIT(SCOPE_KINDS) - 1)
#define SCOPE_NAMESPACE_BITS (SCOPE_BIT(SCOPE_CGROUPNS + 1) - SCOPE_BIT(SCOPE_MNT))
#define SCOPE_DEFAULT                                                                              \
	(SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_SESSION) | SCOPE_BIT(SCOPE_MNT) |                 \
	 SCOPE_BIT(SCOPE_TREE))

/** The word for a kind on the command line and in listings: "pgrp", "mnt". */
const char *scope_kind_name(enum scope_kind kind);

/** The same for a reader: "process group", "mount namespace". */
const char *scope_kind_words(enum scope_kind kind);

/** Of a kind of namespace, its name in /proc/PID/ns (namespaces(7)); of others NULL. */
const char *scope_kind_link(enum scope_kind kind);

/** Of a kind of namespace, the inode that the kernel gives to the first one. */
uint64_t scope_kind_first(enum scope_kind kind);

/** Whether those of that kind bear the number of the process that made them, its leader. */
bool scope_kind_is_led(enum scope_kind kind);

#endif
