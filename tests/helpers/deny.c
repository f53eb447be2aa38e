// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deny CALL ERRNO COMMAND... - run COMMAND with a system call that seccomp has fail
 *
 * CALL is one of those below; "group-signal" is pidfd_send_signal with flags, "new-ioctl" every
 * ioctl but the first four on namespaces, "pidfd-ioctl" those on pidfds, "mnt-id" the one that
 * tells the 64-bit id of a mount namespace, and "owned-group" the fcntl that tells a file's owner.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/nsfs.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GET_MNTNS_ID _IOR(NSIO, 0x5, uint64_t) /* NS_GET_MNTNS_ID since Linux 6.11 */
#define PIDFD_IOCTLS _IO(0xff, 0)	       /* PIDFS_IOCTL_MAGIC, since Linux 6.11 */

struct word {
	const char *name;
	unsigned int number;
	unsigned int argument, from, to; /* allowed where this argument is in this range */
	bool within;			 /* or the other way round: allowed where it is not */
};

static const struct word calls[] = {
	{ "pidfd_open", SYS_pidfd_open, 0, 1, 0, false },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, 0, 1, 0, false },
	{ "close_range", SYS_close_range, 0, 1, 0, false },
	{ "fstatfs", SYS_fstatfs, 0, 1, 0, false },
	{ "statx", SYS_statx, 0, 1, 0, false },
	{ "name_to_handle_at", SYS_name_to_handle_at, 0, 1, 0, false },
	{ "owned-group", SYS_fcntl, 1, F_GETOWN_EX, F_GETOWN_EX, true },
	{ "group-signal", SYS_pidfd_send_signal, 3, 0, 0, false },
	{ "new-ioctl", SYS_ioctl, 1, NS_GET_USERNS, NS_GET_OWNER_UID, false },
	{ "pidfd-ioctl", SYS_ioctl, 1, PIDFD_IOCTLS, PIDFD_IOCTLS + 0xff, true },
	{ "mnt-id", SYS_ioctl, 1, GET_MNTNS_ID, GET_MNTNS_ID, true },
	{ .name = NULL },
};

static const struct word errors[] = {
	{ .name = "ENOSYS", .number = ENOSYS },		{ .name = "EPERM", .number = EPERM },
	{ .name = "EINVAL", .number = EINVAL },		{ .name = "ENOTTY", .number = ENOTTY },
	{ .name = "EOPNOTSUPP", .number = EOPNOTSUPP }, { .name = NULL },
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
	unsigned int fail = SECCOMP_RET_ERRNO | find(errors, argv[2])->number;
	unsigned int argument = (unsigned int)offsetof(struct seccomp_data, args[call->argument]);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument), /* its low half, on little endian */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, call->from, 0, 1),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, call->to, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, call->within ? SECCOMP_RET_ALLOW : fail),
		BPF_STMT(BPF_RET | BPF_K, call->within ? fail : SECCOMP_RET_ALLOW),
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
