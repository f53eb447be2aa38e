#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# progress.sh - the line on a terminal that tells how far a kill is

# shellcheck disable=SC2016 # scripts
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 25 160
export TERM=vt100

# slow SECONDS - a target with a child, which take so long to end after TERM
slow() {
	setsid bash -c 'trap "read -r -t $0 <>never; exit" TERM
		mkfifo never; announce child & echo target $$ >&9; read -r _ <>never' "$1" &
	meet target child
	bystanders
	T=${P[target]}
}

# terminal_run [OPTION...] COLUMNS ARGUMENT... - nskill with a terminal as standard error: to `out`
terminal_run() {
	local options=(-e)
	while [[ $1 = -* ]]; do options+=("$1"); shift; done
	under terminal "${options[@]}" "$1"
	run "${@:2}"
	under
}

# screen - what a terminal shows of the first line of `out` in the end
screen() {
	head -n 1 out | tr '\r' '\n' | awk '
		{ shown = $0 substr(shown, length($0) + 1) }
		END { sub(/ +$/, "", shown); print shown }'
}

# shown - the lines that were written one over the other
shown() {
	tr '\r' '\n' <out | grep 'nskill: .* alive, oldest'
}

is_shown() {
	shown >lines || fail 'no line is shown'
	grep -Eq "^nskill: [12] of 2 alive, oldest $T \\(bash\\), [0-9]+s old; [0-9]+s left" lines ||
		fail "the line is: $(head -n 1 lines)"
}

is_not_shown() {
	! shown >lines || fail "a line is shown: $(head -n 1 lines)"
}

rewritten() {
	slow 3
	terminal_run 100 -s TERM "$T"
	status_is 0
	ended target child
	is_shown
	(($(wc -l <lines) >= 4)) || fail "written $(wc -l <lines) times only"
	(($(sed 's/.*; //' lines | sort -u | wc -l) > 1)) || fail 'the time that is left stands still'
	[[ -z $(screen) ]] || fail "it is left: $(screen)"
	[[ $(wc -l <out) = 0 ]] || fail 'a line is ended'
}

# Sentences begin where it was.
before_sentences() {
	setsid sh -c 'trap "" TERM; exec announce target' &
	meet target
	bystanders
	T=${P[target]}
	terminal_run 100 -s TERM -t 1800ms "$T"
	status_is 124
	ended
	shown >lines || fail 'no line is shown'
	[[ $(screen) = "nskill: still alive: $T "*target ]] || fail "the screen shows: $(screen)"
}

kill_after() {
	slow 60
	terminal_run 100 -s TERM -k 2s "$T"
	status_is 0
	ended target child
	shown >lines || fail 'no line is shown'
	grep -q '; KILL in [0-9]*s; [0-9]*s left' lines || fail "the line is: $(head -n 1 lines)"
	[[ -z $(screen) ]] || fail "it is left: $(screen)"
}

narrow() {
	local length
	slow 2
	terminal_run 30 -s TERM "$T"
	status_is 0
	length=$(tr '\r' '\n' <out | wc -L)
	((length > 10 && length < 30)) || fail "$length columns on a terminal of 30"
	[[ -z $(screen) ]] || fail "it is left: $(screen)"
}

nowhere_else() {
	slow 2
	run -s TERM "$T"
	status_is 0
	is_silent
}

not_with() { # OPTION
	slow 2
	terminal_run 100 "$1" -s TERM "$T"
	status_is 0
	ended target child
	is_not_shown
}

not_on() { # TERM
	export TERM=$1
	[[ $1 ]] || unset TERM
	slow 2
	terminal_run 100 -s TERM "$T"
	status_is 0
	[[ ! -s out ]] || fail 'something is shown'
}

not_at_once() {
	slow 0.3
	terminal_run 100 -s TERM "$T"
	status_is 0
	[[ ! -s out ]] || fail 'something is shown'
}

# Nobody reads there, so that whoever writes would wait.
stuck() {
	slow 2
	terminal_run -s 100 -s TERM "$T"
	status_is 0
	ended target child
	((ELAPSED < 6000)) || fail "has taken $ELAPSED ms"
}

# on_own_terminal SCRIPT - a shell that leads the session of a terminal, with nskill as $0
on_own_terminal() {
	timeout 15 hangup nskill bash -c "$1" "$NSKILL" "$T" </dev/null >out 2>err 9>&9
	lists 'status 0'
}

foreground() {
	slow 2
	on_own_terminal '"$0" -s TERM "$1"; echo status $?'
	is_shown
}

background() {
	slow 2
	on_own_terminal 'set -m; "$0" -s TERM "$1" & wait $!; echo status $?'
	is_not_shown
}

check "user plain" "a kill that takes long is told of on a terminal, in one line that goes" rewritten
check user "sentences take the place of the line" before_sentences
check user "the line tells when KILL comes" kill_after
check user "the line fits the terminal" narrow
check user "nothing is told where there is no terminal" nowhere_else
check user "nothing is told with --quiet" not_with -q
check user "no line is rewritten between those of --verbose" not_with -v
check user "nothing is told on a dumb terminal" not_on dumb
check user "nothing is told on a terminal of no kind" not_on ''
check user "nothing is told of what takes less than a second" not_at_once
check "user plain" "a terminal that is stopped does not hold it" stuck
check "user bare" "the line is for the foreground of a terminal" foreground
check "user bare" "and not for its background" background
finish
