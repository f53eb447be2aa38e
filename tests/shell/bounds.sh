#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bounds.sh - every run ends in time, whatever the processes, the kernel or a pipe do

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 15 150
SLACK=500 # milliseconds after the deadline
[[ -z $SANITIZED ]] || SLACK=5000

in_time() { # FROM [TO] - milliseconds; to FROM if it is not said
	((ELAPSED >= $1 - 20)) || fail "$ELAPSED ms are less than $1"
	((ELAPSED <= ${2-$1} + SLACK)) || fail "$ELAPSED ms are more than ${2-$1}, and a slack"
}

# stubborn - it and its child ignore TERM
stubborn() {
	setsid sh -c 'trap "" TERM; announce child & exec announce target' &
	meet target child
	bystanders
	T=${P[target]}
}

# ---- a process that cannot die: frozen by the old freezer, thawed from outside ----

FREEZER=$(awk '$3 == "cgroup" && $4 ~ /(^|,)freezer(,|$)/ { print $2; exit }' /proc/mounts)
FREEZER=${FREEZER:+$FREEZER/${WORK##*/}}

# thaw - all that the checks of this file have frozen, or have left there
thaw() {
	local group try
	for group in "$FREEZER"-*; do
		[[ -n $FREEZER && -d $group ]] || continue
		echo THAWED >"$group/freezer.state"
		# Those who were frozen are still on their way to death.
		for ((try = 0; try < 200; try++)); do
			! rmdir "$group" 2>/dev/null || break
			sleep 0.02
		done
	done
}
on_limit thaw

frozen() {
	GROUP=$FREEZER-${TEST_DIR##*/}
	[[ -n $FREEZER ]] || skip 'needs a v1 freezer cgroup'
	mkdir "$GROUP" 2>/dev/null || skip 'needs a v1 freezer cgroup that can be written'
	trap 'echo THAWED >"$GROUP/freezer.state"' EXIT
	# In a sleep, whose wait channel says nothing of a freezer.
	setsid "${MNT[@]}" announce target sh -c '
		announce child & setsid sh -c "echo frozen \$\$ >&9; exec sleep 1000" &
		exec announce in-target' &
	meet target child frozen in-target
	forget in-target
	bystanders
	echo "${P[frozen]}" >"$GROUP/cgroup.procs"
	echo FROZEN >"$GROUP/freezer.state"
	until_true grep -q FROZEN "$GROUP/freezer.state"
}

frozen_to_the_end() { # SECONDS
	frozen
	run -t "$1" "${P[target]}"
	status_is 124
	ended target child
	in_time "$((${1%.*} * 1000))"
	says "${P[frozen]}" '[Ff]r[eo]+z'
	[[ ! -s out ]] || fail 'standard output is not empty'
}

frozen_at_once() {
	frozen
	run -t 0 "${P[target]}"
	status_is 124
	in_time 0
	says "${P[frozen]}"
}

thawed_in_time() {
	frozen
	{
		pause 0.5
		echo THAWED >"$GROUP/freezer.state"
		exec announce thawer
	} &
	run -t 20 "${P[target]}"
	status_is 0
	ended target child frozen
	is_silent
}

# ---- processes that do not want to ----

ignored() {
	stubborn
	run -s TERM -t 1 "$T"
	status_is 124
	ended
	in_time 1000
	says "$T" "${P[child]}"
}

milliseconds() {
	stubborn
	run -s TERM -t 300ms "$T"
	status_is 124
	ended
	in_time 300
}

one_look() {
	stubborn
	run -s TERM -t 0 "$T"
	status_is 124
	ended
	in_time 0
	says "$T"
}

then_killed() { # ARGUMENT...
	stubborn
	run -s TERM "$@" "$T"
	status_is 0
	ended target child
	in_time 500
	is_silent
}

# Whoever leaves before does so, and the time is not waited out.
sooner() {
	setsid announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	run -s TERM -k 8 -t 20 "${P[target]}"
	status_is 0
	ended target child
	((ELAPSED < 3000)) || fail 'has waited for nothing'
}

stopped() { # ARGUMENT...
	setsid announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	kill -STOP "${P[target]}" "${P[child]}"
	until_true is_stopped target
	until_true is_stopped child
	run "$@" "${P[target]}"
	status_is 0
	ended target child
	((ELAPSED < 3000)) || fail 'has waited for a stopped process'
}

is_stopped() { # NAME
	read_stat "${P[$1]}" && [[ ${STAT[0]} = T ]]
}

no_time_limit() {
	setsid announce target &
	meet target
	run -t infinity "${P[target]}"
	status_is 0
	ended target
}

# ---- pipes ----

# full_pipe - descriptor 8 is a pipe that nobody reads and that takes no more
full_pipe() {
	mkfifo full
	exec 8<>full
	dd if=/dev/zero of=full oflag=nonblock bs=512 status=none 2>/dev/null
	dd if=/dev/zero of=full oflag=nonblock bs=1 status=none 2>/dev/null
	! timeout 0.05 sh -c 'echo >&8' || fail 'the picture is wrong: room in the pipe'
}

onto_full_pipe() { # REDIRECTION ARGUMENT...
	local flags
	setsid announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	bystanders
	full_pipe
	flags=$(grep flags /proc/self/fdinfo/8)
	under sh -c "exec \"\$0\" \"\$@\" $1"
	shift
	run "$@" -t 2 "${P[target]}"
	[[ $STATUS != 137 ]] || fail 'a full pipe has held it'
	in_time 0 2000
	[[ $(grep flags /proc/self/fdinfo/8) = "$flags" ]] || fail 'the flags have changed'
}

kills_onto_full_pipe() { # REDIRECTION ARGUMENT...
	onto_full_pipe "$@"
	ended target child
}

lists_onto_full_pipe() { # REDIRECTION ARGUMENT...
	onto_full_pipe "$@"
	status_is 5
	ended
}

refuses_onto_full_pipe() {
	full_pipe
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" 2>&8'
	run -t 2 1
	status_is 5
	in_time 0 2000
}

# Those who hold the other end of its output are the very ones that it ends.
broken_pipe() {
	mkfifo output
	setsid sh -c 'exec <output; announce child & announce other & exec announce target' &
	exec 8>output
	meet target child other
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" >&8 2>&8'
	run -v "${P[target]}"
	exec 8>&-
	ended target child other
}

for seconds in 1 2; do
	check root "124: who is frozen is named at the deadline of $seconds s" \
		frozen_to_the_end $seconds
done
check root "124: with -t 0 who is frozen is named at once" frozen_at_once
check root "who is thawed in time is gone at the end" thawed_in_time
check "user plain" "124: who ignores the signal is named at the deadline" ignored
check user "124: a deadline can be given in milliseconds" milliseconds
check user "124: with -t 0 there is one look" one_look
check user "who ignores the signal is gone after --kill-after" then_killed -k 0.5
check user "so it is with milliseconds and a deadline" then_killed --kill-after=500ms -t 5
check user "nothing is waited for that has ended sooner" sooner
check user "a stopped process ends by TERM" stopped -s TERM
check user "a stopped process ends by KILL" stopped
check user "without a time limit it ends when all is dead" no_time_limit
check "user plain" "a full standard output does not hold the kill" kills_onto_full_pipe '>&8' -v
check user "a full standard error does not hold the kill" kills_onto_full_pipe '2>&8' -v
check user "both full do not hold the kill" kills_onto_full_pipe '>&8 2>&8' -v
check user "a full standard output does not hold the listing" lists_onto_full_pipe '>&8' -n
check user "a full standard error does not hold a refusal" refuses_onto_full_pipe
check user "a reader of its output may be the one that it ends" broken_pipe
finish
