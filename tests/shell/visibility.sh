#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# visibility.sh - nskill where it can see, pin or signal only some

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# A PID 1 whose namespaces an ordinary user cannot read, even if it is his own: a program that may
# not be read is not dumpable. The script is there to lose the capabilities of who makes namespaces.
if [[ -z ${TEST_NUMBER-} ]]; then
	mkdir "$WORK/secretive"
	find "$HELPERS" -maxdepth 1 -type f -perm -u+x -exec cp {} "$WORK/secretive/" \;
	HELPERS=$WORK/secretive
	mv "$HELPERS/init" "$HELPERS/secretive-init"
	chmod 111 "$HELPERS/secretive-init"
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$HELPERS/secretive-init" >"$HELPERS/init"
	chmod 755 "$HELPERS" "$HELPERS/init"
fi

# job - a target with a child and a daemon in a mount namespace of their own
job() {
	setsid "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); announce child & exec announce in-target' &
	meet target daemon child in-target
	forget in-target
	until_true has_no_parent daemon
	bystanders
	T=${P[target]}
}

# with_proc OPTIONS [COMMAND...] - nskill runs with a /proc that was mounted so
with_proc() {
	# shellcheck disable=SC2016 # a script
	under unshare --mount sh -c 'mount -t proc -o "$1" proc /proc || exit 77
		shift
		exec "$@"' sh "$@"
}

# run_there ARGUMENT...
run_there() {
	run "$@"
	[[ $STATUS != 77 ]] || skip 'the kernel does not mount /proc so'
}

# ---- hidepid ----

# Another user's process is not there to be read, though it can be pinned.
hidden() { # OPTION...
	make_readable
	job
	with_proc hidepid=2 "${AS_OTHER_USER[@]}"
	run_there "$@" "$T"
	status_is 3
	ended
	says_one_sentence
	says "$T" 'cannot be inspected'
	echo "$T" >file.pid
	chmod 644 file.pid
	run "$@" ./file.pid
	status_is 3
	ended
	says "$T"
}

# The same user's that is not dumpable; for who may read everything but it.
hidden_own() {
	bystanders
	setsid announce -d secret &
	meet secret
	with_proc hidepid=4 setpriv --bounding-set=-all --inh-caps=-all
	run_there "${P[secret]}"
	status_is 3
	ended
	says_one_sentence
	says "${P[secret]}" 'cannot be inspected'
}

# What can be seen ends; who is hidden in the group is not seen, and is not touched.
hidden_members() {
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/announce" foreign & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" -r target sh -c '"$HELPERS/announce" child &
			exec "$HELPERS/announce" in-target' &
	meet foreign target child in-target
	forget in-target
	same pgrp foreign target child
	bystanders
	with_proc hidepid=2 "${AS_OTHER_USER[@]}"
	run_there "${P[target]}"
	[[ $STATUS = [04] ]] || fail "exit status $STATUS"
	ended target child
}

# foreign_member - who may be seen but not read is in the group of an ordinary user's target
foreign_member() {
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/announce" foreign & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" target &
	meet foreign target
	same pgrp foreign target
	bystanders
	with_proc hidepid=1 "${AS_OTHER_USER[@]}"
}

# He is in the group all the same, and it is said that he is left.
closed_member() {
	foreign_member
	run_there "${P[target]}"
	status_is 4
	ended target
	says "${P[foreign]}, which may not be read"
}

# That he will be is said before; nothing is made up of him, and a plan he is in can be carried out.
closed_in_plan() {
	foreign_member
	run_there -n "${P[target]}"
	lists "^left alone: ${P[foreign]}, which may not be read: may not be signalled"
	run_there -n -J "${P[target]}"
	jq -e --argjson pid "${P[foreign]}" '.processes[] | select(.pid == $pid) |
		[.start_ticks, .ppid, .uid, .identity] == [null, null, null, null]' out ||
		fail 'something is made up of him'
	cp out plan
	chmod 644 plan
	run_there --plan=plan
	status_is 0
	ended target
}

see_all() { # OPTIONS
	job
	with_proc "$1"
	run_there "$T"
	status_is 0
	ended target child daemon
}

# ---- only processes in /proc ----

subset() {
	job
	with_proc subset=pid
	run_there "$T"
	if [[ $STATUS = 5 ]]; then
		says_one_sentence
		says '/proc'
		ended
	else
		status_is 0
		ended target child daemon
	fi
}

# There is no boot id to compare: that is no reason to take another boot's record for one of ours.
subset_record() {
	local boot
	job
	"$NSKILL" --record=file.record "$T" || fail 'cannot record'
	boot=$(</proc/sys/kernel/random/boot_id)
	sed -i "s/$boot/01234567-89ab-cdef-0123-456789abcdef/" file.record
	with_proc subset=pid
	run_there ./file.record
	[[ $STATUS = [035] ]] || fail "exit status $STATUS"
	ended
	run --record=other.record "$T"
	status_is 5
	ended
	[[ ! -e other.record ]] || fail 'a record without a boot'
}

# Of another user's process the record is good for what could be read of it, and for no more.
blind_record() {
	job
	make_readable
	mkdir -m 777 folder
	under "${AS_OTHER_USER[@]}"
	run --record=folder/record "$T"
	status_is 4
	ended
	says_one_sentence
	says "^nskill: the record of $T \(announce\), .* lacks its mount namespace"
	jq -e --argjson pid "$T" '.pid == $pid and .mount_namespaces == []' folder/record ||
		fail 'no record'
}

# Before the kill it is told, too, of whom it will not be.
foretold() {
	job
	make_readable
	under "${AS_OTHER_USER[@]}"
	run -n "$T"
	status_is 1
	lists "^ *$T +[0-9]+ root " "^left alone: $T \(announce\), .*: may not be signalled" \
		'^processes that would get KILL: 0$'
	run -n -J "$T"
	status_is 1
	jq -e '.result == "nothing" and .processes[0].outcome == "listed" and
		.processes[0].error == "Operation not permitted"' out ||
		fail 'the document says something else'
	run "$T"
	status_is 4
	ended
}

# ---- PID 1, and others whose namespaces cannot be read ----

secretive_init() {
	! readlink /proc/1/ns/mnt || fail 'the picture is wrong: PID 1 can be read'
	job
	run "$T"
	status_is 0
	ended target child daemon
	is_silent
	run 1
	status_is 3
	ended
}

# A target in the namespace that everybody is in.
secretive_init_at_home() {
	setsid announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	bystanders
	run --all "${P[target]}"
	status_is 0
	ended target child
}

# secrets - who cannot be inspected is counted, and is nobody's
secrets() {
	local count
	for name in one two three; do setsid announce -d secret-$name & done
	meet secret-one secret-two secret-three
	! readlink "/proc/${P[secret-one]}/ns/mnt" || fail 'the picture is wrong: can be read'
	job
	count=$(for process in /proc/[0-9]*; do
		readlink "$process/ns/mnt" >/dev/null || echo "$process"
	done 2>/dev/null | wc -l)
	((count >= 3)) || fail "the picture is wrong: $count"
	run -n "$T"
	status_is 0
	ended
	cat err >>out
	lists "inspected: $count\$|$count .*inspected"
	run -v "$T"
	status_is 0
	ended target child daemon
	cat out >>err
	says "inspected: $count\$|$count .*inspected"
}

# One in the target's own group that cannot be inspected is a member by that all the same.
secret_member() {
	setsid announce -r target sh -c 'announce -d secret & announce child &
		exec announce in-target' &
	meet target secret child in-target
	forget in-target
	bystanders
	run "${P[target]}"
	status_is 0
	ended target secret child
}

# Two that are unknown are not the same.
secret_target() {
	setsid announce -d target &
	setsid announce -d other &
	meet target other
	bystanders
	run --all "${P[target]}"
	status_is 0
	ended target
}

# ---- sandboxes ----

denied_pin() { # ERRNO
	job
	under deny pidfd_open "$1"
	run "$T"
	status_is 5
	ended
	says_one_sentence
	says 'pidfd_open'
	echo "$T" >file.pid
	run ./file.pid
	status_is 5
	ended
	run --record=file.record "$T"
	status_is 5
	ended
	[[ ! -e file.record ]] || fail 'recorded all the same'
}

# As AppArmor refuses: that is not what kill(2) is documented to fail with.
denied_signals() { # ERRNO [OPTION...]
	local error=$1
	shift
	job
	under balk signals "$error"
	run "$@" "$T"
	status_is 4
	ended
	says "$T" "${P[child]}" "${P[daemon]}"
	((ELAPSED < 5000)) || fail 'has waited for what it could not signal'
}

denied_dead() {
	bystanders
	true &
	wait $!
	under balk signals EACCES
	run $!
	status_is 0
	ended
}

check root "hidepid=2: another user's process is refused" hidden
for option in --dry-run --all --trust-pidfile; do
	check root "so it is with $option" hidden $option
done
check "user root" "a process that is hidden for another reason is refused" hidden_own
check root "hidepid=2: who can be seen ends" hidden_members
check root "hidepid=1: who may not be read is a member by his group, and is left" closed_member
check root "hidepid=1: who will be left is told of, and no more than is known" closed_in_plan
for options in hidepid=1 hidepid=2; do
	check "user root" "$options is no matter to who may see all" see_all $options
done
check "user root" "subset=pid: the target ends, or nskill says what it lacks" subset
check "user" "subset=pid: another boot's record names nobody" subset_record
check root "--dry-run tells who may not be signalled" foretold
check root "4: what may not be looked at is missing in the record, and that is said" blind_record
check plain "PID 1 cannot be inspected: no matter" secretive_init
check plain "PID 1 cannot be inspected: nobody ends but the target" secretive_init_at_home
check plain "--verbose and --dry-run say how many could not be inspected" secrets
check "user plain" "who cannot be inspected is a member by group" secret_member
check "user plain" "who cannot be inspected shares no namespace with another such" secret_target
for error in EPERM ENOSYS; do
	check "user plain" "5: a pidfd_open that fails with $error" denied_pin $error
done
for error in EACCES EPERM; do
	check "user plain" "4: a signal that is refused with $error" denied_signals $error
	check user "4: TERM that is refused with $error" denied_signals $error -s TERM
	check user "4: a stop that is refused with $error" denied_signals $error -m tree,mnt
done
check user "who is dead need not be signalled" denied_dead
finish
