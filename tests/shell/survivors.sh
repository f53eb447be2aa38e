#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# survivors.sh - why somebody is alive still, and who is dead but not reaped
# (who is frozen is in bounds.sh, who waits for a file system in blocking.sh)

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 20 120
QUICK=4000 # milliseconds: less than the default time
[[ -z $SANITIZED ]] || QUICK=8000

quick() {
	((ELAPSED < QUICK)) || fail 'has waited for what does not change'
}

# ---- held by a tracer ----

# traced HOW - a target and its child, and a tracer of the child that belongs to nobody
traced() {
	setsid announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	bystanders
	setsid tracer tracer "$1" "${P[child]}" &
	call tracer $!
	until_true is_traced_or_refused
	is_alive "${P[tracer]}" || skip 'needs to be allowed to trace'
	T=${P[target]}
}

is_traced_or_refused() {
	! is_alive "${P[tracer]}" || grep -q "^TracerPid:.${P[tracer]}\$" "/proc/${P[child]}/status"
}

# The tracer fetches nothing, so that they are zombies, but dead.
tracer_lets_die() { # HOW ARGUMENT...
	traced "$1"
	run "${@:2}" "$T"
	status_is 0
	ended target child
	is_silent
	quick
}

tracer_holds() { # ARGUMENT...
	traced exit
	run -t 1 "$@" "$T"
	status_is 124
	ended target
	says "still alive: ${P[child]} \\(announce\\).* state t .*its tracer ${P[tracer]} \\(tracer\\)"
	((ELAPSED < 1000 + QUICK)) || fail "has taken $ELAPSED ms"
	kill -USR1 "${P[tracer]}"
	until_true is_over child
	run "$T"
	status_is 0
}

# Where the tracer belongs to the target, too, they end together.
tracer_inside() { # HOW
	# shellcheck disable=SC2016 # a script
	setsid announce target sh -c 'announce child &
		until grep -q "(announce) S" /proc/$!/stat; do :; done
		exec tracer in-target "$0" $!' "$1" &
	meet target child in-target
	forget in-target
	bystanders
	run "${P[target]}"
	status_is 0
	ended target child
	is_silent
	quick
}

# ---- that it may not signal ----

# foreign_member COMMAND... - one in the target's group that COMMAND has made; nskill is a user
foreign_member() {
	make_readable
	export TARGET_USER=$OTHER_USER
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$@" "$HELPERS/announce" foreign &
		exec setpriv --reuid="$TARGET_USER" --regid="$TARGET_USER" --clear-groups \
			--inh-caps=-all --bounding-set=-all "$HELPERS/announce" target \
			sh -c "\"\$HELPERS/announce\" child & exec \"\$HELPERS/announce\" in-target"' \
		sh "$@" &
	meet foreign target child in-target
	forget in-target
	same pgrp foreign target child
	bystanders
	under "${AS_OTHER_USER[@]}"
}

foreign_is_named() { # MESSAGE
	status_is 4
	ended target child
	says "may not signal ${P[foreign]} \\(announce\\), .* old: $1"
	(($(wc -l <err) == 1)) || fail 'more than one line'
	quick
}

of_another_user() { # ARGUMENT...
	foreign_member env
	run "$@" "${P[target]}"
	foreign_is_named 'Operation not permitted'
}

in_another_user_namespace() { # ARGUMENT...
	foreign_member unshare --user
	run "$@" "${P[target]}"
	foreign_is_named 'Operation not permitted'
}

# In a user namespace of somebody else's, but still of the same user: it can be signalled.
same_user_elsewhere() {
	job
	setsid announce target-two unshare --user announce in-target &
	meet target-two in-target
	run "${P[target-two]}"
	status_is 0
	ended target-two
}

by_a_security_module() { # ARGUMENT...
	job
	under balk signals EACCES
	run "$@" "$T"
	status_is 4
	ended
	says "may not signal $T \\(announce\\), .* old: Permission denied" \
		"may not signal ${P[child]} " "may not signal ${P[orphan]} "
	quick
}

# ---- dead, but not reaped ----

# unreaping - a parent that reaps nobody, with a target, its child, and one that was dead before
unreaping() {
	setsid sh -c 'setsid announce target sh -c "announce child & announce early &
		exec announce in-target" & exec announce parent' &
	meet parent target child early in-target
	forget in-target
	kill -KILL "${P[early]}"
	until_true is_zombie early
	bystanders
}

unreaped_is_named() {
	unreaping
	run -v "${P[target]}"
	status_is 0
	ended target child
	is_zombie target || fail 'the picture is wrong: no zombie'
	says "not yet reaped by its parent ${P[parent]} \\(announce\\): ${P[target]} \\(announce\\)"
	! grep -q 'still alive' err || fail 'a zombie is said to be alive'
	run -v "${P[target]}"
	status_is 0
	ended
	says "not yet reaped by its parent ${P[parent]} \\(announce\\): ${P[target]} \\(announce\\)"
}

# The parent is itself a survivor.
unreaped_child_is_named() {
	setsid sh -c 'trap "" TERM; env --default-signal=TERM announce corpse &
		exec announce stubborn' &
	meet corpse stubborn
	run -v -s TERM -t 300ms "${P[stubborn]}"
	status_is 124
	ended corpse
	says "still alive: ${P[stubborn]} " \
		"not yet reaped by its parent ${P[stubborn]} \\(announce\\): ${P[corpse]} "
}

unreaped_is_no_news() {
	unreaping
	run "${P[target]}"
	status_is 0
	ended target child
	is_silent
}

for how in seize stop exitkill; do
	check "user plain" "who is traced ($how) ends" tracer_lets_die $how
	check user "so it does by descent alone ($how)" tracer_lets_die $how -m tree
done
check "user plain" "124: whom a tracer holds at the exit is named, and the tracer" tracer_holds
check user "so it is by descent alone" tracer_holds -m tree
for how in seize stop exitkill exit; do
	check user "a tracer that belongs to the target ends, and whom it traces ($how)" \
		tracer_inside $how
done
check root "4: one of another user is named" of_another_user
check root "so it is by descent alone" of_another_user -m pgrp,tree
check root "4: one in a user namespace that is not ours is named" in_another_user_namespace
check root "so it is after TERM" in_another_user_namespace -s TERM -k 500ms
check "user plain" "one in another user namespace of the same user ends" same_user_elsewhere
check "user plain" "4: whom a security module protects is named" by_a_security_module
check user "so it is after TERM" by_a_security_module -s TERM -k 500ms
check "user plain" "--verbose names who is dead but not reaped, and the parent" unreaped_is_named
check user "so it does where the parent is a survivor" unreaped_child_is_named
check "user plain" "it is no news without --verbose" unreaped_is_no_news
finish
