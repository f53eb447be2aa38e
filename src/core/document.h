/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forms in which a file names a process, read and written. Pure: text in, an identity out.
 *
 *  a plain pidfile    one number
 *  runc state.json    init_process_pid, init_process_start, external_descriptors
 *  crun status        pid, process-start-time, external_descriptors
 *  OCI state          ociVersion, status, pid: what `runc state` prints
 *  a nskill record    nskill, and what document_write() writes
 */
#ifndef NSKILL_CORE_DOCUMENT_H
#define NSKILL_CORE_DOCUMENT_H

#include "core/identity.h"

/**
 * Read @text, of @size bytes. Returns 0 and writes those members of @identity that it tells,
 * leaving the others as they are; or a negative errno and @error (STATUS_REFUSED) with what is
 * wrong, to be put behind the name of the file. Nothing in it is trusted: sizes, types and signs
 * are checked.
 */
int document_read(const char *text, size_t size, struct identity *identity, struct error *error);

/**
 * Whether @text may only be the beginning of a document: nothing but white space, or JSON without
 * its end. Somebody is writing it.
 */
bool document_is_unfinished(const char *text, size_t size);

/** The record of @identity as text, for the caller to free(), or NULL when there is no memory. */
char *document_write(const struct identity *identity);

#endif
