#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# identity.sh - a signal reaches the process that was matched, and never a later owner of its PID

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

no_leak_check # most of this is traced

# swapped pin|send - who took over a member's PID lives, also when he did so in the same tick; then
# he cannot be told from the member, and is named (4)
swapped() {
	local try ties=0 before after fate status
	for ((try = 0; try < 60 && ties < 5; try++)); do
		read -r before after fate status < <(timeout -s KILL 20 \
			swap "$1" "$NSKILL" -q 2>>err 9>&-)
		[[ $before != no ]] || fail "nskill has never come to $1 the member"
		[[ $fate = lives ]] || fail "the newcomer: $fate, exit status $status"
		((status == 0 || (status == 4 && before == after))) || fail "exit status $status"
		((before != after)) || ties=$((ties + 1))
	done
	echo "$ties of $try in the same tick"
	((ties > 0)) || skip "never within one clock tick in $try tries"
}

# The number in an old pidfile is somebody else's now.
reused_by_younger() {
	setsid announce target &
	meet target
	echo "${P[target]}" >file.pid
	date_file file.pid target 10
	kill -KILL "${P[target]}"
	wait $! 2>/dev/null
	setsid setpid "${P[target]}" announce newcomer &
	call parent $!
	meet newcomer
	[[ ${P[newcomer]} = "${P[target]}" ]] || fail 'the picture is wrong: another PID'
	run ./file.pid
	status_is 3
	ended
	says_one_sentence
}

# traced ARGUMENT... - nskill under strace, with its files by name
traced() {
	type -P strace >/dev/null || skip 'needs strace'
	local calls=kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_open,pidfd_send_signal
	under strace -f -y -s 300 -o trace -e trace="$calls,openat,open,readlink,readlinkat,read"
	run "$@"
}

# everything - a job with all kinds of members
everything() {
	setsid "${MNT[@]}" announce -r target sh -c '
		(announce orphan &); (setsid announce daemon &); setsid announce detached &
		announce child & exec announce in-target' &
	meet target orphan daemon detached child in-target
	forget in-target
	bystanders
}

by_number() { # OPTION WORD NAME...
	everything
	traced "$1" "$2" "${P[target]}"
	status_is 0
	ended target "${@:3}"
	! grep -E '(^|[^_a-z])(t|tg)?kill\(|rt_(tg)?sigqueueinfo\(' trace ||
		fail 'a signal by number'
	grep -q 'pidfd_send_signal(' trace || fail 'the picture is wrong: no signal in the trace'
}

# Each descriptor that a signal goes through was opened for a PID, and after that and before the
# signal something of that PID's was read.
read_in_between() { # ARGUMENT...
	everything
	traced "$@" "${P[target]}"
	status_is 0
	ended target orphan daemon detached child
	awk '
	function number(text) { match(text, /[0-9]+/); return substr(text, RSTART, RLENGTH) }
	{ sub(/^[0-9]+ +/, "") }
	/^pidfd_open\(/ && $NF !~ /\)$/ && / = [0-9]/ {
		pid = number($0); sub(/.* = /, ""); fd = number($0); owner[fd] = pid; fresh[pid] = 0
	}
	/^(openat|open|readlink|readlinkat|read)\(/ && match($0, /\/proc\/[0-9]+/) {
		fresh[substr($0, RSTART + 6, RLENGTH - 6)] = 1
	}
	/^pidfd_send_signal\(/ && !/>, 0, / { # 0 asks, and signals nobody
		sent++
		fd = number($0)
		if (!(fd in owner)) { print "through an unknown descriptor: " $0; bad = 1 }
		else if (!fresh[owner[fd]]) { print "unread: PID " owner[fd] ": " $0; bad = 1 }
	}
	END { if (!sent) print "no signal in the trace"; exit bad || !sent }' trace ||
		fail 'a signal to a process that was not read after it was pinned'
}

check user "who takes over a member's PID while it is about to be pinned lives" swapped pin
check user "who takes over a member's PID after it was pinned lives" swapped send
check user "who has taken over the PID in an old pidfile lives" reused_by_younger
check "user plain" "no signal goes by number" by_number -s KILL \
	orphan daemon detached child
check user "no signal goes by number, with TERM" by_number -s TERM \
	orphan daemon detached child
check user "no signal goes by number, with descent alone" by_number -m tree detached child
check "user plain" "what is signalled was read after it was pinned" read_in_between
check user "what is signalled was read after it was pinned, with TERM" read_in_between -s TERM
finish
