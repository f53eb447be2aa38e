#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# wait-pidfile.sh - waiting for a file that is not there yet, or not whole

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

export ASAN_OPTIONS=detect_leaks=0 # some of this is traced

victim() {
	setsid announce victim sh -c 'announce his & exec announce in-victim' &
	meet victim his in-victim
	forget in-victim
	bystanders
	mkdir dir
	FILE=dir/file.pid
}

# start ARGUMENT... - nskill, which has begun to wait when this returns
start() {
	# shellcheck disable=SC2034 # for fail
	ARGUMENTS=("$@")
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	env --default-signal=INT "$NSKILL" "$@" >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	until_true waits
}

# waits - it sleeps in poll
waits() {
	local call
	read -r call _ <"/proc/$NSKILL_PID/syscall" 2>/dev/null || return 1
	[[ $call = 7 || $call = 271 || $call = 73 || $call = 232 || $call = 281 || $call = 22 ]]
}

# still_waits - what has just happened is not what it waits for
still_waits() {
	pause 0.1
	is_alive "$NSKILL_PID" || { finish_wait; fail 'does not wait any longer'; }
	until_true waits
}

finish_wait() {
	local guard
	(
		read -r -t 12 <>roster.pause
		kill -KILL "$NSKILL_PID"
	) 2>/dev/null &
	guard=$!
	wait "$NSKILL_PID"
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - BEGIN) / 1000))
	kill -KILL "$guard" 2>/dev/null
	wait "$guard" 2>/dev/null
	snapshot AFTER
}

takes() {
	finish_wait
	status_is 0
	ended victim his
	is_silent
}

# ---- what is waited for ----

absent() {
	victim
	start --wait-pidfile=8 $FILE
	echo x >dir/other.pid
	still_waits
	echo "${P[victim]}" >new
	mv new $FILE
	takes
}

# As runc does: written under another name beside it, then renamed.
renamed() {
	victim
	start --wait-pidfile=8 $FILE
	printf '%d' "${P[victim]}" >dir/.file.pid
	still_waits
	mv dir/.file.pid $FILE
	takes
}

linked() {
	victim
	echo "${P[victim]}" >other
	start --wait-pidfile=8 $FILE
	ln other $FILE
	takes
}

empty() {
	victim
	: >$FILE
	start --wait-pidfile=8 $FILE
	printf ' \n' >>$FILE
	still_waits
	printf '%d\n' "${P[victim]}" >>$FILE
	takes
}

# As crun does: there is an old one, it is truncated, and then written in the same place.
truncated() {
	victim
	exec 8>$FILE
	start --wait-pidfile=8 $FILE
	printf '%d' "${P[victim]}" >&8
	exec 8>&-
	takes
}

# half TEXT TEXT - written in two pieces; PID stands for the victim's
half() {
	victim
	exec 8>$FILE
	printf '%s' "${1/PID/"${P[victim]}"}" >&8
	start --wait-pidfile=8 $FILE
	still_waits
	printf '%s' "${2/PID/"${P[victim]}"}" >&8
	takes
}

# Byte by byte, with nothing but the last one ending the wait.
bytes() {
	local text
	victim
	text='{"v": "1\"}\u00e9", "pid": PID, "x": ["é}", {"y": null}, -1e-5]}'
	text=${text/PID/"${P[victim]}"}
	exec 8>$FILE
	start --wait-pidfile=8 $FILE
	for ((at = 0; at < ${#text} - 1; at++)); do
		printf '%s' "${text:at:1}" >&8
		is_alive "$NSKILL_PID" || { finish_wait; fail "ended after $at bytes"; }
	done
	still_waits
	printf '}' >&8
	takes
}

# there WORD... - is no reason to wait
there() {
	victim
	echo "${P[victim]}" >$FILE
	snapshot BEFORE
	run --wait-pidfile=8 $FILE
	status_is 0
	ended victim his
	is_silent
	((ELAPSED < 4000)) || fail 'has waited'
}

# What can never become a target is refused at once.
hopeless() {
	local text
	victim
	for text in garbage '12 13' '{]}' '[]' '{"pid":"x"}' '{} x'; do
		echo "$text" >$FILE
		run --wait-pidfile=8 $FILE
		status_is 3
		ended
		says_one_sentence
		((ELAPSED < 4000)) || fail "has waited for: $text"
	done
	rm $FILE
	mkdir $FILE
	run --wait-pidfile=8 $FILE
	status_is 3
	ended
	rmdir $FILE
	mkfifo $FILE
	run --wait-pidfile=8 $FILE
	status_is 3
	ended
	((ELAPSED < 4000)) || fail 'has waited for a FIFO'
}

# A file that comes is vetted as any other.
vetted() {
	victim
	start --wait-pidfile=8 $FILE
	echo "${P[victim]}" >other
	ln -s ../other dir/link
	mv dir/link $FILE
	finish_wait
	status_is 3
	ended
	says_one_sentence
}

vetted_mode() {
	victim
	start --wait-pidfile=8 $FILE
	echo "${P[victim]}" >other
	chmod 666 other
	mv other $FILE
	finish_wait
	status_is 3
	ended
	says_one_sentence
	says 'writable'
}

# ---- for how long ----

time_over() { # WHAT
	victim
	case $1 in
	absent) ;;
	empty) : >$FILE ;;
	half) printf '{"pid": %d' "${P[victim]}" >$FILE ;;
	esac
	run --wait-pidfile=300ms $FILE
	status_is 3
	ended
	says_one_sentence
	says 'file\.pid'
	((ELAPSED >= 280 && ELAPSED < 4000)) || fail "waited for $ELAPSED ms"
}

ignored_after_all() {
	victim
	run --wait-pidfile=200ms --ignore-missing $FILE
	status_is 0
	ended
	((ELAPSED >= 180 && ELAPSED < 4000)) || fail "waited for $ELAPSED ms"
}

# --timeout counts from when the target is known.
not_counted() {
	setsid sh -c 'trap "" TERM; exec announce victim' &
	meet victim
	mkdir dir
	FILE=dir/file.pid
	start --wait-pidfile=8 -t 1 -s TERM $FILE
	pause 1.3
	is_alive "$NSKILL_PID" || { finish_wait; fail 'has not waited'; }
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	echo "${P[victim]}" >dir/new
	mv dir/new $FILE
	finish_wait
	status_is 124
	ended
	says "${P[victim]}"
	((ELAPSED >= 900)) || fail "has given up after $ELAPSED ms"
}

interrupted() { # SIGNAL
	victim
	start --wait-pidfile=20 $FILE
	kill -s "$1" "$NSKILL_PID"
	finish_wait
	((STATUS == 128 + $(kill -l "$1"))) || fail "exit status $STATUS"
	ended
	((ELAPSED < 5000)) || fail 'has not ended at once'
}

words() {
	local word
	victim
	for word in '' -1 x 1x; do
		run "--wait-pidfile=$word" $FILE
		status_is 2
		ended
	done
}

# It sleeps until something happens, and looks no more often than that.
no_polling() {
	local opens
	type -P strace >/dev/null || skip 'needs strace'
	victim
	strace -o trace "$NSKILL" --wait-pidfile=1 $FILE >out 2>err </dev/null 9>&- 
	STATUS=$?
	status_is 3
	grep -q inotify_init1 trace || fail 'no inotify'
	opens=$(grep -c 'file\.pid' trace)
	((opens <= 4)) || { cat trace; fail "has looked $opens times"; }
	opens=$(grep -Ec 'poll|select|nanosleep' trace)
	((opens <= 4)) || { cat trace; fail "has slept $opens times"; }
}

check "user plain" "an absent file is waited for" absent
check "user" "a file that is renamed into its place is noticed" renamed
check "user" "a file that is linked into its place is noticed" linked
check "user plain" "an empty file is waited for" empty
check "user" "a file that is written in its place is noticed" truncated
check user "JSON without its end is waited for" half '{"pid": PID, "bundle"' ': "/b"}'
check user "so is JSON that stops before the number" half '{"pid": ' 'PID}'
check user "so is JSON that stops in a word" half '{"pid": PID, "x": tru' 'e}'
check user "so is JSON that stops in a string" half '{"pid": PID, "x": "}\u00' 'e9"}'
check user "so is white space before it" half $'  \n' '{"pid": PID}'
check user "JSON that comes byte by byte is read when it is whole" bytes
check user "a file that is there is not waited for" there
check user "what can never become a target is not waited for" hopeless
check user "a symbolic link that comes is refused" vetted
check user "a file that others can write is refused when it comes" vetted_mode
for what in absent empty half; do
	check user "time is over: the file is still $what" time_over $what
done
check user "time is over, and an absent file is ignored" ignored_after_all
check user "--timeout counts from when the target is known" not_counted
check user "SIGTERM ends the wait, and nobody is signalled" interrupted TERM
check user "SIGINT ends the wait, and nobody is signalled" interrupted INT
check user "--wait-pidfile wants a duration" words
check user "nskill does not poll" no_polling
finish
