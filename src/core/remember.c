/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/remember.h"

#include "linux/boot.h"
#include "linux/namespace.h"

#include <string.h>

static void add_namespace(struct record *record, uint64_t inode, int fd)
{
	struct identity_namespace *place = &record->namespaces[record->namespace_count];

	if (record->namespace_count == IDENTITY_NAMESPACES)
		return;
	place->inode = inode;
	if (namespace_unique_id(fd, &place->id) < 0)
		place->id = 0;
	record->namespace_count++;
}

/* Of a dead target those that its stand-ins led to; each is held only for a moment here. */
static void add_followed(struct record *record, const struct kill *kill)
{
	const struct claim *claim = &kill->claims[0];

	for (size_t i = 0; i < claim->followed_count; i++) {
		int fd = -1;

		if (claim->followed[i].kind != SCOPE_MNT)
			continue;
		for (size_t m = 0; fd < 0 && m < claim->member_count; m++)
			if (claim->members[m]->process.mntns == claim->followed[i].id)
				fd = namespace_pin(&claim->members[m]->process, SCOPE_MNT);
		if (fd >= 0)
			add_namespace(record, claim->followed[i].id, fd);
		namespace_unpin(&fd);
	}
}

/* A pipe's number comes from a long count; that of what has a path is soon another's. */
static void add_outputs(struct identity *identity, const struct kill *kill)
{
	for (size_t i = 0; i < kill->streams.count; i++) {
		const struct stream *stream = &kill->streams.list[i];

		if (identity->output_count < IDENTITY_OUTPUTS && !stream_has_path(stream))
			identity->outputs[identity->output_count++] = *stream;
	}
}

/* What is not known is as good as all. */
static uint64_t numbers_in_use(void)
{
	uint64_t in_use = boot_numbers_in_use();

	return in_use > INT32_MAX ? INT32_MAX : in_use;
}

int remember(struct identity *identity, const struct target *target, const struct kill *kill,
	     struct error *error)
{
	struct identity made = {
		.pid = target->process.pid,
		.start_ticks = target->process.start_ticks,
		.inode = target->process.inode,
		.record = {
			.pgrp = target->process.pgrp,
			.session = target->process.session,
			.time = kill->ticks,
			.last_pid = kill->last_pid,
			.in_use = numbers_in_use(),
			.dead = target->dead,
		},
	};
	int rc = boot_id(made.record.boot);

	if (!rc)
		rc = boot_forks(&made.record.forks);
	if (rc < 0)
		return error_set(error, STATUS_SYSTEM, -rc, "cannot tell this boot: %s",
				 strerror(-rc));
	add_outputs(&made, kill);
	for (size_t i = 0; i < target->held_count; i++)
		if (target->held[i].inode == target->process.mntns)
			add_namespace(&made.record, target->held[i].inode, target->held[i].fd);
	if (!made.record.namespace_count)
		add_followed(&made.record, kill);
	*identity = made;
	return 0;
}
