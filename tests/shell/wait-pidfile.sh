#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# wait-pidfile.sh - waiting for a file that is not there yet, or not whole

# shellcheck disable=SC2034 # BEGIN is for finish_wait

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

export ASAN_OPTIONS=detect_leaks=0 # some of this is traced

victim() {
	setsid announce victim sh -c 'announce his & exec announce in-victim' &
	meet victim his in-victim
	forget in-victim
	bystanders
	mkdir dir
	FILE=dir/file.pid
}

# start ARGUMENT... - nskill, which has begun to wait when this returns
start() {
	# shellcheck disable=SC2034 # for fail
	ARGUMENTS=("$@")
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	env --default-signal=INT "$NSKILL" "$@" >out 2>err </dev/null 9>&- &
	NSKILL_PID=$!
	until_true waits
}

# waits - it sleeps in poll, or in what the kernel goes on with after it was stopped
waits() {
	local call
	read -r call _ <"/proc/$NSKILL_PID/syscall" 2>/dev/null || return 1
	[[ $call =~ ^(7|271|73|232|281|22|219|128)$ ]]
}

# still_waits - what has just happened is not what it waits for
still_waits() {
	pause 0.1
	is_alive "$NSKILL_PID" || { finish_wait; fail 'does not wait any longer'; }
	until_true waits
}

takes() {
	finish_wait
	status_is 0
	ended victim his
	is_silent
}

# refuses [FILE] - at once, or now that it has begun to wait
refuses() {
	if (($#)); then
		run --wait-pidfile=8 "$1"
	else
		finish_wait
	fi
	status_is 3
	ended
	says_one_sentence
	((ELAPSED < 4000)) || fail 'has waited'
}

# ---- what is waited for ----

absent() {
	victim
	start --wait-pidfile=8 $FILE
	echo x >dir/other.pid
	still_waits
	echo "${P[victim]}" >new
	mv new $FILE
	takes
}

# As runc does: written under another name beside it, then renamed.
renamed() {
	victim
	start --wait-pidfile=8 $FILE
	printf '%d' "${P[victim]}" >dir/.file.pid
	still_waits
	mv dir/.file.pid $FILE
	takes
}

linked() {
	victim
	echo "${P[victim]}" >other
	start --wait-pidfile=8 $FILE
	ln other $FILE
	takes
}

empty() {
	victim
	: >$FILE
	start --wait-pidfile=8 $FILE
	printf ' \n' >>$FILE
	still_waits
	printf '%d\n' "${P[victim]}" >>$FILE
	takes
}

# As crun does: there is an old one, it is truncated, and then written in the same place.
truncated() {
	victim
	exec 8>$FILE
	start --wait-pidfile=8 $FILE
	printf '%d' "${P[victim]}" >&8
	exec 8>&-
	takes
}

# half TEXT TEXT - written in two pieces; PID stands for the victim's
half() {
	victim
	exec 8>$FILE
	printf '%s' "${1/PID/"${P[victim]}"}" >&8
	start --wait-pidfile=8 $FILE
	still_waits
	printf '%s' "${2/PID/"${P[victim]}"}" >&8
	takes
}

# Byte by byte, with nothing but the last one ending the wait.
bytes() {
	local text
	victim
	text='{"v": "1\"}\u00e9", "pid": PID, "x": ["é}", {"y": null}, -1e-5]}'
	text=${text/PID/"${P[victim]}"}
	exec 8>$FILE
	start --wait-pidfile=8 $FILE
	for ((at = 0; at < ${#text} - 1; at++)); do
		printf '%s' "${text:at:1}" >&8
		is_alive "$NSKILL_PID" || { finish_wait; fail "ended after $at bytes"; }
	done
	still_waits
	printf '}' >&8
	takes
}

# there WORD... - is no reason to wait
there() {
	victim
	echo "${P[victim]}" >$FILE
	snapshot BEFORE
	run --wait-pidfile=8 $FILE
	status_is 0
	ended victim his
	is_silent
	((ELAPSED < 4000)) || fail 'has waited'
}

# What can never become a target is refused at once.
hopeless() {
	local text
	victim
	for text in garbage '12 13' '{]}' '[]' '{"pid":"x"}' '{} x'; do
		echo "$text" >$FILE
		run --wait-pidfile=8 $FILE
		status_is 3
		ended
		says_one_sentence
		((ELAPSED < 4000)) || fail "has waited for: $text"
	done
	rm $FILE
	mkdir $FILE
	run --wait-pidfile=8 $FILE
	status_is 3
	ended
	rmdir $FILE
	mkfifo $FILE
	run --wait-pidfile=8 $FILE
	status_is 3
	ended
	((ELAPSED < 4000)) || fail 'has waited for a FIFO'
}

# A file that comes is vetted as any other.
vetted() {
	victim
	start --wait-pidfile=8 $FILE
	echo "${P[victim]}" >other
	ln -s ../other dir/link
	mv dir/link $FILE
	finish_wait
	status_is 3
	ended
	says_one_sentence
}

vetted_mode() {
	victim
	start --wait-pidfile=8 $FILE
	echo "${P[victim]}" >other
	chmod 666 other
	mv other $FILE
	finish_wait
	status_is 3
	ended
	says_one_sentence
	says 'writable'
}

# ---- what is on the way to it ----

# put [FILE] - as runc does: the directory, another name, the name
put() {
	local file=${1:-$FILE}
	mkdir -p "${file%/*}"
	echo "${P[victim]}" >"${file%/*}/.state-1"
	mv "${file%/*}/.state-1" "$file"
}

# on_the_way FILE [COMMAND [ARGUMENT...]] - what is done does not end the wait, the file does
on_the_way() {
	victim
	FILE=${1/PWD/"$PWD"}
	start --wait-pidfile=8 "$FILE"
	if (($# > 1)); then
		"${@:2}"
		still_waits
	fi
	put
	takes
}

# Level by level, with something else in between.
step_by_step() {
	mkdir dir/other dir/one
	: >dir/file.pid
	pause 0.02
	: >dir/one/two.txt
	mkdir dir/one/two dir/two
	pause 0.02
	mkdir dir/one/two/three
}

tree() {
	victim
	FILE=dir/one/two/file.pid
	start --wait-pidfile=8 $FILE
	put other/one/two/file.pid
	still_waits
	mv other/one dir/one
	takes
}

# away DIRECTORY... - these go, and are made again
away() {
	victim
	FILE=dir/one/two/file.pid
	mkdir -p dir/one/two
	start --wait-pidfile=8 $FILE
	for directory; do
		mv "$directory" elsewhere
		still_waits
		put "elsewhere/${FILE##*/}"
		put "elsewhere/two/${FILE##*/}"
		still_waits
		rm -r elsewhere
		still_waits
		mkdir -p dir/one/two
		still_waits
		rm -r "$directory"
		still_waits
	done
	put
	takes
}

# A directory is a link from now on.
becomes_a_link() {
	mkdir dir/one other
	still_waits
	rmdir dir/one
	ln -s ../other dir/one
}

# What a link leads to need not be there: TARGET is in dir, where the link is.
dangling() { # TARGET
	victim
	ln -s "${1/PWD/"$PWD"}" dir/link
	FILE=dir/link/two/file.pid
	start --wait-pidfile=8 $FILE
	mkdir dir/one
	still_waits
	mkdir dir/one/real
	still_waits
	put
	takes
}

links_in_a_circle() {
	victim
	ln -s b dir/a
	start --wait-pidfile=8 dir/a/file.pid
	ln -s a dir/b
	refuses
}

# The text of such a link says "/", and not whose.
another_root() {
	victim
	setsid unshare --mount sh -c 'mount -t tmpfs none dir && exec announce inside' &
	meet inside
	FILE=/proc/${P[inside]}/root$PWD/dir/one/two/file.pid
	start --wait-pidfile=8 "$FILE"
	mkdir -p dir/one/two
	still_waits
	put
	takes
}

no_directory() {
	victim
	: >dir/one
	refuses dir/one/file.pid
	says 'dir/one/file\.pid: Not a directory'
	start --wait-pidfile=8 dir/two/three/file.pid
	: >dir/two
	refuses
	says 'Not a directory'
}

# with_closed - what is closed from now on can be removed when the check has ended
with_closed() {
	trap 'chmod -R u+rwx dir' EXIT
}

# closed MODE - a directory on the way
closed() {
	victim
	with_closed
	mkdir dir/closed
	chmod "$1" dir/closed
	refuses dir/closed/file.pid
	refuses dir/closed/two/file.pid
	says 'dir/closed/two/file\.pid: '
	start --wait-pidfile=8 dir/two/file.pid
	mkdir -m "$1" dir/two
	refuses
}

# Nobody can watch a directory that he may not read; but he who finds the next one there need not.
closed_above() {
	victim
	with_closed
	mkdir -p dir/closed/one
	chmod 311 dir/closed
	FILE=dir/closed/one/two/file.pid
	start --wait-pidfile=8 $FILE
	put
	takes
}

# Then it is the next one that tells of its own end.
closed_above_moved() { # COMMAND [ARGUMENT...]
	victim
	with_closed
	mkdir -p dir/closed/one
	chmod 311 dir/closed
	FILE=dir/closed/one/file.pid
	start --wait-pidfile=8 "$FILE"
	while_stopped replace "$@"
	takes
}

replace() {
	"$@"
	put
}

closed_but_there() {
	victim
	with_closed
	put
	chmod 311 dir
	run --wait-pidfile=8 $FILE
	status_is 0
	ended victim his
	is_silent
}

limited() { # LIMIT
	victim
	echo 0 >"/proc/sys/user/$1" || skip "cannot set $1"
	run --wait-pidfile=8 --ignore-missing $FILE
	status_is 5
	ended
	says_one_sentence
	says 'file\.pid: cannot be waited for: too many inotify' "fs\.inotify\.$2"
	put
	run --wait-pidfile=8 $FILE
	status_is 0
	ended victim his
	is_silent
}

# ---- what is said of it ----

says_waiting() {
	grep -Fqx "nskill: waiting for $FILE" err
}

says_missed() {
	grep -Fqx "nskill: $FILE was there, and has gone before it could be read" err
}

times() { # COUNT WORDS
	local count
	count=$(grep -Fc "$2" err)
	((count == $1)) || fail "says '$2' $count times, not $1"
}

# From the moment that it says so nothing is missed.
armed() {
	local line
	victim
	FILE=dir/one/two/file.pid
	mkfifo said
	snapshot BEFORE
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	"$NSKILL" -v --wait-pidfile=8 $FILE >out 2>said </dev/null 9>&- &
	NSKILL_PID=$!
	exec 8<said
	read -r -t 5 -u 8 line || fail 'says nothing'
	[[ $line = "nskill: waiting for $FILE" ]] || fail "says: $line"
	put
	timeout 10 cat <&8 >err
	finish_wait
	status_is 0
	ended victim his
	times 0 'waiting for'
	times 0 'before it could be read'
}

unfinished_too() {
	victim
	: >$FILE
	start -v --wait-pidfile=8 $FILE
	until_true says_waiting
	printf ' ' >>$FILE
	still_waits
	rm $FILE
	until_true says_missed
	still_waits
	put
	finish_wait
	status_is 0
	ended victim his
	times 1 'waiting for'
	times 1 'before it could be read'
}

not_waited_for() {
	victim
	put
	run -v --wait-pidfile=8 $FILE
	status_is 0
	ended victim his
	times 0 'waiting for'
}

is_stopped() {
	read_stat "$NSKILL_PID" && [[ ${STAT[0]} = T ]]
}

# missing FILE PATH... - all that comes at the paths goes again while nskill cannot look, twice
missing() {
	local time file
	victim
	FILE=$1
	start -v --wait-pidfile=8 "$FILE"
	for time in 1 2; do
		kill -STOP "$NSKILL_PID"
		until_true is_stopped
		for file in "${@:2}"; do
			put "$file"
			rm "$file"
			[[ ${file%/*} = dir ]] || rm -r "dir/one"
		done
		kill -CONT "$NSKILL_PID"
		((time == 2)) || until_true says_missed
		still_waits
	done
	put
	finish_wait
	status_is 0
	ended victim his
	times 1 'waiting for'
	times 1 'before it could be read'
}

# not_missing COMMAND... - what neither was there, nor has gone
not_missing() {
	victim
	FILE=dir/one/file.pid
	mkdir dir/one
	start -v --wait-pidfile=8 $FILE
	"$@"
	still_waits
	put
	finish_wait
	status_is 0
	ended victim his
	times 1 'waiting for'
	times 0 'before it could be read'
}

# while_stopped COMMAND...
while_stopped() {
	kill -STOP "$NSKILL_PID"
	until_true is_stopped
	"$@"
	kill -CONT "$NSKILL_PID"
}

other_name() {
	: >dir/one/file.pid.new
	rm dir/one/file.pid.new
	mv dir/one dir/two
	rmdir dir/two
}

back_again() {
	victim
	start -v --wait-pidfile=8 $FILE
	kill -STOP "$NSKILL_PID"
	until_true is_stopped
	put
	rm $FILE
	put
	kill -CONT "$NSKILL_PID"
	finish_wait
	status_is 0
	ended victim his
	times 0 'before it could be read'
}

# ---- for how long ----

time_over() { # WHAT
	victim
	case $1 in
	absent) ;;
	empty) : >$FILE ;;
	half) printf '{"pid": %d' "${P[victim]}" >$FILE ;;
	directories) FILE=dir/one/two/file.pid ;;
	esac
	run --wait-pidfile=300ms $FILE
	status_is 3
	ended
	says_one_sentence
	says 'file\.pid: .*, after a wait of 0\.3 s$'
	((ELAPSED >= 280 && ELAPSED < 4000)) || fail "waited for $ELAPSED ms"
}

ignored_after_all() { # FILE
	victim
	FILE=$1
	run --wait-pidfile=200ms --ignore-missing "$FILE"
	status_is 0
	ended
	((ELAPSED >= 180 && ELAPSED < 4000)) || fail "waited for $ELAPSED ms"
}

# --timeout counts from when the target is known.
not_counted() {
	setsid sh -c 'trap "" TERM; exec announce victim' &
	meet victim
	mkdir dir
	FILE=dir/file.pid
	start --wait-pidfile=8 -t 1 -s TERM $FILE
	pause 1.3
	is_alive "$NSKILL_PID" || { finish_wait; fail 'has not waited'; }
	BEGIN=${EPOCHREALTIME/[^0-9]/}
	echo "${P[victim]}" >dir/new
	mv dir/new $FILE
	finish_wait
	status_is 124
	ended
	says "${P[victim]}"
	((ELAPSED >= 900)) || fail "has given up after $ELAPSED ms"
}

interrupted() { # SIGNAL FILE
	victim
	FILE=$2
	start --wait-pidfile=20 "$FILE"
	kill -s "$1" "$NSKILL_PID"
	finish_wait
	((STATUS == 128 + $(kill -l "$1"))) || fail "exit status $STATUS"
	ended
	((ELAPSED < 5000)) || fail 'has not ended at once'
}

words() {
	local word
	victim
	for word in '' -1 x 1x; do
		run "--wait-pidfile=$word" $FILE
		status_is 2
		ended
	done
}

# It sleeps until something happens, and looks no more often than that.
no_polling() { # FILE
	local opens
	type -P strace >/dev/null || skip 'needs strace'
	victim
	FILE=$1
	strace -o trace "$NSKILL" --wait-pidfile=1 "$FILE" >out 2>err </dev/null 9>&-
	STATUS=$?
	status_is 3
	grep -q inotify_init1 trace || fail 'no inotify'
	opens=$(grep -c 'file\.pid' trace)
	((opens <= 4)) || { cat trace; fail "has looked $opens times"; }
	opens=$(grep -Ec 'poll|select|nanosleep' trace)
	((opens <= 4)) || { cat trace; fail "has slept $opens times"; }
}

# What others do in the directories that it watches costs a read, but no look.
traffic() { # FILE
	local looks files others
	type -P strace >/dev/null || skip 'needs strace'
	victim
	FILE=$1
	mkdir other
	(
		until [[ -e stop ]]; do
			for ((i = 0; i < 50; i++)); do
				: >dir/$i
				echo >>dir/$i
			done
			mv dir/1 dir/2
			rm dir/[0-9]*
		done
	) 9>&- &
	others=$!
	strace -o trace "$NSKILL" --wait-pidfile=1 "$FILE" >out 2>err </dev/null 9>&-
	STATUS=$?
	: >stop
	wait $others
	status_is 3
	looks=$(grep -c inotify_add_watch trace)
	((looks <= 4)) || { tail -n 50 trace; fail "has watched $looks times"; }
	looks=$(grep -c 'file\.pid' trace)
	((looks <= 4)) || { tail -n 50 trace; fail "has looked $looks times"; }
	files=$(grep -c 'inotify_event\|read(' trace)
	((files > 20)) || fail "the picture is wrong: only $files events"
}

# More events than the kernel keeps.
overflow() {
	local most
	read -r most <"/proc/sys/fs/inotify/max_queued_events"
	((most <= 20000)) || skip "the kernel keeps $most events"
	victim
	start --wait-pidfile=20 "$FILE"
	while_stopped flood "$most"
	takes
}

flood() { # COUNT
	local i
	for ((i = 0; i < $1 / 2; i++)); do
		: >dir/1
		: >dir/2
	done
	put
}

# There may be no end to what others do.
traffic_without_end() {
	local others
	victim
	(while [[ ! -e stop ]]; do : >dir/1; echo >>dir/1; rm dir/1; done) 9>&- &
	others=$!
	start --wait-pidfile=300ms dir/one/file.pid
	finish_wait
	: >stop
	wait $others
	status_is 3
	((ELAPSED >= 280 && ELAPSED < 4000)) || fail "waited for $ELAPSED ms"
}

# Whenever the file comes, and however, it is found.
race() {
	local round end way
	setsid announce victim &
	meet victim
	end=$((SECONDS + 5))
	mkdir spare
	for ((round = 0; SECONDS < end; round++)); do
		FILE=root$round/one/two/state.json
		"$NSKILL" --wait-pidfile=8 -n "$FILE" >out 2>err </dev/null 9>&- &
		NSKILL_PID=$!
		pause "0.0$((RANDOM % 3))$((RANDOM % 10))"
		way=$((RANDOM % 5))
		case $way in
		0) put ;;
		1)
			put "spare/one/two/state.json"
			mv spare "root$round"
			mkdir spare
			;;
		2)
			mkdir -p "root$round/one/two"
			rm -r "root$round/one"
			put
			;;
		3)
			put "root$round/one/two/other.json"
			mv "root$round/one" "root$round/three"
			put
			;;
		4)
			put "spare/one/two/state.json"
			mkdir "root$round"
			ln -s ../spare/one "root$round/one"
			;;
		esac
		wait "$NSKILL_PID"
		STATUS=$?
		[[ $STATUS = 0 ]] || { ls -lR "root$round"; fail "way $way, round $round"; }
		rm -r "root$round" spare
		mkdir spare
	done
	echo "$round rounds"
}

check "user plain" "an absent file is waited for" absent
check "user" "a file that is renamed into its place is noticed" renamed
check "user" "a file that is linked into its place is noticed" linked
check "user plain" "an empty file is waited for" empty
check "user" "a file that is written in its place is noticed" truncated
check user "JSON without its end is waited for" half '{"pid": PID, "bundle"' ': "/b"}'
check user "so is JSON that stops before the number" half '{"pid": ' 'PID}'
check user "so is JSON that stops in a word" half '{"pid": PID, "x": tru' 'e}'
check user "so is JSON that stops in a string" half '{"pid": PID, "x": "}\u00' 'e9"}'
check user "so is white space before it" half $'  \n' '{"pid": PID}'
check user "JSON that comes byte by byte is read when it is whole" bytes
check user "a file that is there is not waited for" there
check user "what can never become a target is not waited for" hopeless
check user "a symbolic link that comes is refused" vetted
check user "a file that others can write is refused when it comes" vetted_mode
check "user plain" "a directory of it may be absent" on_the_way dir/one/file.pid
check "user plain" "so may several" on_the_way dir/one/two/three/file.pid
check user "they may come one by one" on_the_way dir/one/two/three/file.pid step_by_step
check user "a path may begin with ./" on_the_way ./one/file.pid
check user "it may have no directory at all" on_the_way new/file.pid mkdir new
check user "slashes may be doubled" on_the_way dir//one///file.pid mkdir dir/one
check user "it may go up again, from a directory that is there" on_the_way dir/../one/file.pid
check user "and from one that is not" on_the_way dir/one/../two/file.pid mkdir -p dir/two dir/one
check user "it may be absolute" on_the_way PWD/dir/one/two/file.pid
check user "a directory may be a link when it comes" on_the_way dir/one/two/file.pid becomes_a_link
check user "a whole tree may be renamed into its place" tree
check user "the directory may go and come again" away dir/one/two
check user "so may the one above it" away dir/one
check user "so may all" away dir/one/two dir/one dir
check user "what a link leads to may be absent" dangling one/real
check user "so it may where the link is absolute" dangling PWD/dir/one/real
check user "links that lead in a circle are refused" links_in_a_circle
check user "links in /proc lead where they lead" another_root
check user "a file in the place of a directory is refused" no_directory
check plain "a directory that may not be searched is refused" closed 0
check plain "one that may not be read is refused" closed 311
check plain "but not where the next one is there" closed_above
check plain "where that one is renamed, another is noticed" \
	closed_above_moved mv dir/closed/one dir/closed/two
check plain "where it is removed, too" closed_above_moved rmdir dir/closed/one
check plain "nor is the file refused where it is there" closed_but_there
check user "without inotify instances nothing is waited for" \
	limited max_inotify_instances max_user_instances
check user "without inotify watches nothing is waited for" \
	limited max_inotify_watches max_user_watches
check "user plain" "-v says that it waits when nothing can be missed any more" armed
check user "-v says that it waits for an unfinished file, and that it has gone" unfinished_too
check user "-v does not say so of a file that is there" not_waited_for
check user "-v says that a file has come and gone, once" missing dir/file.pid dir/file.pid
check user "-v says so of a directory" missing dir/one/two/file.pid dir/one/two/file.pid
check user "-v does not say so of others" not_missing other_name
check user "nor of a directory that was there from the beginning" not_missing rmdir dir/one
check user "nor where nskill cannot look" not_missing while_stopped other_name
check user "nor of a file that is there again" back_again
for what in absent empty half; do
	check user "time is over: the file is still $what" time_over $what
done
check user "time is over: its directories are still absent" time_over directories
check user "time is over, and an absent file is ignored" ignored_after_all dir/file.pid
check user "time is over, and absent directories are ignored" ignored_after_all dir/one/two/file.pid
check user "--timeout counts from when the target is known" not_counted
check user "SIGTERM ends the wait, and nobody is signalled" interrupted TERM dir/file.pid
check user "SIGINT ends the wait, and nobody is signalled" interrupted INT dir/file.pid
check user "SIGINT ends the wait for a directory" interrupted INT dir/one/file.pid
check user "--wait-pidfile wants a duration" words
check user "nskill does not poll" no_polling dir/file.pid
check user "nor where directories are absent" no_polling dir/one/two/file.pid
check user "traffic beside the file is not looked at" traffic dir/file.pid
check user "nor is traffic beside an absent directory" traffic dir/one/file.pid
check user "a file is found where too much else has come" overflow
check user "traffic does not make the wait longer" traffic_without_end
check user "a file is found whenever and however it comes" race
finish
