#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# limits.sh - what must be so before anything is done: old enough, few enough, somebody there

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

all_end() { # ARGUMENT...
	run "$@"
	status_is 0
	ended target orphan child
	is_silent
}

nothing_done() { # ARGUMENT...
	run "$@"
	status_is 1
	ended
	[[ ! -s out ]] || fail 'standard output is not empty'
}

# age_is TICKS - the target is older than that
age_is() {
	local now
	read -r now _ </proc/uptime
	# shellcheck disable=SC2154 # a key, of a list that lib.sh declares
	((${now/./} - BORN[target] > $1))
}

# ---- --older ----

younger() { # OPTION...
	job
	nothing_done "$@" "$T"
	nothing_done -n "$@" "$T"
	echo "$T" >file.pid
	nothing_done "$@" ./file.pid
}

older() { # OPTION...
	job
	until_true age_is 30
	all_end "$@" "$T"
}

# It is the target that must be old, not who belongs to it, and each target for itself.
each_for_itself() {
	job
	until_true age_is 60
	setsid announce young &
	meet young
	run -O 500ms "${P[young]}" "$T"
	status_is 1
	ended target orphan child
}

# A dead target's age is known by a document, and else by who stands in for it.
older_dead() { # younger|older
	keep keeper sh -c 'setsid announce target sh -c "
		announce child & exec announce in-target" &' &
	meet keeper target child in-target
	forget in-target
	T=${P[target]}
	echo "{\"init_process_pid\":$T,\"init_process_start\":${BORN[target]}}" >file.json
	kill -KILL "$T"
	until_true is_zombie target
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	bystanders
	if [[ $1 = younger ]]; then
		nothing_done -O 1h ./file.json
		nothing_done -O 1h "$T"
	else
		until_true age_is 40
		run -O 300ms ./file.json
		status_is 0
		ended child
	fi
}

older_words() {
	local word
	job
	for word in '' x -1 1x 1ss +; do
		run "--older=$word" "$T"
		status_is 2
		ended
	done
	all_end -O 0 "$T"
}

infinitely_old() {
	job
	nothing_done -O infinity "$T"
}

# Whoever is gone is gone, however old it was.
older_gone() {
	bystanders
	true &
	wait $!
	run -O 1h $!
	[[ $STATUS = [01] ]] || fail "exit status $STATUS"
	ended
}

# ---- --max ----

too_many() { # N
	job
	run --max="$1" "$T"
	status_is 3
	ended
	says_one_sentence
	says '3 ' "--max=$1"
}

too_many_in_dry_run() {
	job
	run -n --max=2 "$T"
	status_is 3
	ended
}

few_enough() { # N
	job
	all_end --max="$1" "$T"
}

# In all: over all targets, and each process once.
in_all() {
	job
	setsid announce other &
	meet other
	run --max=3 "$T" "${P[other]}"
	status_is 3
	ended
	run --max=4 "$T" "${P[other]}" "$T"
	status_is 0
	ended target orphan child other
}

max_words() {
	local word
	job
	for word in '' 0 -1 x 1x 1.5 99999999999999999999999; do
		run "--max=$word" "$T"
		status_is 2
		ended
	done
}

# ---- --require-match ----

required() {
	job
	all_end --require-match "$T"
	nothing_done --require-match "$T"
}

required_dead() {
	keep keeper sh -c 'announce -g target sh -c "exec announce in-target" &' &
	meet keeper target in-target
	forget in-target
	kill -KILL "${P[target]}"
	until_true is_zombie target
	bystanders
	nothing_done --require-match "${P[target]}"
	run "${P[target]}"
	status_is 0
	ended
}

required_of_one() {
	job
	true &
	wait $!
	all_end --require-match $! "$T"
}

required_and_refused() {
	bystanders
	true &
	wait $!
	run --require-match $! 1
	status_is 3
	ended
}

check "user plain" "1: a target that is too young is left" younger -O 1h
check user "so it is with --older" younger --older=0.01d
check "user plain" "a target that is old enough ends" older -O 200ms
check user "each target is old enough for itself" each_for_itself
for age in younger older; do
	check user "of a dead target the age is known: $age" older_dead $age
done
check user "--older wants a duration" older_words
check user "nobody is older than infinity" infinitely_old
check user "who is gone is not too young" older_gone
check "user plain" "3: more than --max are refused" too_many 2
check user "3: more than --max are refused, one being allowed" too_many 1
check user "3: --dry-run refuses more than --max, too" too_many_in_dry_run
check "user plain" "as many as --max end" few_enough 3
check user "so do less" few_enough 18446744073709551615
check user "--max counts all targets, and each process once" in_all
check user "--max wants a number" max_words
check "user plain" "1: with --require-match nobody there is no success" required
check user "1: so it is when the target is a zombie and has left nobody" required_dead
check user "one who is there is enough for --require-match" required_of_one
check user "a refused target counts for more than --require-match" required_and_refused
finish
