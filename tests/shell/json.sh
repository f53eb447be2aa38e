#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# json.sh - what --json prints is one document of the shape of tests/schema.json, and true

# shellcheck disable=SC2016 # programs of jq, and scripts
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 120
SCHEMA=$(realpath "$(dirname "$0")/../schema.json")

# is_document - `out` is one document, and of that shape
is_document() {
	[[ $(jq -s length out) = 1 ]] || fail 'not one document'
	is_plain_text out
	[[ -x /usr/bin/python3 ]] || return 0
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || return 0
	/usr/bin/python3 -W ignore -m jsonschema -i out "$SCHEMA" >wrong 2>&1 ||
		fail "not of that shape: $(<wrong)"
}

# tells FILTER - jq's FILTER is true of it; $P_NAME is the PID of NAME
tells() {
	local name arguments=()
	for name in "${!P[@]}"; do arguments+=(--argjson "P_${name//-/_}" "${P[$name]}"); done
	jq -e "${arguments[@]}" "$1" out >/dev/null || fail "it does not tell: $1"
}

planned() {
	job
	run -n -J "$T"
	status_is 0
	ended
	is_document
	tells '.dry_run and .result == "listed" and .exit_status == 0 and .exit_signal == null'
	tells '[.processes[].pid] == [$P_target, $P_orphan, $P_child]'
	tells 'all(.processes[]; .outcome == "listed" and .signal == null and .state == "S")'
	tells 'all(.processes[]; .identity | test("^[0-9]+:[0-9]+$"))'
	tells '.processes[0].why == "target" and .processes[1].why == "pgrp"'
	tells '.targets == [.targets[] | select(.pid == $P_target and .state == "alive")]'
	tells 'any(.scopes[]; .kind == "mnt" and .own and .followed)'
	tells '.errors == []'
	# The identities are those that a later run takes.
	run -n "$(jq -r '.processes[2].identity' out)"
	status_is 0
	lists_exactly child
}

done_with() {
	job
	run --json "$T"
	status_is 0
	ended target orphan child
	is_document
	tells '(.dry_run | not) and .result == "gone" and .exit_status == 0'
	tells 'all(.processes[]; .outcome == "ended")'
	tells '(.processes | length) == 3 and .rounds >= 2 and .seconds < 30'
}

of_dead() {
	job
	kill -KILL "$T"
	until_true is_gone target
	run -n -J "$T"
	status_is 0
	is_document
	tells '.targets[0].state == "dead" and (.targets[0].note | test("is gone"))'
	tells '[.processes[].pid] == [$P_orphan, $P_child]'
}

spared() {
	setsid "${MNT[@]}" announce -r elder sh -c '
		setsid announce target sh -c "announce child & exec announce in-target" &
		exec announce in-elder' &
	meet elder target child in-target in-elder
	forget in-target in-elder
	run -n -J "${P[target]}"
	status_is 0
	is_document
	tells 'any(.scopes[]; .kind == "mnt" and (.followed | not) and .who.pid == $P_elder)'
	cp out plan
	run -J "${P[target]}"
	status_is 0
	ended target child
	is_document
	jq -S '[.scopes[] | del(.reason)] | sort' plan >planned
	jq -S '[.scopes[] | del(.reason)] | sort' out | diff planned - ||
		fail 'the scopes are not those of the plan'
}

survivors() {
	setsid announce target sh -c 'announce child & trap "" TERM; exec announce in-target' &
	meet target child in-target
	forget in-target
	run -J -s TERM -t 300ms "${P[target]}"
	status_is 124
	is_document
	tells '.result == "timeout" and .exit_status == 124'
	tells 'any(.processes[]; .pid == $P_target and .outcome == "alive" and .signal == "TERM" and
		.wait_channel != null)'
	ended child
}

errors() {
	job
	run -J 1 "$T"
	status_is 3
	is_document
	tells '.result == "refused" and (.errors | length) == 1 and (.errors[0] | test("PID 1"))'
	tells 'all(.processes[]; .outcome == "ended")'
	ended target orphan child
	run -J 4000000
	status_is 0
	is_document
	tells '.processes == [] and .result == "gone"'
	run -J -O 1h "${P[near]}"
	status_is 1
	is_document
	tells '.result == "nothing" and (.errors | length) == 1 and (.errors[0] | test("--older"))'
	run -J --require-match 4000000
	status_is 1
	is_document
	tells '.result == "nothing"'
	run -J --max=1 "${P[near]}" "${P[apart]}"
	status_is 3
	is_document
	ended
}

any_name() {
	setsid comm target "$(printf 'a\377"\\\n\033[')" &
	meet target
	run -n -J "${P[target]}"
	status_is 0
	is_document
	tells '.processes[0].command | length > 0'
	run -J "${P[target]}"
	status_is 0
	is_document
}

interrupted() {
	setsid announce target sh -c 'trap "" TERM; exec announce in-target' &
	meet target in-target
	forget in-target
	"$NSKILL" -J -s TERM -t 20s "${P[target]}" </dev/null >out 2>err 9>&- &
	call nskill $!
	pause 0.5
	kill -TERM "${P[nskill]}"
	wait "${P[nskill]}"
	(($? == 128 + 15)) || fail 'not ended by TERM'
	is_document
	tells '.exit_signal == "TERM" and .processes[0].outcome == "alive"'
}

holders() {
	mkfifo pipe
	{
		while read -r _; do :; done
		exec announce end-of-file
	} <pipe &
	setsid announce target sh -c '(setsid announce daemon &); exec announce in-target' >pipe &
	meet target daemon in-target
	forget in-target
	until_true has_no_parent daemon
	run -n -J "${P[target]}"
	status_is 0
	is_document
	tells 'any(.outputs[]; .kind == "fifo")'
	tells 'any(.holders[]; .pid == $P_daemon and (.reason | test("io")))'
	run -J -m +io "${P[target]}"
	status_is 0
	meet end-of-file
	ended target daemon
	is_document
	tells '.holders == []'
}

told_with_holders() {
	mkfifo pipe
	exec 7<>pipe
	setsid announce target sh -c 'exec announce in-target' >pipe 7>&- &
	meet target in-target
	forget in-target
	run --holders -J "${P[target]}"
	exec 7>&-
	status_is 0
	is_document
	tells '.targets[0].pid == $P_target and .outputs[0].kind == "fifo" and .processes == []'
	tells 'any(.holders[]; .pid == $P_target)'
}

excluded() {
	job
	for option in -q --record=file; do
		run -J "$option" "$T"
		status_is 2
	done
	ended
}

check "user plain" "--json with --dry-run prints the plan" planned
check "user plain root" "--json prints what has become of whom" done_with
check user "a target that is gone, and who stands in for it, are in the plan" of_dead
check user "a scope that is not followed is there with who keeps it, before the kill and after" spared
check user "survivors are there with what they wait in" survivors
check user "what is said as an error is in the document, too" errors
check user "the document is valid whatever a process is called" any_name
check user "so it is when a signal ends the wait" interrupted
check user "who holds the output is in it" holders
check user "with --holders it has the targets and what their output is" told_with_holders
check user "2: --json excludes --quiet and --record" excluded
finish
