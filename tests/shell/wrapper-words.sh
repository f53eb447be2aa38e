#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# wrapper-words.sh - what nskill-runc understands of the words it is given, and that the runtime
# gets them, its descriptors and its environment as they are
#
# Runtime and nskill are played by scripts that write down how they were called.

# shellcheck disable=SC2016,SC2034 # a dollar to be taken as it is; STATUS is for lib.sh

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# stage [NAME] - a runtime of that name, an nskill, and beside it the program under test
stage() {
	mkdir -p bin top/c1 run
	cp "${NSKILL%/*}/nskill-runc" bin/nskill-runc
	cat >bin/nskill <<-END
	#!/bin/sh
	cd '$PWD'
	END
	cat >>bin/nskill <<-'END'
	printf '%s\n' "$(printf '<%s>' "$@")" >>calls
	case "$*" in
	*--record=-*)
		echo "record"
		case $* in *-F*) test -f "$3" ;; *) grep -q . ;; esac && exit "$(cat lacks 2>/dev/null || echo 0)"
		;;
	*--on-exit*-v*)
		echo 'nskill: waiting for /x' >&2
		[ -e lines ] || echo 'nskill: waiting for the end of 7 (x), 0s old' >lines
		cat lines >&2
		[ ! -e stay ] || sleep 100
		;;
	*--on-exit*) exit 5 ;;
	*) cat >>calls; exit "$(cat left 2>/dev/null || echo 0)" ;;
	esac
	END
	cat >"bin/${1-runc}" <<-'END'
	#!/bin/sh
	case " $* " in *' state -- '*) cat oci 2>/dev/null; exit ;; esac
	[ $# = 0 ] || printf '%s\n' "$(printf '(%s)' "$@")" >>calls
	exit "$(cat answer 2>/dev/null || echo 0)"
	END
	chmod +x bin/*
	export PATH=$PWD/bin:$PATH NSKILL_RUNTIME=${1-runc} XDG_RUNTIME_DIR=$PWD/run
	touch top/c1/state.json top/c1/status
	S=$PWD/top/c1/state.json
	[[ ${1-runc} != crun ]] || S=$PWD/top/c1/status
}

# with WORD... - sets CALLS to what was called, and STATUS
with() {
	WORDS=("$@")
	: >calls
	timeout -s KILL 10 nskill-runc "$@" >out 2>err </dev/null
	STATUS=$?
	# The guard of a watcher of the call before asks for the runtime whenever it gets to.
	CALLS=$(grep -v '^<--on-exit><-m>' calls)
}

# called LINE... - these calls, and no others
called() {
	local expected
	printf -v expected '%s\n' "$@"
	[[ $CALLS = "${expected%$'\n'}" ]] ||
		fail "nskill-runc ${WORDS[*]} has called" "$CALLS" "and not" "$@"
}

quoted() { # WORD...
	QUOTED=
	[[ $# = 0 ]] || printf -v QUOTED '(%s)' "$@"
}

# passes WORD... - the runtime alone is called, and its status is ours
passes() {
	quoted "$@"
	with "$@"
	called "$QUOTED"
	status_is 0
	[[ ! -s out && ! -s err ]] || fail "not silent: $*"
}

# ends WORD... - the state file is remembered, the runtime called, and then the rest ended
ends() {
	quoted "$@"
	with "$@"
	called "<--record=-><-F><$S>" "$QUOTED" '<->' record
	status_is 0
	[[ ! -s out && ! -s err ]] || fail "not silent: $*"
}

# watches FILE WORD... - the watcher is there before the runtime
watches() {
	local file=$1 line
	shift
	quoted "$@"
	with "$@"
	line="${LIMITS-}<--on-exit><-v><--wait-pidfile=10m><-F><$file>"
	[[ $CALLS = *"$line"*"$QUOTED"* ]] || fail "nskill-runc $* has not watched $file:" "$CALLS"
	status_is 0
}

kills() {
	local signal words
	stage "$1"
	for signal in 9 KILL SIGKILL; do
		ends --root top kill c1 $signal
		ends --root=top kill --all c1 $signal
		ends --debug --log x --root top --log-format=json kill -a c1 $signal
		ends --root top -- kill -- c1 $signal
	done
	for signal in '' TERM 15 0 19 SIGTERM KILLED -9 99; do
		passes --root top kill c1 ${signal:+"$signal"}
		passes --root top kill --all c1 ${signal:+"$signal"}
	done
	ends --root top delete --force c1
	ends --root top delete -f c1
	passes --root top delete c1
	passes --root top delete
	passes --root top kill c1 KILL KILL
	passes --root top kill --wrong c1 KILL
	passes --wrong --root top kill c1 KILL
	passes --root top kill --help
	passes --root
	passes --root top kill ../top/c1 KILL
	passes --root top kill c1 '' KILL
	passes --root top kill --all=xyz c1 KILL
	passes --root top --debug=xyz kill c1 KILL
	for words in --force=0 -f=false --force=xyz --force=; do
		passes --root top delete "$words" c1
	done
	for signal in 009 +9 +09; do ends --root top kill c1 "$signal"; done
	passes --root top kill '' KILL
	passes
	for words in list state ps --version --help -h -v help unknown 'list kill' \
		'state c1 delete'; do
		# shellcheck disable=SC2086 # a list of words
		passes $words
	done
}

# What differs: single dashes, words behind the ID, and the case of a signal.
kills_as_runc() {
	stage
	ends -root top kill c1 KILL
	ends -root=top kill -all c1 KILL
	ends --root top kill c1 KILL --all
	ends --root top kill c1 --all KILL
	ends --root top kill c1 kill
	ends --root top kill c1 sigKill
	ends --root top delete c1 --force
	ends --root top delete --force=true c1
	ends --root top delete -f=T c1
	passes --root top delete --force --force=false c1
	ln -s /usr link
	ends --root ./nowhere/../top kill c1 KILL
	ends --root link/..//./top/ kill c1 KILL
	ends --root "/..$PWD/top" kill c1 KILL
	mkdir c1
	touch c1/state.json
	S=$PWD/c1/state.json
	ends --root '' kill c1 KILL
	passes --root top delete --force=false c1
	passes --root top delete -ff c1
}

kills_as_crun() {
	stage crun
	passes --root top kill c1 kill
	passes --root '' kill c1 KILL
	passes --rootless=true --root top kill c1 KILL
	passes --root top delete --force=1 c1
	passes --root top kill c1 KILL --all
	passes --root top kill --regex c1 KILL
	passes --root top kill -ar c1 KILL
	passes --root top delete --regex --force c1
	passes --root top delete c1 --force
	ends --root top kill -aa c1 KILL
	ends --cgroup-manager disabled --root top delete -f c1
}

# The runtime's answer counts; if that is 0, then whether anything is left.
statuses() {
	local answer left
	stage
	for answer in 0 1 77; do
		for left in 0 4 5 124; do
			echo $answer >answer
			echo $left >left
			with --root top kill c1 KILL
			status_is $((answer ? answer : left))
			with --root top delete -f c1
			status_is $((answer ? answer : left))
			with --root top list
			status_is $answer
		done
	done
}

by_oci_state() {
	stage
	rm "$S"
	passes_after_record --root top kill c1 KILL
	echo '{"pid": 5}' >oci
	with --root top kill c1 KILL
	called "<--record=-><-F><$S>" '<--record=-><->' '(--root)(top)(kill)(c1)(KILL)' '<->' record
}

# What may not be looked at is missing in it, and the rest is as good as ever.
in_part() {
	stage
	echo 4 >lacks
	with --root top kill c1 KILL
	called "<--record=-><-F><$S>" '(--root)(top)(kill)(c1)(KILL)' '<->' record
	status_is 0
	rm "$S"
	echo '{"pid": 5}' >oci
	with --root top kill c1 KILL
	called "<--record=-><-F><$S>" '<--record=-><->' '(--root)(top)(kill)(c1)(KILL)' '<->' record
	status_is 0
}

passes_after_record() {
	quoted "$@"
	with "$@"
	called "<--record=-><-F><$S>" '<--record=-><->' "$QUOTED"
	status_is 0
}

odd_names() {
	local name
	stage
	for name in -x -- "it's" 'a b' '*' '$x' $'a\nb' '"' -; do
		mkdir -p "st ate'*/$name"
		touch "st ate'*/$name/state.json"
		S="$PWD/st ate'*/$name/state.json"
		ends --root "st ate'*" kill -- "$name" KILL
		ends --root "$PWD/st ate'*" delete -f -- "$name"
	done
	watches "$PWD/st ate'*/new  id/state.json" --root "st ate'*" run -d "new  id"
}

runs() {
	local command
	stage "$1"
	S=${S/c1/new}
	for command in run create; do
		watches "$S" --root top $command new
		watches "$S" --root top $command --bundle b --pid-file p --preserve-fds 2 new
		watches "$S" --root=top $command -b b --no-pivot --console-socket=s -- new
		passes --root top $command c1
		passes --root top $command --wrong new
		passes --root top $command
		passes --root top $command a b
	done
	watches "$S" --root top run -d new
	watches "$S" --root top run --detach --keep new
}

runs_as_crun() {
	stage crun
	S=${S/c1/new}
	watches "$S" --root top run -dfconfig new
	watches "$S" --root top run -db b new
}

executes() {
	local file words LIMITS='<-m><pgrp,session,tree>'
	stage "$1"
	[[ $1 = runc ]] || LIMITS+='<--all>'
	watches "$PWD/p" --root top exec --pid-file p c1 true --pid-file x kill c1 KILL
	watches "$PWD/p" --root top exec --pid-file=p -e A=1 -u 0 --cwd /x -d c1 run
	touch p
	passes --root top exec --pid-file p c1 true
	passes --root top exec gone true
	passes --root top exec --wrong c1 true
	for words in 'c1 sh -c --pid-file=q' '-t -e kill -p process.json c1'; do
		# shellcheck disable=SC2086 # a list of words
		with --root top exec $words
		file=$(sed -n 's/.*<-F><\(.*\)>$/\1/p' calls | head -n 1)
		[[ $file = "$PWD"/top/c1/nskill-runc.* ]] || fail "no pidfile of its own: $file"
		# shellcheck disable=SC2086 # a list of words
		quoted --root top exec --pid-file "$file" $words
		[[ $CALLS = *"$QUOTED"* ]] || fail "called was $CALLS"
		[[ ! -e $file ]] || fail "$file is left"
	done
}

default_roots() {
	local kind file
	for kind in runc crun; do
		stage $kind
		file=$(basename "$S")
		watches "$PWD/run/$kind/new/$file" run new
		unset XDG_RUNTIME_DIR
		watches "/run/$kind/new/$file" run new
		XDG_RUNTIME_DIR='' watches "/run/$kind/new/$file" run new
	done
}

# Mapped to root, runc believes XDG_RUNTIME_DIR unless its user is called so; as root it does not.
default_roots_of_root() {
	local kind=xdg
	[[ $TEST_WORLD != root ]] || kind=run
	stage
	unset USER
	watches_default $kind
	export USER=somebody
	watches_default $kind
	export USER=root
	watches_default run
	stage crun
	watches "$PWD/run/crun/new/status" run new
}

watches_default() { # xdg|run
	case $1 in
	xdg) watches "$PWD/run/runc/new/state.json" run new ;;
	run) watches /run/runc/new/state.json run new ;;
	esac
}

other_names() {
	local says
	for says in runc crun; do
		stage oci
		[[ $says = runc ]] || S=$PWD/top/c1/status
		sed -i "2i [ \"\$1\" != --version ] || { echo $says version 1; exit; }" bin/oci
		ends --root top kill c1 KILL
	done
	sed -i '2s/crun/else/' bin/oci
	passes --root top kill c1 KILL
	# A link tells by what it leads to.
	stage runc
	mv bin/runc crun
	ln -s ../crun bin/runc
	S=$PWD/top/c1/status
	ends --root top kill c1 KILL
}

arguments() {
	stage
	export NSKILL_TIMEOUT=3s NSKILL_ARGS=' --syslog  -m *	-q '
	with --root top kill c1 KILL
	called "<--record=-><-F><$S>" '(--root)(top)(kill)(c1)(KILL)' \
		'<--timeout=3s><--syslog><-m><*><-q><->' record
	with --root top run new
	[[ $CALLS = *'<--timeout=3s><--syslog><-m><*><--on-exit><-v>'* ]] ||
		fail "called was $CALLS"
}

# ---- what the watcher says ----

# hears LINE [EXPECTED] - of what the watcher says, the caller of `run new` hears so much
hears() {
	printf '%s\n' "$1" >lines
	with --root top "${COMMAND[@]}"
	until_true nobody_listens
	[[ $(<err) = "${2-}" ]] || fail "heard was: $(<err)"
	[[ ! -s out ]] || fail 'standard output is not empty'
	status_is 0
}

nobody_listens() {
	! grep -aq 'nskill-runc: [w]atch' /proc/[0-9]*/cmdline 2>/dev/null
}

heard() {
	local line gone=(
		'nskill: PID 7 (from /x) is gone'
		'nskill: PID 7 (from /x) is dead, and not reaped yet'
		'nskill: /x was there, and has gone before it could be read'
	)
	stage
	COMMAND=(run new)
	for line in "${gone[@]}" 'nskill: cannot wait' 'sh: setsid: not found'; do
		hears "$line" "$line"
	done
	hears 'nskill: waiting for the end of 7 (is gone), 0s old'
	hears 'nskill: waiting for /a:guard 1/nskill: waiting for the end of /x'
	COMMAND=(exec c1 true)
	for line in "${gone[@]}"; do hears "$line"; done
	hears 'nskill: cannot wait' 'nskill: cannot wait'
}

# Whoever waits for the end of standard error does not wait for the watcher.
lets_go() {
	stage
	touch stay
	timeout -s KILL 5 nskill-runc --root top run new </dev/null 2>&1 |
		timeout -s KILL 4 cat >out
	[[ ${PIPESTATUS[*]} = '0 0' ]] || fail 'the pipe has been held open'
	until_true nobody_listens
	pgrep -x sleep >/dev/null || fail 'the picture is wrong: no watcher'
	[[ $(<out) = '' ]] || fail "heard was: $(<out)"
}

# Nor does what has to be said keep the runtime from starting.
stuck() {
	stage
	echo 'nskill: cannot wait' >lines
	mkfifo full
	exec 8<>full
	timeout -s KILL 1 sh -c 'yes >&8'
	timeout -s KILL 5 nskill-runc --root top run new </dev/null >out 2>&8
	STATUS=$?
	status_is 0
	[[ $(grep -v '^<--on-exit><-m>' calls) = *'(--root)(top)(run)(new)' ]] ||
		fail "called was $(<calls)"
	exec 8<&-
}

# A standard error that is closed is no reason to leave anything.
closed() {
	stage
	: >calls
	nskill-runc --root top kill c1 KILL 2>&- >&- <&-
	[[ $(<calls) = *$'\n<->\nrecord' ]] || fail "called was $(<calls)"
}

# The watcher may fail at once, or not be there.
no_watcher() {
	stage
	sed -i '2i case "$*" in *--on-exit*-v*) kill -KILL $$ ;; esac' bin/nskill
	with --root top run new
	status_is 0
	[[ $CALLS = *'(--root)(top)(run)(new)' ]] || fail "called was $CALLS"
	until_true nobody_listens
}

# takes_number FILE - wait until the process that FILE names is reaped; then another has its number
takes_number() {
	until_true test -s "$1"
	until_true eval '! test -e /proc/$(<'"$1"')'
	setpid "$(<"$1")" announce stranger &
	meet stranger
	[[ ${P[stranger]} = "$(<"$1")" ]] || fail 'the picture is wrong: another number'
}

# The watcher ends, and the runtime does so without having started anything.
ends_no_stranger() {
	stage
	: >lines
	sed -i '3i case "$*" in \
		*--on-exit*-v*) echo $$ >new; mv new number ;; \
		*--on-exit*) exit 0 ;; \
		esac' bin/nskill
	with --root top run new
	takes_number number
	until_true nobody_listens
	is_alive "${P[stranger]}" || fail 'who has the number of the watcher is dead'
}

# The guard ends, and then the watcher says that it needs none.
dismisses_no_stranger() {
	stage
	mkfifo go
	sed -i '3i case "$*" in \
		*--on-exit*-v*) echo "nskill: waiting for /x" >&2; read -r _ <go ;; \
		*--on-exit*) echo $PPID >new; mv new number; exit 5 ;; \
		esac' bin/nskill
	with --root top run new
	takes_number number
	echo >go
	until_true nobody_listens
	is_alive "${P[stranger]}" || fail 'who has the number of the guard is dead'
}

# ---- what the runtime is given ----

environment() {
	local given got word
	stage
	cat >bin/runc <<-'END'
	#!/bin/cat
	END
	for word in A=1 PWD="$PWD" PWD=/nowhere OLDPWD=x SHLVL=7 'IFS=x' _=x 'a.b-c= d' $'N=a\nb' \
		"Q='\"\$\`\\" 'command=x' 'given=y' 'E=' 'C=a:b=c:' '-x=1' 'BASH_FUNC_x%%=() { :; }' \
		NSKILL_ARGS=-v; do
		given=$(env -i PATH=/bin NSKILL_RUNTIME=/bin/cat "$word" /bin/cat \
			/proc/self/environ | sort -z | od -c)
		got=$(env -i PATH=/bin NSKILL_RUNTIME=/bin/cat "$word" "$PWD/bin/nskill-runc" \
			/proc/self/environ | sort -z | od -c)
		[[ $got = "$given" ]] || fail "of $word became" "$got"
	done
	got=$(env -i NSKILL_RUNTIME=/bin/cat "$PWD/bin/nskill-runc" /proc/self/environ |
		tr '\0' ' ')
	[[ $got = 'NSKILL_RUNTIME=/bin/cat ' ]] || fail "the environment is $got"
}

# With 3, 9 and 12 open.
descriptors() { # COMMAND...
	stage
	cat >bin/runc <<-'END'
	#!/bin/sh
	exec ls -l /proc/self/fd >listed
	END
	exec 3<config 9<config 12<config
	"$PWD/bin/runc" >out 2>err </dev/null
	sed -n 's/.* \([0-9]* ->\)/\1/p' listed | grep -v /proc/ >expected
	with "$@"
	exec 3<&- 9<&- 12<&-
	sed -n 's/.* \([0-9]* ->\)/\1/p' listed | grep -v /proc/ | diff expected - >difference ||
		fail "the descriptors differ: $(<difference)"
	grep -q '^9 ->' expected || fail "the picture is wrong: $(<expected)"
}

all_descriptors() {
	touch config
	descriptors list
	descriptors --root top run new
	descriptors --root top exec c1 true
	descriptors --root top kill c1 KILL
}

# The wrapper is the runtime: by its number.
same_process() {
	local words
	stage
	printf '#!/bin/sh\necho $$ >itself\n' >bin/runc
	for words in list 'run new' 'create new' 'exec c1 true' 'kill c1 TERM' 'delete c1'; do
		# shellcheck disable=SC2086 # a list of words
		nskill-runc --root top $words </dev/null >out 2>err &
		wait $!
		[[ $(<itself) = "$!" ]] || fail "$words: $! became $(<itself)"
	done
}

never_itself() {
	local place
	stage
	mkdir first second
	cp bin/nskill-runc first/runc
	ln -s ../first/runc second/runc
	PATH=$PWD/second:$PWD/first:$PATH
	: >calls
	runc list
	[[ $(<calls) = '(list)' ]] || fail "called was $(<calls)"
	: >calls
	first/runc list
	[[ $(<calls) = '(list)' ]] || fail "called was $(<calls)"
	for place in "$PWD/bin/nskill-runc" bin/nskill-runc; do
		NSKILL_RUNTIME=$place with list
		status_is 127
		[[ $(wc -l <err) = 1 ]] || fail 'not one sentence'
	done
	NSKILL_RUNTIME=./no-such-runtime with list
	status_is 127
	[[ $(<err) = 'nskill-runc: ./no-such-runtime: not found' ]] || fail 'another sentence'
	NSKILL_RUNTIME=no-such-runtime with list
	status_is 127
	[[ $(<err) = 'nskill-runc: no-such-runtime: not found in PATH' ]] || fail 'another sentence'
	NSKILL_RUNTIME=nskill-runc with list
	status_is 127
	[[ $(<err) = 'nskill-runc: nskill-runc: found in PATH is only nskill-runc itself' ]] ||
		fail 'another sentence'
}

# Of two copies, each would find the other.
never_a_copy() {
	stage
	mkdir first second
	cp bin/nskill-runc first/runc
	cp bin/nskill-runc second/runc
	PATH=$PWD/first:$PWD/second:$PATH
	: >calls
	timeout -s KILL 5 runc list || fail "status $?"
	[[ $(<calls) = '(list)' ]] || fail "called was $(<calls)"
}

# Where /proc is missing, or another PID namespace's, the environment is that of nobody else.
without_proc() {
	local got
	stage
	cat >bin/runc <<-'END'
	#!/bin/sh
	echo "$MINE"
	END
	got=$(MINE=1 unshare --pid --fork nskill-runc list)
	[[ $got = 1 ]] || fail "with the /proc of another: $got"
	mount -t tmpfs none /proc || skip 'needs to mount a tmpfs'
	got=$(MINE=1 nskill-runc list)
	umount /proc
	[[ $got = 1 ]] || fail "without: $got"
}

without_nskill() {
	stage
	rm bin/nskill
	PATH=$PWD/bin:/usr/bin:/bin
	! command -v nskill >/dev/null || skip 'nskill is in PATH'
	passes list
	with --root top kill c1 KILL
	status_is 127
	[[ $(<err) = "nskill-runc: nskill: not found beside $PWD/bin/nskill-runc, nor in PATH" ]] ||
		fail 'another sentence'
	called ''
}

# A signal to the wrapper alone does not lose what comes after the runtime.
interrupted() {
	stage
	mkfifo go
	sed -i '2i echo up >started; read -r _ <go' bin/runc
	mkfifo started
	nskill-runc --root top kill c1 KILL &
	read -r _ <started
	kill -TERM $!
	echo >go
	wait $!
	(($? == 143)) || fail 'it has not died of the signal'
	[[ $(<calls) = *$'\n<->\nrecord' ]] || fail "called was $(<calls)"
}

for kind in runc crun; do
	check plain "kill with KILL and delete --force are understood, and nothing else ($kind)" \
		kills $kind
	check plain "run and create are watched from before they begin ($kind)" runs $kind
	check plain "exec is watched, and the words of its command are not options ($kind)" \
		executes $kind
done
check plain "what runc takes for a kill is one" kills_as_runc
check plain "what crun takes for a kill is one" kills_as_crun
check plain "options of one letter may stand together, as crun has it" runs_as_crun
check plain "the runtime's status counts, then whether something is left" statuses
check plain "without a state file, what the runtime says of the container is remembered" \
	by_oci_state
check user "a record that lacks something is used" in_part
check plain "names and paths may have blanks, quotes, newlines and a dash in front" odd_names
check plain "the root is the one that the runtime takes" default_roots
check 'user root' "the root is the one that the runtime takes" default_roots_of_root
check plain "a runtime of another name is asked which it is" other_names
check plain "NSKILL_TIMEOUT and NSKILL_ARGS are options of nskill" arguments
check plain "what a watcher could not do is heard, and nothing else" heard
check plain "the watcher does not hold what its caller has as standard error" lets_go
check plain "the runtime starts, though what is to be heard is not read" stuck
check plain "with standard error closed, what is left is ended" closed
check plain "the runtime starts, though the watcher has died" no_watcher
check user "whoever has got the number of a watcher that has ended lives" ends_no_stranger
check user "so does whoever has got that of its guard" dismisses_no_stranger
check plain "the runtime has the environment that was given" environment
check plain "the runtime has the descriptors that were given, and no others" all_descriptors
check plain "the runtime is the process that was started" same_process
check plain "the runtime is never the wrapper itself" never_itself
check plain "nor a copy of it" never_a_copy
check user "the environment is not that of another PID namespace's process" without_proc
check plain "without nskill only that is passed on which needs none" without_nskill
check plain "a kill that is interrupted does all of it first" interrupted
finish
