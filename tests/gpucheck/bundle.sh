#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bundle.sh TOP BUILT FOLDER     The bundle runs where there is nothing but a C library and a shell.
set -euo pipefail
top=$1 built=$2 folder=$3
export GINET_BUILT=$built

namespaces=(unshare --mount --pid --fork --kill-child)
[ "$(id -u)" = 0 ] || namespaces=(unshare --user --map-root-user --mount --pid --fork --kill-child)
"${namespaces[@]}" true 2>/dev/null || {
	echo "skipped: no right to make a mount namespace"
	exit 77
}

fail() {
	cat "$folder/said" >&2
	echo "FAILED: $1" >&2
	exit 1
}

rm -rf "$folder"
mkdir -p "$folder"
"$top/tools/gpu-check" --bundle "$folder/made" >"$folder/said" 2>&1 || fail "no bundle"

# A root with the C library's own files, dash, and the bundle.
root=$folder/root
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
mv "$folder/made" "$root/bundle"
cp /bin/dash "$root/bin/sh"
loader=$(ldd /bin/dash | grep -oE '/[^ ]*/ld-linux[^ ]*')
libc=$(dirname "$(ldd /bin/dash | grep -oE '/[^ ]*/libc\.so\.6')")
for path in "$loader" "$libc"/lib{c,m,dl,rt,pthread,resolv}.so.[0-9]; do
	mkdir -p "$root$(dirname "$path")"
	cp -L "$path" "$root$path"
done

chroot=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)

# $1: command that runs first, $2: what the last row must say.
run() {
	local rc=0
	"${namespaces[@]}" sh -c '
		mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
		mount --rbind /dev "$1/dev" && eval "$3" &&
		exec env -i GINET_LOG=error "$2" "$1" /bundle/gpu-check --gpu cpu --quick --json /tmp/table.json' \
		sh "$root" "$chroot" "$1" >"$folder/said" 2>&1 || rc=$?
	[ "$rc" = 0 ] || fail "exit code $rc"
	grep -qE '^[0-9]+ rows: [0-9]+ ok, 0 failed, 0 hung' "$folder/said" || fail "not all rows are correct"
	[ "$(grep -cE "^sample [ir].* (ok +[0-9]+ frames $2|not run +[a-z])" "$folder/said")" = 4 ] ||
		fail "no samples $2"
	[ -s "$root/tmp/table.json" ] || fail "no JSON"
	grep '^sample\|rows:' "$folder/said"
}

run true 'over a TAP'
if [ -e "$root/bundle/lib/ginet/ginet-dpdk.so" ]; then
	run 'mount -t tmpfs tmpfs "$1/dev/net"' 'out of a capture'
	! grep -q '^sample.* not run' "$folder/said" || fail "a sample did not run out of a capture"
fi
rm -rf "$root"
