#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# interactive.sh - what --interactive shows and asks, and who ends by which answer

# shellcheck disable=SC2016 # scripts
# shellcheck disable=SC2034 # lib.sh reads them
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 200

# asking COMMAND... - start it on a terminal of its own, and wait until it has asked
asking() {
	mkfifo answers
	exec 8<>answers
	ARGUMENTS=("$@")
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	answer "$@" </dev/null >out 2>err 8>&- &
	NSKILL_PID=$!
	asked
}

# asked - wait for the question
asked() {
	meet asked
	ASKED=${P[asked]}
	forget asked
}

# typed TEXT - answer, and wait for the end
typed() {
	printf '%b' "$1" >&8
	finish_wait
	exec 8>&-
}

screen_says() { # REGEX
	tr -d '\r' <screen | grep -Eq -- "$1" || fail "the terminal does not show: $1"
}

agreed() { # ANSWER
	job
	asking "$NSKILL" -i "$T"
	ended_nobody
	typed "$1"
	status_is 0
	ended target orphan child
	[[ ! -s err ]] || fail 'not silent'
	lists "^target $T \\(announce\\)" '^processes that would get KILL: 3$'
	lists_exactly target orphan child
	screen_says '^nskill: send KILL to 3 processes\? \[y/N\] '
}

# ended_nobody - so far
ended_nobody() {
	local name
	for name in target orphan child; do
		is_alive "${P[$name]}" || fail "$name has ended before the answer"
	done
}

declined() { # ANSWER
	job
	asking "$NSKILL" -i "$T"
	typed "$1"
	status_is 1
	says '^nskill: declined: nothing was signalled$'
	ended
}

like_dry_run() {
	job
	run -n -o +uid --forest "$T"
	mv out wanted
	asking "$NSKILL" -i -o +uid --forest "$T"
	typed '\n'
	# The ages may differ.
	diff <(sed -E 's/[0-9]+s/s/g' wanted) <(sed -E 's/[0-9]+s/s/g' out) || fail 'another list'
	ended
}

# What /dev/tty is for the test itself is nobody's.
no_terminal() {
	job
	run -i "$T"
	status_is 2
	says '^nskill: --interactive has no terminal to ask on \(-n lists, and -n -J makes a plan\): '
	[[ ! -s out ]] || fail 'there is a list'
	ended
}

nobody_there() {
	mkfifo answers
	job
	under answer
	run -i 4000000
	status_is 0
	[[ ! -s screen ]] || fail 'it has asked'
	lists '^processes that would get KILL: 0$'
	ended
}

other_signal() {
	job
	asking "$NSKILL" -i -s TERM "${P[child]}"
	screen_says 'send TERM to 1 process\? '
	typed 'y\n'
	status_is 0
	ended child
}

# The time that somebody thinks is not counted; what it is after that, is.
unhurried() {
	job
	asking "$NSKILL" -i -t 1s "$T"
	pause 1.5
	typed 'y\n'
	status_is 0
	ended target orphan child
}

# That nobody may be signalled is known before.
in_vain() {
	mkfifo answers
	job
	make_readable
	under answer "${AS_OTHER_USER[@]}"
	run -i "$T"
	status_is 4
	lists "^left alone: $T " '^processes that would get KILL: 0$'
	[[ ! -s screen ]] || fail 'it has asked'
	ended
}

too_many() {
	mkfifo answers
	job
	under answer
	run -i --max=2 "$T"
	status_is 3
	says 'more than --max=2'
	[[ ! -s screen ]] || fail 'it has asked'
	ended
}

interrupted() { # INTR|TERM
	job
	asking "$NSKILL" -i "$T"
	if [[ $1 = INTR ]]; then
		typed '\003'
		status_is 130
	else
		kill -TERM "$ASKED"
		typed ''
		status_is 143
	fi
	ended
}

hung_up() {
	job
	asking "$NSKILL" -i "$T"
	kill -KILL "$NSKILL_PID"
	until_true is_done "$ASKED"
	ended_nobody
}

is_done() { # PID
	! is_alive "$1"
}

# What the target does while somebody thinks is its own; a process from elsewhere is not.
meanwhile() {
	mkfifo go
	setsid "${MNT[@]}" announce -r target bash -c '
		read -r <>go
		announce born &
		(setsid announce orphan &)
		exec announce in-target' &
	meet target
	T=${P[target]}
	bystanders
	entering target
	asking "$NSKILL" -i "$T"
	printf '\n' >go
	meet born orphan in-target
	forget in-target
	"${ENTER[@]}" announce joined sh -c 'announce below & exec announce in-joined' &
	meet joined below in-joined
	forget in-joined
	typed 'y\n'
	status_is 4
	snapshot AFTER
	for name in target born orphan; do is_over "$name" || fail "$name is alive"; done
	for name in joined below near apart sandbox; do
		is_alive "${P[$name]}" || fail "$name has ended"
	done
	says "^nskill: left alone ${P[joined]} \\(announce\\).*: it has joined since" \
		"^nskill: left alone ${P[below]} \\(announce\\)"
}

# Who was shown is ended, even if nothing but the list ties it by now.
untied() {
	job
	asking "$NSKILL" -i "$T"
	kill -KILL "$T"
	until_true is_gone target
	typed 'y\n'
	status_is 0
	unset "BEFORE[$T]"
	ended orphan child
}

# As a shell does with a job: it is stopped, asks again in the foreground, and goes on.
background() {
	job
	mkfifo answers go
	exec 8<>answers
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	answer bash --norc -ic '"$@" & echo "job $!" >&9; read -r <>go; fg >/dev/null' bash "$NSKILL" -i "$T" </dev/null >out 2>err 8>&- &
	NSKILL_PID=$!
	meet job asked
	forget asked
	until_true is_stopped "${P[job]}"
	ended_nobody
	printf '\n' >go
	asked
	typed 'y\n'
	status_is 0
	ended target orphan child
}

is_stopped() { # PID
	read_stat "$1" && [[ ${STAT[0]} = T ]]
}

# A terminal that is no longer there cannot answer; a full one for the list is waited for.
flags_are_kept() {
	job
	exec 7<>roster.pause
	before=$(awk '/^flags/ { print $2 }' /proc/self/fdinfo/7)
	asking "$NSKILL" -i "$T"
	typed 'n\n'
	[[ $(awk '/^flags/ { print $2 }' /proc/self/fdinfo/7) = "$before" ]] || fail 'other flags'
	status_is 1
	ended
}

unwritable() {
	mkfifo answers
	job
	exec 7<>answers
	answer bash -c 'exec "$@" >/dev/full' bash "$NSKILL" -i "$T" 2>err
	STATUS=$?
	exec 7>&-
	snapshot AFTER
	status_is 5
	says 'cannot write standard output'
	[[ ! -s screen ]] || fail 'it has asked'
	ended_nobody
}

check "user plain root" "yes: all that was listed ends, as without a question" agreed 'yes\n'
check "user" "y and blanks are a yes" agreed ' Y \n'
check "user plain" "no: 1, and nothing is signalled" declined 'n\n'
check "user" "an empty answer is a no" declined '\n'
check "user" "the end of the input is a no" declined '\004'
check "user" "what only begins with y is a no" declined 'yesterday\n'
check "user" "a NUL in it makes it a no" declined 'y\000no\n'
check "user" "a long line is a no" declined "y$(printf '%300s' '')x\\n"
check "user" "the list is that of --dry-run, in its columns and as a tree" like_dry_run
check "user plain" "2: without a terminal nothing is done" no_terminal
check "user" "where nobody is to be signalled, nothing is asked" nobody_there
check "user" "the question has the signal" other_signal
check "user" "--timeout counts from the answer" unhurried
check "user" "3: more than --max is refused before it is asked" too_many
check root "4: where nobody may be signalled, nothing is asked" in_vain
check "user plain" "an interrupt at the question ends nskill, and nobody else" interrupted INTR
check "user" "so does SIGTERM" interrupted TERM
check "user" "so does a terminal that hangs up" hung_up
check "user plain" "who is born meanwhile ends, and who joined is left and named" meanwhile
check "user" "who was shown ends, though the target has ended meanwhile" untied
check "user" "in the background it is stopped, and asks again in the foreground" background
check "user" "the flags of inherited descriptors stay as they are" flags_are_kept
check "user" "5: a list that could not be written is not asked about" unwritable
finish
