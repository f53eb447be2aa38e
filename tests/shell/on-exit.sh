#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# on-exit.sh - waiting until a target has ended by itself, and then ending what it left

# shellcheck disable=SC2034 # BEGIN is for finish_wait

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# leaver - a target that ends when it is told to, and leaves children in its group, in a session of
# its own, and without any parent; and bystanders
leaver() {
	mkfifo end
	setsid "${MNT[@]}" announce -r target sh -c '
		announce group & setsid announce session & (setsid announce daemon &)
		read -r _ <end' &
	meet target group session daemon
	until_true has_no_parent daemon
	different session target session daemon
	bystanders
}

# start ARGUMENT... - nskill --on-exit, which has begun to wait when this returns
start() {
	# shellcheck disable=SC2034 # for fail
	ARGUMENTS=(--on-exit "$@")
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	env --default-signal=INT "${VIA[@]}" "$NSKILL" --on-exit "$@" >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	until_true waits
}

# waits - it sleeps in epoll, and not for long before
waits() {
	local call
	read -r call _ <"/proc/$NSKILL_PID/syscall" 2>/dev/null || return 1
	[[ $call = 232 || $call = 281 || $call = 22 ]]
}

still_waits() {
	is_alive "$NSKILL_PID" || fail 'does not wait any longer'
	snapshot AFTER
	unset "AFTER[$NSKILL_PID]"
	ended
}

# now - what has changed by itself until now does not count
now() {
	snapshot BEFORE
	unset "BEFORE[$NSKILL_PID]"
}

end_target() {
	echo >end
}

takes() { # NAME...
	finish_wait
	status_is 0
	ended "$@"
}

# ---- what it leaves ----

by_itself() {
	leaver
	start "${P[target]}"
	pause 0.2
	still_waits
	end_target
	takes target group session daemon
	is_silent
}

killed_by() { # SIGNAL
	leaver
	start "${P[target]}"
	kill -s "$1" "${P[target]}"
	takes target group session daemon
	is_silent
}

# Its parent has other things to do.
unreaped() {
	mkfifo end
	setsid sh -c '"$@" announce target sh -c "announce group & read -r _ <end" &
		exec announce parent' sh setsid "${MNT[@]}" &
	meet target group parent
	bystanders
	start "${P[target]}"
	end_target
	takes target group
	is_zombie target || fail 'the picture is wrong: it has been reaped'
}

# While it lives a child leaves every tie: who was seen then is known.
seen_before() {
	mkfifo end go
	setsid announce -r target sh -c '
		(announce -r middle sh -c "setsid announce leaver & read -r _ <go") &
		read -r _ <end' &
	meet target middle leaver
	bystanders
	start "${P[target]}"
	echo >go
	until_true has_no_parent leaver
	different session target leaver
	now
	still_waits
	end_target
	takes target leaver
}

# What it makes after the first look is found by where it is at the end.
born_later() {
	mkfifo end go
	setsid "${MNT[@]}" announce -r target sh -c '
		read -r _ <go; announce group & (setsid announce daemon &) ; read -r _ <end' &
	meet target
	bystanders
	start "${P[target]}"
	echo >go
	meet group daemon
	until_true has_no_parent daemon
	now
	end_target
	takes target group daemon
	is_silent
}

moved_later() {
	mkfifo end go
	setsid announce -r target sh -c '
		read -r _ <go; exec unshare "$@" announce again sh -c "
			announce group & (setsid announce daemon &) ; read -r _ <end"' \
		sh "${MNT[@]:1}" &
	meet target
	bystanders
	start "${P[target]}"
	echo >go
	meet again group daemon
	forget again
	until_true has_no_parent daemon
	different mnt near daemon
	now
	end_target
	takes target group daemon
}

leaves_nothing() {
	mkfifo end
	setsid announce target sh -c 'read -r _ <end' &
	meet target
	bystanders
	start "${P[target]}"
	end_target
	takes target
	is_silent
}

leaves_nothing_required() {
	mkfifo end
	setsid announce target sh -c 'read -r _ <end' &
	meet target
	bystanders
	start --require-match "${P[target]}"
	end_target
	finish_wait
	status_is 1
	ended target
}

# ---- what it does not touch ----

# The guest of a container: that lives on. Who was seen as a child is known, though.
guest() {
	setsid "${MNT[@]}" announce -r host sh -c 'announce neighbour & exec announce in-host' &
	mkfifo end
	meet host neighbour in-host
	forget in-host
	entering host
	# shellcheck disable=SC2016 # a script
	setsid "${ENTER[@]}" announce -r target sh -c '
		announce group & setsid announce session & read -r _ <"$0"' "$PWD/end" &
	meet target group session
	same mnt host target session
	bystanders
	start "${P[target]}"
	end_target
	takes target group session
}

interrupted() { # SIGNAL
	leaver
	start "${P[target]}"
	kill -s "$1" "$NSKILL_PID"
	finish_wait
	((STATUS == 128 + $(kill -l "$1"))) || fail "exit status $STATUS"
	ended
	is_silent
	is_alive "${P[target]}" || fail 'the target is dead'
	((ELAPSED < 5000)) || fail 'has not ended at once'
}

too_many() {
	leaver
	start --max=2 "${P[target]}"
	end_target
	finish_wait
	status_is 3
	ended target
	says_one_sentence
}

# ---- targets that are dead, and several ----

dead_already() {
	leaver
	end_target
	until_true is_gone target
	snapshot BEFORE
	run --on-exit "${P[target]}"
	status_is 0
	ended group session daemon
	is_silent
}

# Each is dealt with at its own end, and the others are waited for.
several() {
	mkfifo end.first end.second
	setsid announce -r first sh -c 'announce of-first & read -r _ <end.first' &
	setsid announce -r second sh -c 'announce of-second & read -r _ <end.second' &
	meet first of-first second of-second
	bystanders
	start "${P[first]}" "${P[second]}"
	echo >end.second
	until_true is_gone of-second
	is_alive "${P[first]}" || fail 'the first is dead'
	is_alive "${P[of-first]}" || fail 'what belongs to the first is dead'
	is_alive "$NSKILL_PID" || fail 'does not wait for the first'
	echo >end.first
	takes first of-first second of-second
	is_silent
}

one_refused() {
	leaver
	start "${P[target]}" 1
	end_target
	finish_wait
	status_is 3
	ended target group session daemon
	says_one_sentence
}

# ---- for how long ----

counts_from_the_end() {
	mkfifo end
	setsid announce -r target sh -c '
		(trap "" TERM; exec announce stubborn) & read -r _ <end' &
	meet target stubborn
	bystanders
	start -t 1 -s TERM "${P[target]}"
	pause 1.3
	still_waits
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	end_target
	finish_wait
	status_is 124
	ended target
	says "still alive: ${P[stubborn]}"
	((ELAPSED >= 900 && ELAPSED < 5000)) || fail "has given up after $ELAPSED ms"
}

kill_after() {
	mkfifo end
	setsid announce -r target sh -c '
		(trap "" TERM; exec announce stubborn) & announce weak & read -r _ <end' &
	meet target stubborn weak
	bystanders
	start -s TERM -k 500ms "${P[target]}"
	pause 0.7
	still_waits
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	end_target
	takes target stubborn weak
	((ELAPSED >= 450)) || fail "KILL came after $ELAPSED ms"
}

# Started before its target: then it is the file that is waited for first.
before_the_target() {
	mkfifo end
	mkdir dir
	bystanders
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	"$NSKILL" --on-exit --wait-pidfile=10 dir/file.pid >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	setsid "${MNT[@]}" announce -r target sh -c '
		echo $$ >dir/new; mv dir/new dir/file.pid
		announce group & (setsid announce daemon &); read -r _ <end' &
	meet target group daemon
	until_true waits
	now
	end_target
	finish_wait
	status_is 0
	ended target group daemon
	is_silent
}

no_file() {
	bystanders
	run --on-exit ./none
	status_is 3
	ended
	says_one_sentence
	run --on-exit --ignore-missing ./none
	status_is 0
	is_silent
}

# ---- what is said, and what is held ----

verbose() {
	leaver
	start -v "${P[target]}"
	says "^nskill: waiting for the end of ${P[target]} \\("
	end_target
	takes target group session daemon
	says "^nskill: has ended: ${P[target]} \\(" "(sent KILL to|ended) ${P[daemon]} "
}

# A reader of the caller's pipe does not wait for nskill.
holds_nothing() {
	local held
	leaver
	mkfifo pipe
	cat pipe >/dev/null &
	READER=$!
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" 7>pipe'
	exec 31<>roster.pause
	start "${P[target]}"
	exec 31>&-
	wait "$READER"
	now
	for held in "/proc/$NSKILL_PID/fd"/*; do
		[[ $held != */31 ]] || fail 'holds a descriptor that it has inherited'
	done
	end_target
	takes target group session daemon
}

does_not_poll() {
	local calls
	type -P strace >/dev/null || skip 'needs strace'
	no_leak_check
	leaver
	under strace -f -o trace
	"${VIA[@]}" "$NSKILL" --on-exit -v "${P[target]}" >out 2>err </dev/null 9>&- &
	until_true grep -q 'waiting for the end' err
	calls=$(wc -l <trace)
	pause 0.7
	(($(wc -l <trace) <= calls + 3)) || fail 'does something while it waits'
	end_target
	wait $!
	! grep -E 'kill\(|tgkill' trace || fail 'a signal by number'
}

words() {
	leaver
	for word in '-O 1' '--record=file'; do
		# shellcheck disable=SC2086
		run --on-exit $word "${P[target]}"
		status_is 2
		ended
		says 'exclude each other'
	done
}

check "user plain root" "what a target left is ended when it has ended by itself" by_itself
for signal in TERM KILL; do
	check user "so is what it left when somebody else sent $signal" killed_by $signal
done
check user "a zombie that nobody reaps has ended" unreaped
check "user plain" "who left every tie while the target lived is known" seen_before
check "user plain" "who was born while it was waited for is found" born_later
check "user plain" "a namespace that it made while it was waited for falls" moved_later
check user "a target that leaves nothing is a success" leaves_nothing
check user "with --require-match that is none" leaves_nothing_required
check "user plain" "the container of a guest lives on" guest
for signal in TERM INT HUP; do
	check user "$signal ends the wait, and nobody is signalled" interrupted $signal
done
check user "--max holds at the end" too_many
check user "a target that is dead already is not waited for" dead_already
check user "of several targets each is dealt with when it ends" several
check user "a refused target is named, and the other waited for" one_refused
check user "--timeout counts from the end of the target" counts_from_the_end
check user "--kill-after counts from the end of the target" kill_after
check "user plain" "it can be started before its target" before_the_target
check user "a file that is absent is refused" no_file
check user "--verbose says what is waited for" verbose
check user "no inherited descriptor is held" holds_nothing
check user "nothing is done while it waits" does_not_poll
check user "options that make no sense are refused" words
finish
