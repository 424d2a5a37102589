#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# namespace.sh PROGRAM [ARG...]
#	Run a test in a network namespace of its own, as root or in a user
#	namespace; where it can be, in a PID namespace too, so that none of its
#	processes outlives it.
#	$NET_DIR: a folder of its own. Exit code 77: not possible here, with the reason.
set -euo pipefail

skip() {
	echo "skipped: $1"
	exit 77
}

namespace=(unshare --net --fork --kill-child)
[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net --fork --kill-child)

[ -e /dev/net/tun ] || skip "/dev/net/tun is missing"
{ true <>/dev/net/tun; } 2>/dev/null || skip "no right to open /dev/net/tun"
"${namespace[@]}" true 2>/dev/null || skip "no right to make a network namespace"

# With its own /proc, in which LeakSanitizer finds the threads of a process.
! "${namespace[@]}" --pid --mount-proc true 2>/dev/null || namespace+=(--pid --mount-proc)

NET_DIR=$(mktemp -d)
export NET_DIR
trap 'rm -rf "$NET_DIR"' EXIT
"${namespace[@]}" "$@"
