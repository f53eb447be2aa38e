#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# descent.sh - no child slips away from those whom nothing but descent ties
#
# TRIES is how many there are of each kind (default 2), and a quarter of that where nskill is
# disturbed; MEGABYTES what a large target has (default 200). SEED makes the moments at which
# something happens the same again.

# shellcheck disable=SC2034 # lib.sh reads STATUS

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

export TRIES=${TRIES:-2} MEGABYTES=${MEGABYTES:-200} SEED=${SEED:-$RANDOM$RANDOM}
limits $((30 + TRIES * 3)) $((150 + TRIES * 10))

# bred HOW WHEN [MEGABYTES] - see tests/helpers/breed.c
bred() {
	local tries=$TRIES
	echo "seed $SEED"
	[[ $2 = never ]] || tries=$((1 + TRIES / 4))
	timeout -s KILL $((LIMIT - 5)) breed "$1" "$2" "$tries" "$SEED" "${3-0}" "$NSKILL" ||
		fail 'see above'
}

# large HOW WHEN - what a fork takes long of, and all that is forked from it shares
large() {
	local word kilobytes
	while read -r word kilobytes _; do
		[[ $word != MemAvailable: ]] || break
	done </proc/meminfo
	((kilobytes > MEGABYTES * 2048)) || skip "needs $((MEGABYTES * 2)) MB of free memory"
	bred "$1" "$2" "$MEGABYTES"
}

# ---- who is held, or was stopped before ----

# guest - a target of this group and session, with a child that has left both, and one that has not
guest() {
	announce target sh -c 'setsid announce apart-child & announce child & exec announce in-target' &
	meet target apart-child child in-target
	forget in-target
	bystanders
}

stopped_before() { # NAME...
	local name
	guest
	for name; do kill -STOP "${P[$name]}"; done
	for name; do until_true is_in_state "$name" T; done
	run "${P[target]}"
	status_is 0
	ended target apart-child child
	is_silent
}

is_in_state() { # NAME LETTER
	read_stat "${P[$1]}" && [[ ${STAT[0]} = "$2" ]]
}

# held seize|stop NAME... - by a tracer that lets nobody go on
held() {
	local how=$1 pids=() name
	shift
	guest
	for name; do pids+=("${P[$name]}"); done
	tracer tracer "$how" "${pids[@]}" &
	meet tracer
	[[ $how != stop ]] || for name; do until_true is_in_state "$name" t; done
	run "${P[target]}"
	status_is 0
	ended target apart-child child
	((ELAPSED < 3000)) || fail 'has waited for who stood still'
	for name in near apart sandbox tracer; do
		is_alive "${P[$name]}" || fail "$name is dead"
		[[ ${STAT[0]} != T ]] || fail "$name is stopped"
	done
}

# The tracer is one of them: its end lets go whom it holds.
held_by_member() {
	mkfifo go
	# shellcheck disable=SC2016 # a script
	announce target sh -c '
		announce child & child=$!; read -r _ <go
		tracer tracer stop $child & exec announce in-target' &
	meet target child
	echo >go
	meet in-target tracer
	forget in-target
	until_true is_in_state child t
	bystanders
	run "${P[target]}"
	status_is 0
	ended target child tracer
}

# strace lets everybody go on again and again, and what they have forked, too.
traced_all_the_time() {
	local try
	type -P strace >/dev/null || skip 'needs strace'
	bystanders
	snapshot BEFORE
	for ((try = 0; try <= TRIES / 4; try++)); do
		spray leave 300 &
		meet spray
		strace -f -qq -o /dev/null -p "${P[spray]}" 2>/dev/null &
		until_true is_traced spray
		timeout --foreground -s KILL 20 "$NSKILL" "${P[spray]}" 9>&- >out 2>err
		STATUS=$?
		status_is 0
		forget spray
		wait $!
		snapshot AFTER
		ended
	done
}

is_traced() { # NAME
	grep -q '^TracerPid:	[1-9]' "/proc/${P[$1]}/status"
}

check "user plain" "no child of one that forks slips away" bred fork never
for how in fork threads vfork hang tree sibling; do
	check "user" "no child that leaves group and session slips away: $how" bred $how+leave never
done
check "plain" "no child that leaves slips away, for an ordinary user" bred threads+leave never
check "user" "no child slips away from one that waits in vfork" bred hang never
check "user" "none slips away from one that was stopped before" bred stopped+leave never
check "user" "none slips away from one that is sent SIGCONT all the time" bred waking+leave never
check "user" "none is born when another ends" bred grace+leave never
for how in fork threads; do
	check "user" "none slips away from a large one in the middle of a fork: $how" \
		large $how+leave never
	for when in INT TERM early; do
		check "user" "nobody is left stopped: $how, disturbed $when" bred $how+leave $when
	done
	check "user" "nobody is left stopped of a large one: $how" large $how+leave INT
done
check "plain" "nobody is left stopped, for an ordinary user" bred tree+leave TERM
check "user" "nobody is left stopped: who waits in vfork" bred hang+leave INT
check "user" "who was stopped before is ended" stopped_before target child apart-child
check "user plain" "who was stopped before is ended: the children alone" \
	stopped_before child apart-child
check "user plain" "who is traced is ended" held seize target child apart-child
check "user" "who is held by a tracer is ended" held stop target child apart-child
check "user" "who is held by one of them is ended" held_by_member
check "user" "none slips away from one that strace follows" traced_all_the_time
finish
