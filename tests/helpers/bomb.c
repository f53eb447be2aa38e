// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bomb star|ring KEEPS NUMBER FILE - NUMBER processes that are forked again when they die
 *
 * In a star the first process does that for all. In a ring each has one to look after, too, and the
 * last one the first: who is left brings all the others back, and never more than NUMBER. KEEPS is
 * what a child keeps of its parent, as of `hop`. The first 8 bytes of FILE move as long as any of
 * them lives and runs.
 */
#define _GNU_SOURCE
#include "keeps.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BEAT 250 /* ms */

static struct tally *tally;
static struct keeps keeps;
static _Atomic pid_t *slots; /* who is there; negative: who is just forking that one */
static int slot_count;

static bool is_dead(pid_t pid)
{
	return pid == 0 || (kill(pid, 0) < 0);
}

static void beat_for_ever(void)
{
	for (;;) {
		tally->beats++;
		usleep(BEAT * 1000);
	}
}

static void star(void)
{
	for (int living = 0;;) {
		while (living < slot_count) {
			pid_t child = fork();

			if (child == 0) {
				keeps_leave(&keeps);
				beat_for_ever();
			}
			if (child < 0)
				break;
			living++;
		}
		if (wait(NULL) > 0)
			living--;
	}
}

/* Fork the one of that slot, unless somebody else does. Whether this is it. */
static bool refill(int slot, pid_t was)
{
	pid_t child;

	if (!atomic_compare_exchange_strong(&slots[slot], &was, -getpid()))
		return false;
	child = fork();
	if (child == 0) {
		slots[slot] = getpid();
		keeps_leave(&keeps);
		return true;
	}
	if (child < 0)
		slots[slot] = 0;
	return false;
}

/* Until that one dies, or it is time to give a sign of life. */
static void watch(pid_t pid, int *watching)
{
	struct pollfd end = { .fd = *watching, .events = POLLIN };

	if (*watching < 0)
		end.fd = *watching = (int)syscall(SYS_pidfd_open, pid, 0);
	if (poll(&end, 1, *watching < 0 ? 1 : BEAT) > 0) {
		close(*watching);
		*watching = -1;
	}
}

/* The processes of a ring reap nobody: the kernel does. */
static void ring(void)
{
	int next = 0, watching = -1;

	for (;;) {
		pid_t pid = slots[next];

		tally->beats++;
		if (pid > 0 && !is_dead(pid)) {
			watch(pid, &watching);
		} else if (pid < 0 && !is_dead(-pid)) {
			usleep(1000);
		} else if (refill(next, pid)) {
			if (watching >= 0)
				close(watching);
			watching = -1;
			next = (next + 1) % slot_count;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 5 || atoi(argv[3]) < 1) {
		fprintf(stderr, "usage: bomb star|ring group|session|mnt[+unshare] NUMBER FILE\n");
		return 2;
	}
	keeps = keeps_parse(argv[2]);
	slot_count = atoi(argv[3]);
	tally = tally_open(argv[4]);
	if (!strcmp(argv[1], "star"))
		star();
	slots = mmap(NULL, sizeof(*slots) * (size_t)slot_count, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED) {
		perror("bomb: mmap");
		return 125;
	}
	signal(SIGCHLD, SIG_IGN);
	ring();
}
