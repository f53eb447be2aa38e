/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/identity.h"

bool identity_is_exact(const struct identity *identity)
{
	return identity->start_ticks || identity->inode;
}
