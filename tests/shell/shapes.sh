#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shapes.sh - whatever shape a job has, all of it ends, and what stands beside it lives

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# container COMMAND... - run it as the first process of a new session and mount namespace
container() {
	setsid "${MNT[@]}" "$@" &
}

# would_end NUMBER - so many are listed: --dry-run looks once, at those alone who can matter
would_end() {
	run -n "${P[target]}"
	status_is 0
	lists "^processes that would get KILL: $1\$"
	ended
}

# ends NAME... - nskill of `target` ends exactly these, all that there are, and keeps quiet
ends() {
	meet "$@"
	bystanders
	would_end $#
	run "${P[target]}"
	status_is 0
	ended "$@"
	is_silent
}

shape_list() {
	container announce target sh -c 'true; announce b; true'
	meet target b
	has ppid b "${P[target]}"
	ends target b
}

shape_background() {
	container announce target sh -c 'announce a & announce b & wait'
	ends target a b
}

shape_subshell() {
	container announce target sh -c '(announce a; true); true'
	meet target a
	the ppid a
	call subshell "$REPLY"
	has ppid subshell "${P[target]}"
	ends target subshell a
}

shape_pipeline() {
	container announce target sh -c 'announce a | announce b | announce c'
	ends target a b c
}

shape_exec() {
	container announce target
	ends target
}

shape_setsid() {
	container announce target sh -c 'setsid announce detached & announce a & wait'
	meet target detached a
	different session target detached
	ends target detached a
}

shape_orphan() {
	container announce target sh -c '(announce a & announce b &); exec announce here'
	meet target a b here
	until_true has_no_parent a
	until_true has_no_parent b
	same pgrp target a b
	forget here
	ends target a b
}

shape_daemon() {
	container announce -r target sh -c '(setsid announce daemon &); exec announce here'
	meet target daemon here
	until_true has_no_parent daemon
	different session target daemon
	different pgrp target daemon
	same mnt target daemon
	forget here
	ends target daemon
}

shape_sandbox() {
	container announce -r target sh -c '
		unshare --mount announce -r inner sh -c "
			(setsid announce daemon &); exec announce in" &
		exec announce out'
	meet target inner daemon in out
	until_true has_no_parent daemon
	different session daemon target inner
	different mnt target inner
	same mnt inner daemon
	forget in out
	ends target inner daemon
}

shape_bare() {
	setsid announce target sh -c 'announce a & setsid announce detached & exec announce here' &
	meet target a detached here
	the mnt target
	[[ $REPLY = "$(readlink /proc/self/ns/mnt)" ]] || fail 'the picture is wrong'
	forget here
	ends target a detached
}

# many MEMBERS - half of them children of the target, half orphans of its group
many() {
	local members=$1 pid
	container announce target sh -c "(crowd lost $((members / 2)) &)
		exec crowd here $((members - members / 2))"
	meet target lost here
	until_true has_no_parent lost
	kill -KILL "${P[lost]}"
	until_true is_gone lost
	forget lost here
	bystanders
	would_end $((members + 1))
	run "${P[target]}"
	status_is 0
	is_silent
	((${#BEFORE[@]} - ${#AFTER[@]} == members + 1)) ||
		fail "$((${#BEFORE[@]} - ${#AFTER[@]})) have ended, not $((members + 1))"
	for pid in near apart sandbox; do
		[[ -n ${AFTER[${P[$pid]}]-} ]] || fail "$pid is dead"
	done
}

# called COMM - both the target and an orphan of its group have that name
called() {
	# shellcheck disable=SC2016 # a script
	container announce target sh -c '(comm orphan "$1" &); exec comm named "$1"' sh "$1"
	meet target orphan named
	until_true has_no_parent orphan
	forget named
	bystanders
	run -n "${P[target]}"
	status_is 0
	ended
	lists_exactly target orphan
	is_plain_text out
	forget near apart sandbox
	ends target orphan
}

# wild_in_messages - a survivor's name is as tame in a diagnostic as in the listing
wild_in_messages() {
	# shellcheck disable=SC2016 # a script
	setsid sh -c 'trap "" TERM; exec comm target "$1"' sh $'x\ny\e[31m\a' &
	meet target
	run -v -s TERM -t 0.1 "${P[target]}"
	status_is 124
	says "${P[target]}"
	is_plain_text out err
	! grep -q '^y' err || fail 'a newline of the name is in the messages'
}

check "user plain" "of 'a; b' the shell and b end" shape_list
check "user plain root" "of 'a & b & wait' the shell and both jobs end" shape_background
check "user plain" "of '(a)' the shell, the subshell and a end" shape_subshell
check "user plain" "of 'a | b | c' the shell and the whole pipeline end" shape_pipeline
check "user plain" "a lone exec ends" shape_exec
check "user plain root" "a child that has called setsid ends" shape_setsid
check "user plain" "orphans in the target's group end" shape_orphan
check "user plain root" "a daemon forked twice, in its own session, ends by its mount namespace" \
	shape_daemon
check "user plain root" "a daemon in a sandbox inside the sandbox ends" shape_sandbox
check "user plain bare" "a job in nskill's own mount namespace ends, the namespace does not fall" \
	shape_bare
check "user plain" "500 members end, children and orphans" many 500
check "user plain" "a process called ') R 1 (' ends and is listed on one line" called ') R 1 ('
check "user plain" "a process with newline and escape in its name is listed in plain text" \
	called $'a\nb\e[31m\177\r'
check "user" "a name with newline and escape is plain text in messages too" wild_in_messages
finish
