/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What poll(2) has called ready blocks all the same where another reader or writer was faster. The
 * flags of a descriptor belong to whoever else has it, so that a timer ends the call.
 */
#ifndef NSKILL_LINUX_BOUNDED_H
#define NSKILL_LINUX_BOUNDED_H

#include <stddef.h>
#include <sys/types.h>

/** read(2) that gives up after 20 ms, with EINTR. */
ssize_t bounded_read(int fd, void *to, size_t size);

/** write(2) that gives up after 20 ms, with EINTR or what was written until then. */
ssize_t bounded_write(int fd, const void *from, size_t size);

#endif
