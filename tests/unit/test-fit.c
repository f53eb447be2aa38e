// SPDX-License-Identifier: GPL-2.0-or-later
/* What gives way where a listing is wider than the terminal. */
#include "cli/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct columns columns;
static size_t widths[COLUMNS_MAX];

static void ask_for(const char *list)
{
	const char *bad;
	int length;

	memset(widths, 0, sizeof(widths));
	assert_int_equal(columns_parse(list, &columns, &bad, &length), 0);
}

static void test_enough(void **state)
{
	(void)state;
	ask_for("pid,command");
	widths[0] = 5;
	widths[1] = 60;
	fit_columns(&columns, widths, 66);
	assert_int_equal(widths[0], 5);
	assert_int_equal(widths[1], 60);
}

static void test_alone(void **state)
{
	(void)state;
	ask_for("args");
	widths[0] = 60;
	fit_columns(&columns, widths, 30);
	assert_in_range(widths[0], 20, 30);
}

static void test_text_before_numbers(void **state)
{
	(void)state;
	ask_for("pid,mntns,args");
	widths[0] = 7;
	widths[1] = 10;
	widths[2] = 500;
	fit_columns(&columns, widths, 80);
	assert_int_equal(widths[0], 7);
	assert_int_equal(widths[1], 10);
	assert_int_equal(widths[2], 80 - 7 - 10 - 2);
}

static void test_numbers_whole_or_not(void **state)
{
	(void)state;
	ask_for("pid,mntns,sid,command");
	widths[0] = 7;
	widths[1] = 10;
	widths[2] = 7;
	widths[3] = 15;
	fit_columns(&columns, widths, 41);
	assert_int_equal(widths[1], 0);
	assert_int_equal(widths[2], 7);
	assert_int_equal(widths[3], 15);
	widths[1] = 10;
	fit_columns(&columns, widths, 30);
	assert_int_equal(widths[1], 0);
	assert_int_equal(widths[2], 0);
	assert_int_equal(widths[0], 7);
	assert_int_equal(widths[3], 15);
}

static void test_room_goes_back(void **state)
{
	(void)state;
	ask_for("pid,args,mntns,sid,pgrp");
	widths[0] = 7;
	widths[1] = 30;
	widths[2] = 10;
	widths[3] = 7;
	widths[4] = 7;
	fit_columns(&columns, widths, 50);
	assert_int_equal(widths[2], 0);
	assert_int_equal(widths[1], 50 - 7 - 7 - 7 - 3);
}

static void test_one_stays(void **state)
{
	(void)state;
	ask_for("mntns,sid");
	widths[0] = 10;
	widths[1] = 7;
	fit_columns(&columns, widths, 3);
	assert_int_equal(widths[0] + widths[1], 7);
}

/* All as wide as on a machine whose PIDs have five digits. */
static void ask_for_more(const char *list)
{
	static const size_t natural[] = {
		[COLUMN_PID] = 5,      [COLUMN_PPID] = 5,   [COLUMN_USER] = 4,
		[COLUMN_STATE] = 5,    [COLUMN_AGE] = 3,    [COLUMN_PGRP] = 5,
		[COLUMN_SID] = 5,      [COLUMN_MNTNS] = 10, [COLUMN_WHY] = 14,
		[COLUMN_COMMAND] = 15, [COLUMN_START] = 19, [COLUMN_WCHAN] = 17,
		[COLUMN_TARGET] = 6,   [COLUMN_ARGS] = 90,
	};

	ask_for(list);
	columns_tell_targets(&columns);
	for (size_t i = 0; i < columns.count; i++)
		widths[i] = natural[columns.list[i]];
}

static size_t width_of(enum column column)
{
	for (size_t i = 0; i < columns.count; i++)
		if (columns.list[i] == column)
			return widths[i];
	return 0;
}

static void test_named_last(void **state)
{
	(void)state;
	ask_for_more("+start,wchan,args");
	fit_columns(&columns, widths, 80);
	assert_int_equal(width_of(COLUMN_START), 19);
	assert_true(width_of(COLUMN_WCHAN) >= 10);
	assert_true(width_of(COLUMN_ARGS) >= 20);
	assert_int_equal(width_of(COLUMN_WHY), 0);
	assert_int_equal(width_of(COLUMN_TARGET), 0);
	assert_int_equal(width_of(COLUMN_COMMAND), 15);
}

static void test_named_in_vain(void **state)
{
	(void)state;
	ask_for_more("+start,wchan,args");
	fit_columns(&columns, widths, 70);
	assert_int_equal(width_of(COLUMN_START), 0);
	assert_true(width_of(COLUMN_WCHAN) >= 10);
	assert_int_equal(width_of(COLUMN_TARGET), 6);
}

static void test_twice(void **state)
{
	(void)state;
	ask_for("args,args");
	widths[0] = widths[1] = 200;
	fit_columns(&columns, widths, 100);
	assert_int_equal(widths[0] + widths[1] + 1, 100);
}

static void test_text(void **state)
{
	char text[] = "sleep 1000", odd[] = "a\033bcdef", whole[] = "sleep";

	(void)state;
	fit_text(text, 6);
	assert_string_equal(text, "sleep+");
	assert_int_equal(fit_text_width(odd), 10);
	fit_text(odd, 6);
	assert_string_equal(odd, "a\033+");
	fit_text(odd, 5);
	assert_string_equal(odd, "a+");
	fit_text(whole, 5);
	assert_string_equal(whole, "sleep");
	fit_text(whole, 1);
	assert_string_equal(whole, "+");
}

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, NULL, NULL, NULL                                               \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("what has room enough stays as it is", test_enough),
		TEST("a column that is alone is cut, too", test_alone),
		TEST("a long text is cut before a number is left out", test_text_before_numbers),
		TEST("numbers are left out as a whole, the least important first",
		     test_numbers_whole_or_not),
		TEST("the room that a column leaves goes to what was cut", test_room_goes_back),
		TEST("one column is always left", test_one_stays),
		TEST("what was named is left out last", test_named_last),
		TEST("where there is no room even then, nothing else is left out for it",
		     test_named_in_vain),
		TEST("a column that is there twice is cut twice", test_twice),
		TEST("a text is cut as wide as it is written", test_text),
	};

	return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
