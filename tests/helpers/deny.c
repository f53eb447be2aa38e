// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deny CALL ERRNO COMMAND... - run COMMAND with a system call that seccomp has fail
 *
 * CALL is one of those below; "group-signal" is pidfd_send_signal with flags, and "new-ioctl" every
 * ioctl but the first four on namespaces.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/nsfs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct word {
	const char *name;
	unsigned int number;
	unsigned int argument, from, to; /* allowed where this argument is in this range */
};

static const struct word calls[] = {
	{ "pidfd_open", SYS_pidfd_open, 0, 1, 0 },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, 0, 1, 0 },
	{ "group-signal", SYS_pidfd_send_signal, 3, 0, 0 },
	{ "new-ioctl", SYS_ioctl, 1, NS_GET_USERNS, NS_GET_OWNER_UID },
	{ .name = NULL },
};

static const struct word errors[] = {
	{ .name = "ENOSYS", .number = ENOSYS },
	{ .name = "EPERM", .number = EPERM },
	{ .name = "EINVAL", .number = EINVAL },
	{ .name = "ENOTTY", .number = ENOTTY },
	{ .name = NULL },
};

static const struct word *find(const struct word *words, const char *name)
{
	for (; words->name; words++)
		if (!strcmp(words->name, name))
			return words;
	fprintf(stderr, "deny: unknown: %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: deny CALL ERRNO COMMAND...\n");
		return 2;
	}
	const struct word *call = find(calls, argv[1]);
	unsigned int error = find(errors, argv[2])->number;
	unsigned int argument = (unsigned int)offsetof(struct seccomp_data, args[call->argument]);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument), /* its low half, on little endian */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, call->from, 0, 1),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, call->to, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
		perror("deny: prctl");
		return 125;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
