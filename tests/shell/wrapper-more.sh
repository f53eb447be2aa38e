#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# wrapper-more.sh - nskill-runc with the real runtimes: exec, many at once, what the watcher holds,
# and what is the runtime's own affair

# shellcheck disable=SC2153 # RUNTIME is of container.sh

# shellcheck source=/dev/null
. "$(dirname "$0")/../container.sh"

# ---- exec ----

# What it left in its group holds the output of exec: that has an end all the same.
executed() { # RUNTIME
	container "$1" 'exec sleep 9999'
	ls -A "state/$ID" >state.before
	wrapped exec "$ID" sh -c 'sleep 5555 & echo $$; exit 3' >out 2>err &
	RUN=$!
	run_returns 3 early
	grep -qx '[0-9]*' out || fail 'the picture is wrong: exec has not run'
	[[ ! -s err ]] || { cat err; fail 'exec has said something'; }
	until_true no_sleep 5555
	all_live
	until_true unchanged "state/$ID" state.before
	rm state.before
	finish_container
}

# One that lasts is watched while it does.
executed_long() { # RUNTIME [OPTION...]
	container "$1" 'exec sleep 9999'
	ls -A "state/$ID" >state.before
	wrapped exec "${@:2}" "$ID" sh -c 'sleep 5555 & read -r _ </end' \
		>out 2>err </dev/null &
	RUN=$!
	until_true find_sleep leak 5555
	until_true is_watched
	[[ " $* " = *' -d '* ]] || [[ -d /proc/$RUN ]] || fail 'exec has returned'
	echo >rootfs/end
	run_returns 0 early
	until_true no_sleep 5555
	[[ ! -s err ]] || { cat err; fail 'exec has said something'; }
	all_live
	until_true unchanged "state/$ID" state.before
	rm -f state.before exec.pid
	finish_container
}

# Whatever signals its caller has had ignored.
executed_deaf() { # RUNTIME
	trap '' USR1 TERM
	executed_long "$1" -d
}

no_sleep() { # SECONDS
	! (find_sleep leak "$1")
}

unchanged() { # FOLDER FILE
	[[ $(ls -A "$1") = "$(<"$2")" ]]
}

finish_container() {
	wrapped kill "$ID" KILL || fail 'kill has failed'
	over init group detached daemon
	meet end-of-file
	nothing_left
}

# ---- several ----

many() { # RUNTIME
	local number pids=() failed=0
	before_container "$1" 'exec sleep 9999'
	for number in {1..20}; do
		wrapped run --detach "many-$number" >"out-$number" 2>&1 </dev/null &
		pids+=($!)
	done
	for number in "${pids[@]}"; do wait "$number" || failed=1; done
	((failed == 0)) || { cat out-*; fail 'a run has failed'; }
	snapshot AFTER
	((${#AFTER[@]} >= ${#BEFORE[@]} + 20 * 4)) || fail 'the picture is wrong: too few'
	pids=()
	for number in {1..20}; do
		wrapped kill "many-$number" KILL >"out-$number" 2>&1 &
		pids+=($!)
	done
	for number in "${pids[@]}"; do wait "$number" || failed=1; done
	((failed == 0)) || { cat out-*; fail 'a kill has failed'; }
	until_true only_those_before
	for number in {1..20}; do plain delete "many-$number"; done
	[[ -z $(ls -A state) ]] || fail 'the state is left'
}

# Two kills of one container: one of them may be too late, and is told so by the runtime.
TOO_LATE='not running|not exist|No such|cannot open|kill container'
twice() { # RUNTIME
	local first second
	container "$1" 'exec sleep 9999'
	wrapped kill "$ID" KILL >first 2>&1 &
	first=$!
	wrapped kill "$ID" KILL >second 2>&1 &
	second=$!
	wait $first
	first=$?
	wait $second
	second=$?
	over init group detached daemon
	((first == 0 || second == 0)) || { cat first second; fail 'both have failed'; }
	((first == 0)) || grep -qE "$TOO_LATE" first || fail "another answer: $(<first)"
	((second == 0)) || grep -qE "$TOO_LATE" second || fail "another answer: $(<second)"
	rm -f first second
	run_returns 137
	nothing_left
}

# ---- the runtime's own affair ----

# same WORD... - the wrapper has the output and status of the runtime, but for times
same_answer() {
	plain "$@" >out.plain 2>err.plain </dev/null
	local status=$?
	wrapped "$@" >out 2>err </dev/null
	STATUS=$?
	[[ $STATUS = "$status" ]] || fail "$*: status $STATUS, not $status"
	sed -i 's/^time="[^"]*"//' err err.plain
	diff out.plain out || fail "another output: $*"
	diff err.plain err || fail "another error: $*"
	rm -f out.plain err.plain
}

transparent() { # RUNTIME
	local words
	container "$1" 'exec sleep 9999'
	for words in list 'list -q' "state $ID" "ps $ID" --version -v --help -h help 'run --help' \
		unknown --unknown 'run --unknown x' 'kill' 'kill gone KILL' 'kill gone TERM' \
		"kill $ID NONSENSE" "kill $ID KILL x" 'delete gone' 'delete --force gone' \
		"run $ID" "create $ID" 'run -b /nowhere new' 'exec gone true' "exec $ID" \
		"exec $ID false" "exec $ID /no/such/program" 'state gone' 'start gone' 'kill -- -x KILL' '' \
		"delete $ID" "run $ID extra"; do
		# shellcheck disable=SC2086 # a list of words
		same_answer $words
	done
	all_live
	finish_container
}

gone() { # RUNTIME
	container "$1" 'exec sleep 9999'
	wrapped kill "$ID" KILL || fail 'kill has failed'
	run_returns 137
	same_answer kill "$ID" KILL
	same_answer delete --force "$ID"
	nothing_left
}

# A container that has been created, and never started.
never_started() { # RUNTIME
	before_container "$1" 'exec sleep 9999'
	wrapped create --pid-file init.pid "$ID" >output 2>&1 </dev/null ||
		fail "create has failed: $(<output)"
	rm output
	call init "$(<init.pid)"
	is_alive "${P[init]}" || fail 'the picture is wrong: it has ended'
	wrapped kill "$ID" KILL || fail 'kill has failed'
	over init
	plain delete "$ID" || fail 'delete has failed'
	nothing_left
}

odd_id() { # RUNTIME
	ID=-x container "$1" 'exec sleep 9999'
	wrapped kill -- -x KILL || fail 'kill has failed'
	over init group detached daemon
	run_returns 137
	nothing_left
}

# ---- the watcher ----

# one_watcher - there is one, and `watcher` is its PID; where sanitizers look on, they may double it
one_watcher() {
	local entry
	watcher=
	for entry in /proc/[0-9]*; do
		[[ $(<"$entry/comm") = nskill ]] || continue
		[[ -z $watcher ]] || return 1
		watcher=${entry#/proc/}
	done 2>/dev/null
	[[ -n $watcher ]]
}

# is_alone PID PGRP SESSION - nobody else is in that group and that session
is_alone() {
	[[ $(ps -o pid= -s "$3" | xargs) = "$1" && $(pgrep -g "$2") = "$1" ]]
}

# It is nobody's child, in a session of its own, and has nothing of its caller's.
apart() { # RUNTIME
	local watcher entry own
	ground "$1"
	mkfifo extra
	cat extra >/dev/null &
	call reader-of-extra $!
	EXTRA=extra CREATE=run container "$1" 'exec sleep 9999'
	run_returns 0 early
	until_true is_over reader-of-extra
	all_live
	until_true one_watcher
	read_stat "$watcher" || fail 'no watcher'
	until_true is_alone "$watcher" "${STAT[2]}" "${STAT[3]}"
	[[ $(readlink "/proc/$watcher/cwd") = / ]] || fail 'it is in a folder'
	own=$(readlink "/proc/$watcher/fd/2")
	[[ $own = pipe:* ]] || fail "it speaks to $own"
	for entry in "/proc/$watcher/fd"/*; do
		case ${entry##*/}:$(readlink "$entry") in
		1:/dev/null | [02]:"$own") ;;
		*:anon_inode:* | *:pidfd* | *:/proc* | *:mnt:*) ;;
		*) fail "it holds $(ls -l "$entry")" ;;
		esac
	done
	unset "BEFORE[${P[reader-of-extra]}]"
	finish_detached
}

finish_detached() {
	wrapped kill "$ID" KILL || fail 'kill has failed'
	over init group detached daemon
	plain delete "$ID"
	meet end-of-file
	rm -f extra
	nothing_left
}

# A run that fails leaves no watcher, and says what the runtime says.
failed() { # RUNTIME
	before_container "$1" 'exit 3'
	same_answer run --bundle /nowhere new
	nothing_left
}

# To crun before 1.20 what exec starts is not the leader of its group: if it was gone before it was
# pinned, nothing leads to what it left.
check "plain root" "what runc exec leaves in its group ends, and the container lives" executed runc
for runtime in runc crun; do
	check "plain root" "what $runtime exec has started ends with it" executed_long $runtime
	check "plain root" "the same with $runtime exec --detach" executed_long $runtime -d
	check "plain root" "and for a caller that ignores what is sent to its helpers" \
		executed_deaf $runtime
	check "plain root" "the same with a pidfile of the caller's for $runtime exec" \
		executed_long $runtime --pid-file exec.pid
	check "plain root" "20 containers of $runtime end at once" many $runtime
	check "plain root" "two kills of one container of $runtime end it" twice $runtime
	check "plain root" "all else is what $runtime itself answers" transparent $runtime
	check "plain root" "a container of $runtime that is gone is $runtime's affair" gone $runtime
	check "plain root" "a container of $runtime that was never started ends" never_started $runtime
	check "plain root" "an ID may begin with a dash for $runtime" odd_id $runtime
	check "plain root" "the watcher of $runtime holds nothing of its caller's" apart $runtime
	check "plain root" "a run of $runtime that fails leaves nothing" failed $runtime
done
finish
