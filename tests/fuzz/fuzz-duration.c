/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations, held against the C library's reading of the number. */
#include "config.h"

#include "core/parse.h"
#include "fuzz.h"

#include <errno.h>

static long double unit_ns(const char *unit)
{
	switch (*unit) {
	case 'm':
		return unit[1] == 's' ? 1e6L : 60e9L;
	case 'h':
		return 3600e9L;
	case 'd':
		return 86400e9L;
	default:
		return 1e9L;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = fuzz_word(data, size), *unit;
	uint64_t ns = 77;
	int rc = parse_duration(word, &ns);
	long double number = strtold(word, &unit), wanted = number * unit_ns(unit);

	if (rc) {
		must(rc == -EINVAL || rc == -ERANGE);
		must(ns == 77);
		must(rc == -EINVAL || wanted > 18446744073709551614.0L - 4);
	} else if (ns == UINT64_MAX) {
		must(strcmp(word, "infinity") == 0);
	} else {
		/* Rounded up; the other number has 64 bits, too. */
		must((long double)ns > wanted - 4);
		must((long double)ns < wanted + 4);
	}
	free(word);
	return 0;
}
