#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# plan.sh - --plan carries out what -n -J has listed, and nothing else

# shellcheck disable=SC2016 # programs of jq, and scripts
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limits 30 240
SCHEMA=$(realpath "$(dirname "$0")/../schema.json")

# planned [ARGUMENT...] - write the plan of that to the file "plan"
planned() {
	run -n -J "$@"
	status_is 0
	ended
	mv out plan
}

# edited FILTER - change the plan as jq says
edited() {
	jq "$1" plan >edited || fail "no plan after $1"
	mv edited plan
}

is_document() {
	[[ $(jq -s length out) = 1 ]] || fail 'not one document'
	[[ -x /usr/bin/python3 ]] || return 0
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || return 0
	/usr/bin/python3 -W ignore -m jsonschema -i out "$SCHEMA" >wrong 2>&1 ||
		fail "not of that shape: $(<wrong)"
}

is_refused() { # REGEX
	run --plan=plan
	status_is 3
	says_one_sentence
	says "^nskill: plan: $1"
	ended
}

round_trip() {
	job
	planned "$T"
	run --plan=plan
	status_is 0
	is_silent
	ended target orphan child
	run --plan=plan
	status_is 0
	says "^nskill: gone since the plan was made: $T \\(announce\\): target$"
	run -n --plan=plan
	status_is 1
	run --require-match --plan=plan
	status_is 1
}

from_input() {
	job
	planned "$T"
	under sh -c 'exec "$@" <plan' sh
	run --plan=-
	status_is 0
	ended target orphan child
}

shown() {
	job
	planned "$T"
	kill -KILL "${P[child]}"
	until_true is_over child
	run -n --plan=plan -o pid,why
	status_is 0
	lists_exactly target orphan
	lists '^processes that would get KILL: 2$'
	says "^nskill: gone since the plan was made: ${P[child]} "
	ended
}

# In the order of the plan, with the signal that it was made with, unless another is given.
order_and_signal() {
	job
	planned -s TERM "$T"
	edited '.processes |= reverse'
	under strace -f -e trace=pidfd_send_signal,kill,tkill,tgkill -o trace
	no_leak_check
	run --plan=plan
	under
	status_is 0
	ended target orphan child
	[[ $(grep -c 'pidfd_send_signal.*SIGTERM' trace) = 3 ]] || fail "not three TERM"
	! grep -E 'SIGSTOP|SIGKILL|kill\(|PIDFD_SIGNAL_PROCESS_GROUP' trace || fail 'more than those'
}

given_signal() {
	setsid announce target sh -c 'trap "" TERM; exec announce in-target' &
	meet target in-target
	forget in-target
	planned -s TERM "${P[target]}"
	run --plan=plan -t 300ms
	status_is 124
	ended
	run --plan=plan -s KILL
	status_is 0
	ended target
}

# Whoever made the plan may have named no signal, or KILL.
no_grace_before_kill() {
	job
	planned "$T"
	run --plan=plan -k 30s
	status_is 3
	says_one_sentence
	says '^nskill: plan: would send KILL first, and --kill-after needs a first signal'
	ended
	run -J --plan=plan -k 30s
	status_is 3
	is_document
	ended
	under sh -c 'exec "$@" <plan' sh
	run --plan=- -k 30s
	status_is 3
	says '^nskill: standard input: would send KILL'
	ended
	under
	run --plan=plan -k 30s -KILL
	status_is 0
	ended target orphan child
}

grace_of_the_plan() {
	setsid announce target sh -c 'trap "" TERM; exec announce in-target' &
	meet target in-target
	forget in-target
	planned -s TERM "${P[target]}"
	run --plan=plan -k 300ms
	status_is 0
	ended target
	((ELAPSED >= 280)) || fail 'KILL has come too early'
}

# One is gone, the number of one is another's, and one has come.
changed() {
	mkfifo go
	setsid "${MNT[@]}" announce -r target bash -c '
		announce gone & announce recycled & announce child &
		while read -r <>go; do announce added & done' &
	meet target gone recycled child
	bystanders
	planned "${P[target]}"
	kill -KILL "${P[gone]}" "${P[recycled]}"
	until_true is_gone gone
	until_true is_gone recycled
	recycled=${P[recycled]}
	forget recycled
	setpid "$recycled" announce stranger &
	meet stranger
	[[ ${P[stranger]} = "$recycled" ]] || fail 'the number is not used again'
	printf '\n' >go
	meet added
	same pgrp target added
	run -J --plan=plan
	status_is 0
	is_document
	ended target child
	says "^nskill: gone since the plan was made: ${P[gone]} \\(announce\\)" \
		"^nskill: gone since .*, and another process has its PID: $recycled \\(announce\\)" \
		"^nskill: new since the plan was made, left alone: ${P[added]} \\(announce\\)"
	[[ $(wc -l <err) = 3 ]] || fail 'more lines than three'
	jq -e --argjson pid "${P[added]}" 'any(.processes[]; .pid == $pid and .outcome == "new")' \
		out >/dev/null || fail 'what is new is not in the document'
	[[ $(jq '[.processes[] | select(.outcome == "vanished")] | length' out) = 2 ]] ||
		fail 'who is gone is not in the document'
}

# Who was listed ends, even if nothing ties him any more.
untied() {
	job
	planned "$T"
	kill -KILL "$T"
	until_true is_gone target
	run --plan=plan
	status_is 0
	ended orphan child
}

# What a dead target has left, and what has come to that.
of_dead() {
	mkfifo go
	setsid announce -r target bash -c '
		(announce left bash -c "read -r <>go; announce added & exec announce in-left" &)
		exec announce in-target' &
	meet target left in-target
	forget in-target
	kill -KILL "${P[target]}"
	until_true is_gone target
	planned "${P[target]}"
	printf '\n' >go
	meet added in-left
	run --plan=plan
	status_is 0
	ended left
	says "^nskill: new since the plan was made, left alone: ${P[added]} "
	[[ $(wc -l <err) = 1 ]] || fail 'more than one line'
}

# A guest in a container is ended alone, and was seen to be when the plan was made.
silent_of_container() {
	setsid "${MNT[@]}" announce -r elder sh -c '
		setsid announce target & exec announce in-elder' &
	meet elder target in-elder
	forget in-elder
	planned "${P[target]}"
	run --plan=plan
	status_is 0
	is_silent
	ended target
}

# The same start is another number there; without an inode, nothing else tells.
other_time() { # OFFSET
	job
	timens 1000000000 true || skip 'needs time namespaces'
	planned "$T"
	edited '.processes[].identity = null'
	under timens "$1"
	run --plan=plan
	under
	status_is 0
	is_silent
	ended target orphan child
}

hostile_name() {
	setsid comm target $'a\n\\\033[2J"b' &
	meet target
	planned "${P[target]}"
	kill -KILL "${P[target]}"
	until_true is_gone target
	run --plan=plan
	status_is 0
	is_plain_text err
	says "gone since the plan was made: ${P[target]} \\(a.*\\\\x5c.*\\): target$"
	[[ $(wc -l <err) = 1 ]] || fail 'more than one line'
}

before_boot() {
	job
	planned "$T"
	edited '.boot_id |= (explode | reverse | implode)'
	run --plan=plan
	status_is 0
	ended
	says 'was written down before this boot: nothing of it is left'
	run --plan=plan -n
	status_is 1
}

elsewhere() {
	job
	planned "$T"
	edited '.pid_namespace += 1'
	is_refused 'was made in another PID namespace'
}

# A start that is another's, and an inode that is.
not_the_same() {
	job
	planned "$T"
	edited '.processes[].start_ticks += 100 | .processes[].identity = null'
	run --plan=plan
	status_is 0
	ended
	planned "$T"
	edited '.processes[].identity |= . + "1"'
	run --plan=plan
	status_is 0
	ended
}

# What is not the target is not signalled as if it were.
forged() {
	job
	planned "$T"
	edited '.processes |= [.[2] | .why = "target" | .why_id = null]'
	run --plan=plan
	status_is 0
	ended child
}

no_plans() {
	local text
	job
	planned "$T"
	cp plan whole
	edited '.dry_run = false'
	is_refused 'is the report of a run, not a plan'
	cp whole plan
	edited '.nskill = "0.0.1"'
	is_refused 'was made by nskill 0.0.1, and this is'
	cp whole plan
	edited '.exit_status = 3'
	is_refused 'is of a run that did not succeed'
	head -c 200 whole >plan
	is_refused 'is not JSON: line '
	for text in '' '[]' '5' '{}' '{"nskill": 1}' "$T"; do
		printf '%s' "$text" >plan
		is_refused 'is '
	done
	for text in boot_id signal match targets processes pid_namespace dry_run; do
		cp whole plan
		edited "del(.$text)"
		run --plan=plan
		status_is 3
		says_one_sentence
		ended
	done
	for text in pid start_ticks identity why outcome target command; do
		cp whole plan
		edited ".processes[1].$text = {}"
		is_refused "its member '$text'"
	done
	cp whole plan
	edited '.processes[0].target = 4000000'
	is_refused "its member 'target'"
}

untrusted() {
	job
	planned "$T"
	chmod g+w plan
	chgrp 4321 plan 2>/dev/null || chmod o+w plan
	is_refused 'is writable by others'
	chmod 644 plan
	ln -s plan link
	run --plan=link
	status_is 3
	ended
	mkfifo pipe
	run --plan=pipe
	status_is 3
	run --plan=.
	status_is 3
	run --plan=absent
	status_is 3
	ended
	chmod o+w plan
	run --plan=plan --trust-pidfile
	status_is 0
	ended target orphan child
}

# Another user's plan speaks for that user's processes alone.
anothers() {
	setsid "${AS_OTHER_USER[@]}" announce his 9>&9 &
	meet his
	job
	planned "$T" "${P[his]}"
	chown "$OTHER_USER" plan
	run --plan=plan
	status_is 3
	ended his
	says "^nskill: PID $T \(from plan\) is not a process of user $OTHER_USER"
}

# Whoever runs it is spared, though the plan lists him.
guarded() {
	job
	planned "$T"
	mkfifo go
	setsid announce shell sh -c 'read -r go <>go; "$@" >out2 2>err2 9>&-; echo done $? >&9; read -r go <>go' \
		sh "$NSKILL" --plan=plan2 &
	meet shell
	planned "$T" "${P[shell]}"
	mv plan plan2
	printf '\n' >go
	meet 'done'
	[[ ${P[done]} = 3 ]] || fail "status ${P[done]}"
	forget 'done'
	is_alive "${P[shell]}" || fail 'the shell has ended'
	grep -q 'is nskill itself or an ancestor of it' err2 || fail 'it does not say so'
	for name in target orphan child; do is_over "$name" || fail "$name is alive"; done
}

many() {
	setsid crowd target 300 &
	meet target
	planned "${P[target]}"
	(($(wc -c <plan) > 65536)) || fail 'the plan is too small for this'
	run --plan=plan
	status_is 0
	is_over target || fail 'the target is alive'
	is_silent
}

limited() {
	job
	planned "$T"
	run --plan=plan --max=2
	status_is 3
	ended
	for words in "$T" '-F x' '-m tree' --all '-O 1' -i --holders --record=r --on-exit \
		--wait-pidfile=1 --ignore-missing; do
		# shellcheck disable=SC2086 # words
		run --plan=plan $words
		status_is 2
		ended
	done
	run --plan=
	status_is 2
}

check "user plain root" "what a plan lists ends, and that once" round_trip
check "user" "--plan=- is a plan on standard input" from_input
check "user" "with -n it is listed who of the plan is still there" shown
check "user root" "signals go in the order of the plan, and to nobody else" order_and_signal
check "user" "a signal that is given takes the place of the plan's" given_signal
check "user" "3: --kill-after does not go with the plan's KILL, unless a signal is given" \
	no_grace_before_kill
check "user" "--kill-after goes with another signal of the plan" grace_of_the_plan
check "user root" "who is gone, recycled and new is told, and the others end" changed
check "user plain" "who was listed ends, though nothing ties him any more" untied
check "user plain" "what a dead target has left ends, and what is new there is told" of_dead
check "user" "what was not followed is not told again" silent_of_container
check "user" "in another time namespace a plan means the same" other_time 86400123456789
check "user" "so it does where that has just begun" other_time now
check "user" "a name in a plan cannot break a line" hostile_name
check "user" "of a plan from before this boot nothing is left" before_boot
check "user" "3: a plan of another PID namespace is refused" elsewhere
check "user" "another start or inode is another process" not_the_same
check "user" "who is called the target and is not is signalled as who he is" forged
check "user" "3: what is no whole plan of this version is refused" no_plans
check "user plain root" "3: a plan that others can write is refused" untrusted
check "root" "3: a plan of another user names that user's processes alone" anothers
check "user" "3: whoever runs it is spared, though the plan lists him" guarded
check "user" "a plan may be longer than a pidfile" many
check "user" "--max holds, and what would name others is excluded" limited
finish
