# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tap.sh - for tests that are lists of things which must not be there; to be sourced

tests=0 failed=0

# check NAME OFFENDERS: passes when there are none.
check() {
	tests=$((tests + 1))
	if [ -z "$2" ]; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
		failed=1
	fi
}

# skip NAME WHY
skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# finish: that was all; 1 if a check has failed.
finish() {
	echo "1..$tests"
	exit "$failed"
}
