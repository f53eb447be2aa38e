// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forgetful - for LD_PRELOAD: libproc2 as of procps-ng 4.0.6, which leaves open the folder of each
 * process that is selected, and of the last of its threads
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc2/pids.h>
#include <stdio.h>
#include <unistd.h>

typedef struct pids_fetch *select_fn(struct pids_info *, unsigned *, int, enum pids_select_type);

struct pids_fetch *procps_pids_select(struct pids_info *info, unsigned *these, int numthese,
				      enum pids_select_type which)
{
	select_fn *next = (select_fn *)dlsym(RTLD_NEXT, "procps_pids_select");
	int at_work;

	for (int i = 0; i < numthese; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%u", these[i]);
		open(path, O_RDONLY | O_DIRECTORY);
	}
	at_work = dup(STDIN_FILENO);
	for (int i = 0; which == PIDS_SELECT_PID_THREADS && i < numthese; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%u/task/%u", these[i], these[i]);
		open(path, O_RDONLY | O_DIRECTORY);
	}
	close(at_work);
	errno = 0;
	return next(info, these, numthese, which);
}
