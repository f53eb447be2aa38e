// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inject [-a] [-o FILE] CALL[:END]@N[+]=ERROR... -- COMMAND... - run COMMAND with some system calls
 * failing
 *
 * The Nth CALL (of those whose path ends in END; a relative one follows a slash) fails with ERROR,
 * and with "+" every later one, too; with N = 0 none does, and all are counted. ERROR is a name of
 * errno(3), or "short": a read gives a single byte. Counted is what COMMAND does itself from its first
 * fcntl(0, F_GETFD) on, which is how nskill begins, so that the dynamic loader is left alone; with -a,
 * from the start. What is done from the first file *.gcda on, COMMAND's counters in a build with
 * --enable-coverage, does not count.
 *
 * FILE gets a line "CALL COUNTED FAILED" for each, and "left FD LINK" for each descriptor that is
 * open at the end and was not at the start. The status is COMMAND's.
 *
 * A process of its own decides on each call, by seccomp_unotify(2): needs Linux 5.6, no privilege.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULTS	    64
#define DESCRIPTORS 4096
#define SHORT	    (-1)

struct call {
	const char *name;
	int number;
	int path; /* which argument is a path, -1: none */
};

static const struct call calls[] = {
#ifdef SYS_access
	{ "access", SYS_access, 0 },
	{ "epoll_wait", SYS_epoll_wait, -1 },
	{ "fork", SYS_fork, -1 },
	{ "open", SYS_open, 0 },
	{ "poll", SYS_poll, -1 },
	{ "readlink", SYS_readlink, 0 },
#endif
#ifdef SYS_newfstatat
	{ "newfstatat", SYS_newfstatat, 1 },
#endif
	{ "brk", SYS_brk, -1 },
	{ "capget", SYS_capget, -1 },
	{ "clone", SYS_clone, -1 },
	{ "clone3", SYS_clone3, -1 },
	{ "close_range", SYS_close_range, -1 },
	{ "epoll_create1", SYS_epoll_create1, -1 },
	{ "epoll_ctl", SYS_epoll_ctl, -1 },
	{ "epoll_pwait", SYS_epoll_pwait, -1 },
	{ "faccessat", SYS_faccessat, 1 },
	{ "fcntl", SYS_fcntl, -1 },
	{ "fstat", SYS_fstat, -1 },
	{ "fstatfs", SYS_fstatfs, -1 },
	{ "fsync", SYS_fsync, -1 },
	{ "getdents64", SYS_getdents64, -1 },
	{ "getpgid", SYS_getpgid, -1 },
	{ "getsid", SYS_getsid, -1 },
	{ "inotify_add_watch", SYS_inotify_add_watch, -1 },
	{ "inotify_init1", SYS_inotify_init1, -1 },
	{ "ioctl", SYS_ioctl, -1 },
	{ "mmap", SYS_mmap, -1 },
	{ "mremap", SYS_mremap, -1 },
	{ "openat", SYS_openat, 1 },
	{ "pidfd_open", SYS_pidfd_open, -1 },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, -1 },
	{ "ppoll", SYS_ppoll, -1 },
	{ "pread64", SYS_pread64, -1 },
	{ "prlimit64", SYS_prlimit64, -1 },
	{ "read", SYS_read, -1 },
	{ "readlinkat", SYS_readlinkat, 1 },
	{ "rt_sigaction", SYS_rt_sigaction, -1 },
	{ "rt_sigprocmask", SYS_rt_sigprocmask, -1 },
	{ "signalfd4", SYS_signalfd4, -1 },
	{ "statfs", SYS_statfs, 0 },
	{ "statx", SYS_statx, 1 },
	{ "wait4", SYS_wait4, -1 },
	{ "write", SYS_write, -1 },
	{ .name = NULL },
};

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "E2BIG", E2BIG },   { "EACCES", EACCES }, { "EAGAIN", EAGAIN }, { "EBADF", EBADF },
	{ "ECHILD", ECHILD }, { "EFAULT", EFAULT }, { "EINTR", EINTR },	  { "EINVAL", EINVAL },
	{ "EIO", EIO },	      { "EMFILE", EMFILE }, { "ENFILE", ENFILE }, { "ENOENT", ENOENT },
	{ "ENOMEM", ENOMEM }, { "ENOSPC", ENOSPC }, { "ENOSYS", ENOSYS }, { "ENOTTY", ENOTTY },
	{ "EPERM", EPERM },   { "EPIPE", EPIPE },   { "ESRCH", ESRCH },	  { "short", SHORT },
	{ .name = NULL },
};

struct fault {
	const struct call *call;
	const char *end;
	unsigned long nth, counted, failed;
	bool lasting;
	int error;
};

static struct fault faults[FAULTS];
static size_t fault_count;
static bool started, over;
static FILE *out;
static int listener;
static bool inherited[DESCRIPTORS];

static void die(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void misused(const char *word)
{
	fprintf(stderr,
		"inject: %s\n"
		"usage: inject [-a] [-o FILE] CALL[:END]@N[+]=ERROR... -- COMMAND...\n",
		word);
	exit(125);
}

static void read_fault(char *word)
{
	struct fault *fault = &faults[fault_count++];
	char *error = strrchr(word, '='), *nth = strrchr(word, '@'), *end;
	size_t i = 0;

	if (!error || !nth || nth > error || fault_count == FAULTS)
		misused(word);
	*error++ = *nth++ = '\0';
	fault->end = strchr(word, ':');
	word[strcspn(word, ":")] = '\0';
	fault->end = fault->end ? fault->end + 1 : "";
	fault->nth = strtoul(nth, &end, 10);
	fault->lasting = *end == '+';
	fault->call = calls;
	while (fault->call->name && strcmp(fault->call->name, word) != 0)
		fault->call++;
	while (errors[i].name && strcmp(errors[i].name, error) != 0)
		i++;
	if (!fault->call->name || !errors[i].name)
		misused(fault->call->name ? error : word);
	fault->error = errors[i].number;
}

/* ---- the process that will be the command ---- */

static void send_descriptor(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (sendmsg(socket, &message, 0) != 1)
		die("sendmsg");
}

static int receive_descriptor(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head;
	int fd;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		exit(125); /* the child has said why */
	head = CMSG_FIRSTHDR(&message);
	if (!head)
		exit(125);
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

static void ask_of(struct sock_filter **place, int call)
{
	const struct sock_filter ask[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};

	memcpy(*place, ask, sizeof(ask));
	*place += 2;
}

static int filter(void)
{
	struct sock_filter code[2 * FAULTS + 16], *place = code;
	const struct sock_filter begin =
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	const struct sock_filter end[] = {
		/* fcntl(0, F_GETFD), which starts the count */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETFD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	*place++ = begin;
	for (size_t i = 0; i < fault_count; i++)
		ask_of(&place, faults[i].call->number);
	ask_of(&place, SYS_openat);
	ask_of(&place, SYS_exit_group);
	memcpy(place, end, sizeof(end));
	place += sizeof(end) / sizeof(*end);

	struct sock_fprog program = { (unsigned short)(place - code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("prctl");
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

static void become(char **command, int socket)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = filter();
	if (fd < 0)
		die("seccomp");
	send_descriptor(socket, fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	execvp(command[0], command);
	fprintf(stderr, "inject: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* ---- the one that decides ---- */

static bool path_ends(pid_t pid, uint64_t address, const char *end)
{
	char path[256] = "";
	struct iovec local = { path, sizeof(path) - 1 };
	struct iovec remote = { (void *)(uintptr_t)address, sizeof(path) - 1 };
	ssize_t got;
	size_t length, wanted = strlen(end);

	if (!wanted)
		return true;
	got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	if (got < 0) {
		/* The path may be at the end of the last page that is mapped. */
		remote.iov_len = 4096 - address % 4096;
		if (remote.iov_len < local.iov_len)
			got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	}
	if (got < 0)
		return false;
	length = strlen(path);
	if (*end == '/' && length == wanted - 1)
		end++, wanted--;
	return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* One byte is read through a copy of the descriptor, whose offset is the same. */
static long read_short(pid_t pid, const struct seccomp_data *data)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), fd = -1;
	struct iovec local, remote;
	ssize_t got = -1;
	char byte;

	if (process >= 0)
		fd = (int)syscall(SYS_pidfd_getfd, process, (int)data->args[0], 0);
	if (fd < 0)
		die("pidfd_getfd");
	if (data->nr == SYS_pread64)
		got = pread(fd, &byte, data->args[2] ? 1 : 0, (off_t)data->args[3]);
	else
		got = read(fd, &byte, data->args[2] ? 1 : 0);
	local = (struct iovec){ &byte, 1 };
	remote = (struct iovec){ (void *)(uintptr_t)data->args[1], 1 };
	if (got > 0)
		got = process_vm_writev(pid, &local, 1, &remote, 1, 0);
	if (got < 0)
		got = -errno;
	close(fd);
	close(process);
	return got;
}

/* brk(2) has no errors: the kernel answers with the break as it is, the end of the heap. */
static int64_t program_break(pid_t pid)
{
	char line[512];
	unsigned long end = 0;
	FILE *maps;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	maps = fopen(line, "re");
	if (!maps)
		die(line);
	while (!end && fgets(line, sizeof(line), maps))
		if (strstr(line, "[heap]") && sscanf(line, "%*x-%lx", &end) != 1)
			end = 0;
	fclose(maps);
	return (int64_t)end;
}

/* fd 0 to 2 were there before, too. */
static void list_descriptors(pid_t pid, bool first)
{
	char path[64], link[128];

	for (int fd = 3; fd < DESCRIPTORS; fd++) {
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		size = readlink(path, link, sizeof(link) - 1);
		if (size < 0)
			continue;
		link[size] = '\0';
		if (first)
			inherited[fd] = true;
		else if (!inherited[fd])
			fprintf(out, "left %d %s\n", fd, link);
	}
}

static int fault_of(const struct seccomp_notif *call)
{
	int error = 0;

	for (size_t i = 0; i < fault_count; i++) {
		struct fault *fault = &faults[i];

		if (fault->call->number != call->data.nr ||
		    (fault->call->path >= 0 &&
		     !path_ends((pid_t)call->pid, call->data.args[fault->call->path], fault->end)))
			continue;
		fault->counted++;
		if (fault->nth && (fault->counted == fault->nth ||
				   (fault->lasting && fault->counted > fault->nth))) {
			fault->failed++;
			error = fault->error;
		}
	}
	return error;
}

static void decide(pid_t child)
{
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	int error = 0;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		return;
	answer.id = call.id;
	answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (call.data.nr == SYS_fcntl && !started && (int)call.data.args[0] == 0 &&
	    call.data.args[1] == F_GETFD && (pid_t)call.pid == child) {
		started = true;
		list_descriptors(child, true);
	}
	if (call.data.nr == SYS_openat && (pid_t)call.pid == child &&
	    path_ends(child, call.data.args[1], ".gcda") &&
	    !path_ends(child, call.data.args[1], "/inject.gcda"))
		over = true;
	if (call.data.nr == SYS_exit_group && (pid_t)call.pid == child && started)
		list_descriptors(child, false);
	else if (started && !over && (pid_t)call.pid == child)
		error = fault_of(&call);
	if (error) {
		answer.flags = 0;
		answer.error = -error;
	}
	if (error && call.data.nr == SYS_brk) {
		answer.error = 0;
		answer.val = program_break(child);
		if (!answer.val)
			answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	if (error == SHORT) {
		answer.val = read_short(child, &call.data);
		answer.error = answer.val < 0 ? (int)answer.val : 0;
		answer.val = answer.val < 0 ? 0 : answer.val;
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static int supervise(pid_t child)
{
	struct pollfd ready[2] = { { .fd = listener, .events = POLLIN },
				   { .fd = (int)syscall(SYS_pidfd_open, child, 0),
				     .events = POLLIN } };
	int status;

	if (ready[1].fd < 0)
		die("pidfd_open");
	while (poll(ready, 2, -1) > 0 && !ready[1].revents)
		if (ready[0].revents & POLLIN)
			decide(child);
	if (waitpid(child, &status, 0) < 0)
		die("waitpid");
	for (size_t i = 0; i < fault_count; i++)
		fprintf(out, "%s %lu %lu\n", faults[i].call->name, faults[i].counted,
			faults[i].failed);
	if (WIFSIGNALED(status))
		fprintf(out, "signal %d\n", WTERMSIG(status));
	fclose(out);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	const char *file = "/dev/null";
	int sockets[2], option;
	pid_t child;

	while ((option = getopt(argc, argv, "+ao:")) != -1) {
		if (option == 'a')
			started = true;
		else if (option == 'o')
			file = optarg;
		else
			return 125;
	}
	for (; optind < argc && strcmp(argv[optind], "--") != 0; optind++)
		read_fault(argv[optind]);
	if (++optind >= argc)
		misused("no command");
	out = fopen(file, "we");
	if (!out)
		die(file);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		die("socketpair");
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0)
		become(argv + optind, sockets[1]);
	close(sockets[1]);
	listener = receive_descriptor(sockets[0]);
	return supervise(child);
}
