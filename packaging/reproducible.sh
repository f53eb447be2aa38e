#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reproducible.sh BUILD - whether the same sources make the same files once more
#
# BUILD is a build folder in which "make deb" has just been run. The same is built again as somebody
# else would: from a clean clone in another folder, later, with another umask, time zone, language and
# number of jobs, and by another user where root runs this. Then the tarball (.orig) and all that
# Debian's tools made of it are compared, but for the two files that describe the build itself.
set -eu
build=$(readlink -f "$1")
source=$(readlink -f "$(dirname "$0")/..")

fail() {
	echo "reproducible.sh: $*" >&2
	exit 1
}

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/nskill-again.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
umask 027
clone=$scratch/somewhere/else
if [ -e "$source/.git" ] && changes=$(git -C "$source" status --porcelain) && [ -z "$changes" ]; then
	git clone --quiet "$source" "$clone"
	git -C "$clone" checkout --quiet --detach "$(git -C "$source" rev-parse HEAD)"
else
	echo "No repository, or not all is committed: built from the tarball in the place of a clone."
	mkdir -p "$clone"
	tar -x --strip-components=1 -f "$build"/deb/*.orig.tar.xz -C "$clone"
fi
as_other=()
if [ "$(id -u)" = 0 ]; then
	as_other=(setpriv --reuid=21013 --regid=21013 --clear-groups)
	chown -R 21013:21013 "$scratch"
fi

# shellcheck disable=SC2016 # a script
(cd "$clone" && "${as_other[@]}" env -i PATH="$PATH" HOME="$scratch" TZ=Pacific/Chatham LANG=C.UTF-8 \
	${SOURCE_DATE_EPOCH:+"SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"} \
	DEB_BUILD_OPTIONS='nocheck parallel=3' sh -c '
		autoreconf -i && mkdir build && cd build && ../configure --quiet && make -s deb
	') >"$scratch/log" 2>&1 || { tail -n 50 "$scratch/log"; fail "the second build has failed"; }

status=0
for file in "$build"/deb/*.tar.xz "$build"/deb/*.dsc "$build"/deb/*.deb; do
	if cmp "$file" "$clone/build${file#"$build"}"; then
		echo "the same: ${file##*/}"
	else
		status=1
	fi
done
exit "$status"
