#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# as_user.sh SCRIPT [PROGRAM...]
#	Run a test of this folder as the user nobody, where everybody may open
#	/dev/net/tun: in a mount namespace that has such a node, and copies of the
#	programs that nobody can reach.
set -euo pipefail

skip() {
	echo "skipped: $1"
	exit 77
}

if [ "${1:-}" = --inside ]; then
	stage=$2
	shift 2
	mount -t tmpfs -o mode=755 tmpfs "$stage"
	cp "$(dirname "$0")/namespace.sh" "$(dirname "$0")/lib.sh" "$@" "$stage"
	chmod -R a+rX "$stage"
	mount -t tmpfs -o mode=755 tmpfs /dev/net
	mknod -m 666 /dev/net/tun c 10 200
	programs=()
	for program in "$@"; do
		programs+=("$stage/$(basename "$program")")
	done
	cd /
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		"$stage/namespace.sh" "${programs[@]}"
fi

[ "$(id -u)" = 0 ] || skip "needs root to become another user; the other tests ran as an ordinary one"
[ -e /dev/net/tun ] || skip "/dev/net/tun is missing"
unshare --mount true 2>/dev/null || skip "no right to make a mount namespace"

stage=$(mktemp -d)
trap 'rmdir "$stage"' EXIT
unshare --mount --fork --kill-child "$0" --inside "$stage" "$@"
