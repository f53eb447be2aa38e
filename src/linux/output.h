/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to standard output and error. Either may be the very pipe that is stuck, so that writing
 * never holds the run: text is kept here, and pushed out as far as it goes. The descriptors'
 * flags belong to whoever else has them, and stay as they are.
 */
#ifndef NSKILL_LINUX_OUTPUT_H
#define NSKILL_LINUX_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output {
	int fd;
	FILE *stream; /* write here; output_push() and output_finish() send it on */
	char *text;
	size_t size;
	size_t sent;
	int error;   /* the first errno that writing met, 0: none */
	size_t line; /* how long the line of output_line() is that is shown, 0: none */
};

/**
 * Start to keep text for @fd. 0 or -ENOMEM; release with output_close(). Until then @output must
 * stay where it is.
 */
int output_open(struct output *output, int fd);

/** How many columns the terminal has that it goes to; 0: it goes to none, or that does not say. */
size_t output_width(const struct output *output);

/**
 * Whether a line on it can be written anew in its place: it is a terminal that knows how, and that
 * we are not in the background of.
 */
bool output_takes_line(const struct output *output);

/**
 * Show @line, of printable ASCII, in the place of the one before, or nothing ("") again; if that
 * cannot be written without waiting, nothing happens. What else is sent erases it.
 */
void output_line(struct output *output, const char *line);

/** Send on what can be sent without waiting. */
void output_push(struct output *output);

/**
 * Send on the rest, waiting for the reader until clock_now() is @until. 0, or -errno: it is not
 * out.
 */
int output_finish(struct output *output, uint64_t until);

void output_close(struct output *output);

#endif
