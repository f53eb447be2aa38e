/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/parse.h"
#include "core/scope.h"
#include "core/signals.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define MS  UINT64_C(1000000)
#define S   (1000 * MS)
#define MIN (60 * S)
#define H   (60 * MIN)
#define D   (24 * H)

#define PGRP	SCOPE_BIT(SCOPE_PGRP)
#define SESSION SCOPE_BIT(SCOPE_SESSION)
#define MNT	SCOPE_BIT(SCOPE_MNT)
#define TREE	SCOPE_BIT(SCOPE_TREE)

/* A word, and the value it stands for or the error that it is; one test each. */
struct parse_case {
	const char *sentence;
	const char *word;
	int result;
	uint64_t value;
};

static const struct parse_case pids[] = {
	{ "a PID is a number", "4711", 0, 4711 },
	{ "1 is a PID", "1", 0, 1 },
	{ "leading zeros do not make a PID octal", "0010", 0, 10 },
	{ "the largest PID is accepted", "2147483647", 0, INT32_MAX },
	{ "a PID one too large is out of range", "2147483648", -ERANGE, 0 },
	{ "a PID that wraps around 32 bits is out of range", "4294967298", -ERANGE, 0 },
	{ "a PID that wraps around 64 bits is out of range", "18446744073709551618", -ERANGE, 0 },
	{ "0 is no PID", "0", -EINVAL, 0 },
	{ "many zeros are no PID", "000", -EINVAL, 0 },
	{ "nothing is no PID", "", -EINVAL, 0 },
	{ "a minus sign is no PID", "-", -EINVAL, 0 },
	{ "a negative PID is refused", "-5", -EINVAL, 0 },
	{ "a PID with a plus sign is refused", "+5", -EINVAL, 0 },
	{ "a PID with letters behind it is refused", "12foo", -EINVAL, 0 },
	{ "a PID with letters in front is refused", "foo12", -EINVAL, 0 },
	{ "letters behind an overflow are no number", "99999999999999999999x", -EINVAL, 0 },
	{ "a PID with a space in front is refused", " 12", -EINVAL, 0 },
	{ "a PID with a space behind it is refused", "12 ", -EINVAL, 0 },
	{ "a PID with a newline is refused", "12\n", -EINVAL, 0 },
	{ "a hexadecimal PID is refused", "0x12", -EINVAL, 0 },
	{ "a PID with a point is refused", "12.0", -EINVAL, 0 },
	{ "digits of another script are refused", "\xd9\xa1\xd9\xa2", -EINVAL, 0 },
};

static void test_pid(void **state)
{
	const struct parse_case *test = *state;
	pid_t pid = -77;

	assert_int_equal(parse_pid(test->word, &pid), test->result);
	assert_int_equal(pid, test->result ? -77 : (pid_t)test->value);
}

/* The size is that of the string where it is not given, for what holds NUL bytes. */
static const struct {
	struct parse_case test;
	size_t size;
} pidfiles[] = {
	{ { "a pidfile holds a PID and a newline", "4711\n", 0, 4711 }, 0 },
	{ { "a pidfile needs no newline", "4711", 0, 4711 }, 0 },
	{ { "a pidfile may hold white space of every kind", " \t\r\n\v\f12 \t\r\n\v\f", 0, 12 },
	  0 },
	{ { "a pidfile may hold leading zeros", "0012\n", 0, 12 }, 0 },
	{ { "what is behind the end of a pidfile is not read", "1234", 0, 12 }, 2 },
	{ { "an empty pidfile is refused", "", -EINVAL, 0 }, 0 },
	{ { "a pidfile of white space is refused", " \n\n ", -EINVAL, 0 }, 0 },
	{ { "a pidfile that holds 0 is refused", "0\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile that holds 1 is refused", "1\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile that holds 01 is refused", "01\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with a negative number is refused", "-5\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with a plus sign is refused", "+5\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with letters is refused", "12foo\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with two numbers is refused", "12 13\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with two lines is refused", "12\n13\n", -EINVAL, 0 }, 0 },
	{ { "a pidfile with an overflow is out of range", "99999999999\n", -ERANGE, 0 }, 0 },
	{ { "a pidfile with a NUL byte behind the number is refused", "12\0", -EINVAL, 0 }, 3 },
	{ { "a pidfile with a NUL byte in front is refused",
	    "\0"
	    "12",
	    -EINVAL, 0 },
	  3 },
	{ { "a pidfile with a NUL byte inside is refused",
	    "1\0"
	    "2",
	    -EINVAL, 0 },
	  3 },
	{ { "a pidfile with a non-breaking space is refused", "12\xa0", -EINVAL, 0 }, 0 },
	{ { "a pidfile with a byte order mark is refused",
	    "\xef\xbb\xbf"
	    "12\n",
	    -EINVAL, 0 },
	  0 },
	{ { "a pidfile with JSON is no plain pidfile", "{\"pid\":12}", -EINVAL, 0 }, 0 },
};

static void test_pidfile(void **state)
{
	const struct parse_case *test = *state;
	size_t i = 0, size;
	char *exact;
	pid_t pid = -77;

	while (&pidfiles[i].test != test)
		i++;
	size = pidfiles[i].size ? pidfiles[i].size : strlen(test->word);

	/* Memory of just that size: a sanitizer sees a look beyond it. */
	exact = malloc(size ? size : 1);
	assert_non_null(exact);
	memcpy(exact, test->word, size);
	assert_int_equal(parse_pidfile(exact, size, &pid), test->result);
	assert_int_equal(pid, test->result ? -77 : (pid_t)test->value);
	free(exact);
}

static const struct parse_case signals[] = {
	{ "a signal is known by its name", "KILL", 0, SIGKILL },
	{ "a signal may have SIG in front", "SIGTERM", 0, SIGTERM },
	{ "a signal's case does not matter", "sigHup", 0, SIGHUP },
	{ "a signal in lower case is known", "int", 0, SIGINT },
	{ "a signal with digits in its name is known", "USR1", 0, SIGUSR1 },
	{ "a signal is known by its number", "9", 0, SIGKILL },
	{ "a signal's number may have leading zeros", "015", 0, SIGTERM },
	{ "signal 1 is HUP", "1", 0, SIGHUP },
	{ "the last number is a signal", "64", 0, 64 },
	{ "IOT is another name of ABRT", "IOT", 0, SIGABRT },
	{ "CLD is another name of CHLD", "SIGCLD", 0, SIGCHLD },
	{ "IO is known", "IO", 0, SIGIO },
	{ "POLL is another name of IO", "poll", 0, SIGIO },
	{ "0 is no signal", "0", -EINVAL, 0 },
	{ "00 is no signal", "00", -EINVAL, 0 },
	{ "a number beyond the last signal is out of range", "65", -ERANGE, 0 },
	{ "a number that wraps around is out of range", "18446744073709551625", -ERANGE, 0 },
	{ "a negative signal is refused", "-9", -EINVAL, 0 },
	{ "a signal with a plus sign is refused", "+9", -EINVAL, 0 },
	{ "an empty signal is refused", "", -EINVAL, 0 },
	{ "SIG alone is refused", "SIG", -EINVAL, 0 },
	{ "SIG before a number is refused", "SIG9", -EINVAL, 0 },
	{ "SIG twice is refused", "SIGSIGKILL", -EINVAL, 0 },
	{ "the beginning of a name is refused", "KIL", -EINVAL, 0 },
	{ "a name with more behind it is refused", "KILLS", -EINVAL, 0 },
	{ "a name with a space is refused", "KILL ", -EINVAL, 0 },
	{ "a number with letters is refused", "9x", -EINVAL, 0 },
	{ "an unknown name is refused", "FOO", -EINVAL, 0 },
	{ "RTMIN takes only a plus", "RTMIN-1", -EINVAL, 0 },
	{ "RTMAX takes only a minus", "RTMAX+1", -EINVAL, 0 },
	{ "RTMIN+ needs a number", "RTMIN+", -EINVAL, 0 },
	{ "RTMIN takes no number without a plus", "RTMIN1", -EINVAL, 0 },
	{ "RTMIN+ takes no sign", "RTMIN++1", -EINVAL, 0 },
	{ "RTMIN+N beyond the last signal is out of range", "RTMIN+1000", -ERANGE, 0 },
	{ "RTMAX-N before the first one is out of range", "RTMAX-1000", -ERANGE, 0 },
};

static void test_signal(void **state)
{
	const struct parse_case *test = *state;
	int signal = -77;

	assert_int_equal(parse_signal(test->word, &signal), test->result);
	assert_int_equal(signal, test->result ? -77 : (int)test->value);
}

/* Their numbers are the C library's, and no constants. */
static void test_realtime_signals(void **state)
{
	char word[32];
	int signal;

	(void)state;
	assert_int_equal(parse_signal("RTMIN", &signal), 0);
	assert_int_equal(signal, SIGRTMIN);
	assert_int_equal(parse_signal("sigrtmax", &signal), 0);
	assert_int_equal(signal, SIGRTMAX);
	for (int i = 0; i <= SIGRTMAX - SIGRTMIN; i++) {
		snprintf(word, sizeof(word), "SIGRTMIN+%d", i);
		assert_int_equal(parse_signal(word, &signal), 0);
		assert_int_equal(signal, SIGRTMIN + i);
		snprintf(word, sizeof(word), "rtmax-%d", i);
		assert_int_equal(parse_signal(word, &signal), 0);
		assert_int_equal(signal, SIGRTMAX - i);
	}
	snprintf(word, sizeof(word), "RTMIN+%d", SIGRTMAX - SIGRTMIN + 1);
	assert_int_equal(parse_signal(word, &signal), -ERANGE);
}

static void test_every_signal(void **state)
{
	int signal;

	(void)state;
	for (int number = 1; number < SIGRTMIN; number++) {
		const char *name = signal_name(number);

		if (!name)
			continue;
		assert_int_equal(parse_signal(name, &signal), 0);
		assert_int_equal(signal, number);
	}
}

static const struct parse_case durations[] = {
	{ "a duration without a unit is in seconds", "10", 0, 10 * S },
	{ "a duration may be in seconds", "10s", 0, 10 * S },
	{ "a duration may be in milliseconds", "250ms", 0, 250 * MS },
	{ "a duration may be in minutes", "2m", 0, 2 * MIN },
	{ "a duration may be in hours", "3h", 0, 3 * H },
	{ "a duration may be in days", "1d", 0, D },
	{ "a duration may be 0", "0", 0, 0 },
	{ "a duration may be 0 in any unit", "0.000d", 0, 0 },
	{ "a duration may have a fraction", "1.5", 0, 1500 * MS },
	{ "a duration may begin with its point", ".5", 0, 500 * MS },
	{ "a duration may end with its point", "5.", 0, 5 * S },
	{ "a unit may follow the point", "5.m", 0, 5 * MIN },
	{ "a fraction has a unit like the rest", "0.5d", 0, 12 * H },
	{ "leading zeros do not make a duration octal", "010", 0, 10 * S },
	{ "a nanosecond is exact", "0.000000001", 0, 1 },
	{ "a part of a nanosecond is rounded up", "0.0000000001", 0, 1 },
	{ "a little more than a nanosecond is rounded up", "0.0000000010000000000000000001", 0, 2 },
	{ "trailing zeros round nothing up", "0.0000000010000000000000000000", 0, 1 },
	{ "a tenth is exact", "0.1", 0, 100 * MS },
	{ "what a binary fraction would get wrong is exact", "9007199254.740993001", 0,
	  UINT64_C(9007199254740993001) },
	{ "a third of a day is rounded up", "0.33333333333333333333d", 0, D / 3 },
	{ "a fraction just below one is rounded up", "0.99999999999999999999999d", 0, D },
	{ "infinity is no bound", "infinity", 0, UINT64_MAX },
	{ "the longest duration fits", "18446744073.709551614", 0, UINT64_MAX - 1 },
	{ "a duration one nanosecond too long is out of range", "18446744073.709551615", -ERANGE,
	  0 },
	{ "a duration that rounds up out of range is", "18446744073.7095516140001", -ERANGE, 0 },
	{ "a duration that wraps around is out of range", "18446744074", -ERANGE, 0 },
	{ "a duration in a unit that is too long is out of range", "213504d", -ERANGE, 0 },
	{ "a number beyond 64 bits is out of range", "99999999999999999999999ms", -ERANGE, 0 },
	{ "letters behind an overflow are no duration", "99999999999999999999999x", -EINVAL, 0 },
	{ "an empty duration is refused", "", -EINVAL, 0 },
	{ "a unit alone is refused", "s", -EINVAL, 0 },
	{ "a point alone is refused", ".", -EINVAL, 0 },
	{ "a point with a unit is refused", ".ms", -EINVAL, 0 },
	{ "a duration with two points is refused", "1.2.3", -EINVAL, 0 },
	{ "a duration with a comma is refused", "1,5", -EINVAL, 0 },
	{ "a negative duration is refused", "-1", -EINVAL, 0 },
	{ "a duration with a plus sign is refused", "+1", -EINVAL, 0 },
	{ "a hexadecimal duration is refused", "0x10", -EINVAL, 0 },
	{ "a duration with an exponent is refused", "1e3", -EINVAL, 0 },
	{ "nan is refused", "nan", -EINVAL, 0 },
	{ "inf is refused", "inf", -EINVAL, 0 },
	{ "infinity in another case is refused", "Infinity", -EINVAL, 0 },
	{ "infinity with a unit is refused", "infinitys", -EINVAL, 0 },
	{ "a space in front is refused", " 1", -EINVAL, 0 },
	{ "a space before the unit is refused", "1 s", -EINVAL, 0 },
	{ "a space at the end is refused", "1s ", -EINVAL, 0 },
	{ "two units are refused", "1m30s", -EINVAL, 0 },
	{ "an unknown unit is refused", "1us", -EINVAL, 0 },
	{ "a unit in upper case is refused", "1S", -EINVAL, 0 },
};

static void test_duration(void **state)
{
	const struct parse_case *test = *state;
	uint64_t ns = 77;

	assert_int_equal(parse_duration(test->word, &ns), test->result);
	assert_true(ns == (test->result ? 77 : test->value));
}

static const struct parse_case matches[] = {
	{ "one kind is itself", "pgrp", 0, PGRP },
	{ "kinds are separated by commas", "session,mnt", 0, SESSION | MNT },
	{ "the order of kinds does not matter", "tree,pgrp", 0, TREE | PGRP },
	{ "a kind may be named twice", "mnt,mnt", 0, MNT },
	{ "all is every kind", "all", 0, SCOPE_ALL },
	{ "a minus takes a kind from the default", "-tree", 0, PGRP | SESSION | MNT },
	{ "a plus adds to the default", "+mnt", 0, PGRP | SESSION | MNT | TREE },
	{ "changes are made in order", "-mnt,+mnt,-pgrp", 0, SESSION | MNT | TREE },
	{ "everything can be added", "+all", 0, SCOPE_ALL },
	{ "everything can be taken away, and the target remains", "-all", 0, 0 },
	{ "an empty list is refused", "", -EINVAL, 0 },
	{ "a comma alone is refused", ",", -EINVAL, 0 },
	{ "an empty item at the beginning is refused", ",mnt", -EINVAL, 0 },
	{ "an empty item in the middle is refused", "mnt,,tree", -EINVAL, 0 },
	{ "an empty item at the end is refused", "mnt,", -EINVAL, 0 },
	{ "an empty change at the end is refused", "+mnt,", -EINVAL, 0 },
	{ "a sign without a kind is refused", "+", -EINVAL, 0 },
	{ "a sign without a kind is refused within a list", "+mnt,-", -EINVAL, 0 },
	{ "two signs are refused", "+-mnt", -EINVAL, 0 },
	{ "kinds after a change are refused", "+mnt,tree", -EINVAL, 0 },
	{ "a change after kinds is refused", "mnt,-tree", -EINVAL, 0 },
	{ "an unknown kind is refused", "netns", -EINVAL, 0 },
	{ "the beginning of a kind is refused", "pgr", -EINVAL, 0 },
	{ "a kind with more behind it is refused", "pgrps", -EINVAL, 0 },
	{ "a kind in upper case is refused", "MNT", -EINVAL, 0 },
	{ "a space in a list is refused", "mnt, tree", -EINVAL, 0 },
};

static void test_match(void **state)
{
	const struct parse_case *test = *state;
	unsigned kinds = 77;

	assert_int_equal(parse_match(test->word, &kinds), test->result);
	assert_int_equal(kinds, test->result ? 77 : test->value);
}

static void test_match_fault(void **state)
{
	static const struct {
		const char *list, *fault;
	} cases[] = {
		{ "", "" },
		{ "mnt,", "" },
		{ "mnt,foo,pid", "foo" },
		{ "+mnt,pid", "pid" },
		{ "mnt,+pid", "+pid" },
		{ "-", "-" },
	};
	size_t length;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *fault = parse_match_fault(cases[i].list, &length);

		assert_non_null(fault);
		assert_int_equal(length, strlen(cases[i].fault));
		assert_memory_equal(fault, cases[i].fault, length);
	}
	assert_null(parse_match_fault("mnt,pid", &length));
}

static struct CMUnitTest from_case(const struct parse_case *test, CMUnitTestFunction function)
{
	return (struct CMUnitTest){ test->sentence, function, NULL, NULL, (void *)(uintptr_t)test };
}

int main(void)
{
	struct CMUnitTest tests[COUNT(pids) + COUNT(pidfiles) + COUNT(signals) + COUNT(durations) +
				COUNT(matches) + 3];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(pids); i++)
		tests[count++] = from_case(&pids[i], test_pid);
	for (size_t i = 0; i < COUNT(pidfiles); i++)
		tests[count++] = from_case(&pidfiles[i].test, test_pidfile);
	for (size_t i = 0; i < COUNT(signals); i++)
		tests[count++] = from_case(&signals[i], test_signal);
	for (size_t i = 0; i < COUNT(durations); i++)
		tests[count++] = from_case(&durations[i], test_duration);
	for (size_t i = 0; i < COUNT(matches); i++)
		tests[count++] = from_case(&matches[i], test_match);
	tests[count++] = (struct CMUnitTest){ "the item at fault in a list of kinds is told",
					      test_match_fault, NULL, NULL, NULL };
	tests[count++] = (struct CMUnitTest){ "every real-time signal can be named from both ends",
					      test_realtime_signals, NULL, NULL, NULL };
	tests[count++] = (struct CMUnitTest){ "every signal that has a name is known by it",
					      test_every_signal, NULL, NULL, NULL };

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
