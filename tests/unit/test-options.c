/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/options.h"
#include "core/scope.h"

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
#define SECOND	     UINT64_C(1000000000)
#define WORDS_MAX    8

#define ALL_KINDS                                                                                  \
	(SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_SESSION) | SCOPE_BIT(SCOPE_MNT) |                 \
	 SCOPE_BIT(SCOPE_TREE))

/* A command line that is an error, and a piece of the sentence that it gets; one test each. */
struct refused {
	const char *sentence;
	const char *words[WORDS_MAX];
	const char *text;
};

static const struct refused refusals[] = {
	{ "no word at all is refused", { NULL }, "no target" },
	{ "options without a target are refused",
	  { "-v", "-t1" },
	  "no target: name a PID or a pidfile" },
	{ "where an option has taken the target that is said",
	  { "-s", "KILL", "-t", "5082" },
	  "no target: name a PID or a pidfile ('5082' is the argument of --timeout)" },
	{ "so it is with a word",
	  { "--record", "5082" },
	  "pidfile ('5082' is the argument of --record)" },
	{ "so it is with a cluster and what follows",
	  { "-nO", "5082", "-J" },
	  "('5082' is the argument of --older)" },
	{ "so it is with what may not be printed",
	  { "-t", "1", "--record", "a\n" },
	  "('a\\x0a' is" },
	{ "a signal without a target is refused", { "-9" }, "no target" },
	{ "-- without a target is refused", { "--" }, "no target" },

	{ "target 0 is refused", { "0" }, "'0' is no target" },
	{ "a target that overflows is refused", { "2147483648" }, "'2147483648' is too large" },
	{ "a negative target is refused, and told how a group is named",
	  { "-9", "--", "-5082" },
	  "'-5082' is no target: a process group is named by its leader's PID, without the '-'" },
	{ "a target with a plus sign is refused", { "+5" }, "'+5' is no target" },
	{ "a target with letters is refused", { "12foo" }, "'12foo' is no target" },
	{ "a name without a slash is refused, and told of -F",
	  { "nginx.pid" },
	  "(-F takes a file" },
	{ "an empty target is refused", { "" }, "the name of a target is empty" },
	{ "an empty target after -- is refused", { "--", "" }, "the name of a target is empty" },
	{ "an empty pidfile is refused", { "-F", "" }, "the name of a target is empty" },
	{ "an empty long pidfile is refused", { "--pidfile=" }, "the name of a target is empty" },
	{ "a bad target among good ones is refused", { "77", "x", "78" }, "'x' is no target" },
	{ "a target cannot drive a terminal", { "\033[2J\n" }, "'\\x1b[2J\\x0a' is no target" },

	{ "an unknown letter is refused", { "-x", "77" }, "unknown option '-x'" },
	{ "an unknown letter in a cluster is refused", { "-nxv", "77" }, "unknown option '-x'" },
	{ "a byte beyond ASCII is refused", { "-\xc3\xa9", "77" }, "unknown option '-\\xc3'" },
	{ "a colon is no option", { "-:", "77" }, "unknown option '-:'" },
	{ "an unknown word is refused", { "--foo", "77" }, "unknown option '--foo'" },
	{ "an unknown word is named without its value", { "--foo=b" }, "unknown option '--foo'" },
	{ "an unknown word cannot break a line", { "--a\nb" }, "unknown option '--a\\x0ab'" },
	{ "an ambiguous word is refused", { "--ver", "77" }, "ambiguous option '--ver'" },
	{ "an ambiguous word may have a value", { "--ver=x" }, "ambiguous option '--ver'" },
	{ "a letter without its argument is refused", { "77", "-t" }, "'-t' needs an argument" },
	{ "a cluster without its argument is refused", { "-nt" }, "'-t' needs an argument" },
	{ "a word without its argument is refused", { "--timeout" }, "'--timeout' needs an arg" },
	{ "an abbreviation is named in full", { "--time" }, "'--timeout' needs an argument" },
	{ "a value that no option takes is refused", { "--all=x" }, "'--all' takes no argument" },
	{ "so is one for a word with a letter", { "--quiet=x" }, "'--quiet' takes no argument" },

	{ "an unknown signal is refused", { "-s", "FOO", "77" }, "unknown signal 'FOO'" },
	{ "an empty signal is refused", { "-s", "", "77" }, "unknown signal ''" },
	{ "a signal beyond the last is refused", { "-s", "65", "77" }, "unknown signal '65'" },
	{ "signal 0 is refused, and told of -n", { "-s", "0", "77" }, "--dry-run" },
	{ "-0 is refused, and told of -n", { "-0", "77" }, "--dry-run" },
	{ "-00 is -0", { "77", "-00" }, "--dry-run" },
	{ "a number that is no signal is refused, and told how a group is named",
	  { "-9", "-5082" },
	  "unknown signal '5082': a process group is named by its leader's PID, without the '-'" },
	{ "so is one that no integer holds",
	  { "-99999999999999999999" },
	  "'99999999999999999999': a process group" },
	{ "so is one before anything is said of other options",
	  { "--holders", "-5082" },
	  "a process group is named by its leader's" },
	{ "a signal word must be a whole word", { "-9x", "77" }, "unknown option '-9'" },
	{ "a signal word must be in upper case",
	  { "-kill", "77" },
	  "upper case, '-KILL' (or -s k" },
	{ "so must all of it", { "-Term", "77" }, "'-Term' is no option: the name of a signal" },
	{ "so it is with SIG, too", { "-sigterm", "77" }, "upper case, '-SIGTERM'" },
	{ "a cluster that would be help is a signal first", { "-hup" }, "'-hup' is no option" },
	{ "what is no signal in any case is read as letters",
	  { "-vterm" },
	  "'erm' is no duration" },
	{ "a signal word is no part of a cluster", { "-n9", "77" }, "unknown option '-9'" },
	{ "a word in upper case that is no signal is no option",
	  { "-KIL", "77" },
	  "'-KIL' is neither an option nor a signal" },
	{ "nor is it the version", { "-VTALR", "77" }, "'-VTALR' is neither an option nor" },
	{ "nor is one with a number", { "77", "-USR3" }, "'-USR3' is neither an option nor" },
	{ "nor is a real-time signal beyond the last", { "-RTMIN+99" }, "'-RTMIN+99' is neither" },
	{ "nor is it a file, but that behind -F may be so called",
	  { "-FPR", "77" },
	  "'-FPR' is neither an option nor a signal (a file is -F PR)" },
	{ "the word behind -s is its argument", { "-s", "-9", "77" }, "unknown signal '-9'" },
	{ "the word behind -t is its argument", { "-t", "-9", "77" }, "'-9' is no duration" },
	{ "so it is behind a cluster", { "-nt", "-KILL", "77" }, "'-KILL' is no duration" },
	{ "so it is behind an abbreviation", { "--sig", "-9", "77" }, "unknown signal '-9'" },
	{ "a signal word after -- is a target", { "77", "--", "-9" }, "'-9' is no target" },

	{ "a bad duration is refused", { "-t", "1x", "77" }, "--timeout '1x' is no duration" },
	{ "a duration too long is refused", { "-t", "999999d", "77" }, "is too long" },
	{ "a negative duration is refused", { "-t-1", "77" }, "--timeout '-1' is no duration" },
	{ "a bad --kill-after is refused", { "-k", "", "77" }, "--kill-after '' is no duration" },
	{ "--kill-after 0 is refused", { "-k", "0", "77" }, "must be more than 0" },
	{ "--kill-after infinity is refused", { "-k", "infinity", "77" }, "not infinity" },
	{ "--kill-after without a first signal is refused",
	  { "-k", "30s", "77" },
	  "--kill-after needs a first signal: add -TERM, or another" },
	{ "so it is in a list", { "-nk", "1", "77" }, "--kill-after needs a first signal" },
	{ "so it is with --on-exit", { "--on-exit", "-k1", "77" }, "--kill-after needs a first" },
	{ "--kill-after equal to --timeout is refused", { "-k5", "-t5", "77" }, "less than --t" },
	{ "--kill-after beyond --timeout is refused", { "-t5", "-k6", "77" }, "less than --t" },
	{ "--kill-after with --timeout 0 is refused", { "-t0", "-k1", "77" }, "less than --t" },
	{ "--kill-after beyond a default given is refused", { "-t10", "-k10", "77" }, "less th" },

	{ "a bad list is refused", { "-m", "pgrp,", "77" }, "--match: '' is an empty item" },
	{ "an empty list is refused", { "--match=", "77" }, "--match: '' is an empty item" },
	{ "the kind that is none is named", { "-m", "mnt,netns,pid" }, "'netns' is no kind" },
	{ "the change that is none is named", { "-m", "+mnt,-foo" }, "'-foo' is no kind" },
	{ "a kind among changes is named", { "-m", "+mnt,pid" }, "'pid' does not go with" },
	{ "a change among kinds is named", { "-m", "mnt,-pid" }, "'-pid' does not go with" },

	{ "-v and -q exclude each other", { "-vq", "77" }, "--verbose and --quiet exclude" },
	{ "so they do the other way round", { "-q", "77", "-v" }, "--verbose and --quiet excl" },
	{ "-o without -n is refused", { "-o", "pid", "77" }, "--output is for the list of" },
	{ "-f without -n is refused", { "-f", "77" }, "--forest is for the list of" },
	{ "-J and -q exclude each other", { "-J", "-q", "77" }, "--json and --quiet exclude" },
	{ "-i and -n exclude each other", { "-in", "77" }, "--interactive and --dry-run exclude" },
	{ "so they do the other way round", { "-n", "-i" }, "--interactive and --dry-run exclude" },
	{ "-i and -q exclude each other", { "-qi", "77" }, "--interactive and --quiet exclude" },
	{ "-i and -J exclude each other", { "-iJ", "77" }, "--interactive and --json exclude" },
	{ "-i and --holders exclude each other",
	  { "-i", "--holders", "77" },
	  "--interactive and --holders exclude" },
	{ "-i and --record exclude each other",
	  { "-i", "--record=-", "77" },
	  "--interactive and --record exclude" },
	{ "-i and --on-exit exclude each other",
	  { "--on-exit", "-i", "77" },
	  "--interactive and --on-exit exclude" },
	{ "-i of nobody is refused", { "-i" }, "no target" },
	{ "-n and -q exclude each other", { "--dry-run", "-q" }, "--dry-run and --quiet exclude" },
	{ "an error before --help comes first", { "-x", "--help" }, "unknown option '-x'" },
	{ "an error before --version comes first", { "-vq", "-V" }, "exclude each other" },
	{ "options come before targets", { "foo", "-x" }, "unknown option '-x'" },
};

static int parse(const char *const *words, struct options *options, struct error *error)
{
	char *argv[WORDS_MAX + 2] = { (char *)(uintptr_t) "nskill" };
	int argc = 1;

	for (; *words; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	return options_parse(argc, argv, options, error);
}

/* Whatever is wrong, nothing is written to the options. */
static struct error refuse(const char *const *words, int result)
{
	struct options options, before;
	struct error error = { 0 };

	memset(&options, 0x5a, sizeof(options));
	memset(&before, 0x5a, sizeof(before));
	assert_int_equal(parse(words, &options, &error), result);
	assert_memory_equal(&options, &before, sizeof(options));
	assert_null(strchr(error.text, '\n'));
	assert_int_not_equal(error.text[strlen(error.text) - 1], '.');
	return error;
}

static void test_refused(void **state)
{
	const struct refused *test = *state;
	struct error error = refuse(test->words, -EINVAL);

	assert_int_equal(error.status, STATUS_USAGE);
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

static void test_pid_1(void **state)
{
	struct options options = accept("77", "01", "78");

	(void)state;
	assert_int_equal(options.operand_count, 3);
	assert_int_equal(options.operands[1].pid, 1);
	assert_int_equal(options.operands[2].pid, 78);
	options_clear(&options);
}

static void test_defaults(void **state)
{
	struct options options = accept("77");

	(void)state;
	assert_int_equal(options.action, ACTION_KILL);
	assert_int_equal(options.operand_count, 1);
	assert_int_equal(options.operands[0].pid, 77);
	assert_null(options.operands[0].path);
	assert_int_equal(options.kinds, SCOPE_DEFAULT);
	assert_false(options.all);
	assert_int_equal(options.signal, SIGKILL);
	assert_true(options.kill_after == 0);
	assert_true(options.timeout == 10 * SECOND);
	assert_false(options.verbose);
	assert_false(options.quiet);
	options_clear(&options);
}

static void test_all_short(void **state)
{
	struct options options = accept("-nvm", "pgrp", "-sTERM", "-k1.5", "-t", "2m", "77");

	(void)state;
	assert_int_equal(options.action, ACTION_DRY_RUN);
	assert_true(options.verbose);
	assert_int_equal(options.kinds, SCOPE_BIT(SCOPE_PGRP));
	assert_int_equal(options.signal, SIGTERM);
	assert_true(options.kill_after == 3 * SECOND / 2);
	assert_true(options.timeout == 120 * SECOND);
	options_clear(&options);

	options = accept("-q", "-F77", "78");
	assert_true(options.quiet);
	assert_string_equal(options.operands[0].path, "77");
	options_clear(&options);
}

static void test_all_long(void **state)
{
	struct options options = accept("--dry-run", "--verbose", "--match=-tree", "--all",
					"--signal", "15", "--kill-after=1", "--pidfile=x");

	(void)state;
	assert_int_equal(options.action, ACTION_DRY_RUN);
	assert_true(options.verbose);
	assert_int_equal(options.kinds, ALL_KINDS & ~SCOPE_BIT(SCOPE_TREE));
	assert_true(options.all);
	assert_int_equal(options.signal, SIGTERM);
	assert_true(options.kill_after == SECOND);
	assert_string_equal(options.operands[0].path, "x");
	options_clear(&options);

	options = accept("--quiet", "--timeout=3", "77");
	assert_true(options.quiet);
	assert_true(options.timeout == 3 * SECOND);
	options_clear(&options);
}

static void test_abbreviation(void **state)
{
	struct options options = accept("--dry", "--sig=INT", "77");

	(void)state;
	assert_int_equal(options.action, ACTION_DRY_RUN);
	assert_int_equal(options.signal, SIGINT);
	options_clear(&options);
}

static void test_order(void **state)
{
	struct options options = accept("77", "-F", "99", "./a", "-v", "--pidfile=b", "--", "78");

	(void)state;
	assert_int_equal(options.operand_count, 5);
	assert_int_equal(options.operands[0].pid, 77);
	assert_int_equal(options.operands[1].pid, 0);
	assert_string_equal(options.operands[1].path, "99");
	assert_int_equal(options.operands[2].pid, 0);
	assert_string_equal(options.operands[2].path, "./a");
	assert_int_equal(options.operands[3].pid, 0);
	assert_string_equal(options.operands[3].path, "b");
	assert_int_equal(options.operands[4].pid, 78);
	assert_null(options.operands[4].path);
	options_clear(&options);
}

static void test_paths(void **state)
{
	struct options options = accept("-F", "-", "-F", "--", "-F1", "--", "-x/y", "12/");

	(void)state;
	assert_int_equal(options.operand_count, 5);
	assert_string_equal(options.operands[0].path, "-");
	assert_string_equal(options.operands[1].path, "--");
	assert_string_equal(options.operands[2].path, "1");
	assert_string_equal(options.operands[3].path, "-x/y");
	assert_string_equal(options.operands[4].path, "12/");
	options_clear(&options);
}

static void test_upper_case(void **state)
{
	struct options options = accept("-F", "-TREM", "--pidfile=PR", "-FP1", "-FUSR1", "-FVX/p");

	(void)state;
	assert_int_equal(options.operand_count, 5);
	assert_string_equal(options.operands[0].path, "-TREM");
	assert_string_equal(options.operands[1].path, "PR");
	assert_string_equal(options.operands[2].path, "P1");
	assert_string_equal(options.operands[3].path, "USR1");
	assert_string_equal(options.operands[4].path, "VX/p");
	options_clear(&options);

	options = accept("-n", "-JO", "5", "77", "--", "-FX/p");
	assert_true(options.json);
	assert_true(options.older == 5 * SECOND);
	assert_string_equal(options.operands[1].path, "-FX/p");
	options_clear(&options);

	options = accept("-JV");
	assert_int_equal(options.action, ACTION_VERSION);
	options_clear(&options);
}

static void test_signal_words(void **state)
{
	static const struct {
		const char *word;
		int signal;
	} cases[] = {
		{ "-9", SIGKILL },	  { "-KILL", SIGKILL }, { "-SIGKILL", SIGKILL },
		{ "-1", SIGHUP },	  { "-15", SIGTERM },	{ "-09", SIGKILL },
		{ "-FPE", SIGFPE },	  { "-USR1", SIGUSR1 }, { "-SIGSTKFLT", SIGSTKFLT },
		{ "-VTALRM", SIGVTALRM }, { "-QUIT", SIGQUIT }, { "-IO", SIGIO },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct options options = accept(cases[i].word, "77");

		assert_int_equal(options.signal, cases[i].signal);
		assert_int_equal(options.operand_count, 1);
		options_clear(&options);

		options = accept("77", "-v", cases[i].word);
		assert_int_equal(options.signal, cases[i].signal);
		assert_int_equal(options.operand_count, 1);
		options_clear(&options);
	}
}

static void test_realtime_word(void **state)
{
	struct options options = accept("-RTMIN+3", "77");

	(void)state;
	assert_int_equal(options.signal, SIGRTMIN + 3);
	options_clear(&options);
}

static void test_last_signal(void **state)
{
	struct options options = accept("-9", "-s", "TERM", "77");

	(void)state;
	assert_int_equal(options.signal, SIGTERM);
	options_clear(&options);

	options = accept("77", "-s", "TERM", "-9");
	assert_int_equal(options.signal, SIGKILL);
	options_clear(&options);
}

static void test_signal_word_as_argument(void **state)
{
	struct options options = accept("-F", "-9", "-nF", "-KILL", "--pidfile", "-1", "-TERM");

	(void)state;
	assert_int_equal(options.signal, SIGTERM);
	assert_int_equal(options.operand_count, 3);
	assert_string_equal(options.operands[0].path, "-9");
	assert_string_equal(options.operands[1].path, "-KILL");
	assert_string_equal(options.operands[2].path, "-1");
	options_clear(&options);
}

static void test_match_argument(void **state)
{
	struct options options = accept("-m", "-tree,-mnt", "77");

	(void)state;
	assert_int_equal(options.kinds, SCOPE_BIT(SCOPE_PGRP) | SCOPE_BIT(SCOPE_SESSION));
	options_clear(&options);
}

static void test_timeouts(void **state)
{
	struct options options = accept("-TERM", "-k", "2m", "77");

	(void)state;
	assert_true(options.timeout == 130 * SECOND);
	options_clear(&options);

	options = accept("-TERM", "-k", "18446744073.709551614", "77");
	assert_true(options.timeout == UINT64_MAX);
	options_clear(&options);

	options = accept("-2", "-k", "2m", "-t", "infinity", "77");
	assert_true(options.kill_after == 120 * SECOND);
	assert_true(options.timeout == UINT64_MAX);
	options_clear(&options);

	options = accept("-t", "0", "77");
	assert_true(options.timeout == 0);
	options_clear(&options);
}

static void test_kill_after_kill(void **state)
{
	struct options options = accept("-k", "1", "-KILL", "77");

	(void)state;
	assert_int_equal(options.signal, SIGKILL);
	options_clear(&options);

	options = accept("-k", "1", "-s", "KILL", "77");
	assert_int_equal(options.signal, SIGKILL);
	assert_true(options.kill_after == SECOND);
	options_clear(&options);
}

static void test_last_of_a_kind(void **state)
{
	struct options options = accept("-t1", "-s15", "-k5", "-t6", "-mmnt", "-mtree", "77");

	(void)state;
	assert_true(options.timeout == 6 * SECOND);
	assert_int_equal(options.kinds, SCOPE_BIT(SCOPE_TREE));
	options_clear(&options);
}

static void test_help_and_version(void **state)
{
	static const struct {
		const char *words[4];
		enum options_action action;
	} cases[] = {
		{ { "--help" }, ACTION_HELP },
		{ { "-h" }, ACTION_HELP },
		{ { "--version" }, ACTION_VERSION },
		{ { "-V" }, ACTION_VERSION },
		{ { "--help", "--version" }, ACTION_HELP },
		{ { "-Vh" }, ACTION_VERSION },
		{ { "-nh" }, ACTION_HELP },
		{ { "--help", "--bogus" }, ACTION_HELP },
		{ { "nginx", "1", "--help" }, ACTION_HELP },
		{ { "-k0.1", "-t0", "--version" }, ACTION_VERSION },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct options options = accepted(cases[i].words);

		assert_int_equal(options.action, cases[i].action);
		options_clear(&options);
	}
}

static void test_posixly_correct(void **state)
{
	struct options options;

	(void)state;
	setenv("POSIXLY_CORRECT", "1", 1);
	options = accept("77", "-n", "-9", "--", "78");
	unsetenv("POSIXLY_CORRECT");
	assert_int_equal(options.action, ACTION_DRY_RUN);
	assert_int_equal(options.operand_count, 2);
	options_clear(&options);
}

static void test_starts_anew(void **state)
{
	static const char *const bad[] = { "77", "-xnq", NULL };
	struct options options;
	struct error error;

	(void)state;
	assert_int_equal(parse(bad, &options, &error), -EINVAL);
	options = accept("78");
	assert_int_equal(options.action, ACTION_KILL);
	assert_false(options.quiet);
	assert_int_equal(options.operand_count, 1);
	options_clear(&options);
}

static void test_argv_untouched(void **state)
{
	char words[][8] = { "nskill", "77", "-9", "78", "-n" };
	char *argv[COUNT(words) + 1], *before[COUNT(words) + 1];
	struct options options;

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++)
		argv[i] = words[i];
	argv[COUNT(words)] = NULL;
	memcpy(before, argv, sizeof(argv));
	assert_int_equal(options_parse(COUNT(words), argv, &options, NULL), 0);
	assert_memory_equal(argv, before, sizeof(argv));
	options_clear(&options);
}

static void test_program_name(void **state)
{
	char *argv[] = { (char[]){ "-1" }, (char[]){ "77" }, NULL };
	struct options options;

	(void)state;
	assert_int_equal(options_parse(2, argv, &options, NULL), 0);
	assert_int_equal(options.signal, SIGKILL);
	options_clear(&options);
	/* Old kernels let a program be started without even a name. */
	assert_int_equal(options_parse(0, argv + 2, &options, NULL), -EINVAL);
}

static void test_long_word(void **state)
{
	char word[2000];
	const char *words[] = { word, NULL };
	struct options options;
	struct error error;

	(void)state;
	memset(word, '\n', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse(words, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "is no target"));
	assert_non_null(strstr(error.text, "-F takes a file"));
	memcpy(word, "--", 2);
	assert_int_equal(parse(words, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "unknown option '--\\x0a"));
}

static void test_clear(void **state)
{
	struct options options = accept("77");

	(void)state;
	options_clear(&options);
	assert_null(options.operands);
	assert_int_equal(options.operand_count, 0);
	options_clear(&options);
}

static void test_help_text(void **state)
{
	const char *line = options_help, *end;

	(void)state;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_in_range(end - line, 0, 80);
	}
}

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, NULL, NULL, NULL                                               \
	}

static const struct CMUnitTest acceptances[] = {
	TEST("a PID alone gets the defaults", test_defaults),
	TEST("every option can be given by its letter", test_all_short),
	TEST("every option can be given by its word", test_all_long),
	TEST("a word can be abbreviated", test_abbreviation),
	TEST("targets keep their order, whichever way they are given", test_order),
	TEST("a pidfile may look like an option or a number", test_paths),
	TEST("a file in upper case and a cluster of two capitals are no signals", test_upper_case),
	TEST("a signal may be a word of its own, before and after the target", test_signal_words),
	TEST("a real-time signal may be a word of its own", test_realtime_word),
	TEST("of several signals the last counts, whichever way it is given", test_last_signal),
	TEST("a word that is an argument is never a signal", test_signal_word_as_argument),
	TEST("target 1 is no usage error: it is refused later, by name, and the others are not",
	     test_pid_1),
	TEST("a list of changes may begin with a minus", test_match_argument),
	TEST("the default timeout grows with --kill-after", test_timeouts),
	TEST("--kill-after may follow KILL", test_kill_after_kill),
	TEST("of an option given twice the last counts", test_last_of_a_kind),
	TEST("--help and --version need no target and end the reading", test_help_and_version),
	TEST("POSIXLY_CORRECT changes nothing", test_posixly_correct),
	TEST("a failed reading leaves nothing behind for the next", test_starts_anew),
	TEST("the words keep their places", test_argv_untouched),
	TEST("the program's name is no word of the line", test_program_name),
	TEST("a word that is too long is cut, and the sentence still whole", test_long_word),
	TEST("options can be cleared twice", test_clear),
	TEST("the help is made of whole lines that fit a terminal", test_help_text),
};

int main(void)
{
	struct CMUnitTest tests[COUNT(refusals) + COUNT(acceptances)];

	memcpy(tests, acceptances, sizeof(acceptances));
	for (size_t i = 0; i < COUNT(refusals); i++)
		tests[COUNT(acceptances) + i] = (struct CMUnitTest){
			refusals[i].sentence,
			test_refused,
			NULL,
			NULL,
			(void *)(uintptr_t)&refusals[i],
		};
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
