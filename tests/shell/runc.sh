#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# runc.sh - the real thing: what a rootless runc container without a PID namespace leaves behind
#
# The container's first process starts a child that calls setsid and a child in its own group; all
# three hold the container's output. `runc kill` and `runc delete -f` end the first process alone.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

ID=nskill-test

# runc_with ARGUMENT...
runc_with() {
	timeout --foreground -s KILL 10 runc --root "$TEST_DIR/state" "$@"
}

container() {
	type -P runc >/dev/null || skip 'needs runc'
	mkdir state
	rootless_bundle "$(id -u)" "$(id -g)"
	export XDG_RUNTIME_DIR=$TEST_DIR
	mkfifo output
	reader &
	# `keep` becomes the parent of the container's first process, as a build daemon is.
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'exec runc --root state run --detach --pid-file init.pid "$1" \
		>output 2>&1 </dev/null' sh "$ID" &
	meet keeper
	call init "$(<init.pid)"
	has ppid init "${P[keeper]}"
	until_true find_children
	different session init detached
	same pgrp init group
	same mnt init group detached
	different mnt init keeper
	bystanders
	twins
}

# reader - waits, as the caller of runc does, for the end of the container's output
reader() {
	while read -r _; do :; done <output
	exec announce end-of-file
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

# twins - the same user with the same command lines, but not in the container
twins() {
	setsid announce twin7777 sleep 7777 &
	setsid announce twin8888 sleep 8888 &
	announce twin9999 sleep 9999 &
	meet twin7777 twin8888 twin9999
}

# all_gone NAME... - exactly these have ended, and so has the wait for the container's output
all_gone() {
	status_is 0
	ended "$@"
	is_silent
	meet end-of-file
	is_alive "${P[end-of-file]}" || fail 'the reader is dead'
}

end_init() {
	runc_with kill "$ID" KILL || fail 'runc kill has failed'
	until_true is_zombie init
}

reap_init() {
	end_init
	runc_with delete -f "$ID" 2>/dev/null
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	is_gone init || fail 'the first process is not reaped'
}

alive() { # pid|pidfile
	container
	run "$(target "$1")"
	all_gone init group detached
}

zombie() { # pid|pidfile
	container
	end_init
	run "$(target "$1")"
	all_gone group detached
}

reaped() { # pid|pidfile
	container
	reap_init
	run "$(target "$1")"
	all_gone group detached
}

target() { # pid|pidfile
	case $1 in
	pid) echo "${P[init]}" ;;
	pidfile) echo ./init.pid ;;
	esac
}

leak() {
	local child
	container
	reap_init
	for child in group detached; do
		is_alive "${P[$child]}" || skip "this runc leaves no process behind: $child is dead"
	done
	! read -r -t 0.2 -u 9 || fail 'the output has ended all the same'
}

# hung - `runc run` waits for the end of its container's output, which a daemon holds that has left
# even the mount namespace
hung() {
	local config caps daemon='(setsid unshare -m sleep 7777 &);'
	type -P runc >/dev/null || skip 'needs runc'
	rootless_bundle "$(id -u)" "$(id -g)"
	ln -s busybox rootfs/bin/unshare
	config=$(<config.json)
	config=${config/setsid sleep 7777 &/"$daemon"}
	caps='["CAP_SYS_ADMIN"]'
	caps="{\"bounding\": $caps, \"effective\": $caps, \"permitted\": $caps}"
	printf '%s\n' "${config/\"cwd\"/\"capabilities\": $caps, \"cwd\"}" >config.json
	mkdir state
	export XDG_RUNTIME_DIR=$TEST_DIR
	runc --root state run --pid-file init.pid "$ID" >output 2>&1 </dev/null &
	call runc $!
	until_true test -s init.pid
	call init "$(<init.pid)"
	until_true has_all
	different mnt init detached
	different session init detached
	bystanders
	twins
	run --record=init.record "${P[init]}"
	status_is 0
	runc_with kill "$ID" KILL || fail 'runc kill has failed'
	until_true is_gone init
	snapshot BEFORE
}

# has_all - the two that are left are there
has_all() {
	local entry words
	[[ ! -s output ]] || skip "this container cannot make a mount namespace: $(<output)"
	for entry in /proc/[0-9]*; do
		words=()
		mapfile -d '' words <"$entry/cmdline"
		case "${words[*]}" in
		'sleep 7777') call detached "${entry#/proc/}" ;;
		'sleep 8888') call group "${entry#/proc/}" ;;
		esac
	done 2>/dev/null
	[[ -n ${P[group]-} && -n ${P[detached]-} ]]
}

run_hangs() {
	hung
	run -v ./init.record
	status_is 0
	ended group
	says "still holding the output of ${P[init]}: ${P[detached]} \\(sleep\\), [0-9]+s old: not followed: -m"
	pause 0.3
	is_alive "${P[runc]}" || skip 'this runc does not wait for the output'
	run --holders ./init.record
	status_is 0
	lists "^still holding the output of ${P[init]}: ${P[detached]} \\(sleep\\)"
	run -m +io ./init.record
	status_is 0
	is_silent
	until_true is_gone runc
	until_true is_over detached
	is_alive "${P[twin7777]}" || fail 'the twin is dead'
}

check plain "a hung runc run is told what holds the output, and returns by io" run_hangs
check plain "runc kill and delete leave two processes behind, which hold the output" leak
for by in pid pidfile; do
	check plain "a runc container ends while its first process is alive, by $by" alive $by
	check plain "a runc container ends when its first process is a zombie, by $by" zombie $by
	check plain "a runc container ends when its first process is reaped, by $by" reaped $by
done
finish
