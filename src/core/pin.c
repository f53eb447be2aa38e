/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/pin.h"

#include "core/groups.h"
#include "core/list.h"
#include "core/outputs.h"
#include "core/reuse.h"
#include "core/victims.h"
#include "linux/clock.h"
#include "linux/namespace.h"

#include <errno.h>
#include <string.h>

/* A live target has been pinned since it was resolved, and that pin is the one that counts. */
static void pin_target(struct kill *kill, struct victim *victim)
{
	struct target *target = &kill->orders.targets[victim->target];
	struct process fresh;

	if (!scan_process(kill->orders.scan, victim->process.pid, &fresh) &&
	    process_same(&fresh, &victim->process))
		victim->process = fresh;
	victim->ref = target->ref;
	target->ref = PIDREF_NULL;
	victim->process.inode = victim->ref.inode;
	victim->fate = FATE_PINNED;
}

/* A thread's number, or a process on its way out: what /proc has to say of it decides. */
static int refused_pin(struct kill *kill, const struct victim *victim, int rc)
{
	struct process now;
	int read = scan_process(kill->orders.scan, victim->process.pid, &now);

	if (!read && now.tgid == now.pid && process_alive(&now) &&
	    process_same(&now, &victim->process))
		return rc;
	return !read || read == -EACCES ? -ESRCH : read;
}

/*
 * Who is on his way out has no namespace any more, and then he has ended. His files are closed a
 * moment before that.
 */
static bool is_in_doubt(const struct member *member, const struct process *fresh,
			const struct pidref *ref)
{
	bool doubt = process_same(&member->process, fresh) && process_alive(fresh) &&
		     (fresh->mntns || !member->process.mntns) && !pidref_ended(ref);

	if (doubt && member->why.kind == SCOPE_IO) {
		clock_pass_tick();
		doubt = !pidref_ended(ref);
	}
	return doubt;
}

static bool contains(const struct held_namespace *held, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (held[i].inode == id)
			return true;
	return false;
}

static bool is_held(const struct kill *kill, uint64_t id)
{
	if (contains(kill->held, kill->held_count, id))
		return true;
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		const struct target *target = &kill->orders.targets[t];

		if (contains(target->held, target->held_count, id) ||
		    contains(target->past.namespaces, target->past.namespace_count, id))
			return true;
	}
	return false;
}

/* The descriptor is that of the pinned member's namespace if the member has not ended meanwhile. */
static int hold_through(struct kill *kill, const struct victim *victim, struct scope scope)
{
	struct process process = victim->process;
	struct held_namespace *held;
	int fd;

	process.namespaces[scope.kind - SCOPE_MNT] = scope.id;
	fd = namespace_pin(&process, scope.kind);

	if (fd >= 0 && pidref_ended(&victim->ref))
		namespace_unpin(&fd);
	if (fd < 0)
		return -ESTALE;
	held = list_append(&kill->held, &kill->held_count, sizeof(*held));
	if (!held) {
		namespace_unpin(&fd);
		return -ENOMEM;
	}
	*held = (struct held_namespace){ .kind = scope.kind, .inode = scope.id, .fd = fd };
	return 0;
}

/*
 * The kernel hands out the id of a namespace again as soon as it is free, so that one which nobody
 * holds must not be followed. Who was seen in it by the look and is in it still has kept it.
 */
static int hold_namespace(struct kill *kill, const struct claim *claim, struct scope scope)
{
	int rc = -ESTALE;

	if (is_held(kill, scope.id))
		return 0;
	for (size_t i = 0; rc == -ESTALE && i < kill->victim_count; i++) {
		const struct victim *victim = kill->victims[i];
		const struct member *member = claim_find(claim, &victim->process);

		if (victim_is_pending(victim) && member &&
		    scope_equal(scope_of(&member->process, scope.kind), scope))
			rc = hold_through(kill, victim, scope);
	}
	return rc;
}

/* Where the kernel has ids that are never handed out again, such a one tells. */
static bool is_known_by_id(const struct claim *claim, const struct process *fresh,
			   enum scope_kind kind)
{
	int fd = namespace_pin(fresh, kind);
	uint64_t id;
	bool known = false;

	if (fd >= 0 && namespace_unique_id(fd, &id) == 0)
		for (size_t i = 0; !known && i < claim->fallen_count; i++)
			known = claim->fallen[i].unique == id;
	namespace_unpin(&fd);
	return known;
}

/* Whether the number of a namespace that @claim takes is that of the same since the look. */
static bool is_kept(struct kill *kill, const struct claim *claim, const struct process *fresh,
		    enum scope_kind kind)
{
	struct scope scope = scope_of(fresh, kind);

	return claim_is_following(claim, scope) &&
	       (!hold_namespace(kill, claim, scope) || is_known_by_id(claim, fresh, kind));
}

/*
 * A namespace that it has come to since may have a number that was another's at the look. So may
 * the one that it was seen in, if nobody else has kept that: with a PID and a start tick that are
 * the same, and no inode that tells, a number that is the same tells nothing.
 */
static bool is_confirmed(struct kill *kill, const struct claim *claim, const struct member *member,
			 const struct process *fresh)
{
	bool young = fresh->start_ticks >= kill->ticks && !member->process.inode;
	struct process tied = *fresh;

	/* Of a plan it is who it is, whatever it is in by now. */
	if (kill->orders.plan && !young)
		return process_same(&member->process, fresh);

	for (size_t i = 0; i < SCOPE_NAMESPACES; i++)
		if (tied.namespaces[i] != member->process.namespaces[i] ||
		    (young && !is_kept(kill, claim, fresh, SCOPE_MNT + i)))
			tied.namespaces[i] = 0;
	return claim_confirms(claim, member, &tied, kill->ticks);
}

/*
 * Pin, read, compare: 0; -ESRCH when it is gone or another now; -ESTALE when it cannot be told from
 * another that started in the same tick, since nothing ties it any more; or an errno that ends the
 * run.
 */
static int pin_member(struct kill *kill, struct victim *victim)
{
	struct claim *claim = &kill->claims[victim->target];
	struct member *member = claim_member(claim, victim->process.pid);
	struct process fresh, seen;
	struct pidref ref;
	int rc = groups_yield_to(kill, &ref, victim->process.pid);

	if (rc == -EINVAL || rc == -ENOENT)
		rc = refused_pin(kill, victim, rc);
	if (rc < 0)
		return rc;
	rc = member ? scan_process(kill->orders.scan, victim->process.pid, &fresh) : -ESRCH;
	if (!rc) {
		fresh.inode = ref.inode;
		rc = outputs_read(kill, &fresh);
		reuse_notice_ties(kill, &fresh);
	}
	if (!rc && !is_confirmed(kill, claim, member, &fresh))
		rc = is_in_doubt(member, &fresh, &ref) ? -ESTALE : -ESRCH;
	if (rc < 0) {
		pidref_close(&ref);
		return rc;
	}
	seen = member->process;
	claim_update(member, &fresh);
	/* What the look followed it for. */
	memcpy(member->process.namespaces, seen.namespaces, sizeof(seen.namespaces));
	victim->process = fresh;
	victim->ref = ref;
	victim->fate = FATE_PINNED;
	return 0;
}

static int hold_namespaces(struct kill *kill)
{
	for (size_t t = 0; t < kill->orders.target_count; t++) {
		struct claim *claim = &kill->claims[t];

		for (size_t i = claim->followed_count; i-- > 0;) {
			struct scope scope = claim->followed[i];
			int rc = scope_kind_link(scope.kind) ? hold_namespace(kill, claim, scope)
							     : 0;

			if (rc == -ESTALE)
				claim_drop(claim, scope);
			else if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int pin(struct kill *kill, struct victim *victim)
{
	const struct target *target = &kill->orders.targets[victim->target];
	int rc = 0;

	if (victim->why.id == 0 && target->ref.fd >= 0)
		pin_target(kill, victim);
	else
		rc = pin_member(kill, victim);
	if (rc < 0)
		return rc;
	groups_hold_member(kill, &victim->process, &victim->ref);
	if (!victims_may_name(kill, &victim->process)) {
		victim_leave(kill, victim);
		return 0;
	}
	return watch_add(&kill->watch, &victim->ref, victim);
}

/* The descriptors of those who may not be signalled are good for seeing them end, no more. */
static bool give_up_denied(struct kill *kill)
{
	bool any = false;

	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];

		if (victim->fate != FATE_DENIED || victim->ref.fd < 0)
			continue;
		pidref_close(&victim->ref);
		any = true;
	}
	return any;
}

/* What becomes of one for whom pin() returned @rc. 0, or an errno that ends the run. */
static int conclude(struct kill *kill, struct victim *victim, int rc)
{
	switch (rc) {
	case -ESRCH:
		victim_bury(kill, victim, FATE_VANISHED);
		return 0;
	case -ESTALE:
		victim_doubt(kill, victim);
		return 0;
	case -EACCES:
		victim_deny(kill, victim, EACCES, kill->signal);
		return 0;
	default:
		return rc;
	}
}

int pin_all(struct kill *kill)
{
	size_t pinned = 0;

	for (size_t i = 0; i < kill->victim_count; i++) {
		struct victim *victim = kill->victims[i];
		int rc = victim->fate == FATE_LISTED ? pin(kill, victim) : 0;

		if (rc == -EMFILE && give_up_denied(kill))
			rc = pin(kill, victim);
		pinned += victim_is_pending(victim);
		if (rc == -EMFILE && pinned > 0)
			break; /* the rest when these have ended */
		rc = conclude(kill, victim, rc);
		if (rc < 0)
			return rc;
	}
	return hold_namespaces(kill);
}
