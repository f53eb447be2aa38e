/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of kinds: what is taken is a set of kinds that exist, and can be said in one way at least.
 */
#include "config.h"

#include "core/parse.h"
#include "core/scope.h"
#include "fuzz.h"

#include <errno.h>

/* The kinds by their names, each with @sign in front where there is one. */
static void write_list(char *list, size_t size, unsigned kinds, const char *sign)
{
	FILE *stream = fmemopen(list, size, "w");
	const char *comma = "";

	must(stream);
	for (int kind = 0; kind < SCOPE_KINDS; kind++) {
		if (!(kinds & SCOPE_BIT(kind)))
			continue;
		fprintf(stream, "%s%s%s", comma, sign, scope_kind_name((enum scope_kind)kind));
		comma = ",";
	}
	must(fclose(stream) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = fuzz_word(data, size);
	const unsigned every = SCOPE_BIT(SCOPE_KINDS) - 1;
	unsigned kinds = 77u << 16, again;
	int rc = parse_match(word, &kinds);
	char list[256];

	if (rc) {
		must(rc == -EINVAL);
		must(kinds == 77u << 16);
	} else {
		must((kinds & ~every) == 0);
		must(kinds || *word == '+' || *word == '-');
	}
	if (!rc && kinds) {
		write_list(list, sizeof(list), kinds, "");
		must(parse_match(list, &again) == 0);
		must(again == kinds);
	}
	if (!rc && every & ~kinds) {
		write_list(list, sizeof(list), every & ~kinds, "-");
		must(parse_match(list, &again) == 0);
		must(again == (SCOPE_DEFAULT & kinds));
	}
	free(word);
	return 0;
}
