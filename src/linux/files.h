/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to open files: what a process writes to. It looks at /proc/PID/fd and never opens what
 * is there, so that no pipe gets another end and no driver or file server is asked.
 */
#ifndef NSKILL_LINUX_FILES_H
#define NSKILL_LINUX_FILES_H

#include "core/process.h"
#include "core/stream.h"

/**
 * What descriptor @fd of @process is, where it is open for writing: STREAM_NONE where that is
 * nothing of the kind. @hold: so that its inode is not handed out again. 0, -EACCES when it may not
 * be looked at, or another negative errno. Release with files_release().
 */
int files_stream(const struct process *process, int fd, bool hold, struct stream *stream);

void files_release(struct stream *stream);

/**
 * Set process->writes: those of @streams that it holds an end of that is open for writing. Until
 * clock_now() is @until. 0, -EACCES when its files may not be looked at, -ETIMEDOUT when there were
 * too many for the time, or -ESRCH and -ENOENT when it has none (any more).
 */
int files_writes(struct process *process, const struct streams *streams, uint64_t until);

/**
 * The quickest look: which of @streams (STREAM_BIT()s) process @pid has as standard output or error
 * for writing. 0 where it may not be looked at, or is gone.
 */
uint64_t files_peek(pid_t pid, const struct streams *streams);

#endif
