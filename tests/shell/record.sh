#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - what --record writes, and what is found again by it

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# job - a target who has made a mount namespace; in it a child, a daemon, and one in another session
job() {
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid "$@" &' sh "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); setsid announce detached & announce child &
		exec announce in-target' &
	meet keeper target daemon detached child in-target
	forget in-target
	different session target daemon detached
	same mnt target daemon detached child
	T=${P[target]}
}

# record - write the record of the target; nobody is signalled
record() {
	run --record=file.record "$T"
	status_is 0
	ended
}

# end_and_reap NAME... - by other means
end_and_reap() {
	local name
	for name; do kill -KILL "${P[$name]}"; done
	for name; do until_true is_over "$name"; done
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	forget keeper-reaped
	for name; do until_true is_gone "$name"; done
}

member() { # JSON-NAME - sets REPLY to the number in file.record
	REPLY=$(sed -En "s/^.*\"$1\": *\"?([0-9a-f-]+)\"?,?.*\$/\1/p" file.record | head -n 1)
	[[ -n $REPLY ]] || fail "the record has no $1"
}

# ---- writing ----

written() {
	local wanted
	job
	record
	is_silent
	[[ $(stat -c %a:%u:%F file.record) = "600:$(id -u):regular file" ]] ||
		fail "$(stat -c %a:%u:%F file.record)"
	member pid
	[[ $REPLY = "$T" ]] || fail "another PID: $REPLY"
	member start_ticks
	[[ $REPLY = "${BORN[target]}" ]] || fail "another start: $REPLY"
	member boot_id
	[[ $REPLY = "$(</proc/sys/kernel/random/boot_id)" ]] || fail "another boot: $REPLY"
	if wanted=$(pidfd-inode "$T"); then
		member pidfd_inode
		[[ $REPLY = "$wanted" ]] || fail "another inode: $REPLY, not $wanted"
	fi
	the mnt target
	wanted=${REPLY//[^0-9]/}
	member inode
	[[ $REPLY = "$wanted" ]] || fail "another namespace: $REPLY, not $wanted"
	for wanted in pgrp session; do
		the $wanted target
		grep -Eq "\"$wanted\": *$REPLY,?\$" file.record || fail "another $wanted"
	done
	run ./file.record
	status_is 0
	ended target daemon detached child
	is_silent
}

# It is put in its place whole, and for its owner alone, whatever was there before.
atomic() {
	type -P strace >/dev/null || skip 'needs strace'
	job
	echo old >file.record
	chmod 666 file.record
	exec 8<file.record
	export ASAN_OPTIONS=detect_leaks=0
	under strace -o trace \
		-e trace=open,openat,creat,write,fsync,fdatasync,rename,renameat,renameat2
	record
	[[ $(cat <&8) = old ]] || fail 'the file that was there was written'
	[[ $(stat -c %a file.record) = 600 ]] || fail "mode $(stat -c %a file.record)"
	[[ $(ls) = $'err\nfile.record\nout\nroster\nroster.pause\ntrace' ]] || fail "$(ls)"
	awk '/^open.*O_EXCL/ && /file\.record\./ { made = 1; fd = $NF }
	/^fsync|^fdatasync/ && made && !renamed && index($0, "(" fd ")") { synced = 1 }
	/^rename.*"\.?\/?file\.record"/ { if (!synced) bad = 1; renamed = 1 }
	/^open.*"(\.\/)?file\.record"/ && /O_(WRONLY|RDWR|TRUNC)/ { bad = 1 }
	END { exit bad || !renamed }' trace || { cat trace; fail 'not as it should be'; }
}

# A reader never sees half of one.
never_half() {
	local text reads=0 writer
	job
	record
	text=$(<file.record)
	for _ in {1..40}; do "$NSKILL" --record=file.record "$T" 9>&- || exit; done &
	writer=$!
	while kill -0 $writer 2>/dev/null; do
		text=$(<file.record)
		[[ $text = '{'*'}' ]] || fail "half a record: $text"
		reads=$((reads + 1))
	done
	wait $writer || fail 'cannot write'
	((reads > 10)) || fail 'has hardly been read'
}

# contents FOLDER - all that is in it; of folders not the time, which each file that comes moves
contents() {
	find "$1" -type d -printf '%p %m %u\n' -o -printf '%p %m %u %s %T@\n' | sort
}
export -f contents

# not_written PATH - it fails, leaves nothing behind, and what was there is as it was
not_written() {
	local before
	before=$(contents "$(dirname "$1")")
	run --record="$1" "$T"
	status_is 5
	ended
	says_one_sentence
	says "${1##*/}"
	[[ $(contents "$(dirname "$1")") = "$before" ]] || fail 'something is left there'
}

cannot_write() {
	job
	mkdir shut
	echo old >shut/file.record
	chmod 555 shut
	if [[ ! -w shut ]]; then
		not_written shut/file.record
		[[ $(<shut/file.record) = old ]] || fail 'written'
	fi
	run --record=absent/file.record "$T"
	status_is 5
	ended
	says_one_sentence
	mkdir -p there/directory
	not_written there/directory
	run --record= "$T"
	status_is 2
	ended
}

no_space() {
	job
	# shellcheck disable=SC2016 # a script
	under unshare --mount bash -c 'mount -t tmpfs -o size=4k none tiny || exit 77
		echo old >tiny/file.record
		while echo x >>tiny/full; do :; done 2>/dev/null
		contents tiny >before
		"$0" "$@"
		status=$?
		contents tiny >after
		[ "$(cat tiny/file.record)" = old ] || echo broken >>after
		exit $status'
	mkdir tiny
	run --record=tiny/file.record "$T"
	[[ $STATUS != 77 ]] || skip 'needs tmpfs'
	status_is 5
	ended
	says 'tiny/file\.record'
	cmp before after || fail 'something is left there'
}

# So it is when the file may not grow. What nskill dies of then is as good.
too_large() {
	local before
	job
	echo old >file.record
	mkdir there
	cp file.record there/
	before=$(contents there)
	# shellcheck disable=SC2016 # a script
	under sh -c 'ulimit -f 0; trap "" XFSZ; exec "$0" "$@" 2>/dev/null' # 0 blocks
	run --record=there/file.record "$T"
	status_is 5
	ended
	[[ $(contents there) = "$before" ]] || fail 'something is left there'
	[[ $(<there/file.record) = old ]] || fail 'written'
}

exclusive() {
	local words
	job
	for words in -n '-s TERM' '-k 1' '--max 1' --require-match; do
		# shellcheck disable=SC2086 # words
		run --record=file.record $words "$T"
		status_is 2
		ended
		[[ ! -e file.record ]] || fail 'written all the same'
	done
	run --record=file.record "$T" "${P[daemon]}"
	status_is 2
	ended
}

# ---- finding ----

# The group and the session are gone, and so is the target.
only_namespace_left() { # [WITHOUT-ID...]
	job
	record
	[[ $# = 0 ]] || under "$@"
	end_and_reap target child
	bystanders
	run "$T"
	status_is 0
	ended # the number alone leads nowhere any more: the picture is right
	run ./file.record
	status_is 0
	ended daemon detached
	is_silent
	run ./file.record
	status_is 0
	ended
}

# Another process has the number, and leads a group and a session of it.
number_reused() {
	job
	record
	end_and_reap target child
	setsid setpid "$T" setsid announce stranger sh -c '
		announce his & exec announce in-stranger' &
	call parent $!
	meet stranger his in-stranger
	forget in-stranger target
	[[ ${P[stranger]} = "$T" ]] || fail 'the picture is wrong: another PID'
	has session his "$T"
	run -v ./file.record
	status_is 0
	ended daemon detached
	says "$T"
}

other_boot() {
	local boot
	job
	record
	boot=$(</proc/sys/kernel/random/boot_id)
	sed -i "s/$boot/01234567-89ab-cdef-0123-456789abcdef/" file.record
	run ./file.record
	status_is 0
	ended
	says_one_sentence
	says 'boot'
	run -q ./file.record
	status_is 0
	ended
	is_silent
	run -n ./file.record
	status_is 1
	ended
	run --require-match ./file.record
	status_is 1
	ended
	end_and_reap target child
	run ./file.record
	status_is 0
	ended
}

# start_mover - a stranger who can move into a namespace that has a certain inode
start_mover() {
	local into_user=()
	[[ $TEST_WORLD != plain ]] || into_user=(unshare --user --map-root-user)
	mkfifo go
	setsid "${into_user[@]}" mover stranger <go &
	exec 8>go
	meet stranger
}

# move_in - into one with the inode that is recorded
move_in() {
	member inode
	echo "$REPLY" >&8
	until [[ -n ${P[stranger-failed]-} || -n ${P[stranger-moved]-} ]]; do
		read -r -t 20 -u 9 name number || fail 'no answer'
		call "$name" "$number"
	done
	[[ -z ${P[stranger-failed]-} ]] || skip 'no namespace has been given the same inode'
	has mnt stranger "mnt:[$REPLY]"
}

# Everything of the target has ended, and a stranger's namespace has the inode.
inode_reused() { # [COMMAND... to run nskill under, at both times]
	job
	[[ $# = 0 ]] || under "$@"
	record
	if [[ $# = 0 ]]; then
		member id
		((REPLY > 0)) || skip 'needs a kernel with 64-bit namespace ids'
	fi
	start_mover
	end_and_reap target child daemon detached
	move_in
	run ./file.record
	status_is 0
	ended
	says 'namespace'
	run -n ./file.record
	status_is 1
	ended
}

# The stranger is older than the record, though not than the target: he could be one of his.
inode_reused_by_elder() {
	job
	until_true later_than "${BORN[target]}"
	start_mover
	until_true later_than "${BORN[stranger]}"
	record
	member id
	((REPLY > 0)) || skip 'needs a kernel with 64-bit namespace ids'
	end_and_reap target child daemon detached
	move_in
	run ./file.record
	status_is 0
	ended
	says 'namespace'
}

later_than() { # TICK
	local now
	read -r now _ </proc/uptime
	((${now/./} > $1 + 1))
}

# The target was a guest in a container: that has not fallen to it, and it is said.
guest() { # alive|gone
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid "$@" &' sh "${MNT[@]}" announce host sh -c 'mkfifo late
		announce other & read -r _ <late
		setsid announce target sh -c "setsid announce detached & exec announce in-target" &
		exec announce in-host' &
	meet keeper host other
	until_true later_than "${BORN[other]}"
	until_true test -p late
	echo x >late
	meet target detached in-target in-host
	forget in-target in-host
	T=${P[target]}
	same mnt host other target
	record
	bystanders
	if [[ $1 = gone ]]; then
		end_target_of_host
		run ./file.record
		status_is 0
		ended
	else
		run ./file.record
		status_is 0
		ended target detached
	fi
	says 'mount namespace'
}

# Nobody in the container reaps it.
end_target_of_host() {
	kill -KILL "$T"
	until_true is_over target
}

# ---- the dead ----

# Recorded when dead already: stand-ins lead to the namespace, and the record to it afterwards.
record_of_dead() { # zombie|reaped
	job
	kill -KILL "$T"
	until_true is_zombie target
	if [[ $1 = reaped ]]; then
		kill -USR1 "${P[keeper]}"
		meet keeper-reaped
		forget keeper-reaped
	fi
	record
	end_and_reap child
	bystanders
	run ./file.record
	status_is 0
	ended daemon detached
	is_silent
}

record_of_nobody() {
	true &
	T=$!
	wait $T
	bystanders
	record
	run ./file.record
	status_is 0
	ended
	setsid setpid "$T" announce stranger &
	call parent $!
	meet stranger
	run ./file.record
	status_is 0
	ended
}

# From a record another record, from a pidfile a record.
record_of_record() {
	job
	echo "$T" >file.pid
	run --record=first ./file.pid
	status_is 0
	end_and_reap target child
	run --record=file.record ./first
	status_is 0
	ended
	run ./file.record
	status_is 0
	ended daemon detached
}

# What is there and is no regular file stays what it is.
not_replaced() {
	local kept
	job
	mkfifo fifo
	echo kept >elsewhere
	ln -s elsewhere link
	mkdir folder
	kept=$(ls -li fifo link elsewhere)
	for name in fifo link folder; do
		run --record=$name "$T"
		status_is 5
		ended
		says_one_sentence
		says 'no regular file'
	done
	[[ $(ls -li fifo link elsewhere) = "$kept" && $(<elsewhere) = kept ]] || fail 'replaced'
}

beats() { # - sets REPLY to how often it has hopped
	REPLY=$(od -An -t u8 -N 8 hops 2>/dev/null)
	REPLY=${REPLY// /}
}

has_hopped() {
	beats
	[[ -n $REPLY ]] && ((REPLY > 20))
}

# Who only forks and ends in the recorded namespace, and in a session of its own at each hop, lives
# for less time than a look takes.
hopping() { # ARGUMENT...
	local before name
	mkfifo go
	setsid "${MNT[@]}" sh -c 'echo "target $$" >&9; read -r _ <go; exec hop mnt hops' &
	meet target
	bystanders
	T=${P[target]}
	run --record=file.record "$T"
	status_is 0
	ended
	echo >go
	until_true has_hopped
	until_true is_gone target
	forget target
	run "$@" ./file.record
	status_is 0
	for name in near apart sandbox; do
		is_alive "${P[$name]}" || fail "$name is dead"
	done
	beats
	before=$REPLY
	pause 0.3
	beats
	((REPLY == before)) || fail "$((REPLY - before)) hops after the end"
}

check "user plain" "a record holds what tells the target, for its owner alone" written
check "user" "a record is put in its place whole" atomic
check user "who reads a record while it is written never sees half of it" never_half
check "user plain" "a record that cannot be written leaves nothing behind" cannot_write
check user "a record that finds no space leaves nothing behind" no_space
check user "a record that may not grow leaves nothing behind" too_large
check user "--record goes with nothing that signals, and with one target" exclusive
check "user plain root" "by its record is found who has called setsid and is left alone" \
	only_namespace_left
check user "so it is where the kernel gives namespaces no id of their own" \
	only_namespace_left balk mnt-id ENOTTY
check "user root" "who has taken over the recorded PID lives" number_reused
check "user plain" "a record of another boot is a success, and says so" other_boot
check "user plain root" "who has taken over the recorded inode of a namespace lives" \
	inode_reused
check "user plain root" "so he does where the kernel gives namespaces no id of their own" \
	inode_reused balk mnt-id ENOTTY
check "user plain root" "so he does when he is older than the record" inode_reused_by_elder
for state in alive gone; do
	check "user plain" "a container that the recorded target was a guest in lives ($state)" \
		guest $state
done
for state in zombie reaped; do
	check "user plain" "a record of a $state target tells the namespace of its stand-ins" \
		record_of_dead $state
done
check user "a record of nobody names nobody" record_of_nobody
check user "a record can be made by a pidfile, and by a record" record_of_record
check "user plain root" "who forks and ends all the time in a recorded namespace ends" hopping
check "user plain" "5: --record replaces nothing but a regular file" not_replaced
finish
