// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * breed HOW[+leave] WHEN TRIES SEED MEGABYTES NSKILL - let NSKILL end, again and again, a target
 * that forks all the time and that nothing but descent ties to its children, and see whether any is
 * left
 *
 * HOW the target makes children, which stay, and with "+leave" leave its group and session at once:
 *
 *	fork     with fork(2)
 *	threads  from four threads, and not from the first
 *	vfork    with vfork(2), and they become another program
 *	hang     with vfork(2) from four threads, and they stay as they are: all those wait for ever
 *	tree     with fork(2), and so does each of them
 *	sibling  a child makes them, with clone(CLONE_PARENT)
 *	stopped  a child makes them, and the target has been stopped
 *	waking   with fork(2), and another child sends SIGCONT to the target all the time
 *	grace    none but one as soon as a child of its ends
 *
 * WHEN nskill is disturbed: "never"; "early", by a time of 0 to 20 ms; "INT" or "TERM", by that
 * signal, at a random moment or as soon as it has stopped so many.
 *
 * With MEGABYTES the target has as much memory, which takes a fork so long that nskill comes in the
 * middle of it. All hold the write end of a pipe: who reads its end knows that nobody is left.
 * Beside the target there is a bystander, its sibling of the same group, which nothing may befall.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST	  200	/* children of one target, for the sake of the machine */
#define ENOUGH	  3	/* and as many there are before nskill comes */
#define PERIOD_US 100	/* between two of them */
#define PATIENCE  15000 /* ms that nskill is given to do it */
#define SLACK	  1000	/* ms after its time is up; of a build that is slow: 8 times */

/* Of the target at hand, shared with all that it makes. */
struct shared {
	atomic_uint born;    /* children that there are or have been */
	atomic_uint forking; /* forks that have begun */
	atomic_ullong took;  /* us that the last one took */
};
static struct shared *shared;

static struct {
	uint64_t runs, processes, interrupted, late, told, strangers, untrue, stopped, wrong, took;
	int64_t overrun;
} figures;

static const char *how, *when, *program;
static char *self;
static int leave;
static size_t memory;
static uint64_t seed;
static pid_t bystander;
static int64_t slack = SLACK;

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return limit ? (seed >> 33) % limit : 0;
}

/* ---- the target and what it makes ---- */

static void stay(void)
{
	if (leave)
		setsid();
	for (;;)
		pause();
}

static int may_breed(void)
{
	if (atomic_load(&shared->born) >= MOST)
		return 0;
	atomic_fetch_add(&shared->forking, 1);
	return 1;
}

static void breed_on(void)
{
	while (may_breed()) {
		uint64_t begin = now_us();
		pid_t child = fork();

		if (child == 0)
			stay();
		atomic_store(&shared->took, now_us() - begin);
		if (child > 0)
			atomic_fetch_add(&shared->born, 1);
		usleep(PERIOD_US);
	}
	for (;;)
		pause();
}

static void *breed_in_thread(void *unused)
{
	breed_on();
	return unused;
}

/* Their stack is their own, but their memory is not: no more than calls to the kernel. */
static void *hang_in_thread(void *unused)
{
	while (may_breed()) {
		pid_t child = vfork();

		if (child == 0) {
			atomic_fetch_add(&shared->born, 1);
			if (leave)
				syscall(SYS_setsid);
			for (;;)
				syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
		}
	}
	return unused;
}

static void in_threads(void *(*begin)(void *))
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, begin, NULL))
			_exit(1);
	for (;;)
		pause();
}

static void breed_by_vfork(void)
{
	const char *stays[] = { self, "stay", leave ? "leave" : NULL, NULL };

	while (may_breed()) {
		pid_t child = vfork();

		if (child == 0) {
			execv(self, (char **)stays);
			_exit(127);
		}
		if (child > 0)
			atomic_fetch_add(&shared->born, 1);
		usleep(PERIOD_US);
	}
	for (;;)
		pause();
}

static void breed_tree(void)
{
	while (may_breed()) {
		if (fork() == 0) {
			atomic_fetch_add(&shared->born, 1);
			if (leave)
				setsid();
		}
		usleep(10 * PERIOD_US);
	}
	for (;;)
		pause();
}

static void breed_siblings(void)
{
	if (fork() > 0)
		stay();
	while (may_breed()) {
		long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);

		if (child == 0)
			stay();
		if (child > 0)
			atomic_fetch_add(&shared->born, 1);
		usleep(PERIOD_US);
	}
	for (;;)
		pause();
}

static void wake(pid_t whom)
{
	for (;;) {
		kill(whom, SIGCONT);
		usleep(PERIOD_US / 2);
	}
}

static void bear_one(int signal)
{
	(void)signal;
	if (may_breed() && fork() == 0)
		stay();
}

/* Who bears only as soon as a child has ended must not find time for it. */
static void breed_for_the_dead(void)
{
	signal(SIGCHLD, bear_one);
	for (int i = 0; i < ENOUGH + 7; i++) {
		if (fork() == 0)
			stay();
		atomic_fetch_add(&shared->born, 1);
	}
	for (;;)
		pause();
}

static void breed(void)
{
	prctl(PR_SET_NAME, "bred");
	if (!strcmp(how, "fork"))
		breed_on();
	if (!strcmp(how, "threads"))
		in_threads(breed_in_thread);
	if (!strcmp(how, "vfork"))
		breed_by_vfork();
	if (!strcmp(how, "hang"))
		in_threads(hang_in_thread);
	if (!strcmp(how, "tree"))
		breed_tree();
	if (!strcmp(how, "sibling"))
		breed_siblings();
	if (!strcmp(how, "grace"))
		breed_for_the_dead();
	if (fork() == 0) {
		if (!strcmp(how, "waking"))
			wake(getppid());
		breed_on();
	}
	if (!strcmp(how, "waking"))
		breed_on();
	raise(SIGSTOP); /* "stopped" */
	for (;;)
		pause();
}

/* ---- who watches ---- */

struct state {
	int alive, stopped;
};

/* Of one line of /proc/PID/stat. */
static void count_state(const char *name, struct state *state)
{
	char path[300], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	file = fopen(path, "re");
	if (file && fgets(line, sizeof(line), file)) {
		const char *end = strrchr(line, ')');

		state->alive += end && !strchr("ZX", end[2]);
		state->stopped += end && strchr("Tt", end[2]);
	}
	if (file)
		fclose(file);
}

/* Of all processes that there are: nobody but those of this test are in its PID namespace. */
static struct state look_around(void)
{
	struct state state = { 0 };
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		die("/proc");
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			count_state(entry->d_name, &state);
	closedir(proc);
	return state;
}

/* Whether the last that holds the pipe's write end ends within @ms. */
static int are_gone(int pipe, int ms)
{
	struct pollfd end = { .fd = pipe, .events = POLLIN };

	return poll(&end, 1, ms) == 1 && (end.revents & POLLHUP);
}

/* Those of the target that are left; they have come to us, a subreaper. */
static void end_children(void)
{
	char path[64];
	pid_t child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	FILE *children = fopen(path, "re");
	while (children && fscanf(children, "%d", &child) == 1)
		if (child != bystander)
			kill(child, SIGKILL);
	if (children)
		fclose(children);
}

static void reap(void)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid ||
		    info.si_pid == bystander)
			return;
		waitpid(info.si_pid, NULL, 0);
	}
}

static void clean_up(int pipe)
{
	for (int i = 0; i < 2000 && !are_gone(pipe, 5); i++) {
		end_children();
		reap();
	}
	end_children();
	reap();
	close(pipe);
}

static pid_t start_bystander(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	while (pid == 0)
		pause();
	return pid;
}

/* A guest of this group and session, or the leader of its own. */
static pid_t start_target(int leads, int *alive)
{
	int ends[2];
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	if (pipe2(ends, O_CLOEXEC) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		close(ends[0]);
		fcntl(ends[1], F_SETFD, 0);
		if (leads)
			setsid();
		breed();
	}
	close(ends[1]);
	*alive = ends[0];
	return pid;
}

/*
 * Until there are some, or, where one takes long, until it is in the middle of making one; rather
 * near the end than at the beginning, so that the child comes when nskill has looked already.
 */
static void await_children(void)
{
	uint64_t begin = now_us(), took, begun;

	while (atomic_load(&shared->born) < (memory ? 1 : ENOUGH)) {
		if (now_us() - begin > 10000000) {
			printf("# %s: the target has no children\n", how);
			exit(1);
		}
		usleep(50);
	}
	took = 1000;
	if (memory) {
		took = atomic_load(&shared->took);
		begun = atomic_load(&shared->forking);
		while (atomic_load(&shared->forking) == begun && now_us() - begin < 10000000)
			usleep(50);
		figures.took += took;
		if (below(3) > 0 && took > 8000) {
			usleep((useconds_t)(took - 8000));
			took = 8000;
		}
	}
	usleep((useconds_t)below(took));
}

struct run {
	pid_t pid;
	int said; /* the read end of what it says */
	int timeout;
	int status;
	int64_t overrun; /* ms */
	int is_interrupted;
};

static void start(struct run *run, pid_t target, int leads)
{
	char name[16], time[16];
	const char *arguments[] = { "nskill", "-v", "-t", time, name, NULL, NULL };
	int ends[2];

	arguments[5] = leads ? "-mtree" : NULL;
	run->timeout = strcmp(when, "early") ? PATIENCE : (int)below(20);
	snprintf(time, sizeof(time), "%dms", run->timeout);
	snprintf(name, sizeof(name), "%d", target);
	if (pipe2(ends, O_CLOEXEC) < 0)
		die("pipe");
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	run->pid = vfork(); /* our memory takes long */
	if (run->pid < 0)
		die("vfork");
	if (run->pid == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execv(program, (char **)arguments);
		_exit(127);
	}
	close(ends[1]);
	run->said = ends[0];
}

/* As soon as it has said that it has stopped so many, or after some time. */
static void interrupt(struct run *run)
{
	uint64_t until = now_us() + below(below(2) ? 3000 : 30000), stops = 1 + below(20);
	char line[4096];
	struct pollfd says = { .fd = run->said, .events = POLLIN };
	ssize_t size;

	if (below(2)) {
		usleep((useconds_t)(until - now_us()));
	} else {
		while (stops > 0 && poll(&says, 1, PATIENCE) == 1) {
			size = read(run->said, line, sizeof(line) - 1);
			if (size <= 0)
				break;
			line[size] = '\0';
			for (char *at = line; stops && (at = strstr(at, "nskill: stopped")); at++)
				stops--;
		}
	}
	run->is_interrupted = 1;
	kill(run->pid, !strcmp(when, "INT") ? SIGINT : SIGTERM);
}

static void finish(struct run *run)
{
	struct timespec moment = { .tv_nsec = 200000 };
	uint64_t begin = now_us();
	int status;

	if (!strcmp(when, "INT") || !strcmp(when, "TERM"))
		interrupt(run);
	while (waitpid(run->pid, &status, WNOHANG) == 0) {
		if (now_us() - begin > 3000 * (uint64_t)PATIENCE) {
			printf("# %s: nskill does not end\n", how);
			kill(run->pid, SIGKILL);
		}
		nanosleep(&moment, NULL);
	}
	run->overrun = (int64_t)(now_us() - begin) / 1000 - run->timeout;
	run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void show(int said)
{
	char line[8192];
	ssize_t size;

	while ((size = read(said, line, sizeof(line))) > 0)
		fwrite(line, 1, (size_t)size, stdout);
}

static void wrong(uint64_t *count, const struct run *run, const char *what)
{
	++*count;
	printf("# %s%s, run %llu: %s; exit status %d\n", how, leave ? "+leave" : "",
	       (unsigned long long)figures.runs, what, run->status);
}

static int may_end_with(const struct run *run)
{
	if (run->is_interrupted && run->status == 128 + (strcmp(when, "INT") ? SIGTERM : SIGINT))
		return 1;
	return run->status == 0 || (!strcmp(when, "early") && run->status == 124);
}

/* Who was stopped has been killed, and ends at once. */
static int is_anybody_stopped(void)
{
	for (int i = 0; i < 400; i++) {
		if (look_around().stopped == 0)
			return 0;
		usleep(5000);
	}
	return 1;
}

static void judge(struct run *run, int alive)
{
	uint64_t bad = figures.strangers + figures.untrue + figures.stopped + figures.wrong;
	int fate;

	if (run->status == 0 && !are_gone(alive, 0))
		wrong(&figures.untrue, run, "somebody is left");
	if (!may_end_with(run))
		wrong(&figures.wrong, run, "no such status");
	if (waitpid(bystander, &fate, WNOHANG | WUNTRACED | WCONTINUED) != 0)
		wrong(&figures.strangers, run, "the bystander was signalled");
	if ((strcmp(how, "stopped") || run->status == 0) && is_anybody_stopped())
		wrong(&figures.stopped, run, "somebody is stopped");
	if (run->overrun > slack)
		wrong(&figures.wrong, run, "too late");
	if (run->overrun > figures.overrun)
		figures.overrun = run->overrun;
	figures.interrupted += run->is_interrupted && run->status > 128;
	figures.late += run->status == 124;
	if (figures.strangers + figures.untrue + figures.stopped + figures.wrong > bad)
		show(run->said);
}

static void try(void)
{
	struct run run = { 0 };
	int leads = below(2) == 0, alive;
	pid_t target = start_target(leads, &alive);

	await_children();
	start(&run, target, leads);
	finish(&run);
	figures.processes += 1 + atomic_load(&shared->born);
	judge(&run, alive);
	figures.runs++;
	close(run.said);
	clean_up(alive);
}

static void read_how(char *word)
{
	how = word;
	leave = strstr(word, "+leave") != NULL;
	word[strcspn(word, "+")] = '\0';
}

static void take_memory(size_t size)
{
	void *touched =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (touched == MAP_FAILED)
		die("mmap");
	madvise(touched, size, MADV_NOHUGEPAGE);
	memset(touched, 1, size);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "stay")) {
		leave = argc > 2;
		stay();
	}
	if (argc != 7) {
		fprintf(stderr, "usage: breed HOW[+leave] WHEN TRIES SEED MEGABYTES NSKILL\n");
		return 2;
	}
	read_how(argv[1]);
	when = argv[2];
	seed = strtoull(argv[4], NULL, 10);
	memory = strtoull(argv[5], NULL, 10) << 20;
	program = argv[6];
	if (getenv("SANITIZED") && *getenv("SANITIZED"))
		slack *= 8;
	self = realpath("/proc/self/exe", NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (!self || shared == MAP_FAILED)
		die("breed");
	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bystander = start_bystander();
	if (memory)
		take_memory(memory);
	for (int left = atoi(argv[3]); left > 0; left--)
		try();
	kill(bystander, SIGKILL);
	printf("%s%s, disturbed %s: %llu runs, %llu interrupted, %llu out of time\n", how,
	       leave ? "+leave" : "", when, (unsigned long long)figures.runs,
	       (unsigned long long)figures.interrupted, (unsigned long long)figures.late);
	if (memory)
		printf("a fork took %llu ms\n",
		       (unsigned long long)(figures.took / figures.runs / 1000));
	printf("figures: runs=%llu processes=%llu strangers_hit=%llu false_gone=%llu "
	       "left_stopped=%llu overrun_ms=%lld\n",
	       (unsigned long long)figures.runs, (unsigned long long)figures.processes,
	       (unsigned long long)figures.strangers, (unsigned long long)figures.untrue,
	       (unsigned long long)figures.stopped,
	       (long long)(figures.overrun > 0 ? figures.overrun : 0));
	return figures.strangers + figures.untrue + figures.stopped + figures.wrong > 0;
}
