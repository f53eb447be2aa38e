#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# grace.sh - who gets the first signal, once, and what happens until that of --kill-after

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 20 150
QUICK=4000 # milliseconds: far less than what is not to be waited for
[[ -z $SANITIZED ]] || QUICK=12000

# counters [-b BORN] - target and child note each signal, and so does BORN, whom the first one makes
counters() {
	setsid count "$@" target child &
	meet target child
	bystanders
}

got() { # NAME TIMES
	local times
	times=$(wc -c <"$1.signals") || fail "$1 was never there"
	((times == $2)) || fail "$1 got the first signal $times times, not $2"
}

# lived NAME MILLISECONDS - at least half of that time, since the machine may be busy
lived() {
	local beats
	beats=$(wc -c <"$1.beats")
	((beats * 20 >= $2 / 2)) || fail "$1 has lived for $((beats * 20)) ms"
}

# Whom a handler starts may be needed by it: he is let be until the KILL.
helper_in_the_grace() { # SIGNAL
	counters -b helper
	run -s "$1" -k 1s "${P[target]}"
	meet helper
	status_is 0
	ended target child
	is_over helper || fail 'helper is alive'
	got target 1
	got child 1
	got helper 0
	lived helper 1000
	((ELAPSED >= 980 && ELAPSED < 980 + QUICK)) || fail 'the grace was not 1 s'
	is_silent
}

# It ends with the work, and the rest of the grace is not waited out.
handler_with_helper() {
	# shellcheck disable=SC2016 # a script
	setsid sh -c 'trap "sh -c \"sleep 0.3; echo done >cleaned\"; exit" TERM
		announce target & announce child & trap "" 7; wait; wait' &
	call script $!
	meet target child
	run -s TERM -k 6 -t 8 "${P[script]}"
	status_is 0
	ended script target child
	[[ -s cleaned ]] || fail 'the helper of the handler has not done its work'
	((ELAPSED < QUICK)) || fail 'the grace was waited out'
}

# Stopped, it cannot handle anything; it is set going.
handler_of_the_stopped() {
	# shellcheck disable=SC2016 # a script
	setsid env --default-signal="$1" sh -c 'trap "echo done >cleaned; exit" '"$1"'
		mkfifo never; echo target $$ >&9; read -r _ <>never' &
	meet target
	kill -STOP "${P[target]}"
	until_true is_stopped target
	run -s "$1" -k 6 -t 8 "${P[target]}"
	status_is 0
	ended target
	[[ -s cleaned ]] || fail 'the handler has not run'
	((ELAPSED < QUICK)) || fail 'the grace was waited out'
}

is_stopped() { # NAME
	read_stat "${P[$1]}" && [[ ${STAT[0]} = T ]]
}

# A signal that does not end it does not set it going either: the KILL comes all the same.
stopped_to_the_end() {
	counters
	kill -STOP "${P[target]}" "${P[child]}"
	until_true is_stopped target
	until_true is_stopped child
	run -s USR1 -k 500ms "${P[target]}"
	status_is 0
	ended target child
	((ELAPSED < QUICK)) || fail 'has waited for a stopped process'
}

# One that belongs to both of two targets, and one that is named twice, is signalled once.
shared() { # ARGUMENT...
	counters
	run "$@" "${P[target]}" "${P[child]}" "${P[target]}"
	got target 1
	got child 1
}

shared_in_the_grace() {
	shared -s RTMIN -k 500ms
	status_is 0
	ended target child
	is_silent
}

shared_without_grace() {
	shared -s RTMIN -t 600ms
	status_is 124
	ended
}

# Without --kill-after nothing else would come: a newcomer gets the first signal, too, and once.
newcomer_without_grace() {
	counters -b newcomer
	run -s RTMIN -t 800ms "$@" "${P[target]}"
	meet newcomer
	status_is 124
	got target 1
	got child 1
	got newcomer 1
	says "${P[target]}" "${P[child]}" "${P[newcomer]}"
}

newcomer_of_two() {
	counters -b newcomer
	run -s RTMIN -t 800ms "${P[child]}" "${P[target]}"
	meet newcomer
	status_is 124
	got target 1
	got child 1
	got newcomer 1
	(($(grep -c 'still alive' err) == 3)) || fail 'not each survivor once'
}

usage() { # ARGUMENT...
	run "$@" "${P[target]}"
	status_is 2
	ended
	got target 0
}

no_grace_beyond_the_time() {
	counters
	usage -TERM -k 2s -t 2s
	usage -TERM -k 2s -t 1999ms
	usage -TERM -k 2s -t 0
	usage -TERM -t 1s -k 1m
	usage -TERM -k infinity -t infinity
}

no_grace_before_kill() {
	counters
	usage -k 2s
	says 'add -TERM'
	usage --on-exit -k 2s
	usage -n -k 2s
	run -KILL -k 2s "${P[target]}"
	status_is 0
	is_silent
}

for signal in TERM RTMIN; do
	check "user plain" "whom a handler of $signal starts lives until --kill-after" \
		helper_in_the_grace $signal
done
check "user plain" "a handler has its work done in the time of --kill-after" handler_with_helper
for signal in TERM INT HUP QUIT; do
	check user "a stopped target handles $signal" handler_of_the_stopped $signal
done
check user "one who stays stopped ends by --kill-after" stopped_to_the_end
check "user plain" "who belongs to two targets gets the first signal once" shared_in_the_grace
check user "so it is without --kill-after" shared_without_grace
check "user plain" "without --kill-after a newcomer gets the first signal, once" \
	newcomer_without_grace
check user "a newcomer of two targets gets it once" newcomer_of_two
check user "2: --kill-after is not less than --timeout" no_grace_beyond_the_time
check user "2: --kill-after without a first signal, which may be KILL" no_grace_before_kill
finish
