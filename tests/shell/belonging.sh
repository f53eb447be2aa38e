#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# belonging.sh - nskill ends what the target is responsible for, and never who only stands beside it

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# ---- groups and sessions ----

# The leader of the session is dead; two jobs of his are left, each in a group of its own.
job_beside() {
	setsid sh -c 'announce -g target sh -c "announce mine & exec announce here" &
		announce -g beside sh -c "announce his & exec announce there" &' &
	meet target mine here beside his there
	wait $!
	same session target beside mine his
	different pgrp target beside
	forget here there
	run "${P[target]}"
	status_is 0
	ended target mine
}

# A login shell, a script in a group of its own, the target in that same group, and others in both.
script_and_shell() {
	setsid announce shell sh -c '
		announce -g script sh -c "
			announce target sh -c \"announce mine & exec announce here\" &
			announce sibling & exec announce in-script" &
		announce -g job & exec announce in-shell' &
	meet shell script target mine here sibling in-script job in-shell
	has pgrp target "${P[script]}"
	has session target "${P[shell]}"
	same pgrp target mine sibling
	forget here in-script in-shell
	bystanders
	run "${P[target]}"
	status_is 0
	ended target mine
	is_silent
}

# The target leads a group in somebody's session; an orphan is in the group.
leads_group() {
	setsid announce shell sh -c '
		announce -g target sh -c "(announce orphan &); exec announce here" &
		announce -g job & exec announce in-shell' &
	meet shell target orphan here job in-shell
	until_true has_no_parent orphan
	same pgrp target orphan
	different pgrp target job
	forget here in-shell
	run "${P[target]}"
	status_is 0
	ended target orphan
}

# PID 2 is the kernel's own on a host alone.
second() {
	bystanders
	# shellcheck disable=SC2016 # a script
	under unshare --pid --fork --kill-child --mount-proc sh -c '
		setsid sh -c "sleep 1000 & exec sleep 1000" &
		until { child=; read -r child; [ "$child" ]; } </proc/2/task/2/children; do :; done
		"$0" "$@" 2'
	run -n
	status_is 0
	lists '^ *2 .* target +(sleep|sh)$' '^ *3 .* pgrp 2 +(sleep|sh)$'
	ended
}

# The namespace that PID 2 is in is the host's only where PID 2 is kthreadd.
second_with_namespace() {
	bystanders
	# shellcheck disable=SC2016 # a script
	under unshare --pid --fork --kill-child --mount-proc sh -c '
		setsid unshare --mount sh -c "
			(setsid sh -c \": >ready; exec sleep 1000\" &); exec sleep 1000" &
		until [ -e ready ] && read -r name </proc/2/comm && [ "$name" = sleep ]; do :; done
		"$0" "$@" 2'
	run -n
	status_is 0
	lists '^ *2 .* target +sleep$' ' mnt [0-9]+ +(sh|sleep)$'
	ended
}

# Both a group and a session that have come from outside of the PID namespace read 0.
no_number() {
	announce target &
	announce stranger &
	meet target stranger
	has pgrp target 0
	has session target 0
	has pgrp stranger 0
	bystanders
	run "$@" "${P[target]}"
	status_is 0
	ended target
}

# Neither's namespace can be read, and nor can that of the init.
unreadable_link() {
	setsid announce -d target &
	setsid announce -d stranger &
	meet target stranger
	! readlink "/proc/${P[target]}/ns/mnt" || fail 'the picture is wrong: a readable link'
	run "$@" "${P[target]}"
	status_is 0
	ended target
}

# ---- mount namespaces ----

# twenty FUNCTION - until it has made its picture within one clock tick twenty times over
twenty() {
	local try ties=0
	for ((try = 0; try < 400 && ties < 20; try++)); do
		! "$1" || ties=$((ties + 1))
	done
	((ties == 20)) || fail "the picture is wrong: within one tick only $ties times"
}

# The script has made the namespace and forks the target, and another, in the tick of its own birth.
script_in_same_tick() {
	local tie
	setsid "${MNT[@]}" sh -c 'announce -g target & announce -g other & exec announce script' &
	meet script target other
	[[ ${BORN[script]} = "${BORN[target]}" ]]
	tie=$?
	same mnt script target other
	run "${P[target]}"
	status_is 0
	ended target
	kill -KILL "${P[script]}" "${P[other]}"
	until_true is_gone script
	until_true is_gone other
	forget script target other
	return $tie
}

# The one who made the namespace is dead. An elder, born in the target's tick but before it, lives.
elder_in_same_tick() {
	local tie
	setsid "${MNT[@]}" sh -c 'setsid announce elder & setsid announce target &' &
	meet elder target
	wait $!
	[[ ${BORN[elder]} = "${BORN[target]}" ]] && ((P[elder] < P[target]))
	tie=$?
	same mnt elder target
	if ((tie == 0)); then
		run "${P[target]}"
		status_is 0
		ended target
	fi
	kill -KILL "${P[elder]}" "${P[target]}" 2>/dev/null
	until_true is_gone elder
	until_true is_gone target
	forget elder target
	return $tie
}

elder_by_inode() {
	[[ $(uname -r) =~ ^([0-9]+)\.([0-9]+) ]]
	((BASH_REMATCH[1] > 6 || (BASH_REMATCH[1] == 6 && BASH_REMATCH[2] >= 9))) ||
		skip 'needs pidfds whose inodes rise (Linux 6.9)'
	twenty elder_in_same_tick
}

# container - a container with an orphan of its own in it
container() {
	setsid "${MNT[@]}" announce -r init sh -c '(setsid announce daemon &)
		exec announce in-init' &
	meet init daemon in-init
	until_true has_no_parent daemon
	forget in-init
}

# What rootless podman does: a script's child has made a namespace, and others come to join it.
joined_later() {
	setsid announce target sh -c "${MNT[*]} announce pause & exec announce in-script" &
	meet target pause in-script
	forget in-script
	entering pause
	setsid "${ENTER[@]}" announce joined sh -c 'announce child & exec announce in-joined' &
	meet joined child in-joined
	forget in-joined
	same mnt pause joined child
	different mnt pause target
	bystanders
	run "${P[target]}"
	status_is 0
	ended target pause
}

guest() {
	container
	entering init
	setsid "${ENTER[@]}" announce guest sh -c 'announce child & exec announce in-guest' &
	meet guest child in-guest
	forget in-guest
	same mnt init guest child
	different session guest init
	bystanders
}

guest_ends_own() {
	guest
	run "${P[guest]}"
	status_is 0
	ended guest child
	says "mount namespace" "${P[init]}"
	[[ ! -s out ]] || fail 'standard output is not empty'
}

guest_quietly() {
	guest
	run -q "${P[guest]}"
	status_is 0
	ended guest child
	is_silent
}

guest_in_dry_run() {
	guest
	run -n "${P[guest]}"
	status_is 0
	ended
	lists_exactly guest child
	cat err >>out
	lists "${P[init]}"
}

# guest_with_all - --all ends the container and its other guests with the guest, and nobody else
guest_with_all() {
	guest
	run --all "${P[guest]}"
	status_is 0
	ended guest child init daemon
}

# A guest that started 0.8 s after the container, and is known by its pidfile alone.
# dead_guest zombie|reaped
dead_guest() {
	container
	entering init
	pause 0.8
	keep keeper sh -c 'setsid "$@" & echo $! >guest.pid' sh "${ENTER[@]}" announce guest \
		sh -c 'announce child & exec announce in-guest' &
	meet keeper guest child in-guest
	[[ $(<guest.pid) = "${P[guest]}" ]] || fail 'the picture is wrong: the pidfile'
	((BORN[guest] - BORN[init] >= 70)) || fail 'the picture is wrong: too soon'
	same mnt init guest child
	end_guest "$1"
	bystanders
	run -F guest.pid
	status_is 0
	ended child
}

end_guest() { # zombie|reaped
	forget in-guest
	kill -KILL "${P[guest]}"
	until_true is_zombie guest
	if [[ $1 = reaped ]]; then
		kill -USR1 "${P[keeper]}"
		meet keeper-reaped
		is_gone guest || fail 'the picture is wrong: not reaped'
	fi
}

# The script has died. Its child is a guest in a container that is older than the script, or in one
# that is younger but has a PID namespace of its own, and so was made by somebody else.
# dead_script_entered older|pidns zombie|reaped
dead_script_entered() { # older|pidns zombie|reaped
	mkfifo go
	if [[ $1 = older ]]; then
		container
		pause 0.3
	fi
	# shellcheck disable=SC2016 # scripts
	keep keeper sh -c 'setsid announce guest sh -c "$1" & echo $! >guest.pid' sh '
		sh -c "read -r enter <go; exec \$enter announce child" & exec announce in-guest' &
	meet keeper guest in-guest
	if [[ $1 = pidns ]]; then
		pause 0.03
		container_with_pids
	fi
	[[ $1 = older ]] || is_younger outer guest || fail 'the picture is wrong: too old'
	entering init
	echo "${ENTER[*]}" >go
	meet child
	same mnt init child
	same pgrp guest child
	different mnt guest child
	end_guest "$2"
	bystanders
	run -F guest.pid
	status_is 0
	ended child
}

is_younger() { # NAME NAME
	((BORN[$1] > BORN[$2]))
}

# container_with_pids - a container whose first process is the init of a PID namespace
container_with_pids() {
	setsid "${MNT[@]}" --pid --fork --mount-proc announce starter sh -c \
		'announce inner & exec announce in-starter' &
	meet starter inner in-starter
	forget starter inner in-starter
	read -r -a REPLY <"/proc/$!/task/$!/children"
	call outer $!
	call init "${REPLY[0]}"
	read -r -a REPLY <"/proc/${P[init]}/task/${P[init]}/children"
	call inner "${REPLY[0]}"
	grep -Eq '^NSpid:.*[[:space:]]1$' "/proc/${P[init]}/status" ||
		fail 'the picture is wrong: not the init of a PID namespace'
	same mnt init inner
}

# A container is ended by the init of its PID namespace, and its unshare stays.
pid_namespace_init() {
	container_with_pids
	bystanders
	run "${P[init]}"
	status_is 0
	for name in init inner; do [[ -z ${AFTER[${P[$name]}]-} ]] || fail "$name is alive"; done
	for name in near apart sandbox; do
		[[ -n ${AFTER[${P[$name]}]-} ]] || fail "$name is dead"
	done
}

# ---- guards ----

# The real mount namespace of the machine, and nskill in a private one, where PID 1 tells nothing.
# host_namespace alive|reaped COMMAND... - as whom the target lives and nskill runs
host_namespace() {
	local state=$1 host
	shift
	make_readable
	host=$(readlink /proc/self/fd/8)
	# The kernel's first mount namespace has had one of these numbers, by version.
	case $host in
	'mnt:[4026531832]' | 'mnt:[4026531840]' | 'mnt:[4026531841]') ;;
	*) skip 'needs to run in the initial mount namespace' ;;
	esac
	PATH=$HELPERS:$PATH
	mkdir empty
	mount --bind empty /proc/1/ns || fail 'cannot hide the namespaces of PID 1'
	nsenter --mount=/proc/self/fd/8 -- "$@" setsid announce -r target \
		sh -c '(announce orphan &); setsid announce child & exec announce in-target' &
	meet target orphan child in-target
	forget in-target
	nsenter --mount=/proc/self/fd/8 -- "$@" setsid announce beside &
	meet beside
	until_true has_no_parent orphan
	same mnt target orphan child beside
	has mnt target "$host"
	[[ $(readlink /proc/self/ns/mnt) != "$host" ]] || fail 'the picture is wrong: not private'
	! readlink /proc/1/ns/mnt || fail 'the picture is wrong: a readable link'
	under "$@"
	if [[ $state = reaped ]]; then
		kill -KILL "${P[target]}" "${P[child]}"
		until_true is_gone target
		until_true is_gone child
		run "${P[target]}"
		ended orphan
	else
		run "${P[target]}"
		ended target orphan child
	fi
	status_is 0
	run --all "${P[beside]}"
	ended beside
}

# An ordinary user is the first in a mount namespace, but root has made it.
# made_by_root [COMMAND...] - what nskill runs under
made_by_root() {
	make_readable
	PATH=$HELPERS:$PATH
	setsid "${MNT[@]}" "${AS_OTHER_USER[@]}" announce -r target sh -c '
		(setsid announce daemon &); exec announce in-target' &
	meet target daemon in-target
	forget in-target
	until_true has_no_parent daemon
	same mnt target daemon
	bystanders
	under "$@"
	run "${P[target]}"
	status_is 0
	if (($#)); then
		ended target
		says '[Mm]ount namespace'
	else
		ended target daemon
		is_silent
	fi
}

# nskill is in the target's group, but not below the target.
inside_group() { # [OPTION...]
	announce -g target sh -c 'announce mine & setsid announce detached & (announce orphan &)
		exec announce in-target' &
	meet target mine detached orphan in-target
	forget in-target
	until_true has_no_parent orphan
	same pgrp target mine orphan
	bystanders
	under joingroup "${P[target]}"
	run "$@" "${P[target]}"
	status_is 0
	ended target mine detached
	says '[Gg]roup'
}

# Its grandparent becomes its parent while it looks for its ancestors, of which one above that is in
# the target's group.
left_to_grandparent() { # [OPTION...]
	type -P strace >/dev/null || skip 'needs strace'
	announce -g target &
	meet target
	bystanders
	# shellcheck disable=SC2016 # a script
	joingroup "${P[target]}" keep ancestor setsid keep grandparent setsid sh -c '
		(strace -D -qq -o trace -P "/proc/$$/status" -e inject=openat:delay_enter=1000000:when=3 \
			"$NSKILL" "$@" 9>&-; echo $? >status) &
		sleep 0.3' sh "$@" "${P[target]}" &
	meet grandparent
	kill -USR1 "${P[grandparent]}"
	meet grandparent-reaped
	forget grandparent-reaped
	until_true test -s status
	call ancestor "$!"
	has pgrp ancestor "${P[target]}"
	has ppid grandparent "${P[ancestor]}"
	[[ $(<status) = 0 ]] || fail "exit status $(<status)"
	is_over target || fail 'the target is alive'
}

# What a child has led and left is the target's, too, and is listed before it is killed.
left_by_its_leader() {
	announce -g stranger &
	meet stranger
	# shellcheck disable=SC2016 # a script
	announce target sh -c 'announce -g leader sh -c "(announce orphan &); exec joingroup $0 \
		announce in-leader" & exec setsid announce in-target' "${P[stranger]}" &
	meet target leader orphan in-target in-leader
	forget in-target in-leader
	until_true has_no_parent orphan
	has pgrp leader "${P[stranger]}"
	has pgrp orphan "${P[leader]}"
	bystanders
	run --max=2 "${P[target]}"
	status_is 3
	ended
	run --dry-run "${P[target]}"
	status_is 0
	ended
	lists "^ *${P[orphan]} "
	run "${P[target]}"
	status_is 0
	ended target leader orphan
}

# A thousand children end while the list of them is read: the kernel forgets where it was.
reaped_while_listed() {
	local dummies
	type -P strace >/dev/null || skip 'needs strace'
	# shellcheck disable=SC2016 # a script
	setsid announce target sh -c 'while [ $((i += 1)) -le 1100 ]; do sleep 60 & echo $!; done >dummies
		setsid announce last & exec announce -r in-target' &
	meet target last in-target
	bystanders
	mapfile -t -n 1000 dummies <dummies
	under strace -qq -o trace -P "/proc/${P[target]}/task/${P[target]}/children" \
		-e trace=openat,read -e inject=read:delay_exit=1000000:when=1
	{ until_true test -s trace; kill -KILL "${dummies[@]}"; } &
	run -q "${P[target]}"
	status_is 0
	is_over target || fail 'the target is alive'
	is_over last || fail 'the last child is alive'
}

# nskill is in the target's mount namespace, but not below the target.
inside_namespace() { # [OPTION...]
	setsid "${MNT[@]}" announce -r target sh -c '
		(setsid announce daemon &); (announce orphan &); setsid announce child &
		exec announce in-target' &
	meet target daemon orphan child in-target
	forget in-target
	until_true has_no_parent daemon
	until_true has_no_parent orphan
	bystanders
	entering target
	under "${ENTER[@]}"
	run "$@" "${P[target]}"
	status_is 0
	ended target orphan child
	says '[Mm]ount namespace'
}

# A child of this shell, in its group, its session and its mount namespace.
all_but_guarded() { # [COMMAND...] - what nskill runs under
	announce target sh -c 'announce child & exec announce in-target' &
	meet target child in-target
	forget in-target
	bystanders
	under "$@"
	run --all "${P[target]}"
	status_is 0
	ended target child
}

# --all takes the script that started the target, and the shell whose session it is.
all_takes_elders() {
	setsid announce shell sh -c '
		announce -g script sh -c "
			announce target & announce sibling & exec announce in-script" &
		announce -g job & exec announce in-shell' &
	meet shell script target sibling in-script job in-shell
	forget in-script in-shell
	bystanders
	run --all "${P[target]}"
	status_is 0
	ended target shell script sibling job
}

# ---- --match ----

# match LIST NAME... - with this list nskill ends exactly these
match() {
	local list=$1
	shift
	setsid "${MNT[@]}" announce -r target sh -c '
		setsid announce child &
		(announce in-group &); (announce -g in-session &); (setsid announce in-mnt &)
		exec announce in-target' &
	meet target child in-group in-session in-mnt in-target
	forget in-target
	until_true has_no_parent in-group
	until_true has_no_parent in-session
	until_true has_no_parent in-mnt
	same pgrp target in-group
	same session target in-group in-session
	different pgrp target in-session child
	different session target child in-mnt
	same mnt target child in-group in-session in-mnt
	bystanders
	run -m "$list" "${P[target]}"
	status_is 0
	ended target "$@"
}

[[ -n ${TEST_NUMBER-} ]] || exec 8</proc/self/ns/mnt

check "user plain" "a job beside the target lives, in a session whose leader is dead" job_beside
check "user plain" "the script whose group the target is in lives, and so does its shell" \
	script_and_shell
check "user plain" "the group that the target leads ends, and the session it is in does not" \
	leads_group
check "user root" "PID 2 is a target as any other in a PID namespace" second
check "user root" "and its mount namespace falls as any other" second_with_namespace
check bare "groups and sessions that read 0 are not the same" no_number
check bare "groups and sessions that read 0 are not the same to --all either" no_number --all
check plain "mount namespaces that cannot be read are not the same" unreadable_link
check plain "mount namespaces that cannot be read are not the same to --all either" \
	unreadable_link --all
check "user plain" "the script that forked the target in its own first tick lives, 20 of 20" \
	twenty script_in_same_tick
check "user plain" "an elder of the target, of the same tick, keeps the namespace, 20 of 20" \
	elder_by_inode
check "user plain root" "who has joined a namespace that a script's child had made lives" \
	joined_later
check "user plain root" "a guest in a namespace ends with its own, and the container is reported" \
	guest_ends_own
check "user plain" "-q does not report the container that a guest was in" guest_quietly
check "user plain" "--dry-run names the older process for which a namespace is not followed" \
	guest_in_dry_run
check "user plain root" "--all ends the container that the target is a guest in" guest_with_all
for state in zombie reaped; do
	check "user plain" "the container lives that an exec, now a $state one, was a guest of" \
		dead_guest $state
	check "user plain" "the older container lives that a $state script's child has entered" \
		dead_script_entered older $state
	check "user plain" "the container with PIDs lives that a $state script's child entered" \
		dead_script_entered pidns $state
done
check "user plain" "the init of a PID namespace ends with all in it" pid_namespace_init
for state in alive reaped; do
	check root "the host's mount namespace does not fall, with the target $state" \
		host_namespace $state
	check root "the host's mount namespace does not fall, for a user whose target is $state" \
		host_namespace $state "${AS_OTHER_USER[@]}"
done
check root "a mount namespace that root has made does not fall for a user" \
	made_by_root "${AS_OTHER_USER[@]}"
check root "a mount namespace that root has made falls for root" made_by_root
check "user plain" "nskill in the target's group spares the group, and says so" inside_group
check "user plain" "nskill in the target's group spares the group even with --all" \
	inside_group --all
check "user root" "nskill's ancestors live when its parent's parent ends while it looks" \
	left_to_grandparent
check "user root" "nskill's ancestors live then, though no children are followed" \
	left_to_grandparent --match=-tree
check "user root" "what a child has led and left is listed, and ends" left_by_its_leader
check "user root" "a child ends that is listed while a thousand others are reaped" \
	reaped_while_listed
check "user plain" "nskill in the target's namespace spares the namespace, and says so" \
	inside_namespace
check "user plain" "nskill in the target's namespace spares the namespace even with --all" \
	inside_namespace --all
check "user plain bare" "--all takes no scope that nskill or its ancestors are in" all_but_guarded
check "user" "--all takes no scope of nskill's ancestors from a mount namespace of its own" \
	all_but_guarded unshare --mount
check "user plain" "--all takes the script that started the target, and the shell" all_takes_elders
check "user plain" "--match=tree follows descent alone" match tree child
check user "--match=pgrp follows the group alone" match pgrp in-group
check user "--match=session follows the session alone" match session in-group in-session
check "user plain" "--match=mnt follows the mount namespace alone" \
	match mnt child in-group in-session in-mnt
check user "--match=-mnt follows all but the mount namespace" match -mnt child in-group in-session
check user "--match=-mnt,-tree follows the group and the session" \
	match -mnt,-tree in-group in-session
check user "--match=pgrp,tree follows these two" match pgrp,tree child in-group
check user "--match=+tree,-session,-mnt follows descent and the group" \
	match +tree,-session,-mnt child in-group
finish
