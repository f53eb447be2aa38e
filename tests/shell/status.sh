#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# status.sh - what nskill says and how it exits

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# stubborn - a target that ignores what it can, and its child that does not
stubborn() {
	setsid sh -c 'trap "" TERM INT HUP; exec announce target' &
	meet target
	bystanders
	T=${P[target]}
}

# ---- exit statuses ----

success() {
	job
	run "$T"
	status_is 0
	ended target orphan child
	is_silent
	run "$T"
	status_is 0
	ended
	is_silent
}

signal_words() { # ARGUMENT...
	job
	run "$@" "$T"
	status_is 0
	ended target orphan child
	is_silent
}

# The handlers write down what has come.
signal_comes() { # SIGNAL ARGUMENT...
	local signal=$1
	shift
	# shellcheck disable=SC2016 # a script
	setsid sh -c 'trap "echo got-$1 \$\$ >&9; exit" "$1"
		mkfifo never; echo target $$ >&9; read -r _ <>never' sh "$signal" &
	meet target
	run "$@" "${P[target]}"
	status_is 0
	ended target
	meet "got-$signal"
}

usage() {
	local lines
	run "$@"
	status_is 2
	ended
	[[ ! -s out ]] || fail 'standard output is not empty'
	mapfile -t lines <err
	((${#lines[@]} == 1 || ${#lines[@]} == 2)) || fail 'not one line and where to look'
	[[ ${lines[0]} = 'nskill: '?* ]] || fail "not a sentence of nskill's"
	[[ ${lines[-1]} = *"Try 'nskill --help'"* ]] || fail 'does not say where to look'
}

usage_errors() {
	local words
	job
	usage
	usage --
	for words in '-s FOO' '-s 0' '-s 65' '-s -1' '-s 9x' '-0' '--signal=' '-t x' '-t -1' \
		'-t 1x' '-t 1ss' '-TERM -k 0' '-TERM -k 2 -t 1' '-TERM -k 1 -t 1' '-TERM -k x' \
		'-k 1' '-m pgrp,' '-m ,pgrp' '-m foo' '-m pgrp,,mnt' '-m +foo' '--no-such-option' \
		'-Y' '--match=' '--timeout=' '--help=x' '--all=x' '-TREM' '-VTALR' '-FPR' \
		'-9 -5082' '-J -t x' '-iJ'; do
		# shellcheck disable=SC2086 # words
		usage $words "$T"
	done
	for words in -s -t -k -m; do usage "$words" '' "$T"; done
	for words in -s -t -k -m -F; do usage "$T" "$words"; done
}

dry_run_of_nothing() {
	bystanders
	true &
	wait $!
	run -n $!
	status_is 1
	ended
}

# A process of another user is in the target's group.
no_permission() { # [OPTION...]
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/announce" foreign & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" -r target sh -c '"$HELPERS/announce" child &
			exec "$HELPERS/announce" in-target' &
	meet foreign target child in-target
	forget in-target
	same pgrp foreign target child
	bystanders
	under "${AS_OTHER_USER[@]}"
	run "$@" "${P[target]}"
	status_is 4
	ended target child
	says "${P[foreign]}"
	((ELAPSED < 5000)) || fail 'has waited for what it could not signal'
}

target_without_permission() {
	make_readable
	setsid "$HELPERS/announce" target &
	meet target
	under "${AS_OTHER_USER[@]}"
	run "${P[target]}"
	status_is 4
	ended
	says "${P[target]}"
}

time_is_up() {
	stubborn
	run -s TERM -t 0.3 "$T"
	status_is 124
	ended
	says "$T"
	((ELAPSED >= 250)) || fail 'has given up too early'
}

# severity - 3 beats 124 beats 4 beats 0
refused_beats_time() {
	stubborn
	run -s TERM -t 0.2 "$T" 1
	status_is 3
	ended
	says "$T"
}

# ---- the ground ----

one_sentence_of() { # STATUS
	status_is "$1"
	ended
	says_one_sentence
}

denied() { # SYSCALL ERRNO
	job
	deny "$1" "$2" true || skip 'needs seccomp'
	under deny "$1" "$2"
	run "$T"
	one_sentence_of 5
	run -n "$T"
	one_sentence_of 5
	echo "$T" >file.pid
	run ./file.pid
	one_sentence_of 5
}

# It cannot signal at all, and says so.
no_signals() {
	job
	under deny pidfd_send_signal ENOSYS
	run "$T"
	[[ $STATUS = [45] ]] || fail "exit status $STATUS"
	ended
	says 'nskill: '
	((ELAPSED < 5000)) || fail 'has waited for what it could not signal'
}

# What newer kernels have is done without.
old_kernel() { # CALL ERRNO
	job
	under deny "$@"
	run "$T"
	status_is 0
	ended target orphan child
	is_silent
}

no_proc() {
	job
	# shellcheck disable=SC2016 # a script
	under "${MNT[@]}" sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"'
	run "$T"
	one_sentence_of 5
	says '/proc'
}

other_proc() {
	job
	# shellcheck disable=SC2016 # a script
	under "${MNT[@]}" --pid --fork sh -c '"$0" "$@"; exit $?'
	run "$T"
	one_sentence_of 5
	says '/proc'
	# the PID that is there in both
	run 1
	one_sentence_of 5
}

full() { # ARGUMENT...
	job
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" "$@" >/dev/full'
	run "$@" "$T"
	status_is 5
	ended
	says 'nskill: '
}

# ---- what is said ----

dry_run() {
	local header
	job
	run -n "$T"
	status_is 0
	ended
	header=$(grep -m 1 PID out)
	for column in PID PPID PGRP SID MNTNS STATE AGE WHY COMMAND; do
		[[ " $header " = *" $column "* ]] || fail "no column $column"
	done
	[[ ${header# } = PID\ * || ${header#"${header%%[! ]*}"} = PID\ * ]] || fail 'not PID first'
	lists_exactly target orphan child
	cp out listed
	run --dry-run "$T"
	[[ $(ranked listed) = "$(ranked out)" ]] || fail 'another list the second time'
}

# The order is the target, then by start tick and PID, whoever is whose parent.
kill_order() {
	local order pid
	setsid "${MNT[@]}" announce -r target sh -c '
		(setsid announce b &); announce a & sleep 0.05; announce c & exec announce d' &
	meet target a b c d
	forget d
	run -n "${P[target]}"
	status_is 0
	order=$(for pid in a b c; do
		echo "${BORN[$pid]} ${P[$pid]}"
	done | sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 2)
	[[ $(ranked out) = "${P[target]}"$'\n'"$order" ]] || fail "not in order: $order"
}

# An elder comes after the target that --all takes him with.
target_first() {
	setsid announce elder sh -c 'sleep 0.03; announce target & exec announce in-elder' &
	meet elder target in-elder
	forget in-elder
	different start elder target
	run -n --all "${P[target]}"
	status_is 0
	ended
	lists_exactly target elder
}

# strace shows the order of the sends, and --dry-run has told it.
as_listed() {
	local sent
	type -P strace >/dev/null || skip 'needs strace'
	job
	run -n "$T"
	lists_exactly target orphan child
	ranked out >listed
	no_leak_check
	under strace -o trace -e trace=pidfd_open,pidfd_send_signal
	run "$T"
	status_is 0
	ended target orphan child
	sent=$(awk -F '[(,)= ]+' '/^pidfd_open/ && $NF >= 0 { pid[$NF] = $2 }
		/^pidfd_send_signal.*SIGKILL/ && !/PROCESS_GROUP|0x4|, 4/ && !seen[pid[$2]]++ {
			print pid[$2] }' trace)
	[[ $sent = "$(<listed)" ]] || { cat trace; fail "sent to $sent"; }
}

verbose() {
	job
	run -v "$T"
	status_is 0
	ended target orphan child
	cat err >>out
	lists "$T" "${P[orphan]}" "${P[child]}"
	(($(wc -l <out) >= 3)) || fail 'not a line for each'
}

quiet() {
	job
	run -q "$T"
	status_is 0
	ended target orphan child
	is_silent
	run -q 1
	status_is 3
	says_one_sentence
}

help() {
	local option
	run --help
	status_is 0
	[[ ! -s err ]] || fail 'standard error is not empty'
	for option in --pidfile --match --all --signal --kill-after --timeout --dry-run --verbose \
		--quiet --help --version; do
		lists "$option"
	done
	cp out help
	run -h
	status_is 0
	cmp -s help out || fail '-h and --help differ'
}

version() {
	run --version
	status_is 0
	[[ ! -s err ]] || fail 'standard error is not empty'
	[[ $(head -n 1 out) = nskill\ * ]] || fail 'not the name first'
	cp out version
	run -V
	status_is 0
	cmp -s version out || fail '-V and --version differ'
}

# An order to stop ends the wait at once; there is a report, and nskill dies of that very signal.
interrupted() { # SIGNAL
	local signal=$1 begin runs
	type -P strace >/dev/null || skip 'needs strace'
	stubborn
	no_leak_check
	env --default-signal="$signal" strace -f -o trace -e trace=pidfd_send_signal \
		"$NSKILL" -s TERM -t 25 "$T" >out 2>err </dev/null 9>&- &
	call strace $!
	until_true grep -qs SIGTERM trace
	read -r -a runs <"/proc/${P[strace]}/task/${P[strace]}/children"
	begin=$SECONDS
	kill -s "$signal" "${runs[0]}"
	wait "${P[strace]}"
	if ((SECONDS - begin >= 5)); then
		cat trace err
		fail "the wait has taken $((SECONDS - begin)) s after the signal"
	fi
	grep -q "killed by SIG$signal" trace || { tail trace; fail "not dead of SIG$signal"; }
	is_alive "$T" || fail 'the target is dead'
	says "$T"
}

# What the caller has had ignored is nobody's order.
kept_ignored() { # SIGNAL
	local runs
	stubborn
	env --ignore-signal="$1" "$NSKILL" -v -s TERM -k 1 "$T" >out 2>err </dev/null 9>&- &
	runs=$!
	until_true grep -qs 'sent TERM' err
	kill -s "$1" "$runs"
	wait "$runs"
	STATUS=$?
	status_is 0
	is_gone target || fail 'the target is alive'
}

# So it is whatever nskill was doing when the order came: others are born all the time, so that it
# looks for newcomers, again and again.
interrupted_anywhere() {
	local delay begin runs
	# shellcheck disable=SC2016 # a script
	setsid sh -c 'trap "echo got $$ >&9" TERM; mkfifo never; echo target $$ >&9
		while :; do read -r _ <>never; done' &
	setsid sh -c 'echo noise $$ >&9; while :; do (:); done' &
	meet target noise
	for delay in 0 0 0 0 1 1 1 2 2 3 3 4 5 6 7 8 10 12 15 20; do
		"$NSKILL" -s TERM -t 8 "${P[target]}" >out 2>err </dev/null 9>&- &
		runs=$!
		meet got
		forget got
		((delay == 0)) || pause "$(printf '0.%03d' $delay)"
		begin=$SECONDS
		kill -TERM $runs
		wait $runs
		STATUS=$?
		((STATUS == 143)) || fail "exit status $STATUS $delay ms after the signal"
		((SECONDS - begin < 5)) || fail "still waiting, for an order after $delay ms"
		says "${P[target]}"
	done
}

check "user plain root" "0: what was alive is dead, and is so still the second time" success
check user "a signal can be given as -9" signal_words -9
check user "a signal can be given as -KILL" signal_words -KILL
check user "a signal can be given as -SIGKILL" signal_words -SIGKILL
check user "a signal can be given as --signal=sigkill" signal_words --signal=sigkill
check user "a signal can be given as -s 9" signal_words -s 9
for word in '-TERM' '-15' '-s term' '--signal=SIGTERM'; do
	# shellcheck disable=SC2086 # one or two words
	check user "$word sends TERM" signal_comes TERM $word
done
check user "-s USR1 -k 5 sends USR1 first" signal_comes USR1 -s USR1 -k 5
check user "1: --dry-run has found nothing to signal" dry_run_of_nothing
check "user" "2: usage errors are one line and where to look, and nobody is signalled" usage_errors
check root "4: a process of another user in the group is named, and the rest ends" no_permission
check root "4: so it is with a time limit of 1 s" no_permission -t 1
check root "4: a target of another user is named" target_without_permission
check "user plain" "124: time is up, and the survivor is named" time_is_up
check user "3 comes before 124" refused_beats_time
check "user plain" "5: a kernel without pidfd_open" denied pidfd_open ENOSYS
check "user plain" "5: a pidfd_open that a sandbox forbids" denied pidfd_open EPERM
check user "a kernel without pidfd_send_signal is told of" no_signals
check "user plain" "a kernel that cannot signal a group through a pidfd is no matter" \
	old_kernel group-signal EINVAL
check user "a kernel without the newer ioctls is no matter" old_kernel new-ioctl ENOTTY
# Sanitizers read /proc themselves, before nskill does.
[[ -n $SANITIZED ]] || check "user plain" "5: no /proc" no_proc
check "user plain" "5: the /proc of another PID namespace" other_proc
check user "5: a listing that cannot be written" full -n
check user "5: a help that cannot be written" full --help
check user "5: a version that cannot be written" full --version
check "user plain" "--dry-run lists in columns what would be signalled, and signals nothing" dry_run
check user "--dry-run lists in the order of the kill" kill_order
check user "--dry-run lists the target before an elder" target_first
check user "what --dry-run lists is signalled, in that order" as_listed
check user "--verbose names each process" verbose
check "user plain" "--quiet says nothing but errors" quiet
check user "--help tells of every option" help
check user "--version tells the version" version
check user "SIGHUP that the caller has had ignored (nohup) stays ignored" kept_ignored HUP
check user "SIGINT that the caller has had ignored (a job in the background) stays so" \
	kept_ignored INT
check user "SIGINT ends the wait, and nskill dies of it after the report" interrupted INT
check user "SIGTERM ends the wait, and nskill dies of it after the report" interrupted TERM
check user "SIGTERM ends the wait whenever it comes" interrupted_anywhere
finish
