#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cgroups.sh - what a cgroup alone ties to a target ends with it when asked for, and only then

# shellcheck disable=SC2016 # what is in single quotes is for the shells that are started
# shellcheck disable=SC2034 # BEGIN is for finish_wait
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# ---- outside: a place for cgroups below our own, and none left there at the end ----

CGROUP2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
PIDS=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2; exit }' /proc/mounts)
PIDS=${PIDS:+$PIDS/${WORK##*/}}

# remove_all FOLDER... - those cgroups and all below; who is on his way to death holds them a while
remove_all() {
	local try folders=()
	for ((try = 0; try < 200; try++)); do
		mapfile -t folders < <(find "$@" -depth -type d 2>/dev/null)
		((${#folders[@]})) || return 0
		rmdir "${folders[@]}" 2>/dev/null
		sleep 0.02
	done
}

remove_cgroups() {
	local cgroup cgroups=()
	for cgroup in "$BASE"/[0-9]* "$PIDS"-*; do
		[[ ! -d $cgroup ]] || cgroups+=("$cgroup")
	done
	((${#cgroups[@]} == 0)) || remove_all "${cgroups[@]}"
}

# enter_base - make BASE, and be in BASE/main
#
# All that runs here is in a cgroup beside those of the checks. To move a process, its user must be
# able to write where it comes to be, and above both (cgroups(7), "Cgroup delegation").
enter_base() {
	OWN=$(sed -n 's/^0:://p' /proc/self/cgroup)
	OWN=$CGROUP2${OWN%/}
	if [[ -z $CGROUP2 ]] || ! mkdir "$OWN/${WORK##*/}" 2>/dev/null; then
		return
	fi
	BASE=$OWN/${WORK##*/}
	mkdir "$BASE/main"
	chmod a+w "$BASE" "$BASE/cgroup.procs" "$BASE/main/cgroup.procs"
	if ! echo $$ 2>/dev/null >"$BASE/main/cgroup.procs"; then
		remove_all "$BASE"
		BASE=
	fi
}

leave_base() {
	[[ -n $BASE ]] || return 0
	echo $$ >"$OWN/cgroup.procs"
	remove_all "$BASE"
}

if [[ -z ${TEST_NUMBER-} ]]; then
	export BASE=
	enter_base
	on_limit remove_cgroups
	trap 'clean_up; leave_base' EXIT
fi

# ---- inside ----

# new_cgroup - make G, of the check at hand
new_cgroup() {
	G=$BASE/${TEST_DIR##*/}
	if [[ -z $BASE ]] || ! mkdir "$G"; then
		skip 'needs a cgroup2 that can be written'
	fi
}

# new_v1_cgroup - make G in the hierarchy of v1's pids, where no cgroup2 is to be seen
new_v1_cgroup() {
	[[ -n $PIDS ]] || skip 'needs the pids controller of v1'
	[[ -z $CGROUP2 ]] || umount "$CGROUP2" || skip 'needs to hide the cgroup2 file system'
	G=$PIDS-${TEST_DIR##*/}
	mkdir "$G" || skip 'needs a v1 cgroup that can be written'
}

# Before a folder and a command: run that there.
IN=(sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"')

# lost COMMAND... - a target in G that has started a process which has left all but that
lost() {
	setsid "${IN[@]}" "$G" announce -r target sh -c '
		(setsid sh -c "\"\$@\" &" sh "$@" &)
		exec announce here' sh "$@" &
	meet target daemon here
	forget here
	until_true has_no_parent daemon
	different session target daemon
	different pgrp target daemon
	bystanders
	T=${P[target]}
}

job_in_cgroup() {
	new_cgroup
	lost setsid announce daemon
}

says_not() { # REGEX
	! grep -Eq -- "$1" err || fail "standard error does say: $1"
}

left_by_default() {
	job_in_cgroup
	run "$T"
	status_is 0
	ended target
	is_silent
}

left_by_other_kinds() {
	job_in_cgroup
	run -m +all,-cgroup "$T"
	status_is 0
	ended target
}

taken() {
	job_in_cgroup
	run -m +cgroup "$T"
	status_is 0
	ended target daemon
	is_silent
	[[ -z $(<"$G/cgroup.procs") ]] || fail 'somebody is in the cgroup'
}

struck() {
	job_in_cgroup
	run -v -m +cgroup "$T"
	status_is 0
	ended target daemon
	says "sent KILL to cgroup [^ ]*/${TEST_DIR##*/} as a whole \\(cgroup\\.kill\\)"
	says "ended ${P[daemon]} "
}

listed() {
	job_in_cgroup
	run -n -m +cgroup "$T"
	status_is 0
	lists_exactly target daemon
	lists "${P[daemon]} .* cgroup [^ ]*/${TEST_DIR##*/} "
	ended
}

alone() {
	job_in_cgroup
	run -m cgroup "$T"
	status_is 0
	ended target daemon
}

terminated() {
	job_in_cgroup
	run -v -s TERM -m +cgroup "$T"
	status_is 0
	ended target daemon
	says_not 'as a whole'
	says 'sent TERM to'
}

# ---- without cgroup.kill ----

unwritable() {
	job_in_cgroup
	chmod a-w "$G/cgroup.kill" || skip 'needs cgroup.kill (Linux 5.14)'
	run -v -m +cgroup "$T"
	status_is 0
	ended target daemon
	says_not 'cgroup.kill'
}

read_only() {
	job_in_cgroup
	mount -o remount,bind,ro "$CGROUP2"
	run -v -m +cgroup "$T"
	status_is 0
	ended target daemon
	says_not 'cgroup.kill'
}

v1() {
	new_v1_cgroup
	lost setsid announce daemon
	run -m +cgroup "$T"
	status_is 0
	ended target daemon
	is_silent
}

v1_shared() {
	new_v1_cgroup
	"${IN[@]}" "$G" setsid announce older &
	meet older
	lost setsid announce daemon
	run -m +cgroup "$T"
	status_is 0
	ended target
}

# Our paths lead elsewhere in a mount of a part; here even to something.
part_mounted() {
	job_in_cgroup
	mkdir -p "$G/${G#"$CGROUP2"}" part
	mount --bind "$G" part
	umount "$CGROUP2" || skip 'needs to hide the cgroup2 file system'
	run -m +cgroup "$T"
	status_is 0
	ended target
}

# ---- what is below, above and beside ----

below() {
	new_cgroup
	mkdir -p "$G/sub/deep"
	lost "${IN[@]}" "$G/sub/deep" setsid announce daemon
	run -v -m +cgroup "$T"
	status_is 0
	ended target daemon
	says "cgroup [^ ]*/${TEST_DIR##*/} as a whole"
	says_not 'cgroup .*/deep as a whole'
}

made_below() {
	new_cgroup
	mkdir "$G/sub"
	"${IN[@]}" "$G" setsid announce older &
	meet older
	setsid "${IN[@]}" "$G" announce -r target sh -c '
		"$@" setsid announce -r inner sh -c "(setsid announce daemon &); exec announce in" &
		exec announce here' sh "${IN[@]}" "$G/sub" &
	meet target inner daemon in here
	forget in here
	until_true has_no_parent daemon
	bystanders
	run -v -m +cgroup "${P[target]}"
	status_is 0
	ended target inner daemon
	says "not followed: the target's cgroup [^ ]*/${TEST_DIR##*/}: a process in it is older: ${P[older]} "
}

above() {
	new_cgroup
	mkdir "$G/sub"
	"${IN[@]}" "$G" setsid announce outside &
	meet outside
	G=$G/sub
	lost setsid announce daemon
	"${IN[@]}" "${G%/*}" setsid announce younger &
	meet younger
	run -m +cgroup "$T"
	status_is 0
	ended target daemon
}

# ---- what is never taken ----

shared() {
	new_cgroup
	"${IN[@]}" "$G" setsid announce older &
	meet older
	lost setsid announce daemon
	run -m +cgroup "$T"
	status_is 0
	ended target
	is_silent
}

shared_all() {
	new_cgroup
	"${IN[@]}" "$G" setsid announce older &
	meet older
	lost setsid announce daemon
	run -m +cgroup --all "$T"
	status_is 0
	ended target
}

older_below() {
	new_cgroup
	mkdir "$G/sub"
	"${IN[@]}" "$G/sub" setsid announce older &
	meet older
	lost setsid announce daemon
	run -v -m +cgroup "$T"
	status_is 0
	ended target
	says "not followed: the target's cgroup [^ ]*: a process in it is older: ${P[older]} "
}

holds_nskill() {
	job_in_cgroup
	under "${IN[@]}" "$G"
	run -v -m +cgroup "$T"
	status_is 0
	ended target
	says "not followed: the target's cgroup [^ ]*: nskill itself is in it"
}

holds_nskill_below() {
	job_in_cgroup
	mkdir "$G/sub"
	under "${IN[@]}" "$G/sub"
	run -m +cgroup "$T"
	status_is 0
	ended target
}

root_cgroup() {
	new_cgroup
	G=$CGROUP2
	lost setsid announce daemon
	run -v -m +cgroup "$T"
	status_is 0
	ended target
	says "not followed: the target's cgroup /: "
}

# What is in another PID namespace cannot be seen from there, so that its age is not known either;
# but the kernel lists it, and would end it, too.
seen_in_part() { # FOLDER [COMMAND...] - what nskill runs under
	new_cgroup
	mkdir "$G/$1"
	"${IN[@]}" "$G/$1" setsid announce outsider &
	meet outsider
	bystanders
	under unshare --pid --fork --kill-child --mount-proc sh -c '
		sh -c "echo 0 >\"$G/cgroup.procs\"; exec sleep 1000" &
		(cd / && until grep -q sleep "/proc/$!/comm"; do :; done)
		"$@" "$!"' sh "${@:2}"
	export G
	run -v -m +cgroup
	status_is 0
	ended
	says '^nskill: ended .* \(sleep\)'
	says_not 'cgroup\.kill'
}

# What is below cannot be listed to its end.
unlisted() {
	type -P strace >/dev/null || skip 'needs strace'
	no_leak_check
	G=$BASE/${TEST_DIR##*/} # as new_cgroup makes it
	seen_in_part sub strace -qq -o trace -P "$G" -e trace=getdents64 \
		-e inject=getdents64:error=EIO
	grep -q 'INJECTED' trace || fail 'the picture is wrong: no call has failed'
}

# ---- who comes and goes ----

moves_in() {
	new_cgroup
	setsid announce late &
	meet late
	setsid "${IN[@]}" "$G" sh -c '
		trap "echo $0 >\"$1/cgroup.procs\"; exit" TERM
		echo target $$ >&9
		while :; do sleep 0.05; done' "${P[late]}" "$G" &
	meet target
	bystanders
	run -s TERM -k 2 -m +cgroup "${P[target]}"
	status_is 0
	is_over target || fail 'the target lives'
	is_over late || fail 'who has come in lives'
	is_alive "${P[near]}" || fail 'a bystander is dead'
}

moves_out() {
	new_cgroup
	lost setsid sh -c '
		trap "echo 0 >\"$0/main/cgroup.procs\"; echo out >&9" TERM
		echo daemon $$ >&9
		while :; do sleep 0.05; done' "$BASE"
	run -s TERM -k 1 -m +cgroup "$T"
	status_is 0
	is_over target || fail 'the target lives'
	is_over daemon || fail 'who has gone out lives'
	is_alive "${P[near]}" || fail 'a bystander is dead'
}

# hops - whether it still forks
hops() {
	local before after
	before=$(od -An -t u8 -N 8 hopped)
	pause 0.1
	after=$(od -An -t u8 -N 8 hopped)
	[[ $before != "$after" ]]
}

hopping() {
	new_cgroup
	truncate -s 4096 hopped
	setsid "${IN[@]}" "$G" announce -r target sh -c '
		(setsid hop mnt hopped &)
		exec announce here' &
	meet target here
	until_true hops
	run -m cgroup "${P[target]}"
	status_is 0
	is_over target || fail 'the target lives'
	! hops || fail 'it still hops'
	until_true is_empty "$G"
}

is_empty() { # CGROUP
	grep -qx 'populated 0' "$1/cgroup.events"
}

# start - nskill --on-exit, which has begun to wait when this returns
start() {
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	"$NSKILL" --on-exit -m +cgroup "${P[target]}" >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	until_true waits
}

# waits - nskill sleeps in epoll
waits() {
	local call
	read -r call _ <"/proc/$NSKILL_PID/syscall" 2>/dev/null || return 1
	[[ $call = 232 || $call = 281 || $call = 22 ]]
}

# The kernel gives the place in the file system again, but not its number.
made_anew() {
	new_cgroup
	mkfifo end
	setsid "${IN[@]}" "$G" announce target sh -c 'read -r _ <end' &
	meet target
	bystanders
	start
	kill -STOP "$NSKILL_PID"
	echo >end
	until_true is_over target
	until_true rmdir "$G" 2>/dev/null
	mkdir "$G"
	"${IN[@]}" "$G" setsid announce stranger &
	meet stranger
	kill -CONT "$NSKILL_PID"
	finish_wait
	status_is 0
	is_alive "${P[stranger]}" || fail 'who came later is dead'
}

# The same without a new one: what it has left there ends.
outlived() {
	new_cgroup
	mkfifo end
	setsid "${IN[@]}" "$G" announce -r target sh -c '
		(setsid sh -c "setsid announce daemon &" &)
		read -r _ <end' &
	meet target daemon
	until_true has_no_parent daemon
	bystanders
	start
	echo >end
	finish_wait
	status_is 0
	is_over daemon || fail 'the daemon lives'
}

# ---- other sorts ----

frozen() {
	job_in_cgroup
	echo 1 >"$G/cgroup.freeze"
	until_true grep -qx 'frozen 1' "$G/cgroup.events"
	run -m +cgroup "$T"
	status_is 0
	ended target daemon
}

# A threaded cgroup lists its processes in the one above alone, and has no cgroup.kill.
threaded() {
	new_cgroup
	mkdir "$G/sub"
	echo threaded >"$G/sub/cgroup.type" || skip 'needs threaded cgroups'
}

threaded_below() {
	threaded
	lost sh -c 'echo 0 >"$0/sub/cgroup.threads" && exec setsid announce daemon' "$G"
	run -v -m +cgroup "$T"
	status_is 0
	ended target daemon
	says 'as a whole \(cgroup\.kill\)'
}

threaded_target() {
	threaded
	"${IN[@]}" "$G" setsid announce above &
	meet above
	setsid "${IN[@]}" "$G" sh -c '
		echo 0 >"$0/sub/cgroup.threads"
		exec announce -r target sh -c "(setsid announce daemon &); exec announce here"' "$G" &
	meet target daemon here
	forget here
	until_true has_no_parent daemon
	bystanders
	run -v -m +cgroup "${P[target]}"
	status_is 0
	ended target daemon
	says_not 'cgroup\.kill'
}

# ---- a dead target ----

stand_in() {
	new_cgroup
	setsid "${IN[@]}" "$G" sh -c '
		echo target $$ >&9
		announce mate & (setsid announce daemon &)' &
	meet target mate daemon
	until_true is_gone target
	until_true has_no_parent daemon
	bystanders
	run -v -m +cgroup "${P[target]}"
	status_is 0
	ended mate daemon
	says 'as a whole \(cgroup\.kill\)'
}

# ---- what is read ----

unread_by_default() {
	type -P strace >/dev/null || skip 'needs strace'
	job_in_cgroup
	no_leak_check
	under strace -f -e trace=%file -o trace
	run "$T"
	[[ -s trace ]] || skip 'strace may not trace'
	status_is 0
	! grep -v '\.gcda"' trace | grep cgroup || fail 'cgroups are looked at'
}

check 'root plain user' 'a process that has left all but the cgroup is left by default' left_by_default
check 'root plain user' 'and by all other kinds' left_by_other_kinds
check 'root plain user' 'with +cgroup it ends' taken
check 'root plain user' 'the cgroup is struck as a whole, and -v says so' struck
check 'root plain user' 'the listing names the cgroup' listed
check 'root plain user' 'the cgroup alone is enough' alone
check 'root plain user' 'another signal than KILL goes to each' terminated
check plain 'without a cgroup.kill that can be written, each is killed' unwritable
check root 'and where the file system is read-only' read_only
check root 'without v2 the cgroup of the pids controller of v1 counts' v1
check root 'and is left where an older process is in it' v1_shared
check root 'a mount that shows a part of the hierarchy does not count' part_mounted
check 'root plain user' 'what is below ends with it, by one strike' below
check 'root plain user' 'a cgroup made below one that is shared ends' made_below
check 'root plain user' 'the cgroup above is left' above
check 'root plain user' 'a cgroup that is shared with an older process is left' shared
check 'root plain user' 'even with --all' shared_all
check 'root plain user' 'so is one with an older process below it' older_below
check 'root plain user' 'so is one that holds nskill' holds_nskill
check 'root plain user' 'or that holds nskill below it' holds_nskill_below
check root 'the root is never taken' root_cgroup
check 'root plain user' 'who moves in meanwhile ends' moves_in
check 'root plain user' 'who moves out meanwhile ends' moves_out
check 'root plain user' 'who forks and leaves all the time but the cgroup ends' hopping
check 'root plain user' 'a cgroup of the same place that was made since is another' made_anew
check 'root plain user' 'with --on-exit what the target left in its cgroup ends' outlived
check 'root user' 'who cannot be seen from here is not struck with a cgroup' seen_in_part sub
check 'root user' 'nor where he is in one whose name begins with a dot' seen_in_part .sub
check 'root user' 'nor where what is below cannot be listed' unlisted
check 'root plain user' 'a frozen cgroup ends' frozen
check 'root plain user' 'a threaded cgroup below ends with the one above' threaded_below
check 'root plain user' 'in a threaded cgroup each is killed' threaded_target
check 'root plain user' 'who stands in for a dead target leads to the cgroup' stand_in
check 'root plain user' 'nothing is read of cgroups by default' unread_by_default
finish
