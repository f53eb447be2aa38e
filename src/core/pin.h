/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pins who is on the list, and makes sure that it is who was matched. A part of core/kill. */
#ifndef NSKILL_CORE_PIN_H
#define NSKILL_CORE_PIN_H

#include "core/killing.h"

/**
 * Pin and verify everybody on the list who is not pinned yet, as far as descriptors reach, and hold
 * the mount namespaces that are followed. 0 or a negative errno.
 */
int pin_all(struct kill *kill);

/**
 * Before @process, which was read just now, is held to belong by its parent, group or session:
 * notice when the number of that has gone to another process.
 */
void pin_notice_reuse(struct kill *kill, const struct process *process);

#endif
