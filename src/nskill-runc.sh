#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nskill-runc WORD... - runc or crun with the same words, and the end of what they leave behind
#
#	find_runtime   the real runtime, which is never this script
#	understand     what the words ask for: a command, a container, its root; or nothing of ours
#	become         be the runtime: same arguments, descriptors and environment
#	end            kill and delete: remember the container, be done with it, end what is left
#	watch          run, create and exec: before the runtime starts, a watcher is armed
#
# The last thing for run, create and exec is `become`, too: the caller has the runtime itself, and
# not a parent of it. So the watcher is nobody's child, and needs two helpers that last no longer
# than the runtime takes to start a process:
#
#	watcher  nskill --on-exit on the file that will name the process
#	guard    waits for the end of the runtime: if no process came of it, ends the watcher
#	relay    hears the watcher; lets the runtime start, dismisses the guard, tells the caller
#
# They have a session and a process group of their own, and signal each other through that: by the
# time, a number may be another's. USR1 is for the guard and all that it waits for, KILL for all.
# The last two are this script, read by a shell of that name:
WATCH='nskill-runc: watch'
set -fu

say() {
	printf 'nskill-runc: %s\n' "$*" >&2
}

# ---- the runtime, and nskill ----

# is_this_script FILE - or a copy of it, that would find this one next
# shellcheck disable=SC3013 # POSIX has -ef since 2024; sh had it long before
is_this_script() {
	[ "$1" -ef "$0" ] || { [ "${1##*/}" = "${0##*/}" ] && cmp -s -- "$1" "$0"; }
}

# find_runtime - sets runtime, and binary, its file. It keeps the name that it would have been
# called by, if that leads to it.
find_runtime() {
	runtime=${NSKILL_RUNTIME:-runc}
	binary=$runtime
	case $runtime in
	*/*)
		[ -e "$runtime" ] || { say "$runtime: not found"; exit 127; }
		! is_this_script "$runtime" || { say "$runtime is nskill-runc itself"; exit 127; }
		return
		;;
	esac
	rest=${PATH-/usr/sbin:/usr/bin:/sbin:/bin}:
	while [ -n "$rest" ]; do
		binary=${rest%%:*}
		binary=${binary:-.}/${NSKILL_RUNTIME:-runc}
		rest=${rest#*:}
		if [ ! -f "$binary" ] || [ ! -x "$binary" ]; then
			continue
		elif ! is_this_script "$binary"; then
			[ -n "$runtime" ] || runtime=$binary
			return
		fi
		runtime=''
	done
	if [ -n "$runtime" ]; then
		say "$runtime: not found in PATH"
	else
		say "${NSKILL_RUNTIME:-runc}: found in PATH is only nskill-runc itself"
	fi
	exit 127
}

# find_kind - sets kind to runc or crun; anything else is not understood
find_kind() {
	file=$(readlink -f -- "$binary") || file=$binary
	case ${file##*/} in
	*crun*) kind='crun version' ;;
	*runc*) kind='runc version' ;;
	*) kind=$("$runtime" --version 2>/dev/null </dev/null) ;;
	esac
	case $kind in
	'crun version'* | 'runc version'*) kind=${kind%% *} ;;
	*) return 1 ;;
	esac
}

# find_nskill - sets self, the file of this script, and nskill: it is beside that, or in PATH
find_nskill() {
	self=$(readlink -f -- "$0") || self=$0
	nskill=${self%/*}/nskill
	if [ ! -x "$nskill" ] && ! nskill=$(command -v nskill); then
		say "nskill: not found beside $self, nor in PATH"
		exit 127
	fi
	absolute "$nskill"
	nskill=$path
}

# absolute FILE - sets path
absolute() {
	case $1 in
	/*) path=$1 ;;
	*) path=$PWD/$1 ;;
	esac
}

# clean FILE - sets path, as runc does: without a look at what is there
clean() {
	absolute "$1"
	rest=${path#/}/ path=''
	while [ -n "$rest" ]; do
		case ${rest%%/*} in
		'' | .) ;;
		..) path=${path%/*} ;;
		*) path=$path/${rest%%/*} ;;
		esac
		rest=${rest#*/}
	done
	path=${path:-/}
}

# become WORD... - a shell corrects or adds PWD and others, and loses names that it cannot have, so
# the environment that this process was given is put back. To env, a path with `=` is a variable.
become() {
	# The zeros between them are lost in the substitution; not all shells do that in silence.
	given=''
	{
		given=$(LC_ALL=C sed -z "/^[^=][^=]*=/!d; s/'/'\\\\''/g; s/^/'/; s/\$/' /" \
			</proc/self/environ && echo .)
	} 2>/dev/null
	case $binary in
	*=*) given='' ;;
	esac
	# It is given twice, once to env, and there is a limit to that.
	[ ${#given} -lt 500000 ] || given=''
	case ${given%.} in
	"$given") exec "$runtime" "$@" ;;
	*"'PATH="*) eval "exec env -i -- ${given%.}"' "$runtime" "$@"' ;;
	*) eval "exec env -i -- ${given%.}"' "$binary" "$@"' ;;
	esac
}

# ---- the words ----

# options_of SCOPE - sets with and without: the options that take an argument, and those that do not
options_of() {
	case $1 in
	global)
		with=' cgroup-manager log log-format log-level root '
		# To crun 1.8, --rootless is another --root.
		[ "$kind" = crun ] || with="$with criu rootless "
		without=' debug systemd-cgroup '
		;;
	run | create)
		with=' b bundle config console-socket f pid-file pidfd-socket preserve-fds '
		without=' d detach keep no-new-keyring no-pivot no-subreaper '
		;;
	exec)
		with=' additional-gids apparmor c cap cgroup console-socket cwd e env g p pid-file'
		with="$with pidfd-socket preserve-fds process process-label u user "
		without=' d detach ignore-paused no-new-privs t tty '
		;;
	kill)
		with=' '
		without=' a all '
		;;
	delete)
		with=' '
		without=' f force '
		;;
	*) return 1 ;;
	esac
}

# understand WORD... - sets command, its place, id, root, pid_file, force and signal. False if there
# is an option or a word that is not known here, or nothing has to be done: it is the runtime's.
understand() {
	command='' place=0 id='' root='' pid_file='' force='' only_words=''
	unset -v signal
	options_of global
	while [ $# -gt 0 ]; do
		word=$1
		shift
		[ -n "$command" ] || place=$((place + 1))
		case $only_words$word in
		--)
			[ -z "$id" ] || return 1
			only_words=1
			continue
			;;
		-?*)
			option "$@" || return 1
			shift "$taken"
			[ -n "$command" ] || place=$((place + taken))
			continue
			;;
		esac
		if [ -z "$command" ]; then
			command=$word only_words=''
			options_of "$command" || return 1
		elif [ -z "$id" ]; then
			id=$word
			# To crun, and to exec, what follows is no option.
			[ "$command" != exec ] || break
			[ "$kind" != crun ] || only_words=1
		elif [ "$command" = kill ] && [ -z "${signal+given}" ]; then
			signal=$word
		else
			return 1
		fi
	done
	case $id in
	'' | . | .. | */*) return 1 ;;
	esac
	case $command in
	kill) is_kill "${signal-}" ;;
	delete) [ -n "$force" ] ;;
	esac
}

# is_kill SIGNAL - a number may have a sign and zeros before it
is_kill() {
	number=${1#+}
	number=${number#"${number%%[!0]*}"}
	case $kind:$1 in
	*:KILL | *:SIGKILL) ;;
	runc:[Kk][Ii][Ll][Ll] | runc:[Ss][Ii][Gg][Kk][Ii][Ll][Ll]) ;;
	*) [ "$number" = 9 ] ;;
	esac
}

# option WORD... - the one in word, with the words after it. Sets taken, how many of them it takes.
option() {
	name=${word#-} value='' taken=0 attached=''
	case $kind$word in
	crun-[!-]*) # letters, and perhaps an argument
		attached=${name#?}
		name=${name%"$attached"}
		value=$attached
		;;
	*)
		name=${name#-}
		case $name in
		*=*) value=${name#*=} name=${name%%=*} attached=1 ;;
		esac
		;;
	esac
	case $name in
	*' '*) return 1 ;;
	esac
	case $with:$without in
	*" $name "*:*)
		if [ -z "$attached" ]; then
			[ $# -gt 0 ] || return 1
			value=$1 taken=1
		fi
		set_option
		;;
	*:*" $name "*)
		set_switch || return 1
		case $kind$word in
		crun-t* | crun--*) ;;
		crun-??*) word=-${word#-?} && option "$@" ;;
		esac
		;;
	*) return 1 ;;
	esac
}

# set_option - name, and value
set_option() {
	case $command:$name:$kind:$value in
	:root:runc:*) clean "$value" && root=$path ;;
	:root:crun:) return 1 ;;
	:root:*) absolute "$value" && root=$path ;;
	*:pid-file:*:) pid_file='' ;;
	*:pid-file:*) absolute "$value" && pid_file=$path ;;
	esac
}

# set_switch - name, which to runc may have a value; what it would refuse is its own affair
set_switch() {
	case $kind$word:$value in
	runc*=*:1 | runc*=*:[tT] | runc*=*:true | runc*=*:TRUE | runc*=*:True) value=1 ;;
	runc*=*:0 | runc*=*:[fF] | runc*=*:false | runc*=*:FALSE | runc*=*:False) value='' ;;
	*=*) return 1 ;;
	*) value=1 ;;
	esac
	case $command:$name in
	delete:f | delete:force) force=$value ;;
	esac
}

# ---- where the runtime keeps its state ----

# find_state - sets dir, the container's own, and state, the file that names its first process
find_state() {
	case $kind in
	runc) dir=/run/runc file=state.json ;;
	crun) dir=/run/crun file=status ;;
	esac
	if [ -n "$root" ]; then
		dir=$root
	elif [ -n "${XDG_RUNTIME_DIR-}" ] && honours_xdg; then
		dir=$XDG_RUNTIME_DIR/$kind
	fi
	absolute "$dir/$id"
	dir=$path
	state=$dir/$file
}

# honours_xdg - to runc who is root does not, but for a mapped one who is not called so
honours_xdg() {
	[ "$kind" = runc ] || return 0
	while read -r field _ user _; do
		[ "$field" != Uid: ] || break
	done </proc/self/status
	[ "$user" = 0 ] || return 0
	read -r inside outside count </proc/self/uid_map
	[ "$inside $outside $count" != '0 0 4294967295' ] && [ "${USER-}" != root ]
}

# ---- kill and delete ----

# end WORD...
end() {
	# 4: what may not be looked at is missing in it; the rest is as good as ever.
	record=$("$nskill" --record=- -F "$state" 2>/dev/null) || [ $? = 4 ] ||
		record=$("$runtime" ${root:+--root "$root"} state -- "$id" 2>/dev/null </dev/null |
			"$nskill" --record=- - 2>/dev/null) || [ $? = 4 ] ||
		become "$@"
	interrupt=
	for name in HUP INT TERM; do
		# shellcheck disable=SC2064 # the name of now
		trap "interrupt=$name" "$name"
	done
	(become "$@")
	status=$?
	# Nothing that is wrong with its output may keep nskill from its work.
	( : >&2) || exec 2>/dev/null
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' "$record" |
		"$nskill" ${NSKILL_TIMEOUT:+--timeout="$NSKILL_TIMEOUT"} ${NSKILL_ARGS-} - >&2
	left=$?
	if [ -n "$interrupt" ]; then
		trap - "$interrupt"
		kill -s "$interrupt" $$
	fi
	[ "$status" != 0 ] || status=$left
	exit "$status"
}

# ---- run, create and exec ----

# watch_exec WORD... - by the caller's pidfile, or by one of our own. An old one would name another.
watch_exec() {
	if [ -n "$pid_file" ]; then
		[ -e "$pid_file" ] || watch "$pid_file"
	elif [ -d "$dir" ] && [ -w "$dir" ]; then
		own=$dir/nskill-runc.$$
		rm -f "$own"
		watch "$own"
		count=0
		for word; do
			count=$((count + 1))
			shift
			set -- "$@" "$word"
			[ $count != "$place" ] || set -- "$@" --pid-file "$own"
		done
	fi
	become "$@"
}

# watch FILE - returns when nothing can be missed: the substitution ends when the relay lets go of
# its standard output. Since the parent of both is gone at once, none is a child of ours.
watch() {
	# No shell can hear a signal that its caller has had ignored.
	heard='env --default-signal=USR1'
	$heard true 2>/dev/null || heard=''
	# shellcheck disable=SC2016,SC2086 # read by the other shell; a list of words
	: "$(setsid $heard sh -c '. "$1"' "$WATCH" "$self" "$nskill" "$1" "$own" \
		"$command:$kind" $$ 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &)"
}

# guard FILE - its standard output is the relay's input, and then the watcher's alone
guard() {
	exec </dev/null 2>&1
	words=
	for word in ${NSKILL_ARGS-}; do
		# The watcher has to speak.
		[ "$word" = -q ] || [ "$word" = --quiet ] || words="$words $word"
	done
	# What an exec has started is a guest in the container, even if it was gone before it could
	# be pinned, and its birth is a guess. To crun before 1.20 it does not lead its session.
	case $command in
	exec:runc) words="$words -m pgrp,session,tree" ;;
	exec:crun) words="$words -m pgrp,session,tree --all" ;;
	esac
	# The watcher outlives the relay: it holds the other end of its standard error, too, so that
	# nothing is amiss when nobody hears it any more.
	# shellcheck disable=SC2086 # a list of words
	(
		trap '' USR1
		exec "$nskill" ${NSKILL_TIMEOUT:+--timeout="$NSKILL_TIMEOUT"} $words \
			--on-exit -v --wait-pidfile=10m -F "$1"
	) </proc/self/fd/2 >/dev/null &
	exec >/dev/null 2>&1
	# Until the guard's parent is gone, the runtime is an ancestor, which nskill refuses (3).
	for _ in 1 2 3 4 5; do
		# Nothing is followed: that is to wait, and to signal nobody.
		"$nskill" --on-exit -m -pgrp,-session,-mnt,-tree "$runtime"
		over=$?
		[ $over = 3 ] || break
	done
	[ "$over" -le 1 ] || return
	# What the watcher has noticed by now it says in this time, and then the guard is dismissed.
	# If the file is there, it is read.
	sleep 2
	[ ! -e "$1" ] || return
	[ -z "$own" ] || rm -f -- "$own"
	kill -s KILL 0
}

# relay - its standard output is what the caller of watch waits for
relay() {
	trap '' USR1
	while IFS= read -r line; do
		exec >/dev/null
		case $line in
		'nskill: waiting for the end of '*) break ;;
		'nskill: waiting for '*) ;;
		*' was there, and has gone before it could be read') tell_unless_exec ;;
		*' is gone' | *' is dead, and not reaped yet') tell_unless_exec && break ;;
		*) printf '%s\n' "$line" >&2 ;;
		esac
		line=''
	done
	# At the end of its input the watcher is gone, and the guard tidies up.
	[ -n "$line" ] || return
	kill -s USR1 0
	[ -z "$own" ] || rm -f -- "$own"
}

tell_unless_exec() {
	case $command in
	exec:*) ;;
	*) printf '%s\n' "$line" >&2 ;;
	esac
}

# ---- the beginning ----

if [ "$0" = "$WATCH" ]; then
	cd /
	nskill=$2 own=$4 command=$5 runtime=$6
	(guard "$3" | relay &)
	exit
fi

# concerned WORD... - whether any of them is a command that something is done for
concerned() {
	for word; do
		! options_of "$word" || return 0
	done
	return 1
}

find_runtime
if ! { concerned "$@" && find_kind && understand "$@"; }; then
	become "$@"
fi
find_nskill
find_state
own=''
case $command in
kill | delete) end "$@" ;;
exec) watch_exec "$@" ;;
esac
# If there is one already, the runtime refuses to make another.
[ -e "$state" ] || watch "$state"
become "$@"
