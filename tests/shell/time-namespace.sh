#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# time-namespace.sh - the same process has another start tick in another time namespace

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

OFFSETS='1000000000000 86400123456789 -1000000000 1005000000 -1003000000 now'

job() {
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid "$@" &' sh "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); announce child & exec announce in-target' &
	meet keeper target daemon child in-target
	forget in-target
	bystanders
	T=${P[target]}
	timens 1000000000 true || skip 'needs time namespaces'
}

# in_time OFFSET [COMMAND...] - sets IN to what runs a command in such a time namespace
in_time() {
	IN=(timens "$1")
	# The start ticks are other ones there: the picture.
	if [[ $1 = 1000000000000 && $("${IN[@]}" cut -d ' ' -f 22 "/proc/$T/stat") \
			!= $((BORN[target] + 100000)) ]]; then
		skip 'start times do not depend on the time namespace'
	fi
}

state() { # START
	echo "{\"init_process_pid\":$T,\"init_process_start\":$1}" >evidence
}

# Written outside, carried out inside.
read_inside() { # FORM OFFSET
	job
	in_time "$2"
	case $1 in
	record) "$NSKILL" --record=evidence "$T" || fail 'cannot record' ;;
	state) state "${BORN[target]}" ;;
	pidfile) echo "$T" >evidence ;;
	number) ;;
	esac
	under "${IN[@]}"
	if [[ $1 = number ]]; then
		run "$T"
	else
		run ./evidence
	fi
	status_is 0
	ended target child daemon
	is_silent
}

# without_inode - take the inode out of the record, as an older kernel would write it
without_inode() {
	sed -Ei 's/("pidfd_inode": *)[0-9]+/\10/' evidence
	grep -q '"pidfd_inode": *0' evidence || fail 'the picture is wrong: no inode in the record'
}

# A record written inside, carried out outside; and that start ticks alone tell it.
read_outside() { # OFFSET
	job
	in_time "$1"
	"${IN[@]}" "$NSKILL" --record=evidence "$T" || fail 'cannot record'
	without_inode
	run ./evidence
	status_is 0
	ended target child daemon
	is_silent
}

by_ticks() { # OFFSET
	job
	in_time "$1"
	"$NSKILL" --record=evidence "$T" || fail 'cannot record'
	without_inode
	under "${IN[@]}"
	run ./evidence
	status_is 0
	ended target child daemon
	is_silent
}

# Ticks are not whole ticks apart: neither is a process that started one tick before or after.
many_starts() { # OFFSET
	local name names=()
	timens 1000000000 true || skip 'needs time namespaces'
	for name in {a..t}; do
		setsid announce "$name" &
		pause 0.003
		names+=("$name")
	done
	meet "${names[@]}"
	for name in "${names[@]}"; do
		T=${P[$name]}
		state "${BORN[$name]}"
		mv evidence "$name"
	done
	under timens "$1"
	run "${names[@]/#/./}"
	status_is 0
	ended "${names[@]}"
}

# By inside's reckoning the other process has the right start.
not_there() { # OFFSET in whole seconds
	job
	in_time "$1"
	state $((BORN[target] + $1 / 10000000))
	under "${IN[@]}"
	run ./evidence
	status_is 0
	ended
}

# The maker of the mount namespace is older than the target: its start there is before zero.
elder_before_zero() { # [pidfile]
	# shellcheck disable=SC2016 # a script
	mkfifo late
	setsid "${MNT[@]}" announce elder sh -c 'announce old & read -r _ <late
		setsid announce target & exec announce in-elder' &
	meet elder old
	until_true old_enough elder
	timens now announce holder & # whose time has just begun
	call parent $!
	meet holder
	echo x >late
	meet target in-elder
	forget in-elder
	same mnt elder target old
	bystanders
	under nsenter --time --target "${P[holder]}"
	if [[ $# = 0 ]]; then
		run "${P[target]}"
		status_is 0
		ended target
	else
		echo "${P[elder]}" >file.pid
		run ./file.pid
		status_is 0
		ended elder old target
	fi
}

# old_enough NAME - started more than 100 ms ago
old_enough() {
	local now
	read -r now _ </proc/uptime
	((${now/./} - BORN[$1] > 10))
}

too_old() { # OFFSET
	job
	in_time "$1"
	echo "$T" >file.pid
	date_file file.pid target 30
	under "${IN[@]}"
	run ./file.pid
	status_is 3
	ended
	says "$T" '--trust-pidfile'
}

dead_inside() { # OFFSET
	job
	in_time "$1"
	"$NSKILL" --record=evidence "$T" || fail 'cannot record'
	kill -KILL "$T" "${P[child]}"
	until_true is_zombie target
	until_true is_over child
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	under "${IN[@]}"
	run ./evidence
	status_is 0
	ended daemon
	is_silent
}

# Of one that is named by its inode and gone, nothing tells the start.
stale() { # OFFSET
	job
	"$HELPERS/pidfd-inode" $$ >/dev/null 2>&1 || skip 'needs pidfds with inodes'
	in_time "$1"
	under "${IN[@]}"
	run --older=1ms -n -J "$T:5"
	status_is 1
	ended
	grep -q '"state": "reused"' out || fail 'the picture is wrong: it is not reused'
	grep -q '"start_ticks": null' out || fail 'a start is told'
	cp out plan
	run --plan=plan
	status_is 0
	ended
}

for offset in $OFFSETS; do
	for form in record state pidfile number; do
		check user "by a $form from outside, $offset ns apart" read_inside $form "$offset"
	done
	check user "by a record from inside, $offset ns apart" read_outside "$offset"
	check user "by a record with a start alone, $offset ns apart" by_ticks "$offset"
	check user "by a record of who is dead, $offset ns apart" dead_inside "$offset"
	check user "a pidfile that is too old is refused, $offset ns apart" too_old "$offset"
done
check root "so it is for root, by a state.json from outside" read_inside state 1000000000000
for offset in 1003000000 -1007000000; do
	check user "twenty that started at all times, $offset ns apart" many_starts $offset
done
check user "an elder that started before the time there began is an elder" elder_before_zero
check user "a pidfile can name him" elder_before_zero pidfile
check user "one who is gone and was named by his inode has no start inside" stale 1000000000000
check user "a start that is right inside alone names nobody" not_there 1000000000000
finish
