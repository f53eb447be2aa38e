#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# runtimes.sh - what the real runtimes write down of a container names it: runc's state.json, crun's
# status, and what `state` prints; before and after `kill`, before and after `delete`

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

ID=nskill-test

bundle() {
	local user group
	user=$(id -u)
	group=$(id -g)
	[[ $RUNTIME != crun || $TEST_WORLD != plain ]] || user=0 group=0 # see runtime()
	rootless_bundle "$user" "$group"
}

# runtime ARGUMENT... - crun wants cgroup2, alone: it gets a mount namespace where that is so
runtime() {
	local alone=(unshare --mount)
	if [[ $RUNTIME = runc ]]; then
		timeout --foreground -s KILL 10 runc --root "$PWD/state" "$@"
		return
	fi
	[[ $TEST_WORLD = root ]] || alone+=(--cgroup)
	[[ $TEST_WORLD != plain ]] || alone+=(--map-root-user)
	# shellcheck disable=SC2016 # a script
	timeout --foreground -s KILL 10 "${alone[@]}" sh -c '
		mount -t cgroup2 none /sys/fs/cgroup || exit 77
		exec crun --root "$0" --cgroup-manager=disabled "$@"' "$PWD/state" "$@"
}

# container RUNTIME - its first process has a child in its group, and one that has called setsid
container() {
	RUNTIME=$1
	type -P "$RUNTIME" >/dev/null || skip "needs $RUNTIME"
	mkdir state
	bundle
	export XDG_RUNTIME_DIR=$PWD
	export -f runtime
	export RUNTIME TEST_WORLD
	# `keep` becomes the parent of the container's first process.
	# shellcheck disable=SC2016 # a script
	keep keeper bash -c 'runtime run --detach --pid-file init.pid "$1" >output 2>&1 </dev/null
		echo $? >status' bash "$ID" &
	meet keeper
	[[ $(<status) != 77 ]] || skip 'crun wants cgroup2, and it cannot be mounted'
	[[ $(<status) = 0 ]] || { cat output; fail "$RUNTIME run has failed"; }
	call init "$(<init.pid)"
	until_true find_children
	different session init detached
	same pgrp init group
	same mnt init group detached
	bystanders
	setsid announce twin sleep 7777 &
	meet twin
	case $RUNTIME in
	runc) STATE=state/$ID/state.json ;;
	crun) STATE=state/$ID/status ;;
	esac
	[[ -f $STATE ]] || fail "the picture is wrong: no $STATE"
}

# find_children - the two that the container's first process has started
find_children() {
	local child children words
	read -r -a children <"/proc/${P[init]}/task/${P[init]}/children"
	for child in "${children[@]}"; do
		mapfile -d '' words <"/proc/$child/cmdline"
		case "${words[*]}" in
		'sleep 7777') call detached "$child" ;;
		'sleep 8888') call group "$child" ;;
		esac
	done
	mapfile -d '' words <"/proc/${P[init]}/cmdline"
	[[ -n ${P[group]-} && -n ${P[detached]-} && ${words[*]} = 'sleep 9999' ]]
}

kill_init() {
	runtime kill "$ID" KILL || fail "$RUNTIME kill has failed"
	until_true is_zombie init
}

reap_init() {
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	is_gone init || fail 'the first process is not reaped'
	for child in group detached; do
		is_alive "${P[$child]}" || skip "this $RUNTIME leaves no process behind"
	done
}

delete() {
	runtime delete -f "$ID" >/dev/null 2>&1
	[[ ! -e state/$ID ]] || fail "$RUNTIME delete has left its state"
}

takes() { # FILE NAME...
	local file=$1
	shift
	run "$file"
	status_is 0
	ended "$@"
	is_silent
	run "$file"
	status_is 0
	ended
}

by_state_file() { # RUNTIME running|killed|reaped|deleted
	container "$1"
	cp "$STATE" copy
	case $2 in
	running)
		takes "$STATE" init group detached
		return
		;;
	deleted)
		kill_init
		delete
		reap_init
		takes ./copy group detached
		return
		;;
	killed) kill_init ;;
	reaped)
		kill_init
		reap_init
		;;
	esac
	takes "$STATE" group detached
}

by_record() { # RUNTIME
	container "$1"
	run --record=file.record "$STATE"
	status_is 0
	ended
	is_silent
	kill_init
	delete
	reap_init
	kill -KILL "${P[group]}" # the number leads nowhere any more
	until_true is_over group
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	takes ./file.record detached
}

is_over() { # NAME
	! is_alive "${P[$1]}"
}

by_oci_state() { # RUNTIME
	container "$1"
	runtime state "$ID" >oci || fail "$RUNTIME state has failed"
	# shellcheck disable=SC2016 # a script
	under sh -c 'cat oci | "$0" "$@"'
	takes - init group detached
}

# After `kill` it tells the PID 0, though there are children: that names nobody.
by_oci_state_of_stopped() { # RUNTIME
	container "$1"
	kill_init
	runtime state "$ID" >oci || fail "$RUNTIME state has failed"
	grep -Eq '"pid": *0,' oci || skip "this $RUNTIME tells another PID"
	# shellcheck disable=SC2016 # a script
	under sh -c 'cat oci | "$0" "$@"'
	run -
	status_is 3
	ended
	says_one_sentence
	says 'state\.json'
	run ./oci
	status_is 3
	ended
}

# Another container of the same name, whose number is another: the old state names nobody of it.
# has_left RUNTIME - nothing of itself is there any more: its processes end a moment after it
has_left() {
	! pgrep -x "$1" >/dev/null
}

old_state() { # RUNTIME
	container "$1"
	cp "$STATE" copy
	kill_init
	delete
	reap_init
	takes ./copy group detached
	rm init.pid
	export ID
	runtime run --detach --pid-file init.pid "$ID" >output 2>&1 </dev/null || {
		cat output
		fail 'cannot run another'
	}
	forget init group detached
	call init "$(<init.pid)"
	until_true find_children
	until_true has_left "$1"
	run ./copy
	status_is 0
	ended
	takes "$STATE" init group detached
}

for runtime in runc crun; do
	# To runc who is user 0 may make cgroups: those would be left behind.
	worlds=plain
	[[ $runtime != crun ]] || worlds='user plain root'
	for state in running killed reaped deleted; do
		check "$worlds" "$runtime's state file names a container that is $state" \
			by_state_file $runtime $state
	done
	check plain "a record names what $runtime has left when the group is gone, too" \
		by_record $runtime
	check plain "what $runtime prints of a running container names it" by_oci_state $runtime
	check plain "what $runtime prints of a stopped container is refused" \
		by_oci_state_of_stopped $runtime
	check plain "$runtime's old state file names nobody of a new container" old_state $runtime
done
finish
