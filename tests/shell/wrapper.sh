#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# wrapper.sh - nskill-runc with the real runtimes: whoever ends a container, and however, nobody is
# left of it, and `run` returns
#
# The container's first process starts a child in its group, one that calls setsid, and a daemon;
# all of them hold the container's output.

# shellcheck disable=SC2153 # RUNTIME is of container.sh

# shellcheck source=/dev/null
. "$(dirname "$0")/../container.sh"

killed() { # RUNTIME SIGNAL [OPTION...]
	container "$1" 'exec sleep 9999'
	wrapped kill "${@:3}" "$ID" "$2" 2>err || is_refusal || fail "kill has failed: $?"
	over init group detached daemon
	run_returns 137
	nothing_left
}

# Without a cgroup, some versions of runc cannot do a --all, and say so.
is_refusal() {
	[[ $RUNTIME = runc ]] && grep -q 'lstat .*no such file or directory' err
}

deleted() { # RUNTIME
	container "$1" 'exec sleep 9999'
	wrapped delete --force "$ID" || fail "delete has failed: $?"
	over init group detached daemon
	meet end-of-file
	nothing_left
}

by_itself() { # RUNTIME
	container "$1" 'read -r _ </end; exit 7'
	echo >rootfs/end
	run_returns 7
	end init group detached daemon
	nothing_left
}

# The caller has given up: the runtime, and with it the wrapper, is killed, or all of its group is.
abandoned() { # RUNTIME process|group itself|killed
	container "$1" 'read -r _ </end; exit 7'
	case $2 in
	process) kill -KILL "$RUN" ;;
	group) kill -KILL -- "-$RUN" ;;
	esac
	run_returns 137 early
	all_live
	case $3 in
	itself) echo >rootfs/end ;;
	killed) kill -KILL "${P[init]}" ;;
	esac
	meet end-of-file
	end init group detached daemon
	plain delete --force "$ID" >/dev/null 2>&1
	nothing_left
}

# It ends so soon that the watcher may come too late: then that is said.
short() { # RUNTIME
	local try pid
	before_container "$1" 'exit 3'
	sed -i 's/"sh", "-c", ".*"\]/"sh", "-c", "sleep 5555 \& exit 3"]/' config.json
	grep -q 'sleep 5555 & exit 3' config.json || fail "the picture is wrong: $(<config.json)"
	for try in {1..8}; do
		wrapped run "short$try" >output 2>run.err </dev/null
		# On a busy machine runc 1.1 itself can fail, when its init has ended too soon for it.
		(($? == 3)) || grep -q 'lstat .*: no such file' run.err ||
			{ cat run.err; fail 'another status'; }
		if [[ ! -s run.err ]]; then
			until_true no_leak
			continue
		fi
		for pid in $(pgrep -f 'sleep 5555'); do kill -KILL "$pid"; done
	done
	rm -f output
	nothing_left
}

no_leak() {
	! pgrep -f '[s]leep 5555' >/dev/null
}

# A caller that is killed with its group before there is a container leaves no watcher.
early() { # RUNTIME
	local try
	before_container "$1" 'exit 3'
	for try in 0 0.005 0.01 0.02; do
		NSKILL_RUNTIME=$RUNTIME setsid "$WRAPPER" --root state "${GLOBAL[@]}" \
			run --bundle /nowhere "early$try" >output 2>run.err </dev/null &
		pause $try
		kill -KILL -- "-$!" 2>/dev/null
		wait $! 2>/dev/null
	done
	rm -f output
	nothing_left
}

asked() { # RUNTIME
	local script='trap "echo asked >/asked" TERM; echo >/end; '
	container "$1" "$script"'while :; do sleep 1111 & wait; done'
	read -r _ <rootfs/end
	wrapped kill "$ID" TERM || fail "kill has failed: $?"
	until_true test -s rootfs/asked
	pause 0.3
	all_live
	wrapped kill "$ID" KILL || fail "kill has failed: $?"
	run_returns 137
	nothing_left
}

detached() { # RUNTIME run|create
	CREATE=$2 container "$1" 'read -r _ </end; exit 7'
	run_returns 0 early
	all_live
	echo >rootfs/end
	meet end-of-file
	end init group detached daemon
	plain delete "$ID" || fail 'delete has failed'
	nothing_left
}

for runtime in runc crun; do
	worlds='plain root'
	[[ $runtime = runc ]] || worlds='user plain root'
	check "$worlds" "$runtime kill KILL ends all, and run returns" killed $runtime KILL
	check "$worlds" "$runtime kill --all 9 does so, too" killed $runtime 9 --all
	check "$worlds" "$runtime delete --force does so, too" deleted $runtime
	check "$worlds" "when the first process of $runtime ends by itself, so does all" \
		by_itself $runtime
	check "plain root" "one of $runtime that ends at once leaves nobody, or that is said" short $runtime
	check "plain root" "a caller of $runtime that is killed at once leaves no watcher" early $runtime
	check "plain root" "a TERM is for the first process of $runtime alone" asked $runtime
	check "plain root" "$runtime run --detach leaves a watcher" detached $runtime run
	check "plain root" "$runtime create and start leave a watcher" detached $runtime create
	for who in process group; do
		for how in itself killed; do
			check "plain root" \
				"a killed caller of $runtime ($who) leaves nobody, once it ends ($how)" \
				abandoned $runtime $who $how
		done
	done
done
finish
