#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# targets.sh - whom a PID and a pidfile name, and what is refused

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# victim - somebody to be spared: his number is in whatever is refused
victim() {
	setsid announce victim sh -c 'announce his & exec announce in-victim' &
	meet victim his in-victim
	forget in-victim
	V=${P[victim]}
}

# refuses STATUS ARGUMENT... - one sentence says so, and nobody is signalled
refuses() {
	local status=$1
	shift
	run "$@"
	status_is "$status"
	ended
	says_one_sentence
}

# usage ARGUMENT... - a usage error: a line, and where to look
usage() {
	run "$@"
	status_is 2
	ended
	is_usage
}

is_usage() {
	local lines
	mapfile -t lines <err
	[[ ! -s out ]] || fail 'standard output is not empty'
	((${#lines[@]} == 1 || ${#lines[@]} == 2)) || fail 'not one line and where to look'
	[[ ${lines[0]} = 'nskill: '?* ]] || fail "not a sentence of nskill's"
	[[ ${lines[-1]} = *"Try 'nskill --help'"* ]] || fail 'does not say where to look'
}

# ---- operands ----

operands() {
	local word
	victim
	for word in 0 "-- -$V" "+$V" "${V}foo" "0x$V" "${V}.0" "$V," 99999999999999999999 \
		"$((V + 4294967296))" 2147483648 garbage .; do
		# shellcheck disable=SC2086 # one or two words
		usage $word
	done
	for word in '' ' ' " $V" "$V " "$V $V" "$V"$'\n' $'\n' $'\1\2'; do usage "$word"; done
	usage "$V" garbage
	usage garbage "$V"
	usage "$V" ''
	usage -F ''
}

operand_one() {
	victim
	refuses 3 1
}

ancestors() {
	victim
	refuses 3 $$
	says "$$"
	echo $$ >./ancestor.pid
	refuses 3 ./ancestor.pid
	echo 1 >./ancestor.pid
	refuses 3 ./ancestor.pid
}

itself() {
	victim
	# shellcheck disable=SC2016 # a script
	under sh -c 'exec "$0" $$'
	refuses 3
}

gone() {
	victim
	true &
	wait $!
	run $!
	status_is 0
	ended
	is_silent
}

# ---- pidfiles ----

# contents FORMAT... - what printf makes of these is no PID
contents() {
	local format
	victim
	for format; do
		# shellcheck disable=SC2059 # that is the point
		printf -- "$format" "$V" "$V" >file.pid
		refuses 3 ./file.pid
		says 'file\.pid'
		refuses 3 -F file.pid
	done
}

numbers() {
	contents '0' '1' '-%d' '+%d' '%dfoo' 'foo%d' '0x%x' '%d.0' '%d %d' '%d\n%d\n' '%d,' \
		'99999999999999999999' '%d00000000000000000000' '2147483648' '4294967296'
}

nothing() {
	contents '' '\n' ' \t\n'
}

garbage() {
	contents 'garbage' '\0' '%d\0' '\0%d' '%d\0%d' '\377\376\1\2' '%d\1' '%d\r\033[31m' \
		'{' '[]' '[%d]' '"%d"' 'null' '\357\273\277%d'
}

# A name is said as tamely as a process's.
wild_name() {
	victim
	echo garbage >./$'a\nb\e[31m'
	refuses 3 ./$'a\nb\e[31m'
	is_plain_text err
}

too_long() {
	victim
	{ echo "$V"; head -c 65536 /dev/zero | tr '\0' '\n'; } >file.pid
	refuses 3 ./file.pid
	# shellcheck disable=SC2016 # a script
	under bash -c 'exec "$0" "$@" <file.pid'
	run -
	status_is 3
	ended
	says 'larger than 64 KiB'
}

long_enough() {
	victim
	{ echo "$V"; head -c 65536 /dev/zero | tr '\0' '\n'; } | head -c 65536 >file.pid
	run ./file.pid
	status_is 0
	ended victim his
}

white_space() {
	victim
	printf ' \t\n%d \n\n' "$V" >file.pid
	run ./file.pid
	status_is 0
	ended victim his
	is_silent
}

no_file() {
	victim
	refuses 3 ./absent.pid
	says 'absent\.pid'
	refuses 3 -F absent.pid
	refuses 3 "$PWD/absent/absent.pid"
	refuses 3 ./
	mkdir "$V"
	refuses 3 "./$V"
	refuses 3 -F "$V"
	refuses 3 /dev/null
	refuses 3 /dev/zero
}

fifo() {
	victim
	mkfifo "./pid"
	refuses 3 ./pid
	((ELAPSED < 5000)) || fail 'a FIFO has held it'
	# one with the number in it
	exec 8<>pid
	echo "$V" >&8
	refuses 3 ./pid
	refuses 3 /proc/self/fd/8
}

symlink() {
	victim
	echo "$V" >file.pid
	ln -s file.pid link.pid
	refuses 3 ./link.pid
	ln -s nowhere dangling.pid
	refuses 3 ./dangling.pid
	# but one in the way to the file is followed
	ln -s . here
	run ./here/file.pid
	status_is 0
	ended victim his
}

unreadable_file() {
	victim
	echo "$V" >file.pid
	chmod 0 file.pid
	refuses 3 ./file.pid
}

# option_f WORD - a file named with -F, whatever it looks like
option_f() {
	victim
	echo "$V" >"$1"
	run -F "$1"
	status_is 0
	ended victim his
	is_silent
}

option_f_twice() {
	victim
	setsid announce other &
	setsid announce third &
	meet other third
	echo "$V" >a.pid
	echo "${P[other]}" >b.pid
	run -F a.pid --pidfile=b.pid "${P[third]}"
	status_is 0
	ended victim his other third
}

# ---- several ----

several() {
	victim
	setsid announce a &
	setsid announce b &
	setsid announce c &
	meet a b c
	echo "${P[b]}" >b.pid
	echo garbage >bad.pid
	run "${P[a]}" ./bad.pid ./b.pid ./absent.pid "${P[c]}"
	status_is 3
	ended a b c
	says 'bad\.pid' 'absent\.pid'
	! grep -Eq '(^|[^d])b\.pid' err || fail 'a good target is called bad'
}

twice() {
	victim
	echo "$V" >v.pid
	run "$V" "$V" ./v.pid
	status_is 0
	ended victim his
	is_silent
}

one_refused() {
	victim
	run "$V" 1
	status_is 3
	ended victim his
	says_one_sentence
}

# The rule is applied to each alone: two who share a namespace that neither has made.
alone() {
	setsid "${MNT[@]}" announce script sh -c 'setsid announce a & setsid announce b &
		setsid announce c & exec announce in-script' &
	meet script a b c in-script
	forget in-script
	run "${P[a]}" "${P[b]}"
	status_is 0
	ended a b
}

in_given_order() {
	setsid announce a sh -c 'announce a2 & exec announce a1' &
	meet a a2
	setsid announce b sh -c 'announce b2 & exec announce b1' &
	meet b b2
	run -n "${P[b]}" "${P[a]}"
	status_is 0
	ended
	local listed
	read -r -d '' -a listed <<<"$(ranked out)"
	[[ "${listed[*]:0:2}" = "${P[b]} ${P[a]}" ]] || fail 'not as given'
	((${#listed[@]} == 4)) || fail 'not four'
}

# ---- the age of a pidfile ----

# aged SECONDS - a pidfile that is so much older (or younger: -) than the victim
aged() {
	victim
	echo "$V" >file.pid
	date_file file.pid victim "$1"
}

too_old() { # SECONDS
	aged "$1"
	refuses 3 ./file.pid
	says 'file\.pid' "$V"
}

young_enough() { # SECONDS
	aged "$1"
	run ./file.pid
	status_is 0
	ended victim his
	is_silent
}

# ---- the dead ----

# dead_leader zombie|reaped - of a group and a session, in a mount namespace that an elder has made
dead_leader() {
	# A reaped target's birth is known only to a tenth of a second.
	setsid "${MNT[@]}" announce maker sh -c 'sleep 0.3
		keep keeper sh -c "setsid announce target sh -c \"
			announce in-group & announce -g in-session &
			exec announce in-target\" &" &
		exec announce in-maker' &
	meet maker keeper target in-group in-session in-maker in-target
	forget in-maker in-target
	die "$1"
	same mnt maker in-group
	bystanders
}

die() { # zombie|reaped
	kill -KILL "${P[target]}"
	until_true is_zombie target
	[[ $1 != zombie ]] || return 0
	kill -USR1 "${P[keeper]}"
	meet keeper-reaped
	is_gone target || fail 'the picture is wrong: not reaped'
}

# An elder holds the namespace: only what bears the number ends.
dead_in_others() { # zombie|reaped
	dead_leader "$1"
	run "${P[target]}"
	status_is 0
	ended in-group in-session
}

# dead_founder zombie|reaped pid|pidfile - he has made the namespace, and a daemon has no other tie
dead_founder() {
	keep keeper sh -c 'setsid "$@" & echo $! >file.pid' sh "${MNT[@]}" \
		announce -r target sh -c '
		announce in-group & (setsid announce daemon &); exec announce in-target' &
	meet keeper target in-group daemon in-target
	forget in-target
	until_true adopted daemon
	[[ $(<file.pid) = "${P[target]}" ]] || fail 'the picture is wrong: the pidfile'
	die "$1"
	same mnt in-group daemon
	bystanders
	if [[ $2 = pid ]]; then
		run "${P[target]}"
	else
		run ./file.pid
	fi
	status_is 0
	ended in-group daemon
	is_silent
}

adopted() { # NAME
	the ppid "$1"
	((REPLY == P[keeper]))
}

dead_alone() { # zombie|reaped
	keep keeper sh -c 'setsid announce target & echo $! >file.pid' &
	meet keeper target
	die "$1"
	bystanders
	run ./file.pid "${P[target]}"
	status_is 0
	ended
	is_silent
}

thread() {
	local tid
	setsid zombie-leader process &
	meet process process-thread
	victim
	tid=${P[process-thread]}
	refuses 3 "$tid"
	says "${P[process]}"
	echo "$tid" >file.pid
	refuses 3 ./file.pid
	says "${P[process]}"
}

check "user plain" "an operand that is neither PID nor path is a usage error" operands
check "user plain" "PID 1 is refused" operand_one
check "user plain" "nskill's ancestors are refused, by PID and by pidfile" ancestors
check "user plain" "nskill itself is refused" itself
check "user plain" "a PID that nobody has any more is a success" gone
check "user plain" "a pidfile with another number than a PID is refused" numbers
check "user plain" "an empty pidfile is refused" nothing
check "user plain" "a pidfile with garbage is refused" garbage
check user "the name of a refused pidfile is plain text" wild_name
check "user plain" "more than 64 KiB are refused, of a pidfile or standard input" too_long
check user "a pidfile of 64 KiB is taken" long_enough
check "user plain" "white space around the PID in a pidfile is no matter" white_space
check "user plain" "a missing pidfile, a directory and a device are refused" no_file
check "user plain" "a FIFO as a pidfile is refused and holds nobody" fifo
check "user plain" "a symbolic link as a pidfile is refused" symlink
check plain "a pidfile that cannot be read is refused" unreadable_file
for word in name 12 -5 --help -; do
	check user "-F takes a file called '$word'" option_f "$word"
done
check user "-F can be repeated, and goes with other targets" option_f_twice
check "user plain" "of several targets the good ones end, and the refused ones are named" several
check user "a target named three times over ends as one named once" twice
check user "a refused target does not save the other" one_refused
check "user plain" "of several targets each is alone before the rule" alone
check user "several targets are listed as given" in_given_order
check "user plain" "a pidfile much older than the process is refused" too_old 600
check "user plain" "a pidfile half a second older than the process is refused" too_old 0.5
check "user plain" "a pidfile hardly older than the process is taken" young_enough 0.05
check "user plain" "a pidfile that is younger than the process is taken" young_enough -5
for state in zombie reaped; do
	check "user plain" "a $state leader's group and session end, in somebody else's namespace" \
		dead_in_others $state
	for by in pid pidfile; do
		check "user plain" "a $state leader's mount namespace ends, by $by" \
			dead_founder $state $by
	done
	check user "of a $state target that has left nothing nothing is alive" dead_alone $state
done
check "user plain" "a thread's id is refused, and its process is named" thread
finish
