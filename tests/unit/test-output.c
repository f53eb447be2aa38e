/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

static size_t most; /* bytes of memory that are given out in one piece */

static void *sparing_realloc(void *old, size_t size)
{
	return size > most ? NULL : realloc(old, size);
}

#define realloc sparing_realloc
#include "linux/output.c"
#undef realloc

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, open_pipe, close_pipe, NULL                                    \
	}

#define COPIES 100000 /* of a word, which no pipe has room for */

static int ends[2];

static int open_pipe(void **state)
{
	(void)state;
	most = SIZE_MAX;
	return pipe2(ends, O_CLOEXEC);
}

static int close_pipe(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void test_all_arrives(void **state)
{
	struct output output;
	char text[32] = "";

	(void)state;
	assert_int_equal(output_open(&output, ends[1]), 0);
	fprintf(output.stream, "one\n");
	output_push(&output);
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 4);
	assert_string_equal(text, "one\n");
	fprintf(output.stream, "two\n");
	assert_int_equal(output_finish(&output, clock_now() + NS_PER_SECOND), 0);
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 4);
	assert_string_equal(text, "two\n");
	output_close(&output);
}

static void test_lost_for_want_of_memory(void **state)
{
	struct output output;

	(void)state;
	assert_int_equal(output_open(&output, ends[1]), 0);
	fprintf(output.stream, "kept\n");
	output_push(&output);
	most = 100;
	for (int i = 0; i < COPIES; i++)
		fprintf(output.stream, "lost\n");
	assert_int_equal(output_finish(&output, clock_now() + NS_PER_SECOND), -ENOMEM);
	output_close(&output);
}

static void test_nobody_reads(void **state)
{
	struct output output;

	(void)state;
	assert_int_equal(output_open(&output, ends[1]), 0);
	for (int i = 0; i < COPIES; i++)
		fprintf(output.stream, "never\n");
	assert_int_equal(output_finish(&output, clock_now() + NS_PER_SECOND / 100), -ETIMEDOUT);
	output_close(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("what is written is sent, in order", test_all_arrives),
		TEST("what is lost for want of memory is an error", test_lost_for_want_of_memory),
		TEST("what nobody reads is an error when the time is up", test_nobody_reads),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
