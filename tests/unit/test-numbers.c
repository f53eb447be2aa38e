/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, NULL, NULL, NULL                                               \
	}

#define MAX 32768

/* As many as bring the counter to @pid, and not one less, can be a second owner of it. */
static void assert_distance(pid_t last, pid_t pid, uint64_t distance)
{
	struct numbers numbers = { .forks = distance - 1, .last = last, .max = MAX };

	assert_false(numbers_may_reach(&numbers, pid));
	numbers.forks = distance;
	assert_true(numbers_may_reach(&numbers, pid));
	numbers.forks = UINT64_MAX;
	assert_true(numbers_may_reach(&numbers, pid));
}

static void test_ahead(void **state)
{
	(void)state;
	assert_distance(5000, 5001, 1);
	assert_distance(5000, MAX - 1, MAX - 5001);
}

static void test_behind(void **state)
{
	(void)state;
	assert_distance(5000, 5000, MAX - 300);
	assert_distance(5000, 4000, MAX - 1300);
	assert_distance(MAX - 1, 500, 201);
	assert_distance(MAX - 1, 301, 2);
}

/* The kernel leaves those below 300 out, but for the first round; it is not relied on. */
static void test_reserved(void **state)
{
	(void)state;
	assert_distance(MAX - 1, 300, 1);
	assert_distance(MAX - 1, 2, 1);
	assert_distance(5000, 299, MAX - 5000);
}

/* Those that were in use are passed over, and nobody is made for it. */
static void test_in_use(void **state)
{
	struct numbers numbers = { .forks = 60, .in_use = 39, .last = 5000, .max = MAX };

	(void)state;
	assert_false(numbers_may_reach(&numbers, 5100));
	numbers.in_use = 40;
	assert_true(numbers_may_reach(&numbers, 5100));
	numbers.in_use = UINT64_MAX;
	assert_true(numbers_may_reach(&numbers, 5100));
}

static void test_unknown(void **state)
{
	struct numbers numbers = { .forks = 0, .last = 0, .max = MAX };

	(void)state;
	assert_true(numbers_may_reach(&numbers, 5000));
	numbers.last = MAX; /* kernel.pid_max has been lowered since */
	assert_true(numbers_may_reach(&numbers, 5000));
}

static void test_passed(void **state)
{
	(void)state;
	assert_false(numbers_passed(5000, 5002, 5000));
	assert_true(numbers_passed(5000, 5002, 5001));
	assert_true(numbers_passed(5000, 5002, 5002));
	assert_false(numbers_passed(5000, 5002, 5003));
	assert_false(numbers_passed(5000, 5002, 4000));
	assert_false(numbers_passed(5000, 5000, 5000));
	assert_false(numbers_passed(5000, 5000, 4000));
}

static void test_passed_from_the_beginning(void **state)
{
	(void)state;
	assert_false(numbers_passed(5000, 400, 5000));
	assert_true(numbers_passed(5000, 400, 5001));
	assert_true(numbers_passed(5000, 400, MAX - 1));
	assert_true(numbers_passed(5000, 400, 400));
	assert_false(numbers_passed(5000, 400, 401));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("a number ahead of the last is reached by counting on", test_ahead),
		TEST("one behind it by way of the highest and of 300", test_behind),
		TEST("one below 300 as soon as they start again", test_reserved),
		TEST("those that were in use bring it nearer", test_in_use),
		TEST("where the last is unknown any may be reached", test_unknown),
		TEST("those after the one seen are passed, up to the last", test_passed),
		TEST("and so they are when they have started again",
		     test_passed_from_the_beginning),
	};

	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
