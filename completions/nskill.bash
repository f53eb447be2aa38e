# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of nskill(1) for bash 4 or newer; needs nothing of the bash-completion package.

# Offer the words of $2 that begin with $3, each with $1 in front.
_nskill_words()
{
	local word

	for word in $2; do
		[[ $word == "$3"* ]] && COMPREPLY+=("$1$word")
	done
}

# Signals with $1 in front, in upper case whatever case $2 is in.
_nskill_signals()
{
	local begun=${2^^} names

	# bash lists its traps, such as EXIT, and numbers that have no name, too.
	names=$(compgen -A signal | grep -x 'SIG[A-Z0-9]*[-+]\{0,1\}[0-9]*')
	[[ $begun == SIG* ]] || names=${names//SIG/}
	_nskill_words "$1" "$names" "$begun"
}

# A list of kinds, of which $1 is typed: either kinds, or changes to the default.
_nskill_kinds()
{
	local list='' last=${1##*,} kind kinds='pgrp session mnt tree io
		pid net ipc uts user time cgroupns cgroup all' changes=''

	[[ $1 == *,* ]] && list=${1%,*},
	for kind in $kinds; do
		changes+=" +$kind -$kind"
	done
	[[ $list == [-+]* ]] || _nskill_words "$list" "$kinds" "$last"
	[[ $list == [!-+]* ]] || _nskill_words "$list" "$changes" "$last"
	compopt -o nospace 2> /dev/null
}

# A list of columns, of which $1 is typed in any case; + adds to the default.
_nskill_columns()
{
	local list='' last=${1##*[,+]} columns='PID PPID USER STATE AGE PGRP SID MNTNS WHY COMMAND
		START UID TTY WCHAN CGROUP NSPID TARGET EXE ARGS'

	[[ $1 == *[,+]* ]] && list=${1%"$last"}
	_nskill_words "$list" "$columns" "${last^^}"
	[[ $list ]] || _nskill_words '' help "${last,,}"
	compopt -o nospace 2> /dev/null
}

# Files (-f) or directories (-d) that begin with $2.
_nskill_files()
{
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
	compopt -o filenames 2> /dev/null
}

# What names a process: pidfiles where daemons put them, and the states of containers. With $1 typed.
_nskill_pidfiles()
{
	local file run

	for run in /run ${XDG_RUNTIME_DIR:+"$XDG_RUNTIME_DIR"}; do
		for file in "$run"/*.pid "$run"/*/*.pid "$run"/runc/*/state.json \
			"$run"/crun/*/status; do
			[[ $file == "$1"* && -f $file ]] && COMPREPLY+=("$file")
		done
	done
	[[ $1 ]] || compopt -o filenames 2> /dev/null
}

# Running processes but kernel threads; where bash only lists them (COMP_TYPE), with their commands.
_nskill_processes()
{
	local pid command

	while read -r pid command; do
		[[ $pid == "$1"* ]] || continue
		case ${COMP_TYPE-} in
		33 | 63) COMPREPLY+=("$pid ($command)") ;;
		*) COMPREPLY+=("$pid") ;;
		esac
	done < <(ps -N -p 1,2 --ppid 2 -o pid= -o comm= 2> /dev/null)
}

# A target: a PID, not of a kernel thread; or a path, or a directory where one may begin.
_nskill_targets()
{
	case $1 in
	*/* | '~'*)
		_nskill_files -f "$1"
		[[ $1 != /run/* ]] || _nskill_pidfiles "$1"
		;;
	'' | [0-9]*)
		_nskill_processes "$1"
		[[ $1 ]] || _nskill_pidfiles ''
		;;
	*) _nskill_files -d "$1" ;;
	esac
}

# The argument $2 of the option $1; false where that takes none.
_nskill_argument()
{
	# The last letter of a cluster may take an argument.
	[[ $1 =~ ^-[nivqfJ]*([FmsktOo])$ ]] && set -- "-${BASH_REMATCH[1]}" "$2"
	case $1 in
	-F | --pidfile)
		_nskill_files -f "$2"
		_nskill_pidfiles "$2"
		;;
	--plan | --record) _nskill_files -f "$2" ;;
	-m | --match) _nskill_kinds "$2" ;;
	-s | --signal) _nskill_signals '' "$2" ;;
	-o | --output) _nskill_columns "$2" ;;
	--color) _nskill_words '' 'auto always never' "$2" ;;
	-k | --kill-after | -t | --timeout | -O | --older | --max | --wait-pidfile) ;;
	*) return 1 ;;
	esac
	return 0
}

_nskill_options()
{
	_nskill_words '' '-F --pidfile= -m --match= --all -s --signal= -k --kill-after=
		-t --timeout= -O --older= --max= --record= --wait-pidfile= --trust-pidfile
		--ignore-missing --require-match --on-exit -n --dry-run -i --interactive --plan= --holders -o --output=
		-f --forest --color= -J --json -v --verbose -q --quiet
		--syslog -h --help -V --version' "$1"
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
	[[ $1 == -[A-Z]* ]] && _nskill_signals - "${1#-}"
}

_nskill()
{
	local word=${COMP_WORDS[COMP_CWORD]} i=$((COMP_CWORD - 1))

	COMPREPLY=()
	# readline takes the = of --option=argument for a word of its own.
	if [[ $word == '=' ]]; then
		word=
	elif [[ ${COMP_WORDS[i]} == '=' ]]; then
		i=$((i - 1))
	fi
	_nskill_argument "${COMP_WORDS[i]}" "$word" && return

	# After -- there are no options.
	while ((i > 0)) && [[ ${COMP_WORDS[i]} != -- ]]; do
		i=$((i - 1))
	done
	if ((i == 0)) && [[ $word == -* ]]; then
		_nskill_options "$word"
	else
		_nskill_targets "$word"
	fi
}

complete -F _nskill nskill
