#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# identity-forms.sh - each form in which a target can be named, and what is said of one who is not
# there any more

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# job - a target with a child, a daemon in a namespace of their own, and bystanders
job() {
	setsid "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); announce child & exec announce in-target' &
	meet target daemon child in-target
	forget in-target
	until_true has_no_parent daemon
	bystanders
	T=${P[target]}
}

# inode_of NAME - sets INODE
inode_of() {
	INODE=$(pidfd-inode "${P[$1]}") || skip 'needs a kernel with pidfs'
}

all_of_it() {
	status_is 0
	ended target child daemon
	is_silent
}

# kept_job - the same, but nobody reaps the target before he is told to; his children are reaped
kept_job() {
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid announce target sh -c "
		announce child & exec announce in-target" & ' &
	meet keeper target child in-target
	forget in-target
	bystanders
	T=${P[target]}
}

# end_target zombie|reaped
end_target() {
	kill -KILL "$T"
	until_true is_zombie target
	[[ $1 = zombie ]] || reap
}

reap() {
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	is_gone target || fail 'the picture is wrong: not reaped'
}

# stranger - takes the target's PID; nobody may touch him
stranger() {
	setsid setpid "$T" announce -g stranger sh -c 'announce his & exec announce in-stranger' &
	call parent $!
	meet stranger his in-stranger
	forget in-stranger
	[[ ${P[stranger]} = "$T" ]] || fail 'the picture is wrong: another PID'
	forget target
}

# ---- PID:INODE ----

pid_inode() {
	job
	inode_of target
	run "$T:$INODE"
	all_of_it
	run "$T:$INODE"
	status_is 0
	ended
	is_silent
}

other_inode() {
	local other
	job
	inode_of target
	for other in $((INODE + 1)) $((INODE - 1)) 18446744073709551615 9223372036854775807; do
		run "$T:$other"
		[[ $STATUS = [02] ]] || fail "exit status $STATUS"
		ended
	done
	run -v "$T:$((INODE + 1))"
	status_is 0
	ended
	says "$T"
}

inode_words() {
	local word
	job
	inode_of target
	for word in ":$INODE" "$T:" "$T:-1" "$T:+$INODE" "$T:0x1" "$T: $INODE" "$T:$INODE:" \
		"$T::$INODE" "$T:$INODE " "-1:$INODE" "0:$INODE" "$T:foo" "foo:$INODE" \
		"$T:99999999999999999999999" ':'; do
		run "$word"
		status_is 2
		ended
		says '^nskill: ' "Try 'nskill --help'"
	done
	run "$T:0"
	[[ $STATUS = [02] ]] || fail "exit status $STATUS"
	ended
	run "1:$INODE"
	[[ $STATUS = [023] ]] || fail "exit status $STATUS"
	ended
}

inode_of_reused() {
	kept_job
	inode_of target
	kill -KILL "${P[child]}" # whoever is in the group keeps the number from being reused
	until_true is_over child
	end_target reaped
	stranger
	run -v "$T:$INODE"
	status_is 0
	ended
	says "$T"
}

inode_of_dead() { # zombie|reaped
	kept_job
	inode_of target
	end_target "$1"
	run "$T:$INODE"
	status_is 0
	ended child
	is_silent
}

# ---- documents ----

# documents TEMPLATE - TARGET and START stand for the target's
documents() {
	local template=$1
	job
	the start target
	printf '%s' "$template" | sed "s/TARGET/$T/g; s/START/$REPLY/g" >file.json
	run ./file.json
	all_of_it
}

# shellcheck disable=SC2034 # used by name
OCI='{"ociVersion":"1.0.2-dev","id":"x","pid":TARGET,"status":"running","bundle":"/b"}'
# shellcheck disable=SC2034
RUNC='{"id":"x","init_process_pid":TARGET,"init_process_start":START,"config":{"pid":1}}'
# shellcheck disable=SC2034
CRUN='{"pid":TARGET,"process-start-time":START,"bundle":"/b","rootfs":"/r"}'

# another_start TEMPLATE - the number is of another process, then: the target is gone
another_start() {
	local template=$1 start other
	job
	the start target
	start=$REPLY
	for other in $((start - 1)) $((start + 1)) 1 99999999999; do
		printf '%s' "$template" | sed "s/TARGET/$T/g; s/START/$other/g" >file.json
		run -v ./file.json
		status_is 0
		ended
		says "$T"
	done
}

document_of_dead() { # TEMPLATE zombie|reaped
	local template=$1 start
	kept_job
	the start target
	printf '%s' "$template" | sed "s/TARGET/$T/g; s/START/$REPLY/g" >file.json
	end_target "$2"
	run ./file.json
	status_is 0
	ended child
	is_silent
}

stopped_oci() {
	job
	printf '{"ociVersion":"1.0.2","id":"x","pid":0,"status":"stopped"}' >file.json
	run ./file.json
	status_is 3
	ended
	says_one_sentence
	says 'file\.json' 'state\.json' 'pidfile' 'record'
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" <file.json'
	run -
	status_is 3
	ended
	says_one_sentence
	says 'state\.json' 'pidfile' 'record'
}

# ---- standard input ----

# by_input TEMPLATE - from a pipe, from a file
by_input() {
	local template=$1
	job
	the start target
	printf '%s' "$template" | sed "s/TARGET/$T/g; s/START/$REPLY/g" >in
	# shellcheck disable=SC2016 # a script
	under bash -c '{ head -c 5 in; tail -c +6 in; } | "$0" "$@"'
	run -
	all_of_it
}

input_file() {
	job
	echo "$T" >in
	# shellcheck disable=SC2016 # a script
	under bash -c 'exec "$0" "$@" <in'
	run -
	all_of_it
}

# Whoever never closes it does not hold nskill.
input_held() {
	job
	mkfifo in
	exec 8<>in
	echo "$T" >&8
	# shellcheck disable=SC2016 # a script
	under bash -c 'exec "$0" "$@" <in'
	run -t 0.5 -
	status_is 3
	ended
	says_one_sentence
	((ELAPSED < 5000)) || fail 'standard input has held it'
}

input_nothing() {
	local what
	job
	# shellcheck disable=SC2016 # a script
	for what in '</dev/null' '<&-' '</dev/zero' '<.'; do
		under bash -c "exec \"\$0\" \"\$@\" $what"
		run -
		status_is 3
		ended
		says_one_sentence
	done
}

# ---- three sentences ----

# Dead, recycled and unreadable are told apart.
sentences() {
	local sentences=()
	kept_job
	inode_of target
	setsid announce -d secret &
	meet secret
	end_target zombie
	kill -KILL "${P[child]}"
	until_true is_over child
	reap
	run -v "$T:$INODE"
	status_is 0
	ended
	sentences+=("$(head -n 1 err)")
	stranger
	run -v "$T:$INODE"
	status_is 0
	ended
	sentences+=("$(head -n 1 err)")
	# shellcheck disable=SC2016 # a script
	under unshare --mount sh -c 'mount -t proc -o hidepid=4 proc /proc 2>/dev/null || exit 77
		exec setpriv --bounding-set=-all --inh-caps=-all "$0" "$@"'
	run -v "${P[secret]}"
	[[ $STATUS != 77 ]] || skip 'needs hidepid'
	status_is 3
	ended
	says "${P[secret]}" 'cannot be inspected|may not be inspected'
	sentences+=("$(sed "s/${P[secret]}/$T/" err | head -n 1)")
	printf '%s\n' "${sentences[@]}"
	(($(printf '%s\n' "${sentences[@]}" | sort -u | wc -l) == 3)) || fail 'not three sentences'
	[[ ${sentences[0]} = *gone* || ${sentences[0]} = *dead* ]] || fail 'not said to be dead'
	[[ ${sentences[1]} = *'another process'* || ${sentences[1]} = *reused* ]] ||
		fail 'not said to be reused'
}

check "user plain" "PID:INODE ends the process that has both, and is a success ever after" pid_inode
check "user plain" "PID:INODE with another inode ends nobody" other_inode
check user "PID:INODE wants two numbers" inode_words
check "user root" "PID:INODE whose PID was reused ends nobody" inode_of_reused
for form in OCI RUNC CRUN; do
	check "user plain" "a file in the form $form names its process" documents "${!form}"
	check user "the form $form can come through a pipe" by_input "${!form}"
	for state in zombie reaped; do
		check user "the form $form names a $state process's group" \
			document_of_dead "${!form}" $state
	done
done
for state in zombie reaped; do
	check user "PID:INODE names a $state process's group" inode_of_dead $state
done
for form in RUNC CRUN; do
	check "user plain" "the form $form with another start names one who is gone" \
		another_start "${!form}"
done
check "user plain" "an OCI state with PID 0 is refused, and says what names more" stopped_oci
check "user plain" "a PID on standard input is a target" input_file
check user "standard input that does not end holds nobody" input_held
check user "no standard input, or garbage there, is refused" input_nothing
check user "dead, recycled and unreadable are three different sentences" sentences
finish
