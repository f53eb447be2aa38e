/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * left-open FILE COMMAND...: run it and write into FILE what it has still open when it ends, one
 * line for each descriptor that it was not given. Its exit status is this one's.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

static bool given[FD_SETSIZE];

static void tell(FILE *out, pid_t pid)
{
	char name[300], link[256];
	struct dirent *entry;
	ssize_t size;
	DIR *folder;

	snprintf(name, sizeof(name), "/proc/%d/fd", pid);
	folder = opendir(name);
	if (!folder)
		exit(125);
	while ((entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name == '.' || (fd < FD_SETSIZE && given[fd]))
			continue;
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, fd);
		size = readlink(name, link, sizeof(link));
		fprintf(out, "%d: %.*s\n", fd, size < 0 ? 0 : (int)size, link);
	}
	closedir(folder);
}

int main(int argc, char **argv)
{
	int status = 0;
	FILE *out;
	pid_t pid;

	for (int fd = 0; fd < FD_SETSIZE; fd++)
		given[fd] = fcntl(fd, F_GETFD) >= 0;
	out = argc > 2 ? fopen(argv[1], "we") : NULL;
	if (!out)
		return 125;
	pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, WUNTRACED) != pid ||
	    ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) < 0)
		return 125;
	kill(pid, SIGCONT);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int event = status >> 16, number = WSTOPSIG(status);

		if (event == PTRACE_EVENT_EXIT)
			tell(out, pid);
		/* What stops for a signal is handed that; what stops for an event, none. */
		ptrace(PTRACE_CONT, pid, NULL, event ? 0 : number);
	}
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
