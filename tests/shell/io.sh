#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# io.sh - who holds the target's output open, and the kind io that ends them
#
# In most pictures there is a daemon that has left the target's group, session and mount namespace
# and has lost its parent: the output alone ties it. A reader waits for the end of that, as whoever
# has called a container's runtime does.

# shellcheck disable=SC2034,SC2154 # lib.sh reads and sets them
# shellcheck disable=SC2016,SC2094 # scripts for others; nothing is read from the stuck file

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 240
QUICK=3000 # milliseconds
[[ -z $SANITIZED ]] || QUICK=10000

reader() {
	while read -r _; do :; done
	exec announce end-of-file
}

# output_pipe - descriptor 5 writes to a pipe that the reader waits for
output_pipe() {
	exec 5> >(exec 5>&-; reader)
}

# What daemon, child and target are, as a script with the words of MNT.
SCRIPT='announce child & (setsid "$@" announce daemon &); exec announce in-target'
# Where pidfds have no inodes, who was born in the tick of the target may be older.
"$HELPERS/pidfd-inode" $$ >/dev/null 2>&1 || SCRIPT="sleep 0.05; $SCRIPT"

# start COMMAND... - the target, with the descriptors that it is called with
start() {
	setsid "${MNT[@]}" announce -r target "$@" 5>&- &
}

# started - it is, with the daemon adrift
started() {
	meet target child daemon in-target
	forget in-target
	T=${P[target]}
	until_true has_no_parent daemon
	different session target daemon
	different pgrp target daemon
	different mnt target daemon
}

# job - target, child and daemon write to the pipe, and nobody else does
job() {
	bystanders
	output_pipe
	start sh -c "$SCRIPT" sh "${MNT[@]}" >&5 2>&5
	started
	exec 5>&-
}

# late_job - the daemon is certainly younger than the child
late_job() {
	bystanders
	output_pipe
	start sh -c "announce child & sleep 0.05; ${SCRIPT#*child & }" sh "${MNT[@]}" >&5 2>&5
	started
	exec 5>&-
}

# holds NAME REASON - the line that says so
holds() {
	echo "still holding the output of $T: ${P[$1]} \\([a-z]+\\), [0-9]+s old: $2\$"
}

nobody='nobody( who can be seen)? holds the output of [0-9]+ open any more$'
unasked='not followed: -m \+io would kill it, too'

has_not_ended() {
	! read -r -t 0.3 -u 9 || fail 'the output has ended'
}

# all_gone NAME... - exactly these have ended, and so has the output
all_gone() {
	status_is 0
	ended "$@"
	meet end-of-file
}

left() {
	job
	run "$T"
	status_is 0
	is_silent
	ended target child
	has_not_ended
}

left_and_named() {
	job
	run -v "$T"
	status_is 0
	ended target child
	says "^nskill: $(holds daemon "$unasked")"
	has_not_ended
}

listed() {
	job
	run -n "$T"
	status_is 0
	ended
	lists_exactly target child
	lists "^$(holds daemon "$unasked")"
	! grep -q "output of $T: ${P[child]}" out || fail 'the child is listed twice'
	[[ ! -s err ]] || fail 'standard error is not empty'
}

asked() {
	job
	run --holders "$T"
	status_is 0
	ended
	lists "^$(holds target 'it belongs to the target')" \
		"^$(holds child 'it belongs to the target')" "^$(holds daemon "$unasked")"
	[[ ! -s err ]] || fail 'standard error is not empty'
	! grep -q '^nobody' out || fail 'nobody is said to hold it'
	[[ $(grep -c '^still' out) = 3 ]] || fail 'others are listed'
}

taken() { # ARGUMENT...
	job
	run -n "$@" "$T"
	lists_exactly target child daemon
	lists "^ *${P[daemon]} .* io [0-9]+ +announce\$"
	run "$@" "$T"
	all_gone target child daemon
	is_silent
}

said() {
	job
	run -v -m +io "$T"
	all_gone target child daemon
	says "^nskill: $nobody" "sent KILL to (process group )?${P[daemon]} "
}

alone() {
	job
	run -m io "$T"
	all_gone target child daemon
}

# ---- who is no member ----

script_lives() {
	bystanders
	output_pipe
	start sh -c "$SCRIPT" sh "${MNT[@]}" >&5 2>&5
	started
	run -v -m +io "$T"
	status_is 0
	ended target child daemon
	says "^nskill: $(holds script 'an ancestor of nskill')" ': nskill itself$'
	has_not_ended
	exec 5>&-
	meet end-of-file
}

holds_script() {
	call script $$
	script_lives
}

older_lives() {
	local how
	bystanders
	output_pipe
	setsid announce older >&5 5>&- &
	meet older
	pause 0.05
	start sh -c "$SCRIPT" sh "${MNT[@]}" >&5 2>&5
	started
	exec 5>&-
	for how in '-n out' '--holders out' '-v err'; do
		run "${how% *}" -m +io "$T"
		status_is 0
		grep -Eq "$(holds older 'older than the target')" "${how#* }" || fail 'not told'
	done
	ended target child daemon
	has_not_ended
	kill -KILL "${P[older]}"
	meet end-of-file
}

reader_lives() {
	bystanders
	mkfifo output
	reader <output &
	exec 5>output
	start sh -c "$SCRIPT" sh "${MNT[@]}" >&5 2>&5
	started
	setsid announce listener <output 5>&- &
	meet listener
	exec 5>&-
	run --holders "$T"
	status_is 0
	! grep -q " ${P[listener]} " out || fail 'who only reads is said to hold it'
	run -m +io "$T"
	all_gone target child daemon
	is_silent
}

# Which FIFO a descriptor has can be told without its fdinfo, too, for which there was no room.
last_descriptor() {
	no_leak_check
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	bystanders
	mkfifo output
	reader <output &
	exec 5>output
	start bash -c 'setsid announce child 777>&1 >/dev/null 2>&1 &
		exec announce in-target' >&5 2>&5
	meet target child in-target
	forget in-target
	exec 5>&-
	T=${P[target]}
	under inject -o counts openat:777@1+=EMFILE --
	run -m +io "$T"
	grep -q ' [1-9][0-9]*$' counts || fail 'the picture is wrong: no call has failed'
	all_gone target child
	is_silent
}

# Its members' other pipes are not the target's.
not_further() {
	bystanders
	output_pipe
	mkfifo other
	exec 6<>other
	start sh -c 'announce child 6>&- & (setsid "$@" announce daemon &)
		exec announce in-target 6>&-' sh "${MNT[@]}" >&5 2>&5
	started
	setsid announce neighbour >&6 5>&- &
	meet neighbour
	exec 5>&- 6>&-
	run -m +io "$T"
	all_gone target child daemon
}

# ---- what can be an output ----

error_alone() {
	bystanders
	output_pipe
	start sh -c "$SCRIPT" sh "${MNT[@]}" >file 2>&5
	started
	exec 5>&-
	run -m +io "$T"
	all_gone target child daemon
}

heard() { # terminal|socket
	bystanders
	hear "$1" end-of-file "${MNT[@]}" announce -r target sh -c "$SCRIPT" sh "${MNT[@]}" &
	started
}

heard_taken() { # terminal|socket
	heard "$1"
	run -v "$T"
	status_is 0
	ended target child
	says "^nskill: $(holds daemon "$unasked")"
	has_not_ended
	kill -KILL "${P[daemon]}"
	meet end-of-file
	forget end-of-file near apart sandbox target child daemon
	heard "$1"
	run -m +io "$T"
	all_gone target child daemon
	is_silent
}

terminal_of_guard() {
	local terminal
	heard terminal
	terminal=$(readlink "/proc/$T/fd/1")
	[[ -w $terminal ]] || skip "cannot open $terminal"
	under sh -c 'exec "$@" 6<>"$0"' "$terminal"
	run -n -m +io "$T"
	lists_exactly target child
	lists '^not followed: .*output [0-9]+: nskill itself holds it$'
	run -v -m +io "$T"
	ended target child
	has_not_ended
}

terminal_of_older() {
	bystanders
	hear terminal end-of-file announce -r older sh -c '"$@" & exec announce in-older' sh \
		setsid "${MNT[@]}" announce target sh -c "sleep 0.05; $SCRIPT" sh "${MNT[@]}" &
	meet older in-older
	forget in-older
	started
	run -n -m +io "$T"
	lists_exactly target child
	lists "^not followed: .*output .*: it is the terminal of an older process: ${P[older]} "
	run -m +io "$T"
	status_is 0
	ended target child
}

no_output() {
	bystanders
	setsid announce target >/dev/null 2>file &
	meet target
	run --holders "${P[target]}"
	status_is 1
	ended
	lists 'the output of [0-9]+ is no pipe, FIFO, socket or pseudo-terminal$'
	run -v "${P[target]}"
	status_is 0
	ended target
	! grep -q 'output of' err || fail 'there is none to speak of'
}

# ---- a dead target ----

# dead NAME... - these have been killed and reaped
dead() {
	local name
	for name; do kill -KILL "${P[$name]}"; done
	for name; do until_true is_gone "$name"; done
}

stand_ins() {
	late_job
	dead target
	run --holders "$T"
	status_is 0
	lists "^$(holds child 'it belongs to the target')" "^$(holds daemon "$unasked")"
	run -m +io "$T"
	all_gone child daemon
	is_silent
}

record() {
	job
	run --record=file.record "$T"
	status_is 0
	ended
	grep -Eq '"pipe:\[[0-9]+\]"' file.record || fail 'the record has no pipe'
	dead target child
	run --holders ./file.record
	status_is 0
	lists "^$(holds daemon "$unasked")"
	run -v ./file.record
	status_is 0
	ended
	says "$(holds daemon "$unasked")"
	run -m +io ./file.record
	all_gone daemon
	run --holders ./file.record
	status_is 1
	lists "^$nobody"
}

older_record() {
	job
	run --record=file.record "$T"
	tr -d '\n' <file.record | sed -E 's/"outputs": *\[[^,]*\],//' >old.record
	! grep -q pipe old.record || fail 'the picture is wrong'
	run -n -m +io ./old.record
	status_is 0
	lists_exactly target child daemon
	dead target child
	run --holders ./old.record
	status_is 1
	lists '^the output of [0-9]+ is not known: it is dead, and nobody is left who tells'
	run -m +io ./old.record
	status_is 0
	ended
}

crun() { # string|array
	local pipe list
	late_job
	pipe=$(readlink "/proc/$T/fd/1")
	list="[\"/dev/null\",\"$pipe\",\"$pipe\"]"
	[[ $1 != string ]] || list="\"${list//\"/\\\"}\""
	echo "{\"pid\": $T, \"process-start-time\": ${BORN[target]}," \
		"\"external_descriptors\": $list}" >status.json
	dead target child
	run --holders ./status.json
	status_is 0
	lists "^$(holds daemon "$unasked")"
	run -m +io ./status.json
	all_gone daemon
}

runc() {
	local pipe
	late_job
	pipe=$(readlink "/proc/$T/fd/1")
	echo "{\"init_process_pid\": $T, \"init_process_start\": ${BORN[target]}," \
		"\"external_descriptors\": [\"/dev/null\", \"/dev/null\", \"$pipe\"]}" >state.json
	dead target child
	run -m +io ./state.json
	all_gone daemon
}

# What its own user may not look at could be held by anybody.
unseen() {
	mkfifo pipe
	exec 7<>pipe
	setsid announce -d target >pipe 7>&- &
	meet target
	exec 7>&-
	run -m +io "${P[target]}"
	status_is 4
	ended target
	says "^nskill: the output of ${P[target]} could not be inspected as a whole"
}

# When the last who tells what the output was has ended, so that this is the last time to say it.
left_over() {
	bystanders
	output_pipe
	setsid announce -r target sh -c '(setsid announce daemon &); announce child &
		exec announce in-target' >&5 2>&5 5>&- &
	meet target daemon child in-target
	forget in-target
	T=${P[target]}
	exec 5>&-
	kill -KILL "$T"
	until_true is_gone target
	until_true has_no_parent daemon
	run -m +io "$T"
	status_is 0
	ended child
	says "^nskill: $(holds daemon "it may be older than the target; if it is the job's, name it by its PID")"
	run -q -m +io "$T"
	is_silent
}

# What it left writes to nothing that others could hold.
told_of_none() {
	setsid announce -r target sh -c 'announce child & exec announce in-target' >file 2>&1 &
	meet target child in-target
	forget in-target
	bystanders
	kill -KILL "${P[target]}"
	until_true is_gone target
	run --holders "${P[target]}"
	status_is 1
	lists "^the output of ${P[target]} is not known: it is dead, and what it left has no pipe"
	ended
	run -m +io "${P[target]}"
	status_is 0
	says "not followed: the output of ${P[target]}: it is dead, and what it left has no pipe"
	ended child
}

# Of one that is dead and has left nobody who bears its number, a PID tells no output.
lost() {
	late_job
	dead target child
	run -m +io "$T"
	status_is 0
	ended
	says "^nskill: not followed: the output of $T: it is dead, and nobody is left who tells"
	run -q -m +io "$T"
	status_is 0
	is_silent
	ended
}

on_exit() {
	job
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	snapshot BEFORE
	"$NSKILL" -v --on-exit -m +io "$T" >out 2>err 9>&- &
	NSKILL_PID=$!
	until_true grep -q 'waiting for the end' err
	kill -KILL "$T"
	finish_wait
	all_gone target child daemon
	says "^nskill: $nobody"
}

# ---- what is hard to look at ----

closed() {
	job
	setsid announce -d hidden &
	meet hidden
	run --holders "$T"
	status_is 0
	lists '^processes whose open files could not be inspected: [1-9][0-9]*$'
	run -m +io "$T"
	all_gone target child daemon
	is_silent
}

closed_target() {
	output_pipe
	setsid announce -d target >&5 5>&- &
	meet target
	exec 5>&-
	run --holders "${P[target]}"
	status_is 3
	ended
	says_one_sentence
	says 'the output of [0-9]+ could not be inspected as a whole$'
}

# Of each it is told whose he is, and what he was called with.
holders_in_detail() {
	late_job
	run --holders "$T"
	status_is 0
	ended
	grep -A 1 ": ${P[daemon]} " out >holder
	grep -Eq "^    user $(id -un 2>/dev/null || id -u): announce daemon\$" holder ||
		fail 'not the user and the arguments'
	run --holders -J "$T"
	! grep -q '^    user' out || fail 'it is in the document'
}

# Their first threads have ended, and others hold the output.
headless() {
	bystanders
	output_pipe
	start sh -c 'sleep 0.05; (setsid "$@" zombie-leader daemon &)
		exec zombie-leader in-target' sh "${MNT[@]}" >&5 2>&5
	meet target daemon in-target
	forget in-target
	T=${P[target]}
	until_true has_no_parent daemon
	exec 5>&-
	run --holders "$T"
	status_is 0
	lists "still holding the output of $T: ${P[daemon]} .*: $unasked"
	run -m +io "$T"
	all_gone target daemon
	is_silent
}

# A live thread's files that cannot be read are not those of one that has ended.
headless_unread() {
	no_leak_check
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	bystanders
	output_pipe
	start sh -c '(setsid "$@" zombie-leader daemon &)
		exec announce in-target' sh "${MNT[@]}" >&5 2>&5
	meet target daemon daemon-thread in-target
	forget in-target
	until_true has_no_parent daemon
	exec 5>&-
	under inject -o counts "openat:task/${P[daemon-thread]}/fd@1+=EACCES" --
	run --holders "${P[target]}"
	grep -q ' [1-9][0-9]*$' counts || fail 'the picture is wrong: no call has failed'
	lists '^processes whose open files could not be inspected: 1$'
	ended
}

few_descriptors() {
	local daemons
	bystanders
	output_pipe
	start bash -c 'sleep 0.05
		for i in {1..40}; do (setsid announce "daemon$i" &); done
		exec announce in-target' >&5 2>&5
	mapfile -t daemons < <(printf 'daemon%d\n' {1..40})
	meet target in-target "${daemons[@]}"
	forget in-target
	exec 5>&-
	for daemon in "${daemons[@]}"; do until_true has_no_parent "$daemon"; done
	under sh -c 'ulimit -n 24; exec "$@"' sh
	run -m +io "${P[target]}"
	all_gone target "${daemons[@]}"
	is_silent
}

many() {
	bystanders
	output_pipe
	(ulimit -n 12000) 2>/dev/null || skip 'needs 12,000 descriptors'
	start bash -c 'announce child & (
		ulimit -n 12000
		for ((i = 0; i < 10000; i++)); do exec {fd}<>/dev/null; done
		exec {fd}>&1 >/dev/null 2>&1
		setsid "$@" announce daemon &); exec announce in-target' sh "${MNT[@]}" >&5 2>&5
	started
	exec 5>&-
	run -m +io "$T"
	all_gone target child daemon
	((ELAPSED < QUICK)) || fail "has taken $ELAPSED ms"
}

stuck_file() {
	mkdir folder
	stuckfs server folder 2>refused &
	call server $!
	until_true served
	[[ ! -s refused ]] || skip "needs to mount a file system of its own: $(<refused)"
	bystanders
	output_pipe
	start sh -c "$SCRIPT" sh "${MNT[@]}" >&5 2<>folder/file 7<folder/file
	started
	exec 5>&-
	kill -STOP "${P[server]}"
	run -m +io "$T"
	kill -KILL "${P[server]}"
	all_gone target child daemon
	is_silent
	((ELAPSED < QUICK)) || fail "has taken $ELAPSED ms"
}

served() {
	[[ -s refused ]] || ! is_alive "${P[server]}" || [[ -e folder/file ]]
}

# It forks and exits, and drops every tie but the output each time.
hops() {
	bystanders
	output_pipe
	start sh -c 'announce child & (setsid "$@" hop mnt count &); exec announce in-target' sh \
		"${MNT[@]}" >&5 2>&5
	meet target child in-target
	forget in-target
	T=${P[target]}
	exec 5>&-
	until_true test -s count
	run -m +io "$T"
	status_is 0
	! is_alive "$T" || fail 'the target is alive'
	meet end-of-file
}

untouched() {
	type -P strace >/dev/null || skip 'needs strace'
	no_leak_check
	job
	under strace -f -o trace -e trace=file,openat,readlinkat,newfstatat,statx
	run "$@" "$T"
	status_is 0
	ended target child
	! grep -E '/proc/[0-9]+/(task/[0-9]+/)?fd' trace || fail 'open files were looked at'
	forget target child daemon
}

# Of descriptors only the names are looked at; a file with a path is held by that.
not_opened() {
	type -P strace >/dev/null || skip 'needs strace'
	no_leak_check
	bystanders
	mkfifo output
	reader <output &
	start sh -c "$SCRIPT" sh "${MNT[@]}" >output 2>file
	started
	under strace -f -y -o trace -e trace=file,desc
	run "$@" "$T"
	status_is 0
	grep -q 'readlinkat([0-9]*</proc/[0-9]*/fd>' trace || fail 'the picture is wrong'
	if [[ $1 = -m ]]; then
		grep -q '</proc/[0-9]*/fd>, "1", .*O_PATH' trace || fail 'the output is not held'
	else
		! grep '/fd>.*O_PATH' trace || fail 'the output is held to be named'
	fi
	! grep -E 'openat\([0-9]+</proc/[0-9]+/fd>|"/proc/[0-9]+/fd/' trace | grep -v O_PATH ||
		fail 'a file of a process was opened'
	! grep -E 'statx\(' trace | grep '/fd>' | grep -v AT_STATX_DONT_SYNC ||
		fail 'a server may have been asked'
	! grep -E '(read|write)\([0-9]+<[^>]*(output|/file)>' trace || fail 'an output was read'
}

check 'user plain' 'what holds the output and has lost every other tie is left by default' left
check 'user plain' 'who is left with the output is named under --verbose' left_and_named
check 'user plain' 'who would be left with the output is named by --dry-run' listed
check 'user plain' '--holders names all who hold the output, and signals nothing' asked
check 'user plain' '--holders tells of each the user and the arguments' holders_in_detail
check 'user plain root' 'with io who holds the output ends, and so does the output' taken -m +io
check user 'all includes io' taken -m all
check user 'that nobody holds the output any more is said under --verbose' said
check user 'io alone is enough' alone
check 'user plain' 'the script that holds the same pipe lives and is named' holds_script
check 'user plain' 'an older holder lives and is named' older_lives
check 'user plain' 'who only reads the output lives and is not named' reader_lives
check user 'whoever holds a FIFO is found where no fdinfo can be opened, too' last_descriptor
check user 'what else a member writes to is not followed' not_further
check user 'standard error alone is an output' error_alone
check 'user plain' 'a socket is an output' heard_taken socket
check 'user plain' 'a pseudo-terminal is an output' heard_taken terminal
check 'user plain' 'a terminal that nskill holds is not followed' terminal_of_guard
check 'user plain' 'a terminal that an older process holds is not followed' terminal_of_older
check user 'a file and /dev/null are no output' no_output
check 'user plain' 'those who stand in for a dead target tell its output' stand_ins
check 'user plain' 'a record tells the output of a target of which nothing stands in' record
check user 'a record without outputs is believed' older_record
check user "crun's status tells the output, in a string" crun string
check user "crun's status tells the output, in an array" crun array
check plain '4: an output that may not be looked at is told of, where io was asked for' unseen
check user "who may hold it rightly is left, and said to be without --verbose" left_over
check user "that nobody it left has an output is said" told_of_none
check user 'that io was asked for in vain is said, where nobody tells the output any more' lost
check user "so does runc's state.json" runc
check user 'with --on-exit the output is followed when the target has ended' on_exit
check plain 'whose open files may not be seen is counted' closed
check 'user plain' 'whose first thread has ended holds its output' headless
check plain 'that the output of a target may not be seen is said' closed_target
check user 'of whose live thread the files cannot be read it is told' headless_unread
check 'user plain' 'holders are ended with few descriptors, too' few_descriptors
check 'user plain' 'an output is found among 10,000 descriptors' many
check root 'a file whose server does not answer is not waited for' stuck_file
check user 'what only forks and holds the output is ended' hops
check user 'by default no open file is looked at' untouched
check user 'nor is one ever opened' not_opened -m +io
check user 'not even to list who holds it' not_opened -n -v
finish
