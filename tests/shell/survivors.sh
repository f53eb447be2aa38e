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

# ---- the list of who is left ----

# stubborn - a target and two of it, that TERM does not end, and one that it does
stubborn() {
	# shellcheck disable=SC2016 # a script
	setsid sh -c 'env --default-signal=TERM announce meek & trap "" TERM
		comm odd "$(printf "o\tdd")" & setsid comm away away & exec comm target stubborn' &
	meet target odd away meek
	bystanders
	T=${P[target]}
}

# row NAME - ROW is its line of the list on standard error
row() {
	ROW=$(grep -E "^ *${P[$1]} " err) || fail "$1 is not listed"
	[[ $ROW != *$'\n'* ]] || fail "$1 is listed twice"
}

user_name() { # USER
	id -un "$1" 2>/dev/null || echo "$1"
}

listed_in_order() {
	local heading words listed wanted
	stubborn
	run -s TERM -t 500ms "$T"
	status_is 124
	ended meek
	[[ ! -s out ]] || fail 'standard output is not empty'
	(($(grep -c '^nskill: still alive: ' err) == 3)) || fail 'not each survivor once'
	read -r -a words <<<"$(grep PID err)"
	heading='PID PPID USER STATE AGE PGRP SID MNTNS WHY COMMAND WCHAN NOTE'
	[[ ${words[*]} = "$heading" ]] || fail "the columns are: ${words[*]}"
	read -r -d '' -a listed <<<"$(ranked err)"
	read -r -d '' -a wanted <<<"$(sed -En 's/^nskill: still alive: ([0-9]+) .*/\1/p' err)"
	[[ ${listed[*]} = "${wanted[*]}" ]] || fail "listed are ${listed[*]}, not ${wanted[*]}"
	[[ ${listed[0]} = "$T" ]] || fail 'the target is not the first'
	row target
	read -r -a words <<<"$ROW"
	# The number, if the name does not come in time.
	[[ ${words[2]} = $(id -u) || ${words[2]} = "$(user_name "$(id -u)")" ]] ||
		fail "another user: $ROW"
	[[ ${words[3]} = S ]] || fail "another state: $ROW"
	[[ $ROW =~ \ target\ +stubborn\ .*\ TERM\ has\ not\ ended\ it$ ]] || fail "the row is: $ROW"
	row away
	[[ $ROW = *" child of $T "* ]] || fail "the row is: $ROW"
	row odd
	is_plain_text err
}

# The kernel has nothing that who runs would wait in.
running() {
	# shellcheck disable=SC2016 # a script
	setsid bash -c 'trap "" TERM; echo "target $$" >&9; while :; do :; done' &
	meet target
	T=${P[target]}
	run -s TERM -t 0 "$T"
	status_is 124
	ended
	says "^nskill: still alive: $T \(bash\), [0-9]+s old, state R: target$"
	row target
	[[ $ROW =~ \ bash\ +-\ +TERM\ has\ not\ ended\ it$ ]] || fail "the row is: $ROW"
	run -J -s TERM -t 0 "$T"
	grep -Eq '"wait_channel": *null' out || fail 'the report has something that it waits in'
}

unlisted() { # ARGUMENT...
	stubborn
	run -s TERM -t 300ms "$@" "$T"
	status_is 124
	says "still alive: $T "
	! grep -q PID err || fail 'there is a list'
}

# Who may not be signalled is on it, and who ended is not.
listed_without_permission() {
	foreign_member env
	setsid sh -c 'trap "" TERM; exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" second &
	meet second
	run -s TERM -t 500ms "${P[target]}" "${P[second]}"
	status_is 124
	ended target child
	says "may not signal ${P[foreign]} " "still alive: ${P[second]} " ' TARGET '
	row foreign
	[[ $ROW =~ \ ${P[target]}\ +announce.*\ may\ not\ be\ signalled:\ Operation\ not\ permitted$ ]] ||
		fail "the row is: $ROW"
	row second
	[[ $ROW =~ \ ${P[second]}\ +announce.*\ TERM\ has\ not\ ended\ it$ ]] || fail "the row is: $ROW"
}

listed_with_tracer() {
	traced exit
	run -t 1 "$T"
	status_is 124
	row child
	[[ $ROW =~ \ t\ .*\ held\ by\ its\ tracer\ ${P[tracer]}\ \(tracer\)$ ]] || fail "the row is: $ROW"
	kill -KILL "${P[tracer]}"
}

# What a person in front of it needs is still there: who, in which state, and why.
listed_on_terminal() {
	export NO_COLOR=1
	stubborn
	under terminal -e 60
	run -s TERM -t 300ms "$T"
	tr -d '\r' <out | grep -vE '^nskill: ' >err
	(($(wc -L <err) <= 60)) || fail "$(wc -L <err) columns on a terminal of 60"
	says '^ *PID .*STATE .*COMMAND .*NOTE$'
	row away
	[[ $ROW =~ ^' '*[0-9]+\ .*\ S\ .*\ away\ +TERM\ has\ not\ end ]] || fail "the row is: $ROW"
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
check "user plain" "124: who is left is named, and listed in the order of the kill" listed_in_order
check user "124: of who runs nothing is said that it waits in" running
check user "124: with --quiet they are named alone" unlisted -q
check user "124: with --json they are named alone" unlisted -J
check root "124: who could not be signalled is on the list, with the reason" listed_without_permission
check user "124: so is who holds one" listed_with_tracer
check user "124: on a narrow terminal the list says who, in which state and why" listed_on_terminal
finish
