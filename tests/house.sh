#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rules of the house (see CONTRIBUTING.md), read from the sources and from the built objects.
# shellcheck disable=SC2154 # srcdir and top_builddir come from make
set -u
export LC_ALL=C
src=$srcdir/src
core=$top_builddir/src/core/libcore.a
linux=$top_builddir/src/linux/liblinux.a
nm=${NM:-nm}

# shellcheck source=tests/tap.sh
. "$srcdir/tests/tap.sh"

# undefined LIBRARY: the symbols that its objects do not define themselves.
undefined() {
	comm -23 <("$nm" -u "$1" 2> /dev/null | awk 'NF == 2 { print $2 }' | sort -u) <(defined "$1")
}
defined() {
	"$nm" -g --defined-only "$1" 2> /dev/null | awk 'NF == 3 { print $3 }' | sort -u
}
# includes FOLDER...: "file header" for each header of ours that a file there includes.
includes() {
	local folder
	for folder in "$@"; do
		(cd "$src" && grep -EHo '^#include "[^"]+"' "$folder"/*.[ch])
	done | sed -E 's/^([^:]*):#include "([^"]*)"/\1 \2/'
}
matching() { grep -E "$@" || :; }
lacking() { grep -Ev "$@" || :; }

# What core may call but the doors: functions of libc that compute and nothing else, and what
# compilers add (stack protector, sanitizers, coverage).
pure='(mem|str)[a-z]+|malloc|calloc|realloc|reallocarray|free|qsort(_r)?|bsearch'
pure+='|t(search|find|delete|destroy|walk)|v?snprintf|abs|labs'
pure+='|__libc_current_sigrt(min|max)'
pure+='|__ctype_(b|tolower|toupper)_loc|tolower|toupper|__errno_location'
pure+='|__(mem|str|v?sn)[a-z]+_chk|__isoc[0-9]+_strto[a-z]+|__isoc99_sscanf|__rawmemchr'
pure+='|json_[a-z_0-9]+|(__)?asprintf(_chk)?'
pure+='|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__assert_fail|__(asan|ubsan|gcov|llvm)_[a-z0-9_]+'

check "the libraries can be read" "$(
	for library in "$core" "$linux"; do
		[ -n "$(defined "$library")" ] || echo "$library"
	done
)"
check "core refers to no system call, only to pure functions and to the doors" \
	"$(comm -23 <(undefined "$core") <(defined "$linux") | lacking "^($pure)\$")"
check "nothing sends a signal by number" "$(
	for object in "$core" "$linux" "$top_builddir/src/cli/libcli.a" "$top_builddir/src/main.o"; do
		undefined "$object" |
			matching '^(kill|killpg|tgkill|sigqueue|pthread_kill|pthread_sigqueue)$' |
			sed "s|^|$object: |"
	done
	grep -En '(SYS|__NR)_(kill|tkill|tgkill|rt_sigqueueinfo|rt_tgsigqueueinfo)' \
		"$src"/*.c "$src"/*/*.[ch]
)"
check "nothing in core or linux prints or exits" "$(
	for library in "$core" "$linux"; do
		undefined "$library" | matching -x \
			'(__)?v?printf(_chk)?|puts|putchar|perror|(v?(err|warn)x?)|stdout|stderr|exit|quick_exit|error' |
			sed "s|^|$library: |"
	done
)"
check "core includes only core and linux, linux only linux and core's values" "$(
	includes core | lacking ' (core/|linux/|config\.h$)'
	includes linux |
		lacking ' (linux/|core/(cleanup|error|identity|list|numbers|parse|process|scope|stream)\.h$|config\.h$)'
)"
check "no circle among the files" "$(
	includes core linux cli . | sed -E 's|^\./||; s/\.[ch]( |$)/\1/g' |
		awk '$1 != $2 && $2 != "config"' | tsort 2>&1 > /dev/null
)"
# PIDS_VAL and the like lost an argument with procps-ng 4.0.5; struct pids_result is as it was.
check "no macro of libproc2 is used whose arguments have changed" \
	"$(grep -En '\<(PIDS|STAT|MEMINFO)_(VAL|GET)\>' "$src"/*/*.c)"
check "the map at the head of main.c names every file, and with CONTRIBUTING.md no other" "$(
	files=$(cd "$src" && printf '%s\n' */*.[ch] | sed 's/\.[ch]$//' | sort -u)
	named=$(sed -n '/^#include/q; s|^ \*   \([a-z]*/[a-z]*\) .*|\1|p' "$src/main.c" | sort)
	diff <(echo "$files") <(echo "$named")
	grep -Eo '(cli|core|linux)/[a-z]+' "$srcdir/CONTRIBUTING.md" | sort -u |
		comm -23 - <(echo "$files")
)"
check "every file names its licence" "$(grep -rL 'SPDX-License-Identifier: GPL-2.0-or-later' \
	"$src" "$srcdir/tests" --include='*.[ch]' --include='*.sh')"
check "no line is longer than 100 columns" "$(
	for file in "$src"/*.c "$src"/*/*.[ch]; do
		expand "$file" | awk -v file="$file" 'length > 100 { print file ": " NR }'
	done
)"
check "every source and test is in Makefile.am" "$(
	cd "$srcdir" && find src tests -name '*.[ch]' -o -name '*.sh' | while read -r file; do
		case $file in
		tests/unit/*.c | tests/helpers/*.c | tests/fuzz/*.c | tests/bench/*.c) file=${file%.c} ;;
		esac
		grep -Eq "(^|[[:space:]])$file([[:space:]]|\$)" Makefile.am || echo "$file"
	done
)"
finish
