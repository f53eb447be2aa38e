/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/plan.h"

#include "core/cleanup.h"
#include "core/json.h"
#include "core/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct error *error, const char *what)
{
	return error_set(error, STATUS_REFUSED, EINVAL, "%s", what);
}

static int refuse_member(struct error *error, const char *member)
{
	return error_set(error, STATUS_REFUSED, EINVAL,
			 "its member '%s' is missing, or is not what it is in a plan", member);
}

/* An integer from @least on; null, where that is 0, is 0. */
static int read_number(const json_t *object, const char *member, json_int_t least, uint64_t *number,
		       struct error *error)
{
	const json_t *value = json_object_get(object, member);

	if (!least && json_is_null(value)) {
		*number = 0;
		return 0;
	}
	if (!json_is_integer(value) || json_integer_value(value) < least)
		return refuse_member(error, member);
	*number = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_pid(const json_t *object, const char *member, pid_t *pid, struct error *error)
{
	uint64_t number = 0;
	int rc = read_number(object, member, 2, &number, error);

	if (!rc && number > INT_MAX)
		return refuse_member(error, member);
	*pid = (pid_t)number;
	return rc;
}

/* "57:4711", where 57 is @pid; null where pidfds had no inodes. */
static int read_inode(const json_t *object, pid_t pid, uint64_t *inode, struct error *error)
{
	const json_t *value = json_object_get(object, "identity");
	const char *word = json_string_value(value);
	pid_t named = 0;

	*inode = 0;
	if (json_is_null(value))
		return 0;
	if (!word || parse_pid_inode(word, &named, inode) < 0 || named != pid)
		return refuse_member(error, "identity");
	return 0;
}

/* As it was before escape(): \xNN is a byte. */
static void unescape(char *out, size_t size, const char *in)
{
	size_t used = 0;

	while (*in && used + 1 < size) {
		char digits[3] = { 0 }, *end;

		if (in[0] == '\\' && in[1] == 'x' && in[2] && in[3]) {
			memcpy(digits, in + 2, 2);
			out[used] = (char)strtoul(digits, &end, 16);
			if (out[used] && !*end) {
				used++;
				in += 4;
				continue;
			}
		}
		out[used++] = *in++;
	}
	out[used] = '\0';
}

static int read_command(const json_t *object, char *command, size_t size, struct error *error)
{
	const char *text = json_string_value(json_object_get(object, "command"));

	if (!text)
		return refuse_member(error, "command");
	unescape(command, size, text);
	return 0;
}

static int read_target(const json_t *object, struct planned_target *target, struct error *error)
{
	struct identity *identity = &target->identity;
	const char *state = json_string_value(json_object_get(object, "state"));
	uint64_t owner = 0;
	int rc = read_pid(object, "pid", &identity->pid, error);

	*target = (struct planned_target){ .identity.pid = identity->pid, .place = PLAN_NOWHERE };
	rc = rc ? rc : read_number(object, "start_ticks", 0, &identity->start_ticks, error);
	rc = rc ? rc : read_inode(object, identity->pid, &identity->inode, error);
	rc = rc ? rc : read_number(object, "owner", 0, &owner, error);
	if (rc < 0)
		return rc;
	if (!state)
		return refuse_member(error, "state");
	target->ended = strcmp(state, "alive") != 0;
	identity->record.dead = target->ended;
	identity->owned = json_is_integer(json_object_get(object, "owner"));
	identity->owner = (uid_t)owner;
	return 0;
}

static int read_why(const json_t *object, struct scope *why, struct error *error)
{
	const char *name = json_string_value(json_object_get(object, "why"));
	int rc = read_number(object, "why_id", 0, &why->id, error);

	if (rc < 0)
		return rc;
	if (name && strcmp(name, "target") == 0) {
		*why = (struct scope){ 0 };
		return 0;
	}
	for (enum scope_kind kind = 0; name && kind < SCOPE_KINDS; kind++) {
		why->kind = kind;
		if (strcmp(name, scope_kind_name(kind)) == 0 && why->id)
			return 0;
	}
	return refuse_member(error, "why");
}

static int find_target(const struct plan *plan, const json_t *object, size_t *target,
		       struct error *error)
{
	pid_t pid = 0;
	int rc = read_pid(object, "target", &pid, error);

	for (size_t t = 0; !rc && t < plan->target_count; t++) {
		if (plan->targets[t].identity.pid == pid) {
			*target = t;
			return 0;
		}
	}
	return rc ? rc : refuse_member(error, "target");
}

/* 1: it was listed, 0: it was not to be signalled. */
static int read_process(const struct plan *plan, const json_t *object, struct planned *planned,
			struct error *error)
{
	const char *outcome = json_string_value(json_object_get(object, "outcome"));
	struct process *process = &planned->process;
	uint64_t owner = 0;
	int rc = read_pid(object, "pid", &process->pid, error);

	if (rc < 0)
		return rc;
	if (!outcome)
		return refuse_member(error, "outcome");
	if (strcmp(outcome, "listed") != 0)
		return 0;
	*planned = (struct planned){
		.process = { .pid = process->pid,
			     .tgid = process->pid,
			     .state = 'X',
			     .ruid = UID_UNKNOWN,
			     .suid = UID_UNKNOWN },
	};
	rc = read_number(object, "start_ticks", 1, &process->start_ticks, error);
	rc = rc ? rc : read_inode(object, process->pid, &process->inode, error);
	rc = rc ? rc : read_number(object, "uid", 0, &owner, error);
	process->owner = (uid_t)owner;
	rc = rc ? rc : read_command(object, process->command, sizeof(process->command), error);
	rc = rc ? rc : read_why(object, &planned->why, error);
	rc = rc ? rc : find_target(plan, object, &planned->target, error);
	return rc < 0 ? rc : 1;
}

static int read_targets(const json_t *object, struct plan *plan, struct error *error)
{
	const json_t *list = json_object_get(object, "targets");
	int rc = 0;

	if (!json_is_array(list))
		return refuse_member(error, "targets");
	plan->targets = calloc(json_array_size(list) + 1, sizeof(*plan->targets));
	if (!plan->targets)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < json_array_size(list); i++)
		rc = read_target(json_array_get(list, i), &plan->targets[plan->target_count++],
				 error);
	return rc;
}

static int read_processes(const json_t *object, struct plan *plan, struct error *error)
{
	const json_t *list = json_object_get(object, "processes");
	int rc = 0;

	if (!json_is_array(list))
		return refuse_member(error, "processes");
	plan->processes = calloc(json_array_size(list) + 1, sizeof(*plan->processes));
	if (!plan->processes)
		return error_set(error, STATUS_SYSTEM, ENOMEM, "out of memory");
	for (size_t i = 0; rc >= 0 && i < json_array_size(list); i++) {
		rc = read_process(plan, json_array_get(list, i),
				  &plan->processes[plan->process_count], error);
		plan->process_count += rc > 0;
	}
	return rc < 0 ? rc : 0;
}

static int read_kinds(const json_t *object, struct plan *plan, struct error *error)
{
	const json_t *list = json_object_get(object, "match");

	if (!json_is_array(list))
		return refuse_member(error, "match");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		enum scope_kind kind = 0;

		while (name && kind < SCOPE_KINDS && strcmp(name, scope_kind_name(kind)) != 0)
			kind++;
		if (!name || kind == SCOPE_KINDS)
			return refuse_member(error, "match");
		plan->kinds |= SCOPE_BIT(kind);
	}
	plan->all = json_is_true(json_object_get(object, "all"));
	return 0;
}

static int read_origin(const json_t *object, struct plan *plan, struct error *error)
{
	const char *boot = json_string_value(json_object_get(object, "boot_id"));
	const char *signal = json_string_value(json_object_get(object, "signal"));

	if (!boot || strlen(boot) != BOOT_ID_SIZE - 1)
		return refuse_member(error, "boot_id");
	memcpy(plan->boot, boot, BOOT_ID_SIZE);
	if (!signal || parse_signal(signal, &plan->signal) < 0)
		return refuse_member(error, "signal");
	return read_number(object, "pid_namespace", 0, &plan->pid_namespace, error);
}

/* Whether it is a plan at all, and a whole one. */
static int check_kind(const json_t *object, struct error *error)
{
	const char *version = json_string_value(json_object_get(object, "nskill"));
	const json_t *status = json_object_get(object, "exit_status");
	char shown[64];

	if (!version)
		return refuse(error, "is JSON, but not what nskill -n -J prints");
	if (strcmp(version, PACKAGE_VERSION) != 0)
		return error_set(error, STATUS_REFUSED, EINVAL,
				 "was made by nskill %s, and this is %s: make it anew",
				 escape(shown, sizeof(shown), version), PACKAGE_VERSION);
	if (json_is_false(json_object_get(object, "dry_run")))
		return refuse(error, "is the report of a run, not a plan: make one with -n -J");
	if (!json_is_true(json_object_get(object, "dry_run")))
		return refuse_member(error, "dry_run");
	if (!json_is_integer(status) || json_integer_value(status) > STATUS_NOTHING ||
	    json_integer_value(status) < STATUS_GONE ||
	    !json_is_null(json_object_get(object, "exit_signal")))
		return refuse(error, "is of a run that did not succeed: make it anew");
	return 0;
}

static int read_object(const json_t *object, struct plan *plan, struct error *error)
{
	int rc = check_kind(object, error);

	rc = rc ? rc : read_origin(object, plan, error);
	rc = rc ? rc : read_kinds(object, plan, error);
	rc = rc ? rc : read_targets(object, plan, error);
	return rc ? rc : read_processes(object, plan, error);
}

int plan_read(const char *text, size_t size, struct plan *plan, struct error *error)
{
	cleanup(plan_clear) struct plan read = { 0 };
	cleanup(json_release) json_t *object = NULL;
	int rc = json_read(text, size, &object, error);

	rc = rc ? rc : read_object(object, &read, error);
	if (rc < 0)
		return rc;
	*plan = read;
	read = (struct plan){ 0 };
	return 0;
}

struct planned *plan_find(const struct plan *plan, const struct process *process)
{
	for (size_t i = 0; i < plan->process_count; i++)
		if (plan->processes[i].state == PLANNED_HERE &&
		    process_same(&plan->processes[i].process, process))
			return &plan->processes[i];
	return NULL;
}

void plan_clear(struct plan *plan)
{
	free(plan->targets);
	free(plan->processes);
	*plan = (struct plan){ 0 };
}
