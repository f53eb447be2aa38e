# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of nskill for fish.

# Kinds one after the other: either kinds, or changes to the default.
function __nskill_kinds
    set -l word (commandline -ct | string replace -r '^(--match=|-m)' '')
    set -l typed (string match -r '.*,' -- $word)
    set -l kinds pgrp session mnt tree pid net ipc uts user time cgroupns cgroup io all
    if not string match -qr '^[-+]' -- $typed
        printf "$typed%s\n" $kinds
    end
    if not string match -qr '^[^-+]' -- $typed
        printf "$typed+%s\n" $kinds
        printf "$typed-%s\n" $kinds
    end
end

function __nskill_columns
    set -l word (commandline -ct | string replace -r '^(--output=|-o)' '')
    set -l typed (string match -r '.*[,+]' -- $word)
    printf "$typed%s\n" PID PPID USER STATE AGE PGRP SID MNTNS WHY COMMAND \
        START UID TTY WCHAN CGROUP NSPID TARGET EXE ARGS
    test -n "$typed"; or echo help
end

function __nskill_signals
    string match -r '^[A-Z0-9]+$' -- (kill -l | string split -n ' ')
end

# Processes with their names, but not PID 1, nor kernel threads.
function __nskill_pids
    ps -N -p 1,2 --ppid 2 -o pid=,comm= 2>/dev/null | string replace -r '^ *(\d+) +' '$1\t'
end

# Pidfiles where daemons put them, and the states of containers.
function __nskill_pidfiles
    set -l own $XDG_RUNTIME_DIR
    test -n "$own"; or set own /run
    for file in {/run,$own}/*.pid {/run,$own}/*/*.pid
        printf '%s\tpidfile\n' $file
    end
    for file in {/run,$own}/runc/*/state.json {/run,$own}/crun/*/status
        printf '%s\tcontainer\n' $file
    end
end

complete -c nskill -f -a '(__nskill_pids; __nskill_pidfiles)'
complete -c nskill -n 'string match -q "*/*" -- (commandline -ct)' -F
complete -c nskill -s F -l pidfile -rF -a '(__nskill_pidfiles)' -d 'a target named by FILE'
complete -c nskill -s m -l match -xa '(__nskill_kinds)' -d 'what to follow'
complete -c nskill -l all -d 'whole group, session and mount namespace'
complete -c nskill -s O -l older -x -d 'only a target that is as old'
complete -c nskill -l max -x -d 'refuse when there are more'
complete -c nskill -l require-match -d 'exit with 1 when nothing was alive'
complete -c nskill -l record -rF -d 'write down who the target is'
complete -c nskill -l wait-pidfile -x -d 'wait for a file that is absent'
complete -c nskill -l trust-pidfile -d "do not check a file's owner, mode and age"
complete -c nskill -l ignore-missing -d 'a file that is absent counts as gone'
complete -c nskill -s s -l signal -xa '(__nskill_signals)' -d 'the first signal'
complete -c nskill -s k -l kill-after -x -d 'KILL what is left then'
complete -c nskill -s t -l timeout -x -d 'give up then'
complete -c nskill -l on-exit -d 'wait until the target has ended by itself'
complete -c nskill -s n -l dry-run -d 'list, and signal nothing'
complete -c nskill -s i -l interactive -d 'list, and ask before anything is signalled'
complete -c nskill -l plan -rF -d 'signal those that -n -J has listed'
complete -c nskill -l holders -d 'name who holds the output open'
complete -c nskill -s o -l output -xa '(__nskill_columns)' -d 'columns of the list'
complete -c nskill -s f -l forest -d 'draw the list as a tree'
complete -c nskill -l color -xa 'auto always never' -d 'whether targets stand out'
complete -c nskill -s J -l json -d 'the report as a JSON document'
complete -c nskill -s v -l verbose -d 'a line for each thing done'
complete -c nskill -s q -l quiet -d 'nothing but errors'
complete -c nskill -l syslog -d 'also to syslog'
complete -c nskill -s h -l help -d 'print a summary'
complete -c nskill -s V -l version -d 'print the version'
