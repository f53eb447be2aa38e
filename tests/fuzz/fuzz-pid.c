/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PIDs, PID:INODE, plain pidfiles and counts: digits alone, and held against each other. */
#include "config.h"

#include "core/parse.h"
#include "fuzz.h"

#include <errno.h>
#include <inttypes.h>

#define SPACE " \t\n\v\f\r"

static void check_result(int rc)
{
	must(rc == 0 || rc == -EINVAL || rc == -ERANGE);
}

/* Whether @word but for leading zeros is @number. */
static int spells(const char *word, uint64_t number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return strcmp(word + strspn(word, "0"), digits) == 0;
}

static void check_pid(const char *word)
{
	pid_t pid = -77;
	size_t count = 77;
	int rc = parse_pid(word, &pid), count_rc = parse_count(word, &count);

	check_result(rc);
	check_result(count_rc);
	must(rc ? pid == -77 : pid > 0 && spells(word, (uint64_t)pid));
	must(count_rc ? count == 77 : count > 0 && spells(word, count));
	/* A count may be larger, and there is no other difference. */
	must(rc == count_rc || (rc == -ERANGE && !count_rc));
	must(rc || (size_t)pid == count);
}

static void check_pid_inode(char *word)
{
	uint64_t inode = 77;
	pid_t pid = -77;
	int rc = parse_pid_inode(word, &pid, &inode);
	char *colon = strchr(word, ':');

	check_result(rc);
	if (rc) {
		must(pid == -77 && inode == 77);
		return;
	}
	must(colon && pid > 1 && inode > 0);
	must(spells(colon + 1, inode));
	*colon = '\0';
	must(spells(word, (uint64_t)pid));
	*colon = ':';
}

/* The same as the word without the white space around it, but for 1. */
static void check_pidfile(const uint8_t *data, size_t size)
{
	char *word = fuzz_word(data, size), *begin, *text = malloc(size ? size : 1);
	pid_t pid = -77, other = -77;
	int rc;

	must(text);
	memcpy(text, data, size);
	rc = parse_pidfile(text, size, &pid);
	check_result(rc);
	must(rc ? pid == -77 : pid > 1);
	must(rc || !memchr(data, '\0', size));

	begin = word + strspn(word, SPACE);
	for (size_t end = strlen(begin); end && strchr(SPACE, begin[end - 1]); end--)
		begin[end - 1] = '\0';
	if (!memchr(data, '\0', size)) {
		int other_rc = parse_pid(begin, &other);

		must(other == 1 ? rc == -EINVAL : rc == other_rc && pid == other);
	}
	free(text);
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = fuzz_word(data, size);

	check_pid(word);
	check_pid_inode(word);
	check_pidfile(data, size);
	free(word);
	return 0;
}
