// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reuse MODE COUNT SEED DIRECTORY NSKILL - run NSKILL on COUNT targets, and swap each, at a random
 * moment of the run, for a stranger who has its PID
 *
 * MODE is how the target is named:
 *
 *	record   by a record that NSKILL has written
 *	state    by a state.json of runc; the stranger starts in a later tick
 *	inode    by PID:INODE
 *	pidfile  by a plain pidfile; the stranger starts later than the file tolerates
 *	number   by the PID; the swap comes after NSKILL has pinned it
 *	member   by the PID of the group's leader; it is a member of the group that is swapped
 *
 * A stranger leads a group and a session of its own, with a child. That it is signalled, if only
 * stopped, is seen by waiting for it; that its child is, by its exit status, 100 and the signal.
 * Prints one line a mode;
 * fails when a stranger was signalled, when NSKILL ended with another status than it may, or said
 * that all is gone while the target was alive, or when no swap came during a run or none after one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POOL	   20
#define RUN_BOUND  20000 /* ms that one run may take */
#define SETTLED_MS 160	 /* after which the PID in a pidfile is too old for a newcomer */

struct target {
	pid_t pid, leader; /* leader: of the group, in mode "member" */
	char name[64];
};

static const char *mode, *nskill;
static unsigned long long during, after, wrong, kept, hit, untrue, processes;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t seed;

static uint64_t chance(uint64_t below) /* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % below;
}

static pid_t clone_as(pid_t wanted)
{
	struct clone_args how = {
		.exit_signal = SIGCHLD,
		.set_tid = wanted ? (uintptr_t)&wanted : 0,
		.set_tid_size = wanted ? 1 : 0,
	};

	return (pid_t)syscall(SYS_clone3, &how, sizeof(how));
}

static void stay(void)
{
	for (;;)
		pause();
}

static pid_t start_target(int leads)
{
	pid_t child = clone_as(0);

	processes++;
	if (child < 0)
		die("reuse: clone3");
	if (child == 0) {
		if (leads)
			setsid();
		stay();
	}
	return child;
}

static pid_t start_stranger(pid_t wanted)
{
	pid_t stranger = clone_as(wanted);

	processes += 2;
	if (stranger == 0) {
		int status = 0;

		setsid();
		pid_t child = fork();
		if (child == 0)
			stay();
		if (child < 0 || waitpid(child, &status, 0) < 0)
			_exit(125);
		_exit(100 + WTERMSIG(status));
	}
	return stranger;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static unsigned long long start_of(pid_t process)
{
	unsigned long long ticks = 0;
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	FILE *stat = fopen(path, "re");
	if (!stat)
		die(path);
	size_t size = fread(line, 1, sizeof(line) - 1, stat);
	fclose(stat);
	line[size] = '\0';
	const char *at = strrchr(line, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu", &ticks) != 1)
		die(path);
	return ticks;
}

static pid_t run(const char *const *arguments)
{
	pid_t child = fork();

	if (child < 0)
		die("reuse: fork");
	if (child == 0) {
		int nowhere = open("/dev/null", O_RDWR);

		dup2(nowhere, 0);
		dup2(nowhere, 1);
		if (!getenv("REUSE_TALKS"))
			dup2(nowhere, 2);
		execv(nskill, (char *const *)arguments);
		_exit(127);
	}
	return child;
}

/* Its status when it has ended, or -1. */
static int ended(pid_t child)
{
	int status;
	pid_t rc = waitpid(child, &status, WNOHANG);

	if (rc < 0)
		die("reuse: waitpid");
	if (rc == 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int await(pid_t child)
{
	uint64_t until = now_us() + RUN_BOUND * 1000ULL;
	int status;

	while ((status = ended(child)) < 0) {
		if (now_us() > until) {
			printf("# a run has taken more than %d ms\n", RUN_BOUND);
			wrong++;
			end(child);
			return 128 + SIGKILL;
		}
		usleep(200);
	}
	return status;
}

static void write_file(struct target *target, const char *directory, int number)
{
	char pid[16], inode[32];
	struct stat st;

	snprintf(target->name, sizeof(target->name), "%.40s/%d", directory, number);
	snprintf(pid, sizeof(pid), "%d", target->pid);
	if (!strcmp(mode, "record")) {
		const char *arguments[] = { "nskill", "--record", target->name, pid, NULL };

		if (await(run(arguments)) != 0) {
			printf("# cannot record\n");
			exit(1);
		}
		return;
	}
	if (!strcmp(mode, "inode")) {
		int fd = (int)syscall(SYS_pidfd_open, target->pid, 0);

		if (fd < 0 || fstat(fd, &st) < 0)
			die("reuse: pidfd");
		close(fd);
		snprintf(inode, sizeof(inode), "%llu", (unsigned long long)st.st_ino);
		snprintf(target->name, sizeof(target->name), "%s:%s", pid, inode);
		return;
	}
	if (!strcmp(mode, "number") || !strcmp(mode, "member")) {
		snprintf(target->name, sizeof(target->name), "%d", target->leader);
		return;
	}
	FILE *file = fopen(target->name, "we");
	if (!file)
		die(target->name);
	if (!strcmp(mode, "state"))
		fprintf(file, "{\"init_process_pid\":%s,\"init_process_start\":%llu}", pid,
			start_of(target->pid));
	else
		fprintf(file, "%s\n", pid);
	fclose(file);
}

/* Whether @child holds a pidfd on @pid. */
static int has_pinned(pid_t child, pid_t pid)
{
	char path[64], text[512], want[32];

	snprintf(want, sizeof(want), "\nPid:\t%d\n", pid);
	for (int fd = 3; fd < 12; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", child, fd);
		int info = open(path, O_RDONLY | O_CLOEXEC);
		if (info < 0)
			continue;
		ssize_t size = read(info, text, sizeof(text) - 1);
		close(info);
		text[size > 0 ? size : 0] = '\0';
		if (strstr(text, want))
			return 1;
	}
	return 0;
}

static int may_end_with(int status)
{
	return status == 0 || (status == 3 && !strcmp(mode, "pidfile"));
}

static void try(struct target *target)
{
	static double usual = 3000; /* us that a run takes */
	const char *arguments[8] = { "nskill", "-t", "15" };
	int count = 3, status = -1, fate;

	switch (chance(4)) {
	case 0:
		arguments[count++] = "-sTERM";
		break;
	case 1:
		arguments[count++] = "-mtree,mnt";
		break;
	}
	arguments[count] = target->name;
	uint64_t begin = now_us();
	pid_t child = run(arguments);

	if (!strcmp(mode, "number"))
		while ((status = ended(child)) < 0 && !has_pinned(child, target->pid))
			;
	uint64_t until = now_us() + chance((uint64_t)(usual * 1.6));
	if (!strcmp(mode, "number") && chance(3) == 0)
		until = 0;
	uint64_t over = now_us();
	while (status < 0 && over < until) {
		status = ended(child);
		over = now_us();
	}
	int was_over = status >= 0;
	if (was_over && status == 0 && strcmp(mode, "member") != 0 &&
	    waitpid(target->pid, NULL, WNOHANG) == 0) {
		printf("# %s: says that all is gone, but the target is alive\n", target->name);
		untrue++;
	}
	end(target->pid);
	pid_t stranger = start_stranger(target->pid);
	if (stranger < 0) {
		printf("# cannot take PID %d: %s\n", target->pid, strerror(errno));
		kept++;
	}
	if (!was_over)
		status = await(child);
	usual = usual * 0.9 + (double)((was_over ? over : now_us()) - begin) * 0.1;
	if (!may_end_with(status)) {
		printf("# %s: exit status %d\n", target->name, status);
		wrong++;
	}
	if (stranger > 0) {
		if (waitpid(stranger, &fate, WNOHANG | WUNTRACED | WCONTINUED) != 0) {
			printf("# %s: PID %d was signalled: wait status %#x; swapped %s the run\n",
			       target->name, stranger, fate, was_over ? "after" : "during");
			hit++;
		}
		*(was_over ? &after : &during) += 1;
		kill(stranger, SIGKILL); /* its child has it for its parent: see below */
	}
	target->pid = stranger;
}

/* Strangers' children have gone to us, a subreaper. */
static void end_children(void)
{
	pid_t child;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	for (;;) {
		FILE *children = fopen(path, "re");
		int found = 0;

		while (children && fscanf(children, "%d", &child) == 1) {
			kill(child, SIGKILL);
			found = 1;
		}
		if (children)
			fclose(children);
		if (!found)
			return;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	struct target pool[POOL];

	if (argc != 6) {
		fprintf(stderr, "usage: reuse MODE COUNT SEED DIRECTORY NSKILL\n");
		return 2;
	}
	mode = argv[1];
	seed = strtoull(argv[3], NULL, 10);
	nskill = argv[5];
	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int left = atoi(argv[2]); left > 0; left -= POOL) {
		int count = left < POOL ? left : POOL;

		for (int i = 0; i < count; i++) {
			int member = !strcmp(mode, "member");

			pool[i].pid = start_target(!member);
			pool[i].leader = pool[i].pid;
			if (member) {
				pool[i].leader = start_target(0);
				if (setpgid(pool[i].leader, pool[i].leader) < 0 ||
				    setpgid(pool[i].pid, pool[i].leader) < 0)
					die("reuse: setpgid");
			}
		}
		for (int i = 0; i < count; i++)
			write_file(&pool[i], argv[4], i);
		usleep(SETTLED_MS * 1000);
		for (int i = 0; i < count; i++)
			try(&pool[i]);
		end_children();
	}
	printf("%s: %llu swapped during a run, %llu after it, %llu not; %llu wrong; seed %s\n",
	       mode, during, after, kept, wrong + hit + untrue, argv[3]);
	printf("figures: runs=%llu processes=%llu strangers_hit=%llu false_gone=%llu\n",
	       during + after + kept, processes, hit, untrue);
	return wrong || hit || untrue || !during || !after || kept > during;
}
