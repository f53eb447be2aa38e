# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# container.sh - containers of the real runtimes, run by nskill-runc, for the tests of that

# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ID=nskill-test
WRAPPER=${NSKILL%/*}/nskill-runc
CREATE=
EXTRA=/dev/null
GLOBAL=()

# ground RUNTIME - where that runtime works, and touches no cgroup of the machine: without privilege
# runc does none; to root it gets a cgroup2 that it cannot write to. crun wants cgroup2, alone, and
# so a namespace of its own where the test does not have one: there, the check begins again.
ground() {
	[[ -z ${RUNTIME-} ]] || return 0
	RUNTIME=$1
	type -P "$RUNTIME" >/dev/null || skip "needs $RUNTIME"
	if [[ $RUNTIME = runc && $TEST_WORLD = plain ]]; then
		return
	fi
	if [[ $TEST_WORLD != root && -z ${GROUND-} ]]; then
		local alone=(unshare --mount --cgroup)
		[[ $TEST_WORLD != plain ]] || alone+=(--map-root-user)
		rm -f roster roster.pause
		GROUND=1 exec "${alone[@]}" bash "$SELF"
	fi
	mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null || skip 'needs to mount cgroup2'
	case $RUNTIME in
	runc)
		mount -o remount,bind,ro /sys/fs/cgroup || skip 'needs to mount cgroup2'
		GLOBAL+=(--rootless=true)
		;;
	crun) GLOBAL+=(--cgroup-manager=disabled) ;;
	esac
}

# bundle SCRIPT - the folder rootfs and config.json, for a shell that leaks and then runs SCRIPT
bundle() {
	local script='setsid sleep 7777 & (setsid sleep 6666 &); sleep 8888 & '$1 config
	rootless_bundle "$(id -u)" "$(id -g)"
	mkfifo rootfs/end
	config=$(<config.json)
	script=${script//\"/\\\"}
	printf '%s\n' "${config/\"sh\", \"-c\", *9999\"/"\"sh\", \"-c\", \"$script\""}" >config.json
}

# plain WORD... - the runtime itself; wrapped WORD... - the program under test
plain() {
	timeout --foreground -s KILL 10 "$RUNTIME" --root state "${GLOBAL[@]}" "$@"
}

wrapped() {
	NSKILL_RUNTIME=$RUNTIME timeout --foreground -s KILL 10 \
		"$WRAPPER" --root state "${GLOBAL[@]}" "$@"
}

# run_container ID - in the background, as RUN, in a session of its own
run_container() {
	local words=(run)
	[[ $CREATE != run ]] || words=(run --detach)
	[[ $CREATE != create ]] || words=(create)
	NSKILL_RUNTIME=$RUNTIME setsid "$WRAPPER" --root state "${GLOBAL[@]}" \
		"${words[@]}" --pid-file init.pid -- "$1" \
		>output 2>run.err </dev/null 8>"$EXTRA" 12>"$EXTRA" &
	RUN=$!
}

# all_live - the container does
all_live() {
	local name
	for name in init group detached daemon; do
		is_alive "${P[$name]}" || fail "$name has ended"
	done
}

# before_container RUNTIME SCRIPT - all that a container of that script needs, and none yet
before_container() {
	ground "$1"
	bundle "$2"
	bystanders
	mkdir state
	export XDG_RUNTIME_DIR=$PWD
	call reader $$
	ls -A >files
	snapshot BEFORE
}

# container RUNTIME SCRIPT - it runs, with init, group, detached and daemon on the roster
container() {
	ground "$1"
	bundle "$2"
	bystanders
	setsid announce twin sleep 7777 &
	meet twin
	mkdir state
	export XDG_RUNTIME_DIR=$PWD
	mkfifo output
	reader &
	call reader $!
	ls -A >files
	snapshot BEFORE
	run_container "$ID"
	until_true has_started
	[[ $CREATE != create ]] || wrapped start "$ID" || fail 'start has failed'
	call init "$(<init.pid)"
	until_true find_sleep group 8888
	until_true find_sleep detached 7777
	until_true find_sleep daemon 6666
	different session init detached daemon
	same pgrp init group
	same mnt init group detached daemon
	different mnt init near
	until_true is_watched
}

# is_watched - what helps to start a watcher has left
is_watched() {
	! grep -aq 'nskill-runc: [w]atch' /proc/[0-9]*/cmdline 2>/dev/null
}

has_started() {
	[[ ! -s init.pid ]] || return 0
	[[ -d /proc/$RUN ]] || { cat run.err; fail 'the runtime has failed'; }
	return 1
}

# find_sleep NAME SECONDS - the process that sleeps so long, and is not the twin
find_sleep() {
	local entry words
	for entry in /proc/[0-9]*; do
		words=()
		mapfile -d '' words <"$entry/cmdline"
		[[ ${words[*]} = "sleep $2" && ${entry#/proc/} != "${P[twin]-}" ]] || continue
		call "$1" "${entry#/proc/}"
		return 0
	done 2>/dev/null
	return 1
}

# reader - waits, as the caller of a runtime does, for the end of the container's output
reader() {
	while read -r _; do :; done <output
	exec announce end-of-file
}

# end NAME... - these do, soon; over NAME... - these have ended
end() {
	local name
	for name; do until_true is_over "$name"; done
}

over() {
	local name
	for name; do
		! is_alive "${P[$name]}" || fail "$name is alive"
	done
}

# run_returns STATUS [early] - the runtime has returned, and with it the reader, unless it is early
run_returns() {
	local status
	(
		read -r -t 10 <>roster.pause
		kill -KILL "$RUN"
	) 2>/dev/null &
	GUARD=$!
	wait "$RUN" 2>/dev/null
	status=$?
	kill -KILL "$GUARD" 2>/dev/null
	wait "$GUARD" 2>/dev/null
	[[ $status = "$1" ]] || { cat run.err; fail "run has returned $status, not $1"; }
	[[ -n ${2-} ]] || meet end-of-file
}

# nothing_left - the processes of before, and no others; no file
nothing_left() {
	until_true only_those_before
	[[ -z $(ls -A state) ]] || fail "the state is left: $(ls -A state)"
	local file
	for file in * .[!.]*; do
		[[ ! -e $file ]] || grep -Fqx -- "$file" files ||
			[[ $file = @(init.pid|run.err|out|err) ]] || fail "a file is left: $file"
	done
}

only_those_before() {
	local pid
	snapshot AFTER
	for pid in "${!AFTER[@]}"; do
		[[ -n ${BEFORE[$pid]-} || $pid = "${P[end-of-file]-}" ]] || return 1
	done
	for pid in "${!BEFORE[@]}"; do
		[[ -n ${AFTER[$pid]-} || $pid = "${P[reader]}" ]] ||
			fail "$(name_of "$pid") is dead"
	done
}
