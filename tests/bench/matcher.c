// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * matcher SHAPE NUMBER - grow a claim once, on a made-up snapshot of NUMBER processes
 *
 *	small  groups of two in sessions of ten; each twentieth session is in a mount namespace of
 *	       its own; the target leads one that has a fifth of all sessions below it
 *	one    all in one group, session and mount namespace, which are the target's
 *	chain  each is the child of the one before, in a group and session of its own
 *
 * What counts is the instructions of claim_grow() alone; see bench.sh.
 */
#include "config.h"

#include "core/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST	1000
#define OWN	1001
#define SHELL	2
#define SELF	3
#define TARGET	4
#define SESSION 10
#define GROUP	2

static struct snapshot snapshot;

static struct process *put(pid_t ppid, pid_t pgrp, pid_t session, uint64_t mntns)
{
	struct process *process = &snapshot.processes[snapshot.count++];
	pid_t pid = (pid_t)snapshot.count;

	*process = (struct process){
		.pid = pid,
		.tgid = pid,
		.ppid = ppid,
		.pgrp = pgrp ? pgrp : pid,
		.session = session ? session : pid,
		.threads = 1,
		.state = 'S',
		.start_ticks = 1000 + (uint64_t)pid,
		.mntns = mntns,
	};
	return process;
}

static void put_namespace(uint64_t id)
{
	snapshot.namespaces[snapshot.namespace_count++] = (struct namespace){
		.id = id,
		.unique = id,
		.kind = SCOPE_MNT,
		.first = id == HOST,
		.nested = id != HOST,
		.ours = true,
	};
}

/* PID 1, the shell, nskill. */
static void put_host(void)
{
	put_namespace(HOST);
	put(0, 0, 0, HOST);
	put(1, SHELL, SHELL, HOST);
	put(SHELL, SELF, SHELL, HOST);
}

static void put_small(size_t number)
{
	uint64_t next = OWN + 1, mntns;

	put_namespace(OWN);
	put(1, 0, 0, OWN);
	for (size_t session = 0; snapshot.count < number; session++) {
		bool own = session % 5 == 0, sandbox = session % 20 == 1;
		pid_t leader = (pid_t)snapshot.count + 1, group = 0;

		mntns = own ? OWN : sandbox ? next++ : HOST;
		if (sandbox)
			put_namespace(mntns);
		for (int i = 0; i < SESSION && snapshot.count < number; i++) {
			if (i % GROUP == 0)
				group = (pid_t)snapshot.count + 1;
			put(i ? leader : own ? TARGET : 1, group, leader, mntns);
		}
	}
}

static void put_one(size_t number)
{
	put_namespace(OWN);
	while (snapshot.count < number)
		put(snapshot.count < TARGET ? 1 : TARGET, TARGET, TARGET, OWN);
}

static void put_chain(size_t number)
{
	while (snapshot.count < number + TARGET - 1)
		put((pid_t)snapshot.count, 0, 0, HOST);
	snapshot.processes[TARGET - 1].ppid = 1;
}

static int match(void)
{
	const struct rules rules = { .kinds = SCOPE_DEFAULT };
	struct guards guards = { 0 };
	struct claim claim = { 0 };
	int rc = guards_read(&guards, &snapshot, SELF);

	if (!rc)
		rc = claim_init(&claim, &snapshot.processes[TARGET - 1], false);
	if (!rc)
		rc = claim_grow(&claim, &snapshot, &guards, &rules);
	printf("%zu of %zu\n", claim.member_count, snapshot.count);
	claim_clear(&claim);
	guards_clear(&guards);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	size_t number = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	int rc;

	if (number < SESSION) {
		fprintf(stderr, "usage: matcher small|one|chain NUMBER\n");
		return 2;
	}
	snapshot.processes = calloc(number + SESSION, sizeof(*snapshot.processes));
	snapshot.namespaces = calloc(number, sizeof(*snapshot.namespaces));
	if (!snapshot.processes || !snapshot.namespaces)
		return 1;
	put_host();
	if (strcmp(argv[1], "small") == 0)
		put_small(number);
	else if (strcmp(argv[1], "one") == 0)
		put_one(number);
	else
		put_chain(number);
	rc = match();
	snapshot_clear(&snapshot);
	return rc;
}
