#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# missing.sh ICMP_ECHO     Where a driver of DPDK is not installed, the package is named.
set -euo pipefail

skip() {
	echo "skipped: $1"
	exit 77
}

drivers=$(echo /usr/lib/*/dpdk/pmds-*)
[ -d "$drivers" ] || skip "DPDK is not where Debian installs it"
if [ "${1:-}" != --inside ]; then
	unshare --mount true 2>/dev/null || skip "no right to make a mount namespace"
	exec unshare --mount --net "$0" --inside "$@"
fi
echo=$2
# EAL takes no drivers from below a world-writable folder.
mount -t tmpfs -o mode=755 tmpfs /mnt
dir=/mnt/drivers
mkdir $dir
mount --bind "$drivers" $dir

# $1: the driver to hide, $2: device string, $3: what the one line must say
expect() {
	mount -t tmpfs -o mode=755 tmpfs "$drivers"
	for file in $dir/*.so*; do
		case $file in
		*/librte_$1.so*) ;;
		*) ln -s "$file" "$drivers/" ;;
		esac
	done
	! line=$("$echo" 10.77.0.2 "$2" cpu 2>&1) || {
		echo "FAILED: $2 works without $1" >&2
		exit 1
	}
	umount "$drivers"
	echo "$line"
	[[ $line == *"$3"* && $(grep -c '^ginet: soft' <<<"$line") = 1 ]] || {
		echo "FAILED: not in one line: $3" >&2
		exit 1
	}
}

expect net_tap soft:net_tap0,iface=gin0 "soft:net_tap0,iface=gin0: DPDK's driver net_tap is not installed (Debian: apt-get install librte-net-tap2"
expect net_virtio soft:net_virtio_user0,path=/nosuch "apt-get install librte-net-virtio2"
expect mempool_ring soft:net_ring0 "apt-get install librte-mempool-ring2"
expect bus_vdev soft:net_ring0 "librte_bus_vdev.so.2" # all drivers of such devices need it: DPDK says so itself
