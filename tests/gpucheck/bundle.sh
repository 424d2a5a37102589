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
mkdir -p "$root/bin" "$root/proc" "$root/dev" "$root/tmp"
mv "$folder/made" "$root/bundle"
cp /bin/dash "$root/bin/sh"
libc='/(ld-linux[^/]*|lib(c|m|dl|rt|pthread)\.so\.[0-9]+)$'
for path in $(ldd /bin/dash "$root/bundle/bin/gpucheck" | grep -oE '\s/[^ ]+' | grep -E "$libc" | sort -u); do
	mkdir -p "$root$(dirname "$path")"
	cp -L "$path" "$root$path"
done

chroot=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)
rc=0
"${namespaces[@]}" sh -c '
	mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
	exec env -i GINET_LOG=error "$2" "$1" /bundle/gpu-check --gpu cpu --quick --json /tmp/table.json' \
	sh "$root" "$chroot" >"$folder/said" 2>&1 || rc=$?
[ "$rc" = 0 ] || fail "exit code $rc"
grep -qE '^[0-9]+ rows: [0-9]+ ok, 0 failed, 0 hung' "$folder/said" || fail "not all rows are correct"
[ -s "$root/tmp/table.json" ] || fail "no JSON"
grep '^sample\|rows:' "$folder/said"
rm -rf "$root"
