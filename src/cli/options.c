/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/options.h"
#include "core/cleanup.h"
#include "core/parse.h"
#include "core/scope.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SECOND		UINT64_C(1000000000)
#define TIMEOUT_DEFAULT (10 * SECOND)

/* An operand is kept as a word until all options are read, so that their errors come first. */
#define PID_UNREAD (-1)

/* Long enough for what an error sentence quotes; the rest of a longer word is cut off. */
#define QUOTE_SIZE 160

/* For those who know kill -9 -PGID. */
#define GROUP_HINT "a process group is named by its leader's PID, without the '-'"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

const char options_help[] =
	"Usage: nskill [OPTION]... TARGET...\n"
	"       nskill [OPTION]... --plan=FILE\n"
	"Kill each TARGET with all it is responsible for: its descendants, and the\n"
	"process group, session and mount namespace it leads. Return when all are gone.\n"
	"TARGET: a PID, a PID:INODE, the path with a '/' in it of a file that names one\n"
	"(a pidfile, a runtime's state, a record), or - for standard input.\n"
	"\n"
	"Who is killed:\n"
	"  -F, --pidfile=FILE     a TARGET named by FILE, whatever its name looks like\n"
	"  -m, --match=LIST       what to follow: pgrp,session,mnt,tree by default, and\n"
	"                           io, pid, net, ipc, uts, user, time, cgroupns, cgroup,\n"
	"                           all; +KIND and -KIND change the default\n"
	"      --all              its group, session and namespace, even if not its own\n"
	"  -O, --older=DUR        only a target that started at least DUR ago\n"
	"      --max=N            refuse when it would be more than N processes\n"
	"      --require-match    exit with 1 when nothing was alive to kill\n"
	"What names it:\n"
	"      --record=FILE      write down who it is, for a later run; - prints that\n"
	"      --wait-pidfile=DUR  wait for a file that is absent or unfinished\n"
	"      --trust-pidfile    do not check a file's owner, mode and age\n"
	"      --ignore-missing   a file that is absent counts as gone\n"
	"How:\n"
	"  -s, --signal=SIG       the first signal, a name or a number; also -9, -TERM\n"
	"  -k, --kill-after=DUR   with -s: send KILL to what is left DUR after that\n"
	"  -t, --timeout=DUR      give up after DUR (default: 10s after the last signal)\n"
	"      --on-exit          wait until it has ended by itself; end what it left\n"
	"  -n, --dry-run          list what would be signalled, and why; signal nothing\n"
	"  -i, --interactive      list the same, and ask on the terminal\n"
	"      --plan=FILE        signal those that an earlier -n -J listed, no others\n"
	"      --holders          name who holds its output open; signal nothing\n"
	"What is said:\n"
	"  -o, --output=COLS      the columns of the list; +COLS adds, help shows all\n"
	"  -f, --forest           draw that list as a tree\n"
	"      --color=WHEN       auto (the default), always or never\n"
	"  -J, --json             the report, or with -n the plan, as one JSON document\n"
	"  -v, --verbose          a line for each thing done\n"
	"  -q, --quiet            nothing but errors\n"
	"      --syslog           also a line for the run and each process to syslog\n"
	"  -h, --help             print this help\n"
	"  -V, --version          print the version, and what this kernel offers\n"
	"\n"
	"DUR is a decimal number of s (the default), m, h, d or ms, or infinity.\n"
	"Exit status:\n"
	"    0  nothing of it is alive (-n, --holders: somebody is listed)\n"
	"    1  nothing was done: too young, declined, or nothing there\n"
	"    2  usage\n"
	"    3  refused: it cannot be trusted or must not be signalled\n"
	"    4  incomplete: some could not be signalled\n"
	"    5  system error\n"
	"  124  time was up, and some are still alive\n";

enum {
	OPTION_ALL = UCHAR_MAX + 1,
	OPTION_COLOR,
	OPTION_HOLDERS,
	OPTION_IGNORE_MISSING,
	OPTION_MAX,
	OPTION_ON_EXIT,
	OPTION_PLAN,
	OPTION_RECORD,
	OPTION_REQUIRE_MATCH,
	OPTION_SYSLOG,
	OPTION_TRUST_PIDFILE,
	OPTION_WAIT_PIDFILE,
	OPTION_END,
};

/*
 * "-": operands are returned in place, so that they keep their order with -F, and POSIXLY_CORRECT
 * changes nothing. ":": a missing argument is told from an unknown option.
 */
static const char short_options[] = "-:F:m:s:k:t:O:nio:fJvqhV";

static const struct option long_options[] = {
	{ "pidfile", required_argument, NULL, 'F' },
	{ "match", required_argument, NULL, 'm' },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "signal", required_argument, NULL, 's' },
	{ "kill-after", required_argument, NULL, 'k' },
	{ "timeout", required_argument, NULL, 't' },
	{ "older", required_argument, NULL, 'O' },
	{ "max", required_argument, NULL, OPTION_MAX },
	{ "on-exit", no_argument, NULL, OPTION_ON_EXIT },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "wait-pidfile", required_argument, NULL, OPTION_WAIT_PIDFILE },
	{ "trust-pidfile", no_argument, NULL, OPTION_TRUST_PIDFILE },
	{ "ignore-missing", no_argument, NULL, OPTION_IGNORE_MISSING },
	{ "require-match", no_argument, NULL, OPTION_REQUIRE_MATCH },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "interactive", no_argument, NULL, 'i' },
	{ "plan", required_argument, NULL, OPTION_PLAN },
	{ "holders", no_argument, NULL, OPTION_HOLDERS },
	{ "output", required_argument, NULL, 'o' },
	{ "forest", no_argument, NULL, 'f' },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "json", no_argument, NULL, 'J' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "syslog", no_argument, NULL, OPTION_SYSLOG },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Options that exclude each other. */
static const int exclusive[][2] = {
	{ 'v', 'q' },
	{ 'n', 'q' },
	{ 'J', 'q' },
	{ OPTION_HOLDERS, 'n' },
	{ OPTION_HOLDERS, 'q' },
	{ OPTION_HOLDERS, 's' },
	{ OPTION_HOLDERS, 'k' },
	{ OPTION_HOLDERS, OPTION_MAX },
	{ OPTION_HOLDERS, OPTION_REQUIRE_MATCH },
	{ OPTION_HOLDERS, OPTION_ON_EXIT },
	{ OPTION_HOLDERS, OPTION_RECORD },
	{ OPTION_HOLDERS, OPTION_SYSLOG },
	{ OPTION_RECORD, 'n' },
	{ OPTION_RECORD, 's' },
	{ OPTION_RECORD, 'k' },
	{ OPTION_RECORD, OPTION_MAX },
	{ OPTION_RECORD, OPTION_REQUIRE_MATCH },
	{ OPTION_RECORD, OPTION_ON_EXIT },
	{ OPTION_RECORD, OPTION_SYSLOG },
	{ OPTION_RECORD, 'J' },
	{ OPTION_ON_EXIT, 'O' },
	{ OPTION_ON_EXIT, 'n' },
	{ OPTION_SYSLOG, 'n' },
	{ 'i', 'n' },
	{ 'i', 'q' },
	{ 'i', 'J' },
	{ 'i', OPTION_HOLDERS },
	{ 'i', OPTION_RECORD },
	{ 'i', OPTION_ON_EXIT },
	{ OPTION_PLAN, 'F' },
	{ OPTION_PLAN, 'm' },
	{ OPTION_PLAN, OPTION_ALL },
	{ OPTION_PLAN, 'O' },
	{ OPTION_PLAN, 'i' },
	{ OPTION_PLAN, OPTION_HOLDERS },
	{ OPTION_PLAN, OPTION_RECORD },
	{ OPTION_PLAN, OPTION_ON_EXIT },
	{ OPTION_PLAN, OPTION_WAIT_PIDFILE },
	{ OPTION_PLAN, OPTION_IGNORE_MISSING },
};

/* The last word that was taken as the argument of the option before it, or NULL. */
struct taken {
	const char *word;
	int option;
};

/* A short-lived copy of a word that may be printed. */
struct quote {
	char text[QUOTE_SIZE];
};

static struct quote quote(const char *word)
{
	struct quote quoted = { "" };

	escape(quoted.text, sizeof(quoted.text), word);
	return quoted;
}

#define usage_error(error, ...) error_set(error, STATUS_USAGE, EINVAL, __VA_ARGS__)

static const char *long_name(int option)
{
	for (const struct option *entry = long_options; entry->name; entry++) {
		if (entry->val == option)
			return entry->name;
	}
	return NULL;
}

static int read_signal(const char *word, int *signal, struct error *error)
{
	if (!parse_signal(word, signal))
		return 0;
	if (*word && !word[strspn(word, "0")])
		return usage_error(error, "signal 0 would end nothing: --dry-run (-n) shows who is "
					  "there without a signal");
	return usage_error(error, "unknown signal '%s'", quote(word).text);
}

static int read_duration(int option, const char *word, uint64_t *ns, struct error *error)
{
	uint64_t value;
	int result = parse_duration(word, &value);

	if (result == -ERANGE)
		return usage_error(error, "--%s '%s' is too long: use 'infinity' for no bound",
				   long_name(option), quote(word).text);
	if (result)
		return usage_error(error,
				   "--%s '%s' is no duration: it takes a number, with ms, s, m, h "
				   "or d behind it, or 'infinity'",
				   long_name(option), quote(word).text);
	if (option == 'k' && (!value || value == UINT64_MAX))
		return usage_error(error, "--kill-after must be more than 0, and not infinity");
	*ns = value;
	return 0;
}

static int read_count(const char *word, size_t *count, struct error *error)
{
	if (!parse_count(word, count))
		return 0;
	return usage_error(error, "--max '%s' is no count: it takes a number, at least 1",
			   quote(word).text);
}

/* What is wrong with an item of a list. */
static const char *explain_item(const char *item)
{
	unsigned bits;

	if (!*item)
		return "is an empty item";
	return parse_match(item, &bits) ? "is no kind" : "does not go with what is before it";
}

static int read_match(const char *word, unsigned *bits, struct error *error)
{
	char kinds[SCOPE_KINDS * 16] = "", item[64];
	const char *fault;
	size_t length;

	if (!parse_match(word, bits))
		return 0;
	for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++) {
		strcat(kinds, scope_kind_name(kind));
		strcat(kinds, ", ");
	}
	fault = parse_match_fault(word, &length);
	snprintf(item, sizeof(item), "%.*s", (int)length, fault);
	return usage_error(error,
			   "--match: '%s' %s: it takes either kinds (%sall) or changes (+KIND, "
			   "-KIND), with commas between them",
			   quote(item).text, explain_item(item), kinds);
}

static int read_columns(const char *word, struct options *options, struct error *error)
{
	char unknown[64];
	const char *bad;
	int rc, length;

	if (!strcasecmp(word, "help")) {
		options->action = ACTION_COLUMNS;
		return 0;
	}
	rc = columns_parse(word, &options->columns, &bad, &length);
	if (!rc)
		return 0;
	if (rc == -E2BIG)
		return usage_error(error, "--output: more than %d columns", COLUMNS_MAX);
	snprintf(unknown, sizeof(unknown), "%.*s", length, bad);
	return usage_error(error, "--output: '%s' is no column: --output=help shows all there are",
			   quote(unknown).text);
}

static int read_color(const char *word, enum color *color, struct error *error)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"
	};

	for (enum color known = COLOR_AUTO; known <= COLOR_NEVER; known++) {
		if (!strcmp(word, words[known])) {
			*color = known;
			return 0;
		}
	}
	return usage_error(error, "--color '%s' is none of auto, always and never",
			   quote(word).text);
}

static int add_operand(struct options *options, struct operand operand, struct error *error)
{
	if (!*operand.path)
		return usage_error(error, "the name of a target is empty");
	options->operands[options->operand_count++] = operand;
	return 0;
}

static int check_exclusive(int option, const bool *seen, struct error *error)
{
	for (size_t i = 0; i < sizeof(exclusive) / sizeof(*exclusive); i++) {
		int a = exclusive[i][0], b = exclusive[i][1];

		if ((option == a || option == b) && seen[a] && seen[b])
			return usage_error(error, "--%s and --%s exclude each other", long_name(a),
					   long_name(b));
	}
	return 0;
}

/* What getopt could not make sense of. Its own messages go to standard error, so they are off. */
static int refuse_option(const char *word, struct error *error)
{
	size_t length = strcspn(word, "=");
	struct quote quoted = quote(word);
	int matches = 0;

	/* optopt is a known option where an argument was given to one that takes none. */
	if (optopt && long_name(optopt))
		return usage_error(error, "option '--%s' takes no argument", long_name(optopt));
	if (optopt)
		return usage_error(error, "unknown option '-%s'",
				   quote((const char[]){ (char)optopt, '\0' }).text);

	for (const struct option *entry = long_options; entry->name; entry++)
		matches += !strncmp(word + 2, entry->name, length - 2);
	quoted.text[strcspn(quoted.text, "=")] = '\0';
	return usage_error(error, "%s option '%s'", matches ? "ambiguous" : "unknown", quoted.text);
}

/* Of the last word: past it, an optind is not the same in every C library. */
static int refuse_missing_argument(const char *word, struct error *error)
{
	if (!strncmp(word, "--", 2))
		return usage_error(error, "option '--%s' needs an argument", long_name(optopt));
	return usage_error(error, "option '-%c' needs an argument", optopt);
}

/* What a word that takes no argument switches on, or NULL. */
static bool *find_switch(int option, struct options *options)
{
	switch (option) {
	case OPTION_ALL:
		return &options->all;
	case OPTION_ON_EXIT:
		return &options->on_exit;
	case OPTION_TRUST_PIDFILE:
		return &options->trust_pidfile;
	case OPTION_IGNORE_MISSING:
		return &options->ignore_missing;
	case OPTION_REQUIRE_MATCH:
		return &options->require_match;
	case OPTION_SYSLOG:
		return &options->syslog;
	case 'i':
		return &options->interactive;
	case 'f':
		return &options->forest;
	case 'J':
		return &options->json;
	case 'v':
		return &options->verbose;
	case 'q':
		return &options->quiet;
	}
	return NULL;
}

/* What is done instead of killing. */
static enum options_action find_action(int option)
{
	switch (option) {
	case 'n':
		return ACTION_DRY_RUN;
	case OPTION_HOLDERS:
		return ACTION_HOLDERS;
	case 'h':
		return ACTION_HELP;
	case 'V':
		return ACTION_VERSION;
	}
	return ACTION_KILL;
}

static int take_argument(int option, struct options *options, struct error *error)
{
	switch (option) {
	case 'F':
		return add_operand(options, (struct operand){ .path = optarg }, error);
	case 'm':
		return read_match(optarg, &options->kinds, error);
	case 's':
		return read_signal(optarg, &options->signal, error);
	case 'k':
		return read_duration(option, optarg, &options->kill_after, error);
	case 't':
		return read_duration(option, optarg, &options->timeout, error);
	case 'O':
		return read_duration(option, optarg, &options->older, error);
	case OPTION_MAX:
		return read_count(optarg, &options->max, error);
	case OPTION_RECORD:
		options->action = ACTION_RECORD;
		options->record = optarg;
		return *optarg ? 0 : usage_error(error, "the name of the record is empty");
	case OPTION_PLAN:
		options->plan = optarg;
		return *optarg ? 0 : usage_error(error, "the name of the plan is empty");
	case OPTION_WAIT_PIDFILE:
		return read_duration(option, optarg, &options->wait_pidfile, error);
	case 'o':
		return read_columns(optarg, options, error);
	case OPTION_COLOR:
		return read_color(optarg, &options->color, error);
	}
	return 0;
}

static int take_option(int option, struct options *options, struct error *error)
{
	bool *on = find_switch(option, options);

	if (on)
		*on = true;
	else if (find_action(option) != ACTION_KILL)
		options->action = find_action(option);
	else
		return take_argument(option, options, error);
	return 0;
}

/* Whether a whole word is a signal as kill(1) takes it: -9, -KILL, -SIGKILL. */
static bool is_signal_word(const char *word)
{
	int signal;

	if (word[0] != '-' || !word[1])
		return false;
	/* A number that is no signal is no option either: let the sentence speak of signals. */
	if (!word[1 + strspn(word + 1, "0123456789")])
		return true;
	for (const char *byte = word + 1; *byte; byte++) {
		if (*byte >= 'a' && *byte <= 'z')
			return false;
	}
	return !parse_signal(word + 1, &signal);
}

static int take_signal_word(const char *word, struct options *options, bool *seen,
			    struct error *error)
{
	int result = parse_signal(word + 1, &options->signal);

	if (result == -ERANGE)
		return usage_error(error, "unknown signal '%s': " GROUP_HINT, quote(word + 1).text);
	seen['s'] = true;
	result = check_exclusive('s', seen, error);
	return result ? result : read_signal(word + 1, &options->signal, error);
}

/* -term, -Term: letters that would be read as options one by one. */
static bool is_misspelt_signal(const char *word)
{
	int signal;

	/* -F takes a file of any name, also in one word with it. */
	return word[0] == '-' && strlen(word) > 3 && word[1] != 'F' &&
	       (word[1] < '0' || word[1] > '9') && !parse_signal(word + 1, &signal);
}

static int refuse_misspelt_signal(const char *word, struct error *error)
{
	char upper[32] = "";

	for (size_t i = 0; word[i] && i + 1 < sizeof(upper); i++)
		upper[i] = (char)(word[i] >= 'a' && word[i] <= 'z' ? word[i] - 'a' + 'A' : word[i]);
	return usage_error(error,
			   "'%s' is no option: the name of a signal is one in upper case, '%s' (or "
			   "-s %s)",
			   word, upper, word + 1);
}

/* -TREM, -KIL, -USR3: letters that as options would be others, up to a file that -F takes. */
static bool is_unknown_signal(const char *word)
{
	const char *rest;

	if (word[0] != '-')
		return false;
	rest = word + 1 + strspn(word + 1, LETTERS);
	if (rest - word <= 3)
		return false;
	return !*rest || (word[1] != 'F' && !rest[strspn(rest, LETTERS "0123456789+-")]);
}

static int refuse_unknown_signal(const char *word, struct error *error)
{
	if (word[1] != 'F')
		return usage_error(error, "'%s' is neither an option nor a signal",
				   quote(word).text);
	return usage_error(error, "'%s' is neither an option nor a signal (a file is -F %s)",
			   quote(word).text, quote(word + 2).text);
}

static bool wants_only_text(const struct options *options)
{
	return options->action == ACTION_HELP || options->action == ACTION_VERSION ||
	       options->action == ACTION_COLUMNS;
}

static int take_operand(const char *word, struct options *options, struct error *error)
{
	return add_operand(options, (struct operand){ .pid = PID_UNREAD, .path = word }, error);
}

/* What getopt returned for the word or words before optind. */
static int take_word(int option, int argc, char **argv, struct options *options, bool *seen,
		     struct error *error)
{
	int result;

	switch (option) {
	case 1:
		return take_operand(optarg, options, error);
	case '?':
		return refuse_option(argv[optind - 1], error);
	case ':':
		return refuse_missing_argument(argv[argc - 1], error);
	}
	seen[option] = true;
	result = check_exclusive(option, seen, error);
	return result ? result : take_option(option, options, error);
}

/* Read all words in their order, up to --help or --version. */
static int read_words(int argc, char **argv, struct options *options, bool *seen,
		      struct taken *taken, struct error *error)
{
	int option, result = 0;

	/* Start anew: a line of no words takes getopt back, and optind to the first word. */
	opterr = 0;
	optind = 0;
	getopt_long(1, argv, short_options, long_options, NULL);

	while (!result && !wants_only_text(options)) {
		/*
		 * Here no option waits for its argument, and a cluster that getopt is in the middle
		 * of is no signal, or it had been taken before it was begun.
		 */
		if (optind < argc && is_signal_word(argv[optind])) {
			result = take_signal_word(argv[optind++], options, seen, error);
			continue;
		}
		if (optind < argc && is_misspelt_signal(argv[optind]))
			return refuse_misspelt_signal(argv[optind], error);
		if (optind < argc && is_unknown_signal(argv[optind]))
			return refuse_unknown_signal(argv[optind], error);
		/* For musl's getopt it would be the end of all options. */
		if (optind < argc && strcmp(argv[optind], "-") == 0) {
			result = take_operand(argv[optind++], options, error);
			continue;
		}
		option = getopt_long(argc, argv, short_options, long_options, NULL);
		if (option == -1)
			break;
		if (option > 1 && optarg == argv[optind - 1])
			*taken = (struct taken){ .word = optarg, .option = option };
		result = take_word(option, argc, argv, options, seen, error);
	}
	while (!result && !wants_only_text(options) && optind < argc)
		result = take_operand(argv[optind++], options, error);
	return result;
}

static int refuse_operand(const char *word, int result, struct error *error)
{
	if (result == -ERANGE)
		return usage_error(error, "'%s' is too large for a PID or an inode",
				   quote(word).text);
	if (word[0] == '-' && !word[1 + strspn(word + 1, "0123456789")])
		return usage_error(error, "'%s' is no target: " GROUP_HINT, quote(word).text);
	return usage_error(error,
			   "'%s' is no target: write a PID, a PID:INODE, - or a path with a slash "
			   "(-F takes a file of any name)",
			   quote(word).text);
}

static int read_operand(struct operand *operand, struct error *error)
{
	const char *word = operand->path;
	int result = parse_pid(word, &operand->pid);

	if (result == -EINVAL)
		result = parse_pid_inode(word, &operand->pid, &operand->inode);
	if (!result) {
		operand->path = NULL;
		return 0;
	}
	operand->input = strcmp(word, "-") == 0;
	if (result == -ERANGE || (!strchr(word, '/') && !operand->input))
		return refuse_operand(word, result, error);
	operand->pid = 0;
	return 0;
}

static int refuse_no_target(const struct taken *taken, struct error *error)
{
	if (!taken->word)
		return usage_error(error, "no target: name a PID or a pidfile");
	return usage_error(error,
			   "no target: name a PID or a pidfile ('%s' is the argument of --%s)",
			   quote(taken->word).text, long_name(taken->option));
}

/* What can be told only when all words are known. */
static int finish(struct options *options, const bool *seen, const struct taken *taken,
		  struct error *error)
{
	int result = 0;

	if (!seen['t'] &&
	    __builtin_add_overflow(options->kill_after, TIMEOUT_DEFAULT, &options->timeout))
		options->timeout = UINT64_MAX;
	if (options->kill_after && options->kill_after >= options->timeout)
		return usage_error(error, "--kill-after must be less than --timeout");
	/* Elsewhere they only show something: here it would be killed. */
	if ((seen['o'] || seen['f']) && options->action != ACTION_DRY_RUN && !options->interactive)
		return usage_error(error,
				   "--%s is for the list of --dry-run (-n) and --interactive (-i)",
				   long_name(seen['o'] ? 'o' : 'f'));
	if (options->plan && options->operand_count)
		return usage_error(error, "--plan takes no target: the plan has its own");
	options->signal_given = seen['s'];
	if (!options->operand_count && !options->plan)
		return refuse_no_target(taken, error);
	/* That would be KILL, at once: who knows timeout(1) means TERM. A plan names its own. */
	if (seen['k'] && !seen['s'] && !options->plan)
		return usage_error(error,
				   "--kill-after needs a first signal: add -TERM, or another");
	if (options->action == ACTION_RECORD && options->operand_count > 1)
		return usage_error(error, "--record takes one target");

	for (size_t i = 0; !result && i < options->operand_count; i++) {
		if (options->operands[i].pid == PID_UNREAD)
			result = read_operand(&options->operands[i], error);
	}
	return result;
}

int options_parse(int argc, char **argv, struct options *options, struct error *error)
{
	cleanup(options_clear) struct options parsed = {
		.kinds = SCOPE_DEFAULT,
		.signal = SIGKILL,
		.timeout = TIMEOUT_DEFAULT,
	};
	bool seen[OPTION_END] = { false };
	struct taken taken = { .word = NULL };
	int result;

	/* No word names more than one target. */
	columns_default(&parsed.columns);
	parsed.operands = calloc((size_t)argc + 1, sizeof(*parsed.operands));
	if (!parsed.operands)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");

	result = read_words(argc, argv, &parsed, seen, &taken, error);
	if (!result && !wants_only_text(&parsed))
		result = finish(&parsed, seen, &taken, error);
	if (result)
		return result;

	*options = parsed;
	parsed.operands = NULL;
	return 0;
}

void options_clear(struct options *options)
{
	free(options->operands);
	*options = (struct options){ 0 };
}
