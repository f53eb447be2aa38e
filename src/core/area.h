/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom a look must be about, so that it tells all who belong. A part of core/kill. */
#ifndef NSKILL_CORE_AREA_H
#define NSKILL_CORE_AREA_H

#include "core/killing.h"

/**
 * Read everybody who can belong to the targets, or matter for what does: those alone, where that
 * can be told beforehand, or all. @flags and the rest as scan_around().
 */
int area_scan(struct kill *kill, unsigned flags, struct snapshot *snapshot, struct error *error);

#endif
