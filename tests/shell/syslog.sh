#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# syslog.sh - what --syslog sends, and that it does not hold the run

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 15 150
SLACK=500 # milliseconds after the deadline
[[ -z $SANITIZED ]] || SLACK=5000

# own_dev - a /dev for this check alone, without the log of the machine
own_dev() {
	local name
	mkdir dev
	# Not sticky: there the kernel would refuse to open root's null with O_CREAT.
	mount -t tmpfs -o mode=755 none dev || skip 'needs to mount a tmpfs'
	for name in null zero full random urandom; do
		: >"dev/$name"
		mount --bind "/dev/$name" "dev/$name" || skip "needs to bind /dev/$name"
	done
	ln -s /proc/self/fd dev/fd
	mount --move dev /dev
}

# daemon [OPTION...] - what it is sent is in the file log
daemon() {
	own_dev
	: >log
	trap 'cat log' EXIT
	start_daemon "$@"
}

start_daemon() { # [OPTION...]
	setsid logd "$@" log &
	meet logd
}

stop_daemon() {
	kill -KILL "${P[logd]}"
	until_true is_over logd
}

# logs PRIORITY REGEX... - each of these is, or will be, the whole of a line of that priority
logs() {
	local priority=$1 regex
	local head="[A-Z][a-z]{2} [ 1-3][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} nskill\[[0-9]+\]: "
	shift
	for regex; do
		until_true grep -Eqx -- "<$priority>$head$regex" log
	done
}

# LOG_DAEMON with LOG_ERR, LOG_WARNING, LOG_NOTICE
ERROR=27 WARNING=28 NOTICE=29

# line_of NAME [REGEX] - sets REPLY to what the line for that process begins with. A signal that it
# has got as one of its group is not told.
line_of() {
	the mnt "$1"
	REPLY="${2-(KILL )?}${P[$1]} \([^)]*\), user $EUID, mnt ${REPLY//[^0-9]/}: "
}

run_line() { # TARGETS COUNTS RESULT
	REPLY="run by user $EUID, signal KILL, targets $1: $2, in [0-9]+\.[0-9]{3} s: $3"
}

in_time() { # FROM TO - milliseconds
	((ELAPSED >= $1 - 20)) || fail "$ELAPSED ms are less than $1"
	((ELAPSED <= $2 + SLACK)) || fail "$ELAPSED ms are more than $2, and a slack"
}

# ---- what is sent ----

lines() { # OPTION...
	local target orphan child numbers
	daemon "$@"
	job
	line_of target
	target=$REPLY
	line_of orphan
	orphan=$REPLY
	line_of child
	child=$REPLY
	run --syslog "$T"
	status_is 0
	ended target orphan child
	is_silent
	run_line "$T" '3 ended, 0 still alive, 0 not signalled' 'nothing is left, exit status 0'
	logs $NOTICE "${target}ended" "${orphan}ended" "${child}ended" "$REPLY"
	(($(wc -l <log) == 4)) || fail 'other lines, too'
	numbers=$(sed -En 's/.*: (KILL )?([0-9]+) .*/\2/p' log)
	[[ ${numbers%%$'\n'*} = "$T" ]] || fail 'not in the order of the kill'
	tail -n 1 log | grep -q 'run by' || fail 'the run is not last'
}

quiet() {
	daemon
	job
	run --syslog -q "$T"
	status_is 0
	ended target orphan child
	is_silent
	logs $NOTICE 'run by .*: 3 ended.*'
}

# What comes first is known by what comes second.
unasked() {
	daemon
	job
	run "$T"
	status_is 0
	ended target orphan child
	run --syslog "$T"
	status_is 0
	run_line "$T" '0 ended, 0 still alive, 0 not signalled' 'nothing is left, exit status 0'
	logs $NOTICE "$REPLY"
	(($(wc -l <log) == 1)) || fail 'has sent without being asked'
}

escapes() {
	daemon
	# Of the name, libproc2 leaves the backslash as it is.
	setsid comm target $'a\nb\\\x1b' &
	meet target
	mkdir $'x\ny'
	echo "${P[target]}" >$'x\ny/pid'
	chmod 644 $'x\ny/pid'
	run --syslog $'x\ny/pid' "./none"
	status_is 3
	ended target
	logs $NOTICE '(KILL )?[0-9]+ \(a.b\\x5c.\), .*: ended'
	logs $ERROR '.*none.*' 'run by user [0-9]+, .*, targets x\\x0ay/pid ./none: 1 ended,.* status 3'
	is_plain_text log
}

many_targets() {
	local names=() number
	daemon
	for number in {1000..1400}; do names+=("./no-such-file-$number"); done
	run --syslog "${names[@]}"
	status_is 3
	logs $ERROR 'run by user [0-9]+, .*, targets \./no-such-file-1000 .* \.\.\.: 0 ended,.* status 3'
	(($(wc -l <log) == 402)) || fail "$(wc -l <log) lines"
	(($(wc -L <log) < 1024)) || fail 'a line is too long'
}

survivor() {
	daemon
	setsid sh -c 'trap "" TERM; exec announce target' &
	meet target
	line_of target 'TERM '
	run --syslog -s TERM -t 0.3 "${P[target]}"
	status_is 124
	ended
	logs $WARNING "${REPLY}still alive, state S.*" \
		'run by .*, signal TERM, .*: 0 ended, 1 still alive, 0 not signalled, .*: time was up, exit status 124'
}

refused() {
	daemon
	run --syslog 1
	status_is 3
	run_line 1 '0 ended, 0 still alive, 0 not signalled' 'refused, exit status 3'
	logs $ERROR '.*\b1\b.*' "$REPLY"
	(($(wc -l <log) == 2)) || fail 'not two lines'
}

nothing_done() {
	daemon
	bystanders
	run --syslog -O 1h "${P[near]}"
	status_is 1
	ended
	logs $NOTICE 'run by .*: nothing was done, exit status 1'
}

# A process of another user is in the target's group.
not_permitted() {
	make_readable
	daemon
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/announce" foreign & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" target &
	meet foreign target
	under "${AS_OTHER_USER[@]}"
	run --syslog "${P[target]}"
	status_is 4
	ended target
	logs $NOTICE "(KILL )?${P[target]} \(announce\), user $OTHER_USER.*: ended"
	logs $WARNING \
		"${P[foreign]} \(announce\), user 0.*: may not be signalled: Operation not permitted" \
		"run by user $OTHER_USER,.*: 1 ended, 0 still alive, 1 not signalled, .* status 4"
}

interrupted() {
	local runs
	daemon
	setsid sh -c 'trap "echo got $$ >&9" TERM; mkfifo never; echo target $$ >&9
		while :; do read -r _ <>never; done' &
	meet target
	"$NSKILL" --syslog -s TERM -t 12 "${P[target]}" >out 2>err </dev/null 9>&- &
	runs=$!
	meet got
	kill -TERM $runs
	wait $runs
	(($? == 143)) || fail 'not dead of TERM'
	logs $WARNING "TERM ${P[target]} .*: still alive.*" \
		'run by .*: 0 ended, 1 still .*: dies of SIGTERM'
}

# Its own output has no reader: what was done is told all the same.
unread() {
	daemon
	job
	mkfifo output
	exec 8<>output
	exec 6>output 8<&-
	env --default-signal=PIPE "$NSKILL" --syslog -v "$T" </dev/null >out 2>&6 9>&-
	(($? == 141)) || fail 'not dead of PIPE'
	run_line "$T" '3 ended, 0 still alive, 0 not signalled' 'nothing is left, dies of SIGPIPE'
	logs $NOTICE "$REPLY"
}

# ---- a log that does not take it ----

no_log() {
	own_dev
	job
	run --syslog -q "$T"
	status_is 5
	ended target orphan child
	says_one_sentence
	says '^nskill: 4 lines could not be sent to syslog: No such file or directory$'
	((ELAPSED < 2000 + SLACK)) || fail 'has waited for nothing'
	run --syslog "$T"
	status_is 5
	says '^nskill: 1 line could not'
}

# The socket of a daemon that is dead.
dead_daemon() {
	daemon
	stop_daemon
	job
	run --syslog "$T"
	status_is 5
	ended target orphan child
	says_one_sentence
	says '4 lines could not be sent to syslog: Connection refused'
}

full_queue() { # OPTION...
	daemon -f -w 1000 "$@"
	job
	run --syslog -t 1 "$T"
	status_is 5
	ended target orphan child
	says_one_sentence
	says '4 lines could not be sent to syslog: it did not read them in time'
	in_time 1000 1000
	run --syslog -t 0 1
	status_is 5
	says '2 lines could not'
	in_time 0 500
}

# Both together take no longer.
all_full() {
	daemon -f -w 1000
	job
	mkfifo full
	exec 8<>full
	until ! timeout 0.1 sh -c 'printf %04096d 0 >&8' 2>/dev/null; do :; done
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" 2>&8'
	run -v --syslog -t 1 "$T"
	status_is 5
	ended target orphan child
	in_time 1000 1000
}

# What does not go at once goes as soon as it is read.
late() {
	daemon -f -w 1
	job
	run --syslog "$T"
	status_is 0
	ended target orphan child
	is_silent
	logs $NOTICE 'run by .*: 3 ended.*'
	(($(grep -c nskill log) == 4)) || fail 'not all lines'
}

# The refusal is sent at once, the rest when time is up.
started_anew() { # OPTION...
	local runs
	daemon "$@"
	setsid sh -c 'trap "" TERM; exec announce target' &
	meet target
	"$NSKILL" --syslog -s TERM -t 2 1 "${P[target]}" >out 2>err </dev/null 9>&- &
	runs=$!
	until_true grep -q 'PID 1' log
	stop_daemon
	forget logd
	start_daemon "$@"
	wait $runs
	(($? == 3)) || fail 'the refusal is not its exit status'
	logs $WARNING 'TERM [0-9]+ .*: still alive.*'
	logs $ERROR 'run by .* status 3'
	(($(wc -l <log) == 3)) || fail 'not three lines'
}

check "user root" "--syslog sends a line for each process, in order, and one for the run" lines
check user "so it is where the daemon has a stream socket" lines -s
check user "--quiet does not silence it" quiet
check user "without --syslog nothing is sent" unasked
check user "names are escaped" escapes
check user "more targets than a line can name are cut" many_targets
check user "who is still alive is a warning" survivor
check user "a refusal is an error" refused
check user "a run that did nothing is told of" nothing_done
check root "who may not be signalled is a warning" not_permitted
check user "a run that is interrupted is told of" interrupted
check user "a run whose output nobody reads is told of" unread
check user "5: without /dev/log the kill is done, and the lines are counted" no_log
check user "5: so it is with the socket of a daemon that is dead" dead_daemon
check user "5: a full queue holds neither the kill nor the run" full_queue
check user "5: nor does a stream that nobody accepts" full_queue -s
check user "5: nor do a full queue and a full standard error together" all_full
check user "a daemon that reads late gets all lines" late
check user "a daemon that is started anew during the run is found" started_anew
check user "so is one with a stream socket" started_anew -s
finish
