// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * balk WHAT ERRNO COMMAND... - run COMMAND with one kind of request failing
 *
 *	mnt-id   the ioctl that tells the 64-bit id of a mount namespace
 *	signals  pidfd_send_signal, but for signal 0, which only asks
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GET_MNTNS_ID _IOR(0xb7, 0x5, uint64_t) /* NS_GET_MNTNS_ID since Linux 6.11 */

struct kind {
	const char *name;
	unsigned int call, from, to; /* where the second argument is in this range */
};

static const struct kind kinds[] = {
	{ "mnt-id", SYS_ioctl, GET_MNTNS_ID, GET_MNTNS_ID },
	{ "signals", SYS_pidfd_send_signal, 1, 64 },
	{ .name = NULL },
};

static unsigned int error_of(const char *name)
{
	if (!strcmp(name, "EACCES"))
		return EACCES;
	if (!strcmp(name, "EPERM"))
		return EPERM;
	return strcmp(name, "ENOTTY") ? 0 : ENOTTY;
}

int main(int argc, char **argv)
{
	const struct kind *kind = kinds;
	unsigned int error = argc > 3 ? error_of(argv[2]) : 0;

	while (argc > 3 && kind->name && strcmp(kind->name, argv[1]) != 0)
		kind++;
	if (!error || !kind->name) {
		fprintf(stderr, "usage: balk mnt-id|signals EACCES|EPERM|ENOTTY COMMAND...\n");
		return 2;
	}
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kind->call, 0, 4),
		/* its low half, on little endian */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kind->from, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kind->to, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
		perror("balk: prctl");
		return 125;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
