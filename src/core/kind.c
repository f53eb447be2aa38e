/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/kind.h"

#include <stddef.h>

/*
 * The inodes are those of include/uapi/linux/nsfs.h (enum init_ns_ino). Those of the mount and the
 * network namespace are fixed since Linux 6.18; before, they were the first of the dynamic ones.
 */
static const struct {
	const char *name, *words, *link;
	uint64_t first;
} kinds[SCOPE_KINDS] = {
	[SCOPE_PGRP] = { "pgrp", "process group", NULL, 0 },
	[SCOPE_SESSION] = { "session", "session", NULL, 0 },
	[SCOPE_MNT] = { "mnt", "mount namespace", "mnt", 0xeffffff8 },
	[SCOPE_PID] = { "pid", "PID namespace", "pid", 0xeffffffc },
	[SCOPE_NET] = { "net", "network namespace", "net", 0xeffffff9 },
	[SCOPE_IPC] = { "ipc", "IPC namespace", "ipc", 0xefffffff },
	[SCOPE_UTS] = { "uts", "UTS namespace", "uts", 0xeffffffe },
	[SCOPE_USER] = { "user", "user namespace", "user", 0xeffffffd },
	[SCOPE_TIME] = { "time", "time namespace", "time", 0xeffffffa },
	[SCOPE_CGROUPNS] = { "cgroupns", "cgroup namespace", "cgroup", 0xeffffffb },
	[SCOPE_CGROUP] = { "cgroup", "cgroup", NULL, 0 },
	[SCOPE_TREE] = { "tree", "children", NULL, 0 },
	[SCOPE_IO] = { "io", "output", NULL, 0 },
};

const char *scope_kind_name(enum scope_kind kind)
{
	return kinds[kind].name;
}

const char *scope_kind_words(enum scope_kind kind)
{
	return kinds[kind].words;
}

const char *scope_kind_link(enum scope_kind kind)
{
	return kinds[kind].link;
}

uint64_t scope_kind_first(enum scope_kind kind)
{
	return kinds[kind].first;
}

bool scope_kind_is_led(enum scope_kind kind)
{
	return kind == SCOPE_PGRP || kind == SCOPE_SESSION;
}
