/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/identity.h"

#include "core/cleanup.h"
#include "core/parse.h"
#include "linux/clock.h"
#include "linux/pidfile.h"

#include <errno.h>

/*
 * A process and its pidfile are dated by different clocks of the kernel: starts in ticks of 10 ms,
 * files by the time of the last timer tick. File systems that keep whole seconds round down.
 */
#define TOLERANCE		(NS_PER_SECOND / 10)
#define TOLERANCE_WHOLE_SECONDS (2 * NS_PER_SECOND)

struct identity identity_of_number(const char *name, pid_t pid)
{
	return (struct identity){ .name = name, .pid = pid };
}

int identity_of_file(const char *path, struct identity *identity, struct error *error)
{
	cleanup(pidfile_clear) struct pidfile file = { 0 };
	char shown[256];
	pid_t pid;
	int rc = pidfile_read(path, &file, error);

	if (rc < 0)
		return rc;
	rc = parse_pidfile(file.text, file.size, &pid);
	if (rc < 0)
		return error_set(error, STATUS_REFUSED, -rc,
				 rc == -ERANGE ? "pidfile %s: its number is too large for a PID"
					       : "pidfile %s: does not hold one PID above 1",
				 escape(shown, sizeof(shown), path));
	*identity = (struct identity){
		.name = path,
		.pid = pid,
		.dated = true,
		.written = file.written,
		.tolerance = file.whole_seconds ? TOLERANCE_WHOLE_SECONDS : TOLERANCE,
	};
	return 0;
}
