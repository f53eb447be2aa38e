/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that are selected by their PIDs, through libproc2. */
#ifndef NSKILL_LINUX_SELECTION_H
#define NSKILL_LINUX_SELECTION_H

#include <libproc2/pids.h>
#include <stdbool.h>

/**
 * procps_pids_select(), whose result, arguments and errno these are, but that the descriptors are
 * closed that it leaves open in procps-ng 4.0.6 (one for each of @pids; mended after that).
 * @forgetful is set then: too many of @pids at once could use up all that there are.
 */
struct pids_fetch *selection_read(struct pids_info *info, unsigned *pids, int count,
				  enum pids_select_type which, bool *forgetful);

#endif
