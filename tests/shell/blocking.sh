#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# blocking.sh - nothing is read of a process that can make the reader wait

# shellcheck disable=SC2034 # lib.sh reads STATUS, ELAPSED and ARGUMENTS

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 20 120
QUICK=3000 # milliseconds
[[ -z $SANITIZED ]] || QUICK=10000

# What `fail` says is read from command lines, too.
eval "say_and_$(declare -f fail)"
fail() { # REASON
	[[ -z ${P[server]-} ]] || kill -KILL "${P[server]}"
	say_and_fail "$@"
}

# stuck_file - folder/file is one that no read of ever returns, until the process `server` ends
stuck_file() {
	mkdir folder
	stuckfs server folder 2>refused &
	call server $!
	until_true served
	[[ ! -s refused ]] || skip "needs to mount a file system of its own: $(<refused)"
	is_alive "${P[server]}" || skip 'needs to mount a file system of its own'
}

served() {
	[[ -s refused ]] || ! is_alive "${P[server]}" || [[ -e folder/file ]]
}

is_uninterruptible() { # NAME
	read_stat "${P[$1]}" && [[ ${STAT[0]} = D ]]
}

# stuck_memory - a target one of whose children has its memory locked: whoever reads its command
# line waits for it
stuck_memory() {
	stuck_file
	setsid announce target sh -c 'stuckmap stuck folder/file & announce child &
		exec announce in-target' &
	meet target child in-target stuck server-read
	forget in-target server-read
	kill -USR1 "${P[stuck]}"
	until_true is_uninterruptible stuck
	bystanders
	cat "/proc/${P[stuck]}/cmdline" >cmdline &
	pause 0.5
	kill -KILL $! || fail 'the picture is wrong: the command line can be read'
	wait $!
	(($? == 137)) || fail 'the picture is wrong: the command line can be read'
}

neighbours_of_stuck_memory() { # ARGUMENT...
	stuck_memory
	run -t 1 "$@" "${P[target]}"
	status_is 124
	ended target child
	says "still alive: ${P[stuck]} \\(stuckmap\\).* state D .*waiting in [a-z_]+[a-z]"
	((ELAPSED < 1000 + QUICK)) || fail "has taken $ELAPSED ms"
	kill -KILL "${P[server]}"
	until_true is_over stuck
	run "$@" "${P[target]}"
	status_is 0
}

list_of_stuck_memory() {
	stuck_memory
	run -n "${P[target]}"
	status_is 0
	ended
	lists_exactly target stuck child
	((ELAPSED < QUICK)) || fail "has taken $ELAPSED ms"
}

# A child that cannot be had back must not hold what the caller waits for the end of.
arguments_of_stuck_memory() {
	stuck_memory
	# shellcheck disable=SC2016 # a script
	under sh -c '{ "$0" "$@"; echo $? >inner; } | cat; exit "$(cat inner)"'
	run -n -o +args "${P[target]}"
	status_is 0
	ended
	((ELAPSED < 1000 + QUICK)) || fail "has taken $ELAPSED ms"
	grep -Eq "^ *${P[stuck]} .* \[stuckmap\]$" out || fail 'other arguments of the stuck one'
	grep -Eq "^ *${P[target]} .* announce in-target$" out || fail 'no arguments of the target'
	kill -KILL "${P[server]}"
}

# nobody_is_left - whom nskill has made
nobody_is_left() {
	local try
	for ((try = 0; try < 50; try++)); do
		snapshot AFTER
		((${#AFTER[@]} > ${#BEFORE[@]})) || break
		pause 0.1
	done
	ended
}

# The child that reads the arguments cannot be pinned, to be ended.
child_of_stuck_memory() {
	local last
	no_leak_check
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	stuck_memory
	under inject -o counts pidfd_open@0=EMFILE --
	run -n -o +args "${P[target]}"
	read -r _ last _ <counts
	under inject -o counts "pidfd_open@$last+=EMFILE" --
	run -n -o +args "${P[target]}"
	status_is 0
	grep -q '^pidfd_open .* [1-9][0-9]*$' counts || fail "the picture is wrong: $(<counts)"
	nobody_is_left
	kill -KILL "${P[server]}"
}

record_of_stuck_memory() {
	stuck_memory
	run --record=file.record "${P[stuck]}"
	status_is 0
	ended
	((ELAPSED < QUICK)) || fail "has taken $ELAPSED ms"
}

# One who waits for the file does not die: it is named with the reason, and the others end.
stuck_member() { # SECONDS
	stuck_file
	setsid announce target sh -c 'cat folder/file & announce child & exec announce in-target' &
	meet target child in-target server-read
	forget in-target
	call stuck "${P[server-read]}"
	forget server-read
	bystanders
	run -t "$1" "${P[target]}"
	status_is 124
	ended target child
	says "still alive: ${P[stuck]} \\(cat\\).* state D .*waiting in [a-z_]+[a-z]"
	[[ ! -s out ]] || fail 'standard output is not empty'
	((ELAPSED < $1 * 1000 + QUICK)) || fail "has taken $ELAPSED ms"
	kill -KILL "${P[server]}"
	until_true is_over stuck
	run "${P[target]}"
	status_is 0
	is_silent
}

# ---- what is opened at all ----

# reads_nothing_that_waits - what strace has seen in `trace` is none of what can wait on a stuck
# process
reads_nothing_that_waits() {
	grep -Eq '"(/proc/[0-9]+/)?stat"' trace || fail 'the picture is wrong: nothing is read'
	local of='(/proc/)?([0-9]+|self|thread-self)/(task/[0-9]+/)?'
	local what='cmdline|environ|exe|s?maps|smaps_rollup|numa_maps|cwd|root|fd|mem|stack|syscall'
	# What is open may be listed, not opened: see io.sh.
	! grep -E "\"$of($what)[/\"]" trace | grep -Ev '/fd", [A-Z_|]*O_DIRECTORY' ||
		fail 'has read what can wait'
	# By way of a directory that was opened before.
	! grep -E '"(cmdline|environ|exe|maps|smaps|cwd|root|mem)"' trace ||
		fail 'has read what can wait'
}

traced() {
	type -P strace >/dev/null || skip 'needs strace'
	no_leak_check
	under strace -f -o trace -e trace=file
}

# survivor - a job with one that a signal does not end
job_with_survivor() {
	setsid sh -c 'trap "" TERM; (announce orphan &); announce child &
		exec announce target' &
	meet target orphan child
	bystanders
}

opens() { # STATUS ARGUMENT...
	traced
	job_with_survivor
	run "${@:2}" "${P[target]}"
	status_is "$1"
	reads_nothing_that_waits
}

opens_at_exit() {
	traced
	job_with_survivor
	"${VIA[@]}" "$NSKILL" -v --on-exit "${P[target]}" </dev/null >out 2>err 9>&- &
	call strace $!
	until_true grep -q 'waiting for the end' err
	kill -KILL "${P[target]}"
	wait "${P[strace]}"
	STATUS=$?
	status_is 0
	is_over child || fail 'child is alive'
	reads_nothing_that_waits
}

check root "one whose command line cannot be read does not hold the end of its neighbours" \
	neighbours_of_stuck_memory -v
check root "so it is when it is stopped before" neighbours_of_stuck_memory -m tree,mnt
check root "so it is after TERM" neighbours_of_stuck_memory -s TERM -k 500ms
check root "it does not hold the listing" list_of_stuck_memory
check root "nor one that shows the arguments of the others, or who reads that to its end" \
	arguments_of_stuck_memory
check root "nobody is left behind who reads the arguments, with no descriptor to spare either" \
	child_of_stuck_memory
check root "nor a record of it" record_of_stuck_memory
check root "124: who waits for a file system that is stuck is named with the wait channel" \
	stuck_member 1
# Sanitizers read maps and exe of nskill itself.
if [[ -z $SANITIZED ]]; then
	check "user plain" "a kill reads nothing that can wait" opens 0 -v
	check user "nor does one by descent" opens 0 -v -m tree
	check user "nor does one with survivors" opens 124 -v -s TERM -t 200ms
	check user "nor does one with --kill-after" opens 0 -v -s TERM -k 200ms
	check user "nor does a listing" opens 0 -n
	check user "nor does --record" opens 0 --record=file.record
	check user "nor does --on-exit" opens_at_exit
fi
finish
