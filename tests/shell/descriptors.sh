#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# descriptors.sh - many members and few file descriptors

# shellcheck disable=SC2034 # lib.sh reads STATUS, ELAPSED and ARGUMENTS

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 40 160
MEMBERS=2000
DEFAULT=10000 # milliseconds of --timeout
[[ -z $SANITIZED ]] || MEMBERS=300

# many group|descent - a target with MEMBERS, in its group or tied by descent alone
many() {
	local wrap=()
	[[ $1 = group ]] || wrap=(sh -c '"$@"; exec sleep 1000' sh)
	setsid "${wrap[@]}" announce target sh -c "crowd half $((MEMBERS / 2)) &
		exec crowd rest $((MEMBERS - MEMBERS / 2))" &
	meet target half rest
	forget rest
	bystanders
	T=${P[target]}
}

# few_descriptors [OPTION] - so many are there for nskill, soft and hard, or as ulimit is told
few_descriptors() {
	# shellcheck disable=SC2016 # a script
	under sh -c 'ulimit '"${1-}"' -n 32 && exec "$0" "$@"'
}

all_have_ended() {
	local pid
	status_is 0
	((${#BEFORE[@]} - ${#AFTER[@]} == MEMBERS + 2)) ||
		fail "$((${#BEFORE[@]} - ${#AFTER[@]})) have ended, not $((MEMBERS + 2))"
	for pid in near apart sandbox; do
		[[ -n ${AFTER[${P[$pid]}]-} ]] || fail "$pid is dead"
	done
	echo "$MEMBERS members: $ELAPSED ms"
	((ELAPSED < DEFAULT)) || fail "has taken $ELAPSED ms"
}

in_batches() { # group|descent ARGUMENT...
	many "$1"
	few_descriptors
	run "${@:2}" "$T"
	all_have_ended
	is_silent
}

# As procps-ng 4.0.6 does, the library leaves each descriptor open that it has used.
forgetful() { # ARGUMENT...
	[[ -z $SANITIZED ]] || skip 'the sanitizer must be loaded first'
	many descent
	# shellcheck disable=SC2016 # a script
	under sh -c 'ulimit -n 32 && LD_PRELOAD=$HELPERS/forgetful exec "$0" "$@"'
	run "$@" "$T"
	all_have_ended
	is_silent
}

closed_by_the_forgetful() {
	[[ -z $SANITIZED ]] || skip 'the sanitizer must be loaded first'
	no_leak_check
	job
	under left-open left env LD_PRELOAD="$HELPERS/forgetful"
	closed_all 0 -n -o +ARGS "$T"
	closed_all 0 -m tree "$T"
	ended target child
}

# The soft limit is nskill's own to raise: more than 32 are open at once.
raised() {
	local highest
	type -P strace >/dev/null || skip 'needs strace'
	(($(ulimit -H -n) > 200)) || skip 'needs a hard limit of more than 200 descriptors'
	MEMBERS=100
	many group
	few_descriptors -S
	no_leak_check
	VIA+=(strace -o trace -e trace=pidfd_open)
	under "${VIA[@]}"
	run "$T"
	all_have_ended
	highest=$(sed -n 's/^pidfd_open.* = \([0-9]*\)$/\1/p' trace | sort -n | tail -n 1)
	((highest >= MEMBERS)) || fail "the highest descriptor was $highest"
}

left_at_exit() {
	local begin
	many group
	few_descriptors
	"${VIA[@]}" "$NSKILL" -v --on-exit "$T" </dev/null >out 2>err 9>&- &
	call nskill $!
	until_true grep -q 'waiting for the end' err
	snapshot BEFORE
	unset "BEFORE[${P[nskill]}]"
	begin=${EPOCHREALTIME/[^0-9]/}
	kill -KILL "$T"
	wait "${P[nskill]}"
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - begin) / 1000))
	snapshot AFTER
	all_have_ended
}

# Whom it may not signal must not keep the descriptors from the others.
denied() {
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/crowd" foreign 60 & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" target "$HELPERS/crowd" here 60 &
	meet foreign target here
	bystanders
	# shellcheck disable=SC2016 # a script
	under "${AS_OTHER_USER[@]}" sh -c 'ulimit -n 32 && exec "$0" "$@"'
	run "${P[target]}"
	status_is 4
	((${#BEFORE[@]} - ${#AFTER[@]} == 61)) ||
		fail "$((${#BEFORE[@]} - ${#AFTER[@]})) have ended, not 61"
	(($(grep -c 'may not signal' err) == 61)) || fail 'not each that it may not signal is named'
}

# closed_all STATUS ARGUMENT... - nskill ends with nothing open but what it was given
closed_all() {
	local status=$1
	shift
	run "$@"
	status_is "$status"
	[[ ! -s left ]] || fail "open at its end: $(<left)"
}

nothing_left_open() {
	no_leak_check
	under left-open left
	job
	left-open left sh -c 'exec 8</dev/null'
	[[ $(<left) = '8: /dev/null' ]] || fail "the picture is wrong: open is $(<left)"
	closed_all 0 -n "$T"
	closed_all 0 -n -m all "$T" "${P[child]}"
	closed_all 3 "$T" ./absent
	forget target child orphan near apart sandbox
	job
	closed_all 1 --holders "$T"
	closed_all 0 --record=file.record "$T"
	closed_all 1 -O 1h ./file.record
	"$NSKILL" -n -J "$T" >plan.json
	closed_all 0 --plan=plan.json
	ended target child orphan
	closed_all 0 ./file.record
}

check "user plain" "at its end nothing is open but what it was given" nothing_left_open
check "user plain" "with 32 descriptors $MEMBERS members of a group end" in_batches group
check "user plain" "with 32 descriptors $MEMBERS members tied by descent end" in_batches descent
check user "so they do after TERM" in_batches descent -s TERM -k 2s
check user "so they do by descent alone" in_batches group -m tree
check "user plain" "so they do where libproc2 forgets its own" forgetful
check user "so they do where it forgets its own, after TERM" forgetful -s TERM -k 2s
check user "what libproc2 forgets is closed" closed_by_the_forgetful
check "user plain" "the soft limit is raised" raised
check user "so they do when the target has ended" left_at_exit
check root "4: with 32 descriptors, those who may not be signalled are named, the rest ends" denied
finish
