// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swap pin|send COMMAND... - run COMMAND with a target's PID, and swap a member of the target's
 * group for a stranger with the same PID under its eyes: when it is about to pin the member, or
 * when it has pinned it and is about to signal
 *
 * Prints "TICK TICK lives|dead STATUS": the member's start tick, the stranger's, what became of the
 * stranger, and COMMAND's exit status; or "no swap" where COMMAND never came to that point.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t idle(pid_t wanted)
{
	struct clone_args how = {
		.exit_signal = SIGCHLD,
		.set_tid = wanted ? (uintptr_t)&wanted : 0,
		.set_tid_size = wanted ? 1 : 0,
	};
	pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof(how));

	while (child == 0)
		pause();
	if (child < 0) {
		perror("swap: clone3");
		exit(125);
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static unsigned long long tick(pid_t process)
{
	unsigned long long ticks = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	FILE *stat = fopen(path, "re");
	if (stat) {
		if (fscanf(stat,
			   "%*d (swap) %*c" /* up to field 22, the start */
			   " %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u"
			   " %*d %*d %*d %*d %llu",
			   &ticks) != 1)
			ticks = 0;
		fclose(stat);
	}
	return ticks;
}

static pid_t run_traced(char **command)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	return child;
}

int main(int argc, char **argv)
{
	int at_send = argc > 1 && !strcmp(argv[1], "send"), pinned = 0, swapped = 0, status;
	unsigned long long before = 0, after = 0;
	char *command[32], number[16];

	if (argc < 3 || argc > 30)
		return 2;
	pid_t target = idle(0), member = idle(0), stranger = 0;
	setpgid(target, target);
	end(member); /* a free number; the member itself is born late, to be swapped in its own tick
		      */
	memcpy(command, argv + 2, sizeof(*command) * (size_t)(argc - 2));
	snprintf(number, sizeof(number), "%d", target);
	command[argc - 2] = number;
	command[argc - 1] = NULL;
	pid_t traced = run_traced(command), born = 0;
	while (waitpid(traced, &status, 0) == traced && WIFSTOPPED(status)) {
		struct __ptrace_syscall_info call = { .op = 0 };
		int is_event = status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
		int sent = is_event || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

		if (is_event && ptrace(PTRACE_GET_SYSCALL_INFO, traced, sizeof(call), &call) > 0) {
			int opens = call.seccomp.nr == SYS_pidfd_open;
			pid_t opened = opens ? (pid_t)call.seccomp.args[0] : 0;

			if (!born && opened == target) {
				born = idle(member);
				setpgid(born, target);
			}
			int now = at_send ? pinned && !opens && call.seccomp.args[1] != 0
					  : opened == member;
			if (born && now && !swapped) {
				before = tick(born);
				end(born);
				stranger = idle(member);
				after = tick(stranger);
				swapped = 1;
			}
			pinned = pinned || (born && opened == member);
		}
		ptrace(PTRACE_CONT, traced, NULL, (void *)(intptr_t)sent);
	}
	if (swapped)
		printf("%llu %llu %s %d\n", before, after,
		       waitpid(stranger, NULL, WNOHANG) == 0 ? "lives" : "dead",
		       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	else
		printf("no swap\n");
	end(target);
	if (born)
		end(swapped ? stranger : born);
	return 0;
}
