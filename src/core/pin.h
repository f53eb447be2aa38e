/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pins who is on the list, and makes sure that it is who was matched. A part of core/kill. */
#ifndef NSKILL_CORE_PIN_H
#define NSKILL_CORE_PIN_H

#include "core/killing.h"

/**
 * Pin and verify everybody on the list who is not pinned yet, as far as descriptors reach, and hold
 * the namespaces that are followed, of whatever kind. 0 or a negative errno.
 */
int pin_all(struct kill *kill);

#endif
