#compdef nskill
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of nskill for zsh, to be installed as _nskill.

# Kinds one after the other: either kinds, or changes to the default.
_nskill_kinds() {
	local -a kinds=(pgrp session mnt tree pid net ipc uts user time cgroupns cgroup io all)
	local typed=${(M)PREFIX##*,}

	compset -P '*,'
	[[ $typed == [-+]* ]] || compadd -S '' -a kinds
	[[ $typed == [^-+]* ]] || compadd -S '' -- +$^kinds -$^kinds
}

_nskill_columns() {
	local -a columns=(PID PPID USER STATE AGE PGRP SID MNTNS WHY COMMAND
		START UID TTY WCHAN CGROUP NSPID TARGET EXE ARGS)

	compset -P '*[,+]' || columns+=(help)
	compadd -S '' -a columns
}

_nskill_signals() {
	compadd -- ${signals[2,-3]}
}

# Processes with their names, but not PID 1, nor kernel threads; and pidfiles.
_nskill_targets() {
	local -a processes

	if [[ $PREFIX == */* || $PREFIX == '~'* ]]; then
		_files
		return
	fi
	processes=(${(f)"$(ps -N -p 1,2 --ppid 2 -o pid=,comm= 2> /dev/null |
		sed -E 's/^ *([0-9]+) +/\1:/')"})
	_describe -t processes process processes
	_nskill_pidfiles
}

# Pidfiles where daemons put them, and the states of containers.
_nskill_pidfiles() {
	local own=${XDG_RUNTIME_DIR:-/run}
	local -aU files

	files=(/run/*.pid(N) /run/*/*.pid(N) $own/*.pid(N) $own/*/*.pid(N)
		{/run,$own}/runc/*/state.json(N) {/run,$own}/crun/*/status(N))
	(($#files)) && compadd -U -- $files
}

_nskill_files() {
	_files
	[[ -n $PREFIX ]] || _nskill_pidfiles
}

_arguments -s -S \
	'*'{-F+,--pidfile=}'[a target named by FILE]:file:_nskill_files' \
	'(-m --match)'{-m+,--match=}'[what to follow]:kind:_nskill_kinds' \
	'--all[whole group, session and mount namespace]' \
	'(-O --older)'{-O+,--older=}'[only a target that is as old]:duration:' \
	'--max=[refuse when there are more]:number:' \
	'--require-match[exit with 1 when nothing was alive]' \
	'--record=[write down who the target is]:file:_files' \
	'--wait-pidfile=[wait for a file that is absent]:duration:' \
	"--trust-pidfile[do not check a file's owner, mode and age]" \
	'--ignore-missing[a file that is absent counts as gone]' \
	'(-s --signal)'{-s+,--signal=}'[the first signal]:signal:_nskill_signals' \
	'(-k --kill-after)'{-k+,--kill-after=}'[KILL what is left then]:duration:' \
	'(-t --timeout)'{-t+,--timeout=}'[give up then]:duration:' \
	'--on-exit[wait until the target has ended by itself]' \
	'(-n --dry-run)'{-n,--dry-run}'[list, and signal nothing]' \
	'(-i --interactive)'{-i,--interactive}'[list, and ask before anything is signalled]' \
	'--plan=[signal those that -n -J has listed]:file:_files' \
	'--holders[name who holds the output open]' \
	'(-o --output)'{-o+,--output=}'[columns of the list]:column:_nskill_columns' \
	'(-f --forest)'{-f,--forest}'[draw the list as a tree]' \
	'--color=[whether targets stand out]:when:(auto always never)' \
	'(-J --json)'{-J,--json}'[the report as a JSON document]' \
	'(-v --verbose -q --quiet)'{-v,--verbose}'[a line for each thing done]' \
	'(-q --quiet -v --verbose)'{-q,--quiet}'[nothing but errors]' \
	'--syslog[also to syslog]' \
	'(- *)'{-h,--help}'[print a summary]' \
	'(- *)'{-V,--version}'[print the version]' \
	'*:target:_nskill_targets'
