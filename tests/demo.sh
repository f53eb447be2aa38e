#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.sh NSKILL - a container whose init is killed, what it leaves behind, and the end of that.
# Everything happens in user, PID and mount namespaces of its own and ends with them.
set -euo pipefail

fail() { echo "demo: $*" >&2; exit 1; }

# Stage 1: as whoever calls. A directory that an ordinary user can read; root becomes one.
if [ "${1-}" != --inside ]; then
	nskill=${1:?usage: demo.sh NSKILL}
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	chmod 755 "$dir"
	cp "$0" "$dir/demo.sh"
	cp "$nskill" "$dir/nskill"
	mkdir -m 1777 "$dir/tmp"
	as=()
	if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
	cd "$dir/tmp"
	"${as[@]}" unshare -Urpf --mount-proc true 2> /dev/null ||
		fail "this system does not let an ordinary user make namespaces (see user_namespaces(7))"
	# In a second user namespace, as its user 1000, nobody has any privilege.
	status=0
	timeout --foreground -k 1 60 "${as[@]}" unshare -Urpf --kill-child --mount-proc setsid \
		unshare -U --map-user=1000 --map-group=1000 bash "$dir/demo.sh" --inside || status=$?
	case $status in 124 | 137) fail "it did not end within a minute" ;; esac
	exit "$status"
fi

# Stage 2: an ordinary user, alone on the machine.
PATH=$(dirname "$0"):$PATH
say() { echo && printf '# %s\n' "$@"; }
run() { echo "\$ $*"; "$@"; }
alive() { kill -0 "$1" 2> /dev/null; }
gone() { ! alive "$1"; }
wait_for() { # wait_for COMMAND...: until it succeeds, 5 s at most
	for _ in {1..100}; do
		if "$@"; then return; fi
		sleep 0.05
	done
	fail "gave up waiting for: $*"
}
child() { pgrep -P "$init" -f "$1" > /dev/null; }
show() { run ps -o pid,ppid,pgid,sid,mntns,args -p "$init,$group,$detached,$reader,$bystander"; }

say "A rootless container without a PID namespace: an init, a child in its process group and one" \
	"that called setsid. 'cat' reads its output until the end of file, as a build daemon does."
run mkfifo pipe
echo "\$ cat pipe &"
cat pipe &
reader=$!
echo "\$ setsid unshare -Urm sh -c 'setsid sleep 7777 & sleep 8888 & exec sleep 9999' > pipe &"
setsid unshare -Urm sh -c 'setsid sleep 7777 & sleep 8888 & exec sleep 9999' > pipe &
init=$!
wait_for child '^sleep 7777'
wait_for child '^sleep 8888'
wait_for pgrep -f '^sleep 9999' > /dev/null
detached=$(pgrep -P "$init" -f '^sleep 7777')
group=$(pgrep -P "$init" -f '^sleep 8888')
echo "\$ sleep 8888 &"
sleep 8888 > /dev/null &
bystander=$!
show

say "Its init is killed; a container runtime does no more. The rest runs on, and 'cat' still waits."
run kill -9 "$init"
wait "$init" 2> /dev/null || :
show
{ alive "$group" && alive "$detached" && alive "$reader"; } || fail "nothing was left behind"

say "Who is left of $init?"
run nskill -n "$init" | tee plan || fail "nskill -n found nobody"
for pid in "$group" "$detached"; do
	grep -q "^ *$pid " plan || fail "$pid is not in the list"
done
if grep -q "^ *$bystander " plan; then fail "the bystander is in the list"; fi

say "End it. Success is silent, and 'cat' has seen the end of file; the 'sleep 8888' of the same" \
	"user that is not the container's lives on."
run nskill "$init" || fail "nskill failed"
wait_for gone "$reader"
show
{ gone "$group" && gone "$detached"; } || fail "not all of it is gone"
alive "$bystander" || fail "the bystander is dead"
printf '\nAs promised: %s and %s are gone, the reader has returned, the bystander lives.\n' \
	"$group" "$detached"
