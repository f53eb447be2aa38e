/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, NULL, NULL, NULL                                               \
	}

static void test_error_set(void **state)
{
	struct error error = { 0 };

	(void)state;
	assert_int_equal(error_set(&error, STATUS_REFUSED, EPERM, "PID %d is %s", 1, "refused"),
			 -EPERM);
	assert_int_equal(error.status, STATUS_REFUSED);
	assert_string_equal(error.text, "PID 1 is refused");
}

static void test_no_error(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, STATUS_SYSTEM, ENOMEM, "out of memory"), -ENOMEM);
}

static void test_long_error(void **state)
{
	struct error error = { 0 };
	char word[2 * sizeof(error.text)];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(error_set(&error, STATUS_USAGE, EINVAL, "%s", word), -EINVAL);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

static void test_severity(void **state)
{
	static const enum status mildest_first[] = {
		STATUS_GONE,	STATUS_NOTHING, STATUS_INCOMPLETE,
		STATUS_TIMEOUT, STATUS_REFUSED, STATUS_SYSTEM,
	};
	size_t count = sizeof(mildest_first) / sizeof(*mildest_first);

	(void)state;
	for (size_t a = 0; a < count; a++) {
		for (size_t b = 0; b < count; b++)
			assert_int_equal(status_worse(mildest_first[a], mildest_first[b]),
					 mildest_first[a > b ? a : b]);
	}
}

static void test_escape(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "" },
		{ "sleep 9999 ~!", "sleep 9999 ~!" },
		{ ") R 1 (", ") R 1 (" },
		{ "a\nb", "a\\x0ab" },
		{ "\033[2J", "\\x1b[2J" },
		{ "back\\slash", "back\\x5cslash" },
		{ "\x7f", "\\x7f" },
		{ "\xc3\xa9", "\\xc3\\xa9" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_ptr_equal(escape(out, sizeof(out), cases[i].in), out);
		assert_string_equal(out, cases[i].out);
	}
}

static void test_escape_cuts(void **state)
{
	static const struct {
		size_t size;
		const char *in, *out;
	} cases[] = {
		{ 1, "abc", "" },     { 2, "abc", "a" },	 { 4, "abc", "abc" },
		{ 3, "abc", "ab" },   { 5, "\n", "\\x0a" },	 { 4, "\n", "" },
		{ 6, "ab\nc", "ab" }, { 7, "ab\nc", "ab\\x0a" },
	};
	char out[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(out, '#', sizeof(out));
		escape(out, cases[i].size, cases[i].in);
		assert_string_equal(out, cases[i].out);
		assert_int_equal(out[cases[i].size], '#');
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("an error carries its status and sentence and returns its errno",
		     test_error_set),
		TEST("an error that nobody wants still returns its errno", test_no_error),
		TEST("a sentence that is too long is cut", test_long_error),
		TEST("of two statuses the more severe counts, in either order", test_severity),
		TEST("what could break a line or drive a terminal is escaped", test_escape),
		TEST("a name is cut to fit, but never inside an escape", test_escape_cuts),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
