#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# newcomers.sh - whoever is born while nskill runs ends, too, and nobody else does
#
# RUNS is how many runs there are, of pictures made at random; without it there are a few of each.
# SEED makes the same choices again. What was seen is counted, and said at the end.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

LONG=${RUNS:+yes}
export RUNS=${RUNS-} SEED=${SEED:-$RANDOM$RANDOM}
limits 100 240
[[ -z $LONG ]] || limits $((120 + RUNS * 12)) $((600 + RUNS * 60))

BATCH=10       # runs, after which it is looked whether anybody is left
DEADLINE=10000 # ms, that of nskill where no other is asked for
SLACK=1000     # ms
NAMES=(announce hop bomb) # of what is the target's; nobody else is called that
[[ -n $LONG ]] || BATCH=100
MANY=10000
[[ -z $SANITIZED ]] || MANY=2000

# What a target is like. A large one is not for small numbers of PIDs.
SMALL=(
	'hoppers group live 1' 'hoppers group live 4' 'hoppers group dead 1' 'hoppers group dead 4'
	'hoppers session live 1' 'hoppers session live 4' 'hoppers session dead 4'
	'hoppers mnt live 1' 'hoppers mnt live 4' 'hoppers group+unshare live 4'
	'hoppers session+unshare live 2' 'hoppers session+unshare dead 1'
	'bomb star group 20 target' 'bomb star session 20 child' 'bomb star mnt 20 child'
	'bomb ring group 30 target' 'bomb ring session 20 child' 'bomb ring mnt 20 target'
)
LARGE=(
	'bomb ring mnt 2000 child' 'bomb ring session 2000 child' 'bomb ring group 2000 target'
	'bomb star group 300 child' 'bomb star mnt 300 target'
)
[[ -n $LONG ]] || LARGE=("${LARGE[0]}")

# ---- what the target has ----

beats() { # FILE - sets REPLY to what is counted in it until now
	REPLY=$(od -An -t u8 -N 8 "$1" 2>/dev/null)
	REPLY=${REPLY// /}
}

has_beaten() { # FILE TIMES
	beats "$1"
	[[ -n $REPLY ]] && ((REPLY >= $2))
}

# apart KEEPS - sets APART to what makes a target's mount namespace, where it has one of its own
apart() {
	APART=()
	[[ $1 != mnt && $1 != *+unshare ]] || APART=("${MNT[@]}")
}

# hoppers KEEPS live|dead NUMBER FILE - the target stays, or is gone and reaped
hoppers() {
	# shellcheck disable=SC2016 # a script
	local start='for number in $(seq "$3"); do hop "$1" "$2" & done'
	apart "$1"
	if [[ $2 = live ]]; then
		setsid "${APART[@]}" announce target \
			sh -c "$start; exec announce in-target" sh "$1" "$4" "$3" &
		disown
		meet target in-target
	else
		setsid "${APART[@]}" announce target sh -c "$start" sh "$1" "$4" "$3" &
		meet target
		until_true is_gone target
	fi
	until_true has_beaten "$4" 30
}

# bomb ring|star KEEPS NUMBER target|child FILE - the target is the first one, or its parent
bomb() {
	apart "$2"
	if [[ $4 = target ]]; then
		setsid "${APART[@]}" announce target bomb "$1" "$2" "$3" "$5" &
	else
		setsid "${APART[@]}" announce target sh -c '
			bomb "$@" & exec announce in-target' sh "$1" "$2" "$3" "$5" &
	fi
	disown
	meet target
	until_true has_beaten "$5" "$3"
}

# ---- who else is there ----

# Those who fork and exit all the time: what all hops have in common, and how long each stays (us).
BUSY=("mnt 0" "group 300" "session 300" "mnt+unshare 1000")
[[ -z $LONG ]] || BUSY+=("group 0" "mnt 300" "mnt 1000")

# strangers NUMBER [LINE...] - a crowd that stays, and lines of strangers
strangers() {
	local number=0 keeps
	LINES_OF_STRANGERS=()
	ln -s "$(type -P hop)" stranger
	if (($1 > 0)); then
		setsid crowd others "$1" crowd-tally &
		disown
		meet others
	fi
	shift
	for keeps; do
		APART=()
		[[ $keeps != *+unshare* ]] || APART=("${MNT[@]}")
		number=$((number + 1))
		# shellcheck disable=SC2086 # two arguments
		setsid "${APART[@]}" ./stranger ${keeps% *} "stranger$number" "${keeps#* }" &
		LINES_OF_STRANGERS+=("stranger$number")
	done
	for number in "${LINES_OF_STRANGERS[@]}"; do until_true has_beaten "$number" 2; done
}

# goes_on FILE - it beats once more, which can take a while where thousands have just ended
goes_on() {
	local before try
	beats "$1"
	before=$REPLY
	for ((try = 0; try < 1000; try++)); do
		! has_beaten "$1" $((before + 1)) || return 0
		pause 0.005
	done
	return 1
}

# Whoever was hit has left a line of strangers that stands still, or has been seen by its parent.
look_after_strangers() {
	local line hit=0
	for line in "${LINES_OF_STRANGERS[@]}"; do
		goes_on "$line" || { echo "$line stands still"; hit=$((hit + 1)); }
	done
	for line in "${LINES_OF_STRANGERS[@]}" crowd-tally; do
		[[ -e $line ]] || continue
		REPLY=$(od -An -t u8 -j 8 "$line")
		((REPLY == 0)) || { echo "$line has seen $REPLY"; hit=$((hit + REPLY)); }
	done
	if [[ -n ${P[others]-} ]] && { ! is_alive "${P[others]}" || [[ ${STAT[0]} = T ]]; }; then
		echo 'the crowd has been hit'
		hit=$((hit + 1))
	fi
	echo "hit $hit" >>tally
	((hit == 0)) || fail "strangers were hit: $hit"
}

# ---- a run ----

ask_for_the_end() {
	local begin
	ARGUMENTS=(-v "${P[target]}")
	begin=${EPOCHREALTIME/[^0-9]/}
	timeout --foreground -s KILL $((DEADLINE / 1000 + 15)) "$NSKILL" "${ARGUMENTS[@]}" \
		</dev/null >out 2>err 9>&-
	STATUS=$?
	ELAPSED=$(((${EPOCHREALTIME/[^0-9]/} - begin) / 1000))
}

# When numbers have gone round, nothing tells whether a session is the same whose leader is gone, or
# what a member led that was never pinned; before Linux 6.14 no session, and before 5.12 no group is
# told. Then that is said.
may_doubt() {
	local exact=6.14
	[[ $PICTURE != *' group'* ]] || exact=5.12
	((FEW_NUMBERS && STATUS == 4)) && grep -q 'it may be another by now' err || return 1
	[[ $PICTURE = *' session'*' dead '* ]] || grep -q 'vanished before it could be pinned' err ||
		! printf '%s\n' $exact "$(uname -r)" | sort -V -C
}

# end_target FILE
end_target() {
	local unread there=(/proc/[0-9]*) doubts=0
	ask_for_the_end
	while may_doubt && ((doubts++ < 20)); do
		echo "in doubt: $(grep -c 'it may be another by now' err) are left"
		echo doubt >>tally
		grep -q 'left alone .* (hop), ' err || { STATUS=0; break; } # only strangers are
		ask_for_the_end
	done
	beats "$1"
	COUNTED[$1]=$REPLY
	unread=$(sed -n 's/^nskill: newcomers that were gone before they could be read: //p' err)
	echo "run $STATUS $ELAPSED ${unread:-0} ${#there[@]} ${PICTURE// /,}" >>tally
	echo "status $STATUS after $ELAPSED ms"
	forget target
	unset "P[in-target]" "BORN[in-target]"
	if ((STATUS != 0 || ELAPSED > DEADLINE + SLACK)); then
		grep -Ev '^nskill: (sent|stopped|found a newcomer|ended) ' err | head -n 20
		fail "$PICTURE: exit status $STATUS after $ELAPSED ms"
	fi
}

# Nothing of all that was said to be gone is alive, stopped or born in a whole second.
look_for_survivors() {
	local file false_gone=0
	lull 1000 "${NAMES[@]}" || false_gone=1
	for file in "${!COUNTED[@]}"; do
		beats "$file"
		((REPLY == COUNTED[$file])) && continue
		echo "${MADE[$file]}: counts $((REPLY - COUNTED[$file])) after the end"
		false_gone=$((false_gone + 1))
	done
	echo "false-gone $false_gone" >>tally
	((false_gone == 0)) || fail 'said to be gone, and alive'
	COUNTED=()
}

look_after() {
	look_for_survivors
	look_after_strangers
}

# one_run NUMBER PICTURE
one_run() {
	local file=beats$1
	PICTURE=$2
	MADE[$file]=$PICTURE
	echo "run $1: $PICTURE"
	# shellcheck disable=SC2086 # a function and its arguments
	$PICTURE "$file"
	end_target "$file"
	(($1 % BATCH)) || look_after
}

# Numbers of processes go round: only where that is the namespace's own affair.
few_numbers() {
	[[ $TEST_WORLD = user ]] || skip 'kernel.pid_max may be that of the host'
	{ echo $((400 + RANDOM % 601)) >/proc/sys/kernel/pid_max; } 2>/dev/null ||
		skip 'needs a kernel where each PID namespace has its own kernel.pid_max'
	echo "kernel.pid_max is $(</proc/sys/kernel/pid_max)"
}

# newcomers each|COUNT - a run of each picture, or so many at random, or RUNS
newcomers() {
	local pictures=("${SMALL[@]}") count=$1 number picture
	((FEW_NUMBERS)) || pictures+=("${LARGE[@]}")
	[[ $count != each ]] || count=${#pictures[@]}
	for ((number = 1; number <= ${RUNS:-count}; number++)); do
		picture=$((number - 1))
		[[ -z $LONG && $1 = each ]] || picture=$((RANDOM % ${#pictures[@]}))
		one_run $number "${pictures[picture]}"
	done
	look_after
}

# among OTHERS COUNT [LINE...]
among() {
	FEW_NUMBERS=0
	RANDOM=$((SEED + TEST_NUMBER))
	declare -gA COUNTED=() MADE=()
	strangers "$1" "${@:3}"
	newcomers "$2"
}

# round_and_round COUNT LINE...
round_and_round() {
	FEW_NUMBERS=1
	RANDOM=$((SEED + TEST_NUMBER))
	declare -gA COUNTED=() MADE=()
	few_numbers
	strangers 0 "${@:2}"
	newcomers "$1"
}

# What all checks have seen: for a reader, and as one line for programs.
sum_up() {
	# shellcheck disable=SC2016 # a program of awk
	cat /dev/null "$WORK"/*/tally 2>/dev/null | awk -v seed="$SEED" -v deadline=$DEADLINE '
		$1 == "run" {
			runs++; there += $5; unread += $4 > 0
			if ($2 != 0) failed++
			if ($3 > longest) { longest = $3; picture = $6 }
		}
		$1 == "doubt" { doubts++ }
		$1 == "hit" { hit += $2 }
		$1 == "false-gone" { gone += $2 }
		END {
			overrun = longest > deadline ? longest - deadline : 0
			printf "# runs: %d, of processes that were there: %d, SEED=%s\n", runs, there, seed
			printf "# strangers hit: %d; said to be gone and alive: %d; ", hit, gone
			printf "not ended in time: %d; in doubt: %d\n", failed, doubts
			printf "# ended with newcomers unread: %d; beyond the deadline: %d ms; ", unread, overrun
			printf "longest run: %d ms (%s)\n", longest, picture
			printf "# figures: runs=%d processes=%d strangers_hit=%d false_gone=%d ", \
				runs, there, hit, gone
			printf "unread=%d overrun_ms=%d\n", unread, overrun
		}'
}

ALL=user
[[ -z $LONG ]] || ALL="user plain root"
check "$ALL" "newcomers of every kind end" among 0 each
check "$ALL" "newcomers end among strangers who fork all the time, and none of those does" \
	among 0 3 "${BUSY[@]}"
check "$ALL" "newcomers end among 1000 strangers, and none of those does" \
	among 1000 2 "${BUSY[@]}"
check "$ALL" "newcomers end among $MANY strangers, and none of those does" \
	among $MANY 1 "${BUSY[@]}"
check user "newcomers end where PIDs go round, and no stranger who is given one does" \
	round_and_round 8 "${BUSY[@]}"
[[ -n ${TEST_NUMBER-} ]] || sum_up
finish
