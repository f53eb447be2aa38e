#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# examples.sh - every example of README.md and of nskill(1), run as it is written there
#
# What is not on every machine (runc, ansible, pdsh, kubectl) is played by stand-ins, which do with
# their words what the real ones do.

# shellcheck disable=SC2016,SC2034 # scripts; what lib.sh reads
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 200
SOURCES=$(cd "$(dirname "$0")/../.." && pwd)

# The first lines of all examples, each with who plays it. None may be missing here, and none here
# may be gone there.
EXAMPLES=(
	'README.md|$ nskill -n 5082|session'
	'README.md|$ nskill -s TERM -t 2s 6001|survivors'
	'README.md|nskill -n -f -o +ARGS "$pid"          # the list as a tree, with arguments|before_the_kill'
	'README.md|nskill --record=./job.record "$pid"|recorded_job'
	'README.md|nskill -q -t 5s "$pid"|case_in_script'
	'README.md|*/10 * * * * /usr/local/bin/nskill --ignore-missing -O 2h -TERM -k 30s /run/build.pid|crontab'
	'README.md|# nskill-build.service|service'
	'README.md|# nskill-build.timer|timer'
	'README.md|ANSIBLE_LOAD_CALLBACK_PLUGINS=1 ANSIBLE_STDOUT_CALLBACK=ansible.posix.json \|with_ansible'
	"README.md|pdsh -w 'build[1-9]' 'nskill --json --ignore-missing /run/build.pid | jq -c .' ||with_pdsh"
	'README.md|apiVersion: apps/v1|daemon_set'
	'README.md|for pod in $(kubectl get pods -l app=nskill -o name); do|with_kubectl'
	'README.md|nskill -n -m +io "$XDG_RUNTIME_DIR/runc/$id/state.json"    # root: /run/runc/$id, or under runc'"'"'s --root|hung_with_state'
	'README.md|ps -o pid,ppid,pgid,sid,mntns,args --ppid "$runc"|hung_without_state'
	'man/nskill.1|runc state "$id" | nskill --record="$dir/$id.record" -|after_runc_kill'
	'man/nskill.1|runc state "$id" | nskill -|running_container'
	'man/nskill.1|nskill -m +pid,+net "$root/$id/state.json"|container_with_namespaces'
	'man/nskill.1|*/10 * * * * /usr/local/bin/nskill --ignore-missing -O 2h -TERM -k 30s /run/build.pid|crontab'
	'man/nskill.1|start-daemon &|started_daemon'
	'man/nskill.1|nskill -q -t 5s "$pid"|case_in_script'
	'man/nskill.1|nskill -n -f -o +ARGS "$pid"|incident'
	'man/nskill.1|nskill --holders "$pid"|hung_output'
	'man/nskill.1|nskill -m tree,pgrp,session "$pid"|namespace_alone'
	'man/nskill.1|nskill --json "$pid" ||for_a_program'
)

# blocks FILE - its examples, each with a line of NUL before it
blocks() {
	case $1 in
	*.md) awk '/^```/ { open = !open; if (open) print "\0"; next } open' "$SOURCES/$1" ;;
	*.1)
		awk '/^\.Sh / { examples = /EXAMPLES/ }
			examples && /^\.Bd -literal/ { open = 1; print "\0"; next }
			/^\.Ed/ { open = 0 }
			open { gsub(/\\e/, "\\"); sub(/^\\&/, ""); print }' "$SOURCES/$1"
		;;
	esac
}

# example FILE - write the example of that file that is played now to the file `example`
example() {
	local entry line=
	for entry in "${EXAMPLES[@]}"; do
		[[ $entry = "$1|"*"|${FUNCNAME[1]}" ]] || continue
		line=${entry#*|}
		line=${line%|*}
	done
	blocks "$1" | tr '\n\0' '\r\n' | grep -aFm 1 $'\r'"$line"$'\r' | tr '\r' '\n' |
		sed '1d; $d' >example
	[[ -s example ]] || fail "$1 has no example that begins: $line"
}

all_are_played() {
	local file
	for file in README.md man/nskill.1; do
		blocks "$file" | tr '\n\0' '\r\n' | sed 1d | cut -d $'\r' -f 2 | sed "s|^|$file: |"
	done >written
	for file in "${EXAMPLES[@]}"; do
		file=${file%|*}
		echo "${file%%|*}: ${file#*|}"
	done >played
	diff <(sort written) <(sort played) || fail 'not all examples are played, or some are gone'
}

# ---- the stage ----

# at PID - the next process gets that PID
at() {
	echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid 2>/dev/null || skip 'needs to choose PIDs'
}

# play [FILE] - run the example in a shell, with nskill in its path, and what it needs exported
play() {
	local begin
	export PATH=$TEST_DIR/bin:${NSKILL%/*}:$PATH
	ARGUMENTS=("$(cat "${1-example}")")
	snapshot BEFORE
	begin=${EPOCHREALTIME/[^0-9]/}
	timeout --foreground -s KILL 15 bash "${1-example}" </dev/null >out 2>err 9>&-
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - begin) / 1000))
	snapshot AFTER
}

# stand_in NAME - the script on standard input is that program
stand_in() {
	mkdir -p bin
	{ echo '#!/bin/bash'; cat; } >"bin/$1"
	chmod 755 "bin/$1"
}

needs_jq() {
	type -P jq >/dev/null || skip 'needs jq'
}

# exported_job - a job whose target is $pid
exported_job() {
	job
	export pid=$T
}

# container - the job, as a container of a stand-in for runc, whose state.json is in a place of its own
container() {
	job
	export id=build dir=. XDG_RUNTIME_DIR=$PWD/run root=$PWD/run/runc
	mkdir -p "$root/$id"
	the start target
	echo "{\"id\": \"$id\", \"init_process_pid\": $T, \"init_process_start\": $REPLY}" >"$root/$id/state.json"
	echo "$T" >pid
	stand_in runc <<-'END'
		pid=$(cat pid)
		case $1 in
		state)
			status=running
			kill -0 "$pid" 2>/dev/null || status=stopped pid=0
			echo "{\"ociVersion\": \"1.0.2\", \"id\": \"$2\", \"pid\": $pid, \"status\": \"$status\"}"
			;;
		kill) kill "-$3" "$pid" ;;
		delete) rm -r "$root/$3" ;;
		esac
	END
}

# hosts - two of them, which are this machine, with a job each in ./build.pid
hosts() {
	needs_jq
	job
	echo "$T" >build.pid
	export HOSTS='build1 build2'
}

# ---- README.md ----

# normal - ages, namespaces and what is waited in are not the same each time
normal() {
	sed -E 's/402653[0-9]+/4026530000/g; s/ [0-9]s( old)?/ 0s\1/g
		s/waiting in [^:]*:/waiting in it:/; s/(COMMAND) .*NOTE/\1 NOTE/
		s/(sleep  ) .*(TERM has)/\1 \2/'
}

nobody_is_unreaped() {
	! grep -qs ') Z ' /proc/[0-9]*/stat
}

# talk - run the commands of a console, and compare what is shown
talk() {
	sed -n 's/^\$ //p' example | while read -r line; do
		until_true nobody_is_unreaped # whose group is there until then
		echo "\$ $line"
		PATH=${NSKILL%/*}:$PATH bash -c "$line 2>&1" </dev/null 9>&-
	done >out
	diff <(normal <example) <(normal <out) || fail 'it is not what is shown'
}

session() {
	example README.md
	at 5082
	setsid "${MNT[@]}" sh -c 'setsid sleep 7777 & sleep 8888 & exec sleep 9999' >/dev/null 2>&1 &
	call target $!
	until_true is_called 5083 sleep
	until_true is_called 5084 sleep
	kill -KILL "${P[target]}"
	wait "${P[target]}" 2>/dev/null
	talk
	! is_alive 5083 || fail '5083 is alive'
	! is_alive 5084 || fail '5084 is alive'
}

is_called() { # PID NAME
	local name= # read here: whoever is forked takes a PID
	{ read -r name <"/proc/$1/comm"; } 2>/dev/null
	[[ $name = "$2" ]]
}

survivors() {
	example README.md
	(
		at 6001
		setsid sh -c 'trap "" TERM; sleep 6666 & exec sleep 5555' >/dev/null 2>&1 &
	)
	until_true is_called 6001 sleep
	until_true is_called 6002 sleep
	talk
	is_alive 6001 || fail '6001 has ended'
	is_alive 6002 || fail '6002 has ended'
}

recorded_job() {
	example README.md
	exported_job
	sed -i 's/^#.*/kill -KILL "$pid"/' example
	play
	status_is 0
	ended target orphan child
	is_silent
}

before_the_kill() {
	example README.md
	exported_job
	play
	status_is 0
	ended target orphan child
	lists '^target' "the output of $T is no pipe"
	[[ -s plan.json ]] || fail 'no plan'
}

case_in_script() {
	local file
	for file in README.md man/nskill.1; do
		exported_job
		example "$file"
		play
		status_is 0
		ended target orphan child
		lists '^gone$'
		echo 'pid=1' | cat - example >refused
		play refused
		lists '^refused'
		forget target orphan child near apart sandbox
	done
}

# line_of_build - the command in the file `line` runs on a build that is in ./build.pid
line_of_build() {
	sed -i "s|/usr/local/bin/nskill|$NSKILL|; s|/run/build.pid|./build.pid|" line
	play line
	status_is 0
	is_silent
	job
	echo "$T" >build.pid
	play line
	status_is 1
	is_silent
	ended
	sed -i 's/-O 2h/-O 0s/' line
	play line
	status_is 0
	is_silent
	ended target orphan child
	forget target orphan child near apart sandbox
	rm build.pid
}

crontab() {
	local file fields
	for file in README.md man/nskill.1; do
		example "$file"
		read -r -a fields <example
		[[ ${fields[*]:0:5} = '*/10 * * * *' && $(wc -l <example) = 1 ]] || fail 'no line of a crontab'
		echo "${fields[@]:5}" >line
		line_of_build
	done
}

# unit NAME - the example is a unit that systemd takes, as far as it is there
unit() {
	sed "s|/usr/local/bin/nskill|$NSKILL|" example >"$1"
	grep -qE '^\[Unit\]$' "$1" || fail 'no unit'
	! grep -vE '^(#.*|\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.+|)$' "$1" || fail 'no line of a unit'
	type -P systemd-analyze >/dev/null || return 0
	systemd-analyze verify "./$1" >verified 2>&1 || fail "systemd says: $(cat verified)"
	! grep -F "$1" verified || fail 'systemd warns of it'
}

service() {
	example README.md
	unit nskill-build.service
	sed -n 's/^ExecStart=//p' example >line
	grep -qx 'SuccessExitStatus=1' example || fail '1 is no success'
	line_of_build
}

timer() {
	example README.md
	printf '[Service]\nType=oneshot\nExecStart=/bin/true\n' >nskill-build.service
	unit nskill-build.timer
	! type -P systemd-analyze >/dev/null || systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' example)" ||
		fail 'no time'
}

# here - what the example would run on a host, it runs on our build
here() {
	sed -i 's|/run/build.pid|./build.pid|' example
}

with_ansible() {
	hosts
	example README.md
	here
	stand_in ansible <<-'END'
		[[ $ANSIBLE_STDOUT_CALLBACK = ansible.posix.json && $* = 'builders -b -m command -a '* ]] || exit 9
		for host in $HOSTS; do
			text=$(eval "${@: -1}")
			jq -n --arg host "$host" --arg text "$text" '{($host): {stdout: $text, rc: 0}}'
		done | jq -s '{plays: [{tasks: [{hosts: (add + {build3: {unreachable: true}})}]}]}'
	END
	play
	status_is 0
	ended target orphan child
	diff - out <<-'END' || fail 'not what is gathered'
		{"host":"build1","result":"gone","left":[]}
		{"host":"build2","result":"gone","left":[]}
		{"host":"build3","result":"no answer","left":[]}
	END
}

with_pdsh() {
	hosts
	example README.md
	here
	stand_in pdsh <<-'END'
		[[ $1 = -w && $2 = 'build[1-9]' ]] || exit 9
		for host in $HOSTS; do bash -c "$3" | sed "s/^/$host: /"; done
	END
	play
	status_is 0
	ended target orphan child
	diff - out <<-'END' || fail 'not what is gathered'
		{"host":"build1","result":"gone","left":[]}
		{"host":"build2","result":"gone","left":[]}
	END
}

daemon_set() {
	example README.md
	grep -qx '      hostPID: true' example || fail 'it does not see the processes of its node'
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip 'needs the yaml of python3 to parse it'
	/usr/bin/python3 -c 'import sys, yaml
document = yaml.safe_load(sys.stdin)
pod = document["spec"]["template"]
assert document["kind"] == "DaemonSet" and pod["spec"]["hostPID"] is True
assert document["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]' <example ||
		fail 'no manifest'
}

with_kubectl() {
	hosts
	example README.md
	here
	stand_in kubectl <<-'END'
		case $* in
		'get pods -l app=nskill -o name') printf 'pod/%s\n' $HOSTS ;;
		'exec pod/build'[12]' -- '*) shift 3; "$@" ;;
		*) exit 9 ;;
		esac
	END
	play
	status_is 0
	ended
	diff - out <<-END || fail 'not what is gathered'
		{"pod":"pod/build1","result":"listed","listed":[$T,${P[orphan]},${P[child]}]}
		{"pod":"pod/build2","result":"listed","listed":[$T,${P[orphan]},${P[child]}]}
	END
}

hung_with_state() {
	container
	example README.md
	play
	status_is 0
	ended
	lists_exactly target orphan child
}

hung_without_state() {
	container
	kill -KILL "$T"
	until_true is_gone target
	example README.md
	export runc=$$ pgid=$T
	play
	status_is 0
	ended
	grep -Eq '^ *PID +PPID +PGID +SID +MNTNS COMMAND' out || fail 'no list of ps'
	sed -i '1,/^target/d' out
	lists_exactly orphan child
}

# ---- nskill(1) ----

after_runc_kill() {
	container
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
	is_silent
	[[ -s build.record ]] || fail 'no record'
}

running_container() {
	container
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
	is_silent
	play
	status_is 3
	ended
}

container_with_namespaces() {
	container
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
	is_silent
}

started_daemon() {
	bystanders
	example man/nskill.1
	stand_in start-daemon <<-'END'
		setsid sh -c 'sleep 1000 & exec sleep 1000' >/dev/null 2>&1 &
		sleep 0.3
		echo $! >daemon.pid
	END
	play
	status_is 0
	ended
	is_silent
	[[ -s daemon.record ]] || fail 'no record'
	! is_alive "$(cat daemon.pid)" || fail 'the daemon is alive'
}

incident() {
	exported_job
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
	lists 'COMMAND +ARGS' '^ *[0-9]+ .* announce (target|in-target)'
	says 'sent KILL to ' 'nothing is left'
}

hung_output() {
	bystanders
	mkfifo pipe
	exec 5<>pipe
	setsid announce target >pipe 2>&1 5>&- &
	meet target
	setsid announce daemon >pipe 2>&1 5>&- &
	meet daemon
	exec 6<pipe 5>&-
	export pid=${P[target]}
	until_true is_older_by_a_tick
	example man/nskill.1
	play
	status_is 0
	ended target daemon
	lists "still holding the output of $pid: ${P[daemon]} .*: not followed: -m \\+io would kill it, too"
}

is_older_by_a_tick() {
	local first
	the start target
	first=$REPLY
	the start daemon
	((REPLY > first)) && return
	kill -KILL "${P[daemon]}"
	forget daemon
	setsid announce daemon >pipe 2>&1 5>&- 6>&- &
	meet daemon
	return 1
}

namespace_alone() {
	exported_job
	nsenter --target "$T" --mount setsid announce guest &
	meet guest
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
}

for_a_program() {
	needs_jq
	exported_job
	example man/nskill.1
	play
	status_is 0
	ended target orphan child
	is_silent
	setsid sh -c 'trap "" TERM; exec announce stubborn' &
	meet stubborn
	export pid=${P[stubborn]}
	sed -i 's/--json/-s TERM -t 300ms --json/' example
	play
	lists "^$pid announce$"
}

check user "every example is played here" all_are_played
check user "README: the session is as shown" session
check user "README: so are survivors" survivors
check user "README: what there is before the kill" before_the_kill
check user "README: a record before, and the rest after" recorded_job
check user "a script tells the cases apart" case_in_script
check user "a line of a crontab ends an old build and no other" crontab
check user "README: a service does the same" service
check user "README: a timer" timer
check user "README: with ansible" with_ansible
check user "README: with pdsh" with_pdsh
check user "README: a DaemonSet" daemon_set
check user "README: with kubectl" with_kubectl
check user "README: a hung runc, whose state is there" hung_with_state
check user "README: and where it is not" hung_without_state
check user "nskill(1): after runc kill" after_runc_kill
check user "nskill(1): a running container" running_container
check user "nskill(1): a container with namespaces" container_with_namespaces
check user "nskill(1): a daemon and its record" started_daemon
check user "nskill(1): in an incident" incident
check user "nskill(1): an output that is held" hung_output
check user "nskill(1): all but the namespace" namespace_alone
check user "nskill(1): who has not ended, for a program" for_a_program
finish
