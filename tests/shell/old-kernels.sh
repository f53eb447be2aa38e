#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# old-kernels.sh - what newer kernels have, or some do without, is missing: one at a time, and all
#
# Everything ends all the same. Only without pidfd_open or pidfd_send_signal nothing is done.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 240

# Linux 5.8 has the mount of statx, 5.9 close_range, 5.12 tells of a file's owner that he has ended,
# 6.9 has the group signal and inodes of pidfds (which are told by fstatfs), 6.11 the ioctls, 6.14
# handles of pidfds. CONFIG_PROC_CHILDREN makes the "children" files.
STAND_INS=(none group-signal pidfd-ioctl mnt-id new-ioctl close_range inodes children statx
	owned-group handles no-loadavg other-loadavg all)

# without STAND_IN - nskill runs on a kernel like that
without() {
	local access=access way faults=()
	inject 'access@0=EIO' -- true 2>/dev/null || access=faccessat
	case $1 in
	all)
		for way in group-signal pidfd-ioctl mnt-id close_range inodes statx \
			owned-group handles; do
			deny_as "$way"
		done
		;;
	*) deny_as "$1" ;;
	esac
	case $1 in
	children | all) faults+=("$access:/children@1+=ENOENT" 'openat:/children@1+=ENOENT') ;;
	esac
	case $1 in
	no-loadavg | all) faults+=('openat:/proc/loadavg@1+=ENOENT') ;;
	esac
	[[ -z ${faults-} ]] || WITHOUT+=(inject "${faults[@]}" --)
	[[ $1 != other-loadavg ]] || lay_over_loadavg
	[[ $1 = none ]] || "${WITHOUT[@]}" true || skip "cannot do without $1 here"
	under "${WITHOUT[@]}"
}

deny_as() { # STAND_IN
	case $1 in
	group-signal | owned-group) WITHOUT+=(deny "$1" EINVAL) ;;
	pidfd-ioctl | mnt-id | new-ioctl) WITHOUT+=(deny "$1" ENOTTY) ;;
	handles) WITHOUT+=(deny name_to_handle_at EOPNOTSUPP) ;;
	close_range | statx) WITHOUT+=(deny "$1" ENOSYS) ;;
	inodes) WITHOUT+=(deny fstatfs ENOSYS) ;;
	esac
}

# As lxcfs does, with a last PID that is of another namespace.
lay_over_loadavg() {
	echo '0.00 0.00 0.00 1/1 7' >loadavg
	# shellcheck disable=SC2016 # a script
	WITHOUT+=(unshare --mount sh -c 'mount --bind "$1" /proc/loadavg || exit 77; shift
		exec "$@"' sh "$TEST_DIR/loadavg")
}

# job - a target with a child, a child that left its session, an orphan that did so, and bystanders
job() {
	setsid "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); setsid announce aside & announce child &
		exec announce in-target' &
	disown
	meet target daemon aside child in-target
	forget in-target
	until_true has_no_parent daemon
	T=${P[target]}
}

whole() {
	job
	run -n -o PID,USER,ARGS "$T"
	status_is 0
	lists "^ *$T root +announce in-target"
	run "$T"
	status_is 0
	ended target daemon aside child
	is_silent
	forget target daemon aside child
}

# One that is dead: unreaped, and gone.
dead() {
	keep keeper sh -c 'setsid unshare --mount announce target sh -c "
		(setsid announce daemon &); announce child & exec announce in-target" &' &
	call keeping $!
	meet keeper target daemon child in-target
	forget in-target
	T=${P[target]}
	kill -KILL "$T"
	until_true is_zombie target
	if [[ $1 = gone ]]; then
		kill -USR1 "${P[keeper]}"
		meet keeper-reaped
		is_gone target || fail 'the picture is wrong: not reaped'
	fi
	run "$T"
	status_is 0
	ended daemon child
	forget keeper keeper-reaped keeping target daemon child
}

# One that does nothing but fork and exit, in the target's group.
forking() {
	local folder
	setsid sh -c 'hop group hops & exec announce target' &
	disown
	meet target
	until_true test -s hops
	timeout --foreground -s KILL 20 "${VIA[@]}" "$NSKILL" "${P[target]}" 9>&- >out 2>err
	STATUS=$?
	status_is 0
	for folder in /proc/[0-9]*; do
		[[ $(<"$folder/comm") != hop ]] || ! is_alive "${folder##*/}" ||
			fail "a hop is alive: $folder"
	done 2>/dev/null
	forget target
	rm hops
}

recorded() {
	job
	run --record=file.record "$T"
	status_is 0
	ended
	kill -KILL "$T" "${P[child]}"
	until_true is_gone target
	until_true is_gone child
	run ./file.record
	status_is 0
	ended daemon aside
	forget target daemon aside child
	rm file.record
}

escalated() {
	setsid "${MNT[@]}" announce -r target sh -c '
		trap "" TERM; (setsid announce daemon &); announce child & exec announce in-target' &
	meet target daemon child in-target
	forget in-target
	run -s TERM -k 0.2 "${P[target]}"
	status_is 0
	ended target daemon child
	forget target daemon child
}

outlived() {
	local waiter
	job
	snapshot BEFORE
	timeout --foreground -s KILL 20 "${VIA[@]}" "$NSKILL" -v --on-exit "$T" >out 2>err 9>&- &
	waiter=$!
	until_true grep -q 'waiting for the end' err
	kill -KILL "$T"
	wait "$waiter"
	# shellcheck disable=SC2034 # for lib.sh
	STATUS=$?
	status_is 0
	snapshot AFTER
	ended target daemon aside child
	forget target daemon aside child
}

# Less descriptors than there are members.
few_descriptors() {
	setsid announce target sh -c 'crowd child 40 & exec announce in-target' &
	meet target child in-target
	forget in-target
	# shellcheck disable=SC2016 # a script
	under "${WITHOUT[@]}" sh -c 'ulimit -n 24 && exec "$@"' sh
	run "${P[target]}"
	status_is 0
	! is_alive "${P[target]}" || fail 'target is alive'
	! pgrep -x crowd -r R,S,D,T || fail 'some of its children are alive'
	! pgrep -s "${P[target]}" -r R,S,D,T || fail 'some of its session are alive'
	under "${WITHOUT[@]}"
	forget target child
}

missing() { # STAND_IN
	WITHOUT=()
	bystanders
	without "$1"
	whole
	dead unreaped
	dead gone
	forking
	recorded
	escalated
	outlived
	few_descriptors
	for name in near apart sandbox; do
		is_alive "${P[$name]}" || fail "$name is dead"
	done
}

# ---- what cannot be done without ----

nothing_done() { # CALL ERRNO
	WITHOUT=()
	bystanders
	job
	deny "$@" true || skip 'needs seccomp'
	under deny "$@"
	for options in '' -n '-s TERM' '-m tree' --on-exit --record=file.record; do
		# shellcheck disable=SC2086 # words
		run $options "$T"
		status_is 5
		ended
		says_one_sentence
	done
	[[ ! -e file.record ]] || fail 'recorded all the same'
}

for stand_in in "${STAND_INS[@]}"; do
	check "user root" "everything ends on a kernel without: $stand_in" missing "$stand_in"
done
for error in ENOSYS EPERM; do
	check "user plain" "5: without pidfd_open ($error) nothing is done" \
		nothing_done pidfd_open $error
	check "user plain" "5: without pidfd_send_signal ($error) nothing is done" \
		nothing_done pidfd_send_signal $error
done
finish
