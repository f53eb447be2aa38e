/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to the terminal that we were started from, whatever standard input and output are. It is
 * opened anew, so that no descriptor that others have, too, is changed.
 */
#ifndef NSKILL_LINUX_TERMINAL_H
#define NSKILL_LINUX_TERMINAL_H

#include <stdbool.h>

/** A descriptor for terminal_close(), or a negative errno; -ENXIO: there is none. */
int terminal_open(void);

/**
 * Write @question there and read the answer, a line, for as long as that takes: signals do what
 * they do, and in the background the terminal stops us. Asks again whenever we were stopped. 0 and
 * @yes: whether the answer is y or yes, in any case; or a negative errno: there can be no answer.
 */
int terminal_ask(int terminal, const char *question, bool *yes);

/** Close @terminal, and make it -1. An error or -1 is allowed. */
void terminal_close(int *terminal);

#endif
