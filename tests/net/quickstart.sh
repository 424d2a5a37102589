#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# quickstart.sh TOP FOLDER INTERRUPT
#	tools/quickstart as whoever runs this; as root also as an ordinary user; and
#	Ctrl-C. FOLDER: for its builds.
set -euo pipefail
top=$1 folder=$2 interrupt=$3

if [ "${4:-}" = --as-user ]; then
	mount -t tmpfs -o mode=755 tmpfs "$folder"
	mkdir "$folder/top" "$folder/build"
	mount --bind "$top" "$folder/top"
	chown 65534:65534 "$folder/build"
	mount -t tmpfs -o mode=755 tmpfs /dev/net
	mknod -m 666 /dev/net/tun c 10 200
	cd /
	GINET_BUILD=$folder/build exec setpriv --reuid=65534 --regid=65534 --clear-groups "$folder/top/tools/quickstart"
fi

skip() {
	echo "skipped: $1"
	exit 77
}
[ -e /dev/net/tun ] || skip "/dev/net/tun is missing"
{ true <>/dev/net/tun; } 2>/dev/null || skip "no right to open /dev/net/tun"
if [ "$(id -u)" = 0 ]; then
	unshare --net true 2>/dev/null || skip "no right to make a network namespace"
else
	unshare --user --map-root-user --net true 2>/dev/null || skip "no right to make a network namespace"
fi

# $1: what it printed. Replies, sums, verdict.
check() {
	if ! grep -q '^5 packets transmitted, 5 received, 0% packet loss' "$1" || ! grep -q '^  sums: .*: ok$' "$1" ||
		! tail -n 1 "$1" | grep -q '^ok: .*, in [0-9]* s$'; then
		cat "$1" >&2
		echo "FAILED: tools/quickstart" >&2
		exit 1
	fi
}

mkdir -p "$folder/build" "$folder/tmp"
export GINET_BUILD=$folder/build TMPDIR=$folder/tmp
"$top/tools/quickstart" >"$folder/output" 2>&1 || true
check "$folder/output"
if pkg-config --exists 'libdpdk >= 22.11' 2>/dev/null; then # to play on: what it left has the wires of DPDK
	"$GINET_BUILD/samples/rx_count" thread "soft:net_pcap0,rx_pcap=$top/samples/starter/ten.pcap" cpu >"$folder/played" 2>&1 || true
	grep -qx '10 packets, 1242 bytes' "$folder/played" || {
		cat "$folder/played" >&2
		echo "FAILED: a capture with what tools/quickstart built" >&2
		exit 1
	}
fi
"$interrupt" 15 "$GINET_BUILD" "$top/tools/quickstart"
[ -z "$(ls "$TMPDIR")" ] || {
	ls "$TMPDIR" >&2
	echo "FAILED: files were left behind" >&2
	exit 1
}
! "$top/tools/quickstart" more 2>"$folder/usage" || exit 1
grep -q '^usage: tools/quickstart' "$folder/usage"
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$folder/user"
	unshare --mount --fork --kill-child "$0" "$top" "$folder/user" "$interrupt" --as-user >"$folder/user-output" 2>&1 || true
	check "$folder/user-output"
	echo "tools/quickstart: works as root and as an ordinary user, and ends on Ctrl-C"
else
	echo "tools/quickstart: works as an ordinary user, and ends on Ctrl-C"
fi
