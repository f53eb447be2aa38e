/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words that people read for what core knows, for sentences, the list and the log. Each writes
 * into @text, cut to @size bytes, and returns it; names are escaped.
 */
#ifndef NSKILL_CLI_WORDS_H
#define NSKILL_CLI_WORDS_H

#include "core/holders.h"
#include "core/kill.h"

#define NAME_SIZE  256		    /* of a command */
#define WHO_SIZE   (NAME_SIZE + 64) /* of words_process() */
#define SCOPE_SIZE (NAME_SIZE + 32) /* of words_scope(); the path of a cgroup is cut */
#define WHY_SIZE   256		    /* of words_why() */

/** Why somebody is left who belongs to a target. */
extern const char words_not_the_owners[];
extern const char words_in_doubt[];
extern const char words_not_listed[];

/** The one of these that is true of @victim; NULL: none is. */
const char *words_spared(const struct victim *victim);

/** How long ago @start_ticks was: "12s", "3m05s", "2h07m" or "4d03h". */
char *words_age(char *text, size_t size, uint64_t start_ticks, uint64_t now, uint64_t hertz);

/** What ties @victim to its target: "target", "child of 7" or "pgrp 7". */
char *words_why(char *text, size_t size, const struct victim *victim);

/** "57 (sleep)" */
char *words_name(char *text, size_t size, const struct process *process);

/** "57 (sleep), 3m05s old" */
char *words_process(char *text, size_t size, const struct process *process);

/** "process group 57" */
char *words_scope(char *text, size_t size, struct scope scope);

/** Why a scope is not followed. */
char *words_reason(char *text, size_t size, const struct spared *spared);

/** What the state of somebody who was to end means, or "". */
char *words_state(char *text, size_t size, const struct victim *victim);

/** Why it is not certain that nothing is left, though nobody is known to be; NULL: it is. */
const char *words_uncertain(const struct kill *kill);

/** What is known of why somebody is left who was to end. */
char *words_left(char *text, size_t size, const struct victim *victim);

/** Why somebody who holds an output has not been ended; not always in @text. */
const char *words_holder(char *text, size_t size, const struct holder *holder);

/** "KILL", "RTMIN+3", or "signal 33" for one without a name. */
const char *words_signal(char *text, size_t size, int signal);

/** Why nothing tells the output of a target that is dead. */
const char *words_no_output(const struct claim *claim);

#endif
