#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# namespaces.sh - every kind of namespace that --match can name falls, or is left alone, by one rule

# shellcheck disable=SC2034 # lib.sh reads STATUS, BEGIN and ARGUMENTS

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 480

KINDS=(pid net ipc uts user time cgroupns)

# of KIND - sets LINK to its name in /proc/PID/ns, MAKE to the command that runs another in one anew
of() {
	local -A options=([pid]='--pid --fork' [time]='--time --fork' [cgroupns]=--cgroup
		[user]='--user --map-root-user')
	local -a option
	KIND=$1
	LINK=$KIND
	case $KIND in
	# That of a process that has not made a new one is the one that it is in.
	pid) LINK=pid_for_children ;;
	cgroupns) LINK=cgroup ;;
	esac
	read -r -a option <<<"${options[$KIND]-"--$KIND"}"
	MAKE=(unshare)
	[[ $TEST_WORLD != plain || $KIND = user ]] || MAKE+=(--user --map-root-user)
	MAKE+=("${option[@]}")
	"${MAKE[@]}" true || skip "needs to make namespaces of the kind $KIND"
}

# started NAME - wait for it; the unshare or nsenter that stays outside of what it made ends first
started() {
	local outer=$!
	meet "$1"
	[[ ${P[$1]} != "$outer" ]] || return 0
	call outer "$outer"
	kill -KILL "$outer"
	wait "$outer" 2>/dev/null
	until_true is_gone outer
	forget outer
}

# make NAME [COMMAND...] - NAME is the first in a new namespace
make() {
	"${MAKE[@]}" setsid announce -p -r "$@" &
	started "$1"
}

# entering_namespace NAME - sets ENTER to the command that runs another in the namespace of NAME
entering_namespace() {
	ENTER=(nsenter --target "${P[$1]}")
	[[ $TEST_WORLD != plain && $KIND != user ]] || ENTER+=(--user --preserve-credentials)
	[[ $KIND = user ]] || ENTER+=("--$LINK")
	ENTER=("${ENTER[@]/pid_for_children/pid}")
}

# goes_in NAME NAME [COMMAND...] - the second is in the namespace of the first, without another tie
goes_in() {
	entering_namespace "$1"
	shift
	setsid "${ENTER[@]}" announce -p -r "$@" &
	started "$1"
}

# beside - bystanders, and one in another namespace of the kind
beside() {
	bystanders
	make other
	different "$LINK" "$1" other near
}

# container NAME - a namespace that NAME has made, with a daemon that has lost every other tie
container() {
	make "$1" sh -c '(setsid announce -p daemon &); exec announce -p in-container'
	meet daemon in-container
	forget in-container
	goes_in "$1" joined
	same "$LINK" "$1" daemon joined
	different pgrp "$1" daemon joined
	different session "$1" daemon joined
	for name in daemon joined; do
		the ppid "$name"
		[[ $REPLY != "${P[$1]}" || $KIND = pid ]] || fail "the picture is wrong: $name is a child"
	done
}

# falls LIST KIND - with that list, everything in the namespace ends
falls() {
	of "$2"
	container target
	beside target
	run -m "$1" "${P[target]}"
	status_is 0
	ended target daemon joined
	is_silent
}

# unasked KIND - without a word of it, the namespace is left alone, and is not spoken of
unasked() {
	of "$1"
	container target
	beside target
	run -v "${P[target]}"
	status_is 0
	# The kernel ends a PID namespace with its init.
	if [[ $KIND = pid ]]; then ended target daemon joined; else ended target; fi
	! grep -Eiq "(pid|network|ipc|uts|user|time|cgroup) namespace" err || fail "it speaks of $KIND"
}

# guest KIND [OPTION...] - a process that has entered a namespace ends alone
guest() {
	of "$1"
	container init
	goes_in init guest sh -c 'announce -p child & exec announce -p in-guest'
	meet child in-guest
	forget in-guest
	same "$LINK" init guest child
	beside init
	run -v -m "+$KIND" "${@:2}" "${P[guest]}"
	status_is 0
	ended guest child
	says "not followed: .* namespace .*: a process in it is older: ${P[init]}"
}

# guest_quietly KIND - of that, nothing is said: no container is left alive
guest_quietly() {
	of "$1"
	container init
	goes_in init guest
	run -m "+$KIND" "${P[guest]}"
	status_is 0
	ended guest
	is_silent
}

# elder KIND - one who is older than the target has entered what the target has made
elder() {
	of "$1"
	mkfifo go
	# shellcheck disable=SC2016 # a script
	setsid announce elder sh -c 'read -r enter <go; exec $enter announce -p entered' &
	meet elder
	pause 0.03
	container target
	entering_namespace target
	echo "${ENTER[*]}" >go
	meet entered
	forget elder
	same "$LINK" target entered
	# shellcheck disable=SC2154 # keys, of a list that lib.sh declares
	((BORN[entered] < BORN[target])) || fail 'the picture is wrong: not older'
	beside target
	run -v -m "+$KIND" "${P[target]}"
	status_is 0
	ended target
	says "not followed: .* namespace .*: a process in it is older: ${P[entered]}"
}

# nskill_inside KIND - nskill is in the namespace, but not below the target
nskill_inside() {
	of "$1"
	container target
	beside target
	entering_namespace target
	under "${ENTER[@]}"
	run -v -m "+$KIND" "${P[target]}"
	status_is 0
	ended target
	says 'not followed: .* namespace .*: nskill itself is in it'
}

# shared [OPTION...] - the target is in no namespace that nskill, and who stands beside, are not in
shared() {
	setsid announce target &
	meet target
	bystanders
	for kind in pid_for_children net ipc uts user time cgroup; do same "$kind" target near apart; done
	run "$@" "${P[target]}"
	status_is 0
	ended target
}

# home KIND - the target is in PID 1's namespace; nskill, which has no other ancestor, is not
home() {
	of "$1"
	setsid announce target &
	setsid announce older &
	meet target older
	bystanders
	snapshot BEFORE
	# shellcheck disable=SC2016 # a script
	setsid sh -c '(announce runner "$@" &)' sh sh -c '"$@" >out 2>err; echo $? >status' sh \
		"${MAKE[@]}" "$NSKILL" -v -m "+$KIND" "${P[target]}"
	meet runner
	until_true is_gone runner
	STATUS=$(<status)
	snapshot AFTER
	status_is 0
	ended target
	if [[ $TEST_WORLD = plain || $KIND = user ]]; then
		says 'not followed: .* namespace: this user may not look at it'
	else
		says "not followed: .* namespace .*: (PID 1 is in it|it is the host's)"
	fi
}

# unreadable KIND - who may not be looked at is in no namespace, whoever he shares one with
unreadable() {
	of "$1"
	setsid announce -d target &
	setsid announce -d stranger &
	meet target stranger
	! readlink "/proc/${P[target]}/ns/${LINK%_*}" || fail 'the picture is wrong: a readable link'
	bystanders
	run -v -m "+$KIND" "${P[target]}"
	status_is 0
	ended target
	says 'could not be inspected: [1-9]'
}

# made_by_root KIND - the target is an ordinary user's, but its namespace is root's
made_by_root() {
	local -a to_user=("${AS_OTHER_USER[@]}")
	make_readable
	of "$1"
	PATH=$HELPERS:$PATH
	# Root's user namespace has that user, too.
	if [[ $KIND = user ]]; then
		mkfifo go
		MAKE=(unshare --user --keep-caps)
		# shellcheck disable=SC2016 # a script
		to_user=(sh -c 'read -r _ <go; exec "$@"' sh "${to_user[@]}")
	fi
	setsid "${MAKE[@]}" "${to_user[@]}" announce target sh -c '
		(setsid announce -p daemon &); exec announce -p in-target' &
	[[ $KIND != user ]] || map_other_user "$!"
	started target
	meet daemon in-target
	forget in-target
	same "$LINK" target daemon
	beside target
	under "${AS_OTHER_USER[@]}"
	run -v -m "+$KIND" "${P[target]}"
	status_is 0
	ended target
	# The kernel shows nobody what is in a user namespace that he does not rule.
	if [[ $KIND = user ]]; then
		says 'not followed: user namespace: this user may not look at it'
	else
		says 'not followed: .* namespace .*: it was not made by the caller'
	fi
}

# map_other_user PID - into the user namespace that it makes
map_other_user() {
	until_true in_another_user_namespace "$1"
	echo "$OTHER_USER $OTHER_USER 1" >"/proc/$1/uid_map"
	echo "$OTHER_USER $OTHER_USER 1" >"/proc/$1/gid_map"
	echo >go
}

in_another_user_namespace() { # PID
	[[ $(readlink "/proc/$1/ns/user") != "$(readlink /proc/self/ns/user)" ]]
}

# leaves KIND - what a target has left, that is gone, is found through those who bear its number
leaves() {
	of "$1"
	make target sh -c '(announce -p orphan & setsid announce -p daemon &); exec announce -p in-target'
	meet orphan daemon in-target
	forget in-target
	same "$LINK" target orphan daemon
	same pgrp target orphan
	different pgrp target daemon
	kill -KILL "${P[target]}"
	until_true is_gone target
	beside orphan
	run -m "+$KIND" "${P[target]}"
	status_is 0
	ended orphan daemon
}

# sandbox KIND - what is in a namespace that is not the target's own, which has not fallen
sandbox() {
	local -a ends=(target inner)
	of "$1"
	setsid announce target sh -c "${MAKE[*]} announce -p inner & exec announce in-target" &
	meet target inner in-target
	forget in-target
	the ppid inner
	if [[ $REPLY != "${P[target]}" ]]; then
		call between "$REPLY"
		ends+=(between)
	fi
	goes_in inner joined
	same "$LINK" inner joined
	# The kernel ends a PID namespace with its init.
	[[ $KIND != pid ]] || ends+=(joined)
	beside inner
	run -v -m "+$KIND" "${P[target]}"
	status_is 0
	ended "${ends[@]}"
	says 'not followed: .* namespace .*: the target.s own .* namespace is not followed'
}

# waits - nskill sleeps in epoll
waits() {
	local call
	read -r call _ <"/proc/$NSKILL_PID/syscall" 2>/dev/null || return 1
	[[ $call = 232 || $call = 281 || $call = 22 ]]
}

# on_exit KIND - the namespace is the target's when that has ended by itself
on_exit() {
	of "$1"
	container target
	beside target
	ARGUMENTS=(--on-exit -m "+$KIND" "${P[target]}")
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	"$NSKILL" "${ARGUMENTS[@]}" >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	until_true waits
	kill -KILL "${P[target]}"
	finish_wait
	status_is 0
	ended target daemon joined
	is_silent
}

# looks_at LIST NAME... - with that list, these links of namespaces are read, and no others
looks_at() {
	local list=$1
	shift
	type -P strace >/dev/null || skip 'needs strace'
	of net
	make target sh -c '(announce -p orphan &); exec announce -p in-target'
	meet orphan in-target
	forget in-target
	bystanders
	no_leak_check
	under strace -f -o trace -e trace=openat,open,readlink,readlinkat
	run ${list:+-m "$list"} "${P[target]}"
	status_is 0
	ended target orphan
	grep -Eo '/ns/[a-z_]+' trace | sort -u | sed 's,/ns/,,' >looked
	printf '%s\n' "$@" | cmp - looked || fail "it has looked at $(<looked)"
}

# A container with a PID namespace: its init, a daemon, one that has come from outside, and a job.
container_and_job() {
	of pid
	setsid announce job sh -c 'announce -p child & exec announce in-job' &
	meet job child in-job
	forget in-job
	container init
	beside init
}

init_in_order() {
	container_and_job
	run -n -m +pid "${P[job]}" "${P[init]}"
	status_is 0
	ended
	read -r -d '' -a REPLY <<<"$(ranked out)"
	[[ ${REPLY[0]} = "${P[init]}" && ${REPLY[1]} = "${P[job]}" ]] || fail 'the init is not first'
	((${#REPLY[@]} == 5)) || fail 'not five are listed'
	run -v -m +pid "${P[job]}" "${P[init]}"
	status_is 0
	ended job child init daemon joined
	grep -Em 1 'KILL' err | grep -qw "${P[init]}" || fail 'the init was not the first to get KILL'
}

for kind in "${KINDS[@]}"; do
	check "user plain root" "what has only the $kind namespace of the target ends with it" \
		falls "+$kind" "$kind"
	check user "and when no other tie is followed, by $kind alone" falls "$kind" "$kind"
	check user "and when all are, by $kind" falls all "$kind"
	check "user plain" "--match must ask for $kind" unasked "$kind"
	check "user plain root" "a guest in a $kind namespace ends alone" guest "$kind"
	check user "a guest in a $kind namespace ends alone even with --all" guest "$kind" --all
	check user "nothing is said of the $kind namespace that a guest was in" guest_quietly "$kind"
	check "user plain" "the $kind namespace of a target inside is not its own" sandbox "$kind"
	check "user plain" "after a target that ended by itself, its $kind namespace falls" \
		on_exit "$kind"
	check plain "$kind namespaces that cannot be read are not the same" unreadable "$kind"
	# PID namespaces: an older process cannot enter one, with their init they end, and all see PID 1.
	[[ $kind != pid ]] || continue
	check "user plain root" "an older process that entered the $kind namespace keeps it" \
		elder "$kind"
	check "user plain root" "nskill in the $kind namespace keeps it" nskill_inside "$kind"
	check "user plain root" "the $kind namespace that PID 1 is in does not fall" home "$kind"
	check "user plain" "stand-ins of a dead target lead to its $kind namespace" leaves "$kind"
	check root "a $kind namespace that root has made does not fall for a user" made_by_root "$kind"
done
check "user plain" "without --match no other namespaces than mnt are looked at" looks_at '' mnt
check "user plain" "mount namespaces are looked at where mnt is left out, too" looks_at -mnt mnt
check user "those that are asked for are looked at, and no others" looks_at +net,+time mnt net time
check user "when all are asked for, all are looked at" \
	looks_at all cgroup ipc mnt net pid time user uts
check "user plain root" "the namespaces that nskill is in do not fall, whatever is followed" \
	shared -m all
check "user plain root" "not even with --all" shared --all -m all
check "user plain root" "the init of a PID namespace is killed before all others" init_in_order
finish
