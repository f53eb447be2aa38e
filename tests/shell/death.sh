#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# death.sh - exit status 0 means that nothing of the target is alive

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 120 400
TRIES=20

# A zombie that nobody reaps is dead: no time is spent on it.
zombie_child() {
	setsid announce target sh -c 'announce child & announce other & exec announce in-target' &
	meet target child other in-target
	forget in-target
	kill -KILL "${P[child]}"
	until_true is_zombie child
	run "${P[target]}"
	status_is 0
	ended target other
	((ELAPSED < 3000)) || fail 'has waited for a zombie'
	is_silent
}

# The target's parent does not reap it: it is a zombie afterwards, and so dead.
never_reaped() {
	setsid sh -c 'setsid announce target sh -c "announce child & exec announce in-target" &
		exec announce parent' &
	meet parent target child in-target
	forget in-target
	run "${P[target]}"
	status_is 0
	ended target child
	is_zombie target || fail 'the picture is wrong: not a zombie'
	((ELAPSED < 3000)) || fail 'has waited for a zombie'
	run "${P[target]}"
	status_is 0
	ended
	is_silent
}

# The first thread has ended, another lives: that is no dead process.
zombie_leader() { # [OPTION...]
	setsid "${MNT[@]}" zombie-leader target &
	meet target target-thread
	is_zombie target || fail 'the picture is wrong: not a zombie'
	bystanders
	run "$@" "${P[target]}"
	status_is 0
	ended target
	until_true is_gone target
	[[ ! -e /proc/${P[target-thread]} ]] || fail 'the thread is alive'
}

# Its namespace is to be read from the thread that lives: a daemon has no other tie.
zombie_leader_with_daemon() {
	setsid "${MNT[@]}" sh -c '(setsid announce daemon &); exec zombie-leader target' &
	meet daemon target target-thread
	until_true has_no_parent daemon
	is_zombie target || fail 'the picture is wrong: not a zombie'
	! readlink "/proc/${P[target]}/ns/mnt" || fail 'the picture is wrong: a readable link'
	bystanders
	run "${P[target]}"
	status_is 0
	ended target daemon
}

# One that is a member, and not the target.
zombie_leader_child() {
	setsid announce target sh -c 'zombie-leader child & exec announce in-target' &
	meet target child child-thread in-target
	forget in-target
	is_zombie child || fail 'the picture is wrong: not a zombie'
	run -n "${P[target]}"
	lists_exactly target child
	run "${P[target]}"
	status_is 0
	ended target child
}

# Over with TERM alone: who is gone by it is gone, before nskill returns.
by_term() {
	# shellcheck disable=SC2016 # a script
	setsid announce target sh -c 'trap "sleep 0.3; exit" TERM
		announce child & announce in-target & while :; do wait; done' &
	meet target child in-target
	run -s TERM "${P[target]}"
	status_is 0
	ended target child in-target
	is_silent
}

hops() { # NUMBER - sets REPLY to what the hopper of that number has counted until now
	REPLY=$(od -An -t u8 "hops$1" 2>/dev/null)
	REPLY=${REPLY// /}
}

is_hopping() { # NUMBER MORE-THAN
	hops "$1"
	[[ -n $REPLY ]] && ((REPLY > $2))
}

# The target forks a hopper and stays; the hopper's hops have no parent that would be a member.
start_hopper() { # group|session|mnt NUMBER
	local mnt=()
	[[ $1 != mnt ]] || mnt=("${MNT[@]}")
	setsid "${mnt[@]}" announce target sh -c 'hop "$@" & exec announce in-target' sh \
		"$1" "hops$2" &
	meet target in-target
	forget in-target
	until_true is_hopping "$2" 20
}

# The target itself is the first hop: long gone and reaped.
start_orphan_hopper() { # group|session NUMBER
	setsid hop "$1" "hops$2" &
	call target $!
	wait $!
	until_true is_hopping "$2" 20
	is_gone target || fail 'the picture is wrong: not reaped'
}

# What was gone when nskill came back is gone a second later.
# hopper start_hopper|start_orphan_hopper group|session|mnt [OTHERS]
hopper() {
	local try counted=()
	if [[ -n ${3-} ]]; then
		setsid crowd others "$3" &
		meet others
	fi
	bystanders
	snapshot BEFORE
	for ((try = 1; try <= TRIES; try++)); do
		"$1" "$2" $try
		timeout --foreground -s KILL 60 "$NSKILL" "${P[target]}" 9>&- >out 2>err
		STATUS=$?
		hops $try
		counted[try]=$REPLY
		[[ $STATUS = 0 ]] || { cat err; fail "try $try: exit status $STATUS"; }
		[[ ! -s out && ! -s err ]] || { cat out err; fail "try $try: not silent"; }
		forget target
	done
	pause 1
	for ((try = 1; try <= TRIES; try++)); do
		hops $try
		((REPLY == counted[try])) ||
			fail "try $try: $((REPLY - counted[try])) hops after the end"
	done
	snapshot AFTER
	ended
}

# Of those who are born between the look and the kill, a parent alone tells whose they are.
sprayed() { # ARGUMENT...
	local try
	bystanders
	for ((try = 1; try <= TRIES; try++)); do
		setsid spray "$@" &
		meet spray
		timeout --foreground -s KILL 30 "$NSKILL" "${P[spray]}" 9>&- >out 2>err
		STATUS=$?
		[[ $STATUS = 0 ]] || { cat err; fail "try $try: exit status $STATUS"; }
		pause 0.05
		spray_is_alive && fail "try $try: some are alive"
		forget spray
	done
	ended
}

spray_is_alive() {
	local stat
	for stat in /proc/[0-9]*/stat; do
		# shellcheck disable=SC2016 # a program of awk
		awk '$2 == "(spray)" && $3 != "Z" { found = 1 } END { exit !found }' "$stat" \
			2>/dev/null && return 0
	done
	return 1
}

check "user plain" "a zombie in the group counts as dead" zombie_child
check "user plain" "a target whose parent does not reap it is dead all the same" never_reaped
check "user plain root" "a target whose first thread is a zombie is alive, and ends" zombie_leader
check user "a target whose first thread is a zombie ends by TERM" zombie_leader -s TERM
check "user plain" "the namespace of a target whose first thread is a zombie ends" \
	zombie_leader_with_daemon
check "user plain" "a child whose first thread is a zombie is listed, and ends" zombie_leader_child
check user "who takes a while to end on TERM is waited for" by_term
for keeps in group session mnt; do
	check user "one that forks and exits, keeping its $keeps, is gone" \
		hopper start_hopper $keeps
	check user "one that forks and exits, keeping its $keeps, is gone from among 3000" \
		hopper start_hopper $keeps 3000
done
check plain "one that forks and exits, keeping its mount namespace, is gone for a user" \
	hopper start_hopper mnt
check user "one that forks and exits in a dead leader's group is gone" \
	hopper start_orphan_hopper group
check user "one that forks and exits in a dead leader's session is gone" \
	hopper start_orphan_hopper session
# Slower ones can have a single child in the very moment of the strike, which nothing ties any more.
check "user plain" "children that leave group and session, one in 300 us, are gone" \
	sprayed leave 300
check "user plain" "a target that forks and adopts all the time is gone with all of them" \
	sprayed adopt 1000 20
finish
