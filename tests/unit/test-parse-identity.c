/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A word, and the values that it stands for or the error that it is; one test each. */
static const struct pid_inode_case {
	const char *sentence;
	const char *word;
	int result;
	pid_t pid;
	uint64_t inode;
} pid_inodes[] = {
	{ "a PID and an inode are two numbers", "4711:5", 0, 4711, 5 },
	{ "leading zeros do not make them octal", "0012:0010", 0, 12, 10 },
	{ "the smallest are 2 and 1", "2:1", 0, 2, 1 },
	{ "the largest are accepted", "2147483647:18446744073709551615", 0, INT32_MAX, UINT64_MAX },
	{ "a PID one too large is out of range", "2147483648:5", -ERANGE, 0, 0 },
	{ "a PID that wraps around 32 bits is out of range", "4294972007:5", -ERANGE, 0, 0 },
	{ "an inode one too large is out of range", "12:18446744073709551616", -ERANGE, 0, 0 },
	{ "an inode that wraps around is out of range", "12:36893488147419103237", -ERANGE, 0, 0 },
	{ "both too large are out of range", "99999999999:99999999999999999999", -ERANGE, 0, 0 },
	{ "a large PID before a name is no PID:INODE", "99999999999:foo", -EINVAL, 0, 0 },
	{ "a large PID before a path is no PID:INODE", "99999999999:5/x", -EINVAL, 0, 0 },
	{ "a name before a large inode is none", "foo:99999999999999999999", -EINVAL, 0, 0 },
	{ "letters behind a large inode are none", "12:99999999999999999999x", -EINVAL, 0, 0 },
	{ "a PID alone is no PID:INODE", "4711", -EINVAL, 0, 0 },
	{ "nothing is no PID:INODE", "", -EINVAL, 0, 0 },
	{ "a colon alone is none", ":", -EINVAL, 0, 0 },
	{ "an inode without a PID is none", ":5", -EINVAL, 0, 0 },
	{ "a PID without an inode is none", "4711:", -EINVAL, 0, 0 },
	{ "PID 0 has no inode", "0:5", -EINVAL, 0, 0 },
	{ "PID 1 cannot be named so", "1:5", -EINVAL, 0, 0 },
	{ "PID 01 is PID 1", "01:5", -EINVAL, 0, 0 },
	{ "inode 0 is none", "4711:0", -EINVAL, 0, 0 },
	{ "many zeros are no inode", "4711:000", -EINVAL, 0, 0 },
	{ "two inodes are refused", "4711:5:6", -EINVAL, 0, 0 },
	{ "two colons are refused", "4711::5", -EINVAL, 0, 0 },
	{ "a negative PID is refused", "-4711:5", -EINVAL, 0, 0 },
	{ "a negative inode is refused", "4711:-5", -EINVAL, 0, 0 },
	{ "plus signs are refused", "+4711:+5", -EINVAL, 0, 0 },
	{ "a space before the colon is refused", "4711 :5", -EINVAL, 0, 0 },
	{ "a space behind the colon is refused", "4711: 5", -EINVAL, 0, 0 },
	{ "a newline at the end is refused", "4711:5\n", -EINVAL, 0, 0 },
	{ "a hexadecimal inode is refused", "4711:0x5", -EINVAL, 0, 0 },
	{ "another separator is refused", "4711.5", -EINVAL, 0, 0 },
	{ "a colon of another script is refused",
	  "4711\xef\xbc\x9a"
	  "5",
	  -EINVAL, 0, 0 },
};

static void test_pid_inode(void **state)
{
	const struct pid_inode_case *test = *state;
	uint64_t inode = 77;
	pid_t pid = -77;

	assert_int_equal(parse_pid_inode(test->word, &pid, &inode), test->result);
	assert_int_equal(pid, test->result ? -77 : test->pid);
	assert_true(inode == (test->result ? 77 : test->inode));
}

static const struct count_case {
	const char *sentence;
	const char *word;
	int result;
	size_t count;
} counts[] = {
	{ "a count is a number", "100", 0, 100 },
	{ "1 is a count", "1", 0, 1 },
	{ "leading zeros do not make a count octal", "0010", 0, 10 },
	{ "0 is no count", "0", -EINVAL, 0 },
	{ "many zeros are no count", "000", -EINVAL, 0 },
	{ "nothing is no count", "", -EINVAL, 0 },
	{ "a negative count is refused", "-1", -EINVAL, 0 },
	{ "a count with a plus sign is refused", "+1", -EINVAL, 0 },
	{ "a count with a fraction is refused", "1.0", -EINVAL, 0 },
	{ "a count with an exponent is refused", "1e3", -EINVAL, 0 },
	{ "a count with a unit is refused", "1k", -EINVAL, 0 },
	{ "a hexadecimal count is refused", "0x10", -EINVAL, 0 },
	{ "a count with a space in front is refused", " 1", -EINVAL, 0 },
	{ "a count with a space behind it is refused", "1 ", -EINVAL, 0 },
	{ "infinity is no count", "infinity", -EINVAL, 0 },
	{ "a count that wraps around is out of range", "36893488147419103233", -ERANGE, 0 },
	{ "letters behind an overflow are no count", "36893488147419103233x", -EINVAL, 0 },
};

static void test_count(void **state)
{
	const struct count_case *test = *state;
	size_t count = 77;

	assert_int_equal(parse_count(test->word, &count), test->result);
	assert_int_equal(count, test->result ? 77 : test->count);
}

static void test_largest_count(void **state)
{
	char word[64];
	size_t count = 77;

	(void)state;
	snprintf(word, sizeof(word), "%zu", SIZE_MAX);
	assert_int_equal(parse_count(word, &count), 0);
	assert_true(count == SIZE_MAX);
	snprintf(word, sizeof(word), "%zu0", SIZE_MAX);
	assert_int_equal(parse_count(word, &count), -ERANGE);
	assert_true(count == SIZE_MAX);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(pid_inodes) + COUNT(counts) + 1];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(pid_inodes); i++)
		tests[count++] = (struct CMUnitTest){ pid_inodes[i].sentence, test_pid_inode, NULL,
						      NULL, (void *)(uintptr_t)&pid_inodes[i] };
	for (size_t i = 0; i < COUNT(counts); i++)
		tests[count++] = (struct CMUnitTest){ counts[i].sentence, test_count, NULL, NULL,
						      (void *)(uintptr_t)&counts[i] };
	tests[count++] =
		(struct CMUnitTest){ "the largest count is that of what a machine can hold",
				     test_largest_count, NULL, NULL, NULL };
	return cmocka_run_group_tests_name("parse-identity", tests, NULL, NULL);
}
