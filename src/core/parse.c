/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/parse.h"
#include "core/scope.h"
#include "core/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#define DIGITS "0123456789"

/* All @length bytes as one decimal number of at most @max, itself at least 9. */
static int read_number(const char *text, size_t length, uint64_t max, uint64_t *number)
{
	uint64_t value = 0;
	bool too_large = false;

	if (!length)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned char)text[i] - (unsigned)'0';

		if (digit > 9)
			return -EINVAL;
		/* Read on when it overflows: a later byte may show that it is no number. */
		too_large = too_large || value > (max - digit) / 10;
		value = value * 10 + digit;
	}
	if (too_large)
		return -ERANGE;
	*number = value;
	return 0;
}

static int read_pid(const char *text, size_t length, pid_t *pid)
{
	uint64_t number;
	int result = read_number(text, length, INT_MAX, &number);

	if (result)
		return result;
	if (!number)
		return -EINVAL;
	*pid = (pid_t)number;
	return 0;
}

int parse_pid(const char *word, pid_t *pid)
{
	return read_pid(word, strlen(word), pid);
}

int parse_pid_inode(const char *word, pid_t *pid, uint64_t *inode)
{
	const char *colon = strchr(word, ':');
	uint64_t number = 0;
	pid_t process = 0;
	int result, rest;

	if (!colon)
		return -EINVAL;
	result = read_pid(word, (size_t)(colon - word), &process);
	rest = read_number(colon + 1, strlen(colon + 1), UINT64_MAX, &number);
	if (result == -EINVAL || rest == -EINVAL)
		return -EINVAL;
	if (result || rest)
		return -ERANGE;
	if (process == 1 || !number)
		return -EINVAL;
	*pid = process;
	*inode = number;
	return 0;
}

int parse_count(const char *word, size_t *count)
{
	uint64_t number;
	int result = read_number(word, strlen(word), SIZE_MAX, &number);

	if (result)
		return result;
	if (!number)
		return -EINVAL;
	*count = (size_t)number;
	return 0;
}

/* isspace() as in the C locale, whatever the locale is. */
static bool is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

int parse_pidfile(const char *text, size_t size, pid_t *pid)
{
	pid_t number;
	int result;

	while (size && is_space(text[size - 1]))
		size--;
	for (; size && is_space(*text); size--)
		text++;

	result = read_pid(text, size, &number);
	if (result)
		return result;
	if (number == 1)
		return -EINVAL;
	*pid = number;
	return 0;
}

/* toupper() as in the C locale: in a Turkish one, "sigint" would not be SIGINT. */
static char upper(char byte)
{
	if (byte >= 'a' && byte <= 'z')
		byte = (char)(byte - 'a' + 'A');
	return byte;
}

/* What follows @prefix in @word, or NULL where @word does not begin so; case does not matter. */
static const char *after_prefix(const char *word, const char *prefix)
{
	for (; *prefix; word++, prefix++) {
		if (upper(*word) != *prefix)
			return NULL;
	}
	return word;
}

static bool is_name(const char *word, const char *name)
{
	const char *rest = after_prefix(word, name);

	return rest && !*rest;
}

static int realtime_signal(const char *word, int *signal)
{
	const char *up = after_prefix(word, "RTMIN");
	const char *rest = up ? up : after_prefix(word, "RTMAX");
	uint64_t offset = 0;
	int result;

	if (!rest)
		return -EINVAL;
	if (*rest) {
		if (*rest++ != (up ? '+' : '-'))
			return -EINVAL;
		result = read_number(rest, strlen(rest), (uint64_t)(SIGRTMAX - SIGRTMIN), &offset);
		if (result)
			return result;
	}
	*signal = up ? SIGRTMIN + (int)offset : SIGRTMAX - (int)offset;
	return 0;
}

static int named_signal(const char *name, int *signal)
{
	static const struct {
		const char *name;
		int signal;
	} aliases[] = {
		{ "IOT", SIGABRT },
		{ "CLD", SIGCHLD },
		{ "IO", SIGIO },
	};

	for (int number = 1; number < SIGRTMIN; number++) {
		const char *abbreviation = signal_name(number);

		if (abbreviation && is_name(name, abbreviation)) {
			*signal = number;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (is_name(name, aliases[i].name)) {
			*signal = aliases[i].signal;
			return 0;
		}
	}
	return realtime_signal(name, signal);
}

int parse_signal(const char *word, int *signal)
{
	const char *name = after_prefix(word, "SIG");
	uint64_t number;
	int result = read_number(word, strlen(word), (uint64_t)SIGRTMAX, &number);

	if (result == -ERANGE)
		return result;
	if (result)
		return named_signal(name ? name : word, signal);
	if (!number)
		return -EINVAL;
	*signal = (int)number;
	return 0;
}

/* The ns in one @unit of time, or 0 where it is none. */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60 * 1000000000ULL },
		{ "h", 3600 * 1000000000ULL },
		{ "d", 86400 * 1000000000ULL },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	}
	return 0;
}

/*
 * @unit times the fraction that has these digits behind its point, rounded up. It is the long
 * multiplication of school, from the last digit to the first, where only the carry is wanted and
 * whether anything was left behind it: exact however many digits there are, and carry < @unit.
 */
static uint64_t fraction_of(uint64_t unit, const char *digits, size_t length)
{
	uint64_t carry = 0;
	bool left_behind = false;

	while (length--) {
		carry += unit * (uint64_t)(digits[length] - '0');
		left_behind = left_behind || carry % 10;
		carry /= 10;
	}
	return carry + left_behind;
}

int parse_duration(const char *word, uint64_t *ns)
{
	size_t whole_length = strspn(word, DIGITS);
	const char *fraction = word + whole_length + (word[whole_length] == '.');
	size_t fraction_length = fraction > word + whole_length ? strspn(fraction, DIGITS) : 0;
	uint64_t unit = unit_ns(fraction + fraction_length);
	uint64_t whole = 0, total;

	if (!strcmp(word, "infinity")) {
		*ns = UINT64_MAX;
		return 0;
	}
	if (!unit || !(whole_length + fraction_length))
		return -EINVAL;
	if (whole_length && read_number(word, whole_length, UINT64_MAX, &whole))
		return -ERANGE;
	if (__builtin_mul_overflow(whole, unit, &total) ||
	    __builtin_add_overflow(total, fraction_of(unit, fraction, fraction_length), &total) ||
	    total == UINT64_MAX)
		return -ERANGE;
	*ns = total;
	return 0;
}

/* The kinds that a word of @length bytes means, or 0 where it means none. */
static unsigned kind_bits(const char *word, size_t length)
{
	for (int kind = 0; kind < SCOPE_KINDS; kind++) {
		const char *name = scope_kind_name((enum scope_kind)kind);

		if (!strncmp(name, word, length) && !name[length])
			return SCOPE_BIT(kind);
	}
	if (length == strlen("all") && !strncmp("all", word, length))
		return SCOPE_ALL;
	return 0;
}

/* NULL, or the item that is none of such a list. */
static const char *read_kinds(const char *word, unsigned *kinds)
{
	bool changes = *word == '+' || *word == '-';
	unsigned result = changes ? SCOPE_DEFAULT : 0;

	for (bool more = true; more;) {
		size_t length = strcspn(word, ",");
		unsigned bits;

		if (changes && *word != '+' && *word != '-')
			return word;
		bits = kind_bits(word + changes, length - changes);
		if (!bits)
			return word;
		result = *word == '-' ? result & ~bits : result | bits;
		more = word[length] == ',';
		word += length + more;
	}
	*kinds = result;
	return NULL;
}

int parse_match(const char *word, unsigned *kinds)
{
	return read_kinds(word, kinds) ? -EINVAL : 0;
}

const char *parse_match_fault(const char *word, size_t *length)
{
	unsigned kinds;
	const char *fault = read_kinds(word, &kinds);

	*length = fault ? strcspn(fault, ",") : 0;
	return fault;
}
