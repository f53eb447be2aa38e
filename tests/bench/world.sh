#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# world.sh PART - measure one part of the benchmark, in a PID and mount namespace made for it
#
# bench.sh makes the namespaces, and reads what is written here into files of $SAMPLES: NAME.us,
# NAME.cpu and NAME.kb, with a number for each time that NAME was run; NAME.fail, with what went
# wrong. All that are compared are run in turn, so that noise hits each of them.

set -u
export LC_ALL=C

PROCESSES=10000
TARGETS=2000
SESSION=10 # processes in each

fail() { # NAME WHAT
	echo "$2" >>"$SAMPLES/$1.fail"
}

# sample NAME COMMAND... - run it once, by the clock; what has not left with 0 does not count
sample() {
	local name=$1 usec cpu kb status
	shift
	read -r usec cpu kb status < <("${VIA[@]}" "$BENCH/measure" "$@" 2>>"$SAMPLES/err")
	if [[ $status != 0 ]]; then
		fail "$name" "exit status $status"
		return 1
	fi
	echo "$usec" >>"$SAMPLES/$name.us"
	echo "$cpu" >>"$SAMPLES/$name.cpu"
	echo "$kb" >>"$SAMPLES/$name.kb"
}
VIA=()

# populate VARIABLE [-m] NUMBER - processes that stay; the first PID of them is put in the variable
populate() {
	local -n first=$1
	shift
	first=
	read -r first < <("$BENCH/population" "$@" "$SESSION" 2>>"$SAMPLES/err")
	[[ -n $first ]] || { fail "$PART" 'no processes'; exit 1; }
}

# populate_target [NUMBER] - T, in a mount namespace of its own, and in a cgroup where there is one
populate_target() {
	[[ -z $CGROUP ]] || echo $$ >"$CGROUP/target/cgroup.procs"
	populate T -m "${1:-$TARGETS}"
	[[ -z $CGROUP ]] || echo $$ >"$CGROUP/main/cgroup.procs"
	MNTNS=$(readlink "/proc/$T/ns/mnt")
}

# none_left NAME - nobody is alive in the target's mount namespace
none_left() {
	local left
	left=$("$BENCH/bare" look "$MNTNS")
	((left == 0)) || fail "$1" "$left alive after exit status 0"
}

# bury - until nobody of the target is there; who neither waits nor checks has left before
bury() {
	while (($("$BENCH/bare" look "$MNTNS") > 0)); do sleep 0.05; done
}

# piped WORDS - PIPED, a shell of its own that carries them out, apart from all, and whose output is
# a pipe that nobody reads
piped() {
	# shellcheck disable=SC2016 # for the shell that is started
	read -r PIPED < <(exec setsid unshare --mount sh -c 'echo $$; eval "$0"' "$1")
}

# ---- the parts ----

look() {
	local round
	populate_target
	populate OTHERS $((PROCESSES - TARGETS - 1))
	piped 'exec sleep infinity'
	for ((round = 0; round < ROUNDS; round++)); do
		sample look.nskill "$NSKILL" -n "$T"
		sample look.piped "$NSKILL" -n "$PIPED"
		sample look.pgrep pgrep --ns "$T" --nslist mnt
		sample look.bare "$BENCH/bare" look "$T"
		sample look.lsns lsns -t mnt
	done
}

# What nskill asks the kernel about a process that is of no interest, each once:
#
#	getpgid, getsid      its group and session
#	readlink of ns/mnt   which mount namespace it is in
#
# The target is one process alone. What all else costs is what a look at few processes costs, too.
calls() {
	populate_target 1
	count_calls few
	populate OTHERS $((PROCESSES - 1))
	count_calls many
	awk '$4 !~ /^[0-9]+$/ || $NF == "total" { next }
		FILENAME ~ /few$/ { before[$NF] = $4; next }
		{ each = ($4 - before[$NF]) / processes; sum += each }
		{ printf "%.2f %s\n", each, $NF }
		END { printf "%.2f total\n", sum }' processes="$((PROCESSES - 1))" \
		"$SAMPLES/strace.few" "$SAMPLES/strace.many" | sort -rn >"$SAMPLES/calls.list"
}

count_calls() { # few|many
	strace -f -c -o "$SAMPLES/strace.$1" "$NSKILL" -n "$T" >/dev/null 2>>"$SAMPLES/err" ||
		fail calls 'strace has failed'
}

kills() {
	local round
	populate OTHERS $((PROCESSES - TARGETS))
	for ((round = 0; round < ROUNDS; round++)); do
		populate_target
		sample kill.nskill "$NSKILL" "$T" && none_left kill.nskill
		bury
		populate_target
		sample kill.pkill pkill -KILL --ns "$T" --nslist mnt
		bury
		populate_target
		"$BENCH/bare" list "$MNTNS" >"$SAMPLES/pids"
		sample kill.pidfd "$BENCH/bare" kill "$SAMPLES/pids"
		bury
		[[ -n $CGROUP ]] || continue
		populate_target
		sample kill.cgroup "$BENCH/bare" cgroup "$CGROUP/target"
		bury
	done
}

small() {
	local round
	populate OTHERS 75
	for ((round = 0; round < 4 * ROUNDS; round++)); do
		populate_target 5
		sample small.nskill "$NSKILL" "$T" && none_left small.nskill
		bury
		populate_target 5
		sample small.pkill pkill -KILL --ns "$T" --nslist mnt
		bury
	done
}

# A machine of 10,000 in one of 20,000: that PID namespace is seen from here, and sees itself alone.
growth() {
	local round inner inside init
	exec {inside}< <(exec unshare --pid --fork --kill-child --mount-proc \
		"$HELPERS/init" bash "$0" inner 2>>"$SAMPLES/err")
	init=$!
	read -r inner <&"$inside"
	init=$(pgrep -P "$init")
	if [[ -z $inner || -z $init ]]; then
		fail growth.once 'no namespaces in namespaces'
		return
	fi
	populate_target $((2 * TARGETS))
	populate OTHERS $((PROCESSES - 2 * TARGETS))
	for ((round = 0; round < ROUNDS; round++)); do
		VIA=(nsenter --target "$init" --pid --mount)
		sample growth.once "$NSKILL" -n "$inner"
		VIA=()
		sample growth.twice "$NSKILL" -n "$T"
	done
}

inner() {
	CGROUP=
	populate_target
	populate OTHERS $((PROCESSES - TARGETS))
	echo "$T"
	sleep infinity
}

# What all generations of it have in common is the mount namespace, and nothing else.
hopper() {
	local round beats gone=0
	populate OTHERS 7999
	for ((round = 0; round < HOPPERS; round++)); do
		((round >= ROUNDS)) || quiet_look
		rm -f "$SAMPLES/beats"
		# shellcheck disable=SC2016 # for the shell that is started
		piped 'exec >/dev/null; "$HELPERS/hop" mnt "$SAMPLES/beats" & exec sleep infinity'
		until [[ $(beats) -gt 100 ]]; do sleep 0.01; done
		sample hopper.nskill "$NSKILL" "$PIPED"
		beats=$(beats)
		sleep 0.1
		if [[ $(beats) = "$beats" ]]; then
			gone=$((gone + 1))
		else
			fail hopper.nskill 'it hops on'
			pkill -KILL -x hop
		fi
	done
	echo "$gone" >"$SAMPLES/hopper.gone"
}

# How long one look takes on that machine, at somebody who does nothing
quiet_look() {
	populate_target 1
	sample hopper.look "$NSKILL" -n "$T"
	kill -KILL "$T"
}

beats() {
	od -An -t u8 -N 8 "$SAMPLES/beats" 2>/dev/null | tr -d ' '
}

PART=$1
"$PART"
