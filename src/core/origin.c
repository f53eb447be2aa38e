/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/origin.h"

#include "linux/boot.h"
#include "linux/namespace.h"

void origin_read(struct origin *origin, pid_t self)
{
	const struct process process = { .pid = self };

	*origin = (struct origin){ 0 };
	if (boot_id(origin->boot) < 0)
		origin->boot[0] = '\0';
	if (namespace_read(&process, SCOPE_PID, &origin->pid_namespace) < 0)
		origin->pid_namespace = 0;
}
