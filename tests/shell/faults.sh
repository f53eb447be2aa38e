#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults.sh - any one system call of nskill's fails, with any error that it can give
#
# No bystander is ever hit, nskill does not say 0 while a member lives, leaves no descriptor open,
# and ends in time. RUNS is how many runs there are for each picture (default 30), of which SEED
# makes the choice; "all" lets every call of an undisturbed run fail once with every error, and all
# later ones with it. To repeat one: PICTURE=job FAULT=openat@17=EMFILE VERBOSE=1.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

export RUNS=${RUNS:-30} SEED=${SEED:-$RANDOM} PICTURE=${PICTURE-} FAULT=${FAULT-}
TIME=3000 # milliseconds that nskill is given
SLACK=1000
[[ -z $SANITIZED ]] || SLACK=8000
limits 60 240
[[ $RUNS != all ]] || limits 3600 18000
[[ $RUNS != [0-9]* ]] || limits $((60 + RUNS)) $((240 + RUNS * 8))

# What can fail, and how.
FAULTS=(
	'openat EMFILE ENFILE ENOMEM EACCES ENOENT ESRCH EINTR EIO'
	'read EINTR EIO ESRCH short'
	'pread64 EINTR EIO short'
	'readlink EACCES ENOENT ENOMEM ESRCH EIO'
	'readlinkat EACCES ENOENT ENOMEM ESRCH EIO'
	'getdents64 EINTR EIO ENOENT ENOMEM'
	'newfstatat EACCES ENOENT ENOMEM EIO'
	'fstat EIO ENOMEM'
	'statx EIO ENOMEM EPERM'
	'access ENOENT ENOMEM'
	'faccessat ENOENT ENOMEM'
	'pidfd_open EMFILE ENFILE ENOMEM EINVAL ENOENT ESRCH EPERM'
	'pidfd_send_signal EACCES EPERM EINVAL ESRCH ENOMEM'
	'epoll_wait EINTR EBADF EINVAL'
	'epoll_pwait EINTR EBADF EINVAL'
	'epoll_ctl ENOMEM ENOSPC'
	'epoll_create1 EMFILE ENOMEM'
	'signalfd4 EMFILE ENOMEM'
	'poll EINTR ENOMEM'
	'ppoll EINTR ENOMEM'
	'ioctl EPERM EINTR ENOMEM ENOTTY EMFILE'
	'fcntl EMFILE'
	'fstatfs EINTR EIO ENOSYS'
	'statfs EINTR EIO'
	'getpgid ESRCH EPERM'
	'getsid ESRCH EPERM'
	'capget EPERM'
	'mmap ENOMEM'
	'brk ENOMEM'
	'write EINTR EAGAIN EIO EPIPE ENOSPC'
	'clone EAGAIN ENOMEM'
	'clone3 EAGAIN ENOMEM ENOSYS'
	'wait4 EINTR ECHILD'
	'rt_sigaction EINVAL'
	'rt_sigprocmask EINVAL'
	'prlimit64 EPERM'
)

# ---- pictures: a target T, its MEMBERS, and how nskill is run ----

# strangers - whom no run may end: among them one who is as the target is, but nobody's
strangers() {
	bystanders
	setsid announce -r twin sh -c '
		(setsid announce twin-daemon &); setsid announce twin-apart & announce twin-child &
		exec announce in-twin' &
	setsid "${MNT[@]}" announce -r elder sh -c 'announce elder-child & exec announce in-elder' &
	meet twin twin-daemon twin-apart twin-child in-twin elder elder-child in-elder
	forget in-twin in-elder
	STRANGERS=("${!P[@]}")
}

# A job in a mount namespace of its own. Its child is the first, and so the oldest of all that is
# left of one that is gone, however slow the machine is.
job() {
	setsid "${MNT[@]}" announce -r target sh -c '
		announce child & (setsid announce daemon &); setsid announce aside &
		exec announce in-target' &
	TARGET=(target daemon aside child)
}

# One that only its group, its session and its descent tie.
host() {
	setsid announce -r target sh -c '
		(announce orphan &); setsid announce aside & announce -g grouped &
		exec announce in-target' &
	TARGET=(target orphan aside grouped)
}

# A guest in a mount namespace that has an elder.
guest() {
	entering elder
	setsid "${ENTER[@]}" announce -r target sh -c '
		setsid announce aside & announce child & exec announce in-target' &
	TARGET=(target aside child)
}

# A guest that makes children all the time, which leave its group and session at once.
forking() {
	spray leave 5000 &
	TARGET=(spray)
}

# The same of one that leads a group and a session.
leading() {
	setsid spray leave 5000 &
	TARGET=(spray)
}

# One that is gone, and has left some.
gone() {
	job
}

stubborn() {
	setsid "${MNT[@]}" announce -r target sh -c '
		trap "" TERM; (setsid announce daemon &); announce child & exec announce in-target' &
	TARGET=(target daemon child)
	OPTIONS=(-s TERM -k 0.1)
}

recorded() {
	job
}

# One whose cgroup is asked for, which is that of all here.
in_cgroup() {
	job
	OPTIONS=(-m +cgroup)
}

# draw PICTURE
draw() {
	forget "${MEMBERS[@]}" in-target
	OPTIONS=()
	"$1"
	disown
	MEMBERS=("${TARGET[@]}")
	case $1 in
	forking | leading)
		meet spray
		T=${P[spray]}
		return
		;;
	esac
	meet "${MEMBERS[@]}" in-target
	T=${P[target]}
	case $1 in
	gone)
		kill -KILL "$T"
		until_true is_gone target
		MEMBERS=("${MEMBERS[@]:1}")
		;;
	recorded)
		"$NSKILL" --record=file.record "$T" || fail 'cannot record'
		T=./file.record
		;;
	esac
}

wipe() {
	local name
	for name in "${MEMBERS[@]}"; do
		! is_member "$name" || kill -KILL "${P[$name]}"
	done
	while find_children; do kill -KILL "${CHILDREN[@]}"; done
	for name in "${MEMBERS[@]}"; do until_true is_over "$name"; done
} 2>/dev/null

# find_children - sets CHILDREN to those that a target has made all the time, and that are alive
find_children() {
	local file line
	CHILDREN=()
	[[ $DRAWN = @(forking|leading) ]] || return 1
	for file in /proc/[0-9]*/stat; do
		IFS= read -r line <"$file" || continue
		[[ $line != *' (spray) '[!ZX]* ]] || CHILDREN+=("${line%% *}")
	done 2>/dev/null
	((${#CHILDREN[@]} > 0))
}

# is_member NAME - alive, and still who bore that name
is_member() {
	is_alive "${P[$1]}" && [[ ${STAT[19]} = "${BORN[$1]}" ]]
}

# ---- a run and its judgement ----

declare -A SUM=([runs]=0 [processes]=0 [strangers]=0 [false]=0 [late]=0 [overrun]=0 [leaks]=0 [wrong]=0)
declare -A STATUSES=()

complain() { # WHAT
	SUM[$1]=$((SUM[$1] + 1))
	echo "PICTURE=$DRAWN FAULT=$2: $3 (status $STATUS, $ELAPSED ms)"
	head -n 5 err
}

# disturb FAULT[,FAULT]... - one run, with what "inject" has to say in the file "counts"
disturb() {
	local begin=${EPOCHREALTIME/[^0-9]/}
	# shellcheck disable=SC2048,SC2086 # a list of words
	timeout --foreground -s KILL 20 inject -o counts ${*//,/ } -- "$NSKILL" -t $((TIME / 1000)) \
		"${OPTIONS[@]}" "$T" </dev/null >out 2>err 9>&-
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - begin) / 1000))
}

judge() { # FAULT
	local name left living=()
	SUM[runs]=$((SUM[runs] + 1))
	SUM[processes]=$((SUM[processes] + ${#MEMBERS[@]}))
	STATUSES[$STATUS]=$((${STATUSES[$STATUS]-0} + 1))
	for name in "${STRANGERS[@]}"; do
		is_member "$name" || { complain strangers "$1" "$name is dead"; tell; exit 1; }
		[[ ${STAT[0]} != T ]] || { complain strangers "$1" "$name is stopped"; tell; exit 1; }
	done
	[[ $STATUS != 0 ]] || is_spared "$1" || for name in "${MEMBERS[@]}"; do
		! is_member "$name" || living+=("$name")
	done
	[[ $STATUS != 0 ]] || ! find_children || living+=("${#CHILDREN[@]} children")
	[[ -z ${living-} ]] || complain false "$1" "status 0, and alive: ${living[*]}"
	((ELAPSED - TIME <= SUM[overrun])) || SUM[overrun]=$((ELAPSED - TIME))
	((ELAPSED <= TIME + SLACK)) || complain late "$1" 'too late'
	left=$(grep '^left' counts) && complain leaks "$1" "$left"
	case $STATUS in
	0 | 3 | 4 | 5 | 124) ;;
	141) [[ $1 = write@*EPIPE ]] || complain wrong "$1" 'dead of SIGPIPE' ;;
	*) complain wrong "$1" "no status of nskill's: $(grep '^signal' counts)" ;;
	esac
}

# is_spared FAULT - the kernel kept saying that nobody may look at a namespace link, or that there
# is none, as at the end of a process, so that nobody is known to be in there; or that nobody may know
# whose a namespace is: then it was left alone, and that was said
is_spared() {
	[[ $1 != @(readlink|readlinkat)@*+=@(EACCES|ENOENT|ESRCH) ]] || return 0
	[[ $1 = ioctl@*+=@(ENOTTY|EPERM) ]] && grep -q 'left alone the container' err
}

tell() {
	echo "figures: runs=${SUM[runs]} processes=${SUM[processes]}" \
		"strangers_hit=${SUM[strangers]} false_gone=${SUM[false]} overrun_ms=${SUM[overrun]}"
}

try() { # FAULT
	draw "$DRAWN"
	disturb "$1"
	judge "$1"
	wipe
}

# list - every fault there can be, as counted in an undisturbed run
list() {
	local kind call n error
	local -A counted=()
	draw "$DRAWN"
	disturb "${FAULTS[@]/%\ */@0=EIO}"
	wipe
	[[ $STATUS = 0 ]] || fail "status $STATUS in an undisturbed run"
	while read -r call n _; do counted[$call]=$n; done <counts
	for kind in "${FAULTS[@]}"; do
		call=${kind%% *}
		[[ -z $SANITIZED || $call != @(mmap|brk) ]] || continue # the sanitizer would abort
		for error in ${kind#* }; do
			for ((n = counted[$call]; n > 0; n--)); do echo "$call@$n=$error"; done
			((counted[$call] == 0)) ||
				echo "$call@1+=$error" "$call@$((counted[$call] / 2 + 1))+=$error"
		done
	done
	[[ -z $SANITIZED ]] || return 0
	# When no memory is to be had, neither way gives any.
	for ((n = counted[mmap]; n > 0; n--)); do echo "brk@$n+=ENOMEM,mmap@$n+=ENOMEM"; done
}

# try_some FAULT... - half of RUNS, or all
try_some() {
	local i step=1
	[[ $RUNS = all ]] || step=$(((2 * $# + RUNS - 1) / RUNS))
	for ((i = RANDOM % step + 1; i <= $#; i += step)); do try "${!i}"; done
}

faults() { # PICTURE
	local all=() word once=() lasting=()
	DRAWN=$1
	MEMBERS=()
	RANDOM=$SEED
	no_leak_check
	strangers
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	if [[ -n $FAULT ]]; then
		[[ $PICTURE = "$1" ]] || return 0
		try "$FAULT"
		cat out err counts
	else
		read -r -d '' -a all <<<"$(list)"
		((${#all[@]} > 0)) || fail 'nothing was counted'
		for word in "${all[@]}"; do
			if [[ $word = *+=* ]]; then lasting+=("$word"); else once+=("$word"); fi
		done
		try_some "${once[@]}"
		try_some "${lasting[@]}"
	fi
	echo "$1: ${#all[@]} faults, ${SUM[runs]} runs: ${SUM[strangers]} strangers hit," \
		"${SUM[false]} times a false \"gone\", ${SUM[late]} too late," \
		"at most ${SUM[overrun]} ms after the deadline, ${SUM[leaks]} with descriptors left," \
		"${SUM[wrong]} without a status"
	for word in "${!STATUSES[@]}"; do echo "status $word: ${STATUSES[$word]}"; done
	tell
	((SUM[strangers] + SUM[false] + SUM[late] + SUM[leaks] + SUM[wrong] == 0)) || exit 1
}

# again CALL ERROR - wherever that call fails once so, it is made again: all of it ends, and no more
again() {
	local n count
	DRAWN=job
	MEMBERS=()
	no_leak_check
	strangers
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	draw $DRAWN
	disturb "$1@0=$2"
	count=$(sed -n "s/^$1 \([0-9]*\) .*/\1/p" counts)
	((count > 0)) || fail "no $1 was counted"
	wipe
	for ((n = 1; n <= count; n++)); do
		try "$1@$n=$2"
		[[ $STATUS = 0 ]] || fail "PICTURE=$DRAWN FAULT=$1@$n=$2: status $STATUS"
	done
	((SUM[strangers] + SUM[false] + SUM[late] + SUM[leaks] == 0)) || exit 1
}

for picture in job host guest forking leading gone stubborn recorded in_cgroup; do
	check user "no failing call leads astray: $picture" faults $picture
done
for fault in 'pidfd_open ESRCH' 'pidfd_send_signal ESRCH' 'getdents64 EIO' 'pread64 short'; do
	# shellcheck disable=SC2086 # two words
	check user "what fails once is asked again: $fault" again $fault
done
finish
