#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What zsh and fish complete, asked of the shells themselves. That of bash is in docs.sh.
# shellcheck disable=SC2016,SC2086 # scripts of fish; lists of words
set -u
export LC_ALL=C
srcdir=${srcdir:-.}
nskill=${NSKILL:-./nskill}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch
mkdir "$scratch/zsh"
cp "$srcdir/completions/nskill.zsh" "$scratch/zsh/_nskill"

# shellcheck source=tests/tap.sh
. "$srcdir/tests/tap.sh"

# complete_in SHELL LINE: what that shell would complete at the end of the line, one a line.
complete_in() {
	case $1 in
	zsh) timeout 60 zsh -f "$srcdir/tests/complete.zsh" "$scratch/zsh" "$2" ;;
	fish) timeout 60 fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$srcdir/completions/nskill.fish" "$2" | cut -f 1 ;;
	esac < /dev/null 2>&1
}
# same SHELL LINE WORDS: what of these is not completed, and what is that is none of them.
same() {
	diff <(complete_in "$1" "$2" | sort) <(tr ' ' '\n' <<< "$3" | sort)
}
# among SHELL LINE WORD...: the words that are not completed.
among() {
	local list word
	list=$(complete_in "$1" "$2")
	shift 2
	for word; do
		grep -qxFe "$word" <<< "$list" || echo "missing: $word"
	done
}

help=$("$nskill" --help)
long=$(sed -nE 's/^ {2,6}(-., )?--([a-z-]+).*/--\2/p' <<< "$help" | xargs)
short=$(sed -nE 's/^ +(-.), --.*/\1/p' <<< "$help" | xargs)
kinds=$("$nskill" -m, 1 2>&1 | sed -nE 's/.*kinds \(([^)]*)\).*/\1/p' | tr -d ,)
columns=$("$nskill" --output=help | awk '{ print $1 }' | xargs)
child=$BASHPID

for shell in zsh fish; do
	if ! command -v "$shell" > /dev/null; then
		skip "the completion of $shell" "needs $shell"
		continue
	fi
	check "$shell completes the options that --help names" "$(
		same "$shell" 'nskill --' "$long"
		among "$shell" 'nskill -' $short
	)"
	check "$shell completes the kinds one by one" "$(
		same "$shell" 'nskill -m pgrp,' "$(printf ' pgrp,%s' $kinds | cut -c 2-)"
		same "$shell" 'nskill -m +mnt,-' "$(printf ' +mnt,-%s' $kinds | cut -c 2-)"
		among "$shell" 'nskill -m ' all pgrp +net
		among "$shell" 'nskill --match=' --match=pgrp --match=-tree
	)"
	check "$shell completes the columns one by one" "$(
		same "$shell" 'nskill -o ' "$columns help"
		same "$shell" 'nskill -n -o WHY,' "$(printf ' WHY,%s' $columns | cut -c 2-)"
		among "$shell" 'nskill -o +' +ARGS
	)"
	check "$shell completes signals and the other words" "$(
		among "$shell" 'nskill -s ' KILL TERM HUP
		same "$shell" 'nskill --color=' '--color=auto --color=always --color=never'
	)"
	check "$shell completes pidfiles and the states of containers" "$(
		export XDG_RUNTIME_DIR=$scratch/run
		mkdir -p "$scratch"/run/{runc/one,crun/two}
		: > "$scratch/run/x.pid"
		: > "$scratch/run/runc/one/state.json"
		: > "$scratch/run/crun/two/status"
		for words in 'nskill ' 'nskill -F '; do
			among "$shell" "$words" "$scratch/run/x.pid" \
				"$scratch/run/runc/one/state.json" "$scratch/run/crun/two/status"
		done
	)"
	check "$shell completes running processes and files" "$(
		among "$shell" "nskill ${child%?}" "$child"
		: > "$scratch/some.pid"
		complete_in "$shell" "nskill $scratch/so" | grep -q 'some.pid' || echo 'no file'
	)"
done
finish
