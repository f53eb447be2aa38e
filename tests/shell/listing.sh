#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# listing.sh - what --dry-run shows, and in which form

# shellcheck disable=SC2016 # scripts
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 20 120
DEFAULT='PID PPID USER STATE AGE PGRP SID MNTNS WHY COMMAND'
ALL="$DEFAULT START UID TTY WCHAN CGROUP NSPID TARGET EXE ARGS"

heading() { # - the columns of the list in `out`
	local words
	read -r -d '' -a words <<<"$(grep -m 1 PID out)"
	HEADING=${words[*]}
}

shows() { # PATTERN
	grep -Eq -- "$1" out || fail "it does not show: $1"
}

# row NAME - ROW is its line of the list
row() {
	ROW=$(grep -E "^ *${P[$1]} " out) || fail "$1 is not listed"
	[[ $ROW != *$'\n'* ]] || fail "$1 is listed twice"
}

by_default() {
	job
	run -n "$T"
	status_is 0
	ended
	heading
	[[ $HEADING = "$DEFAULT" ]] || fail "the columns are: $HEADING"
}

chosen() {
	job
	run -n -o why,pid,Command "$T"
	status_is 0
	heading
	[[ $HEADING = 'WHY PID COMMAND' ]] || fail "the columns are: $HEADING"
	grep -Eqx " *target +$T +announce" out || fail 'not the target in these columns'
	run -n --output=+ARGS "$T"
	heading
	[[ $HEADING = "$DEFAULT ARGS" ]] || fail "the columns are: $HEADING"
	ended
}

every_column() {
	run -o help
	status_is 0
	[[ $(awk '{ print $1 }' out | xargs) = "$ALL" ]] || fail 'the columns are not as expected'
	job
	run -n -o "${ALL// /,}" "$T"
	status_is 0
	heading
	[[ $HEADING = "$ALL" ]] || fail "the columns are: $HEADING"
	ended
}

# may_show COLUMN - whether the target has something to show there; not every kernel tells all of it
may_show() {
	local text=has
	case $1 in
	CGROUP) text=$(<"/proc/$T/cgroup") ;;
	WCHAN) text=$(<"/proc/$T/wchan") ;;
	esac
	[[ -n $text && $text != 0 ]]
}

every_cell() {
	local column text
	setsid terminal 80 sh -c 'exec setsid --ctty announce target <&1' &
	meet target
	T=${P[target]}
	for column in $ALL; do
		run -n -o "$column" "$T"
		status_is 0
		text=$(grep -A 1 -x " *$column *" out | tail -n +2 | xargs)
		[[ -n $text ]] || fail "no column of that name: $column"
		[[ $text != - ]] || ! may_show "$column" || fail "it shows nothing of $column"
	done
	ended
}

# Who reads the details is the first in a PID namespace there, and sees no parent.
unshared() {
	job
	under unshare --pid
	run -n -o PID,EXE,ARGS "$T"
	status_is 0
	lists "^ *$T /.*announce +.*in-target"
}

bad_columns() {
	local list
	job
	for list in '' ',' 'pid,' ',pid' 'pid,,why' nonsense pid,nonsense + '+,' -pid 'pid why' \
		"$(printf 'pid,%.0s' {1..64})pid"; do
		run -n -o "$list" "$T"
		status_is 2
		says 'column'
		ended
	done
}

# What is in each is what ps and /proc say.
values() {
	local user words
	job
	user=$(id -un 2>/dev/null) || user=$(id -u)
	run -n -o pid,uid,user,exe,args,nspid,tty "$T"
	status_is 0
	ended
	row target
	read -r -a words <<<"$ROW"
	[[ ${words[1]} = "$(id -u)" && ${words[2]} = "$user" ]] || fail "another user: $ROW"
	[[ ${words[3]} = "$(readlink "/proc/$T/exe")" ]] || fail "another program: $ROW"
	[[ $ROW = *" announce in-target "* ]] || fail "other arguments: $ROW"
	[[ $ROW = *" $T"* ]] || fail "no PID of its own: $ROW"
}

# A PID in each namespace from ours to its own.
inner_pids() {
	setsid unshare --pid --fork announce -r target sh -c 'announce child & exec announce in-target' &
	call outer $!
	meet target child in-target
	until_true is_listed_with_two_pids
	kill -KILL "${P[outer]}"
	forget target child in-target outer
}

is_listed_with_two_pids() {
	run -n -o pid,nspid "${P[outer]}"
	grep -Eq '^ *[0-9]+ [0-9]+,1$' out
}

# Control bytes and escape sequences come out as text.
escaped() {
	setsid bash -c 'printf "target $BASHPID\n" >&9; exec -a "$(printf "a\033[31mb\nc\\")" sleep 60' 9>&9 &
	meet target
	until_true has_arguments target
	for options in '' --forest --color=never; do
		# shellcheck disable=SC2086 # words
		run -n -o pid,args $options "${P[target]}"
		status_is 0
		is_plain_text out
		shows '^ *[0-9]+ a.\[31mb.c'
	done
	ended
}

has_arguments() { # NAME
	grep -aq b "/proc/${P[$1]}/cmdline"
}

forest() {
	job
	run -n --forest -o pid,command "$T"
	status_is 0
	ended
	row target
	[[ $ROW =~ [0-9]\ announce$ ]] || fail "the target is no root: $ROW"
	row child
	[[ $ROW =~ [\`\|]-announce$ ]] || fail "the child is no branch: $ROW"
	row orphan
	[[ $ROW =~ [0-9]\ announce$ ]] || fail "the orphan is somebody's branch: $ROW"
}

told() {
	job
	run -n "$T"
	status_is 0
	shows "^target $T \\(announce\\), [0-9]+s old, follows process group $T, session $T, mount"
	shows '^processes that would get KILL: 3$'
	run -n -s TERM -m tree "$T"
	shows "^target $T \\(announce\\), [0-9]+s old, follows children$"
	shows "^not followed: the target's process group $T: --match leaves it out$"
	shows '^processes that would get TERM: 2$'
	run -n -m -all "$T"
	shows "^target $T \\(announce\\), [0-9]+s old, follows nothing$"
	shows '^processes that would get KILL: 1$'
	ended
}

# Bash has a list of its own. What it calls IO is POLL in signal(7), and here.
every_signal() {
	local number name word
	job
	for number in {1..31}; do
		name=$(kill -l "$number")
		for word in "$name" "SIG$name" "${name,,}" "$number"; do
			run -n -s "$word" "$T"
			shows "^processes that would get ${name/%IO/POLL}: 3\$"
		done
	done
	ended
}

# Who stands in for one that is gone leads on to what it was in.
told_of_dead() {
	local mnt
	job
	mnt=$(readlink "/proc/$T/ns/mnt")
	mnt=${mnt//[!0-9]/}
	kill -KILL "$T"
	until_true is_gone target
	run -n "$T"
	status_is 0
	shows "^target $T, which is dead, follows process group $T, session $T, mount namespace $mnt and"
	shows '^processes that would get KILL: 2$'
	ended
}

# Named twice, it is one target.
twice() {
	job
	run -n "$T" "$T"
	status_is 0
	lists_exactly target orphan child
	[[ $(grep -c '^target' out) = 1 ]] || fail 'told twice'
	ended
}

sequences() { # - how many escape sequences there are in `out`
	REPLY=$(grep -ao $'\033' out | wc -l)
}

is_colored() { # yes|no ARGUMENT...
	local wanted=$1
	shift
	run -n "$@" "$T"
	status_is 0
	sequences
	if [[ $wanted = yes ]]; then
		((REPLY > 0)) || fail "no color with: $*"
	else
		((REPLY == 0)) || fail "$REPLY escape sequences with: $*"
	fi
}

color() {
	job
	unset NO_COLOR
	is_colored no
	is_colored no --color=auto
	is_colored yes --color=always
	under terminal 200
	is_colored yes
	is_colored no --color=never
	export NO_COLOR=1
	is_colored no
	is_colored yes --color=always
	export NO_COLOR=
	is_colored yes
	ended
	under
	run -n --color=sometimes "$T"
	status_is 2
}

widest() { # - the length of the longest line of the list in `out`
	REPLY=$(tr -d '\r' <out | grep -E '^ *[0-9]+ |PID' | wc -L)
}

width() {
	job
	run -n -o +args,args,args "$T"
	widest
	((REPLY > 100)) || fail "cut to $REPLY where there is no terminal"
	under terminal 100
	run -n --color=never -o +args,args,args "$T"
	status_is 0
	widest
	((REPLY <= 100)) || fail "$REPLY columns on a terminal of 100"
	[[ $(tr -d '\r' <out | grep -cE '^ *[0-9]+ ') = 3 ]] || fail 'lines are broken'
	ended
}

# ---- the whole list, as it is to look ----

# posed - a target and three of it, whose PIDs and names are always the same
posed() {
	echo 30000 >/proc/sys/kernel/ns_last_pid 2>/dev/null || skip 'needs to choose PIDs'
	setsid "${MNT[@]}" bash -c 'comm child "a child" & setsid unshare --mount comm moved moved-away &
		setsid comm escaped "back\\x" & exec comm target 123456789012345' &
	meet target child moved escaped
	[[ $(printf '%s\n' "${P[@]}" | sort | xargs) = '30001 30002 30003 30004' ]] ||
		skip 'the PIDs are not as chosen'
	T=${P[target]}
}

# mnt NAME - the number of its mount namespace
mnt() {
	the mnt "$1"
	echo "${REPLY//[!0-9]/}"
}

# looks ARGUMENT... - the list is the one on standard input, but for ages and the namespaces' numbers
looks() {
	run -n "$@" "$T"
	status_is 0
	tr -d '\r' <out | grep -E '^(.\[1m)? *(PID|3000[0-9]) ' | sed -E "
		s/ [0-9]s / 0s /; s/$(mnt target)/4026530001/g; s/$(mnt moved)/4026530002/g" >looks
	diff - looks || fail 'it does not look so'
}

unlimited() {
	posed
	looks <<-'END'
	  PID  PPID USER STATE AGE  PGRP   SID      MNTNS WHY            COMMAND
	30001     2 root S      0s 30001 30001 4026530001 target         123456789012345
	30002 30001 root S      0s 30001 30001 4026530001 pgrp 30001     a child
	30003 30001 root S      0s 30003 30003 4026530002 child of 30001 moved-away
	30004 30001 root S      0s 30004 30004 4026530001 mnt 4026530001 back\x5cx
	END
	mv looks wide
	under terminal 120
	looks --color=never <wide
	under terminal 80
	looks --color=never <wide
	ended
}

# Numbers are never cut: columns are left out, and what a process is called stays.
narrow() {
	posed
	under terminal 79
	looks --color=never <<-'END'
	  PID  PPID USER STATE AGE  PGRP   SID WHY            COMMAND
	30001     2 root S      0s 30001 30001 target         123456789012345
	30002 30001 root S      0s 30001 30001 pgrp 30001     a child
	30003 30001 root S      0s 30003 30003 child of 30001 moved-away
	30004 30001 root S      0s 30004 30004 mnt 4026530001 back\x5cx
	END
	under terminal 50
	looks --color=never <<-'END'
	  PID USER STATE WHY            COMMAND
	30001 root S     target         123456789012345
	30002 root S     pgrp 30001     a child
	30003 root S     child of 30001 moved-away
	30004 root S     mnt 4026530001 back\x5cx
	END
	under terminal 120
	looks --color=never -o +ARGS,ARGS <<-'END'
	  PID  PPID USER STATE AGE  PGRP   SID WHY            COMMAND         ARGS                        ARGS
	30001     2 root S      0s 30001 30001 target         123456789012345 comm target 123456789012345 comm target 123456789+
	30002 30001 root S      0s 30001 30001 pgrp 30001     a child         comm child a child          comm child a child
	30003 30001 root S      0s 30003 30003 child of 30001 moved-away      comm moved moved-away       comm moved moved-away
	30004 30001 root S      0s 30004 30004 mnt 4026530001 back\x5cx       comm escaped back\x5cx      comm escaped back\x5cx
	END
	ended
}

golden_forest() {
	posed
	under terminal 80
	looks --color=never --forest <<-'END'
	  PID  PPID USER STATE AGE  PGRP   SID      MNTNS WHY            COMMAND
	30001     2 root S      0s 30001 30001 4026530001 target         123456789012345
	30002 30001 root S      0s 30001 30001 4026530001 pgrp 30001     |-a child
	30003 30001 root S      0s 30003 30003 4026530002 child of 30001 |-moved-away
	30004 30001 root S      0s 30004 30004 4026530001 mnt 4026530001 `-back\x5cx
	END
	ended
}

# deep NUMBER - a target, below it so many, each the child of the one before
deep() {
	cat >deep <<-'END'
	if (($1)); then bash deep $(($1 - 1)) 'whose text is long' & else echo "last $$" >&9; fi
	read -r -t 60 <>roster.pause
	END
	setsid bash deep "$1" &
	T=$!
	meet last
}

# The room of the branches is not the text's, and they leave it some.
cut_forest() {
	deep 8
	under terminal 56
	run -n --color=never -f -o args,command,args "$T"
	status_is 0
	tr -d '\r' <out | grep -A 9 '^ARGS' >looks
	diff - looks <<-'END' || fail 'it does not look so'
	ARGS                 COMMAND ARGS
	bash deep 8          bash    bash deep 8
	`-bash deep 7 whose+ bash    bash deep 7 whose text is +
	  `-bash deep 6 who+ bash    bash deep 6 whose text is +
	    `-bash deep 5 w+ bash    bash deep 5 whose text is +
	      `-bash deep 4+ bash    bash deep 4 whose text is +
	        `-bash deep+ bash    bash deep 3 whose text is +
	          |-bash de+ bash    bash deep 2 whose text is +
	          |-+bash d+ bash    bash deep 1 whose text is +
	          `-+bash d+ bash    bash deep 0 whose text is +
	END
	ended
}

golden_color() {
	posed
	local bold=$'\033[1m' plain=$'\033[0m'
	unset NO_COLOR
	under terminal 40
	looks <<-END
	  PID USER STATE COMMAND
	${bold}30001 root S     123456789012345$plain
	30002 root S     a child
	30003 root S     moved-away
	30004 root S     back\\x5cx
	END
	export NO_COLOR=1
	looks <<-'END'
	  PID USER STATE COMMAND
	30001 root S     123456789012345
	30002 root S     a child
	30003 root S     moved-away
	30004 root S     back\x5cx
	END
	ended
}

targets_told() {
	posed
	run -n "$T" "${P[child]}"
	heading
	[[ $HEADING = "${DEFAULT/COMMAND/TARGET COMMAND}" ]] || fail "the columns are: $HEADING"
	shows '^30002 .* target +30002 a child$'
	shows '^30003 .* 30001 moved-away$'
	run -n -o +ARGS "$T" "${P[child]}"
	heading
	[[ $HEADING = "${DEFAULT/COMMAND/TARGET COMMAND} ARGS" ]] || fail "the columns are: $HEADING"
	run -n -o pid,why "$T" "${P[child]}"
	heading
	[[ $HEADING = 'PID WHY' ]] || fail "the columns are: $HEADING"
	ended
}

check "user plain" "--dry-run lists in the columns that the man page names" by_default
check user "--output chooses columns and their order, and + adds to the default" chosen
check "user plain" "--output=help names every column, and all can be shown" every_column
check "user plain" "each column shows what a process has of it" every_cell
check user "2: a list of columns that makes no sense signals nothing" bad_columns
check "user plain root" "the columns say of a process what /proc says of it" values
check user "NSPID has a PID for each namespace" inner_pids
check user "control bytes in arguments are shown as text" escaped
check user "--forest draws children as branches of their parents" forest
check user "what is followed of a target is said above the list, and how many below" told
check user "a signal goes by the names that bash has for it, and by its number" every_signal
check user "so it is of a target that is gone" told_of_dead
check user "details are read where nskill's children are in a new PID namespace" unshared
check user "a target that is given twice is told once" twice
check user "there is color on a terminal alone, as --color and NO_COLOR say" color
check user "a list is cut to the width of a terminal, and nowhere else" width
check user "a list looks as it is to look, on 120 columns, on 80 and where there is no width" unlimited
check user "on a narrow terminal columns are left out, and no number is cut" narrow
check user "a forest looks as it is to look on 80 columns" golden_forest
check user "a forest is cut to the width of a terminal, and what is cut is marked" cut_forest
check user "the target stands out in bold, and NO_COLOR puts it back" golden_color
check user "of several targets, a column tells whose each process is" targets_told
finish
