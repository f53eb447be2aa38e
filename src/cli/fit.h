/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fits a listing to a terminal: long texts are cut, and then, as half a number would be another,
 * whole columns are left out, those that were named last. Who it is, and what it is called, stays.
 */
#ifndef NSKILL_CLI_FIT_H
#define NSKILL_CLI_FIT_H

#include "cli/columns.h"

/**
 * Of each of @columns, @widths has how wide it would be, and gets how wide it may be on @width
 * columns with a space between each two; 0: it is left out.
 */
void fit_columns(const struct columns *columns, size_t *widths, size_t width);

/** How wide libsmartcols writes @text. */
size_t fit_text_width(const char *text);

/** Cut @text to @width, at least 1, with a + at the end, as ps(1) marks what it has cut. */
void fit_text(char *text, size_t width);

#endif
