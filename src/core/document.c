/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/document.h"

#include "core/cleanup.h"
#include "core/json.h"
#include "core/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_FORMAT 1

static int refuse(struct error *error, const char *what)
{
	return error_set(error, STATUS_REFUSED, EINVAL, "%s", what);
}

static int refuse_member(struct error *error, const char *member, const char *what)
{
	return error_set(error, STATUS_REFUSED, EINVAL, "its member '%s' %s", member, what);
}

/*
 * An integer of at least @least; JSON has no unsigned ones, and no larger than a signed one here.
 */
static int read_number(const json_t *object, const char *member, json_int_t least, json_int_t most,
		       uint64_t *number, struct error *error)
{
	const json_t *value = json_object_get(object, member);

	if (!value)
		return refuse_member(error, member, "is missing");
	if (!json_is_integer(value))
		return refuse_member(error, member, "is not an integer");
	if (json_integer_value(value) < least || json_integer_value(value) > most)
		return refuse_member(error, member, "is out of range");
	*number = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_pid(const json_t *object, const char *member, json_int_t least, pid_t *pid,
		    struct error *error)
{
	uint64_t number;
	int rc = read_number(object, member, least, INT_MAX, &number, error);

	if (!rc)
		*pid = (pid_t)number;
	return rc;
}

static int read_ticks(const json_t *object, const char *member, uint64_t *ticks,
		      struct error *error)
{
	return read_number(object, member, 0, INT64_MAX, ticks, error);
}

/* Those of standard output and error among what its descriptors from 0 on were. */
static void read_descriptors(const json_t *list, struct identity *identity)
{
	for (size_t fd = 1; fd <= 2; fd++) {
		const char *name = json_string_value(json_array_get(list, fd));

		identity->output_count +=
			name && stream_parse(name, &identity->outputs[identity->output_count]);
	}
}

/* runc's is an array, crun's a string that holds one. What is not understood tells nothing. */
static int read_external_descriptors(const json_t *object, struct identity *identity,
				     struct error *error)
{
	const json_t *value = json_object_get(object, "external_descriptors");
	const char *text = json_string_value(value);
	cleanup(json_release) json_t *list = NULL;

	identity->output_count = 0;
	if (text && json_read(text, strlen(text), &list, error) == -ENOMEM)
		return -ENOMEM;
	read_descriptors(text ? list : value, identity);
	return 0;
}

static int read_runc(const json_t *object, struct identity *identity, struct error *error)
{
	int rc = read_pid(object, "init_process_pid", 2, &identity->pid, error);

	rc = rc ? rc : read_ticks(object, "init_process_start", &identity->start_ticks, error);
	return rc ? rc : read_external_descriptors(object, identity, error);
}

static int read_crun(const json_t *object, struct identity *identity, struct error *error)
{
	int rc = read_pid(object, "pid", 2, &identity->pid, error);

	rc = rc ? rc : read_ticks(object, "process-start-time", &identity->start_ticks, error);
	return rc ? rc : read_external_descriptors(object, identity, error);
}

/* `runc state` prints PID 0 for a container whose init has ended, though its children may live. */
static int read_oci(const json_t *object, struct identity *identity, struct error *error)
{
	pid_t pid = 0;
	int rc = read_pid(object, "pid", 0, &pid, error);

	if (rc < 0)
		return rc;
	if (pid == 0)
		return refuse(error,
			      "names nobody: its container is stopped and its PID is 0; name "
			      "the runtime's state.json or status, a pidfile or a record");
	if (pid == 1)
		return refuse_member(error, "pid", "is out of range");
	identity->pid = pid;
	return 0;
}

static int read_namespace(const json_t *value, struct record *record, struct error *error)
{
	struct identity_namespace *namespace = &record->namespaces[record->namespace_count];
	int rc;

	if (record->namespace_count == IDENTITY_NAMESPACES)
		return refuse_member(error, "mount_namespaces", "has too many items");
	rc = read_number(value, "inode", 1, INT64_MAX, &namespace->inode, error);
	if (!rc)
		rc = read_number(value, "id", 0, INT64_MAX, &namespace->id, error);
	record->namespace_count += !rc;
	return rc;
}

static int read_boot(const json_t *object, struct record *record, struct error *error)
{
	const char *boot = json_string_value(json_object_get(object, "boot_id"));
	size_t length = boot ? strspn(boot, "0123456789abcdef-") : 0;

	if (length != BOOT_ID_SIZE - 1 || boot[length])
		return refuse_member(error, "boot_id", "is not a boot id");
	memcpy(record->boot, boot, BOOT_ID_SIZE);
	return 0;
}

static int read_namespaces(const json_t *object, struct record *record, struct error *error)
{
	const json_t *list = json_object_get(object, "mount_namespaces");
	int rc = 0;

	if (!json_is_array(list))
		return refuse_member(error, "mount_namespaces", "is not an array");
	for (size_t i = 0; !rc && i < json_array_size(list); i++)
		rc = read_namespace(json_array_get(list, i), record, error);
	return rc;
}

/* Records that were written before there were any have none. */
static int read_outputs(const json_t *object, struct identity *identity, struct error *error)
{
	const json_t *list = json_object_get(object, "outputs");

	identity->output_count = 0;
	if (!list)
		return 0;
	if (!json_is_array(list))
		return refuse_member(error, "outputs", "is not an array");
	if (json_array_size(list) > IDENTITY_OUTPUTS)
		return refuse_member(error, "outputs", "has too many items");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name || !stream_parse(name, &identity->outputs[i]))
			return refuse_member(error, "outputs", "holds what is no pipe or socket");
		identity->output_count++;
	}
	return 0;
}

static int read_record(const json_t *object, struct identity *identity, struct error *error)
{
	struct identity read = *identity;
	struct record *record = &read.record;
	uint64_t format = 0;
	int rc = read_number(object, "nskill", 1, INT_MAX, &format, error);

	if (!rc && format != RECORD_FORMAT)
		return refuse_member(error, "nskill", "tells of a format that is not known here");
	if (!json_is_boolean(json_object_get(object, "dead")))
		return rc ? rc : refuse_member(error, "dead", "is missing or not a boolean");
	*record = (struct record){ .dead = json_is_true(json_object_get(object, "dead")) };
	rc = rc ? rc : read_boot(object, record, error);
	rc = rc ? rc : read_pid(object, "pid", 2, &read.pid, error);
	rc = rc ? rc : read_ticks(object, "start_ticks", &read.start_ticks, error);
	rc = rc ? rc : read_ticks(object, "pidfd_inode", &read.inode, error);
	rc = rc ? rc : read_pid(object, "pgrp", 0, &record->pgrp, error);
	rc = rc ? rc : read_pid(object, "session", 0, &record->session, error);
	rc = rc ? rc : read_namespaces(object, record, error);
	rc = rc ? rc : read_ticks(object, "time_ticks", &record->time, error);
	rc = rc ? rc : read_ticks(object, "forks", &record->forks, error);
	rc = rc ? rc : read_pid(object, "last_pid", 0, &record->last_pid, error);
	rc = rc ? rc : read_ticks(object, "pids_in_use", &record->in_use, error);
	rc = rc ? rc : read_outputs(object, &read, error);
	if (!rc)
		*identity = read;
	return rc;
}

static int read_object(const json_t *object, struct identity *identity, struct error *error)
{
	if (!json_is_object(object))
		return refuse(error, "is JSON, but no object");
	if (json_object_get(object, "nskill"))
		return read_record(object, identity, error);
	if (json_object_get(object, "init_process_pid"))
		return read_runc(object, identity, error);
	if (json_object_get(object, "process-start-time"))
		return read_crun(object, identity, error);
	if (json_object_get(object, "pid"))
		return read_oci(object, identity, error);
	return refuse(error, "is JSON, but has no member 'init_process_pid' or 'pid'");
}

static size_t skip_space(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size && isspace((unsigned char)text[at]))
		at++;
	return at;
}

/* The length of the string that @text begins with, with its quotes; @size where it has no end. */
static size_t skip_string(const char *text, size_t size)
{
	size_t at = 1;

	while (at < size && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < size ? at + 1 : size;
}

static size_t count_bytes(const char *text, size_t size, const char *set)
{
	size_t count = 0;

	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a NUL is none of the set */
	while (count < size && memchr(set, text[count], strlen(set)))
		count++;
	return count;
}

/* Make the number that @text is, if it is an integer and larger than jansson's, the largest. */
static void bound_integer(char *text, size_t size)
{
	static const char largest[] = "9223372036854775807";
	const size_t length = strlen(largest);

	if (size < length || *text == '0' || count_bytes(text, size, "0123456789") < size)
		return;
	if (size == length && memcmp(text, largest, length) <= 0)
		return;
	memset(text, ' ', size);
	memcpy(text, largest, length);
}

/*
 * JSON bounds no integer, but jansson does, and refuses a whole document for one: that of runc can
 * hold 18446744073709551615, for an argument in a seccomp filter.
 */
static void bound_integers(char *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length ? length : 1) {
		if (text[at] == '"') {
			length = skip_string(text + at, size - at);
			continue;
		}
		length = count_bytes(text + at, size - at, "0123456789.eE");
		bound_integer(text + at, length);
	}
}

static int read_json(const char *text, size_t size, struct identity *identity, struct error *error)
{
	cleanup(free_pointer) char *copy = malloc(size);
	cleanup(json_release) json_t *object = NULL;
	int rc;

	if (!copy)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	memcpy(copy, text, size);
	bound_integers(copy, size);
	rc = json_read(copy, size, &object, error);
	return rc ? rc : read_object(object, identity, error);
}

int document_read(const char *text, size_t size, struct identity *identity, struct error *error)
{
	struct identity read = *identity;
	size_t start = skip_space(text, size);
	int rc;

	if (start < size && text[start] == '{') {
		rc = read_json(text + start, size - start, &read, error);
	} else {
		rc = parse_pidfile(text, size, &read.pid);
		if (rc == -ERANGE)
			refuse(error, "its number is too large for a PID");
		else if (rc < 0 && start == size)
			refuse(error, "is empty");
		else if (rc < 0)
			refuse(error, "does not hold one PID above 1");
	}
	if (!rc)
		*identity = read;
	return rc;
}

bool document_is_unfinished(const char *text, size_t size)
{
	size_t at = skip_space(text, size), depth = 0;

	if (at < size && text[at] != '{')
		return false;
	while (at < size) {
		depth += text[at] == '{';
		depth -= text[at] == '}';
		if (!depth)
			return false;
		at += text[at] == '"' ? skip_string(text + at, size - at) : 1;
	}
	return true;
}

static json_t *write_namespaces(const struct record *record)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < record->namespace_count; i++) {
		json_t *item =
			json_pack("{s:I, s:I}", "inode", (json_int_t)record->namespaces[i].inode,
				  "id", (json_int_t)record->namespaces[i].id);

		if (!item || json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *write_outputs(const struct identity *identity)
{
	json_t *list = json_array();
	char name[64];

	for (size_t i = 0; list && i < identity->output_count; i++) {
		stream_name(name, sizeof(name), &identity->outputs[i]);
		if (json_array_append_new(list, json_string(name)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

char *document_write(const struct identity *identity)
{
	const struct record *record = &identity->record;
	cleanup(json_release) json_t *namespaces = write_namespaces(record);
	cleanup(json_release) json_t *outputs = write_outputs(identity);
	cleanup(json_release) json_t *object = NULL;

	if (!namespaces || !outputs)
		return NULL;
	object = json_pack("{s:i, s:s, s:i, s:I, s:I, s:i, s:i, s:O, s:O, s:I, s:I, s:i, s:I, s:b}",
			   "nskill", RECORD_FORMAT, "boot_id", record->boot, "pid",
			   (int)identity->pid, "start_ticks", (json_int_t)identity->start_ticks,
			   "pidfd_inode", (json_int_t)identity->inode, "pgrp", (int)record->pgrp,
			   "session", (int)record->session, "mount_namespaces", namespaces,
			   "outputs", outputs, "time_ticks", (json_int_t)record->time, "forks",
			   (json_int_t)record->forks, "last_pid", (int)record->last_pid,
			   "pids_in_use", (json_int_t)record->in_use, "dead", record->dead);
	return object ? json_write(object) : NULL;
}
