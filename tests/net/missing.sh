#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# missing.sh TOP FOLDER     tools/quickstart says what is missing, with a remedy, and exits with 1.
set -euo pipefail
top=$1 folder=$2
[ "$(id -u)" = 0 ] || {
	echo "skipped: only root can hide /dev/net/tun"
	exit 77
}
unshare --mount true 2>/dev/null || {
	echo "skipped: no right to make a mount namespace"
	exit 77
}
mkdir -p "$folder"

# $1: command that takes something away, $2: what must be said.
expect() {
	local rc=0
	unshare --mount sh -c "$1; exec \"\$0\"" "$top/tools/quickstart" >"$folder/out" 2>&1 || rc=$?
	if [ "$rc" != 1 ] || ! grep -q "$2" "$folder/out"; then
		cat "$folder/out" >&2
		echo "FAILED: exit code $rc, without: $2" >&2
		exit 1
	fi
}

mkdir -p "$folder/bin"
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/unshare"
chmod +x "$folder/bin/unshare"
expect "mount -t tmpfs tmpfs /dev/net" "/dev/net/tun is missing: .*modprobe tun"
expect "mount -t tmpfs tmpfs /dev/net && mkdir /dev/net/tun" "no right to open /dev/net/tun: .*chmod 666"
expect "mount -t tmpfs tmpfs /dev/net && touch /dev/net/tun; PATH=$folder/bin:\$PATH" "no right to make a network namespace: .*user namespaces"
echo "tools/quickstart says what is missing"
