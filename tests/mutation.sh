#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mutation.sh - whether the tests notice small faults in the sources: "make mutants"
#
# tests/mutants is the list of faults, and says what is written how. Each is put into a copy of its
# source file, which is linked, in the place of the file's own object, with the objects that are
# built. Then the tests named for it are run until one fails: first those that take least time. A
# test that does not come to its end in time has failed, too.
#
# A mutant can signal anybody. Whatever runs here does so in a PID and mount namespace of its own,
# without the machine's cgroups, and of an ordinary user in a user namespace of its own. There, checks
# that need root are left out.
#
#	MUTANTS   only those of which "FILE: NAME" matches this pattern of bash, as *pin.c*
#	EVERY     only the last of so many: EVERY=10 is a sample of a tenth
#	FROM      which of those so many, instead of the last: 1 is the first
#	JOBS      how many at a time (2)
#	RUNS      of the property test, from SEED=1 (2000)

set -u
shopt -s extglob
: "${COMPILE:?is not set: run it by \"make mutants\"}" "${LINK:?is not set}" "${UNIT_LIBS:?is not set}"
: "${NSKILL_LIBS:?is not set}" "${NSKILL:?is not set}" "${HELPERS:?is not set}"
export LC_ALL=C
EVERY=${EVERY:-1} FROM=${FROM:-$EVERY} RUNS=${RUNS:-2000} JOBS=${JOBS:-2}
UNIT_LIMIT=30   # seconds that a unit test may take, or the property test
SHELL_LIMIT=120 # and the checks of a file of whole-program tests
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/*}
list=$here/mutants

# ---- the list ----

# All that it holds, by number; the tests are a line each.
names=() files=() olds=() news=() tests=() reasons=()
wrong=0

complain() { # LINE|NAME SENTENCE
	echo "tests/mutants: $1: $2" >&2
	wrong=1
}

# add LINE - the mutant that ends above that line, if there is one
add() {
	[[ -n $name ]] || return
	[[ -n $old ]] || complain "$1" "nothing is replaced by '$name'"
	[[ $old != "$new" ]] || complain "$1" "nothing is changed by '$name'"
	[[ -n ${own:-$common} ]] || complain "$1" "no test is named for '$name'"
	names+=("$name") files+=("$file") olds+=("$old") news+=("$new") reasons+=("$reason")
	tests+=("${own:-$common}")
	name=
}

read_list() {
	local line number=0 name='' file='' common='' own='' old='' new='' reason=''
	while IFS= read -r line; do
		number=$((number + 1))
		case $line in
		'#'*) ;;
		'')
			add $number
			;;
		'file '*)
			add $number
			file=${line#file } common=
			[[ -f $top/$file ]] || complain $number "there is no $file"
			;;
		'mutant '*)
			add $number
			name=${line#mutant } own='' old='' new='' reason=''
			;;
		'test '*)
			[[ -f $top/$(test_source "${line#test }") ]] ||
				complain $number "there is no ${line#test }"
			if [[ -n $name ]]; then own+=${line#test }$'\n'; else common+=${line#test }$'\n'; fi
			;;
		'equivalent '*) reason+=${line#equivalent }' ' ;;
		' '*) old+=$'\n'${line#?} new+=$'\n'${line#?} ;;
		-*) old+=$'\n'${line#?} ;;
		+*) new+=$'\n'${line#?} ;;
		*) complain $number "this is neither a word of the list nor a line of a source" ;;
		esac
	done <"$list"
	add $number
}

# test_source TEST - the file that it is, without what is asked of it
test_source() {
	case $1 in
	*.sh*) echo "${1%%:*}" ;;
	*) echo "$1.c" ;;
	esac
}

# mutate NUMBER - sets TEXT to its source with the fault; fails where there is not one place for it
mutate() {
	local source old=${olds[$1]}$'\n' new=${news[$1]}$'\n' without
	source=$'\n'$(<"$top/${files[$1]}")$'\n'
	without=${source/"$old"/$'\n'}
	[[ $without != "$source" && ${without/"$old"/} = "$without" ]] || return
	TEXT=${source/"$old"/"$new"}
	TEXT=${TEXT#?}
}

# ---- one mutant ----

# inside SECONDS COMMAND... - become that, where it can end nobody else, for so long
inside() {
	local entry=(unshare --pid --fork --kill-child --mount-proc)
	((EUID == 0)) || entry+=(--map-root-user)
	# shellcheck disable=SC2016 # for the shell inside
	exec "${entry[@]}" sh -c '
		[ ! -d /sys/fs/cgroup ] || mount -t tmpfs none /sys/fs/cgroup || exit
		exec timeout -s KILL "$@"' sh "$@"
}

compile() { # FILE DIRECTORY
	# shellcheck disable=SC2086 # lists of words
	$COMPILE -w -c -o "$2/mutant.o" "$2/${1##*/}" 2>"$2/error"
}

# link_program PROGRAM DIRECTORY - with mutant.o, if there is one, before the libraries: nothing
# that it defines is taken from them
link_program() {
	local program=$2/${1##*/} objects libraries
	[[ ! -e $program ]] || return 0
	case $1 in
	nskill) objects=src/main.o libraries=$NSKILL_LIBS ;;
	tests/property/*) objects="tests/property/kill.o tests/property/ties.o tests/property/world.o" ;;
	*) objects=$1.o ;;
	esac
	[[ ! -e $2/mutant.o ]] || objects+=" $2/mutant.o"
	# shellcheck disable=SC2086 # lists of words
	$LINK -o "$program" $objects ${libraries:-$UNIT_LIBS} 2>"$2/error"
}

# fails TEST DIRECTORY - and then SAID is what it said; 2: it could not be linked
fails() {
	local source=${1%%:*} limit=$UNIT_LIMIT command pipe line runner status begin=$SECONDS
	if [[ $source = *.sh ]]; then
		link_program nskill "$2" || return 2
		limit=$SHELL_LIMIT
		command=(env NSKILL="$2/nskill" TMPDIR="$2" bash "$top/$source")
		((EUID == 0)) || command=(env WORLDS="user bare" "${command[@]}")
		[[ $1 != *:* ]] || command=(env CHECKS="${1#*: }" "${command[@]}")
	else
		link_program "$source" "$2" || return 2
		command=("$2/${source##*/}")
		[[ $source != tests/property/* ]] || command=(env SEED=1 RUNS="$RUNS" "${command[@]}")
	fi
	exec {pipe}< <(inside "$limit" "${command[@]}" 2>"$2/error" </dev/null)
	runner=$!
	SAID=
	while IFS= read -r line <&"$pipe"; do
		[[ $line = 'not ok '* ]] || continue
		SAID=${line#not ok +([0-9]) - }
		break
	done
	[[ -z $SAID ]] || kill -KILL "$runner" 2>/dev/null
	wait "$runner"
	status=$?
	exec {pipe}<&-
	[[ -z $SAID ]] || return 0
	((status != 0)) || return 1
	if ((SECONDS - begin >= limit)); then
		SAID="it has not come to its end in $limit s"
	else
		SAID="exit status $status"
	fi
}

# result ok|'not ok' NUMBER WORD SENTENCE - say it, and count it
result() {
	echo "$3" >>"$SCRATCH/results"
	echo "$1 $(($2 + 1)) - ${files[$2]}: ${names[$2]}: $4"
}

# discard DIRECTORY - who was killed in there may not have left it yet: the rest goes at the end
discard() {
	rm -rf "$1" 2>/dev/null
}

# try NUMBER - the whole life of one mutant
try() {
	local directory=$SCRATCH/$1 test
	mkdir "$directory"
	mutate "$1"
	printf '%s' "$TEXT" >"$directory/${files[$1]##*/}"
	if ! compile "${files[$1]}" "$directory"; then
		result 'not ok' "$1" wrong 'it cannot be compiled'
		sed 's/^/# /' "$directory/error"
		return
	fi
	while IFS= read -r test; do
		fails "$test" "$directory"
		case $? in
		0)
			echo "$test" >>"$SCRATCH/noticed"
			if [[ -n ${reasons[$1]} ]]; then
				result 'not ok' "$1" wrong "called equivalent, but ${test%%:*}: $SAID"
			else
				result ok "$1" noticed "${test%%:*}: $SAID"
			fi
			discard "$directory"
			return
			;;
		2)
			result 'not ok' "$1" wrong 'it cannot be linked'
			sed 's/^/# /' "$directory/error"
			return
			;;
		esac
	done < <(printf %s "${tests[$1]}")
	discard "$directory"
	if [[ -n ${reasons[$1]} ]]; then
		result ok "$1" equivalent "equivalent: ${reasons[$1]% }"
	elif ((EUID != 0)) && [[ ${tests[$1]} = *.sh* ]]; then
		result ok "$1" skipped 'not noticed, where some checks need root # SKIP needs root'
	else
		result 'not ok' "$1" survived survived
	fi
}

# ---- all of them ----

chosen() {
	local number at=0
	for number in "${!names[@]}"; do
		# shellcheck disable=SC2053 # a pattern
		[[ "${files[number]}: ${names[number]}" = ${MUTANTS:-*} ]] || continue
		at=$((at + 1))
		(((at - FROM) % EVERY != 0)) || echo "$number"
	done
}

# check_test TEST - one that fails anyway notices nothing
check_test() {
	local directory
	directory=$(mktemp -d "$SCRATCH/unchanged.XXXXXX") && chmod 755 "$directory" || exit 99
	fails "$1" "$directory" || return
	echo "not ok - without a mutant, $1: $SAID"
	echo wrong >>"$SCRATCH/results"
}

count() { # WORD
	grep -cx "$1" "$SCRATCH/results"
}

case ${1-} in
try) # of the copy, which stays the same
	list=$SCRATCH/mutants
	read_list
	try "$2"
	exit 0
	;;
check)
	check_test "$2"
	exit 0
	;;
esac
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/nskill-mutants.XXXXXX") || exit 99
trap 'chmod -R u+rwX "$SCRATCH"; rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 755 "$SCRATCH"
export SCRATCH
touch "$SCRATCH/results" "$SCRATCH/noticed"
cp "$list" "$SCRATCH/mutants" || exit 99
read_list
for number in "${!names[@]}"; do
	mutate "$number" || complain "${names[number]}" "is not at exactly one place of ${files[number]}"
done
((!wrong)) || exit 99
(inside 10 true) || { echo 'mutation.sh: needs to make PID and mount namespaces' >&2; exit 99; }
mapfile -t numbers < <(chosen)
((${#numbers[@]})) || { echo 'mutation.sh: no mutant matches' >&2; exit 99; }
printf '%s\0' "${numbers[@]}" | xargs -0 -P "$JOBS" -n 1 bash "$0" try
lost=$((${#numbers[@]} - $(wc -l <"$SCRATCH/results")))
sort -u "$SCRATCH/noticed" | tr '\n' '\0' | xargs -0 -r -P "$JOBS" -n 1 bash "$0" check
wrong=$(($(count wrong) + lost)) survived=$(count survived)
echo "# ${#numbers[@]} mutants, $(count noticed) noticed, $(count equivalent) equivalent," \
	"$(count skipped) skipped, $survived survived, $wrong wrong, in $SECONDS s"
exit $((wrong + survived > 0))
