#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stand-ins.sh - who may speak for a target that is gone, and whom a number that was reused names
#
# Whoever is in the group or the session of a target that is gone stands in for it. When so many
# processes have been made since that the PIDs have gone round, another leader may have borne the
# number and died: then they have to prove themselves.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# dead_target - one who will be gone; in-group and in-session stand in for him
dead_target() {
	keep keeper sh -c 'setsid announce target sh -c "
		announce in-group & announce -g in-session & exec announce in-target" &' &
	meet keeper target in-group in-session in-target
	forget in-target
	T=${P[target]}
	has pgrp in-group "$T"
	has session in-session "$T"
	different pgrp in-group in-session
}

# a_moment_later - nobody of the target's has started in this clock tick
a_moment_later() {
	until_true later_than "${BORN[in-session]}"
	until_true later_than "${BORN[in-group]}"
}

later_than() { # TICK
	local now
	read -r now _ </proc/uptime
	((${now/./} > $1 + 2))
}

reap() {
	kill -KILL "$T"
	until_true is_zombie target
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	is_gone target || fail 'the picture is wrong: not reaped'
	forget target
}

# go_round - so many processes that each PID of this namespace has been given once
go_round() {
	local before now
	# Where it is not the namespace's own, it is the machine's: then root of a user namespace
	# cannot write it.
	unshare -Ur --pid --fork --mount-proc sh -c 'echo 400 >/proc/sys/kernel/pid_max' ||
		skip 'needs a kernel.pid_max for each PID namespace'
	echo 400 >/proc/sys/kernel/pid_max || fail 'cannot set kernel.pid_max'
	before=$(forks)
	until now=$(forks) && ((now - before > 420)); do
		for _ in {1..30}; do (:); done
	done
}

forks() {
	sed -n 's/^processes //p' /proc/stat
}

# few_forks - as if the system had just been booted; many_forks - as if it had been up for long
few_forks() {
	pretend_forks 50
}

many_forks() {
	pretend_forks 4000000000
}

pretend_forks() { # NUMBER
	sed "s/^processes .*/processes $1/" /proc/stat >stat
	mount --bind stat /proc/stat || skip 'cannot lay a file over /proc/stat'
	[[ $(forks) = "$1" ]] || fail 'the picture is wrong: /proc/stat'
}

# young_file - a pidfile that no stand-in is older than
young_file() {
	echo "$T" >file.pid
	date_file file.pid in-group 60
}

# refuses - nobody can prove anything: where the host's processes are, that is not enough
refuses() {
	run ./file.pid
	status_is 3
	ended
	says_one_sentence
	says "$T" '--trust-pidfile'
	run -n ./file.pid
	status_is 3
	ended
}

stand_ins_end() { # ARGUMENT...
	run "$@"
	status_is 0
	ended in-group in-session
	is_silent
}

# A number that was given by hand is taken at its word.
bare_number() {
	dead_target
	reap
	many_forks
	bystanders
	stand_ins_end "$T"
}

older_than_file() {
	dead_target
	reap
	many_forks
	bystanders
	a_moment_later
	echo "$T" >file.pid
	stand_ins_end ./file.pid
}

trusted() {
	dead_target
	reap
	many_forks
	bystanders
	young_file
	stand_ins_end --trust-pidfile ./file.pid
}

by_fork_counter() {
	dead_target
	reap
	few_forks
	bystanders
	young_file
	stand_ins_end ./file.pid
}

unproven() {
	dead_target
	reap
	many_forks
	bystanders
	young_file
	refuses
}

# The same without a lie: PIDs that have really gone round.
unproven_round() {
	dead_target
	reap
	young_file
	go_round
	bystanders
	refuses
}

# A document tells the start, but nothing of who stands in.
unproven_document() {
	dead_target
	the start in-group
	echo "{\"init_process_pid\":$T,\"init_process_start\":$REPLY}" >file.pid
	date_file file.pid in-group 60
	reap
	many_forks
	bystanders
	refuses
}

older_than_document() {
	dead_target
	a_moment_later
	the start in-group
	echo "{\"init_process_pid\":$T,\"init_process_start\":$REPLY}" >file.pid
	reap
	many_forks
	bystanders
	stand_ins_end ./file.pid
}

# In another mount namespace they are taken, and it ends with them if nobody in it is older.
unproven_elsewhere() {
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid "$@" &' sh "${MNT[@]}" announce -r target sh -c '
		announce in-group & (setsid announce daemon &); exec announce in-target' &
	meet keeper target in-group daemon in-target
	forget in-target
	T=${P[target]}
	reap
	many_forks
	bystanders
	young_file
	run ./file.pid
	status_is 0
	ended in-group daemon
	is_silent
}

# There the file's time says nothing of the birth: an elder's namespace is not the target's, though
# the file is older than the elder.
elder_elsewhere() {
	# shellcheck disable=SC2016 # a script
	setsid "${MNT[@]}" announce elder sh -c 'sleep 0.3 # more than a birth is put earlier by
		keep keeper sh -c "setsid announce target sh -c \"
			announce in-group & exec announce in-target\" &" & exec announce in-elder' &
	meet elder keeper target in-group in-target in-elder
	forget in-target in-elder
	T=${P[target]}
	same mnt elder in-group
	reap
	many_forks
	bystanders
	young_file
	run ./file.pid
	status_is 0
	ended in-group
}

# By the fork counter they are proven, and then the file tells the birth.
founder_by_file() {
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid "$@" &' sh "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); sleep 0.3 # more than a birth is put earlier by
		announce in-group & exec announce in-target' &
	meet keeper target daemon in-group in-target
	forget in-target
	T=${P[target]}
	reap
	few_forks
	bystanders
	young_file
	run ./file.pid
	status_is 0
	ended in-group daemon
}

# ---- a record ----

record() {
	"$NSKILL" --record=file.record "$T" || fail 'cannot record'
}

older_than_record() {
	dead_target
	a_moment_later
	record
	reap
	many_forks
	bystanders
	stand_ins_end ./file.record
}

# ---- another leader ----

# replace alive|gone - everybody in the group and the session ends, and an unrelated leader has the
# number; or had it, and has left two in its group and session
replace() {
	local name
	for name in in-group in-session; do
		kill -KILL "${P[$name]}"
		until_true is_zombie "$name"
	done
	reap
	until_true nobody_is_left
	keep others setpid "$T" setsid sh -c 'announce other-child & announce -g other-in-session &
		announce other-leader & '"$([[ $1 = alive ]] && echo wait)" &
	call maker $!
	[[ $1 = gone ]] || { meet other-child other-in-session other-leader; return; }
	meet other-child other-in-session other-leader others
	kill -USR1 "${P[others]}"
	meet others-reaped
	[[ ! -e /proc/$T ]] || fail 'the picture is wrong: the other leader is there'
}

nobody_is_left() {
	local name
	for name in in-group in-session; do is_gone "$name" || return 1; done
}

reused_leader() { # EVIDENCE
	dead_target
	evidence "$1"
	replace alive
	bystanders
	has session other-child "$T"
	has pgrp other-child "$T"
	run "$EVIDENCE"
	if [[ $1 = pidfile ]]; then
		status_is 3
		says "$T"
	else
		status_is 0
	fi
	ended
}

# evidence FORM - sets EVIDENCE to what names the target, and was written while it was alive
evidence() {
	EVIDENCE=./evidence
	case $1 in
	record) "$NSKILL" --record=evidence "$T" ;;
	state) echo "{\"init_process_pid\":$T,\"init_process_start\":${BORN[target]}}" >evidence ;;
	inode) EVIDENCE=$T:$(pidfd-inode "$T") || skip 'needs a kernel with pidfs' ;;
	pidfile)
		echo "$T" >evidence
		# not after the target, and long enough before whoever comes now
		touch -d "@$(awk -v now="$EPOCHREALTIME" 'BEGIN { printf "%.6f", now - 0.1 }')" \
			evidence
		pause 0.05
		;;
	esac
}

reused_and_gone() { # EVIDENCE
	dead_target
	evidence "$1"
	go_round
	replace gone
	bystanders
	has session other-in-session "$T"
	has pgrp other-child "$T"
	run "$EVIDENCE"
	status_is 3
	ended
	says "$T" '--trust-pidfile'
}

check "user root" "a bare number is taken at its word" bare_number
check "user root" "one who is older than the file speaks for all" older_than_file
check "user root" "--trust-pidfile speaks for all" trusted
check "user root" "so does that less processes have been made than there are PIDs" by_fork_counter
check root "who can prove nothing among the host's processes is left" unproven
check root "so he is when the PIDs have really gone round" unproven_round
check root "so he is when a document tells the target's start" unproven_document
check "user root" "one who is older than the document speaks for all" older_than_document
check "user root" "who can prove nothing in another mount namespace ends with that" \
	unproven_elsewhere
check "user root" "but then the file's time says nothing of the birth" elder_elsewhere
check "user root" "the file's time tells the birth of who is proven" founder_by_file
check "user root" "one who is older than the record speaks for all" older_than_record
for form in record state inode pidfile; do
	check "user root" "an unrelated leader with the number lives with his own, by $form" \
		reused_leader $form
done
for form in record state inode; do
	check root "so do those whom such a leader has left, by $form" reused_and_gone $form
done
finish
