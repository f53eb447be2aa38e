/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/signals.h"

#include <signal.h>
#include <stddef.h>

/* sigabbrev_np() tells the same, but only glibc has that. Architectures differ in their numbers. */
static const char *const names[] = {
	[SIGHUP] = "HUP",	[SIGINT] = "INT",   [SIGQUIT] = "QUIT",	  [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP",	[SIGABRT] = "ABRT", [SIGBUS] = "BUS",	  [SIGFPE] = "FPE",
	[SIGKILL] = "KILL",	[SIGUSR1] = "USR1", [SIGSEGV] = "SEGV",	  [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE",	[SIGALRM] = "ALRM", [SIGTERM] = "TERM",	  [SIGCHLD] = "CHLD",
	[SIGCONT] = "CONT",	[SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",	  [SIGTTIN] = "TTIN",
	[SIGTTOU] = "TTOU",	[SIGURG] = "URG",   [SIGXCPU] = "XCPU",	  [SIGXFSZ] = "XFSZ",
	[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGPOLL] = "POLL",
	[SIGPWR] = "PWR",	[SIGSYS] = "SYS",
#ifdef SIGSTKFLT
	[SIGSTKFLT] = "STKFLT",
#endif
#ifdef SIGEMT
	[SIGEMT] = "EMT",
#endif
};

const char *signal_name(int signal)
{
	if (signal < 0 || (size_t)signal >= sizeof(names) / sizeof(*names))
		return NULL;
	return names[signal];
}
