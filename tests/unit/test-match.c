/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule of what belongs, on snapshots made by hand. */
#include "config.h"

#include "kinds.h"

#include "core/match.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, tear_down, NULL                                        \
	}

#define SHELL	    40 /* leads its own group and session; nskill's parent */
#define NSKILL	    50
#define HOST	    UINT64_C(600) /* the host's namespace, of the kind that is tested */
#define HOST_MNT    UINT64_C(601) /* of another kind: all are in this mount namespace, too */
#define CONTAINER   UINT64_C(501)
#define SANDBOX	    UINT64_C(502)
#define UNKNOWN	    (-1)
#define ANYBODY	    (-1)
#define UNKNOWN_MNT UINT64_MAX

/* What `.mntns` says of a process, and what is asserted of SCOPE_MNT, is of world.kind. */
static struct {
	enum scope_kind kind;
	struct process processes[64];
	size_t count;
	struct namespace namespaces[16];
	size_t namespace_count;
	uint64_t next_start;
	struct rules rules;
	struct guards guards;
	struct claim claim;
} world;

static struct process *at(pid_t pid)
{
	for (size_t i = 0; i < world.count; i++)
		if (world.processes[i].pid == pid)
			return &world.processes[i];
	return NULL;
}

static struct namespace *namespace_of(uint64_t id)
{
	struct namespace *namespace;

	for (size_t i = 0; i < world.namespace_count; i++)
		if (world.namespaces[i].id == id)
			return &world.namespaces[i];
	namespace = &world.namespaces[world.namespace_count++];
	*namespace = (struct namespace){
		.id = id,
		.kind = world.kind,
		.first = id == HOST,
		.nested = id != HOST,
		.ours = true,
	};
	return namespace;
}

/* A small machine's cgroups; PID 1, the shell and nskill are in the root. */
static const struct cgroup cgroup_root = { .id = 1, .path = "/" };
static const struct cgroup cgroup_job = { .id = 57, .parent = &cgroup_root, .path = "/job" };
static const struct cgroup cgroup_part = { .id = 58, .parent = &cgroup_job, .path = "/job/part" };
static const struct cgroup cgroup_deep = { .id = 59,
					   .parent = &cgroup_part,
					   .path = "/job/part/x" };
static const struct cgroup cgroup_jobs = { .id = 60, .parent = &cgroup_root, .path = "/jobs" };

/*
 * Add a process. What is left 0 is: a child of PID 1, in its parent's group, session and mount
 * namespace, asleep, with one thread, and younger than whoever was added before.
 */
#define P(...) put(&(struct process){ __VA_ARGS__ })
static void put(const struct process *process)
{
	struct process *p = &world.processes[world.count++];
	const struct process *parent;

	*p = *process;
	p->ppid = p->ppid ? p->ppid : 1;
	parent = at(p->ppid);
	p->tgid = p->pid;
	p->threads = p->threads ? p->threads : 1;
	p->state = p->state ? p->state : 'S';
	p->start_ticks = p->start_ticks ? p->start_ticks : world.next_start;
	if (world.next_start <= p->start_ticks)
		world.next_start = p->start_ticks + 1;
	p->pgrp = p->pgrp == UNKNOWN ? 0 : p->pgrp ? p->pgrp : parent ? parent->pgrp : 0;
	p->session = p->session == UNKNOWN ? 0
		     : p->session	   ? p->session
		     : parent		   ? parent->session
					   : 0;
	p->mntns = p->mntns == UNKNOWN_MNT ? 0 : p->mntns ? p->mntns : parent ? parent->mntns : 0;
	if (p->mntns)
		namespace_of(p->mntns);
}

static void gone(pid_t pid)
{
	*at(pid) = world.processes[world.count - 1];
	world.count--;
}

static int set_up(void **state)
{
	memset(&world, 0, sizeof(world));
	world.kind = tested_kind(state);
	world.next_start = 1000;
	world.rules.kinds = SCOPE_DEFAULT | SCOPE_BIT(world.kind);
	P(.pid = 1, .pgrp = 1, .session = 1, .mntns = UNKNOWN_MNT, .start_ticks = 1);
	P(.pid = 2, .pgrp = UNKNOWN, .session = UNKNOWN, .mntns = HOST, .kernel_thread = true,
	  .start_ticks = 1);
	P(.pid = SHELL, .pgrp = SHELL, .session = SHELL, .mntns = HOST);
	P(.pid = NSKILL, .ppid = SHELL, .pgrp = NSKILL);
	world.namespaces[world.namespace_count++] = (struct namespace){
		.id = HOST_MNT, .kind = SCOPE_MNT, .first = true, .ours = true
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	claim_clear(&world.claim);
	guards_clear(&world.guards);
	return 0;
}

/* The same, each in a group and a session of its own: what ties it is its cgroup. */
#define IN(where, ...) put_in(where, &(struct process){ __VA_ARGS__ })
static void put_in(const struct cgroup *cgroup, struct process *process)
{
	process->cgroup = cgroup;
	process->pgrp = process->pgrp ? process->pgrp : process->pid;
	process->session = process->session ? process->session : process->pid;
	put(process);
}

/* Everybody who is there is in the root cgroup, and the kind is asked for. */
static void with_cgroups(void)
{
	world.rules.kinds |= SCOPE_BIT(SCOPE_CGROUP);
	for (size_t i = 0; i < world.count; i++)
		world.processes[i].cgroup = &cgroup_root;
}

/* As it is read: its namespace in the place of the kind that is tested. */
static struct process reading(const struct process *process)
{
	struct process read = *process;

	if (world.kind == SCOPE_MNT)
		return read;
	read.namespaces[world.kind - SCOPE_MNT] = read.mntns;
	read.mntns = process_alive(process) ? HOST_MNT : 0;
	return read;
}

/* The claim of a target that is alive. */
static void target(pid_t pid)
{
	const struct process read = reading(at(pid));

	assert_int_equal(claim_init(&world.claim, &read, false), 0);
}

static void dead_target(const struct process *process)
{
	const struct process read = reading(process);

	assert_int_equal(claim_init(&world.claim, &read, true), 0);
}

/* The claim of one that has been reaped: its PID and its birth are all there is. */
static void gone_target(pid_t pid, uint64_t birth)
{
	dead_target(&(struct process){ .pid = pid, .state = 'X', .start_ticks = birth });
}

/* One look at the world as it is now. */
static void grow(void)
{
	struct snapshot snapshot = { 0 };
	struct process processes[64];
	struct namespace namespaces[16];

	for (size_t i = 0; i < world.count; i++)
		processes[i] = reading(&world.processes[i]);
	memcpy(namespaces, world.namespaces, sizeof(namespaces));
	snapshot.processes = processes;
	snapshot.count = world.count;
	snapshot.namespaces = namespaces;
	snapshot.namespace_count = world.namespace_count;
	snapshot_sort(&snapshot);
	guards_clear(&world.guards);
	assert_int_equal(guards_read(&world.guards, &snapshot, NSKILL), 0);
	assert_int_equal(claim_grow(&world.claim, &snapshot, &world.guards, &world.rules), 0);
}

/* The living members, in order of PID: "100 101". */
static const char *members(void)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (pid_t pid = 0; pid < 1000; pid++) {
		const struct member *member = claim_member(&world.claim, pid);

		if (member && !member->dead && !member->recycled && process_alive(&member->process))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d",
						 used ? " " : "", pid);
	}
	return text;
}

/* What is claimed of the target @pid, alive, by one look. */
static const char *claimed_by(pid_t pid)
{
	target(pid);
	grow();
	return members();
}

static const char *claimed_by_gone(pid_t pid, uint64_t birth)
{
	gone_target(pid, birth);
	grow();
	return members();
}

static void assert_why(pid_t pid, enum scope_kind kind, uint64_t id)
{
	const struct member *member = claim_member(&world.claim, pid);

	assert_non_null(member);
	assert_int_equal(member->why.kind, kind);
	assert_int_equal(member->why.id, id);
}

static const struct spared *spared(enum scope_kind kind, uint64_t id)
{
	for (size_t i = 0; i < world.claim.spared_count; i++)
		if (world.claim.spared[i].scope.kind == kind &&
		    world.claim.spared[i].scope.id == id)
			return &world.claim.spared[i];
	return NULL;
}

static void assert_spared(enum scope_kind kind, uint64_t id, enum spared_reason reason, pid_t who)
{
	const struct spared *found = spared(kind, id);

	assert_non_null(found);
	assert_int_equal(found->reason, reason);
	if (who != ANYBODY)
		assert_int_equal(found->who.pid, who);
}

/* A container that is left alive is said even without --verbose; of other kinds that is no news. */
static void assert_notable_of_mnt_alone(uint64_t id)
{
	assert_int_equal(spared(world.kind, id)->notable, world.kind == SCOPE_MNT);
}

/* Descent. */

static void test_descent(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	P(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102);
	P(.pid = 103, .ppid = SHELL);
	assert_string_equal(claimed_by(100), "100 101 102");
	assert_why(100, SCOPE_PGRP, 0);
	assert_why(101, SCOPE_TREE, 100);
	assert_why(102, SCOPE_TREE, 101);
}

static void test_descent_unasked(void **state)
{
	(void)state;
	world.rules.kinds &= ~SCOPE_BIT(SCOPE_TREE);
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	P(.pid = 102, .ppid = 100);
	assert_string_equal(claimed_by(100), "100 102");
}

static void test_adopted(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .pgrp = 101, .session = 101);
	assert_string_equal(claimed_by(100), "100");
}

/* Groups and sessions. */

static void test_group(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .pgrp = 100, .session = SHELL);
	P(.pid = 102, .pgrp = 102, .session = SHELL);
	assert_string_equal(claimed_by(100), "100 101");
	assert_why(101, SCOPE_PGRP, 100);
	assert_spared(SCOPE_SESSION, SHELL, SPARED_GUARD, SHELL);
}

static void test_session(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100);
	P(.pid = 101, .pgrp = 101, .session = 100);
	P(.pid = 102, .pgrp = 102, .session = 102);
	assert_string_equal(claimed_by(100), "100 101");
	assert_why(101, SCOPE_SESSION, 100);
}

static void test_gone_leader(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 100);
	P(.pid = 102, .pgrp = 102, .session = 100);
	P(.pid = 103, .pgrp = 103, .session = 103);
	assert_string_equal(claimed_by_gone(100, 900), "101 102");
}

static void test_zombie_leader(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .state = 'Z');
	P(.pid = 101, .pgrp = 100, .session = 100);
	P(.pid = 102, .pgrp = 102, .session = 102);
	dead_target(at(100));
	grow();
	assert_string_equal(members(), "101");
}

static void test_zombie_with_threads(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .state = 'Z', .threads = 2);
	P(.pid = 101, .pgrp = 100, .session = 100);
	assert_string_equal(claimed_by(100), "100 101");
}

static void test_member_leads(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .state = 'Z');
	P(.pid = 102, .pgrp = 101, .session = 102);
	P(.pid = 103, .pgrp = 103, .session = 101);
	P(.pid = 104, .pgrp = 104, .session = 104);
	assert_string_equal(claimed_by(100), "100 102 103");
	assert_why(102, SCOPE_PGRP, 101);
	assert_why(103, SCOPE_SESSION, 101);
}

static void test_led_by_stranger(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 100, .ppid = 60);
	P(.pid = 101, .ppid = 60);
	P(.pid = 102, .ppid = 100);
	assert_string_equal(claimed_by(100), "100 102");
	assert_spared(SCOPE_PGRP, 60, SPARED_LEADER, 60);
	assert_spared(SCOPE_SESSION, 60, SPARED_LEADER, 60);
	assert_true(spared(SCOPE_PGRP, 60)->own);
	assert_true(spared(SCOPE_SESSION, 60)->own);
}

static void test_leader_gone(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 70, .session = 71);
	P(.pid = 101, .pgrp = 70, .session = 71);
	P(.pid = 71, .pgrp = 71, .session = 71, .state = 'Z');
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_PGRP, 70, SPARED_LEADER_GONE, 0);
	assert_spared(SCOPE_SESSION, 71, SPARED_LEADER_GONE, 71);
}

static void test_childs_scope_is_not_own(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .ppid = 100, .pgrp = 60, .session = 60);
	assert_string_equal(claimed_by(100), "100 101");
	assert_spared(SCOPE_PGRP, 60, SPARED_LEADER, 60);
	assert_false(spared(SCOPE_PGRP, 60)->own);
}

/* Namespaces: the age rule. */

/* A target in a container that it has founded, and somebody there without any other tie. */
static void container(uint64_t target_start, const struct process *other)
{
	P(.pid = 100, .ppid = SHELL, .mntns = CONTAINER, .start_ticks = target_start, .inode = 50);
	put(&(struct process){ .pid = other->pid,
			       .ppid = other->ppid,
			       .pgrp = other->pid,
			       .session = other->pid,
			       .mntns = CONTAINER,
			       .start_ticks = other->start_ticks,
			       .inode = other->inode,
			       .state = other->state,
			       .threads = other->threads,
			       .kernel_thread = other->kernel_thread });
}

#define STRANGER(...) (&(struct process){ .pid = 200, __VA_ARGS__ })

static void test_founded(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = HOST);
	P(.pid = 202, .pgrp = 202, .session = 202, .mntns = SANDBOX);
	assert_string_equal(claimed_by(100), "100 200");
	assert_why(200, world.kind, CONTAINER);
	assert_null(spared(world.kind, CONTAINER));
}

static void test_guest(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999));
	P(.pid = 101, .ppid = 100, .pgrp = 101);
	assert_string_equal(claimed_by(100), "100 101");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 200);
	assert_true(spared(world.kind, CONTAINER)->own);
	assert_notable_of_mnt_alone(CONTAINER);
}

static void test_one_older_is_enough(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 199, .pgrp = 199, .session = 199, .mntns = CONTAINER, .start_ticks = 1000);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 199);
}

static void test_older_zombie(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999, .state = 'Z'));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	at(201)->start_ticks = 2001;
	assert_string_equal(claimed_by(100), "100 201");
}

static void test_older_zombie_with_threads(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999, .state = 'Z', .threads = 2));
	assert_string_equal(claimed_by(100), "100");
}

static void test_older_kernel_thread(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999, .kernel_thread = true));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER, .start_ticks = 2001);
	assert_string_equal(claimed_by(100), "100 201");
}

static void test_zombie_member(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 101, .pgrp = 100, .mntns = CONTAINER, .start_ticks = 1900, .state = 'Z');
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER, .start_ticks = 1950);
	assert_string_equal(claimed_by(100), "100");
}

static void test_tie_with_parent(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 100, .ppid = 60, .pgrp = 100, .start_ticks = 2000);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 60);
}

static void test_tie_with_grandparent(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 61, .ppid = 60, .mntns = SANDBOX, .start_ticks = 2000);
	P(.pid = 100, .ppid = 61, .pgrp = 100, .mntns = CONTAINER, .start_ticks = 2000);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 60);
}

/* Its parent has ended since it was read, and a subreaper has taken it up. */
static void test_tie_with_new_parent(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 100, .ppid = 61, .pgrp = 100, .mntns = CONTAINER, .start_ticks = 2000);
	target(100);
	at(100)->ppid = 60;
	grow();
	assert_string_equal(members(), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 60);
}

static void test_tie_with_parent_of_higher_inode(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = CONTAINER, .start_ticks = 2000,
	  .inode = 9);
	P(.pid = 100, .ppid = 60, .pgrp = 100, .start_ticks = 2000, .inode = 5);
	assert_string_equal(claimed_by(100), "100");
}

static void test_tie_with_child(void **state)
{
	(void)state;
	world.rules.kinds = SCOPE_BIT(world.kind);
	container(2000, STRANGER(.ppid = 100, .start_ticks = 2000, .inode = 3));
	assert_string_equal(claimed_by(100), "100 200");
}

static void test_tie_with_grandchild(void **state)
{
	(void)state;
	world.rules.kinds = SCOPE_BIT(world.kind);
	P(.pid = 100, .ppid = SHELL, .mntns = CONTAINER, .start_ticks = 2000, .inode = 50);
	P(.pid = 101, .ppid = 100, .mntns = SANDBOX, .start_ticks = 2000, .inode = 51);
	P(.pid = 102, .ppid = 101, .mntns = CONTAINER, .start_ticks = 2000, .inode = 3);
	assert_string_equal(claimed_by(100), "100 102");
}

static void test_tie_lower_inode(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2000, .inode = 49));
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 200);
}

static void test_tie_higher_inode(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2000, .inode = 51));
	assert_string_equal(claimed_by(100), "100 200");
}

static void test_tie_without_inodes(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2000));
	assert_string_equal(claimed_by(100), "100 200");
}

static void test_tie_while_parents_changed(void **state)
{
	(void)state;
	/* A look takes time, in which numbers change hands. An endless loop ends by the alarm. */
	alarm(10);
	container(2000, STRANGER(.ppid = 201, .start_ticks = 2000));
	P(.pid = 201, .ppid = 200, .mntns = CONTAINER, .start_ticks = 2000);
	assert_string_equal(claimed_by(100), "100 200 201");
	alarm(0);
}

static void test_older_member(void **state)
{
	(void)state;
	/* Older than the target, but a member itself: then its age is what counts. */
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER, .start_ticks = 1900);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER, .start_ticks = 1950);
	assert_string_equal(claimed_by(100), "100 101 200");
}

/* Namespaces of a dead target. */

static void test_dead_with_stand_in(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	P(.pid = 103, .pgrp = 103, .session = 103, .mntns = SANDBOX);
	assert_string_equal(claimed_by_gone(100, 1002), "101 102");
	assert_why(102, world.kind, CONTAINER);
}

static void test_dead_with_stand_in_of_session(void **state)
{
	(void)state;
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER, .start_ticks = 2050);
	P(.pid = 101, .pgrp = 101, .session = 100, .mntns = CONTAINER, .start_ticks = 2100);
	assert_string_equal(claimed_by_gone(100, 2000), "101 102");
}

static void test_stranger_is_no_stand_in(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	P(.pid = 101, .ppid = 100);
	assert_string_equal(claimed_by_gone(100, 900), "");
}

static void test_zombie_with_stand_in(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = UNKNOWN_MNT, .state = 'Z');
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	dead_target(at(100));
	grow();
	assert_string_equal(members(), "101 102");
}

static void test_dead_guest(void **state)
{
	(void)state;
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER, .start_ticks = 1999);
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER, .start_ticks = 2100);
	assert_string_equal(claimed_by_gone(100, 2000), "101");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 200);
	assert_true(spared(world.kind, CONTAINER)->own);
}

static void test_dead_stand_in_is_not_the_founder(void **state)
{
	(void)state;
	/* The namespace is older than the stand-in, but younger than the target. */
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER, .start_ticks = 2050);
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER, .start_ticks = 2100);
	assert_string_equal(claimed_by_gone(100, 2000), "101 200");
}

/* It was seen alive, and was in none of these: what a stand-in has joined since is another's. */
static void test_dead_since(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = HOST, .state = 'Z');
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER);
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	at(100)->mntns = 0;
	dead_target(at(100));
	world.claim.outlived = true;
	grow();
	assert_string_equal(members(), "101");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 200);
}

static void test_dead_two_candidates(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	P(.pid = 103, .pgrp = 103, .session = 100, .mntns = SANDBOX);
	P(.pid = 104, .pgrp = 104, .session = 104, .mntns = SANDBOX);
	assert_string_equal(claimed_by_gone(100, 1002), "101 102 103 104");
}

static void test_dead_candidate_with_init(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER, .pidns_init = true);
	assert_string_equal(claimed_by_gone(100, 1002), "101");
	assert_spared(world.kind, CONTAINER, SPARED_PIDNS_INIT, 102);
}

static void test_init_of_live_target(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL, .mntns = CONTAINER, .pidns_init = true);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = CONTAINER);
	assert_string_equal(claimed_by(100), "100 200");
}

static void test_dead_on_host(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = HOST);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = HOST);
	P(.pid = 103, .pgrp = 103, .session = 100, .mntns = CONTAINER);
	P(.pid = 104, .pgrp = 104, .session = 104, .mntns = CONTAINER);
	assert_string_equal(claimed_by_gone(100, 1), "101 103 104");
	assert_spared(world.kind, HOST, SPARED_INITIAL, ANYBODY);
}

static void test_dead_childs_sandbox(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = HOST);
	P(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	P(.pid = 103, .pgrp = 103, .session = 103, .mntns = SANDBOX);
	assert_string_equal(claimed_by_gone(100, 1002), "101 102");
	assert_spared(world.kind, SANDBOX, SPARED_OUTER, 0);
}

static void test_dead_zombie_stand_in(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER, .state = 'Z');
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	assert_string_equal(claimed_by_gone(100, 1002), "");
}

/* Sandboxes inside. */

static void test_sandbox(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 101, .ppid = 100, .mntns = SANDBOX, .start_ticks = 2002);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 2003);
	assert_string_equal(claimed_by(100), "100 101 200 201");
	assert_why(201, world.kind, SANDBOX);
}

static void test_sandbox_waits(void **state)
{
	(void)state;
	/* The target's own falls through 102 only, who is looked at after 101. */
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER, .start_ticks = 2000);
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = SANDBOX, .start_ticks = 2001);
	P(.pid = 102, .pgrp = 102, .session = 100, .mntns = CONTAINER, .start_ticks = 1900);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 2003);
	assert_string_equal(claimed_by(100), "100 101 102 201");
}

static void test_sandbox_in_sandbox(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 201, .ppid = 200, .pgrp = 201, .session = 201, .mntns = SANDBOX);
	P(.pid = 202, .pgrp = 202, .session = 202, .mntns = SANDBOX);
	P(.pid = 203, .ppid = 202, .pgrp = 203, .session = 203, .mntns = 503);
	P(.pid = 204, .pgrp = 204, .session = 204, .mntns = 503);
	for (pid_t pid = 201; pid <= 204; pid++)
		at(pid)->start_ticks = 2000 + (uint64_t)pid;
	assert_string_equal(claimed_by(100), "100 200 201 202 203 204");
}

static void test_sandbox_of_guest(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999));
	P(.pid = 101, .ppid = 100, .mntns = SANDBOX, .start_ticks = 2002);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 2003);
	assert_string_equal(claimed_by(100), "100 101");
	assert_spared(world.kind, SANDBOX, SPARED_OUTER, 0);
	assert_false(spared(world.kind, SANDBOX)->own);
}

static void test_older_sandbox(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 2002);
	P(.pid = 101, .ppid = 100, .mntns = SANDBOX, .start_ticks = 2003);
	assert_string_equal(claimed_by(100), "100 101 200");
	assert_spared(world.kind, SANDBOX, SPARED_OLDER, 201);
}

/* The host's namespace. */

static void test_host_by_mark(void **state)
{
	(void)state;
	at(SHELL)->mntns = at(NSKILL)->mntns = SANDBOX;
	P(.pid = 100, .ppid = SHELL, .mntns = HOST, .start_ticks = 1);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	namespace_of(SANDBOX);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, HOST, SPARED_INITIAL, ANYBODY);
	assert_false(spared(world.kind, HOST)->notable);
}

/* Of other kinds the mark is sure: without it, that nskill is in there is all that is known. */
static enum spared_reason initial_or_guard(void)
{
	return world.kind == SCOPE_MNT ? SPARED_INITIAL : SPARED_GUARD;
}

static void test_host_by_nskill(void **state)
{
	(void)state;
	namespace_of(HOST)->first = false;
	at(2)->mntns = 0;
	at(SHELL)->mntns = 0;
	P(.pid = 100, .ppid = SHELL, .mntns = HOST, .start_ticks = 1);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, HOST, initial_or_guard(), ANYBODY);
}

static void test_host_by_ancestor(void **state)
{
	(void)state;
	namespace_of(HOST)->first = false;
	at(2)->mntns = 0;
	at(NSKILL)->mntns = SANDBOX;
	namespace_of(SANDBOX);
	P(.pid = 100, .ppid = SHELL, .mntns = HOST, .start_ticks = 1);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, HOST, initial_or_guard(), ANYBODY);
}

static void test_nested_is_not_host(void **state)
{
	(void)state;
	namespace_of(CONTAINER)->first = true;
	container(2000, STRANGER(.start_ticks = 2001));
	assert_string_equal(claimed_by(100), "100 200");
}

static void test_nskill_in_nested(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	at(NSKILL)->mntns = CONTAINER;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_GUARD, NSKILL);
	assert_notable_of_mnt_alone(CONTAINER);
}

static void test_home_of_pid_1(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	at(1)->mntns = CONTAINER;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_GUARD, 1);
	assert_false(spared(world.kind, CONTAINER)->notable);
}

static void test_foreign(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	namespace_of(CONTAINER)->ours = false;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_FOREIGN, 0);
}

/* What is unknown equals nothing. */

static void test_unknown(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = UNKNOWN, .session = UNKNOWN, .mntns = UNKNOWN_MNT);
	P(.pid = 101, .pgrp = UNKNOWN, .session = UNKNOWN, .mntns = UNKNOWN_MNT);
	world.rules.all = true;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_PGRP, 0, SPARED_UNKNOWN, 0);
	assert_spared(SCOPE_SESSION, 0, SPARED_UNKNOWN, 0);
	assert_spared(world.kind, 0, SPARED_UNKNOWN, 0);
}

static void test_unknown_stand_in(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = UNKNOWN_MNT);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = UNKNOWN_MNT);
	assert_string_equal(claimed_by_gone(100, 1), "101");
}

static void test_unknown_parent(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .pgrp = 101, .session = 101);
	at(101)->ppid = 0;
	assert_string_equal(claimed_by(100), "100");
}

/* Guards. */

static void test_guard_in_group(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .pgrp = 100, .session = 101);
	P(.pid = 102, .ppid = 100, .pgrp = 102, .session = 102);
	at(NSKILL)->pgrp = 100;
	assert_string_equal(claimed_by(100), "100 102");
	assert_spared(SCOPE_PGRP, 100, SPARED_GUARD, NSKILL);
	assert_true(spared(SCOPE_PGRP, 100)->notable);
	assert_false(spared(SCOPE_SESSION, SHELL)->notable);
}

static void test_guard_in_session(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100);
	P(.pid = 101, .pgrp = 101, .session = 100);
	P(.pid = 102, .pgrp = 100, .session = 100);
	at(SHELL)->session = 100;
	assert_string_equal(claimed_by(100), "100 102");
	assert_spared(SCOPE_SESSION, 100, SPARED_GUARD, SHELL);
}

static void test_guard_in_namespace(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	at(SHELL)->mntns = CONTAINER;
	at(SHELL)->start_ticks = 3000;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(world.kind, CONTAINER, SPARED_GUARD, SHELL);
}

static void test_guard_pid_1(void **state)
{
	(void)state;
	world.rules.all = true;
	P(.pid = 100);
	P(.pid = 101);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_PGRP, 1, SPARED_GUARD, 1);
	assert_spared(SCOPE_SESSION, 1, SPARED_GUARD, 1);
}

static void test_guard_hidden_ancestor(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100);
	at(SHELL)->ppid = 77;
	grow();
	assert_true(guards_hold_pid(&world.guards, 77));
	assert_true(guards_hold_pid(&world.guards, 1));
	assert_true(guards_hold_pid(&world.guards, 0));
	assert_false(guards_hold_pid(&world.guards, 100));
}

static void test_guarded_child(void **state)
{
	(void)state;
	/* Nskill's grandparent took the dead target's number's group over; its child is nskill's.
	 */
	P(.pid = 101, .pgrp = 100, .session = 101);
	at(SHELL)->ppid = 101;
	assert_string_equal(claimed_by_gone(100, 1), "");
}

static void test_kernel_thread(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001, .kernel_thread = true));
	P(.pid = 101, .ppid = 100, .kernel_thread = true);
	assert_string_equal(claimed_by(100), "100");
	assert_null(claim_member(&world.claim, 101));
	assert_null(claim_member(&world.claim, 200));
}

/* --match and --all. */

/* A target that leads a group, a session and a container, with one in each of them alone. */
static void one_of_each_kind(void)
{
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = HOST);
	P(.pid = 102, .pgrp = 102, .session = 100, .mntns = HOST);
	P(.pid = 103, .pgrp = 103, .session = 103, .mntns = CONTAINER);
	P(.pid = 104, .ppid = 100, .pgrp = 104, .session = 104, .mntns = HOST);
}

static void test_every_kind(void **state)
{
	(void)state;
	one_of_each_kind();
	assert_string_equal(claimed_by(100), "100 101 102 103 104");
}

static void test_match(void **state)
{
	const struct {
		enum scope_kind kind;
		const char *rest;
		uint64_t id;
	} cases[] = {
		{ SCOPE_PGRP, "100 102 103 104", 100 },
		{ SCOPE_SESSION, "100 101 103 104", 100 },
		{ world.kind, "100 101 102 104", CONTAINER },
		{ SCOPE_TREE, "100 101 102 103", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(state);
		world.rules.kinds &= ~SCOPE_BIT(cases[i].kind);
		one_of_each_kind();
		assert_string_equal(claimed_by(100), cases[i].rest);
		if (cases[i].id && SCOPE_BIT(cases[i].kind) & SCOPE_DEFAULT)
			assert_spared(cases[i].kind, cases[i].id, SPARED_UNASKED, 0);
		else
			assert_null(spared(cases[i].kind, cases[i].id));
		tear_down(state);
	}
	set_up(state);
}

static void test_stand_in_unasked(void **state)
{
	(void)state;
	world.rules.kinds = SCOPE_BIT(world.kind);
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	P(.pid = 103, .pgrp = 100, .session = 100, .mntns = HOST);
	assert_string_equal(claimed_by_gone(100, 1000), "101 102");
}

static void test_match_nothing(void **state)
{
	(void)state;
	world.rules.kinds = 0;
	one_of_each_kind();
	assert_string_equal(claimed_by(100), "100");
}

static void test_all_group_and_session(void **state)
{
	(void)state;
	world.rules.all = true;
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 61, .pgrp = 61, .session = 60);
	P(.pid = 100, .ppid = 60);
	P(.pid = 200, .pgrp = 60, .session = 200);
	P(.pid = 201, .pgrp = 201, .session = 201);
	assert_string_equal(claimed_by(100), "60 61 100 200");
}

static void test_all_older(void **state)
{
	(void)state;
	world.rules.all = true;
	container(2000, STRANGER(.start_ticks = 1999));
	assert_string_equal(claimed_by(100), world.kind == SCOPE_MNT ? "100 200" : "100");
	if (world.kind != SCOPE_MNT)
		assert_spared(world.kind, CONTAINER, SPARED_OLDER, 200);
}

static void test_all_is_for_own_scopes(void **state)
{
	(void)state;
	world.rules.all = true;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 101, .ppid = 100, .pgrp = 60, .session = 60, .mntns = SANDBOX);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 1);
	assert_string_equal(claimed_by(100), "100 101 200");
	assert_spared(SCOPE_PGRP, 60, SPARED_LEADER, 60);
	assert_spared(world.kind, SANDBOX, SPARED_OLDER, 201);
}

static void test_all_and_guards(void **state)
{
	(void)state;
	world.rules.all = true;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = SHELL);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_PGRP, SHELL, SPARED_GUARD, SHELL);
	assert_spared(SCOPE_SESSION, SHELL, SPARED_GUARD, SHELL);
	assert_spared(world.kind, HOST, SPARED_INITIAL, ANYBODY);
}

static void test_all_and_match(void **state)
{
	(void)state;
	world.rules.all = true;
	world.rules.kinds &= ~SCOPE_BIT(SCOPE_SESSION);
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 61, .pgrp = 61, .session = 60);
	P(.pid = 100, .ppid = 60);
	world.rules.kinds &= ~SCOPE_BIT(SCOPE_TREE);
	assert_string_equal(claimed_by(100), "60 100");
}

static void test_all_of_zombie(void **state)
{
	(void)state;
	world.rules.all = true;
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 100, .ppid = 60, .state = 'Z');
	dead_target(at(100));
	grow();
	assert_string_equal(members(), "60");
}

/* Again until nothing is added. */

static void test_hops(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	P(.pid = 102, .pgrp = 102, .session = 101);
	P(.pid = 103, .ppid = 102, .pgrp = 103, .session = 103);
	P(.pid = 104, .pgrp = 103, .session = 104);
	P(.pid = 105, .pgrp = 105, .session = 104);
	P(.pid = 106, .ppid = 105, .pgrp = 106, .session = 106);
	assert_string_equal(claimed_by(100), "100 101 102 103 104 105 106");
}

static void test_hops_through_namespace(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 201, .pgrp = 200, .session = 201);
	P(.pid = 202, .ppid = 201, .pgrp = 202, .session = 202);
	assert_string_equal(claimed_by(100), "100 200 201 202");
}

/* Growth. */

static void test_orphan_stays(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	P(.pid = 102, .ppid = 101, .pgrp = 102, .session = 102);
	assert_string_equal(claimed_by(100), "100 101 102");
	gone(101);
	at(102)->ppid = 1;
	P(.pid = 103, .ppid = 102, .pgrp = 103, .session = 103);
	grow();
	assert_non_null(claim_find(&world.claim, at(102)));
	assert_non_null(claim_find(&world.claim, at(103)));
}

static void test_namespace_stays(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	assert_string_equal(claimed_by(100), "100 200");
	gone(100);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	grow();
	assert_non_null(claim_find(&world.claim, at(201)));
	assert_true(claim_is_following(&world.claim,
				       (struct scope){ .kind = world.kind, .id = CONTAINER }));
}

static void test_member_becomes_zombie(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100);
	assert_string_equal(claimed_by(100), "100 101");
	at(101)->state = 'Z';
	grow();
	assert_string_equal(members(), "100");
}

static void test_elder_stays(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 1999));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = CONTAINER);
	assert_string_equal(claimed_by(100), "100");
	gone(200);
	grow();
	assert_string_equal(members(), "100");
	assert_spared(world.kind, CONTAINER, SPARED_OLDER, 0);
}

static void test_group_of_gone_member_stays(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	target(100);
	grow();
	gone(101);
	P(.pid = 102, .pgrp = 101, .session = 102);
	P(.pid = 103, .pgrp = 103, .session = 101);
	grow();
	assert_non_null(claim_find(&world.claim, at(102)));
	assert_non_null(claim_find(&world.claim, at(103)));
}

static void test_recycled_number(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	target(100);
	grow();
	gone(101);
	P(.pid = 101, .ppid = SHELL, .pgrp = 101, .session = 101);
	P(.pid = 102, .ppid = 101);
	P(.pid = 103, .pgrp = 101, .session = 103);
	grow();
	assert_string_equal(members(), "100");
}

static void test_recycled_number_in_one_tick(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .start_ticks = 2000);
	target(100);
	grow();
	claim_member(&world.claim, 101)->dead = true; /* its end was seen */
	at(101)->ppid = SHELL;
	P(.pid = 102, .ppid = 101);
	grow();
	assert_string_equal(members(), "100");
}

static void test_recycled_number_of_the_target(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .session = 100);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	target(100);
	grow();
	gone(100);
	at(101)->ppid = 1;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .session = 100);
	P(.pid = 102, .ppid = 100);
	grow();
	assert_string_equal(members(), "101");
}

static void test_recycled_number_joins(void **state)
{
	(void)state;
	/* A new one with an old one's number can be a member, too. */
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .ppid = 100);
	target(100);
	grow();
	claim_member(&world.claim, 101)->dead = true;
	gone(101);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101);
	P(.pid = 102, .pgrp = 101, .session = 102);
	grow();
	assert_string_equal(members(), "100 101 102");
}

static void test_sandbox_of_later(void **state)
{
	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = SANDBOX, .start_ticks = 2002);
	assert_string_equal(claimed_by(100), "100 200");
	at(200)->mntns = SANDBOX;
	at(201)->start_ticks = 2003;
	grow();
	assert_string_equal(members(), "100 200 201");
}

static void test_spared_is_of_last_look(void **state)
{
	(void)state;
	P(.pid = 60, .pgrp = 60, .session = 60);
	P(.pid = 100, .ppid = 60);
	target(100);
	grow();
	assert_spared(SCOPE_PGRP, 60, SPARED_LEADER, 60);
	at(100)->pgrp = 100;
	gone(60);
	grow();
	assert_null(spared(SCOPE_PGRP, 60));
	assert_spared(SCOPE_SESSION, 60, SPARED_LEADER_GONE, 0);
}

/* A member held against what was read after it had been pinned. */

#define SEEN 3000 /* the tick in which the look began */

/* Whether @read is the member that @read->pid was in the look. */
static bool confirms(const struct process *read)
{
	const struct process process = reading(read);

	return claim_confirms(&world.claim, claim_member(&world.claim, read->pid), &process, SEEN);
}

static void test_confirms_by_start(void **state)
{
	struct process read;

	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100, .pgrp = 101, .session = 101, .start_ticks = SEEN - 1);
	target(100);
	grow();
	read = *at(101);
	read.ppid = 1;
	assert_true(confirms(&read));
	read.start_ticks--;
	assert_false(confirms(&read));
	read.start_ticks += 2;
	assert_false(confirms(&read));
}

static void test_confirms_by_tie(void **state)
{
	struct process read;

	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .session = SHELL);
	P(.pid = 101, .ppid = 100, .start_ticks = SEEN);
	target(100);
	grow();
	read = *at(101);
	assert_true(confirms(&read));
	read.ppid = 1; /* still in the group */
	assert_true(confirms(&read));
	read.pgrp = SHELL;
	assert_false(confirms(&read));
	read.ppid = 100;
	assert_true(confirms(&read));
}

static void test_confirms_not_by_own_number(void **state)
{
	struct process read;

	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .ppid = 100, .start_ticks = SEEN);
	target(100);
	grow();
	read = *at(101);
	read.ppid = SHELL;
	read.pgrp = read.session = 101;
	assert_false(confirms(&read));
}

static void test_confirms_not_another_inode(void **state)
{
	struct process read;

	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	P(.pid = 101, .ppid = 100, .start_ticks = 2000, .inode = 7);
	target(100);
	grow();
	read = *at(101);
	at(101)->inode = 0;
	grow(); /* what was known is not forgotten */
	read.inode = 8;
	assert_false(confirms(&read));
	read.inode = 0;
	assert_true(confirms(&read));
}

/* Readings made between two looks. */

static bool holds_by(const struct process *read, struct scope *why)
{
	const struct process process = reading(read);

	return claim_holds(&world.claim, &process, why);
}

static bool holds(const struct process *read)
{
	struct scope why;

	return holds_by(read, &why);
}

static void test_holds(void **state)
{
	struct process read = { .pid = 300, .ppid = 100, .pgrp = 300, .session = 300 };
	struct scope why;

	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	P(.pid = 101, .ppid = 100, .pgrp = 101);
	target(100);
	grow();
	read.mntns = HOST;
	assert_true(holds_by(&read, &why));
	assert_int_equal(why.kind, SCOPE_TREE);
	assert_false(claim_follows(&world.claim, &read));
	read.ppid = 1;
	assert_false(holds(&read));
	read.pgrp = 101;
	assert_true(holds_by(&read, &why));
	assert_int_equal(why.kind, SCOPE_PGRP);
	assert_true(claim_follows(&world.claim, &read));
	read.pgrp = 300;
	read.mntns = CONTAINER;
	assert_true(holds_by(&read, &why));
	assert_int_equal(why.kind, world.kind);
	read.mntns = SANDBOX;
	assert_false(holds(&read));
}

static void test_holds_no_child_of_the_dead(void **state)
{
	struct process read = { .pid = 300, .ppid = 101, .pgrp = 300, .session = 300 };

	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 101, .ppid = 100);
	target(100);
	grow();
	assert_true(holds(&read));
	claim_member(&world.claim, 101)->dead = true;
	assert_false(holds(&read));
	claim_member(&world.claim, 101)->dead = false;
	claim_member(&world.claim, 101)->recycled = true;
	assert_false(holds(&read));
}

static void test_holds_no_guard(void **state)
{
	struct process read;

	(void)state;
	P(.pid = 100, .ppid = SHELL, .pgrp = 100);
	target(100);
	grow();
	read = *at(SHELL); /* has joined the group since */
	read.pgrp = 100;
	assert_false(holds(&read));
	read.pid = 300;
	assert_true(holds(&read));
	read.kernel_thread = true;
	assert_false(holds(&read));
}

static void test_unknown_scope(void **state)
{
	struct scope known = { .kind = SCOPE_PGRP, .id = 5 }, unknown = { .kind = SCOPE_PGRP };

	(void)state;
	assert_true(scope_equal(known, known));
	assert_false(scope_equal(unknown, unknown));
	assert_false(scope_equal(known, (struct scope){ .kind = SCOPE_SESSION, .id = 5 }));
}

static void test_drop(void **state)
{
	struct scope scope = { .kind = world.kind, .id = CONTAINER };

	(void)state;
	container(2000, STRANGER(.start_ticks = 2001));
	target(100);
	grow();
	assert_int_equal(claim_follow(&world.claim, scope), 0);
	assert_int_equal(world.claim.followed_count, 1);
	assert_true(claim_takes(&world.claim, scope));
	claim_drop(&world.claim, scope);
	assert_false(claim_takes(&world.claim, scope));
	assert_int_equal(world.claim.followed_count, 0);
}

static void test_guards_need_self(void **state)
{
	struct snapshot snapshot = { .processes = world.processes, .count = 1 };
	struct guards guards;

	(void)state;
	assert_int_equal(guards_read(&guards, &snapshot, NSKILL), -ESRCH);
}

/* What was recorded of a target. */

/* Cgroups. */

static void test_cgroup(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_root, .pid = 60);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	IN(&cgroup_jobs, .pid = 102);
	IN(&cgroup_root, .pid = 103);
	assert_string_equal(claimed_by(100), "100 101");
	assert_why(101, SCOPE_CGROUP, 57);
	assert_null(spared(SCOPE_CGROUP, 57));
}

static void test_cgroup_unasked(void **state)
{
	(void)state;
	with_cgroups();
	world.rules.kinds = SCOPE_DEFAULT;
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
	assert_null(spared(SCOPE_CGROUP, 57));
}

static void test_cgroup_below(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_part, .pid = 101);
	IN(&cgroup_deep, .pid = 102);
	IN(&cgroup_jobs, .pid = 103);
	assert_string_equal(claimed_by(100), "100 101 102");
	assert_why(102, SCOPE_CGROUP, 57);
	assert_int_equal(world.claim.followed_count, 1);
	assert_null(spared(SCOPE_CGROUP, 58));
	assert_null(spared(SCOPE_CGROUP, 59));
}

static void test_cgroup_above(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_part, .pid = 100);
	IN(&cgroup_deep, .pid = 101);
	IN(&cgroup_job, .pid = 102);
	assert_string_equal(claimed_by(100), "100 101");
}

static void test_cgroup_elder(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 57, SPARED_OLDER, 99);
	assert_true(spared(SCOPE_CGROUP, 57)->own);
	assert_false(spared(SCOPE_CGROUP, 57)->notable);
}

static void test_cgroup_elder_below(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_deep, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 57, SPARED_OLDER, 99);
}

static void test_cgroup_elder_stays(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
	gone(99);
	grow();
	assert_string_equal(members(), "100");
}

/* The numbers of cgroups and of namespaces are counted by themselves. */
static void test_cgroup_number(void **state)
{
	(void)state;
	with_cgroups();
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = cgroup_job.id);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	namespace_of(cgroup_job.id)->unique = 7000;
	assert_string_equal(claimed_by(100), "100 101");
	grow();
	assert_string_equal(members(), "100 101");
}

/* A zombie tells itself where it is; others in its group may be in somebody's container. */
static void test_cgroup_of_zombie(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100, .state = 'Z');
	IN(&cgroup_part, .pid = 101, .pidns_init = true);
	dead_target(at(100));
	grow();
	assert_string_equal(members(), "101");
}

static void test_cgroup_of_stand_in(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 101, .pgrp = 100);
	IN(&cgroup_part, .pid = 102, .pidns_init = true);
	gone_target(100, 900);
	grow();
	assert_string_equal(members(), "101");
}

static void test_cgroup_dead_elder(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 98, .state = 'Z');
	IN(&cgroup_job, .pid = 99, .kernel_thread = true);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100 101");
}

static void test_cgroup_all(void **state)
{
	(void)state;
	with_cgroups();
	world.rules.all = true;
	IN(&cgroup_job, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_job, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
}

static void test_cgroup_tie(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99, .start_ticks = 2000, .inode = 7);
	IN(&cgroup_job, .pid = 100, .start_ticks = 2000, .inode = 8);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 57, SPARED_OLDER, 99);
}

static void test_cgroup_guarded(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100, .start_ticks = 5);
	IN(&cgroup_job, .pid = 101);
	at(NSKILL)->cgroup = &cgroup_job;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 57, SPARED_GUARD, NSKILL);
}

static void test_cgroup_guarded_below(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100, .start_ticks = 5);
	IN(&cgroup_job, .pid = 101);
	at(SHELL)->cgroup = &cgroup_deep;
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 57, SPARED_GUARD, SHELL);
}

static void test_cgroup_guard_comes(void **state)
{
	struct process late = { .pid = 300, .pgrp = 300, .session = 300, .cgroup = &cgroup_part };
	struct scope why;

	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100);
	assert_string_equal(claimed_by(100), "100");
	assert_true(claim_holds(&world.claim, &late, &why));
	assert_int_equal(why.id, 57);
	at(NSKILL)->cgroup = &cgroup_part;
	grow();
	assert_false(claim_holds(&world.claim, &late, &why));
	assert_spared(SCOPE_CGROUP, 57, SPARED_GUARD, NSKILL);
}

static void test_cgroup_root(void **state)
{
	(void)state;
	with_cgroups();
	at(1)->cgroup = at(2)->cgroup = at(SHELL)->cgroup = at(NSKILL)->cgroup = NULL;
	IN(&cgroup_root, .pid = 100, .start_ticks = 1);
	IN(&cgroup_root, .pid = 101);
	IN(&cgroup_job, .pid = 102);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 1, SPARED_INITIAL, 0);
}

static void test_cgroup_unknown(void **state)
{
	(void)state;
	with_cgroups();
	IN(NULL, .pid = 100);
	IN(NULL, .pid = 101);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_CGROUP, 0, SPARED_UNKNOWN, 0);
}

/* Where the target shares its own with an elder, what it has made below it is its own still. */
static void test_cgroup_made_below(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_part, .pid = 101, .ppid = 100);
	IN(&cgroup_part, .pid = 102);
	IN(&cgroup_job, .pid = 103);
	assert_string_equal(claimed_by(100), "100 101 102");
	assert_spared(SCOPE_CGROUP, 57, SPARED_OLDER, 99);
}

/* A child that was started in somebody's cgroup beside the target's own. */
static void test_cgroup_outer(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99);
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_jobs, .pid = 101, .ppid = 100);
	IN(&cgroup_jobs, .pid = 102);
	assert_string_equal(claimed_by(100), "100 101");
	assert_spared(SCOPE_CGROUP, 60, SPARED_OUTER, 0);
}

static void test_cgroup_beside(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 100);
	IN(&cgroup_jobs, .pid = 101, .ppid = 100);
	IN(&cgroup_jobs, .pid = 102);
	assert_string_equal(claimed_by(100), "100 101 102");
}

static void test_cgroup_stand_in(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 101, .pgrp = 100, .session = 100);
	IN(&cgroup_job, .pid = 102);
	IN(&cgroup_deep, .pid = 103);
	IN(&cgroup_jobs, .pid = 104);
	assert_string_equal(claimed_by_gone(100, 900), "101 102 103");
}

/* The one above a stand-in's is not the target's own: what is elsewhere below that has to wait. */
static void assert_beside_waits(void)
{
	const struct cgroup other = { .id = 61, .parent = &cgroup_job, .path = "/job/other" };

	IN(&cgroup_part, .pid = 99, .start_ticks = 800);
	IN(&cgroup_part, .pid = 101, .session = 100);
	IN(&other, .pid = 102, .ppid = 101);
	IN(&other, .pid = 103);
	assert_string_equal(claimed_by_gone(100, 900), "101 102");
	assert_spared(SCOPE_CGROUP, 61, SPARED_OUTER, 0);
}

static void test_cgroup_stand_in_beside(void **state)
{
	(void)state;
	with_cgroups();
	assert_beside_waits();
}

static void test_cgroup_of_nskill_in_the_group(void **state)
{
	(void)state;
	with_cgroups();
	at(NSKILL)->pgrp = 100;
	at(NSKILL)->cgroup = &cgroup_job;
	assert_beside_waits();
}

static void test_cgroup_stand_in_elder(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 99, .start_ticks = 800);
	IN(&cgroup_job, .pid = 101, .pgrp = 100, .session = 100);
	IN(&cgroup_job, .pid = 102);
	assert_string_equal(claimed_by_gone(100, 900), "101");
	assert_spared(SCOPE_CGROUP, 57, SPARED_OLDER, 99);
}

static void test_cgroup_stand_in_init(void **state)
{
	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 101, .pgrp = 100, .session = 100);
	IN(&cgroup_job, .pid = 102, .pidns_init = true);
	assert_string_equal(claimed_by_gone(100, 900), "101");
	assert_spared(SCOPE_CGROUP, 57, SPARED_PIDNS_INIT, 102);
}

/* Cgroups have small numbers, that can be a process's, too. */
static void test_cgroup_numbers(void **state)
{
	struct process now;

	(void)state;
	with_cgroups();
	IN(&cgroup_job, .pid = 56);
	IN(&cgroup_job, .pid = 57);
	IN(&cgroup_job, .pid = 58);
	IN(&cgroup_root, .pid = 101, .pgrp = 60, .session = 60);
	assert_string_equal(claimed_by(56), "56 57 58");
	now = *at(57);
	assert_true(claim_confirms(&world.claim, claim_member(&world.claim, 57), &now, 0));
}

static void own(uint64_t id)
{
	const struct scope scope = { .kind = world.kind, .id = id };

	assert_int_equal(claim_own(&world.claim, scope), 0);
	world.claim.recorded = true;
}

static void test_recorded(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	P(.pid = 103, .pgrp = 103, .session = 103, .mntns = HOST);
	gone_target(100, 999);
	own(CONTAINER);
	own(SANDBOX);
	own(HOST);
	grow();
	assert_string_equal(members(), "101 102");
	assert_int_equal(world.claim.own_fell, SCOPE_BIT(world.kind));
	assert_why(101, world.kind, CONTAINER);
	assert_why(102, world.kind, SANDBOX);
}

static void test_recorded_with_elder(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .start_ticks = 998);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "");
	tear_down(state);
	world.rules.all = true;
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), world.kind == SCOPE_MNT ? "101 102" : "");
}

static void test_recorded_elder_stays(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .start_ticks = 998);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "");
	gone(101);
	grow();
	assert_string_equal(members(), "");
}

static void test_recorded_stand_in(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = SANDBOX);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	P(.pid = 103, .pgrp = 103, .session = 103, .mntns = CONTAINER);
	at(102)->start_ticks = at(101)->start_ticks - 1;
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "101 103");
}

static void test_recorded_none(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 101, .mntns = SANDBOX);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	gone_target(100, 999);
	world.claim.recorded = true;
	grow();
	assert_string_equal(members(), "101");
}

static void test_recorded_pidns_init(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER, .pidns_init = true);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "101 102");
}

/* Nobody is in it at the first look, so that nothing is known of it. */
static void test_recorded_unknown(void **state)
{
	(void)state;
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	namespace_of(CONTAINER)->ours = false;
	grow();
	assert_string_equal(members(), "");
}

static void test_recorded_barred(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = SANDBOX);
	at(SHELL)->mntns = SANDBOX;
	namespace_of(CONTAINER)->ours = false;
	world.rules.all = true;
	gone_target(100, 999);
	own(CONTAINER);
	own(SANDBOX);
	grow();
	assert_string_equal(members(), "");
}

static void test_recorded_unasked(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = CONTAINER);
	world.rules.kinds &= ~SCOPE_BIT(world.kind);
	gone_target(100, 999);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "");
}

static void test_recorded_of_live(void **state)
{
	(void)state;
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = SANDBOX);
	P(.pid = 101, .pgrp = 101, .session = 101, .mntns = SANDBOX);
	P(.pid = 102, .pgrp = 102, .session = 102, .mntns = CONTAINER);
	target(100);
	own(CONTAINER);
	grow();
	assert_string_equal(members(), "100 101 102");
}

/* 100 leads on, but it is another, who came after the target. */
static void reused_target(void)
{
	P(.pid = 100, .pgrp = 100, .session = 100, .mntns = SANDBOX);
	P(.pid = 101, .ppid = 100);
	P(.pid = 102, .pgrp = 100, .session = 102, .mntns = HOST);
	P(.pid = 103, .pgrp = 103, .session = 100, .mntns = HOST);
	P(.pid = 104, .pgrp = 104, .session = 104, .mntns = CONTAINER);
	gone_target(100, 999);
	world.claim.members[0]->recycled = true;
}

static void test_reused_target(void **state)
{
	for (int all = 0; all <= 1; all++) {
		tear_down(state);
		set_up(state);
		world.rules.all = all;
		reused_target();
		grow();
		assert_string_equal(members(), "");
		tear_down(state);
		set_up(state);
		world.rules.all = all;
		reused_target();
		own(CONTAINER);
		grow();
		assert_string_equal(members(), "104");
	}
}

/* It has ended since, but those in its group and session are no more the target's than before. */
static void test_reused_target_gone(void **state)
{
	(void)state;
	reused_target();
	gone(100);
	at(101)->ppid = 1;
	grow();
	assert_string_equal(members(), "");
}

static void test_reused_target_zombie(void **state)
{
	(void)state;
	reused_target();
	at(100)->start_ticks = 999;
	at(100)->state = 'Z';
	at(101)->ppid = 1;
	grow();
	assert_string_equal(members(), "");
}

/* Who is in the group of a number that has gone to somebody else does not make a namespace its own. */
static void test_reused_number_owns_nothing(void **state)
{
	(void)state;
	P(.pid = 101, .pgrp = 100, .session = 100, .mntns = HOST);
	gone_target(100, 999);
	grow();
	assert_string_equal(members(), "101");
	at(101)->pgrp = at(101)->session = 101;
	at(101)->mntns = CONTAINER;
	namespace_of(CONTAINER);
	P(.pid = 100, .ppid = SHELL, .pgrp = 100, .session = 100);
	P(.pid = 102, .ppid = 100, .mntns = CONTAINER);
	grow();
	assert_string_equal(members(), "101");
	assert_spared(world.kind, CONTAINER, SPARED_OUTER, ANYBODY);
}

static void test_younger(void **state)
{
	struct process process = { .pid = 101, .start_ticks = 1000, .inode = 9 };

	(void)state;
	gone_target(100, 1000);
	assert_false(claim_is_younger(&world.claim, &process));
	world.claim.born_as = 9;
	assert_false(claim_is_younger(&world.claim, &process));
	world.claim.born_as = 8;
	assert_true(claim_is_younger(&world.claim, &process));
	world.claim.born_as = 0;
	process.start_ticks = 1001;
	assert_true(claim_is_younger(&world.claim, &process));
}

/* Several kinds at once. */

/* Put a process into a namespace of that kind, of which there may be others than it. */
static void into(pid_t pid, enum scope_kind kind, uint64_t id)
{
	at(pid)->namespaces[kind - SCOPE_MNT] = id;
	namespace_of(id)->kind = kind;
}

static void test_kinds_are_independent(void **state)
{
	for (enum scope_kind own = SCOPE_MNT; own <= SCOPE_CGROUPNS; own++) {
		for (enum scope_kind inner = SCOPE_MNT; inner <= SCOPE_CGROUPNS; inner++) {
			tear_down(state);
			set_up(state);
			world.rules.kinds = SCOPE_ALL;
			P(.pid = 100, .ppid = SHELL);
			P(.pid = 101, .ppid = 100);
			P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
			P(.pid = 201, .pgrp = 201, .session = 201, .mntns = HOST);
			into(100, own, CONTAINER);
			into(200, own, CONTAINER);
			into(101, inner, SANDBOX);
			into(201, inner, SANDBOX);
			assert_string_equal(claimed_by(100),
					    own == inner ? "100 101 200 201" : "100 101 200");
			if (own != inner)
				assert_spared(inner, SANDBOX, SPARED_OUTER, 0);
		}
	}
}

static void test_either_kind_is_enough(void **state)
{
	(void)state;
	world.rules.kinds |= SCOPE_BIT(SCOPE_NET) | SCOPE_BIT(SCOPE_UTS);
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = HOST);
	P(.pid = 202, .pgrp = 202, .session = 202, .mntns = HOST);
	into(100, SCOPE_NET, CONTAINER);
	into(100, SCOPE_UTS, SANDBOX);
	into(100, SCOPE_IPC, 503);
	into(200, SCOPE_NET, CONTAINER);
	into(201, SCOPE_UTS, SANDBOX);
	into(202, SCOPE_IPC, 503);
	assert_string_equal(claimed_by(100), "100 200 201");
	assert_why(200, SCOPE_NET, CONTAINER);
	assert_why(201, SCOPE_UTS, SANDBOX);
}

/* Who came by one kind leads on by another, where the target's own of that has fallen, too. */
static void test_one_kind_leads_to_another(void **state)
{
	(void)state;
	world.rules.kinds |= SCOPE_BIT(SCOPE_NET) | SCOPE_BIT(SCOPE_UTS);
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	P(.pid = 201, .pgrp = 201, .session = 201, .mntns = HOST);
	into(100, SCOPE_NET, CONTAINER);
	into(100, SCOPE_UTS, SANDBOX);
	into(200, SCOPE_NET, CONTAINER);
	into(200, SCOPE_UTS, 503);
	into(201, SCOPE_UTS, 503);
	assert_string_equal(claimed_by(100), "100 200 201");
	assert_why(201, SCOPE_UTS, 503);
}

/* An elder in the target's namespace of one kind saves nothing of another. */
static void test_elder_of_one_kind(void **state)
{
	(void)state;
	world.rules.kinds = SCOPE_ALL;
	P(.pid = 60, .pgrp = 60, .session = 60, .mntns = HOST);
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	into(60, SCOPE_USER, SANDBOX);
	into(100, SCOPE_USER, SANDBOX);
	into(100, SCOPE_PID, CONTAINER);
	into(200, SCOPE_PID, CONTAINER);
	assert_string_equal(claimed_by(100), "100 200");
	assert_spared(SCOPE_USER, SANDBOX, SPARED_OLDER, 60);
}

static void test_unasked_kinds_are_not_mentioned(void **state)
{
	(void)state;
	P(.pid = 100, .ppid = SHELL);
	P(.pid = 200, .pgrp = 200, .session = 200, .mntns = HOST);
	for (enum scope_kind kind = SCOPE_MNT; kind <= SCOPE_CGROUPNS; kind++) {
		into(100, kind, 500 + (uint64_t)kind);
		into(200, kind, 500 + (uint64_t)kind);
	}
	world.rules.kinds = SCOPE_DEFAULT & ~SCOPE_BIT(SCOPE_MNT);
	assert_string_equal(claimed_by(100), "100");
	assert_spared(SCOPE_MNT, 500 + SCOPE_MNT, SPARED_UNASKED, 0);
	for (size_t i = 0; i < world.claim.spared_count; i++)
		assert_true(SCOPE_BIT(world.claim.spared[i].scope.kind) & SCOPE_DEFAULT);
}

static void test_all_is_of_no_other_kind(void **state)
{
	(void)state;
	world.rules.kinds = SCOPE_ALL;
	world.rules.all = true;
	for (enum scope_kind kind = SCOPE_MNT; kind <= SCOPE_CGROUPNS; kind++)
		P(.pid = 60 + (pid_t)kind, .pgrp = 60, .session = 60, .mntns = HOST);
	P(.pid = 100, .ppid = SHELL);
	for (enum scope_kind kind = SCOPE_MNT; kind <= SCOPE_CGROUPNS; kind++) {
		into(60 + (pid_t)kind, kind, 500 + (uint64_t)kind);
		into(100, kind, 500 + (uint64_t)kind);
	}
	assert_string_equal(claimed_by(100), "62 100");
	for (enum scope_kind kind = SCOPE_PID; kind <= SCOPE_CGROUPNS; kind++)
		assert_spared(kind, 500 + (uint64_t)kind, SPARED_OLDER, 60 + (pid_t)kind);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("children are members, and their children", test_descent),
		TEST("without tree a child that left the group is none", test_descent_unasked),
		TEST("a process without any tie is none", test_adopted),
		TEST("a group falls with its leader, the session beside it does not", test_group),
		TEST("a session falls with its leader", test_session),
		TEST("a group and a session fall when their leader is gone", test_gone_leader),
		TEST("a group falls when its leader is a zombie", test_zombie_leader),
		TEST("a zombie leader with live threads is alive", test_zombie_with_threads),
		TEST("the group and session of a member that is a zombie fall", test_member_leads),
		TEST("a group led by a stranger does not fall, and he is named",
		     test_led_by_stranger),
		TEST("a group whose leader is gone and was no member does not fall",
		     test_leader_gone),
		TEST("the foreign group of a child is not the target's own",
		     test_childs_scope_is_not_own),
		TEST("a process without a parent is nobody's child", test_unknown_parent),
		TEST("a group that nskill is in is not followed", test_guard_in_group),
		TEST("a session that an ancestor is in is not followed", test_guard_in_session),
		TEST("a scope that PID 1 is in is not followed", test_guard_pid_1),
		TEST("a hidden ancestor is guarded by its number", test_guard_hidden_ancestor),
		TEST("an ancestor of nskill is no member of anything", test_guarded_child),
		TEST("--all takes the own group and session whoever leads them",
		     test_all_group_and_session),
		TEST("--all takes only kinds that are followed", test_all_and_match),
		TEST("--all takes the group and session of a zombie", test_all_of_zombie),
		TEST("ties are followed until nothing is added", test_hops),
		TEST("a member whose parent has died stays one", test_orphan_stays),
		TEST("a member that has become a zombie is not alive any more",
		     test_member_becomes_zombie),
		TEST("the group and session of a member that is gone still fall",
		     test_group_of_gone_member_stays),
		TEST("a stranger with a gone member's number leads nothing and nobody",
		     test_recycled_number),
		TEST("not even when it started in the same tick", test_recycled_number_in_one_tick),
		TEST("a stranger with the target's number leads nothing and nobody",
		     test_recycled_number_of_the_target),
		TEST("a new member can bear a gone one's number", test_recycled_number_joins),
		TEST("what was spared is told as of the last look", test_spared_is_of_last_look),
		TEST("one that started before the look is known by its start",
		     test_confirms_by_start),
		TEST("one that started with the look must be tied, too", test_confirms_by_tie),
		TEST("leading a scope of its own number is no tie",
		     test_confirms_not_by_own_number),
		TEST("one with another inode is another", test_confirms_not_another_inode),
		TEST("the child of a dead or recycled number is nobody's",
		     test_holds_no_child_of_the_dead),
		TEST("a guarded process that has joined a group since is not held",
		     test_holds_no_guard),
		TEST("in the target's own tick a higher inode tells who is younger, and nothing "
		     "else",
		     test_younger),
		TEST("an unknown scope is not even itself", test_unknown_scope),
		TEST("without nskill in it a look is not to be trusted", test_guards_need_self),
		TEST("a namespace that fell opens no sandbox of another kind",
		     test_kinds_are_independent),
		TEST("it is enough to be in one of the target's namespaces that are followed",
		     test_either_kind_is_enough),
		TEST("who came by one kind leads on by another", test_one_kind_leads_to_another),
		TEST("somebody older in one namespace saves none of another kind",
		     test_elder_of_one_kind),
		TEST("a kind that must be asked for is not mentioned where it was not",
		     test_unasked_kinds_are_not_mentioned),
		TEST("--all takes the older ones of no other kind than mnt",
		     test_all_is_of_no_other_kind),
		TEST("a cgroup falls that holds nobody older", test_cgroup),
		TEST("it lives where the kind is not asked for, and nothing is said",
		     test_cgroup_unasked),
		TEST("with it fall those below, as one", test_cgroup_below),
		TEST("but not the one above, by whoever is younger there", test_cgroup_above),
		TEST("a cgroup with somebody older in it lives", test_cgroup_elder),
		TEST("so does one with somebody older below it", test_cgroup_elder_below),
		TEST("and when he has died, too", test_cgroup_elder_stays),
		TEST("a namespace of the same number does not fall with it", test_cgroup_number),
		TEST("that of a zombie falls, containers and all", test_cgroup_of_zombie),
		TEST("that of a stand-in does not with a container in it", test_cgroup_of_stand_in),
		TEST("a zombie and a kernel thread are no elders of a cgroup",
		     test_cgroup_dead_elder),
		TEST("--all does not concern cgroups", test_cgroup_all),
		TEST("in the same tick the inode tells who is older in a cgroup", test_cgroup_tie),
		TEST("a cgroup that holds nskill lives", test_cgroup_guarded),
		TEST("so does one that holds an ancestor of nskill further below",
		     test_cgroup_guarded_below),
		TEST("a cgroup that a guarded process comes to holds no newcomer any more",
		     test_cgroup_guard_comes),
		TEST("the root cgroup lives, whoever is in it", test_cgroup_root),
		TEST("an unknown cgroup is nobody's", test_cgroup_unknown),
		TEST("a cgroup below the target's own need not wait for that",
		     test_cgroup_made_below),
		TEST("one beside it must", test_cgroup_outer),
		TEST("and falls when the target's own has fallen", test_cgroup_beside),
		TEST("a stand-in leads to its cgroup", test_cgroup_stand_in),
		TEST("unless somebody there is older than the target", test_cgroup_stand_in_elder),
		TEST("one beside a stand-in's waits for that", test_cgroup_stand_in_beside),
		TEST("nskill stands in for nobody, though it is in the group",
		     test_cgroup_of_nskill_in_the_group),
		TEST("or is the init of a PID namespace", test_cgroup_stand_in_init),
		TEST("the number of a cgroup is no process's", test_cgroup_numbers),
	};

	static const struct CMUnitTest of_each_kind[] = {
		TEST("a namespace falls to the oldest in it", test_founded),
		TEST("a guest does not make a namespace fall", test_guest),
		TEST("one older process saves a namespace", test_one_older_is_enough),
		TEST("an older zombie does not save it", test_older_zombie),
		TEST("an older zombie with live threads does", test_older_zombie_with_threads),
		TEST("an older kernel thread does not save it", test_older_kernel_thread),
		TEST("a member that is a zombie makes none fall", test_zombie_member),
		TEST("in the same tick a parent is the older", test_tie_with_parent),
		TEST("in the same tick a grandparent is the older", test_tie_with_grandparent),
		TEST("and so when he has only now become the parent", test_tie_with_new_parent),
		TEST("in the same tick a parent is the older against any inode",
		     test_tie_with_parent_of_higher_inode),
		TEST("in the same tick a child is not the older, whatever its inode",
		     test_tie_with_child),
		TEST("in the same tick a grandchild is not the older", test_tie_with_grandchild),
		TEST("in the same tick the lower inode is the older", test_tie_lower_inode),
		TEST("in the same tick the higher inode is the younger", test_tie_higher_inode),
		TEST("in the same tick without inodes nobody is older", test_tie_without_inodes),
		TEST("two that seem each other's parent do not hold the look up",
		     test_tie_while_parents_changed),
		TEST("an older member makes its namespace fall", test_older_member),
		TEST("who bears a dead target's number leads to its namespace",
		     test_dead_with_stand_in),
		TEST("a stand-in of the session leads there, too",
		     test_dead_with_stand_in_of_session),
		TEST("a stranger with a dead target's number stands in for nobody",
		     test_stranger_is_no_stand_in),
		TEST("the stand-in of a zombie leads there, too", test_zombie_with_stand_in),
		TEST("the container that a dead target was a guest of lives", test_dead_guest),
		TEST("it is the dead target's age that counts, not the stand-in's",
		     test_dead_stand_in_is_not_the_founder),
		TEST("but the stand-in's where the target had been seen alive", test_dead_since),
		TEST("each namespace of a stand-in is a candidate", test_dead_two_candidates),
		TEST("a candidate that holds the init of a PID namespace lives",
		     test_dead_candidate_with_init),
		TEST("a live target that is such an init takes its namespace along",
		     test_init_of_live_target),
		TEST("the host's namespace is no candidate", test_dead_on_host),
		TEST("the sandbox of a stand-in's child is no candidate", test_dead_childs_sandbox),
		TEST("a zombie stands in for nobody", test_dead_zombie_stand_in),
		TEST("a sandbox inside falls when the target's own has fallen", test_sandbox),
		TEST("a sandbox inside waits for the target's own to fall", test_sandbox_waits),
		TEST("sandboxes fall to any depth", test_sandbox_in_sandbox),
		TEST("the sandbox that a guest has made does not fall", test_sandbox_of_guest),
		TEST("a sandbox older than the member in it does not fall", test_older_sandbox),
		TEST("the host's namespace is known by its mark", test_host_by_mark),
		TEST("without a mark the host's namespace is spared for nskill's being there",
		     test_host_by_nskill),
		TEST("without a mark it is spared for an ancestor's being there",
		     test_host_by_ancestor),
		TEST("what another user namespace owns is not the host's", test_nested_is_not_host),
		TEST("nskill's own nested namespace is guarded", test_nskill_in_nested),
		TEST("where PID 1 lives nothing is worth a note", test_home_of_pid_1),
		TEST("a namespace that is not ours to take lives", test_foreign),
		TEST("what is unknown equals nothing", test_unknown),
		TEST("a stand-in in an unknown namespace leads nowhere", test_unknown_stand_in),
		TEST("a namespace that an ancestor is in is not followed", test_guard_in_namespace),
		TEST("a kernel thread is no member of anything", test_kernel_thread),
		TEST("groups, sessions, children and namespaces are followed together",
		     test_every_kind),
		TEST("each of these can be left out", test_match),
		TEST("stand-ins lead to a namespace when that alone is asked for",
		     test_stand_in_unasked),
		TEST("with no kind at all the target is alone", test_match_nothing),
		TEST("--all takes the older ones in the own namespace if that is mnt",
		     test_all_older),
		TEST("--all takes no scope that is not the target's own",
		     test_all_is_for_own_scopes),
		TEST("--all takes no guarded scope and never the host's", test_all_and_guards),
		TEST("ties are followed from members of a namespace", test_hops_through_namespace),
		TEST("a namespace stays followed when its founder is gone", test_namespace_stays),
		TEST("what an elder saved stays saved when he dies", test_elder_stays),
		TEST("a sandbox made between two looks falls at the second", test_sandbox_of_later),
		TEST("a newcomer is held by its parent or by a scope", test_holds),
		TEST("a scope is followed once, and can be dropped", test_drop),
		TEST("the recorded namespaces of a dead target fall, but not the host's",
		     test_recorded),
		TEST("one that holds somebody older than the target does not, but mnt with --all",
		     test_recorded_with_elder),
		TEST("what an elder saved of the recorded stays saved when he dies",
		     test_recorded_elder_stays),
		TEST("a stand-in leads to no namespace that is not recorded",
		     test_recorded_stand_in),
		TEST("nor when none is recorded", test_recorded_none),
		TEST("a recorded one may hold the init of a PID namespace",
		     test_recorded_pidns_init),
		TEST("a recorded one that is guarded or not ours lives", test_recorded_barred),
		TEST("nor does one fall that nothing is known of", test_recorded_unknown),
		TEST("a recorded one lives where its kind is left out", test_recorded_unasked),
		TEST("a live target's recorded namespace falls like its own",
		     test_recorded_of_live),
		TEST("nobody belongs to a reused number but by the recorded namespace",
		     test_reused_target),
		TEST("not even when who bore it is gone, too", test_reused_target_gone),
		TEST("not even when that is a zombie of the same tick", test_reused_target_zombie),
		TEST("nor is a namespace the target's own that such a one is in",
		     test_reused_number_owns_nothing),
	};

	return RUN_WITH_KINDS("match", tests, of_each_kind);
}
