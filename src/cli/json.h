/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened, or under --dry-run would, as one JSON document, whose shape is described in
 * nskill(1) and in tests/schema.json. It is gathered while the run goes on, and printed at its end.
 */
#ifndef NSKILL_CLI_JSON_H
#define NSKILL_CLI_JSON_H

#include "cli/options.h"
#include "core/holders.h"
#include "core/kill.h"
#include "core/origin.h"

#include <stdio.h>

/** As { 0 } it is closed, and takes nothing. */
struct json {
	struct json_t *document;
	enum options_action action;
	bool incomplete;	     /* there was no memory for something */
	size_t spared, spared_count; /* the scopes that json_add_spared() has added last */
};

/** 0 or -ENOMEM. */
int json_open(struct json *json, enum options_action action);

/** Where its numbers mean what they mean, what is followed, and the first signal. */
void json_add_orders(struct json *json, const struct origin *here, const struct rules *rules,
		     int signal);

/** A sentence on standard error, as an error. */
void json_add_error(struct json *json, const char *text);

/**
 * The scopes that are not followed by a kill which is about to be carried out: at its end, when
 * nobody may be left in there, it could not be told any more.
 */
void json_add_spared(struct json *json, const struct kill *kill);

/** The targets of a kill with their scopes and outputs. */
void json_add_targets(struct json *json, const struct kill *kill);

/** These, and the processes, of one that is over, or planned. */
void json_add_kill(struct json *json, const struct kill *kill);

/** Who holds the outputs of the targets of @kill open. */
void json_add_holders(struct json *json, const struct kill *kill, const struct holders *holders);

/**
 * Write the document of a run that ends with @status or, where it is not 0, by the signal @deadly,
 * and took @ns. 0, or -ENOMEM, and then nothing is written.
 */
int json_print(struct json *json, FILE *stream, enum status status, int deadly, uint64_t ns);

void json_close(struct json *json);

#endif
