#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pidfile-trust.sh - which files may name a process, and which processes a file may name

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# victim - somebody to be spared: his number is in whatever is refused
victim() {
	setsid announce victim sh -c 'announce his & exec announce in-victim' &
	meet victim his in-victim
	forget in-victim
	bystanders
	V=${P[victim]}
	mkdir dir
	echo "$V" >dir/file.pid
	FILE=dir/file.pid
}

# refuses FILE REGEX... - one sentence says so with the file's name, and nobody is signalled
refuses() {
	local file=$1
	shift
	run "$file"
	status_is 3
	ended
	says_one_sentence
	says "${file##*/}" "$@"
}

# takes [ARGUMENT...] - both end
takes() {
	run "$@"
	status_is 0
	ended victim his
	is_silent
}

trusts() {
	run --trust-pidfile "$FILE"
	status_is 0
	ended victim his
	is_silent
}

# ---- what the file is ----

sparse() {
	victim
	truncate -s 1G big.pid
	refuses ./big.pid '64 KiB|too (big|large|long)|larger'
	{ echo "$V"; } >big.pid
	truncate -s 1G big.pid
	refuses ./big.pid
	run --trust-pidfile ./big.pid
	status_is 3
	ended
	((ELAPSED < 3000)) || fail 'has read all of it'
}

# --trust-pidfile speaks of owner, mode and age: not of what kind of file it is.
trusted_kinds() {
	victim
	ln -s file.pid dir/link.pid
	mkfifo dir/fifo.pid
	run --trust-pidfile dir/link.pid
	status_is 3
	ended
	says 'link\.pid' 'symbolic link'
	run --trust-pidfile dir/fifo.pid
	status_is 3
	ended
	((ELAPSED < 3000)) || fail 'a FIFO has held it'
	run --trust-pidfile dir
	[[ $STATUS = [23] ]] || fail "exit status $STATUS"
	ended
}

# ---- mode ----

world_writable() { # MODE
	victim
	chmod "$1" $FILE
	refuses $FILE 'writable' '--trust-pidfile'
	trusts
}

# As umask 002 leaves it: writable by the caller's own group.
own_group() { # MODE
	victim
	chgrp "$(id -g)" $FILE dir
	chmod 664 $FILE
	chmod 775 dir
	takes $FILE
}

other_group() { # file|dir
	victim
	if [[ $1 = file ]]; then
		chmod 664 $FILE
		chgrp 12345 $FILE || skip 'needs other groups'
	else
		chmod 775 dir
		chgrp 12345 dir || skip 'needs other groups'
	fi
	refuses $FILE 'group' '--trust-pidfile'
	trusts
}

# It is the group that counts, not that the caller is in it.
supplementary_group() {
	victim
	chmod 664 $FILE
	chgrp 12345 $FILE || skip 'needs other groups'
	under setpriv --groups=12345
	refuses $FILE 'group'
}

# To root a group is another's that is not group 0, though root runs in it.
primary_group() {
	victim
	chmod 664 $FILE
	chgrp 12345 $FILE || skip 'needs other groups'
	under setpriv --regid=12345 --clear-groups
	refuses $FILE 'group'
}

directory() { # MODE
	victim
	chmod "$1" dir
	refuses $FILE 'directory' '--trust-pidfile'
	trusts
}

directory_fine() { # MODE
	victim
	chmod "$1" dir
	takes $FILE
}

# A file in the working directory, named without one.
working_directory() {
	victim
	cp -p $FILE .
	chmod 777 .
	run -F file.pid
	status_is 3
	ended
	says 'file\.pid' 'directory'
	chmod 1777 .
	takes -F file.pid
}

# ---- the file while it is read ----

# swapped MODE - between opening and reading it is replaced by one that names somebody else
swapped() {
	local tracer
	victim
	type -P strace >/dev/null || skip 'needs strace'
	setsid announce target &
	meet target
	echo "${P[target]}" >dir/read.pid
	echo "$V" >dir/other.pid
	chmod 666 dir/other.pid
	export ASAN_OPTIONS=detect_leaks=0
	snapshot BEFORE
	strace -f -o trace -P "$PWD/dir/read.pid" -P dir/read.pid -P read.pid \
		-e trace=openat,read,fstat,newfstatat -e inject="$1":delay_enter=400000 \
		"$NSKILL" "$PWD/dir/read.pid" >out 2>err </dev/null 9>&- &
	tracer=$!
	until_true grep -Eqs 'openat.*read\.pid.* = [0-9]' trace
	mv dir/other.pid dir/read.pid
	wait $tracer
	STATUS=$?
	# shellcheck disable=SC2034 # for fail
	ARGUMENTS=("$PWD/dir/read.pid")
	snapshot AFTER
	grep -Eq "(read|fstat|newfstatat)\(" trace || { cat trace; fail 'the picture is wrong'; }
	case $STATUS in
	0) ended target ;;
	3) ended ;;
	*) cat trace; fail "exit status $STATUS" ;;
	esac
}

# ---- owner ----

# foreign - the victim is root's, and a file of another user's names him
foreign() {
	victim
	chown "$OTHER_USER:$OTHER_USER" $FILE dir
}

as_other() { # COMMAND...
	make_readable
	setsid "${AS_OTHER_USER[@]}" "$@" &
}

root_named_by_other() {
	foreign
	refuses $FILE "$OTHER_USER" '--trust-pidfile'
	trusts
}

nobody_named_by_nobody() {
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid setpriv --reuid=65534 --regid=65534 --clear-groups "$HELPERS/announce" target \
		sh -c '"$0/announce" child & exec "$0/announce" in-target' "$HELPERS" &
	meet target child in-target
	forget in-target
	bystanders
	echo "${P[target]}" >file.pid
	chown 65534:65534 file.pid
	run ./file.pid
	status_is 0
	ended target child
	is_silent
}

own_process() {
	make_readable
	# shellcheck disable=SC2016 # a script
	as_other "$HELPERS/announce" target sh -c \
		'"$0/announce" child & exec "$0/announce" in-target' "$HELPERS"
	meet target child in-target
	forget in-target
	bystanders
	echo "${P[target]}" >file.pid
	chown "$OTHER_USER" file.pid
	run ./file.pid
	status_is 0
	ended target child
	is_silent
}

# set-user-ID: the saved user counts, the effective alone does not
saved_user() {
	victim
	make_readable
	setsid setpriv "--ruid=$OTHER_USER" --euid=0 "$HELPERS/announce" real &
	setsid setpriv --ruid=0 "--euid=$OTHER_USER" "$HELPERS/announce" saved &
	meet real saved
	for name in real saved; do
		echo "${P[$name]}" >file.pid
		chown "$OTHER_USER" file.pid
		run ./file.pid
		status_is 0
		ended $name
		forget $name
	done
}

# in_namespace - of the other user's: a process of another user there, and one in a namespace below
in_namespace() { # DEPTH
	make_readable
	if [[ $1 = 1 ]]; then
		as_other unshare -Ur "$HELPERS/announce" target
	else
		as_other unshare -Ur unshare -Ur "$HELPERS/announce" target
	fi
	meet target
	bystanders
	echo "${P[target]}" >file.pid
	chown "$OTHER_USER" file.pid
	run ./file.pid
	status_is 0
	ended target
	is_silent
}

# A sub-user of a rootless container: his uid is another one, his user namespace the owner's.
sub_user() {
	local uid map
	make_readable
	# shellcheck disable=SC2016 # a script
	as_other unshare -U bash -c '"$0/announce" maker; ' "$HELPERS"
	meet maker
	for map in uid_map gid_map; do # in one write
		printf '0 %d 1\n1 100000 10\n' "$OTHER_USER" | cat >"/proc/${P[maker]}/$map" ||
			skip 'cannot map users'
	done
	setsid nsenter --target "${P[maker]}" --user --preserve-credentials \
		"$HELPERS/announce" root-there &
	setsid nsenter --target "${P[maker]}" --user setpriv --reuid=1 --keep-groups \
		"$HELPERS/announce" target &
	meet root-there target
	uid=$(stat -c %u "/proc/${P[target]}")
	[[ $uid = 100000 ]] || fail "the picture is wrong: user $uid"
	bystanders
	echo "${P[target]}" >file.pid
	chown "$OTHER_USER" file.pid
	run ./file.pid
	status_is 0
	ended target
}

# Whom the file may not name is left and named, whatever leads to him.
left_members() { # [OPTION...]
	make_readable
	# shellcheck disable=SC2016 # a script
	setsid sh -c '"$HELPERS/announce" roots & exec "$@"' sh "${AS_OTHER_USER[@]}" \
		"$HELPERS/announce" target sh -c \
		'"$0/announce" child & exec "$0/announce" in-target' "$HELPERS" &
	meet roots target child in-target
	forget in-target
	same pgrp roots target child
	bystanders
	echo "${P[target]}" >file.pid
	chown "$OTHER_USER" file.pid
	run -n "$@" ./file.pid
	status_is 0
	lists_exactly target child
	lists "^left alone: ${P[roots]} "
	ended
	run "$@" ./file.pid
	status_is 4
	ended target child
	says "${P[roots]}"
	((ELAPSED < 5000)) || fail 'has waited for whom it left'
}

# The dead have no user: who stands in for them is asked one by one.
left_stand_ins() { # zombie|reaped
	make_readable
	# shellcheck disable=SC2016 # a script
	keep keeper sh -c 'setsid sh -c "\"\$HELPERS/announce\" roots & exec \"\$@\"" sh "$@" &' \
		sh "${AS_OTHER_USER[@]}" "$HELPERS/announce" target sh -c \
		'"$0/announce" child & exec "$0/announce" in-target' "$HELPERS" &
	meet keeper roots target child in-target
	forget in-target
	same pgrp roots target child
	bystanders
	pause 0.05 # who is older than the file stands in, however many processes were made
	echo "${P[target]}" >file.pid
	chown "$OTHER_USER" file.pid
	kill -KILL "${P[target]}"
	until_true is_zombie target
	if [[ $1 = reaped ]]; then
		kill -USR1 "${P[keeper]}"
		meet keeper-reaped
	fi
	run ./file.pid
	status_is 4
	ended child
	says "${P[roots]}"
}

# What such a file says of a namespace: it is for who may be named there.
left_by_document() { # FORM
	local start
	foreign
	read_stat "$V"
	start=${STAT[19]}
	case $1 in
	runc) echo "{\"init_process_pid\":$V,\"init_process_start\":$start}" >$FILE ;;
	oci) echo "{\"pid\":$V}" >$FILE ;;
	record)
		"$NSKILL" --record=made "$V" || fail 'cannot record'
		cat made >$FILE
		;;
	esac
	chown "$OTHER_USER" $FILE
	refuses $FILE "$OTHER_USER" '--trust-pidfile'
	trusts
}

# In a user namespace the overflow user is anybody.
overflow_user() {
	make_readable
	victim
	chown 54321:54321 $FILE
	# shellcheck disable=SC2016 # a script
	under unshare -Ur sh -c 'exec "$0" "$@"'
	refuses $FILE 'owner' '--trust-pidfile'
}

# The user himself: his own file, and root's.
by_user() { # OWNER
	make_readable
	as_other "$HELPERS/announce" target
	meet target
	bystanders
	mkdir -m 755 dir
	echo "${P[target]}" >dir/file.pid
	chown "$1" dir/file.pid
	chmod 644 dir/file.pid
	under "${AS_OTHER_USER[@]}"
	run dir/file.pid
	status_is 0
	ended target
	is_silent
}

# A third user's file names his own processes alone, to anybody.
third_user() {
	make_readable
	as_other "$HELPERS/announce" target
	meet target
	mkdir -m 755 dir
	echo "${P[target]}" >dir/file.pid
	chown 54321 dir/file.pid
	under "${AS_OTHER_USER[@]}"
	run dir/file.pid
	status_is 3
	ended
	says 'file\.pid' '54321'
}

# ---- age ----

both_times() {
	local file_time start_time
	victim
	date_file $FILE victim 100
	refuses $FILE "$V" '--trust-pidfile' 'clock'
	file_time=$(date -d "@${WRITTEN%.*}" '+%F %T')
	start_time=$(date -d "@${STARTED%.*}" '+%F %T')
	says "$file_time" "$start_time|$(date -d "@$((${STARTED%.*} + 1))" '+%F %T')"
	trusts
}

# whole_seconds DIFFERENCE - a file system that keeps whole seconds, and a file that has been
# rounded to them
whole_seconds() { # taken|refused
	local start
	until_true late_in_a_second
	victim
	date_file $FILE victim 0
	start=${WRITTEN%.*}
	if [[ $1 = taken ]]; then
		touch -d "@$((start - 1))" $FILE
		takes $FILE
	else
		touch -d "@$((start - 2))" $FILE
		refuses $FILE "$V"
		touch -d "@$((start - 1)).5" $FILE
		refuses $FILE "$V"
	fi
}

late_in_a_second() {
	local fraction=${EPOCHREALTIME#*[^0-9]}
	((10#$fraction > 600000 && 10#$fraction < 850000))
}

before_boot() {
	local uptime
	victim
	read -r uptime _ </proc/uptime
	touch -d "@$((${EPOCHREALTIME%[^0-9]*} - ${uptime%.*} - 1000))" $FILE
	run $FILE
	status_is 0
	ended
	says 'boot'
	trusts
}

# dated SECONDS - since 1970, on a file system that can tell any time
dated() {
	victim
	mount -t tmpfs -o mode=755 times dir || fail 'cannot mount'
	echo "$V" >$FILE
	touch -d "@$1" $FILE
	[[ $(stat -c %Y $FILE) = "$1" ]] || fail 'the picture is wrong: another time'
}

long_ago() { # SECONDS
	dated "$1"
	run $FILE
	status_is 0
	ended
	says 'boot'
	trusts
}

far_ahead() { # SECONDS
	dated "$1"
	takes $FILE
}

# A document tells the start: the file's time says nothing then.
document_ages() {
	victim
	echo "{\"init_process_pid\":$V,\"init_process_start\":${BORN[victim]}}" >$FILE
	date_file $FILE victim 100
	takes $FILE
}

# ---- the absent ----

ignore_missing() {
	victim
	run --ignore-missing dir/absent.pid
	status_is 0
	ended
	is_silent
	run --ignore-missing absent/absent.pid
	status_is 0
	ended
	run --ignore-missing --require-match dir/absent.pid
	status_is 1
	ended
	run --ignore-missing -n dir/absent.pid
	status_is 1
	ended
	ln -s nowhere dir/dangling.pid
	run --ignore-missing dir/dangling.pid
	status_is 3
	ended
	: >dir/empty.pid
	run --ignore-missing dir/empty.pid
	status_is 3
	ended
	run --ignore-missing $FILE/absent.pid
	[[ $STATUS = [03] ]] || fail "exit status $STATUS"
	ended
	takes --ignore-missing dir/absent.pid $FILE
}

check "user plain" "a pidfile of 1 GiB is refused at once" sparse
check "user" "--trust-pidfile takes no symbolic link and no FIFO" trusted_kinds
for mode in 646 666 602 642; do
	check "user plain" "a pidfile of mode $mode is refused" world_writable $mode
done
check "user plain" "a pidfile that the caller's own group can write is taken" own_group
check root "a pidfile that another group can write is refused" other_group file
check root "so is one in a directory that another group can write" other_group dir
check root "so it is where the caller is in that group, too" supplementary_group
check root "and where root runs in it" primary_group
for mode in 777 757 773; do
	check "user plain" "a pidfile in a directory of mode $mode is refused" directory $mode
done
for mode in 1777 1775 755 555; do
	check user "a pidfile in a directory of mode $mode is taken" directory_fine $mode
done
check user "the working directory is looked at, too" working_directory
check "user" "a file that is swapped before it is looked at names nobody new" swapped fstat
check "user" "a file that is swapped before it is read names nobody new" swapped read
check root "a pidfile of another user's names no process of root's" root_named_by_other
for form in runc oci record; do
	check root "nor does one in the form $form" left_by_document $form
done
check root "a pidfile of another user's names his own process" own_process
check root "nobody's pidfile names nobody's process" nobody_named_by_nobody
check root "his real and his saved user are asked" saved_user
check root "a pidfile names a process in its owner's user namespace" in_namespace 1
check root "a pidfile names a process in a user namespace below its owner's" in_namespace 2
check root "a pidfile names a sub-user in its owner's user namespace" sub_user
check root "4: members whom the owner of the pidfile may not name are left and named" left_members
check root "so they are with TERM" left_members -s TERM
check root "so they are by descent alone" left_members -m tree,pgrp
for state in zombie reaped; do
	check root "so they are where the target is $state" left_stand_ins $state
done
check root "a pidfile whose owner is not known in the user namespace is refused" overflow_user
check root "a user's own pidfile is taken" by_user "$OTHER_USER"
check root "root's pidfile is taken by a user" by_user 0
check root "a third user's pidfile does not name a user's process" third_user
check "user plain" "a pidfile that is too old is refused with both times" both_times
check user "whole seconds are rounded down: a second older is taken" whole_seconds taken
check user "more than two seconds older is refused, and so is a second and a half" \
	whole_seconds refused
check "user plain" "a pidfile from before the boot names nobody" before_boot
check user "a pidfile from before 1970 names nobody" long_ago -315619200
check user "a pidfile from the first moment of 1970 names nobody" long_ago 0
check user "a pidfile that is dated in 2600 is taken as one of this boot" far_ahead 19880899200
check user "a document that tells the start may be older" document_ages
check "user plain" "--ignore-missing makes a pidfile that is not there one who is gone" \
	ignore_missing
finish
