#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reuse.sh - a PID that is reused at a random moment of nskill's run
#
# REUSES is how many times in all (default 300), SEED makes the random moments the same again.

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

export REUSES=${REUSES:-300} SEED=${SEED:-$RANDOM$RANDOM}
limits $((20 + REUSES / 20)) $((100 + REUSES / 3))

reused() { # MODE
	[[ $1 != inode ]] || pidfd-inode $$ >/dev/null || skip 'needs a kernel with pidfs'
	mkdir names
	bystanders
	snapshot BEFORE
	timeout -s KILL $((LIMIT - 5)) \
		reuse "$1" $((REUSES / 6)) "$SEED" names "$NSKILL" || fail 'see above'
	snapshot AFTER
	ended
}

check "user" "a stranger who takes over the PID in a record lives" reused record
check "user" "a stranger who takes over the PID in a state.json lives" reused state
check "user" "a stranger who takes over the PID of PID:INODE lives" reused inode
check "user" "a stranger who takes over the PID in a pidfile lives" reused pidfile
check "user" "a stranger who takes over a PID after it was pinned lives" reused number
check "user" "a stranger who takes over the PID of a member lives" reused member
finish
