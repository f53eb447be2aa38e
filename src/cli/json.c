/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/json.h"

#include "cli/words.h"
#include "core/json.h"
#include "core/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* All numbers that can be longer than a double is exact are inodes and ticks, far below 2^53. */
static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* What is 0 is unknown. */
static json_t *number_or_null(uint64_t value)
{
	return value ? number(value) : json_null();
}

static json_t *number_if(bool known, uint64_t value)
{
	return known ? number(value) : json_null();
}

/* Names can hold any byte; JSON text must be UTF-8. */
static json_t *text(const char *bytes)
{
	char escaped[1024];

	return json_string(escape(escaped, sizeof(escaped), bytes));
}

static json_t *text_or_null(const char *bytes)
{
	return bytes && *bytes ? text(bytes) : json_null();
}

/* "57:4711", or null where the kernel gives pidfds no inodes, or it was not pinned. */
static json_t *identity(const struct process *process)
{
	if (!process->inode)
		return json_null();
	return json_sprintf("%d:%" PRIu64, process->pid, process->inode);
}

static void append(struct json *json, const char *list, json_t *item)
{
	if (json_array_append_new(json_object_get(json->document, list), item) < 0)
		json->incomplete = true;
}

/* Take @value for the key. */
static void set(struct json *json, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		json->incomplete = true;
}

static void add(struct json *json, const char *key, uint64_t more)
{
	json_t *sum = json_object_get(json->document, key);

	json_integer_set(sum, json_integer_value(sum) + (json_int_t)more);
}

/* ---- the parts ---- */

static const char *target_state(const struct target *target)
{
	if (target->over)
		return "before-boot";
	if (target->reused)
		return "reused";
	return target->dead ? "dead" : "alive";
}

static void add_target(struct json *json, const struct target *target)
{
	json_t *object = json_object();

	set(json, object, "file", text_or_null(target->name));
	set(json, object, "pid", number((uint64_t)target->process.pid));
	set(json, object, "identity", identity(&target->process));
	set(json, object, "start_ticks", number_or_null(target->process.start_ticks));
	set(json, object, "command", text_or_null(target->process.command));
	set(json, object, "state", json_string(target_state(target)));
	set(json, object, "recorded", json_boolean(target->recorded));
	set(json, object, "owner", target->owned ? number(target->owner) : json_null());
	set(json, object, "note", text_or_null(target->note));
	append(json, "targets", object);
}

static json_t *process_in_brief(struct json *json, const struct process *process)
{
	json_t *object;

	if (!process->pid)
		return json_null();
	object = json_object();
	set(json, object, "pid", number((uint64_t)process->pid));
	set(json, object, "start_ticks", number_or_null(process->start_ticks));
	set(json, object, "command", text(process->command));
	return object;
}

static bool is_scope(const json_t *object, pid_t target, struct scope scope)
{
	const char *kind = json_string_value(json_object_get(object, "kind"));

	return json_integer_value(json_object_get(object, "id")) == (json_int_t)scope.id &&
	       json_integer_value(json_object_get(object, "target")) == target && kind &&
	       strcmp(kind, scope_kind_name(scope.kind)) == 0;
}

/* What is told of it now is newer than what json_add_spared() has told. */
static void forget_scope(struct json *json, pid_t target, struct scope scope)
{
	json_t *scopes = json_object_get(json->document, "scopes");

	for (size_t i = json->spared; i < json->spared + json->spared_count; i++) {
		if (!is_scope(json_array_get(scopes, i), target, scope))
			continue;
		json_array_remove(scopes, i);
		json->spared_count--;
		return;
	}
}

static void add_scope(struct json *json, pid_t target, struct scope scope, bool own,
		      const struct spared *spared)
{
	char reason[512];
	json_t *object = json_object();

	forget_scope(json, target, scope);
	set(json, object, "target", number((uint64_t)target));
	set(json, object, "kind", json_string(scope_kind_name(scope.kind)));
	set(json, object, "id", number_or_null(scope.id));
	set(json, object, "path", scope.cgroup ? text(scope.cgroup->path) : json_null());
	set(json, object, "own", json_boolean(own));
	set(json, object, "followed", json_boolean(!spared));
	set(json, object, "reason",
	    spared ? text(words_reason(reason, sizeof(reason), spared)) : json_null());
	set(json, object, "who", spared ? process_in_brief(json, &spared->who) : json_null());
	append(json, "scopes", object);
}

static bool is_own(const struct claim *claim, struct scope scope)
{
	if (claim->target_dead && scope_kind_is_led(scope.kind))
		return scope.id == (uint64_t)claim->target.pid;
	return scope_equal(scope_of(&claim->target, scope.kind), scope) || claim_owns(claim, scope);
}

/* A scope is told once, by the first member that is in it. */
static bool is_told(const struct claim *claim, size_t member, struct scope scope)
{
	for (size_t m = 0; m < member; m++)
		if (scope_equal(scope_of(&claim->members[m]->process, scope.kind), scope))
			return true;
	return false;
}

static void add_spared(struct json *json, const struct claim *claim)
{
	for (size_t i = 0; i < claim->spared_count; i++)
		add_scope(json, claim->target.pid, claim->spared[i].scope, claim->spared[i].own,
			  &claim->spared[i]);
}

static void add_scopes(struct json *json, const struct claim *claim)
{
	for (size_t m = 0; m < claim->member_count; m++) {
		for (enum scope_kind kind = 0; kind < SCOPE_NAMED; kind++) {
			struct scope scope = scope_of(&claim->members[m]->process, kind);

			if (claim_takes(claim, scope) && !is_told(claim, m, scope))
				add_scope(json, claim->target.pid, scope, is_own(claim, scope),
					  NULL);
		}
	}
	add_spared(json, claim);
}

static const char *outcome(const struct victim *victim)
{
	switch (victim->fate) {
	case FATE_LISTED:
		return "listed";
	case FATE_PINNED:
	case FATE_SIGNALLED:
		return "alive";
	case FATE_ENDED:
		return "ended";
	case FATE_VANISHED:
		return "vanished";
	case FATE_DENIED:
		return "denied";
	case FATE_LEFT:
		return "left";
	case FATE_DOUBTFUL:
		return "doubtful";
	case FATE_UNLISTED:
		return "new";
	}
	return NULL;
}

static json_t *encode_signal(int signal)
{
	const char *name = signal_name(signal);

	if (!signal)
		return json_null();
	return name ? json_string(name) : json_sprintf("%d", signal);
}

static void add_outputs(struct json *json, const struct claim *claim)
{
	static const char *const kinds[] = {
		[STREAM_NONE] = "none", [STREAM_PIPE] = "pipe",		[STREAM_SOCKET] = "socket",
		[STREAM_FIFO] = "fifo", [STREAM_TERMINAL] = "terminal",
	};

	for (size_t i = 0; claim->outputs && i < claim->streams->count; i++) {
		const struct stream *stream = &claim->streams->list[i];
		json_t *object;

		if (!(claim->outputs & STREAM_BIT(i)))
			continue;
		object = json_object();
		set(json, object, "target", number((uint64_t)claim->target.pid));
		set(json, object, "kind", json_string(kinds[stream->kind]));
		set(json, object, "inode", number_or_null(stream->inode));
		append(json, "outputs", object);
	}
}

static void add_process(struct json *json, const struct kill *kill, const struct victim *victim)
{
	const struct process *process = &victim->process;
	const struct hindrance *hindrance = kill_hindrance(victim);
	const char state[] = { process->state, '\0' };
	const bool known = process_known(process);
	json_t *object = json_object();

	set(json, object, "target", number((uint64_t)kill->claims[victim->target].target.pid));
	set(json, object, "identity", identity(process));
	set(json, object, "pid", number((uint64_t)process->pid));
	set(json, object, "start_ticks", number_if(known, process->start_ticks));
	set(json, object, "ppid", number_if(known, (uint64_t)process->ppid));
	set(json, object, "pgrp", number_or_null((uint64_t)process->pgrp));
	set(json, object, "session", number_or_null((uint64_t)process->session));
	set(json, object, "mntns", number_or_null(process->mntns));
	set(json, object, "uid", number_if(known, process->owner));
	set(json, object, "command", text(process->command));
	set(json, object, "why",
	    json_string(victim->why.id ? scope_kind_name(victim->why.kind) : "target"));
	set(json, object, "why_id", number_or_null(victim->why.id));
	set(json, object, "outcome", json_string(outcome(victim)));
	set(json, object, "signal", encode_signal(victim->sent));
	set(json, object, "error",
	    victim->error ? json_string(strerror(victim->error)) : json_null());
	set(json, object, "state", text(state));
	set(json, object, "wait_channel", text_or_null(hindrance->wait_channel));
	set(json, object, "frozen", json_boolean(hindrance->frozen));
	set(json, object, "tracer", process_in_brief(json, &hindrance->tracer));
	append(json, "processes", object);
}

static void add_holder(struct json *json, const struct claim *claim, const struct holder *holder)
{
	char reason[256];
	json_t *object = process_in_brief(json, &holder->process);

	set(json, object, "target", number((uint64_t)claim->target.pid));
	set(json, object, "reason", text(words_holder(reason, sizeof(reason), holder)));
	append(json, "holders", object);
}

/* ---- the whole ---- */

int json_open(struct json *json, enum options_action action)
{
	static const char *const lists[] = { "targets", "scopes",  "processes",
					     "outputs", "holders", "errors" };
	static const char *const sums[] = { "unreadable", "unreadable_files", "unread", "rounds" };

	*json = (struct json){ .document = json_object(), .action = action };
	set(json, json->document, "nskill", json_string(PACKAGE_VERSION));
	set(json, json->document, "dry_run", json_boolean(action == ACTION_DRY_RUN));
	set(json, json->document, "boot_id", json_null());
	set(json, json->document, "pid_namespace", json_null());
	set(json, json->document, "match", json_array());
	set(json, json->document, "all", json_false());
	set(json, json->document, "signal", json_null());
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		set(json, json->document, lists[i], json_array());
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		set(json, json->document, sums[i], json_integer(0));
	return json->incomplete ? -ENOMEM : 0;
}

void json_add_orders(struct json *json, const struct origin *here, const struct rules *rules,
		     int signal)
{
	if (!json->document)
		return;
	set(json, json->document, "boot_id", text_or_null(here->boot));
	set(json, json->document, "pid_namespace", number_or_null(here->pid_namespace));
	for (enum scope_kind kind = 0; kind < SCOPE_KINDS; kind++)
		if (rules->kinds & SCOPE_BIT(kind))
			append(json, "match", json_string(scope_kind_name(kind)));
	set(json, json->document, "all", json_boolean(rules->all));
	set(json, json->document, "signal", encode_signal(signal));
}

void json_add_error(struct json *json, const char *sentence)
{
	if (json->document)
		append(json, "errors", text(sentence));
}

void json_add_spared(struct json *json, const struct kill *kill)
{
	json_t *scopes = json_object_get(json->document, "scopes");

	if (!json->document)
		return;
	json->spared_count = 0;
	json->spared = json_array_size(scopes);
	for (size_t t = 0; t < kill->orders.target_count; t++)
		if (!kill->orders.targets[t].over)
			add_spared(json, &kill->claims[t]);
	json->spared_count = json_array_size(scopes) - json->spared;
}

void json_add_targets(struct json *json, const struct kill *kill)
{
	if (!json->document)
		return;
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		add_target(json, &kill->orders.targets[t]);
		if (!kill->orders.targets[t].over)
			add_scopes(json, &kill->claims[t]);
		add_outputs(json, &kill->claims[t]);
	}
}

void json_add_kill(struct json *json, const struct kill *kill)
{
	if (!json->document)
		return;
	json_add_targets(json, kill);
	for (size_t i = 0; i < kill->victim_count; i++)
		add_process(json, kill, kill->victims[i]);
	add(json, "unreadable", kill->unreadable);
	add(json, "unread", kill->unread);
	add(json, "rounds", kill->looks);
}

void json_add_holders(struct json *json, const struct kill *kill, const struct holders *holders)
{
	if (!json->document)
		return;
	for (size_t i = 0; i < holders->count; i++)
		add_holder(json, &kill->claims[holders->list[i].target], &holders->list[i]);
	add(json, "unreadable_files", kill->unread_files);
}

static const char *result(enum options_action action, enum status status)
{
	switch (status) {
	case STATUS_GONE:
		return action == ACTION_DRY_RUN	  ? "listed"
		       : action == ACTION_HOLDERS ? "held"
						  : "gone";
	case STATUS_NOTHING:
		return "nothing";
	case STATUS_REFUSED:
		return "refused";
	case STATUS_INCOMPLETE:
		return "incomplete";
	case STATUS_SYSTEM:
		return "error";
	case STATUS_TIMEOUT:
		return "timeout";
	case STATUS_USAGE: /* has no document */
		break;
	}
	return NULL;
}

int json_print(struct json *json, FILE *stream, enum status status, int deadly, uint64_t ns)
{
	char *whole;

	if (!json->document)
		return 0;
	set(json, json->document, "seconds", json_real((double)ns / 1e9));
	set(json, json->document, "result", json_string(result(json->action, status)));
	set(json, json->document, "exit_status", json_integer(status));
	set(json, json->document, "exit_signal", encode_signal(deadly));
	whole = json->incomplete ? NULL : json_write(json->document);
	if (!whole)
		return -ENOMEM;
	fputs(whole, stream);
	free(whole);
	return 0;
}

void json_close(struct json *json)
{
	json_decref(json->document);
	*json = (struct json){ 0 };
}
