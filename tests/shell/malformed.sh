#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# malformed.sh - what is no PID, no JSON or no form that is known names nobody, and nobody is hurt

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 60 120
[[ -z ${SANITIZED-} ]] || limits 200 400

# The process that malformed contents would name, and the one that the others do, who is not there.
NAMED=4711
TAKEN=4712

# victim - the process of that PID, with a group and a session of its own
victim() {
	setpid $NAMED setsid announce victim &
	call parent $!
	meet victim
	[[ ${P[victim]} = "$NAMED" ]] || fail 'the picture is wrong: another PID'
	is_alive $TAKEN && fail 'the picture is wrong: somebody bears the other PID'
	bystanders
}

# is_said STATUS PIECE WORDS - what the last run has said; with -v, when nothing was wrong
is_said() {
	local lines
	mapfile -t lines <err
	[[ $STATUS = "$1" ]] || fail "$3: exit status $STATUS, not $1"
	[[ ! -s out ]] || fail "$3: standard output is not empty"
	((${#lines[@]} == 1 || $1 == 0)) || fail "$3: ${#lines[@]} lines on standard error, not one"
	[[ ${lines[0]} = 'nskill: '* ]] || fail "$3: not a sentence of nskill's"
	[[ ${lines[0]} = *"$2"* ]] || fail "$3: does not say: $2"
	[[ ${lines[*]} != *[![:print:]]* ]] || fail "$3: a raw control byte"
	is_alive "$NAMED" || fail "$3: who must not be named is dead"
}

# every file|input - each content in turn
every() {
	local file status piece words count=0
	mkdir contents
	malformed contents >index || fail 'no contents'
	victim
	run -n $NAMED
	status_is 0
	snapshot BEFORE
	while IFS=$'\t' read -r -u 8 file status piece words; do
		# With -v what is taken is named, too.
		ARGUMENTS=(-v "./contents/$file")
		[[ $1 = file ]] || ARGUMENTS=(-v -)
		timeout --foreground -s KILL 20 "$NSKILL" "${ARGUMENTS[@]}" \
			<"contents/$file" >out 2>err 8<&- 9>&-
		STATUS=$?
		is_said "$status" "$piece" "$words"
		count=$((count + 1))
	done 8<index
	snapshot AFTER
	ended
	((count >= 200)) || fail "no more than $count contents"
	echo "$count contents"
}

check user "files of every malformed content are refused in one sentence" every file
check user "every malformed content of standard input is, too" every input
finish
