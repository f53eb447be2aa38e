/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals by name and number: case and SIG make no difference, and what is none is refused. */
#include "config.h"

#include "core/parse.h"
#include "fuzz.h"

#include <errno.h>
#include <signal.h>

static char other_case(char byte)
{
	if (byte >= 'a' && byte <= 'z')
		return (char)(byte - 'a' + 'A');
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static int parse_with_prefix(const char *word, int *signal)
{
	char *longer = malloc(strlen(word) + sizeof("SIG"));
	int rc;

	must(longer);
	strcpy(longer, "SIG");
	strcat(longer, word);
	rc = parse_signal(longer, signal);
	free(longer);
	return rc;
}

static int parse_in_other_case(char *word, int *signal)
{
	for (char *byte = word; *byte; byte++)
		*byte = other_case(*byte);
	return parse_signal(word, signal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = fuzz_word(data, size);
	int signal = -77, other = -77;
	int rc = parse_signal(word, &signal);

	if (rc) {
		must(rc == -EINVAL || rc == -ERANGE);
		must(signal == -77);
	} else {
		must(signal >= 1 && signal <= SIGRTMAX);
		/* Only a name without SIG takes one in front. */
		must(parse_with_prefix(word, &other) || other == signal);
	}
	must(parse_in_other_case(word, &other) == rc);
	must(rc || other == signal);
	free(word);
	return 0;
}
