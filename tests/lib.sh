# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - what the shell tests share
#
# A test file sources this, defines functions, and says of each what it proves:
#
#	check "WORLD..." "SENTENCE" FUNCTION [ARGUMENT...]
#	finish
#
# Every check runs once in each of its worlds, and each time in a small host of its own: a new PID
# and mount namespace with a /proc of its own and an init that reaps, whose end is the end of all.
# The worlds differ in who the test and nskill are there:
#
#	user   root of a user namespace: every capability, and one user
#	bare   the same, in a group and a session from outside, whose numbers read 0
#	root   root itself (needs root)
#	plain  an ordinary user without any capability; the init is root's where root runs the test
#
# WORLDS names those to run in, all by default: who has run the tests as root need not be told again
# as a user that some need root. CHECKS runs those alone whose sentence holds that text.
#
# The environment names the program under test (NSKILL) and the directory of the programs of
# tests/helpers (HELPERS). Set SANITIZED=1 for a build that is slow. Processes of a check are called
# by names: they write "NAME PID" into the roster, descriptor 9, as the helper `announce` does.
#
# shellcheck disable=SC2034 # much of what is set here is for the test files

set -u
umask 022
export LC_ALL=C SANITIZED=${SANITIZED-} NSKILL HELPERS
: "${NSKILL:?is not set: the absolute path of the nskill to test}"
: "${HELPERS:?is not set: the absolute path of the built test helpers}"

if [[ -n $SANITIZED ]]; then
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99
	export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}halt_on_error=1
fi

LIMIT=30          # seconds that one check may take
FILE_LIMIT=240    # seconds that all checks of a file may take
OTHER_USER=21012  # stands for an ordinary user where root runs the test
NUMBER=0          # of the check at hand
FAILED=0
ON_LIMIT=:        # what else to do when a check has taken too long, and at the end
ARGUMENTS=()      # of the last run of nskill, and what became of it
STATUS=
ELAPSED=0
BEGIN=0          # of an nskill in the background, NSKILL_PID
SELF=$(readlink -f "$0")
declare -A P=() BORN=() BEFORE=() AFTER=()

# limits SECONDS SECONDS - for one check, and for all of a file
limits() {
	LIMIT=$1
	FILE_LIMIT=$2
}

# on_limit FUNCTION
on_limit() {
	ON_LIMIT=$1
}

# ---- outside: one line of TAP for each check and world ----

check() { # "WORLD..." SENTENCE FUNCTION [ARGUMENT...]
	local worlds=$1 sentence=$2 world suffix
	shift 2
	NUMBER=$((NUMBER + 1))
	if [[ -n ${TEST_NUMBER-} ]]; then
		((NUMBER == TEST_NUMBER)) && inside "$@"
		return 0
	fi
	[[ $sentence = *"${CHECKS-}"* ]] || return 0
	for world in $worlds; do
		[[ -z ${WORLDS-} || " $WORLDS " = *" $world "* ]] || continue
		suffix=
		[[ $worlds != *' '* ]] || suffix=" ($(world_in_words "$world"))"
		check_in "$world" "$sentence$suffix"
	done
}

world_in_words() { # WORLD
	case $1 in
	user) echo 'as root of a user namespace' ;;
	bare) echo 'with groups and sessions of number 0' ;;
	root) echo 'as root' ;;
	plain) echo 'as an ordinary user' ;;
	esac
}

check_in() { # WORLD SENTENCE
	local world=$1 sentence=$2 left log status ended runner
	RESULTS=$((RESULTS + 1))
	if [[ $world = root && $EUID != 0 ]]; then
		echo "ok $RESULTS - $sentence # SKIP needs root"
		return
	fi
	if ! can_enter "$world"; then
		echo "ok $RESULTS - $sentence # SKIP needs to make user and PID namespaces"
		return
	fi
	left=$((FILE_LIMIT - SECONDS))
	((left < LIMIT)) || left=$LIMIT
	if ((left <= 0)); then
		result 'not ok' "$sentence"
		echo "# not run: the checks of this file have taken $SECONDS s"
		return
	fi
	TEST_DIR=$WORK/$RESULTS
	log=$TEST_DIR.log
	mkdir "$TEST_DIR"
	# The check has ended when nobody is left that holds the pipe.
	exec {ended}< <(enter "$world" 7>&1 >"$log" 2>&1 </dev/null)
	runner=$!
	RUNNER=$runner
	read -r -t "$left" -u "$ended"
	if (($? > 128)); then
		kill -KILL "$runner"
		$ON_LIMIT
		wait "$runner" 2>/dev/null
		status=limit
	else
		wait "$runner"
		status=$?
	fi
	RUNNER=
	exec {ended}<&-
	case $status in
	0) result ok "$sentence" ;;
	77) result ok "$sentence # SKIP $(tail -n 1 "$log")" ;;
	limit) result 'not ok' "$sentence"; echo "# has taken more than $left s" ;;
	*) result 'not ok' "$sentence"; echo "# status $status" ;;
	esac
	case $status in
	0 | 77) [[ -z ${VERBOSE-} ]] || sed 's/^/# /' "$log" ;;
	*) sed 's/^/# /' "$log" ;;
	esac
}

result() { # ok|'not ok' SENTENCE
	[[ $1 = ok ]] || FAILED=$((FAILED + 1))
	echo "$1 $RESULTS - $2"
}

finish() {
	[[ -z ${TEST_NUMBER-} ]] || exit 125
	echo "1..$RESULTS"
	exit $((FAILED > 0))
}

# world WORLD - sets ENTRY to the command that runs a command there
world() {
	local pid_namespace=(--pid --fork --kill-child --mount-proc)
	case $1 in
	user) ENTRY=(unshare -Ur "${pid_namespace[@]}" "$HELPERS/init" setsid) ;;
	bare) ENTRY=(unshare -Ur "${pid_namespace[@]}" "$HELPERS/init") ;;
	root) ENTRY=(unshare "${pid_namespace[@]}" "$HELPERS/init" setsid) ;;
	plain)
		ENTRY=(unshare -U --map-current-user "${pid_namespace[@]}" "$HELPERS/init" setsid)
		[[ $EUID = 0 ]] || return 0
		make_readable
		ENTRY=(unshare "${pid_namespace[@]}" "$HELPERS/init" "${AS_OTHER_USER[@]}" setsid)
		;;
	*)
		echo "no such world: $1"
		exit 125
		;;
	esac
}

# can_enter WORLD - whether this machine can make that world at all
declare -A CAN_ENTER=()
can_enter() {
	if [[ -z ${CAN_ENTER[$1]-} ]]; then
		(world "$1"; exec "${ENTRY[@]}" true) >/dev/null 2>&1
		CAN_ENTER[$1]=$?
	fi
	return "${CAN_ENTER[$1]}"
}

# enter WORLD - become the check at hand in that world
enter() {
	export TEST_NUMBER=$NUMBER TEST_WORLD=$1 TEST_DIR
	[[ $1 != plain || $EUID != 0 ]] || chown "$OTHER_USER:$OTHER_USER" "$TEST_DIR"
	world "$1"
	exec "${ENTRY[@]}" bash "$SELF"
}

AS_OTHER_USER=(setpriv "--reuid=$OTHER_USER" "--regid=$OTHER_USER" --clear-groups
	--inh-caps=-all --bounding-set=-all)

# What another user cannot reach where it is, is copied to where he can.
make_readable() {
	local copy=$WORK/copy
	if [[ -z ${COVERAGE-} ]]; then # he cannot write the counters of a build that has some
		export GCOV_PREFIX=$WORK/gcov
		[[ -d $GCOV_PREFIX ]] || mkdir -m 1777 "$GCOV_PREFIX"
	fi
	if "${AS_OTHER_USER[@]}" test -r "$SELF" -a -x "$NSKILL" -a -x "$HELPERS/init"; then
		return
	fi
	if [[ ! -d $copy ]]; then
		mkdir -p "$copy/tests/shell" "$copy/bin"
		cp "$(dirname "$SELF")"/../{lib.sh,container.sh,schema.json} "$copy/tests/"
		cp "$SELF" "$copy/tests/shell/"
		find "$HELPERS" -maxdepth 1 -type f -perm -u+x -exec cp {} "$copy/bin/" \;
		cp "$NSKILL" "$copy/bin/nskill"
		cp "${NSKILL%/*}/nskill-runc" "$copy/bin/"
	fi
	SELF=$copy/tests/shell/${SELF##*/}
	HELPERS=$copy/bin
	NSKILL=$copy/bin/nskill
}

clean_up() {
	[[ -z ${RUNNER-} ]] || kill -KILL "$RUNNER"
	$ON_LIMIT
	chmod -R u+rwX "$WORK" 2>/dev/null # a check may have closed a folder
	rm -rf "$WORK"
}

if [[ -z ${TEST_NUMBER-} ]]; then
	RESULTS=0
	RUNNER=
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/nskill-test.XXXXXX") || exit 99
	chmod 755 "$WORK"
	export WORK
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
fi

# ---- inside: a check in its world ----

inside() { # FUNCTION [ARGUMENT...]
	PATH=$HELPERS:$PATH
	cd "$TEST_DIR" || exit 125
	mkfifo roster
	exec 7>&- 9<>roster
	# What makes a mount namespace: an ordinary user needs a user namespace for it.
	MNT=(unshare --mount)
	if [[ $TEST_WORLD = plain ]]; then
		MNT=(unshare --user --map-root-user --mount)
	fi
	"$@"
	exit 0
}

# entering NAME - sets ENTER to the command that enters the mount namespace of that process
entering() {
	ENTER=(nsenter --target "${P[$1]}" --mount)
	[[ $TEST_WORLD != plain ]] || ENTER+=(--user --preserve-credentials)
}

skip() { # REASON
	echo "$*"
	exit 77
}

fail() { # REASON
	echo "$*"
	if [[ -n $STATUS ]]; then
		echo "nskill had: ${ARGUMENTS[*]}"
		echo "exit status $STATUS after $ELAPSED ms; standard output and standard error:"
		head -n 25 out
		head -n 25 err
	fi
	local name
	for name in "${!P[@]}"; do printf '%s=%s ' "$name" "${P[$name]}"; done
	printf '\n'
	ps -e -o pid,ppid,pgid,sid,stat,args | head -n 60
	exit 1
}

# read_stat PID - sets STAT to the fields from the third on: state, parent, group, session, ...
read_stat() {
	local line=
	{ IFS= read -r -d '' line <"/proc/$1/stat"; } 2>/dev/null
	[[ -n $line ]] || return 1
	read -r -a STAT <<<"${line##*) }"
}

# is_alive PID - neither gone nor dead but for being reaped; leaves STAT
is_alive() {
	read_stat "$1" || return 1
	[[ ${STAT[0]} != [ZX] ]] || ((STAT[17] > 1))
}

# meet NAME... - wait until all of these are on the roster
meet() {
	local want name number
	for want; do
		while [[ -z ${P[$want]-} ]]; do
			read -r -t 10 -u 9 name number || fail "$want is not on the roster"
			P[$name]=$number
			! read_stat "$number" || BORN[$name]=${STAT[19]}
		done
	done
}

# call NAME PID - put a process on the roster that did not do so itself
call() {
	P[$1]=$2
	! read_stat "$2" || BORN[$1]=${STAT[19]}
}

# date_file FILE NAME SECONDS - so much older than NAME (or younger: -), but written in this boot
# all the same, however short that has been; WRITTEN and STARTED: both times
date_file() {
	local uptime now=$EPOCHREALTIME times
	read -r uptime _ </proc/uptime
	times=$(awk -v now="$now" -v up="$uptime" -v ticks="${BORN[$2]}" -v age="$3" \
		-v hz="$(getconf CLK_TCK)" 'BEGIN {
			start = ticks / hz
			if (age > start / 2)
				age = start / 2
			printf "%.9f %.9f\n", now - up + start - age, now - up + start
		}')
	read -r WRITTEN STARTED <<<"$times"
	touch -d "@$WRITTEN" "$1"
}

# forget NAME... - take these off the roster, so that others can bear their names
forget() {
	local name
	for name; do unset "P[$name]" "BORN[$name]"; done
}

# pause SECONDS - for loops on /proc where nothing tells of the event
pause() {
	read -r -t "$1" <>roster.pause
}
[[ -z ${TEST_NUMBER-} ]] || mkfifo "$TEST_DIR/roster.pause"

# until_true COMMAND... - wait for what gives no event; at most 10 s
until_true() {
	local try
	for ((try = 0; try < 2000; try++)); do
		! "$@" || return 0
		pause 0.005
	done
	fail "never true: $*"
}

is_zombie() { # NAME
	read_stat "${P[$1]}" && [[ ${STAT[0]} = Z ]]
}

# is_over NAME - dead, whether or not it has been reaped
is_over() {
	! is_alive "${P[$1]}"
}

is_gone() { # NAME
	! read_stat "${P[$1]}"
}

# the KIND NAME - sets REPLY to the pid, ppid, pgrp, session, start or namespace of a process
the() {
	read_stat "${P[$2]}" || fail "$2 is gone"
	case $1 in
	pid) REPLY=${P[$2]} ;;
	ppid) REPLY=${STAT[1]} ;;
	pgrp) REPLY=${STAT[2]} ;;
	session) REPLY=${STAT[3]} ;;
	start) REPLY=${STAT[19]} ;;
	*) REPLY=$(readlink "/proc/${P[$2]}/ns/$1") || fail "cannot read the namespace of $2" ;;
	esac
}

# same KIND NAME NAME..., different KIND NAME NAME... - check a picture before it is used
same() {
	local kind=$1 first name
	the "$kind" "$2"
	first=$REPLY
	for name in "${@:3}"; do
		the "$kind" "$name"
		[[ $REPLY = "$first" ]] || fail "the picture is wrong: $kind of $2 and $name"
	done
}

different() {
	local kind=$1 first name
	the "$kind" "$2"
	first=$REPLY
	for name in "${@:3}"; do
		the "$kind" "$name"
		[[ $REPLY != "$first" ]] || fail "the picture is wrong: $kind of $2 and $name"
	done
}

# has KIND NAME NUMBER - check one number of a picture
has() {
	the "$1" "$2"
	[[ $REPLY = "$3" ]] || fail "the picture is wrong: $1 of $2 is $REPLY, not $3"
}

# snapshot ARRAY - all processes that are alive, as [PID]=START
snapshot() {
	local -n into=$1
	local entry
	into=()
	for entry in /proc/[0-9]*; do
		! is_alive "${entry#/proc/}" || into[${entry#/proc/}]=${STAT[19]}
	done
}

# no_leak_check - it does not work where the program is traced
no_leak_check() {
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

# under [COMMAND...] - what runs nskill from now on
VIA=()
under() {
	VIA=("$@")
}

# run [ARGUMENT...] - run nskill between two snapshots
run() {
	local begin
	ARGUMENTS=("$@")
	snapshot BEFORE
	begin=${EPOCHREALTIME/[^0-9]/}
	timeout --foreground -s KILL $((LIMIT / 2)) "${VIA[@]}" "$NSKILL" "$@" \
		</dev/null >out 2>err 9>&-
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - begin) / 1000))
	snapshot AFTER
}

# finish_wait - wait for an nskill in the background, NSKILL_PID, that was started at BEGIN
finish_wait() {
	local guard
	(
		read -r -t 12 <>roster.pause
		kill -KILL "$NSKILL_PID"
	) 2>/dev/null &
	guard=$!
	wait "$NSKILL_PID"
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - BEGIN) / 1000))
	kill -KILL "$guard" 2>/dev/null
	wait "$guard" 2>/dev/null
	snapshot AFTER
	unset "BEFORE[$guard]" "AFTER[$guard]"
}

# ended [NAME...] - exactly these have ended during the run; everything else lives, nothing is new
ended() {
	local -A expected=()
	local name pid
	for name; do expected[${P[$name]}]=$name; done
	for pid in "${!BEFORE[@]}"; do
		if [[ ${AFTER[$pid]-} = "${BEFORE[$pid]}" ]]; then
			[[ -z ${expected[$pid]-} ]] || fail "${expected[$pid]} is alive"
		else
			[[ -n ${expected[$pid]-} ]] || fail "$(name_of "$pid") is dead"
		fi
	done
	for pid in "${!expected[@]}"; do
		[[ -n ${BEFORE[$pid]-} ]] || fail "${expected[$pid]} was dead before nskill ran"
	done
	for pid in "${!AFTER[@]}"; do
		[[ -n ${BEFORE[$pid]-} ]] || fail "PID $pid is new"
	done
}

name_of() { # PID
	local name
	for name in "${!P[@]}"; do
		[[ ${P[$name]} != "$1" ]] || { echo "$name (PID $1)"; return; }
	done
	echo "PID $1"
}

status_is() { # NUMBER
	[[ $STATUS = "$1" ]] || fail "exit status $STATUS, not $1"
}

is_silent() {
	[[ ! -s out && ! -s err ]] || fail "not silent"
}

says() { # REGEX... - each of these is on standard error
	local regex
	for regex; do grep -Eq -- "$regex" err || fail "standard error does not say: $regex"; done
}

lists() { # REGEX... - each of these is on standard output
	local regex
	for regex; do grep -Eq -- "$regex" out || fail "standard output does not say: $regex"; done
}

# says_one_sentence - one line on standard error, of nskill, and nothing on standard output
says_one_sentence() {
	local lines
	mapfile -t lines <err
	[[ ! -s out ]] || fail "standard output is not empty"
	((${#lines[@]} == 1)) || fail "${#lines[@]} lines on standard error, not one"
	[[ ${lines[0]} = 'nskill: '?* ]] || fail "not a sentence of nskill's"
}

# ranked FILE - the PIDs of a listing
ranked() {
	sed -En 's/^ *([0-9]+) .*/\1/p' "$1"
}

# lists_exactly NAME... - the listing has one line for each of these, in this order, and no other
lists_exactly() {
	local listed name wanted=()
	read -r -d '' -a listed <<<"$(ranked out)"
	for name; do wanted+=("${P[$name]}"); done
	[[ ${listed[*]} = "${wanted[*]}" ]] || fail "listed are ${listed[*]}, not ${wanted[*]}"
}

# is_plain_text FILE... - no control byte but newline and tab
is_plain_text() {
	! cat "$@" | tr -d '\n\t' | grep -aq '[[:cntrl:]]' || fail "a raw control byte in $*"
}

# has_no_parent NAME - but the init
has_no_parent() {
	the ppid "$1"
	((REPLY == 1))
}

# bystanders - three that no check may end: near, apart and sandbox
bystanders() {
	announce near &
	setsid announce apart &
	setsid "${MNT[@]}" announce sandbox &
	meet near apart sandbox
}

# ---- set-ups that several files share ----

# job - a target with a child and an orphan, and bystanders
job() {
	setsid "${MNT[@]}" announce -r target sh -c '
		(announce orphan &); announce child & exec announce in-target' &
	meet target orphan child in-target
	forget in-target
	until_true has_no_parent orphan
	bystanders
	T=${P[target]}
}

# rootless_config UID GID - an OCI configuration that shares the PID namespace and uses no cgroup
rootless_config() {
	cat <<-EOF
	{
	  "ociVersion": "1.0.2",
	  "process": {
	    "user": {"uid": 0, "gid": 0}, "cwd": "/", "env": ["PATH=/bin"],
	    "args": ["sh", "-c", "setsid sleep 7777 & sleep 8888 & exec sleep 9999"]
	  },
	  "root": {"path": "rootfs"},
	  "mounts": [
	    {"destination": "/proc", "type": "bind", "source": "/proc", "options": ["rbind"]},
	    {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["mode=755"]}
	  ],
	  "linux": {
	    "uidMappings": [{"containerID": 0, "hostID": $1, "size": 1}],
	    "gidMappings": [{"containerID": 0, "hostID": $2, "size": 1}],
	    "namespaces": [{"type": "mount"}, {"type": "user"}, {"type": "ipc"}, {"type": "uts"}]
	  }
	}
	EOF
}

# rootless_bundle UID GID - the folder rootfs with a shell, sleep and setsid, and its config.json
rootless_bundle() {
	local busybox applet
	busybox=$(type -P busybox) || skip 'needs busybox'
	mkdir -p rootfs/bin rootfs/proc rootfs/dev
	cp "$busybox" rootfs/bin/busybox
	for applet in sh sleep setsid; do ln -s busybox "rootfs/bin/$applet"; done
	unshare -Ur chroot rootfs sh -c : || skip 'needs a busybox that is linked statically'
	rootless_config "$@" >config.json
}
