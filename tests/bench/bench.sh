#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.sh [README] - what nskill costs, beside others in the same run: "make bench"
#
# Every number that counts is a ratio of medians, of commands that were run in turn. The yardsticks
# are pgrep, pkill and lsns, and bare loops that do the least that can be done (bare.c). Prints one
# table, and writes it into README, between its markers, where that is named. Whether or not the
# targets are met it leaves with 0: this is no test.
#
#	ROUNDS   how often each is run (7)
#	HOPPERS  how many runs of a process that does nothing but fork and exit (20)
#	PARTS    which parts to run (look calls kills small growth hopper matcher)
#	LIMIT    seconds that all of it may take (280)

set -u
: "${NSKILL:?is not set: run it by \"make bench\"}" "${HELPERS:?is not set}" "${BENCH:?is not set}"
export LC_ALL=C NSKILL HELPERS BENCH ROUNDS=${ROUNDS:-7} HOPPERS=${HOPPERS:-20}
PARTS=${PARTS:-look calls kills small growth hopper matcher}
LIMIT=${LIMIT:-280}
README=${1-}
HERE=$(dirname "$0")
SAMPLES=$(mktemp -d "${TMPDIR:-/tmp}/nskill-bench.XXXXXX") || exit 99
export SAMPLES CGROUP=
RUNNER=
ROWS=$SAMPLES/rows

# ---- the ground ----

# Who is on his way to death holds a cgroup a while.
remove_cgroup() {
	local try
	[[ -n $CGROUP ]] || return 0
	echo $$ >"$OWN/cgroup.procs"
	for ((try = 0; try < 250; try++)); do
		rmdir "$CGROUP/target" "$CGROUP/main" "$CGROUP" 2>/dev/null
		[[ -d $CGROUP ]] || return 0
		sleep 0.02
	done
}

clean_up() {
	[[ -z $RUNNER ]] || end_world
	remove_cgroup
	rm -rf "$SAMPLES"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# make_cgroup - CGROUP, below our own, where one can be had; we are in main, the targets in target
make_cgroup() {
	local mount
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	OWN=$(sed -n 's/^0:://p' /proc/self/cgroup)
	OWN=$mount${OWN%/}
	[[ -n $mount ]] && mkdir "$OWN/${SAMPLES##*/}" 2>/dev/null || return 0
	CGROUP=$OWN/${SAMPLES##*/}
	mkdir "$CGROUP/main" "$CGROUP/target"
	if [[ ! -e $CGROUP/cgroup.kill ]] ||
		! echo $$ 2>/dev/null >"$CGROUP/main/cgroup.procs"; then
		remove_cgroup
		CGROUP=
	fi
}

is_asked() { # PART
	[[ " $PARTS " = *" $1 "* ]]
}

needs() { # PROGRAM
	command -v "$1" >/dev/null && return
	echo "bench: no $1: what needs it is left out" >&2
	return 1
}

# end_world - a PID namespace ends with its init, and that with its parent; 10,000 need a while
end_world() {
	kill -KILL "$RUNNER" 2>/dev/null
	wait "$RUNNER" 2>/dev/null
	RUNNER=
	read -r -t 30 -u "$ENDED"
	exec {ENDED}<&-
}

# world PART - run it in namespaces of its own, whose end is the end of all that is in there
world() {
	local entry=(unshare --pid --fork --kill-child --mount-proc) left=$((LIMIT - SECONDS))
	is_asked "$1" || return 0
	((EUID == 0)) || entry+=(-Ur)
	((left > 0)) || { echo "bench: $1: no time is left for it" >&2; return 0; }
	echo "bench: $1, after $SECONDS s" >&2
	# It has ended when nobody is left that holds the pipe.
	exec {ENDED}< <(exec "${entry[@]}" "$HELPERS/init" setsid bash "$HERE/world.sh" "$1" \
		9>&1 >/dev/null 2>>"$SAMPLES/err" </dev/null)
	RUNNER=$!
	read -r -t "$left" -u "$ENDED"
	(($? <= 128)) || echo "bench: $1: has taken more than $left s, and was ended" >&2
	end_world
}

# instructions SHAPE NUMBER - of claim_grow() alone, into a file of that name
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=claim_grow \
		"$BENCH/matcher" "$1" "$2" 2>&1 |
		sed -En 's/^==[0-9]+== Collected : ([0-9]+).*/\1/p' >"$SAMPLES/$1-$2.us"
}

matcher() {
	local job jobs
	is_asked matcher && needs valgrind || return 0
	echo "bench: matcher" >&2
	for job in small:10000 small:20000 one:10000 one:20000 chain:1000 chain:2000; do
		instructions "${job%:*}" "${job#*:}" &
		jobs+=($!)
	done
	wait "${jobs[@]}"
}

# ---- the table ----

median() { # NAME us|kb
	[[ ! -s $SAMPLES/$1.fail && -s $SAMPLES/$1.$2 ]] || return 1
	sort -n "$SAMPLES/$1.$2" | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

shown() { # NUMBER us|kb|instructions
	awk -v number="$1" -v unit="$2" 'BEGIN {
		if (unit == "us")
			printf(number < 10000 ? "%.1f ms" : "%.0f ms", number / 1000)
		else if (unit == "kb")
			printf "%.1f MiB", number / 1024
		else
			printf "%.1f M", number / 1e6
	}'
}

reason() { # NAME
	if [[ -s $SAMPLES/$1.fail ]]; then
		sort "$SAMPLES/$1.fail" | uniq -c |
			sed -E 's/^ +1 //; s/^ +([0-9]+) (.*)/\2 (\1 times)/' | paste -sd,
	else
		echo 'not measured'
	fi
}

# verdict NUMBER TARGET - nothing is said where there is no target or nothing to compare with
verdict() {
	case $1$2 in
	*-) echo - ; return ;;
	-*) echo 'n/a' ; return ;;
	esac
	awk -v number="$1" -v target="$2" 'BEGIN { print number <= target + 0 ? "met" : "NOT MET" }'
}

put() { # WHAT NSKILL YARDSTICK RATIO CPU-RATIO TARGET VERDICT
	local IFS='|'
	echo "$*" >>"$ROWS"
}

# ratio NAME YARDSTICK us|cpu|kb - of the medians, or "-"
ratio() {
	local ours theirs
	if ours=$(median "$1" "$3") && theirs=$(median "$2" "$3"); then
		awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", a / b }'
	else
		echo -
	fi
}

# value NAME us|kb|instructions - the median in words, or why there is none
value() {
	local number file=$2
	[[ $2 != instructions ]] || file=us
	if number=$(median "$1" "$file"); then
		shown "$number" "$2"
	else
		reason "$1"
	fi
}

# compare PART WHAT NAME YARDSTICK IN-WORDS TARGET [us|kb|instructions] - a row
compare() {
	local unit=${7:-us} file of_all of_cpu target=$6 verdict
	is_asked "$1" || return 0
	file=${unit/instructions/us}
	of_all=$(ratio "$3" "$4" "$file")
	of_cpu=-
	[[ $unit != us ]] || of_cpu=$(ratio "$3" "$4" cpu)
	verdict=$(verdict "$of_all" "$target")
	if [[ $verdict = met && $(verdict "$of_cpu" "$target") = NOT* ]]; then
		verdict='met by the clock alone'
	fi
	put "$2" "$(value "$3" "$unit")" "$5: $(value "$4" "$unit")" "$of_all" "$of_cpu" \
		"${target/#[0-9]/<= ${target:0:1}}" "$verdict"
}

# What is in backquotes is for a reader of Markdown.
# shellcheck disable=SC2016
compare_all() {
	local all='of 10,000 processes'
	compare look "look at 2,000 $all" look.nskill look.pgrep '`pgrep --ns`' 0.25
	compare look "" look.nskill look.bare 'bare loop over `/proc`' 1.3
	compare look "" look.nskill look.lsns '`lsns -t mnt`' -
	compare look "look at one whose output is a pipe" look.piped look.bare \
		'bare loop over `/proc`, of two reads' -
	compare kills "kill 2,000 $all, and prove it" kill.nskill kill.pkill \
		'`pkill --ns`, which does not wait' 1.0
	compare kills "" kill.nskill kill.cgroup '`cgroup.kill`, wait, one bare look' 1.2
	compare kills "" kill.nskill kill.pidfd 'bare loop over pidfds known before, wait' -
	compare small "kill 5 of 80 processes, start-up included" small.nskill small.pkill \
		'`pkill --ns`' 1.0
	compare growth "look at 4,000 of 20,000" growth.twice growth.once '2,000 of 10,000' 2.2
	compare look "memory to look at 10,000" look.nskill look.pgrep '`pgrep --ns`' 1.2 kb
	compare kills "memory to kill 2,000 of 10,000" kill.nskill kill.pkill '`pkill --ns`' 1.2 kb
	hopper_row
	compare hopper "time for that" hopper.nskill hopper.look 'one look, when nobody does' 3
	calls_row
	compare matcher "instructions to match 20,000 in small scopes" small-20000 small-10000 \
		10,000 2.3 instructions
	compare matcher "20,000 in one scope" one-20000 one-10000 10,000 2.3 instructions
	compare matcher "a chain of 2,000 children" chain-2000 chain-1000 1,000 2.3 instructions
}

hopper_row() {
	local gone
	is_asked hopper || return 0
	gone=$(cat "$SAMPLES/hopper.gone" 2>/dev/null)
	put "one that only forks and exits, among 8,000, is truly gone" \
		"${gone:-0} of $HOPPERS" - - - "all" \
		"$([[ ${gone-} = "$HOPPERS" ]] && echo met || echo 'NOT MET')"
}

calls_row() {
	local total
	is_asked calls || return 0
	total=$(sed -n 's/ total$//p' "$SAMPLES/calls.list" 2>/dev/null)
	put "system calls for a process of no interest" "${total:--}" - - - '<= 5' \
		"$(verdict "${total:--}" 5)"
}

called() {
	awk '$2 != "total" && $1 >= 0.05 { printf "%s%s %s", comma, $2, $1; comma = ", " }' \
		"$SAMPLES/calls.list"
}

# Cells as wide as the widest of their column.
table() {
	awk -F '|' '
		function line(cells, i) {
			for (i = 1; i <= 7; i++)
				printf "| %-*s ", width[i], cells[i]
			print "|"
		}
		{
			for (i = 1; i <= 7; i++) {
				cell[NR, i] = $i
				if (length($i) > width[i])
					width[i] = length($i)
			}
		}
		END {
			for (row = 1; row <= NR; row++) {
				for (i = 1; i <= 7; i++)
					cells[i] = cell[row, i]
				line(cells)
				if (row > 1)
					continue
				for (i = 1; i <= 7; i++)
					printf "|%s", substr(dashes, 1, width[i] + 2)
				print "|"
			}
		}' dashes="$(printf -- '-%.0s' {1..120})" "$ROWS"
}

report() {
	echo "Linux $(uname -r), $(nproc) CPUs, $(pgrep --version | sed 's/.*from //'); medians" \
		"of $ROUNDS or more, run in turn. Only the ratios mean anything on another machine."
	echo
	table
	[[ -s $SAMPLES/calls.list ]] || return 0
	printf '\nSystem calls for a process of no interest: %s.\n' "$(called)"
}

# write_readme - put the report between the markers there
write_readme() {
	awk -v report="$SAMPLES/report" '
		/^<!-- bench: end -->$/ { inside = 0 }
		!inside { print }
		/^<!-- bench: begin -->$/ {
			inside = 1
			while ((getline line < report) > 0)
				print line
		}' "$README" >"$SAMPLES/readme" && cat "$SAMPLES/readme" >"$README"
}

for program in unshare nsenter pgrep pkill lsns; do
	command -v "$program" >/dev/null || { echo "bench: needs $program" >&2; exit 1; }
done
ulimit -S -u "$(ulimit -H -u)" 2>/dev/null
make_cgroup
[[ -n $CGROUP ]] || echo 'no cgroup2 to be had' >"$SAMPLES/kill.cgroup.fail"
matcher
for part in look kills small growth hopper; do world "$part"; done
! needs strace || world calls
put what nskill yardstick ratio 'of CPU time' target verdict
compare_all
report >"$SAMPLES/report"
cat "$SAMPLES/report"
missed=$(grep -c 'NOT MET$' "$ROWS")
((missed == 0)) || echo "bench: $missed targets are not met" >&2
doubtful=$(grep -c 'by the clock alone$' "$ROWS")
((doubtful == 0)) || echo "bench: $doubtful are met, but not in CPU time: was the machine busy?" >&2
if [[ -s $SAMPLES/err ]]; then
	echo 'bench: what was said meanwhile:'
	sort "$SAMPLES/err" | uniq -c | head -n 20
fi >&2
echo "bench: has taken $SECONDS s" >&2
[[ -z $README ]] || write_readme
