/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of signals. */
#ifndef NSKILL_CORE_SIGNALS_H
#define NSKILL_CORE_SIGNALS_H

/** The name without "SIG", as of signal(7), or NULL where it has none: 0, and real-time signals. */
const char *signal_name(int signal);

#endif
