/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pidfiles, the JSON of runtimes, and records: whatever a file that names a process can hold. */
#include "config.h"

#include "core/document.h"
#include "fuzz.h"

#include <limits.h>

static void check_sentence(const struct error *error)
{
	size_t length = strnlen(error->text, sizeof(error->text));

	must(error->status == STATUS_REFUSED);
	must(length > 0 && length < sizeof(error->text));
	for (size_t i = 0; i < length; i++)
		must(error->text[i] >= ' ' && error->text[i] <= '~');
}

static void check_identity(const struct identity *identity)
{
	const struct record *record = &identity->record;

	must(identity->pid > 1);
	must(identity->start_ticks <= INT64_MAX && identity->inode <= INT64_MAX);
	must(memchr(record->boot, '\0', sizeof(record->boot)));
	must(record->pgrp >= 0 && record->session >= 0);
	must(record->time <= INT64_MAX && record->forks <= INT64_MAX);
	must(record->namespace_count <= IDENTITY_NAMESPACES);
	for (size_t i = 0; i < record->namespace_count; i++)
		must(record->namespaces[i].inode > 0 && record->namespaces[i].inode <= INT64_MAX &&
		     record->namespaces[i].id <= INT64_MAX);
}

static void check_round_trip(const struct identity *identity)
{
	char *text = document_write(identity), *again;
	struct identity read = { 0 };
	struct error error;

	must(text);
	must(document_read(text, strlen(text), &read, &error) == 0);
	again = document_write(&read);
	must(again);
	must(strcmp(text, again) == 0);
	must(read.pid == identity->pid && read.start_ticks == identity->start_ticks);
	must(read.record.namespace_count == identity->record.namespace_count);
	must(strcmp(read.record.boot, identity->record.boot) == 0);
	free(text);
	free(again);
}

/* What is whole has an end, and without that it is unfinished. */
static void check_end(const char *text, size_t size)
{
	must(!document_is_unfinished(text, size));
	while (size && text[size - 1] != '}')
		size--;
	must(!size || document_is_unfinished(text, size - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct identity identity = { 0 }, empty = { 0 };
	char *text = malloc(size ? size : 1);
	struct error error = { 0 };
	int rc;

	must(text);
	memcpy(text, data, size);
	document_is_unfinished(text, size);
	rc = document_read(text, size, &identity, &error);
	if (rc < 0) {
		check_sentence(&error);
		must(memcmp(&identity, &empty, sizeof(empty)) == 0);
	} else {
		must(rc == 0);
		check_identity(&identity);
		check_end(text, size);
		if (identity.record.boot[0])
			check_round_trip(&identity);
	}
	free(text);
	return 0;
}
