#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# interrupts.sh - whatever interrupts nskill or closes its output, nobody is left stopped, and what
# was begun is finished or told of

# shellcheck disable=SC2034 # lib.sh reads STATUS, ELAPSED and ARGUMENTS

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 60 200
RUNS=20 # of each signal
MEMBERS=100

# guests - a target with MEMBERS children that descent alone ties to it; the same for every run
guests() {
	local name
	for name in target crowd; do forget $name; done
	sh -c 'announce target crowd crowd '$MEMBERS'; exec sleep 1000' &
	OUTSIDE=$!
	meet target crowd
}

# crew - the members that are alive, and the letters of their states
crew() {
	local stat line
	CREW=0
	STATES=
	for stat in /proc/[0-9]*/stat; do
		IFS= read -r line 2>/dev/null <"$stat" || continue
		[[ $line = *' (crowd) '[!ZX]* ]] || continue
		line=${line##*) }
		STATES+=${line:0:1}
		CREW=$((CREW + 1))
	done
} 2>/dev/null

nobody_is_stopped() {
	crew
	[[ $STATES != *[Tt]* ]]
}

# all_or_none - of those who have been stopped all have been killed: if any is dead, all die
settled() {
	nobody_is_stopped && ((CREW == 0 || CREW == MEMBERS + 1))
}

# For the next run: they are in a PID namespace of the check's.
end_guests() {
	kill -KILL "${P[target]}" "$OUTSIDE"
	pkill -KILL -x crowd
	wait "$OUTSIDE"
} 2>/dev/null

# interrupted_while_stopping SIGNAL ARGUMENT... - at RUNS moments of the kill
interrupted_while_stopping() {
	local signal=$1 run runs delay number died=0 all=0
	shift
	number=$(kill -l "$signal")
	for ((run = 0; run < RUNS; run++)); do
		guests
		env --default-signal="$signal" "$NSKILL" "$@" "${P[target]}" \
			</dev/null >out 2>err 9>&- &
		runs=$!
		delay=$((run * 30000 / RUNS))
		pause "$(printf '0.%06d' $delay)"
		kill -s "$signal" $runs 2>/dev/null
		wait $runs 2>/dev/null
		STATUS=$?
		ARGUMENTS=("$signal" "after $delay us" "$@")
		((STATUS == 128 + number || STATUS == 0 || STATUS == 124)) ||
			fail "exit status $STATUS"
		until_true settled
		((STATUS != 128 + number)) || died=$((died + 1))
		((CREW)) || all=$((all + 1))
		# Who was told to be alive may die a moment later; but nobody lives untold.
		if ((CREW && STATUS == 0)); then fail "$CREW are alive"; fi
		end_guests
	done
	echo "$signal $*: died of it $died times of $RUNS, all were dead $all times"
	((died > 0)) || fail 'the picture is wrong: no interrupt came in time'
}

# out_of_time TIME - the same where the time is up in the middle
out_of_time() {
	local run
	for ((run = 0; run < RUNS / 4; run++)); do
		guests
		"$NSKILL" "$@" "${P[target]}" </dev/null >out 2>err 9>&-
		STATUS=$?
		((STATUS == 124 || STATUS == 0)) || fail "exit status $STATUS"
		until_true settled
		((CREW == 0)) || fail "$CREW are alive"
		end_guests
	done
}

# While nskill sleeps, the target ends and leaves a child that nobody has seen yet; TERM comes with it.
unseen() {
	local runs
	mkfifo never
	setsid announce target bash -c 'trap "" TERM; trap "setsid announce child & exit" USR1
		: >ready; read -r _ <>never' &
	meet target
	until_true test -e ready
	bystanders
	env --default-signal=TERM "$NSKILL" -vJ -s TERM -t 25 "${P[target]}" </dev/null \
		>out 2>err 9>&- &
	runs=$!
	until_true grep -q 'sent TERM to .*target' err
	kill -STOP $runs
	kill -USR1 "${P[target]}"
	meet child
	until_true is_over target
	kill -TERM $runs
	kill -CONT $runs
	wait $runs
	STATUS=$?
	status_is 143
	is_alive "${P[child]}" || fail 'the picture is wrong: the child is dead'
	says 'interrupted before it was certain that nothing is left'
	! grep -q '; nothing is left$' err || fail 'nothing is said to be left'
	jq -e '.result == "timeout" and .exit_signal == "TERM"' out ||
		fail 'the document says something else'
}

# ---- who reads has gone ----

# Whatever is closed: the kill is done. The status tells what the output has become.
output_closed() { # REDIRECTION STATUS ARGUMENT...
	guests
	bystanders
	under sh -c "exec \"\$0\" \"\$@\" $1"
	run "${@:3}" "${P[target]}"
	status_is "$2"
	crew
	((CREW == 0)) || fail "$CREW are alive: $STATES"
}

reader_has_gone() { # REDIRECTION ARGUMENT...
	mkfifo output
	exec 8<>output
	exec 6>output 8<&-
	output_closed "$1" 141 "${@:2}"
}

# It leaves after the first line, long before KILL is told of.
reader_leaves() {
	local line runs
	guests
	mkfifo output
	env --default-signal=PIPE "$NSKILL" -v -s WINCH -k 1s "${P[target]}" \
		</dev/null >output 2>&1 9>&- &
	runs=$!
	read -r line <output
	[[ $line = nskill:* ]] || fail 'the picture is wrong: nothing was said'
	crew
	((CREW == MEMBERS + 1)) || fail "the picture is wrong: $CREW are alive already"
	wait $runs
	STATUS=$?
	status_is 141
	crew
	((CREW == 0)) || fail "$CREW are alive: $STATES"
}

at_exit() { # REDIRECTION STATUS
	local runs
	guests
	pause 0.05 # who is as young as the look itself is not known for certain at the end
	sh -c 'exec "$0" -v --on-exit -t 5 "$1" '"$1" "$NSKILL" "${P[target]}" </dev/null \
		>out 2>err 9>&- &
	runs=$!
	until_true waits_for_the_end $runs
	kill -KILL "${P[target]}"
	wait $runs
	STATUS=$?
	status_is "$2"
	crew
	((CREW == 0)) || fail "$CREW are alive: $STATES"
}

# It has found out who belongs to the target, and sleeps.
waits_for_the_end() { # PID
	# shellcheck disable=SC2153 # not a misspelling
	read_stat "$1" && [[ ${STAT[0]} = S ]] && grep -qs '^tfd:' "/proc/$1/fdinfo"/*
}

full_pipe() {
	mkfifo full
	exec 8<>full
	dd if=/dev/zero of=full oflag=nonblock bs=512 status=none 2>/dev/null
	dd if=/dev/zero of=full oflag=nonblock bs=1 status=none 2>/dev/null
}

at_exit_with_full_pipe() { # REDIRECTION
	full_pipe
	at_exit "$1" 5
}

# ---- the terminal has gone ----

# on_terminal ARGUMENT... - run nskill as the leader of a terminal's session
on_terminal() {
	hangup nskill env --default-signal=HUP "$NSKILL" "$@" </dev/null >out 2>err 9>&9 &
	TERMINAL=$!
	meet nskill
}

terminal_gone() {
	setsid sh -c 'trap "" TERM HUP; exec announce target' &
	meet target
	bystanders
	on_terminal -v -s TERM -t 25 "${P[target]}"
	until_true grep -q 'sent TERM' out
	snapshot BEFORE
	kill -USR1 "$TERMINAL"
	wait "$TERMINAL"
	STATUS=$?
	status_is 129
	is_alive "${P[target]}" || fail 'the target is dead'
	[[ ${STAT[0]} != T ]] || fail 'the target is stopped'
}

terminal_gone_while_stopping() {
	local run
	for ((run = 0; run < RUNS / 4; run++)); do
		guests
		on_terminal -v "${P[target]}"
		pause "$(printf '0.%03d' $((run * 4)))"
		kill -USR1 "$TERMINAL" 2>/dev/null
		wait "$TERMINAL"
		STATUS=$?
		[[ $STATUS = 129 || $STATUS = 0 || $STATUS = 5 ]] || fail "exit status $STATUS"
		until_true settled
		forget nskill
		end_guests
	done
}

# `stty tostop`: whoever writes from the background is stopped, unless it does not want to be.
terminal_of_others() {
	type -P stty >/dev/null || skip 'needs stty'
	guests
	# shellcheck disable=SC2016 # a script
	timeout 10 hangup nskill bash -c 'stty tostop; set -m; "$0" -v "$1" & wait $!; echo status $?' \
		"$NSKILL" "${P[target]}" </dev/null >out 2>err 9>&9
	lists 'status 0' 'nskill: stopped' 'nskill: sent KILL'
	crew
	((CREW == 0)) || fail "$CREW are alive: $STATES"
}

for signal in INT TERM HUP QUIT; do
	check user "$signal leaves nobody stopped, at any moment" interrupted_while_stopping $signal
done
check plain "TERM leaves nobody stopped, for an ordinary user" interrupted_while_stopping TERM
check "user plain" "interrupted before it has seen a newborn, it does not say that all have ended" unseen
for time in 0 1ms 50ms; do
	check "user plain" "nobody is left stopped, and all die, with a time of $time" out_of_time -t $time
done
check "user plain" "who reads its error goes away: the kill is done, and it dies of SIGPIPE" \
	reader_has_gone '2>&6' -v
check user "who reads both goes away: the kill is done" reader_has_gone '>&6 2>&6' -v
check user "who reads its error leaves in the midst: the kill is done" reader_leaves
check "user plain" "5: standard error is full: the kill is done" output_closed '2>/dev/full' 5 -v
check user "5: standard error is closed: the kill is done" output_closed '2>&-' 5 -v
check user "standard output that is not written to can be anything" output_closed '>/dev/full' 0 -v
check user "standard output that is not written to can be closed" output_closed '>&-' 0 -v
check user "5: standard error is full with --on-exit: the kill is done" at_exit '2>/dev/full' 5
check user "standard output is full with --on-exit" at_exit '>/dev/full' 0
check user "5: standard error is a full pipe with --on-exit: the kill is done in time" \
	at_exit_with_full_pipe '2>&8'
check "user plain" "the terminal goes away: it tells nobody, and dies of SIGHUP" terminal_gone
check user "in the background of a terminal its output does not stop it" terminal_of_others
check user "the terminal goes away in the midst: nobody is left stopped" \
	terminal_gone_while_stopping
finish
