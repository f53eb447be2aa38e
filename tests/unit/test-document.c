/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/document.h"

#include "../malformed.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* As the programs write them, cut to what is of use here. */
static const char plain[] = "4711\n";
static const char runc[] =
	"{\"id\":\"c1\",\"init_process_pid\":4711,\"init_process_start\":386372,"
	"\"created\":\"2023-05-01T11:19:32.009927199Z\",\"config\":{\"no_pivot_root\":false,"
	"\"rootfs\":\"/r/{\\u003c\\\"}\",\"umask\":null,\"mounts\":[{\"flags\":16777218}],"
	"\"seccomp\":{\"syscalls\":[{\"args\":[{\"value\":18446744073709551615}]}]},"
	"\"oom_score_adj\":-100},\"rootless\":true,\"cgroup_paths\":{},"
	"\"namespace_paths\":{\"NEWNS\":\"/proc/4711/ns/mnt\"},"
	"\"external_descriptors\":[\"/dev/"
	"null\",\"pipe:[123]\",\"pipe:[123]\"],\"intel_rdt_path\":\"\"}";
static const char crun[] =
	"{\n    \"pid\": 4711,\n    \"process-start-time\": 386372,\n"
	"    \"cgroup-path\": \"\",\n    \"rootfs\": \"/r/\xc3\xa9/rootfs\",\n"
	"    \"systemd-cgroup\": false,\n    \"bundle\": \"/r\",\n    \"detached\": true,\n"
	"    \"external_descriptors\": "
	"\"[\\\"/dev/null\\\",\\\"pipe:[123]\\\",\\\"socket:[124]\\\"]\"\n"
	"}\n";
static const char oci[] =
	"{\n  \"ociVersion\": \"1.0.2-dev\",\n  \"id\": \"c1\",\n  \"pid\": 4711,\n"
	"  \"status\": \"running\",\n  \"bundle\": \"/r\",\n  \"annotations\": {\"a\": \"}\"},\n"
	"  \"owner\": \"\"\n}";
static const char record[] =
	"{\n  \"nskill\": 1,\n  \"boot_id\": \"" BOOT_ID "\",\n  \"pid\": 4711,\n"
	"  \"start_ticks\": 386372,\n  \"pidfd_inode\": 12345,\n  \"pgrp\": 4710,\n"
	"  \"session\": 4709,\n  \"mount_namespaces\": [\n    {\"inode\": 4026532177, \"id\": "
	"99},\n"
	"    {\"inode\": 4026532178, \"id\": 0}\n  ],\n  \"time_ticks\": 400000,\n"
	"  \"forks\": 54321,\n  \"last_pid\": 4800,\n  \"pids_in_use\": 240,\n  \"dead\": "
	"true\n}\n";

/* Memory of just that size: a sanitizer sees a look beyond it. */
static char *copy_exactly(const char *text, size_t size)
{
	char *exact = malloc(size ? size : 1);

	assert_non_null(exact);
	memcpy(exact, text, size);
	return exact;
}

static void assert_sentence(const struct error *error)
{
	size_t length = strlen(error->text);

	assert_in_range(length, 1, sizeof(error->text) - 1);
	assert_int_not_equal(error->text[length - 1], '.');
	for (size_t i = 0; i < length; i++)
		assert_in_range(error->text[i], ' ', '~');
}

static void refuse(const char *text, size_t size, const char *says)
{
	struct identity identity, before;
	struct error error = { 0 };

	memset(&identity, 0x5a, sizeof(identity));
	memset(&before, 0x5a, sizeof(before));
	assert_true(document_read(text, size, &identity, &error) < 0);
	assert_int_equal(error.status, STATUS_REFUSED);
	assert_sentence(&error);
	if (!strstr(error.text, says))
		assert_string_equal(error.text, says);
	assert_memory_equal(&identity, &before, sizeof(identity));
}

static void refuse_string(const char *text, const char *says)
{
	refuse(text, strlen(text), says);
}

static struct identity take_bytes(const char *text, size_t size)
{
	struct identity identity = { .name = "./x", .dated = true, .written = 5, .tolerance = 6 };
	char *exact = copy_exactly(text, size);
	struct error error = { 0 };

	if (document_read(exact, size, &identity, &error))
		fail_msg("refused: %s", error.text);
	free(exact);
	/* What a document cannot tell stays as it is. */
	assert_string_equal(identity.name, "./x");
	assert_true(identity.dated);
	assert_int_equal(identity.written, 5);
	assert_int_equal(identity.tolerance, 6);
	return identity;
}

static struct identity take(const char *text)
{
	return take_bytes(text, strlen(text));
}

static void assert_same(const struct identity *a, const struct identity *b)
{
	assert_int_equal(a->pid, b->pid);
	assert_true(a->start_ticks == b->start_ticks);
	assert_true(a->inode == b->inode);
	assert_string_equal(a->record.boot, b->record.boot);
	assert_int_equal(a->record.pgrp, b->record.pgrp);
	assert_int_equal(a->record.session, b->record.session);
	assert_int_equal(a->record.namespace_count, b->record.namespace_count);
	for (size_t i = 0; i < a->record.namespace_count; i++) {
		assert_true(a->record.namespaces[i].inode == b->record.namespaces[i].inode);
		assert_true(a->record.namespaces[i].id == b->record.namespaces[i].id);
	}
	assert_true(a->record.time == b->record.time);
	assert_true(a->record.forks == b->record.forks);
	assert_int_equal(a->record.last_pid, b->record.last_pid);
	assert_true(a->record.in_use == b->record.in_use);
	assert_int_equal(a->record.dead, b->record.dead);
	assert_int_equal(a->output_count, b->output_count);
	for (size_t i = 0; i < a->output_count; i++)
		assert_true(stream_equal(&a->outputs[i], &b->outputs[i]));
}

/* ---- the table ---- */

static void test_row(void **state)
{
	const struct malformed *row = *state;
	size_t size;
	char *text = malformed_content(row, &size);

	assert_non_null(text);
	if (row->says)
		refuse(text, size, row->says);
	else
		assert_int_equal(take_bytes(text, size).pid, MALFORMED_TAKEN);
	document_is_unfinished(text, size);
	free(text);
}

/* What is refused to the last byte is refused in words, whatever it has been cut to. */
static void test_cut_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < MALFORMED_COUNT; i++) {
		size_t size;
		char *text = malformed_content(&malformed[i], &size);

		assert_non_null(text);
		for (size_t cut = 0; cut < size && size < 512; cut++) {
			struct identity identity = { 0 };
			struct error error = { 0 };
			char *exact = copy_exactly(text, cut);

			if (document_read(exact, cut, &identity, &error) < 0)
				assert_sentence(&error);
			else
				assert_true(identity.pid > 1);
			document_is_unfinished(exact, cut);
			free(exact);
		}
		free(text);
	}
}

/* ---- the forms ---- */

static void test_plain(void **state)
{
	const struct identity identity = take(plain), wanted = { .pid = 4711 };

	(void)state;
	assert_same(&identity, &wanted);
}

static void test_runc(void **state)
{
	const struct identity identity = take(runc);
	const struct identity wanted = {
		.pid = 4711,
		.start_ticks = 386372,
		.outputs = { { .kind = STREAM_PIPE, .inode = 123 },
			     { .kind = STREAM_PIPE, .inode = 123 } },
		.output_count = 2,
	};

	(void)state;
	assert_same(&identity, &wanted);
}

static void test_crun(void **state)
{
	const struct identity identity = take(crun);
	const struct identity wanted = {
		.pid = 4711,
		.start_ticks = 386372,
		.outputs = { { .kind = STREAM_PIPE, .inode = 123 },
			     { .kind = STREAM_SOCKET, .inode = 124 } },
		.output_count = 2,
	};

	(void)state;
	assert_same(&identity, &wanted);
}

static struct identity take_descriptors(const char *value)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"pid\": 4711, \"process-start-time\": 5, \"external_descriptors\": %s}", value);
	return take(text);
}

/* What a version of crun may write there must not keep it from naming the process. */
static void test_crun_descriptors(void **state)
{
	static const char *const others[] = {
		"5",
		"null",
		"{}",
		"\"\"",
		"\"pipe:[5]\"",
		"\"[\"",
		"[]",
		"[\"pipe:[5]\"]",
		"[\"pipe:[5]\", 7, null]",
		"[\"\", \"pipe:[]\", \"pipe:[0]\"]",
		"[\"\", \"pipe:[5] \", \"pipe:[5]x\"]",
		"[\"\", \"pipe:[-5]\", \"pipe:[ 5]\"]",
		"[\"\", \"pipe:[99999999999999999999]\", \"pipe:[9223372036854775808]\"]",
		"[\"\", \"/a/pipe:[5]\", \"anon_inode:[5]\"]",
	};
	struct identity identity = take_descriptors("[\"pipe:[5]\", \"pipe:[6]\", \"/dev/null\"]");

	(void)state;
	assert_int_equal(identity.output_count, 1);
	assert_int_equal(identity.outputs[0].kind, STREAM_PIPE);
	assert_int_equal(identity.outputs[0].inode, 6);
	assert_int_equal(identity.outputs[0].fd, -1);
	identity = take_descriptors("[\"\", \"/x\", \"socket:[7]\", \"pipe:[8]\"]");
	assert_int_equal(identity.output_count, 1);
	assert_int_equal(identity.outputs[0].kind, STREAM_SOCKET);
	for (size_t i = 0; i < COUNT(others); i++) {
		identity = take_descriptors(others[i]);
		assert_int_equal(identity.pid, 4711);
		assert_int_equal(identity.output_count, 0);
	}
}

static void test_oci(void **state)
{
	const struct identity identity = take(oci), wanted = { .pid = 4711 };

	(void)state;
	assert_same(&identity, &wanted);
}

static void test_record(void **state)
{
	const struct identity identity = take(record);
	const struct identity wanted = {
		.pid = 4711,
		.start_ticks = 386372,
		.inode = 12345,
		.record = {
			.boot = BOOT_ID,
			.pgrp = 4710,
			.session = 4709,
			.namespaces = { { 4026532177, 99 }, { 4026532178, 0 } },
			.namespace_count = 2,
			.time = 400000,
			.forks = 54321,
			.last_pid = 4800,
			.in_use = 240,
			.dead = true,
		},
	};

	(void)state;
	assert_same(&identity, &wanted);
}

static void test_record_with_outputs(void **state)
{
	(void)state;
	assert_int_equal(take(TO_OUTPUTS "\"x\":0}").output_count, 0);
	assert_int_equal(take(TO_OUTPUTS "\"outputs\":[]}").output_count, 0);
	assert_int_equal(take(TO_OUTPUTS "\"outputs\":[\"pipe:[5]\"]}").outputs[0].inode, 5);
}

static void test_stopped(void **state)
{
	static const char stopped[] = "{\"ociVersion\":\"1.0.2\",\"id\":\"c1\",\"pid\":0,"
				      "\"status\":\"stopped\"}";

	(void)state;
	refuse_string(stopped, "names nobody");
	refuse_string(stopped, "state.json");
	refuse_string(stopped, "a pidfile");
	refuse_string(stopped, "a record");
}

/* The kinds of document exclude each other by the members that only one of them has. */
static void test_precedence(void **state)
{
	(void)state;
	assert_int_equal(take("{\"pid\":7,\"init_process_pid\":8,\"init_process_start\":1}").pid,
			 8);
	refuse_string("{\"nskill\":1,\"init_process_pid\":8,\"init_process_start\":1}", "'dead'");
	refuse_string("{\"init_process_pid\":8,\"process-start-time\":1,\"pid\":7}",
		      "'init_process_start' is missing");
}

static void test_no_error_wanted(void **state)
{
	struct identity identity = { 0 };

	(void)state;
	assert_int_equal(document_read("x", 1, &identity, NULL), -EINVAL);
	assert_int_equal(document_read("{", 1, &identity, NULL), -EINVAL);
	assert_int_equal(document_read("{}", 2, &identity, NULL), -EINVAL);
}

/* A number that jansson does not take is none that anybody means, and no reason to refuse others.
 */
static void test_large_integers(void **state)
{
	static const char *const values[] = {
		"9223372036854775807",
		"9223372036854775808",
		"-9223372036854775808",
		"-9223372036854775809",
		"18446744073709551615",
		"99999999999999999999999999",
		"1e30",
		"1.5e300",
		"0.99999999999999999999999999",
		"1e-99999",
		"9999999999999999999.9",
		"9999999999999999999e0",
		"1e+00000000000000001",
		"\"99999999999999999999\"",
		"[9999999999999999999]",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(text, sizeof(text), "{\"a\":%s,\"pid\":4711,\"\\\"\":%s}", values[i],
			 values[i]);
		assert_int_equal(take(text).pid, 4711);
	}
	/* The largest is itself and no other. */
	assert_true(take("{\"pid\":7,\"process-start-time\":9223372036854775807}").start_ticks ==
		    INT64_MAX);
	assert_true(take("{\"pid\":7,\"process-start-time\":1000000000000000000}").start_ticks ==
		    UINT64_C(1000000000000000000));
}

/* ---- written and read ---- */

static void round_trip(const struct identity *written)
{
	char *text = document_write(written);
	struct identity read;

	assert_non_null(text);
	read = take(text);
	assert_same(&read, written);
	assert_int_equal(text[strlen(text) - 1], '\n');
	for (size_t cut = 0; cut + 1 < strlen(text); cut++)
		assert_true(document_is_unfinished(text, cut));
	assert_false(document_is_unfinished(text, strlen(text) - 1));
	assert_false(document_is_unfinished(text, strlen(text)));
	free(text);
}

static void test_round_trip(void **state)
{
	struct identity identity = take(record);

	(void)state;
	round_trip(&identity);
	identity.record.dead = false;
	round_trip(&identity);
	identity.record.namespace_count = 0;
	round_trip(&identity);
	identity.outputs[0] = (struct stream){ .kind = STREAM_PIPE, .inode = INT64_MAX };
	identity.output_count = 1;
	round_trip(&identity);
	for (size_t i = 0; i < IDENTITY_OUTPUTS; i++)
		identity.outputs[i] = (struct stream){ .kind = STREAM_SOCKET, .inode = i + 1 };
	identity.output_count = IDENTITY_OUTPUTS;
	round_trip(&identity);
	identity.record.namespace_count = IDENTITY_NAMESPACES;
	for (size_t i = 0; i < IDENTITY_NAMESPACES; i++)
		identity.record.namespaces[i] = (struct identity_namespace){ i + 1, i };
	round_trip(&identity);
}

static void test_round_trip_of_little(void **state)
{
	struct identity identity = { .pid = 2, .record.boot = BOOT_ID };

	(void)state;
	round_trip(&identity);
}

static void test_round_trip_of_much(void **state)
{
	struct identity identity = {
		.pid = INT_MAX,
		.start_ticks = INT64_MAX,
		.inode = INT64_MAX,
		.record = {
			.boot = "ffffffff-ffff-ffff-ffff-ffffffffffff",
			.pgrp = INT_MAX,
			.session = INT_MAX,
			.namespaces = { { INT64_MAX, INT64_MAX } },
			.namespace_count = 1,
			.time = INT64_MAX,
			.forks = INT64_MAX,
			.last_pid = INT_MAX,
			.in_use = INT64_MAX,
		},
	};

	(void)state;
	round_trip(&identity);
}

/* What a caller knows of the file is not part of the record. */
static void test_write_leaves_out(void **state)
{
	struct identity identity = take(record);
	char *with, *without;

	(void)state;
	with = document_write(&identity);
	identity.name = NULL;
	identity.dated = identity.owned = identity.trusted = false;
	identity.written = identity.tolerance = 0;
	without = document_write(&identity);
	assert_non_null(with);
	assert_string_equal(with, without);
	free(with);
	free(without);
}

/* ---- unfinished ---- */

static size_t length_without_space(const char *text, size_t size)
{
	while (size && strchr(" \t\r\n\v\f", text[size - 1]))
		size--;
	return size;
}

static void assert_unfinished_until_its_end(const char *text, size_t size)
{
	size_t end = length_without_space(text, size);

	for (size_t cut = 0; cut <= size; cut++) {
		char *exact = copy_exactly(text, cut);

		assert_int_equal(document_is_unfinished(exact, cut), cut < end);
		free(exact);
	}
}

static void test_prefixes(void **state)
{
	static const char *const forms[] = { runc, crun, oci, record };

	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++)
		assert_unfinished_until_its_end(forms[i], strlen(forms[i]));
}

static void test_prefixes_of_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < MALFORMED_COUNT; i++) {
		size_t size;
		char *text = malformed_content(&malformed[i], &size);

		assert_non_null(text);
		if (!malformed[i].says && size < 512 && memchr(text, '{', size))
			assert_unfinished_until_its_end(text, size);
		free(text);
	}
}

static void test_unfinished(void **state)
{
	static const struct {
		const char *text;
		bool unfinished;
	} cases[] = {
		{ "", true },
		{ "\n", true },
		{ " \t\r\n\v\f", true },
		{ "4", false }, /* who can tell */
		{ "4711\n", false },
		{ "\n4711", false },
		{ "foo", false },
		{ "-", false },
		{ "[", false },
		{ "\"", false },
		{ "}", false },
		{ "{", true },
		{ " \n{", true },
		{ "{}", false },
		{ "{} ", false },
		{ "{}{", false },
		{ "{{}", true },
		{ "{\"}", true },
		{ "{\"}\"", true },
		{ "{\"}\"}", false },
		{ "{\"\\\"}", true },
		{ "{\"\\\\\"}", false },
		{ "{\"\\", true },
		{ "{\"a\":tru", true },
		{ "{\"a\":-", true },
		{ "{\"a\":1e", true },
		{ "{\"a\":\"\\u00", true },
		{ "{\"a\":\"\xc3", true },
		{ "{\"a\":[1,2", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *exact = copy_exactly(cases[i].text, strlen(cases[i].text));

		if (document_is_unfinished(exact, strlen(cases[i].text)) != cases[i].unfinished)
			fail_msg("'%s' is taken for %s", cases[i].text,
				 cases[i].unfinished ? "whole" : "unfinished");
		free(exact);
	}
}

static const struct CMUnitTest others[] = {
	{ "whatever is cut is refused in words, or names somebody", test_cut_rows, NULL, NULL,
	  NULL },
	{ "a plain pidfile tells a PID alone", test_plain, NULL, NULL, NULL },
	{ "a state.json of runc tells PID, start and output", test_runc, NULL, NULL, NULL },
	{ "a status of crun tells PID, start and output", test_crun, NULL, NULL, NULL },
	{ "what it tells else of its descriptors is let be", test_crun_descriptors, NULL, NULL,
	  NULL },
	{ "an OCI state tells a PID alone", test_oci, NULL, NULL, NULL },
	{ "a record tells all its members", test_record, NULL, NULL, NULL },
	{ "and the output, if it was written down", test_record_with_outputs, NULL, NULL, NULL },
	{ "an OCI state with PID 0 is refused, and points to what names more", test_stopped, NULL,
	  NULL, NULL },
	{ "what is a record is no other form, and what is of runc none of crun", test_precedence,
	  NULL, NULL, NULL },
	{ "a caller need not want to know why", test_no_error_wanted, NULL, NULL, NULL },
	{ "an integer of any size is ignored where its member is", test_large_integers, NULL, NULL,
	  NULL },
	{ "a record that was written is read with all its members", test_round_trip, NULL, NULL,
	  NULL },
	{ "so is one that knows little", test_round_trip_of_little, NULL, NULL, NULL },
	{ "so is one of the largest numbers", test_round_trip_of_much, NULL, NULL, NULL },
	{ "a record does not tell where it came from", test_write_leaves_out, NULL, NULL, NULL },
	{ "every form is unfinished up to its last byte", test_prefixes, NULL, NULL, NULL },
	{ "so is all JSON that is taken", test_prefixes_of_rows, NULL, NULL, NULL },
	{ "what may go on is told from what may not", test_unfinished, NULL, NULL, NULL },
};

int main(void)
{
	static struct CMUnitTest tests[MALFORMED_COUNT + COUNT(others)];
	static char names[MALFORMED_COUNT][128];

	for (size_t i = 0; i < MALFORMED_COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "%s is %s", malformed[i].name,
			 malformed[i].says ? "refused" : "taken");
		tests[i] = (struct CMUnitTest){ names[i], test_row, NULL, NULL,
						(void *)(uintptr_t)&malformed[i] };
	}
	memcpy(tests + MALFORMED_COUNT, others, sizeof(others));
	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
