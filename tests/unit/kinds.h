/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for namespaces holds for every kind of them: these tests are run once for each. */
#ifndef NSKILL_TESTS_KINDS_H
#define NSKILL_TESTS_KINDS_H

#include "core/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/** The kind that is tested, by the @state that the set-up of a test is given. */
static inline enum scope_kind tested_kind(void **state)
{
	const enum scope_kind *kind = *state;

	return kind ? *kind : SCOPE_MNT;
}

/* With the kind's name behind the sentence. */
static inline void plan_test(struct CMUnitTest *planned, const struct CMUnitTest *test,
			     enum scope_kind *kind)
{
	char *name = calloc(1, 160);

	assert_non_null(name);
	snprintf(name, 160, "%s (%s)", test->name, scope_kind_name(*kind));
	*planned = *test;
	planned->name = name;
	planned->initial_state = kind;
}

/** Run @tests, and @for_each_kind for each kind of namespace, under one plan. */
static inline int run_with_kinds(const char *group, const struct CMUnitTest *tests, size_t count,
				 const struct CMUnitTest *for_each_kind, size_t each_count)
{
	enum scope_kind kinds[SCOPE_NAMESPACES];
	size_t planned = count;
	struct CMUnitTest *plan =
		calloc(count + SCOPE_NAMESPACES * each_count, sizeof(struct CMUnitTest));
	int rc;

	assert_non_null(plan);
	for (size_t i = 0; i < count; i++)
		plan[i] = tests[i];
	for (size_t k = 0; k < SCOPE_NAMESPACES; k++) {
		kinds[k] = SCOPE_MNT + k;
		for (size_t i = 0; i < each_count; i++)
			plan_test(&plan[planned++], &for_each_kind[i], &kinds[k]);
	}
	rc = _cmocka_run_group_tests(group, plan, planned, NULL, NULL);
	for (size_t i = count; i < planned; i++)
		free((char *)plan[i].name);
	free(plan);
	return rc;
}

#define RUN_WITH_KINDS(group, tests, for_each_kind)                                                \
	run_with_kinds(group, tests, sizeof(tests) / sizeof(*(tests)), for_each_kind,              \
		       sizeof(for_each_kind) / sizeof(*(for_each_kind)))

#endif
