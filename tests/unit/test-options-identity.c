/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/options.h"
#include "core/kind.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define SECOND	     UINT64_C(1000000000)
#define WORDS_MAX    8

/* A command line that is an error, and a piece of the sentence that it gets; one test each. */
static const struct refused {
	const char *sentence;
	const char *words[WORDS_MAX];
	const char *text;
} refusals[] = {
	{ "an inode of 0 is refused", { "77:0" }, "'77:0' is no target" },
	{ "an inode alone is refused", { ":5" }, "':5' is no target" },
	{ "a PID with a colon and no inode is refused", { "77:" }, "'77:' is no target" },
	{ "PID 1 with an inode is refused", { "1:5" }, "'1:5' is no target" },
	{ "PID 0 with an inode is refused", { "0:5" }, "'0:5' is no target" },
	{ "a negative inode is refused", { "77:-5" }, "'77:-5' is no target" },
	{ "two inodes are refused", { "77:5:6" }, "'77:5:6' is no target" },
	{ "a name behind a colon is refused", { "77:foo" }, "'77:foo' is no target" },
	{ "it is, behind a large PID", { "99999999999:foo" }, "'99999999999:foo' is no target" },
	{ "a PID with an inode that overflows is refused", { "2147483648:5" }, "is too large" },
	{ "an inode that overflows is refused", { "77:18446744073709551616" }, "is too large" },
	{ "what is no target is told of PID:INODE and -", { "foo" }, "a PID:INODE, - or a path" },

	{ "a bad --older is refused", { "-O", "1x", "77" }, "--older '1x' is no duration" },
	{ "an empty --older is refused", { "--older=", "77" }, "--older '' is no duration" },
	{ "a negative --older is refused", { "-O-1", "77" }, "--older '-1' is no duration" },
	{ "--older that overflows is refused", { "-O", "999999d", "77" }, "--older '999999d' is" },
	{ "--older without its argument is refused", { "77", "-O" }, "'-O' needs an argument" },

	{ "--max 0 is refused", { "--max=0", "77" }, "--max '0' is no count" },
	{ "an empty --max is refused", { "--max=", "77" }, "--max '' is no count" },
	{ "a negative --max is refused", { "--max", "-1", "77" }, "--max '-1' is no count" },
	{ "--max with a unit is refused", { "--max=1k", "77" }, "--max '1k' is no count" },
	{ "--max infinity is refused", { "--max=infinity", "77" }, "is no count" },
	{ "--max that overflows is refused", { "--max=36893488147419103233", "77" }, "--max '368" },
	{ "--max without its argument is refused", { "77", "--max" }, "'--max' needs an arg" },
	{ "--max cannot drive a terminal", { "--max=\033[2J", "77" }, "'\\x1b[2J' is no count" },

	{ "a bad --wait-pidfile is refused",
	  { "--wait-pidfile=x", "./a" },
	  "--wait-pidfile 'x' is no duration" },
	{ "an empty --wait-pidfile is refused",
	  { "--wait-pidfile=", "./a" },
	  "--wait-pidfile '' is no duration" },
	{ "--wait-pidfile without its argument is refused",
	  { "./a", "--wait-pidfile" },
	  "'--wait-pidfile' needs an argument" },

	{ "a value of --trust-pidfile is refused", { "--trust-pidfile=1", "77" }, "takes no arg" },
	{ "a value of --ignore-missing is refused", { "--ignore-missing=", "77" }, "takes no ar" },
	{ "a value of --require-match is refused", { "--require-match=y", "77" }, "takes no arg" },

	{ "a record without a name is refused", { "--record=", "77" }, "the record is empty" },
	{ "--record without its argument is refused", { "77", "--record" }, "needs an argument" },
	{ "a record of nobody is refused", { "--record=r" }, "no target" },
	{ "a record of two is refused", { "--record=r", "77", "78" }, "takes one target" },
	{ "a record of two files is refused", { "--record=r", "-Fa", "-Fb" }, "takes one target" },

	{ "holders of nobody are refused", { "--holders" }, "no target" },
	{ "a value of --holders is refused", { "--holders=1", "77" }, "takes no arg" },
	{ "--holders and -n exclude each other",
	  { "--holders", "-n", "77" },
	  "--holders and --dry-run exclude each other" },
	{ "-n and --holders exclude each other",
	  { "-n", "77", "--holders" },
	  "--holders and --dry-run exclude each other" },
	{ "--holders and -q exclude each other",
	  { "--holders", "-q", "77" },
	  "--holders and --quiet exclude each other" },
	{ "-q and --holders exclude each other",
	  { "-q", "77", "--holders" },
	  "--holders and --quiet exclude each other" },
	{ "--holders and -9 exclude each other",
	  { "--holders", "-9", "77" },
	  "--holders and --signal exclude each other" },
	{ "-9 and --holders exclude each other",
	  { "-9", "77", "--holders" },
	  "--holders and --signal exclude each other" },
	{ "--holders and -sTERM exclude each other",
	  { "--holders", "-sTERM", "77" },
	  "--holders and --signal exclude each other" },
	{ "-sTERM and --holders exclude each other",
	  { "-sTERM", "77", "--holders" },
	  "--holders and --signal exclude each other" },
	{ "--holders and -k1 exclude each other",
	  { "--holders", "-k1", "77" },
	  "--holders and --kill-after exclude each other" },
	{ "-k1 and --holders exclude each other",
	  { "-k1", "77", "--holders" },
	  "--holders and --kill-after exclude each other" },
	{ "--holders and --max=5 exclude each other",
	  { "--holders", "--max=5", "77" },
	  "--holders and --max exclude each other" },
	{ "--max=5 and --holders exclude each other",
	  { "--max=5", "77", "--holders" },
	  "--holders and --max exclude each other" },
	{ "--holders and --require-match exclude each other",
	  { "--holders", "--require-match", "77" },
	  "--holders and --require-match exclude each other" },
	{ "--require-match and --holders exclude each other",
	  { "--require-match", "77", "--holders" },
	  "--holders and --require-match exclude each other" },
	{ "--holders and --on-exit exclude each other",
	  { "--holders", "--on-exit", "77" },
	  "--holders and --on-exit exclude each other" },
	{ "--on-exit and --holders exclude each other",
	  { "--on-exit", "77", "--holders" },
	  "--holders and --on-exit exclude each other" },
	{ "--holders and --record=r exclude each other",
	  { "--holders", "--record=r", "77" },
	  "--holders and --record exclude each other" },
	{ "--record=r and --holders exclude each other",
	  { "--record=r", "77", "--holders" },
	  "--holders and --record exclude each other" },
	{ "--holders and --syslog exclude each other",
	  { "--holders", "--syslog", "77" },
	  "--holders and --syslog exclude each other" },
	{ "--syslog and --holders exclude each other",
	  { "--syslog", "77", "--holders" },
	  "--holders and --syslog exclude each other" },

	{ "--record and -n exclude each other",
	  { "--record=r", "-n", "77" },
	  "--record and --dry-run exclude each other" },
	{ "so they do the other way round",
	  { "-n", "--record=r", "77" },
	  "--record and --dry-run exclude each other" },
	{ "--record and -s exclude each other",
	  { "--record=r", "-sTERM", "77" },
	  "--record and --signal exclude each other" },
	{ "--record and -9 exclude each other",
	  { "--record=r", "-9", "77" },
	  "--record and --signal exclude each other" },
	{ "-KILL and --record exclude each other",
	  { "-KILL", "--record=r", "77" },
	  "--record and --signal exclude each other" },
	{ "--record and -k exclude each other",
	  { "-k1", "--record=r", "77" },
	  "--record and --kill-after exclude each other" },
	{ "--record and --max exclude each other",
	  { "--record=r", "--max=5", "77" },
	  "--record and --max exclude each other" },
	{ "--record and --require-match exclude each other",
	  { "--require-match", "--record=r", "77" },
	  "--record and --require-match exclude each other" },
	{ "--on-exit and --dry-run exclude each other",
	  { "--on-exit", "-n", "77" },
	  "--on-exit and --dry-run exclude each other" },
	{ "--record and --on-exit exclude each other",
	  { "--record=r", "--on-exit", "77" },
	  "--record and --on-exit exclude each other" },
	{ "so they do on standard output, the other way round",
	  { "--on-exit", "77", "--record=-" },
	  "--record and --on-exit exclude each other" },
	{ "--record and --syslog exclude each other",
	  { "--syslog", "--record=-", "77" },
	  "--record and --syslog exclude each other" },

	{ "--plan and --pidfile exclude each other",
	  { "--plan=p", "-F", "./x" },
	  "--plan and --pidfile exclude each other" },
	{ "--pidfile and --plan exclude each other",
	  { "-F", "./x", "--plan=p" },
	  "--plan and --pidfile exclude each other" },
	{ "--plan and --match exclude each other",
	  { "--plan=p", "-m", "tree" },
	  "--plan and --match exclude each other" },
	{ "--match and --plan exclude each other",
	  { "-m", "tree", "--plan=p" },
	  "--plan and --match exclude each other" },
	{ "--plan and --all exclude each other",
	  { "--plan=p", "--all" },
	  "--plan and --all exclude each other" },
	{ "--all and --plan exclude each other",
	  { "--all", "--plan=p" },
	  "--plan and --all exclude each other" },
	{ "--plan and --older exclude each other",
	  { "--plan=p", "-O1" },
	  "--plan and --older exclude each other" },
	{ "--older and --plan exclude each other",
	  { "-O1", "--plan=p" },
	  "--plan and --older exclude each other" },
	{ "--plan and --interactive exclude each other",
	  { "--plan=p", "-i" },
	  "--plan and --interactive exclude each other" },
	{ "--interactive and --plan exclude each other",
	  { "-i", "--plan=p" },
	  "--plan and --interactive exclude each other" },
	{ "--plan and --holders exclude each other",
	  { "--plan=p", "--holders" },
	  "--plan and --holders exclude each other" },
	{ "--holders and --plan exclude each other",
	  { "--holders", "--plan=p" },
	  "--plan and --holders exclude each other" },
	{ "--plan and --record exclude each other",
	  { "--plan=p", "--record=r" },
	  "--plan and --record exclude each other" },
	{ "--record and --plan exclude each other",
	  { "--record=r", "--plan=p" },
	  "--plan and --record exclude each other" },
	{ "--plan and --on-exit exclude each other",
	  { "--plan=p", "--on-exit" },
	  "--plan and --on-exit exclude each other" },
	{ "--on-exit and --plan exclude each other",
	  { "--on-exit", "--plan=p" },
	  "--plan and --on-exit exclude each other" },
	{ "--plan and --wait-pidfile exclude each other",
	  { "--plan=p", "--wait-pidfile=1" },
	  "--plan and --wait-pidfile exclude each other" },
	{ "--wait-pidfile and --plan exclude each other",
	  { "--wait-pidfile=1", "--plan=p" },
	  "--plan and --wait-pidfile exclude each other" },
	{ "--plan and --ignore-missing exclude each other",
	  { "--plan=p", "--ignore-missing" },
	  "--plan and --ignore-missing exclude each other" },
	{ "--ignore-missing and --plan exclude each other",
	  { "--ignore-missing", "--plan=p" },
	  "--plan and --ignore-missing exclude each other" },
	{ "a target with --plan is refused", { "--plan=p", "77" }, "--plan takes no target" },
	{ "an empty plan is refused", { "--plan=" }, "the name of the plan is empty" },
	{ "--plan without a file is refused", { "--plan" }, "'--plan' needs an argument" },

	{ "a value of --on-exit is refused", { "--on-exit=1", "77" }, "'--on-exit' takes no arg" },
	{ "--on-exit of nobody is refused", { "--on-exit" }, "no target" },
	{ "--on-exit and --older exclude each other",
	  { "--on-exit", "--older=1", "77" },
	  "--on-exit and --older exclude each other" },
	{ "so they do the other way round, and for any time",
	  { "-O0", "77", "--on-exit" },
	  "--on-exit and --older exclude each other" },

	{ "a value of --syslog is refused", { "--syslog=x", "77" }, "'--syslog' takes no arg" },
	{ "--syslog of nobody is refused", { "--syslog" }, "no target" },
	{ "--syslog and -n exclude each other",
	  { "--syslog", "-n", "77" },
	  "--syslog and --dry-run exclude each other" },
	{ "so they do the other way round, in a cluster",
	  { "-vn", "77", "--syslog" },
	  "--syslog and --dry-run exclude each other" },
};

static int parse(const char *const *words, struct options *options, struct error *error)
{
	char *argv[WORDS_MAX + 2] = { (char *)(uintptr_t) "nskill" };
	int argc = 1;

	for (; *words; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	return options_parse(argc, argv, options, error);
}

static void test_refused(void **state)
{
	const struct refused *test = *state;
	struct options options, before;
	struct error error = { 0 };

	memset(&options, 0x5a, sizeof(options));
	memset(&before, 0x5a, sizeof(before));
	assert_int_equal(parse(test->words, &options, &error), -EINVAL);
	assert_memory_equal(&options, &before, sizeof(options));
	assert_int_equal(error.status, STATUS_USAGE);
	assert_null(strchr(error.text, '\n'));
	if (!strstr(error.text, test->text))
		assert_string_equal(error.text, test->text);
}

static struct options accepted(const char *const *words)
{
	struct options options;
	struct error error = { 0 };

	memset(&options, 0x5a, sizeof(options));
	if (parse(words, &options, &error))
		fail_msg("refused: %s", error.text);
	return options;
}

#define accept(...) accepted((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void **state)
{
	struct options options = accept("77");

	(void)state;
	assert_true(options.older == 0);
	assert_int_equal(options.max, 0);
	assert_null(options.record);
	assert_true(options.wait_pidfile == 0);
	assert_false(options.trust_pidfile);
	assert_false(options.ignore_missing);
	assert_false(options.require_match);
	assert_false(options.on_exit);
	assert_false(options.syslog);
	assert_true(options.operands[0].inode == 0);
	options_clear(&options);
}

static void test_pid_inode(void **state)
{
	struct options options = accept("77:5", "78", "0079:18446744073709551615");

	(void)state;
	assert_int_equal(options.operand_count, 3);
	assert_int_equal(options.operands[0].pid, 77);
	assert_true(options.operands[0].inode == 5);
	assert_null(options.operands[0].path);
	assert_int_equal(options.operands[1].pid, 78);
	assert_true(options.operands[1].inode == 0);
	assert_int_equal(options.operands[2].pid, 79);
	assert_true(options.operands[2].inode == UINT64_MAX);
	assert_null(options.operands[2].path);
	options_clear(&options);
}

static void test_input(void **state)
{
	struct options options = accept("77", "-", "-v", "--", "78");

	(void)state;
	assert_int_equal(options.operand_count, 3);
	assert_false(options.operands[0].input);
	assert_true(options.operands[1].input);
	assert_int_equal(options.operands[1].pid, 0);
	assert_false(options.operands[2].input);
	options_clear(&options);

	options = accept("--", "-");
	assert_true(options.operands[0].input);
	assert_int_equal(options.operands[0].pid, 0);
	options_clear(&options);
}

/* -F takes any file, and nothing else: a file may be called so. */
static void test_files(void **state)
{
	struct options options = accept("-F", "-", "-F77:5", "77:5/x", "./-", "-F78");

	(void)state;
	assert_int_equal(options.operand_count, 5);
	assert_string_equal(options.operands[0].path, "-");
	assert_string_equal(options.operands[1].path, "77:5");
	assert_string_equal(options.operands[2].path, "77:5/x");
	assert_string_equal(options.operands[3].path, "./-");
	assert_string_equal(options.operands[4].path, "78");
	for (size_t i = 0; i < options.operand_count; i++) {
		assert_int_equal(options.operands[i].pid, 0);
		assert_true(options.operands[i].inode == 0);
		assert_false(options.operands[i].input);
	}
	options_clear(&options);
}

static void test_paths_with_large_numbers(void **state)
{
	struct options options =
		accept("99999999999/x", "99999999999:5/x", "77:99999999999999999999/");

	(void)state;
	assert_string_equal(options.operands[0].path, "99999999999/x");
	assert_string_equal(options.operands[1].path, "99999999999:5/x");
	assert_string_equal(options.operands[2].path, "77:99999999999999999999/");
	options_clear(&options);
}

static void test_older(void **state)
{
	static const struct {
		const char *word;
		uint64_t older;
	} cases[] = {
		{ "-O5", 5 * SECOND },
		{ "--older=1.5m", 90 * SECOND },
		{ "--older=infinity", UINT64_MAX },
		{ "-O0", 0 },
		{ "-nO1h", 3600 * SECOND },
		{ "-O250ms", SECOND / 4 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct options options = accept(cases[i].word, "77");

		assert_true(options.older == cases[i].older);
		options_clear(&options);
	}
}

static void test_max(void **state)
{
	struct options options = accept("--max", "100", "77", "--max=010");

	(void)state;
	assert_int_equal(options.max, 10);
	options_clear(&options);
}

static void test_wait(void **state)
{
	struct options options = accept("--wait-pidfile", "2", "./a");

	(void)state;
	assert_true(options.wait_pidfile == 2 * SECOND);
	options_clear(&options);

	options = accept("--wait-pidfile=infinity", "./a");
	assert_true(options.wait_pidfile == UINT64_MAX);
	options_clear(&options);
}

static void test_switches(void **state)
{
	struct options options = accept("--trust-pidfile", "77");

	(void)state;
	assert_true(options.trust_pidfile);
	assert_false(options.ignore_missing);
	assert_false(options.require_match);
	options_clear(&options);

	options = accept("--ignore-missing", "77");
	assert_false(options.trust_pidfile);
	assert_true(options.ignore_missing);
	assert_false(options.require_match);
	options_clear(&options);

	options = accept("77", "--require-match");
	assert_false(options.trust_pidfile);
	assert_false(options.ignore_missing);
	assert_true(options.require_match);
	options_clear(&options);

	/* One letter tells each from the others. */
	options = accept("--tr", "--ig", "--req", "77");
	assert_true(options.trust_pidfile);
	assert_true(options.ignore_missing);
	assert_true(options.require_match);
	assert_int_equal(options.action, ACTION_KILL);
	options_clear(&options);
}

static void test_holders(void **state)
{
	struct options options = accept("77", "--holders", "./a", "-v", "-t2", "-O1", "-m+io");

	(void)state;
	assert_int_equal(options.action, ACTION_HOLDERS);
	assert_int_equal(options.operand_count, 2);
	assert_int_equal(options.kinds, SCOPE_DEFAULT | SCOPE_BIT(SCOPE_IO));
	options_clear(&options);
}

static void test_plan(void **state)
{
	struct options options = accept("--plan=-", "-nJv", "-t2", "-k1", "--max=3");

	(void)state;
	assert_int_equal(options.action, ACTION_DRY_RUN);
	assert_string_equal(options.plan, "-");
	assert_int_equal(options.operand_count, 0);
	assert_false(options.signal_given);
	options_clear(&options);
	options = accept("-KILL", "--plan", "p", "--syslog", "-q");
	assert_string_equal(options.plan, "p");
	assert_true(options.signal_given);
	options_clear(&options);
}

static void test_interactive(void **state)
{
	struct options options = accept("-ifv", "-opid", "--color=never", "--syslog", "77");

	(void)state;
	assert_int_equal(options.action, ACTION_KILL);
	assert_true(options.interactive);
	assert_true(options.forest);
	assert_null(options.plan);
	options_clear(&options);
}

static void test_record(void **state)
{
	struct options options = accept("--record", "r", "77:5", "-v", "-t2", "-O1", "-mmnt");

	(void)state;
	assert_int_equal(options.action, ACTION_RECORD);
	assert_string_equal(options.record, "r");
	assert_int_equal(options.operand_count, 1);
	assert_true(options.operands[0].inode == 5);
	assert_true(options.verbose);
	options_clear(&options);

	options = accept("--record=./r", "-q", "-");
	assert_int_equal(options.action, ACTION_RECORD);
	assert_string_equal(options.record, "./r");
	assert_true(options.operands[0].input);
	options_clear(&options);
}

static void test_record_on_standard_output(void **state)
{
	struct options options = accept("--record=-", "77");

	(void)state;
	assert_int_equal(options.action, ACTION_RECORD);
	assert_string_equal(options.record, "-");
	assert_int_equal(options.operand_count, 1);
	assert_int_equal(options.operands[0].pid, 77);
	assert_false(options.operands[0].input);
	options_clear(&options);

	/* Behind the word a minus is its argument, and then a target. */
	options = accept("--record", "-", "-");
	assert_string_equal(options.record, "-");
	assert_int_equal(options.operand_count, 1);
	assert_true(options.operands[0].input);
	options_clear(&options);

	options = accept("--record=r", "--record=-", "77");
	assert_string_equal(options.record, "-");
	options_clear(&options);
}

static void test_on_exit(void **state)
{
	struct options options = accept("--on-exit", "-sTERM", "-k1", "--max=5", "77", "-F", "a");

	(void)state;
	assert_true(options.on_exit);
	assert_false(options.syslog);
	assert_int_equal(options.action, ACTION_KILL);
	assert_int_equal(options.operand_count, 2);
	assert_int_equal(options.signal, SIGTERM);
	assert_true(options.kill_after == SECOND);
	assert_true(options.timeout == 11 * SECOND);
	assert_int_equal(options.max, 5);
	options_clear(&options);

	options = accept("--on", "--all", "--require-match", "--wait-pidfile=1", "./a");
	assert_true(options.on_exit);
	assert_int_equal(options.action, ACTION_KILL);
	assert_true(options.all);
	assert_true(options.require_match);
	assert_true(options.wait_pidfile == SECOND);
	options_clear(&options);
}

static void test_syslog(void **state)
{
	struct options options = accept("77", "--syslog", "-q");

	(void)state;
	assert_true(options.syslog);
	assert_true(options.quiet);
	assert_false(options.on_exit);
	options_clear(&options);

	options = accept("--sy", "-v", "-O1", "77");
	assert_true(options.syslog);
	assert_true(options.verbose);
	assert_true(options.older == SECOND);
	options_clear(&options);

	options = accept("--syslog", "--on-exit", "77");
	assert_true(options.syslog);
	assert_true(options.on_exit);
	options_clear(&options);
}

static const struct CMUnitTest others[] = {
	{ "without options nothing of a name is asked", test_defaults, NULL, NULL, NULL },
	{ "a target may be a PID with an inode", test_pid_inode, NULL, NULL, NULL },
	{ "a minus is standard input", test_input, NULL, NULL, NULL },
	{ "-F takes any file, called - or like a number", test_files, NULL, NULL, NULL },
	{ "a path may begin with numbers of any size", test_paths_with_large_numbers, NULL, NULL,
	  NULL },
	{ "--older takes a duration", test_older, NULL, NULL, NULL },
	{ "--max takes a count, and the last one holds", test_max, NULL, NULL, NULL },
	{ "--wait-pidfile takes a duration", test_wait, NULL, NULL, NULL },
	{ "each switch is itself and no other", test_switches, NULL, NULL, NULL },
	{ "--holders takes what names targets, and a list to match", test_holders, NULL, NULL,
	  NULL },
	{ "--plan takes a file, and no target", test_plan, NULL, NULL, NULL },
	{ "-i goes with what a list looks like", test_interactive, NULL, NULL, NULL },
	{ "--record takes a file, and one target", test_record, NULL, NULL, NULL },
	{ "--record takes a minus for standard output", test_record_on_standard_output, NULL, NULL,
	  NULL },
	{ "--on-exit goes with what acts", test_on_exit, NULL, NULL, NULL },
	{ "--syslog goes with what acts, quiet or verbose", test_syslog, NULL, NULL, NULL },
};

int main(void)
{
	static struct CMUnitTest tests[COUNT(refusals) + COUNT(others)];

	for (size_t i = 0; i < COUNT(refusals); i++)
		tests[i] = (struct CMUnitTest){ refusals[i].sentence, test_refused, NULL, NULL,
						(void *)(uintptr_t)&refusals[i] };
	memcpy(tests + COUNT(refusals), others, sizeof(others));
	return cmocka_run_group_tests_name("options-identity", tests, NULL, NULL);
}
