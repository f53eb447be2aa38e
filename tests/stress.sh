#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stress.sh - the long versions of the tests that are quick in "make check": "make stress"
#
# Each part says in lines "# figures: NAME=NUMBER..." what it has done; here they are summed up. How
# long it takes depends on:
#
#	MACHINES   runs on machines made at random (default 100000)
#	REUSES     times that a PID is reused (3000)
#	TRIES      of each kind to slip away from a parent that is killed (200)
#	MEGABYTES  that a large one of those has (1024)
#	NEWCOMERS  runs of newcomers of any kind, in each place (30)
#	FAULTS     runs with failing calls for each picture (100; "all": of every call and error)
#	PART_LIMIT seconds that one part may take (1800)
#
# SEED makes all choices the same again, PARTS names the parts to run (all).

set -u
: "${NSKILL:?is not set: run it by \"make stress\"}" "${top_builddir:?is not set}"
export LC_ALL=C SEED=${SEED:-$RANDOM$RANDOM} VERBOSE=1
PARTS=${PARTS:-machines reuse descent newcomers faults}
here=$(dirname "$0")
log=$(mktemp "${TMPDIR:-/tmp}/nskill-stress.XXXXXX") || exit 99
trap 'rm -f "$log" "$log.figures"' EXIT
failed=()

# part NAME [VARIABLE=VALUE...] COMMAND... - if it is asked for
part() {
	local name=$1 begin=$SECONDS status
	shift
	[[ " $PARTS " = *" $name "* ]] || return 0
	echo "stress: $name: SEED=$SEED $*"
	# In the foreground, so that what ends us from a terminal ends the part, too.
	timeout --foreground -k 30 "${PART_LIMIT:-1800}" env "$@" >"$log" 2>&1 </dev/null
	status=$?
	if ((status != 0)); then
		failed+=("$name")
		grep -E '^not ok|^ok .* # SKIP' "$log"
		grep -vE '^ok |^# figures: ' "$log" | tail -n 200
	else
		grep -E '^ok .* # SKIP' "$log"
	fi
	sed -n "s/^# figures: /$name /p" "$log" >>"$log.figures"
	echo "stress: $name: exit status $status after $((SECONDS - begin)) s"
}

# The figures of each part and of all, where the longest counts of those that are called overrun.
sum_up() {
	# shellcheck disable=SC2016 # a program of awk
	awk '
		function add(who, name, value) {
			if (name !~ /^overrun/)
				sum[who, name] += value
			else if (value + 0 >= sum[who, name] + 0)
				sum[who, name] = value + 0
		}
		function show(who, i) {
			printf "%-10s", who
			for (i = 1; i <= columns; i++)
				printf " %13s", (who, column[i]) in sum ? sum[who, column[i]] : "-"
			print ""
		}
		BEGIN {
			columns = split("processes runs strangers_hit false_gone left_stopped " \
				"unread overrun_ms", column, " ")
		}
		{
			if (!seen[$1]++)
				part[++parts] = $1
			for (i = 2; i <= NF; i++) {
				split($i, word, "=")
				add($1, word[1], word[2])
				add("all", word[1], word[2])
			}
		}
		END {
			printf "%-10s", "part"
			for (i = 1; i <= columns; i++)
				printf " %13s", column[i]
			print ""
			for (i = 1; i <= parts; i++)
				show(part[i])
			show("all")
		}' "$log.figures"
}

shell=$here/shell
: >"$log.figures"
part machines RUNS="${MACHINES:-100000}" "$top_builddir/tests/property/kill"
part reuse REUSES="${REUSES:-3000}" bash "$shell/reuse.sh"
part descent TRIES="${TRIES:-200}" MEGABYTES="${MEGABYTES:-1024}" bash "$shell/descent.sh"
part newcomers RUNS="${NEWCOMERS:-30}" bash "$shell/newcomers.sh"
part faults RUNS="${FAULTS:-100}" bash "$shell/faults.sh"

sum_up
if ((${#failed[@]} > 0)); then
	echo "stress: failed: ${failed[*]}; run again with SEED=$SEED PARTS='${failed[*]}'"
	exit 1
fi
