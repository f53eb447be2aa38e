#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# doors.sh - what a door answers when a call of its own fails: what was tried is said, and nobody is
# signalled whom it would have had to answer for; or there is another way to the same answer

# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# failing FAULT... - nskill runs with these (see the helper inject) from now on
failing() {
	under inject -o counts "$@" --
}

# has_failed - that is not so for nothing: a call has indeed failed
has_failed() {
	grep -q ' [1-9][0-9]*$' counts || fail "no call has failed: $(<counts)"
}

# refuses STATUS REGEX [ARGUMENT...] - nothing is signalled, and that is said
refuses() {
	run "${@:3}"
	has_failed
	status_is "$1"
	says "$2"
	ended
}

ends_all() {
	run "$@" "$T"
	has_failed
	status_is 0
	ended target orphan child
}

begin() {
	no_leak_check
	inject mmap@0=ENOMEM -- true || skip 'needs Linux 5.6 with seccomp'
	job
}

ground() {
	begin
	failing openat:/proc/self/status@1+=EIO
	refuses 5 'cannot read /proc/self/status$' "$T"
	failing pidfd_open@1+=EMFILE
	refuses 5 'pidfd_open fails: Too many open files$' "$T"
	failing pidfd_send_signal@1+=ENOSYS
	refuses 5 'the kernel has no pidfd_send_signal: ' "$T"
	failing statfs@1+=EIO
	refuses 5 '/proc is not mounted' "$T"
}

no_pidfd_in_version() {
	begin
	failing pidfd_open@1+=ENOSYS
	run --version
	has_failed
	status_is 0
	lists '^kernel: -pidfd '
}

cgroups() {
	begin
	grep -q ' cgroup2\{0,1\} ' /proc/self/mountinfo || skip 'needs cgroups'
	failing openat:/self/cgroup@1+=EIO
	refuses 5 'cannot find the cgroups: Input/output error$' -m +cgroup "$T"
	failing openat:/self/mountinfo@1+=EIO
	refuses 5 'cannot find the cgroups: Input/output error$' -m +cgroup "$T"
	failing openat:/self/mountinfo@1+=ENOMEM
	refuses 5 'cannot find the cgroups: Cannot allocate memory$' -m +cgroup "$T"
	failing statx@1+=EIO
	refuses 5 'cannot find the cgroups: Input/output error$' -m +cgroup "$T"
}

cgroups_at_last() {
	begin
	failing openat:/self/mountinfo@1=EIO openat:/self/cgroup@1=EIO read@5=EINTR
	ends_all -m +cgroup
}

processes() {
	begin
	failing openat:/stat@1+=EIO
	refuses 5 'cannot be pinned: Input/output error$' "$T"
	failing openat:/stat@1+=EACCES
	refuses 3 'exists but cannot be inspected: it is not visible in /proc$' "$T"
	failing newfstatat@1+=EIO
	refuses 5 'cannot be pinned: Input/output error$' "$T"
	failing getdents64@1+=ENOMEM
	refuses 5 'cannot read the processes in /proc: Cannot allocate memory$' "$T"
	failing openat:/children@1+=EIO
	refuses 5 'cannot read the processes in /proc: Input/output error$' "$T"
	failing openat:/ns/mnt@1+=EMFILE
	refuses 5 'cannot hold the mount namespace of PID [0-9]+: Too many open files$' "$T"
}

# The names of users, arguments and the like are read by a child.
no_child() {
	begin
	failing clone@1=EAGAIN
	run -n -o +ARGS "$T"
	has_failed
	status_is 0
	lists_exactly target orphan child
	ended
}

boot() {
	begin
	failing openat:/boot_id@1+=EACCES
	refuses 5 'cannot tell this boot: Permission denied$' --record=file.record "$T"
	failing openat:/proc/stat@1+=EACCES
	refuses 5 'cannot tell this boot: Permission denied$' --record=file.record "$T"
	[[ ! -e file.record ]] || fail 'there is a record'
}

watch() {
	local fault
	begin
	for fault in epoll_create1@1=EMFILE signalfd4@1=EMFILE epoll_ctl@1=ENOSPC \
		rt_sigprocmask@1+=EINVAL; do
		failing "$fault"
		refuses 5 'cannot go on: ' "$T"
		says "still alive: $T "
	done
}

# The first one fails, or every one does.
other_ways() {
	begin
	failing "$@"
	ends_all
}

record() {
	begin
	echo 'as it was' >file.record
	failing fsync@1=EIO
	refuses 5 'cannot write file\.record: Input/output error$' --record=file.record "$T"
	[[ $(<file.record) = 'as it was' ]] || fail 'the record is another'
	failing write@1=ENOSPC
	refuses 5 'cannot write file\.record: No space left on device$' --record=file.record "$T"
	[[ $(<file.record) = 'as it was' ]] || fail 'the record is another'
	[[ $(echo file.record*) = file.record ]] || fail 'something is left of the new one'
}

wait_for_file() {
	begin
	failing inotify_init1@1=EMFILE
	refuses 5 'too many inotify instances \(fs\.inotify\.max_user_instances\) or open files$' \
		--wait-pidfile=5s ./nofile
	failing inotify_add_watch@1+=ENOSPC
	refuses 5 'too many inotify watches \(fs\.inotify\.max_user_watches\)$' \
		--wait-pidfile=5s ./nofile
	failing inotify_add_watch@1+=EACCES
	refuses 3 'a directory on the way to it may not be read$' --wait-pidfile=5s ./nofile
	failing inotify_add_watch@1=ENOMEM
	refuses 5 'nofile: cannot be waited for: Cannot allocate memory$' \
		--wait-pidfile=5s ./nofile
	failing poll@1=ENOMEM
	refuses 5 'nofile: cannot be waited for: Cannot allocate memory$' \
		--wait-pidfile=5s ./nofile
	((ELAPSED < 4000)) || fail 'it was waited for'
}

interrupted_wait() {
	begin
	failing poll@1=EINTR
	refuses 3 'nofile: No such file or directory, after a wait of 0.3 s$' --wait-pidfile=300ms ./nofile
	((ELAPSED >= 300)) || fail 'it was not waited for'
}

input() {
	begin
	exec 8<>roster.pause # nobody writes there
	# shellcheck disable=SC2016 # a script
	under bash -c 'exec "$0" "$@" <&8' inject -o counts poll@1=EINTR --
	refuses 3 'standard input: did not come to its end in time$' -t 0.5 -
	((ELAPSED < 5000)) || fail 'standard input has held it'
}

check 'user plain' 'what must be there is asked for, and named where it is not' ground
check 'user' 'a kernel without pidfds is one in --version, too' no_pidfd_in_version
check 'user plain' 'nobody is signalled where cgroups are asked for and cannot be found' cgroups
check 'user plain' 'a failure that does not last keeps nobody from finding cgroups' cgroups_at_last
check 'user plain' 'nobody is signalled where processes cannot be read' processes
check 'user' 'processes are listed where no child can read of them' no_child
check 'user' 'no record is made where this boot cannot be told from another' boot
check 'user plain' 'nobody is signalled where nobody can be waited for' watch
check 'user plain' 'all end where /proc/loadavg cannot be opened' \
	other_ways openat:/loadavg@1+=ENOENT
check 'user plain' 'all end where it cannot be read' other_ways pread64@1+=EIO
check 'user plain' 'all end where it is read in part' other_ways pread64@1+=short
check 'user plain' 'all end where capabilities cannot be asked for' other_ways capget@1+=EPERM
check 'user plain' 'a record that cannot be written leaves the one before' record
check 'user plain' 'a file that cannot be waited for is refused at once, with the limit' \
	wait_for_file
check 'user' 'an interrupted wait for a file goes on' interrupted_wait
check 'user plain' 'standard input does not hold it where the wait for it is interrupted' input
finish
