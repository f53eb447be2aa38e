/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers share. Each is one function, which libFuzzer calls with bytes of its making. */
#ifndef NSKILL_TESTS_FUZZ_H
#define NSKILL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like assert(), and never left out. */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The bytes as a word, for the caller to free(): in memory of just its size. */
static inline char *fuzz_word(const uint8_t *data, size_t size)
{
	char *word = malloc(size + 1);

	must(word);
	memcpy(word, data, size);
	word[size] = '\0';
	return word;
}

#endif
