/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line as a struct. Only parses: opens no file and looks at no process. */
#ifndef NSKILL_CLI_OPTIONS_H
#define NSKILL_CLI_OPTIONS_H

#include "cli/columns.h"
#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** One TARGET as it was written. */
struct operand {
	pid_t pid;	  /* > 0, or 0: a file */
	uint64_t inode;	  /* of its pidfd, where it was given as PID:INODE; 0: it was not */
	bool input;	  /* standard input */
	const char *path; /* the file, or NULL; borrowed from argv */
};

enum options_action {
	ACTION_KILL,
	ACTION_DRY_RUN,
	ACTION_HOLDERS,
	ACTION_RECORD,
	ACTION_COLUMNS, /* --output=help */
	ACTION_HELP,
	ACTION_VERSION,
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	enum options_action action;
	struct operand *operands; /* owned */
	size_t operand_count;
	unsigned kinds;		/* SCOPE_BIT()s to follow */
	bool all;		/* --all */
	int signal;		/* first signal */
	bool signal_given;	/* and not only the default */
	uint64_t kill_after;	/* ns after the first signal; 0: never */
	uint64_t timeout;	/* ns; UINT64_MAX: no bound */
	uint64_t older;		/* ns that a target must have lived for; 0: any time */
	size_t max;		/* processes in all, above which nothing is done; 0: no bound */
	const char *plan;	/* the file with the plan to carry out, or -; NULL: none */
	const char *record;	/* with ACTION_RECORD: the file to write down the target in, or - */
	uint64_t wait_pidfile;	/* ns to wait for a file that is absent or unfinished; 0: none */
	bool trust_pidfile;	/* do not check owner, mode and age of files */
	bool ignore_missing;	/* a file that is absent counts as a target that is gone */
	bool on_exit;		/* wait until the targets have ended by themselves */
	bool interactive;	/* show the list, and ask before anything is done */
	bool require_match;	/* it is no success when nothing was alive */
	struct columns columns; /* of a listing */
	bool forest;		/* drawn as a tree */
	enum color color;
	bool json;
	bool verbose, quiet, syslog;
};

/**
 * Read the command line into @options.
 * Returns 0, or a negative errno with the sentence in @error (STATUS_USAGE, STATUS_SYSTEM).
 * @options is written only on success; release it with options_clear().
 */
int options_parse(int argc, char **argv, struct options *options, struct error *error);

void options_clear(struct options *options);

/** The text of --help, with its last newline. */
extern const char options_help[];

#endif
