#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds what is written down for users against each other and against the program: the table of
# options, --help, the man page and the completion of bash, which is driven as bash drives it.
set -u
export LC_ALL=C
srcdir=${srcdir:-.}
nskill=${NSKILL:-./nskill}
man=$srcdir/man/nskill.1
completion=$srcdir/completions/nskill.bash
# shellcheck source=completions/nskill.bash
source "$completion"

scratch=$(mktemp -d) || exit 1
child=
trap 'rm -rf "$scratch"; [ -z "$child" ] || kill "$child"' EXIT

# shellcheck source=tests/tap.sh
. "$srcdir/tests/tap.sh"
# differ A B: how two lists of lines differ, whatever their order.
differ() { diff <(sort <<< "$1") <(sort <<< "$2"); }
# want LIST WORD...: the words that are no line of the list.
want() {
	local list=$1 word
	shift
	for word in "$@"; do
		grep -qxFe "$word" <<< "$list" || echo "missing: $word"
	done
}
# reject LIST WORD...: the words that are one.
reject() {
	local list=$1 word
	shift
	for word in "$@"; do
		! grep -qxFe "$word" <<< "$list" || echo "unwanted: $word"
	done
}
# complete_line WORD...: what is offered for the last of these words, a line each.
complete_line() (
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_nskill
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
)

# Options are compared as lines of letter, word and argument, a point where there is none.
help=$("$nskill" --help 2> "$scratch/err")
help_status=$?
in_help=$(sed -nE '
	s/^ {6}--/ -., --/
	s/^ +-(.), --([a-z-]+)=([A-Z]+)( .*)?$/\1 \2 \3/p
	s/^ +-(.), --([a-z-]+)( .*)?$/\1 \2 ./p' <<< "$help")
in_man=$(sed -nE '
	s/^\.It Fl -/.It Fl . , Fl -/
	s/^\.It Fl (.) Ar ([A-Z]+) , Fl -([a-z-]+) Ns = Ns Ar \2$/\1 \3 \2/p
	s/^\.It Fl \. , Fl -([a-z-]+) Ns = Ns Ar ([A-Z]+)$/. \1 \2/p
	s/^\.It Fl (.) , Fl -([a-z-]+)$/\1 \2 ./p' "$man")
in_table=$(sed -nE "
	s/^\t\{ \"([a-z-]+)\", (required|no)_argument, NULL, OPTION_[A-Z_]+ \},$/. \1 \2/p
	s/^\t\{ \"([a-z-]+)\", (required|no)_argument, NULL, '(.)' \},$/\3 \1 \2/p" \
	"$srcdir/src/cli/options.c")
in_completion=$(complete_line nskill -)
letters=$(awk '$1 != "." { print "-" $1 }' <<< "$in_help")
words=$(awk '{ print "--" $2 }' <<< "$in_help")

check "--help goes to standard output and succeeds" "$(
	[ "$help_status" = 0 ] || echo "status $help_status"
	cat "$scratch/err"
)"
check "--help and the table of options name the same letters, words and arguments" "$(
	[ -n "$in_table" ] || echo "no table found"
	differ "$(sed -E 's/ [A-Z]+$/ required/; s/ \.$/ no/' <<< "$in_help")" "$in_table"
)"
check "--help and the man page name the same letters, words and arguments" \
	"$(differ "$in_help" "$in_man")"
check "--help and the completion name the same letters, words and arguments" "$(
	differ "$(sed -nE 's/^([^.]) .*/-\1/p' <<< "$in_help"
		sed -E 's/^. ([a-z-]+) [A-Z]+$/--\1=/; s/^. ([a-z-]+) \.$/--\1/' <<< "$in_help")" \
		"$in_completion"
)"
check "the man page describes no option in a form that was not compared" "$(
	diff <(grep -c '^\.It Fl' "$man") <(wc -l <<< "$in_man"$'\n. SIG')
)"
check "the program knows every option that --help names" "$(
	for option in $letters $words; do
		"$nskill" "$option" 2>&1 < /dev/null | grep -F "unknown option '$option'"
	done
)"
check "the program knows no letter that --help does not name" "$(
	for letter in {a..z} {A..Z}; do
		grep -qxFe "-$letter" <<< "$letters" && continue
		"$nskill" "-$letter" 2>&1 < /dev/null |
			grep -qF "unknown option '-$letter'" || echo "-$letter"
	done
)"
check "--help fits 80 columns" "$(grep -E '.{81}' <<< "$help")"
check "--help and the man page name the same exit statuses" "$(
	differ "$(sed -n '/^Exit status:/,$ s/^ \+\([0-9]\+\)  .*/\1/p' <<< "$help")" \
		"$(sed -n '/^\.Sh EXIT STATUS/,/^\.El/ s/^\.It \([0-9]\+\)$/\1/p' "$man")"
)"

check "the help of bootstrap goes to standard output and succeeds" "$(
	for word in help -h --help; do
		text=$("$srcdir/bootstrap" $word 2>&1 > /dev/null) || echo "$word: status $?"
		[ -z "$text" ] || echo "$word: standard error"
		"$srcdir/bootstrap" $word 2> /dev/null | grep -q '^Usage: ' || echo "$word: no usage"
	done
)"
check "bootstrap without a word, and with one that it does not know, is a usage error" "$(
	for word in '' --bogus; do
		# shellcheck disable=SC2086 # none where there is none
		text=$("$srcdir/bootstrap" $word 2> /dev/null)
		[ "$?,$text" = 2, ] || echo "'$word': status $?, standard output: $text"
	done
)"

# Both of dpkg-dev, so that nothing is built.
mkdir "$scratch/bin"
printf '#!/bin/sh\necho "dpkg: error: Unmet build dependencies: x" >&2\nexit 1\n' \
	> "$scratch/bin/dpkg-checkbuilddeps"
cp "$scratch/bin/dpkg-checkbuilddeps" "$scratch/bin/dpkg-buildpackage"
chmod +x "$scratch"/bin/*
check "make deb says at once what is missing, and what installs that" "$(
	text=$(PATH=$scratch/bin:$PATH env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		make -s -C "${top_builddir:-.}" deb 2>&1) && echo "it succeeds"
	sentence='deb: ./bootstrap tools installs what is missing: Unmet build dependencies: x'
	grep -v '^make: ' <<< "$text" | diff <(echo "$sentence") -
)"

kinds=$(complete_line nskill -m '' | grep -v '^[-+]')
check "every kind that the completion offers is in --help and the man page, and taken" "$(
	for kind in $kinds; do
		grep -qwFe "$kind" <<< "$help" || echo "$kind is not in --help"
		grep -qE "^(\.Cm )?$kind( |$)" "$man" || echo "$kind is not in the man page"
		"$nskill" -m "$kind" --help 2>&1 > /dev/null
		"$nskill" -m "+$kind,-$kind" --help 2>&1 > /dev/null
	done
	[ -n "$kinds" ] || echo "none is offered"
)"
check "every signal that the completion offers is taken, as an argument and as a word" "$(
	for signal in $(complete_line nskill -s '') $(complete_line nskill -s SIG); do
		"$nskill" -s "$signal" --help 2>&1 > /dev/null
		"$nskill" "-$signal" --help 2>&1 > /dev/null
	done
)"

check "signals are completed behind -s in any case" "$(
	want "$(complete_line nskill -s '')" KILL TERM RTMIN+3 RTMAX-1
	reject "$(complete_line nskill -s '')" EXIT ERR DEBUG RETURN
	want "$(complete_line nskill -s k)" KILL
	reject "$(complete_line nskill -s k)" TERM
	want "$(complete_line nskill -s sigk)" SIGKILL
)"
check "an argument is completed behind a word, a word with = and a cluster" "$(
	want "$(complete_line nskill --signal K)" KILL
	want "$(complete_line nskill --signal =)" KILL
	want "$(complete_line nskill --signal = K)" KILL
	want "$(complete_line nskill -nvs K)" KILL
)"
check "a signal is completed as a word of its own" "$(
	want "$(complete_line nskill -K)" -KILL
	want "$(complete_line nskill -SIGK)" -SIGKILL
	want "$(complete_line nskill -F)" -F -FPE
)"
check "kinds are completed one by one" "$(
	want "$(complete_line nskill -m '')" pgrp all +mnt -tree
	want "$(complete_line nskill -m pgrp,m)" pgrp,mnt
	reject "$(complete_line nskill -m pgrp,)" pgrp,+mnt pgrp,-mnt
	want "$(complete_line nskill -m +pgrp,-)" +pgrp,-mnt
	reject "$(complete_line nskill -m +pgrp,)" +pgrp,mnt
	want "$(complete_line nskill --match = -t)" -tree
)"
check "nothing is completed where a duration or a number belongs" "$(
	for option in -t -k -O -nO --max --wait-pidfile; do
		complete_line nskill "$option" ''
	done
	complete_line nskill --timeout = ''
	complete_line nskill --max = ''
)"

mkdir "$scratch/folder"
: > "$scratch/x y.pid"
check "files are completed behind -F, --record and where there is a slash" "$(
	want "$(complete_line nskill -F "$scratch/")" "$scratch/x y.pid" "$scratch/folder"
	want "$(cd "$scratch" && complete_line nskill -F x)" "x y.pid"
	want "$(cd "$scratch" && complete_line nskill --record = x)" "x y.pid"
	want "$(complete_line nskill "$scratch/x")" "$scratch/x y.pid"
	want "$(cd "$scratch" && complete_line nskill ./)" "./x y.pid" ./folder
)"
check "pidfiles and states of containers are completed where nothing is typed, and behind -F" "$(
	export XDG_RUNTIME_DIR=$scratch/run
	mkdir -p "$scratch"/run/{daemon,runc/one,crun/two}
	: > "$scratch/run/daemon/x.pid"
	: > "$scratch/run/runc/one/state.json"
	: > "$scratch/run/crun/two/status"
	for option in '' -F --pidfile; do
		# shellcheck disable=SC2086 # none where there is none
		want "$(complete_line nskill $option '')" "$scratch/run/daemon/x.pid" \
			"$scratch/run/runc/one/state.json" "$scratch/run/crun/two/status"
	done
	reject "$(complete_line nskill --record '')" "$scratch/run/daemon/x.pid"
)"
sleep 1000 &
child=$!
check "running processes are completed, but not PID 1" "$(
	want "$(complete_line nskill '')" "$child"
	reject "$(complete_line nskill '')" 1
	want "$(complete_line nskill -n "${child%?}")" "$child"
	want "$(COMP_TYPE=63 complete_line nskill -n "${child%?}")" "$child (sleep)"
)"
check "after -- targets alone are completed" "$(
	complete_line nskill -- -
	want "$(complete_line nskill -n -- "${child%?}")" "$child"
)"
columns=$("$nskill" --output=help | awk '{ print $1 }' | xargs)
check "the man page names the columns of --output in their order" "$(
	want "$(sed -n '/Fl -output Ns = Ns Ar COLS/,/\.$/p' "$man" | grep -v '^\.' |
		grep -oE '\b[A-Z]+\b' | xargs)" "$columns"
)"
check "the first of them are the default" "$(
	case $columns in
	"$("$nskill" -n "$child" 2>&1 | awk '/ COMMAND$/ { $1 = $1; print }') "*) ;;
	*) "$nskill" -n "$child" ;;
	esac
)"
check "a list of columns is completed, in any case" "$(
	differ "$(complete_line nskill -n -o WHY,)" "WHY,${columns// /$'\nWHY,'}"
	want "$(complete_line nskill -n -o +AR)" +ARGS
	want "$(complete_line nskill -n -o he)" help
	want "$(complete_line nskill -n -o HE)" help
	want "$(complete_line nskill -n -o pid,e)" pid,EXE
	want "$(complete_line nskill -n -o +aR)" +ARGS
)"

if command -v mandoc > /dev/null; then
	# Which other pages are installed here says nothing about this one.
	check "the man page is clean" "$(
		mandoc -T lint "$man" 2> /dev/null | grep -vE 'referenced manual not found'
	)"
else
	skip "the man page is clean" "mandoc is not installed"
fi
if command -v shellcheck > /dev/null; then
	check "the completion is clean" "$(shellcheck "$completion" 2>&1)"
else
	skip "the completion is clean" "shellcheck is not installed"
fi
finish
