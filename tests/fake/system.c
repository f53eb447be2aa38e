/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "system.h"

#include "core/list.h"
#include "core/scope.h"
#include "core/signals.h"
#include "linux/boot.h"
#include "linux/cgroup.h"
#include "linux/clock.h"
#include "linux/files.h"
#include "linux/group.h"
#include "linux/namespace.h"
#include "linux/pidfile.h"
#include "linux/pidref.h"
#include "linux/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSES	 4096
#define DESCRIPTORS	 4096
#define NAMESPACES	 64
#define EVENTS		 32
#define NUMBERS		 65536
#define WATCHES		 8
#define TEXT		 (64 * 1024)
#define CALLS		 1000000     /* more than this many of one test is a loop without an end */
#define RESERVED_PIDS	 300	     /* where numbers start again when they have wrapped around */
#define MOUNTS		 0xeffffff8u /* the mount namespace of all, where another kind is tested */
#define SUSPENDED	 (50 * NS_PER_SECOND)
#define FIRST_DESCRIPTOR 3
#define MAKE_TIME	 UINT64_C(5000) /* ticks: the start of who was there before the test */

struct scan {
	bool open;
};

struct body {
	struct fake_process is;
	bool dead, reaped;
	bool succeeded; /* its number has been handed out again, and any group of it is not its own
			 */
	bool pending;	/* a deadly signal waits for SIGCONT */
	unsigned references; /* descriptors and timers that point here */
	unsigned long got;   /* signals, a bit each */
};

struct descriptor {
	enum { CLOSED, PIDFD, NAMESPACE, CGROUP, GROUP } kind;
	struct body *body;
	uint64_t mntns;
	const struct cgroup *cgroup;
	pid_t number;	/* of a group */
	bool succeeded; /* that has been handed out again */
	bool read;	/* the body was looked at since */
	void *watcher;
	int watch; /* whose watcher that is */
};

struct event {
	enum fake_door door;
	pid_t pid;
	unsigned nth, seen;
	bool again;
	void (*act)(void);
};

struct timer {
	uint64_t when;
	struct body *body; /* dies or stops then */
	bool stops;
	void (*act)(void);
};

struct fake_kernel fake;

static struct machine {
	struct body bodies[PROCESSES];
	size_t body_count;
	struct descriptor descriptors[DESCRIPTORS];
	uint64_t bearers[NUMBERS]; /* the inode of whom a number was given to last */
	size_t descriptor_count;   /* those after it have never been open */
	struct namespace namespaces[NAMESPACES];
	size_t namespace_count;
	struct {
		uint64_t id, unique;
	} unique_ids[NAMESPACES];
	size_t unique_id_count;
	struct event events[EVENTS];
	size_t event_count;
	struct timer timers[PROCESSES];
	size_t timer_count;
	uint64_t costs[DOORS];
	unsigned calls[DOORS];
	uint64_t next_inode, next_start, next_unique_id;
	int interrupt;
	struct {
		bool open, heeding;
	} watches[WATCHES]; /* from 1 on, so that a number left 0 is none */
	char *pidfile;
	struct pidfile served;
	bool pidfile_watched;
	enum arrival_change pidfile_change;
	void (*heard)(const struct fake_process *process, int signal);
	char log[TEXT], complaints[TEXT];
} machine;

static struct scan the_scan;

static void write_line(char *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void write_line(char *text, const char *format, va_list args)
{
	size_t used = strlen(text);

	vsnprintf(text + used, TEXT - used, format, args);
	used = strlen(text);
	snprintf(text + used, TEXT - used, "\n");
}

static void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(machine.log, format, args);
	va_end(args);
}

static void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(machine.complaints, format, args);
	va_end(args);
}

/* Processes. */

static struct body *find(pid_t pid)
{
	for (size_t i = 0; i < machine.body_count; i++)
		if (machine.bodies[i].is.pid == pid && !machine.bodies[i].reaped)
			return &machine.bodies[i];
	return NULL;
}

static struct body *find_or_fail(pid_t pid)
{
	struct body *body = find(pid);

	if (!body)
		fail_msg("the test speaks of PID %d, which nobody bears", pid);
	return body;
}

struct fake_process *fake_process(pid_t pid)
{
	struct body *body = find(pid);

	return body ? &body->is : NULL;
}

bool fake_is_alive(pid_t pid)
{
	struct body *body = find(pid);

	return body && !body->dead;
}

static bool is_number_in_use(pid_t pid)
{
	for (size_t i = 0; i < machine.body_count; i++) {
		const struct body *body = &machine.bodies[i];

		if (!body->reaped &&
		    (body->is.pid == pid || body->is.pgrp == pid || body->is.session == pid))
			return true;
	}
	return false;
}

static pid_t next_pid(void)
{
	do {
		fake.last_pid++;
		if (fake.last_pid >= fake.pid_max)
			fake.last_pid = RESERVED_PIDS;
	} while (is_number_in_use(fake.last_pid));
	fake.forks++;
	return fake.last_pid;
}

static struct body *free_body(void)
{
	for (size_t i = 0; i < machine.body_count; i++)
		if (machine.bodies[i].reaped && !machine.bodies[i].references)
			return &machine.bodies[i];
	if (machine.body_count == PROCESSES)
		fail_msg("the machine is full");
	return &machine.bodies[machine.body_count++];
}

static void open_namespace(uint64_t id);

static struct body *enter(const struct fake_process *process)
{
	struct body *body;

	pid_t pid = process->pid ? process->pid : next_pid();

	if (find(pid))
		fail_msg("PID %d is taken", pid);
	for (size_t i = 0; i < machine.body_count; i++)
		machine.bodies[i].succeeded |= machine.bodies[i].is.pid == pid;
	for (size_t i = 0; i < machine.descriptor_count; i++)
		machine.descriptors[i].succeeded |= machine.descriptors[i].number == pid;
	body = free_body();
	open_namespace(process->mntns);
	*body = (struct body){ .is = *process };
	body->is.pid = pid;
	body->dead = process->state == 'Z' && process->threads <= 1;
	if (!body->is.tgid)
		body->is.tgid = body->is.pid;
	if (!body->is.threads)
		body->is.threads = 1;
	if (!body->is.state)
		body->is.state = 'S';
	if (!body->is.inode)
		body->is.inode = machine.next_inode++;
	if (pid < NUMBERS)
		machine.bearers[pid] = body->is.inode;
	return body;
}

pid_t fake_add(const struct fake_process *process)
{
	struct fake_process added = *process;
	const struct body *parent;

	if (!added.ppid)
		added.ppid = 1;
	parent = find_or_fail(added.ppid);
	if (!added.pgrp)
		added.pgrp = parent->is.pgrp;
	if (!added.session)
		added.session = parent->is.session;
	if (!added.cgroup)
		added.cgroup = parent->is.cgroup;
	if (!added.mntns)
		added.mntns = parent->is.mntns;
	if (!added.started)
		added.started = machine.next_start++;
	added.bystander |= parent->is.bystander;
	if (added.pid > fake.last_pid)
		fake.last_pid = added.pid;
	return enter(&added)->is.pid;
}

pid_t fake_fork(pid_t parent)
{
	const struct fake_process *from = &find_or_fail(parent)->is;

	return enter(&(struct fake_process){ .ppid = parent,
					     .pgrp = from->pgrp,
					     .session = from->session,
					     .cgroup = from->cgroup,
					     .mntns = from->mntns,
					     .output = from->output,
					     .writes = from->writes,
					     .started = fake_ticks(),
					     .bystander = from->bystander })
		->is.pid;
}

static void reap(struct body *body)
{
	if (!body->dead)
		fail_msg("PID %d is alive and cannot be reaped", body->is.pid);
	body->reaped = true;
}

static bool fetches_its_dead(pid_t pid)
{
	const struct body *body = find(pid);

	return pid == 1 || !body || body->is.reaps;
}

static void reap_what_is_fetched(void)
{
	for (size_t i = 0; i < machine.body_count; i++) {
		struct body *body = &machine.bodies[i];

		if (body->dead && !body->reaped && fetches_its_dead(body->is.ppid))
			reap(body);
	}
}

static pid_t new_parent(const struct body *dead)
{
	const struct body *body = dead;

	do {
		body = find(body->is.ppid);
	} while (body && body->is.pid != 1 && (body->dead || !body->is.subreaper));
	return body ? body->is.pid : 1;
}

static void die(struct body *body)
{
	if (body->dead)
		return;
	if (body->is.bystander)
		complain("%d died, a bystander", body->is.pid);
	body->dead = true;
	body->is.state = 'Z';
	body->is.threads = 1;
	for (size_t i = 0; i < machine.body_count; i++) {
		struct body *other = &machine.bodies[i];

		if (other->is.tgid == body->is.pid && other != body)
			other->dead = other->reaped = true;
		else if (other->is.ppid == body->is.pid && !other->reaped)
			other->is.ppid = new_parent(body);
	}
}

void fake_exit(pid_t pid)
{
	find_or_fail(pid)->is.bystander = false; /* of its own will */
	die(find_or_fail(pid));
}

void fake_reap(pid_t pid)
{
	reap(find_or_fail(pid));
}

void fake_end(pid_t pid)
{
	struct body *body = find_or_fail(pid);

	fake_exit(pid);
	reap(body);
}

void fake_setsid(pid_t pid)
{
	struct body *body = find_or_fail(pid);

	body->is.pgrp = body->is.session = pid;
}

/* Namespaces. */

struct namespace *fake_namespace(uint64_t id)
{
	struct namespace *namespace;

	for (size_t i = 0; i < machine.namespace_count; i++)
		if (machine.namespaces[i].id == id)
			return &machine.namespaces[i];
	if (machine.namespace_count == NAMESPACES)
		fail_msg("too many namespaces");
	namespace = &machine.namespaces[machine.namespace_count++];
	*namespace = (struct namespace){
		.id = id, .first = id == FAKE_HOST, .nested = id != FAKE_HOST, .ours = true
	};
	return namespace;
}

static bool is_namespace_in_use(uint64_t id)
{
	for (size_t i = 0; i < machine.body_count; i++)
		if (!machine.bodies[i].dead && machine.bodies[i].is.mntns == id)
			return true;
	for (size_t i = 0; i < machine.descriptor_count; i++)
		if (machine.descriptors[i].kind == NAMESPACE && machine.descriptors[i].mntns == id)
			return true;
	return false;
}

static uint64_t *unique_id(uint64_t id)
{
	size_t i = 0;

	while (i < machine.unique_id_count && machine.unique_ids[i].id != id)
		i++;
	if (i == NAMESPACES)
		fail_msg("too many namespaces");
	if (i == machine.unique_id_count) {
		machine.unique_ids[i].id = id;
		machine.unique_ids[i].unique = machine.next_unique_id++;
		machine.unique_id_count++;
	}
	return &machine.unique_ids[i].unique;
}

uint64_t fake_unique_id(uint64_t id)
{
	return *unique_id(id);
}

/* Somebody is about to enter it: one that was not there a moment before is another one. */
static void open_namespace(uint64_t id)
{
	uint64_t *unique = unique_id(id);

	fake_namespace(id);
	if (!is_namespace_in_use(id))
		*unique = machine.next_unique_id++;
}

static int compare_ids(const void *a, const void *b)
{
	const struct namespace *left = a, *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

uint64_t fake_unshare(pid_t pid)
{
	uint64_t id = 0, last = 0;

	qsort(machine.namespaces, machine.namespace_count, sizeof(*machine.namespaces),
	      compare_ids);
	for (size_t i = 0; !id && i < machine.namespace_count; i++) {
		if (machine.namespaces[i].id == FAKE_HOST)
			continue;
		last = machine.namespaces[i].id;
		if (!is_namespace_in_use(last))
			id = last;
	}
	if (!id)
		id = last + 1;
	fake_join(pid, id);
	return id;
}

void fake_join(pid_t pid, uint64_t mntns)
{
	open_namespace(mntns);
	find_or_fail(pid)->is.mntns = mntns;
}

/* What /proc says of its namespace: nothing where it is dead or not for our eyes. */
static uint64_t readable_namespace(const struct body *body)
{
	return body->dead || body->is.unreadable ? 0 : body->is.mntns;
}

/* Time and events. */

uint64_t fake_ticks(void)
{
	return (fake.now + SUSPENDED) / FAKE_TICK;
}

static void set_timer(const struct timer *timer)
{
	if (machine.timer_count == PROCESSES)
		fail_msg("too many timers");
	machine.timers[machine.timer_count++] = *timer;
	if (timer->body)
		timer->body->references++;
}

void fake_in(uint64_t ns, void (*act)(void))
{
	set_timer(&(struct timer){ .when = fake.now + ns, .act = act });
}

static struct timer *next_timer(void)
{
	struct timer *next = NULL;

	for (size_t i = 0; i < machine.timer_count; i++)
		if (machine.timers[i].when && (!next || machine.timers[i].when < next->when))
			next = &machine.timers[i];
	return next;
}

static void go_off(struct timer *timer)
{
	struct timer due = *timer;

	timer->when = 0;
	if (due.when > fake.now)
		fake.now = due.when;
	if (due.body) {
		due.body->references--;
		if (!due.stops)
			die(due.body);
		else if (!due.body->dead)
			due.body->is.state = 'T';
	}
	if (due.act)
		due.act();
}

static void advance(uint64_t until)
{
	struct timer *timer;

	while ((timer = next_timer()) && timer->when <= until)
		go_off(timer);
	if (until > fake.now)
		fake.now = until;
}

void fake_after(enum fake_door door, pid_t pid, unsigned nth, void (*act)(void))
{
	if (machine.event_count == EVENTS)
		fail_msg("too many events");
	machine.events[machine.event_count++] =
		(struct event){ .door = door, .pid = pid, .nth = nth, .act = act };
}

void fake_after_every(enum fake_door door, pid_t pid, void (*act)(void))
{
	fake_after(door, pid, 1, act);
	machine.events[machine.event_count - 1].again = true;
}

void fake_cost(enum fake_door door, uint64_t ns)
{
	machine.costs[door] = ns;
}

unsigned fake_calls(enum fake_door door)
{
	return machine.calls[door];
}

void fake_interrupt(int signal)
{
	machine.interrupt = signal;
}

/* A door was answered. */
static void answered(enum fake_door door, pid_t pid)
{
	machine.calls[door]++;
	if (++machine.calls[DOOR_ANY] > CALLS)
		fail_msg("%d calls: this has no end; so far: %.300s", CALLS, machine.log);
	advance(fake.now + machine.costs[door] + machine.costs[DOOR_ANY]);
	for (size_t i = 0; i < machine.event_count; i++) {
		struct event *event = &machine.events[i];

		if ((event->door != DOOR_ANY && event->door != door) ||
		    (event->pid && event->pid != pid))
			continue;
		if (++event->seen != event->nth)
			continue;
		if (event->again)
			event->seen = 0;
		event->act();
	}
}

void fake_on_signal(void (*heard)(const struct fake_process *process, int signal))
{
	machine.heard = heard;
}

uint64_t clock_now(void)
{
	return fake.now;
}

void clock_pass_tick(void)
{
	fake.now += FAKE_TICK;
}

uint64_t clock_boot_ticks(void)
{
	return fake_ticks();
}

uint64_t clock_ticks_per_second(void)
{
	return NS_PER_SECOND / FAKE_TICK;
}

uint64_t clock_start_error(void)
{
	return fake.start_error;
}

char *clock_format(uint64_t wall, char *text, size_t size)
{
	snprintf(text, size, "second %" PRIu64, wall / NS_PER_SECOND);
	return text;
}

uint64_t clock_wall(void)
{
	return fake.booted + fake.now + SUSPENDED;
}

/* The door to /proc. */

struct scan *fake_scan(void)
{
	return &the_scan;
}

static void check_scan(const struct scan *scan)
{
	if (scan != &the_scan)
		fail_msg("an unknown scan was handed to the door");
}

static void read_namespaces(const struct body *body, unsigned kinds, struct process *process)
{
	uint64_t id = readable_namespace(body);

	if (kinds & SCOPE_BIT(SCOPE_MNT))
		process->mntns = id ? MOUNTS : 0;
	if (kinds & SCOPE_BIT(fake.namespace_kind))
		process->namespaces[fake.namespace_kind - SCOPE_MNT] = id;
}

static struct process reading_of(const struct body *body)
{
	struct process process = {
		.pid = body->is.pid,
		.tgid = body->is.tgid,
		.ppid = body->is.ppid,
		.pgrp = body->is.pgrp,
		.session = body->is.session,
		.threads = body->is.threads,
		.state = body->is.state,
		.kernel_thread = body->is.kernel_thread,
		.cgroup = body->is.cgroup,
		.start_ticks = body->is.started,
		.terminal = body->is.terminal,
		.owner = body->is.user,
		.command = "fake",
	};

	read_namespaces(body, SCOPE_NAMESPACE_BITS, &process);
	return process;
}

static uint64_t namespace_of(const struct process *process)
{
	return process->namespaces[fake.namespace_kind - SCOPE_MNT];
}

/* As the real one does: inodes of the oldest of a namespace alone. */
static void fill_inodes(struct snapshot *snapshot, uint64_t id)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (namespace_of(process) != id || !process_alive(process))
			continue;
		if (process->start_ticks < oldest)
			oldest = process->start_ticks;
	}
	for (size_t i = 0; fake.pidfs && i < snapshot->count; i++) {
		struct process *process = &snapshot->processes[i];

		if (namespace_of(process) == id && process->start_ticks == oldest)
			process->inode = find(process->pid)->is.inode;
	}
}

static void describe(const struct namespace *namespace, struct namespace *row)
{
	*row = *namespace;
	row->kind = fake.namespace_kind;
	row->unique = fake.unique_ids ? fake_unique_id(row->id) : 0;
}

static struct namespace *add_row(struct snapshot *snapshot)
{
	struct namespace *row =
		list_append(&snapshot->namespaces, &snapshot->namespace_count, sizeof(*row));

	if (!row)
		fail_msg("out of memory");
	return row;
}

/* And of each cgroup with all below it, but the root. */
static void fill_inodes_of_cgroup(struct snapshot *snapshot, const struct cgroup *cgroup)
{
	const struct scope scope = { .kind = SCOPE_CGROUP, .id = cgroup->id, .cgroup = cgroup };
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct process *process = &snapshot->processes[i];

		if (process_alive(process) && scope_holds(scope, process) &&
		    process->start_ticks < oldest)
			oldest = process->start_ticks;
	}
	for (size_t i = 0; fake.pidfs && i < snapshot->count; i++) {
		struct process *process = &snapshot->processes[i];

		if (process->start_ticks == oldest && scope_holds(scope, process))
			process->inode = find(process->pid)->is.inode;
	}
}

static void list_namespaces(struct snapshot *snapshot)
{
	for (size_t i = 0; i < machine.namespace_count; i++) {
		bool seen = false;

		for (size_t p = 0; p < snapshot->count; p++)
			seen |= namespace_of(&snapshot->processes[p]) == machine.namespaces[i].id;
		if (!seen)
			continue;
		describe(&machine.namespaces[i], add_row(snapshot));
	}
	if (fake.namespace_kind != SCOPE_MNT)
		*add_row(snapshot) = (struct namespace){
			.id = MOUNTS, .kind = SCOPE_MNT, .first = true, .ours = true
		};
}

int scan_all(struct scan *scan, unsigned flags, struct snapshot *snapshot, struct error *error)
{
	struct snapshot filled = { .last_pid = fake.last_pid, .ticks = fake_ticks() };

	(void)error;
	check_scan(scan);
	answered(DOOR_SCAN_BEGUN, 0);
	filled.processes = calloc(machine.body_count + 1, sizeof(*filled.processes));
	if (!filled.processes)
		fail_msg("out of memory");
	for (size_t i = 0; i < machine.body_count; i++) {
		const struct body *body = &machine.bodies[i];
		struct process process = reading_of(body);

		if (body->reaped || body->is.hidden || process.tgid != process.pid)
			continue;
		process.pidns_init = flags & SCAN_INITS && namespace_of(&process) &&
				     !fake_namespace(namespace_of(&process))->first &&
				     body->is.pidns_init;
		filled.unreadable += !body->dead && body->is.unreadable;
		filled.processes[filled.count++] = process;
	}
	list_namespaces(&filled);
	snapshot_sort(&filled);
	for (size_t i = 0; i < filled.namespace_count; i++)
		if (!filled.namespaces[i].first)
			fill_inodes(&filled, filled.namespaces[i].id);
	for (size_t i = 0; i < filled.count; i++)
		if (filled.processes[i].cgroup && filled.processes[i].cgroup->parent)
			fill_inodes_of_cgroup(&filled, filled.processes[i].cgroup);
	*snapshot = filled;
	answered(DOOR_SCAN_ALL, 0);
	return 0;
}

/* ---- the same of an area: nobody more than must be read ---- */

struct filter {
	const struct scan_area *area;
	const struct snapshot *snapshot;
	struct scope barred[8 * SCOPE_KINDS];
	size_t barred_count;
	bool *wanted, *guard;
};

static bool is_seed(const struct filter *filter, struct scope scope)
{
	for (size_t i = 0; i < filter->area->count; i++)
		if (scope_equal(filter->area->seeds[i], scope))
			return true;
	return false;
}

static void bar_those_of(struct filter *filter, pid_t pid)
{
	const struct process *guard = snapshot_find(filter->snapshot, pid);
	size_t place = guard ? (size_t)(guard - filter->snapshot->processes) : 0;

	if (!guard || filter->guard[place] || (pid == 2 && !guard->kernel_thread))
		return;
	filter->guard[place] = true;
	for (enum scope_kind kind = 0; kind < SCOPE_CGROUP; kind++) {
		if (filter->barred_count == 8 * SCOPE_KINDS)
			fail_msg("nskill has too many ancestors");
		filter->barred[filter->barred_count++] = scope_of(guard, kind);
	}
	bar_those_of(filter, guard->ppid);
}

static bool is_barred(const struct filter *filter, struct scope scope)
{
	for (size_t i = 0; i < filter->barred_count; i++)
		if (scope_equal(filter->barred[i], scope))
			return true;
	return false;
}

/* Whether @to is wanted for @from; NULL: for the seeds. */
static bool leads_to(const struct filter *filter, const struct process *from,
		     const struct process *to)
{
	const struct scope self = { .kind = SCOPE_TREE, .id = (uint64_t)to->pid };

	if (from ? from->pgrp == to->pid || from->session == to->pid : is_seed(filter, self))
		return true;
	if (from && filter->area->kinds & SCOPE_BIT(SCOPE_TREE) && to->ppid == from->pid)
		return true;
	for (enum scope_kind kind = 0; kind < SCOPE_CGROUP; kind++) {
		struct scope scope = scope_of(to, kind);

		if (!scope.id || (is_barred(filter, scope) && (from || !scope_kind_is_led(kind))))
			continue;
		if (from ? scope_equal(scope_of(from, kind), scope) : is_seed(filter, scope))
			return true;
		if (from && scope_kind_is_led(kind) && scope.id == (uint64_t)from->pid)
			return true;
	}
	return false;
}

static void want_all(struct filter *filter, const struct process *from)
{
	const struct snapshot *snapshot = filter->snapshot;

	for (size_t i = 0; i < snapshot->count; i++) {
		if (filter->wanted[i] || filter->guard[i] ||
		    !leads_to(filter, from, &snapshot->processes[i]))
			continue;
		filter->wanted[i] = true;
		want_all(filter, &snapshot->processes[i]);
	}
}

static void leave_out(struct snapshot *snapshot, const struct filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->count; i++)
		if (filter->wanted[i] || filter->guard[i])
			snapshot->processes[kept++] = snapshot->processes[i];
	snapshot->count = kept;
	kept = 0;
	for (size_t i = 0; i < snapshot->namespace_count; i++) {
		const struct namespace *row = &snapshot->namespaces[i];
		struct scope scope = { .kind = row->kind, .id = row->id };
		bool inhabited = false;

		for (size_t p = 0; p < snapshot->count; p++)
			inhabited |= scope_holds(scope, &snapshot->processes[p]);
		if (inhabited)
			snapshot->namespaces[kept++] = *row;
	}
	snapshot->namespace_count = kept;
}

int scan_around(struct scan *scan, unsigned flags, const struct scan_area *area,
		struct snapshot *snapshot, struct error *error)
{
	struct filter filter = { .area = area, .snapshot = snapshot };
	int rc = scan_all(scan, flags, snapshot, error);

	filter.wanted = calloc(snapshot->count + 1, sizeof(*filter.wanted));
	filter.guard = calloc(snapshot->count + 1, sizeof(*filter.guard));
	if (!filter.wanted || !filter.guard)
		fail_msg("out of memory");
	bar_those_of(&filter, area->self);
	bar_those_of(&filter, 1);
	bar_those_of(&filter, 2);
	want_all(&filter, NULL);
	leave_out(snapshot, &filter);
	free(filter.wanted);
	free(filter.guard);
	return rc;
}

static struct stream stream_of(uint64_t number)
{
	return (struct stream){ .kind = number ? fake.stream_kind : STREAM_NONE,
				.inode = number,
				.terminal = fake.stream_kind == STREAM_TERMINAL ? number : 0,
				.fd = -1 };
}

int files_stream(const struct process *process, int fd, bool hold, struct stream *stream)
{
	const struct body *body = find(process->pid);
	int rc = !body || body->dead ? -ENOENT : body->is.closed ? -EACCES : 0;

	(void)hold;
	if (!rc)
		*stream = stream_of(fd == 1 ? body->is.output : 0);
	answered(DOOR_FILES, process->pid);
	return rc;
}

void files_release(struct stream *stream)
{
	stream->fd = -1;
}

uint64_t files_peek(pid_t pid, const struct streams *streams)
{
	const struct body *body = find(pid);
	const struct stream stream = stream_of(body && !body->is.closed ? body->is.output : 0);
	size_t place = streams_find(streams, &stream);
	uint64_t writes = body && !body->dead && place < streams->count ? STREAM_BIT(place) : 0;

	answered(DOOR_FILES, pid);
	return writes;
}

int files_writes(struct process *process, const struct streams *streams, uint64_t until)
{
	const struct body *body = find(process->pid);
	int rc = !body || body->dead ? -ENOENT : body->is.closed ? -EACCES : 0;

	(void)until;
	process->writes = 0;
	for (size_t i = 0; !rc && i < streams->count; i++)
		if (streams->list[i].inode == body->is.output ||
		    streams->list[i].inode == body->is.writes)
			process->writes |= STREAM_BIT(i);
	answered(DOOR_FILES, process->pid);
	return rc;
}

void scan_inode(struct scan *scan, struct process *process)
{
	const struct body *body = find(process->pid);

	check_scan(scan);
	if (fake.pidfs && body && body->is.started == process->start_ticks)
		process->inode = body->is.inode;
}

static const struct body *look_at(pid_t pid)
{
	const struct body *body = find(pid);

	for (size_t i = 0; body && i < machine.descriptor_count; i++)
		if (machine.descriptors[i].body == body)
			machine.descriptors[i].read = true;
	return body;
}

int scan_process(struct scan *scan, pid_t pid, struct process *process)
{
	const struct body *body = find(pid);
	int rc = -ESRCH;

	check_scan(scan);
	if (body && body->is.hidden) {
		rc = -EACCES;
	} else if (body) {
		*process = reading_of(look_at(pid));
		process->ruid = body->is.user;
		process->suid = body->is.saved_user ? body->is.saved_user : body->is.user;
		rc = 0;
	}
	answered(DOOR_SCAN_PROCESS, pid);
	return rc;
}

int scan_peek(struct scan *scan, pid_t pid, unsigned kinds, struct process *process)
{
	const struct body *body = look_at(pid);
	int rc = body ? -body->is.unpeekable : -ESRCH;
	bool with_cgroup = rc == 0 && !body->is.hidden && kinds & SCOPE_BIT(SCOPE_CGROUP);

	check_scan(scan);
	if (rc == 0)
		*process = (struct process){
			.pid = pid,
			.tgid = pid,
			.pgrp = body->is.pgrp,
			.session = body->is.session,
			.threads = 1,
			.cgroup = with_cgroup ? body->is.cgroup : NULL,
		};
	if (body)
		read_namespaces(body, kinds, process);
	answered(DOOR_SCAN_PEEK, pid);
	return rc;
}

int scan_last_pid(struct scan *scan, pid_t *pid)
{
	check_scan(scan);
	*pid = fake.last_pid;
	answered(DOOR_LAST_PID, 0);
	return 0;
}

pid_t scan_pid_max(void)
{
	return fake.pid_max;
}

int scan_children(struct scan *scan, pid_t pid, pid_t **children)
{
	pid_t *list = calloc(machine.body_count, sizeof(*list));
	int count = 0;

	check_scan(scan);
	if (!list)
		fail_msg("out of memory");
	for (size_t i = 0; i < machine.body_count; i++) {
		const struct body *body = &machine.bodies[i];

		if (!body->reaped && body->is.ppid == pid && body->is.pid == body->is.tgid)
			list[count++] =
				look_at(body->is.pid)->is.pid; /* to be listed is to be read */
	}
	*children = list;
	answered(DOOR_CHILDREN, pid);
	return count;
}

bool scan_stopped(struct scan *scan, pid_t pid)
{
	const struct body *body = find(pid);
	bool stopped = !body || body->dead || body->is.state == 'T';

	check_scan(scan);
	answered(DOOR_STOPPED, pid);
	return stopped;
}

bool scan_frozen(pid_t pid)
{
	(void)pid;
	return false;
}

int scan_tracer(struct scan *scan, pid_t pid, struct process *tracer)
{
	struct fake_process *traced = fake_process(pid);

	return traced && traced->tracer ? scan_process(scan, traced->tracer, tracer) : -ESRCH;
}

void scan_wait_channel(struct scan *scan, pid_t pid, char *name, size_t size)
{
	check_scan(scan);
	snprintf(name, size, "fake_wait_%d", pid);
}

/* The door to pidfds. */

static size_t open_of(int kind)
{
	size_t count = 0;

	for (size_t i = 0; i < machine.descriptor_count; i++)
		count += (int)machine.descriptors[i].kind == kind;
	return count;
}

static int open_descriptor(const struct descriptor *descriptor)
{
	size_t i = 0;

	while (i < machine.descriptor_count && machine.descriptors[i].kind != CLOSED)
		i++;
	if (i == DESCRIPTORS)
		fail_msg("out of descriptors");
	if (i == machine.descriptor_count)
		machine.descriptor_count++;
	machine.descriptors[i] = *descriptor;
	if (descriptor->body)
		descriptor->body->references++;
	return (int)i + FIRST_DESCRIPTOR;
}

static struct descriptor *descriptor(int fd, int kind)
{
	struct descriptor *found;

	if (fd < FIRST_DESCRIPTOR || fd >= FIRST_DESCRIPTOR + DESCRIPTORS)
		return NULL;
	found = &machine.descriptors[fd - FIRST_DESCRIPTOR];
	return (int)found->kind == kind ? found : NULL;
}

static void close_descriptor(int fd, int kind)
{
	struct descriptor *open = descriptor(fd, kind);

	if (!open) {
		complain("descriptor %d was closed, which is not open", fd);
		return;
	}
	if (open->body)
		open->body->references--;
	*open = (struct descriptor){ 0 };
}

static int pin_error(const struct body *body)
{
	if (fake.pin_error)
		return -fake.pin_error;
	if (!body)
		return -ESRCH;
	if (body->is.tgid != body->is.pid)
		return -fake.thread_error;
	if (body->is.unpinnable)
		return -body->is.unpinnable;
	return open_of(PIDFD) + open_of(GROUP) >= fake.pins ? -EMFILE : 0;
}

int pidref_open(struct pidref *ref, pid_t pid)
{
	struct body *body = find(pid);
	int rc = pin_error(body);

	if (rc == 0)
		*ref = (struct pidref){
			.pid = pid,
			.fd = open_descriptor(&(struct descriptor){ .kind = PIDFD, .body = body }),
			.inode = fake.pidfs ? body->is.inode : 0,
		};
	answered(DOOR_PIN, pid);
	return rc;
}

void pidref_close(struct pidref *ref)
{
	if (ref->fd >= 0)
		close_descriptor(ref->fd, PIDFD);
	*ref = PIDREF_NULL;
}

static const char *error_name(int error)
{
	switch (error) {
	case EACCES:
		return "EACCES";
	case EPERM:
		return "EPERM";
	case ESRCH:
		return "ESRCH";
	}
	return strerror(error);
}

static bool is_guarded(const struct body *body)
{
	const struct body *ancestor = find(FAKE_NSKILL);

	while (ancestor && ancestor != body && ancestor->is.pid > 1)
		ancestor = find(ancestor->is.ppid);
	return ancestor == body || body->is.pid <= 1 || body->is.kernel_thread;
}

static void check_victim(const struct body *body, int signal)
{
	if (is_guarded(body))
		complain("%d got %s, and is guarded", body->is.pid, signal_name(signal));
	if (body->is.bystander)
		complain("%d got %s, a bystander", body->is.pid, signal_name(signal));
}

static void die_in_a_while(struct body *body)
{
	if (body->is.dying)
		set_timer(&(struct timer){ .when = fake.now + body->is.dying, .body = body });
	else
		die(body);
}

/* With the init of a PID namespace the kernel ends all that is in there. */
static void begin_to_die(struct body *body)
{
	bool all = fake.namespace_kind == SCOPE_PID && body->is.pidns_init;

	for (size_t i = 0; i < machine.body_count; i++) {
		struct body *other = &machine.bodies[i];

		if (other == body || (all && other->is.mntns == body->is.mntns && !other->dead))
			die_in_a_while(other);
	}
}

static void stop(struct body *body)
{
	if (body->is.unstoppable)
		return;
	if (body->is.stopping)
		set_timer(&(struct timer){
			.when = fake.now + body->is.stopping, .body = body, .stops = true });
	else
		body->is.state = 'T';
}

static void go_on(struct body *body)
{
	if (body->is.state == 'T')
		body->is.state = 'S';
	if (body->pending)
		begin_to_die(body);
}

static void receive(struct body *body, int signal)
{
	check_victim(body, signal);
	if (machine.heard)
		machine.heard(&body->is, signal);
	if (body->dead)
		return;
	if (signal == SIGKILL && body->is.unkillable)
		body->is.state = body->is.tracer ? 't' : 'D';
	else if (signal == SIGKILL)
		begin_to_die(body);
	else if (signal == SIGSTOP)
		stop(body);
	else if (signal == SIGCONT)
		go_on(body);
	else if (body->is.handler)
		body->is.handler();
	else if (!body->is.ignores && body->is.state == 'T')
		body->pending = true;
	else if (!body->is.ignores)
		begin_to_die(body);
}

static int send(struct descriptor *through, int signal)
{
	struct body *body = through->body;

	if (body->reaped)
		return -ESRCH;
	if (signal == 0)
		return body->is.denied == EPERM ? -EPERM : 0;
	if (!through->read)
		complain("%d got %s, but was not read since it was pinned", body->is.pid,
			 signal_name(signal));
	if (body->is.denied) {
		note("%d %s %s", body->is.pid, signal_name(signal), error_name(body->is.denied));
		return -body->is.denied;
	}
	if (signal != SIGSTOP || !(body->got & 1UL << signal))
		note("%d %s", body->is.pid, signal_name(signal));
	if (!body->dead && signal != SIGKILL && signal != SIGCONT && signal != SIGSTOP &&
	    body->got & 1UL << signal)
		complain("%d got %s a second time", body->is.pid, signal_name(signal));
	body->got |= 1UL << signal;
	receive(body, signal);
	return 0;
}

int pidref_signal(const struct pidref *ref, int signal)
{
	struct descriptor *through = descriptor(ref->fd, PIDFD);
	int rc = -EBADF;

	if (through)
		rc = send(through, signal);
	else
		complain("%s was sent through a reference that is not open", signal_name(signal));
	answered(signal ? DOOR_SIGNAL : DOOR_PROBE, ref->pid);
	return rc;
}

static int send_group(const struct body *leader, int signal)
{
	pid_t pgrp = leader->is.pid;
	int rc = -ESRCH;

	for (size_t i = 0; !leader->succeeded && i < machine.body_count; i++) {
		struct body *body = &machine.bodies[i];

		if (body->reaped || body->is.pgrp != pgrp || body->is.tgid != body->is.pid)
			continue;
		if (rc == -ESRCH && signal)
			note("group %d %s", pgrp, signal_name(signal));
		if (body->is.denied) {
			rc = rc ? -body->is.denied : 0;
			continue;
		}
		fake.striking = true;
		if (signal)
			receive(body, signal);
		fake.striking = false;
		rc = 0;
	}
	return rc;
}

int pidref_signal_group(const struct pidref *ref, int signal)
{
	struct descriptor *through = descriptor(ref->fd, PIDFD);
	int rc = -EBADF;

	if (!through)
		complain("a group was struck through a reference that is not open");
	else if (!fake.group_signal)
		rc = -EINVAL;
	else
		rc = send_group(through->body, signal);
	answered(DOOR_SIGNAL_GROUP, ref->pid);
	return rc;
}

bool pidref_keeps_number(const struct pidref *ref)
{
	bool kept = fake.handles && ref->inode && ref->pid < NUMBERS &&
		    machine.bearers[ref->pid] == ref->inode && is_number_in_use(ref->pid);

	answered(DOOR_KEEPS_NUMBER, ref->pid);
	return kept;
}

int pidref_ended(const struct pidref *ref)
{
	struct descriptor *through = descriptor(ref->fd, PIDFD);

	if (!through)
		complain("a reference that is not open was asked for an end");
	return through && through->body->dead;
}

/* The door to waiting. */

static bool is_open(const struct watch *watch)
{
	return watch->epoll > 0 && watch->epoll < WATCHES && machine.watches[watch->epoll].open;
}

int watch_open(struct watch *watch)
{
	if (fake.watch_open_error)
		return -fake.watch_open_error;
	for (int number = 1; number < WATCHES; number++) {
		if (machine.watches[number].open)
			continue;
		machine.watches[number].open = machine.watches[number].heeding = true;
		*watch = (struct watch){ .epoll = number, .interrupts = number };
		return 0;
	}
	fail_msg("too many watches");
	return -EMFILE;
}

void watch_close(struct watch *watch)
{
	if (watch->epoll >= 0 && !is_open(watch))
		complain("a watch was closed that is not open");
	else if (watch->epoll >= 0)
		machine.watches[watch->epoll].open = false;
	*watch = WATCH_NULL;
}

void watch_ignore_interrupts(struct watch *watch)
{
	if (is_open(watch))
		machine.watches[watch->epoll].heeding = false;
	watch->interrupts = -1;
}

int watch_add(struct watch *watch, const struct pidref *ref, void *data)
{
	struct descriptor *watched = descriptor(ref->fd, PIDFD);

	if (fake.watch_add_error)
		return -fake.watch_add_error;
	if (!is_open(watch) || !watched || watched->watcher) {
		complain("%d cannot be watched", ref->pid);
		return 0;
	}
	watched->watcher = data;
	watched->watch = watch->epoll;
	return 0;
}

static int collect(const struct watch *watch, void **ended, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < machine.descriptor_count && count < size; i++) {
		const struct descriptor *watched = &machine.descriptors[i];

		if (watched->kind == PIDFD && watched->watcher && watched->watch == watch->epoll &&
		    watched->body->dead)
			ended[count++] = watched->watcher;
	}
	return (int)count;
}

static int wait_for(const struct watch *watch, uint64_t until, void **ended, size_t size,
		    int *signal)
{
	struct timer *timer;
	int count;

	for (;;) {
		if (machine.interrupt && machine.watches[watch->epoll].heeding) {
			*signal = machine.interrupt;
			machine.interrupt = 0;
			return -EINTR;
		}
		count = collect(watch, ended, size);
		reap_what_is_fetched();
		if (count || fake.now >= until)
			return count;
		timer = next_timer();
		if (timer && timer->when <= until)
			go_off(timer);
		else if (until == CLOCK_NEVER)
			fail_msg("waits for ever; so far: %.300s", machine.log);
		else
			fake.now = until;
	}
}

int watch_wait(struct watch *watch, uint64_t until, void **ended, size_t size, int *signal)
{
	int rc = -EBADF;

	if (!is_open(watch))
		complain("waits without a watch");
	else if (fake.wait_error)
		rc = -fake.wait_error;
	else if (fake.idle_waits)
		rc = 0;
	else
		rc = wait_for(watch, until, ended, size, signal);
	fake.idle_waits -= fake.idle_waits > 0;
	answered(DOOR_WAIT, 0);
	return rc;
}

/* The door to process groups. */

int group_hold(pid_t number)
{
	int rc = -ESRCH;

	if (!fake.empty_groups)
		rc = -ENOSYS;
	else if (open_of(PIDFD) + open_of(GROUP) >= fake.pins / 2)
		rc = -EMFILE;
	else if (is_number_in_use(number))
		rc = open_descriptor(&(struct descriptor){ .kind = GROUP, .number = number });
	answered(DOOR_HOLD_GROUP, number);
	return rc;
}

bool group_is_empty(int fd)
{
	const struct descriptor *held = descriptor(fd, GROUP);
	bool empty = true;

	if (!held) {
		complain("descriptor %d was asked for, which holds no group", fd);
		return false;
	}
	for (size_t i = 0; empty && !held->succeeded && i < machine.body_count; i++)
		empty = machine.bodies[i].reaped || machine.bodies[i].is.pgrp != held->number;
	answered(DOOR_GROUP, held->number);
	return empty;
}

void group_release(int *fd)
{
	if (*fd >= 0)
		close_descriptor(*fd, GROUP);
	*fd = -1;
}

/* The door to mount namespaces. */

int namespace_unique_id(int fd, uint64_t *id)
{
	const struct descriptor *held = descriptor(fd, NAMESPACE);

	if (!held)
		complain("the id was asked for of descriptor %d, which is no namespace", fd);
	if (!held || !fake.unique_ids)
		return -ENOTTY;
	*id = fake_unique_id(held->mntns);
	return 0;
}

bool namespace_user_is(pid_t pid, uid_t user)
{
	const struct body *body = find(pid);

	return body && user && body->is.namespace_user == user;
}

int namespace_pin(const struct process *process, enum scope_kind kind)
{
	const struct body *body = find(process->pid);
	int rc = -ESTALE;

	if (!body || body->dead)
		rc = -ENOENT;
	else if (body->is.unreadable)
		rc = -EACCES;
	else if (kind == fake.namespace_kind && body->is.mntns == namespace_of(process))
		rc = open_descriptor(
			&(struct descriptor){ .kind = NAMESPACE, .mntns = body->is.mntns });
	else if (kind == SCOPE_MNT && process->mntns == MOUNTS)
		rc = open_descriptor(&(struct descriptor){ .kind = NAMESPACE, .mntns = MOUNTS });
	answered(DOOR_PIN_NAMESPACE, process->pid);
	return rc;
}

int namespace_describe_held(const struct held_namespace *held, struct namespace *described)
{
	if (!descriptor(held->fd, NAMESPACE))
		complain("descriptor %d was described, which is no namespace", held->fd);
	describe(fake_namespace(held->inode), described);
	return 0;
}

void namespace_unpin(int *fd)
{
	if (*fd >= 0)
		close_descriptor(*fd, NAMESPACE);
	*fd = -1;
}

/* The door to cgroups. */

int cgroup_open(struct cgroup_ref *ref, const struct cgroup *cgroup)
{
	const int fd =
		fake.cgroup_kill_error
			? -fake.cgroup_kill_error
			: open_descriptor(&(struct descriptor){ .kind = CGROUP, .cgroup = cgroup });

	if (fd >= 0)
		*ref = (struct cgroup_ref){ .folder = fd, .kill = fd };
	answered(DOOR_CGROUP_OPEN, 0);
	return fd < 0 ? fd : 0;
}

void cgroup_close(struct cgroup_ref *ref)
{
	if (ref->folder >= 0)
		close_descriptor(ref->folder, CGROUP);
	*ref = CGROUP_REF_NULL;
}

static bool is_below(const struct body *body, const struct cgroup *cgroup)
{
	const struct process process = reading_of(body);
	const struct scope scope = { .kind = SCOPE_CGROUP, .id = cgroup->id, .cgroup = cgroup };

	return !body->dead && body->is.pid == body->is.tgid && scope_holds(scope, &process);
}

static const struct cgroup *opened_cgroup(const struct cgroup_ref *ref)
{
	const struct descriptor *open = descriptor(ref->folder, CGROUP);

	if (!open)
		fail_msg("descriptor %d is no cgroup", ref->folder);
	return open->cgroup;
}

int cgroup_list(const struct cgroup_ref *ref, pid_t **pids)
{
	const struct cgroup *cgroup = opened_cgroup(ref);
	pid_t *list = calloc(machine.body_count + 1, sizeof(*list));
	int count = 0;

	if (!list)
		fail_msg("out of memory");
	for (size_t i = 0; i < machine.body_count; i++)
		if (is_below(&machine.bodies[i], cgroup))
			list[count++] = machine.bodies[i].is.pid;
	*pids = list;
	answered(DOOR_CGROUP_LIST, 0);
	return count;
}

/* Whoever is in it, and whoever may not be signalled one by one. */
int cgroup_kill(const struct cgroup_ref *ref)
{
	const struct cgroup *cgroup = opened_cgroup(ref);

	note("cgroup %s KILL", cgroup->path);
	fake.striking = true;
	for (size_t i = 0; i < machine.body_count; i++)
		if (is_below(&machine.bodies[i], cgroup))
			receive(&machine.bodies[i], SIGKILL);
	fake.striking = false;
	answered(DOOR_CGROUP_KILL, 0);
	return 0;
}

/* The door to pidfiles. */

void fake_pidfile(const char *text, uint64_t written, bool whole_seconds)
{
	free(machine.pidfile);
	machine.pidfile = strdup(text);
	if (!machine.pidfile_change)
		machine.pidfile_change = ARRIVAL_CHANGE;
	machine.served = (struct pidfile){ .size = strlen(text),
					   .written = written,
					   .whole_seconds = whole_seconds };
}

void fake_no_pidfile(enum arrival_change change)
{
	free(machine.pidfile);
	machine.pidfile = NULL;
	machine.pidfile_change = change;
}

void fake_pidfile_owner(uid_t owner)
{
	machine.served.owner = owner;
	machine.served.foreign = owner != 0;
}

int pidfile_read(const char *path, size_t most, bool trust, struct pidfile *pidfile,
		 struct error *error)
{
	(void)trust;
	(void)most;
	if (!machine.pidfile || strcmp(path, FAKE_PIDFILE) != 0)
		return error_set(error, STATUS_REFUSED, ENOENT, "pidfile %s: %s", path,
				 strerror(ENOENT));
	*pidfile = machine.served;
	pidfile->text = strdup(machine.pidfile);
	return 0;
}

void pidfile_clear(struct pidfile *pidfile)
{
	free(pidfile->text);
	*pidfile = (struct pidfile){ 0 };
}

int pidfile_read_input(size_t most, uint64_t until, struct pidfile *pidfile, struct error *error)
{
	int rc = pidfile_read(FAKE_PIDFILE, most, true, pidfile, error);

	(void)until;
	if (!rc) {
		pidfile->written = 0;
		pidfile->whole_seconds = pidfile->foreign = false;
	}
	return rc;
}

/* The door to files that are yet to come. */

struct arrival {
	bool watched; /* since the last change was told */
};

int arrival_watch(struct arrival **arrival, const char *path, struct error *error)
{
	static struct arrival only;

	if (fake.watch_error)
		return error_set(error, STATUS_SYSTEM, fake.watch_error, "%s: cannot be waited for",
				 path);
	if (!*arrival)
		machine.pidfile_change = ARRIVAL_NONE;
	only.watched = machine.pidfile_watched = true;
	*arrival = &only;
	return 0;
}

int arrival_wait(struct arrival *arrival, uint64_t until)
{
	struct timer *timer;
	enum arrival_change change;

	if (!machine.pidfile_watched || !arrival->watched)
		complain("waits for a pidfile that is not watched");
	while (!machine.pidfile_change && fake.now < until) {
		timer = next_timer();
		if (timer && timer->when <= until)
			go_off(timer);
		else
			fake.now = until;
	}
	change = machine.pidfile_change;
	machine.pidfile_change = ARRIVAL_NONE;
	arrival->watched = false;
	return change;
}

void arrival_close(struct arrival **arrival)
{
	if (*arrival)
		machine.pidfile_watched = false;
	*arrival = NULL;
}

/* The door to the boot. */

int boot_id(char id[37])
{
	if (fake.boot_error)
		return -fake.boot_error;
	memcpy(id, FAKE_BOOT, sizeof(FAKE_BOOT));
	return 0;
}

int boot_forks(uint64_t *forks)
{
	if (fake.forks_error)
		return -fake.forks_error;
	*forks = fake.forks;
	return 0;
}

uint64_t boot_forks_since(uint64_t forks)
{
	return fake.forks_error || fake.forks < forks ? UINT64_MAX : fake.forks - forks;
}

uint64_t boot_numbers_in_use(void)
{
	uint64_t count = 0;

	if (fake.forks_error)
		return UINT64_MAX;
	for (size_t i = 0; i < machine.body_count; i++)
		count += !machine.bodies[i].reaped;
	return 3 * count;
}

/* The machine. */

void fake_reset(void)
{
	free(machine.pidfile);
	memset(&machine, 0, sizeof(machine));
	machine.next_inode = 1000;
	machine.next_start = MAKE_TIME;
	machine.next_unique_id = 70000;
	fake = (struct fake_kernel){
		.pidfs = true,
		.group_signal = true,
		.empty_groups = true,
		.handles = true,
		.unique_ids = true,
		.thread_error = EINVAL,
		.pins = DESCRIPTORS,
		.namespace_kind = SCOPE_MNT,
		.stream_kind = STREAM_PIPE,
		.pid_max = 32768,
		.booted = 1700000000 * NS_PER_SECOND,
		.now = 1000 * NS_PER_SECOND,
	};
	enter(&(struct fake_process){
		.pid = 1, .pgrp = 1, .session = 1, .mntns = FAKE_HOST, .unreadable = true });
	enter(&(struct fake_process){ .pid = 2, .mntns = FAKE_HOST, .kernel_thread = true });
	PROCESS(.pid = FAKE_SHELL, .pgrp = FAKE_SHELL, .session = FAKE_SHELL);
	PROCESS(.pid = FAKE_NSKILL, .ppid = FAKE_SHELL, .pgrp = FAKE_NSKILL);
}

const char *fake_log(void)
{
	return machine.log;
}

const char *fake_complaints(void)
{
	if (open_of(PIDFD))
		complain("%zu pidfds were left open", open_of(PIDFD));
	if (open_of(NAMESPACE))
		complain("%zu namespaces were left held", open_of(NAMESPACE));
	if (open_of(CGROUP))
		complain("%zu cgroups were left open", open_of(CGROUP));
	if (open_of(GROUP))
		complain("%zu groups were left held", open_of(GROUP));
	for (size_t i = 0; i < WATCHES; i++)
		if (machine.watches[i].open)
			complain("the watch was left open");
	if (machine.pidfile_watched)
		complain("the watch of a pidfile was left open");
	return machine.complaints;
}
