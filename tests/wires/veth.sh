#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# veth.sh ICMP_ECHO WIRE [finish]
#	The kernel's pings over a veth pair, answered through WIRE at its end va.
#	finish: the kernel must fill in checksums itself.
. "$(dirname "$0")/wires.sh"

set_up_veth
[ "${3:-}" != finish ] || finish_frames
case $2 in
*af_xdp*) [ "$(awk 'NR == 1 { print $3 }' /proc/self/uid_map)" = 4294967295 ] || skip "AF_XDP needs root outside of user namespaces" ;;
esac
forgive_libxdp
start_sample "$1" 10.77.0.2 "soft:$2" cpu
ping_sizes_and_flood 10.77.0.2
stop_sample
expect_silence
expect_no_drops
ip link show va >/dev/null || fail "the interface is gone"
[ "$(ip -d link show va | grep -c 'promiscuity 0')" = 1 ] || fail "the interface is still promiscuous"
! ip link show va | grep -q xdp || fail "an XDP program was left on the interface"
# An interface that is down says so.
ip link set va down
start_sample "$1" 10.77.0.2 "soft:$2" cpu
stop_sample
grep -q 'the interface is down: link down until: ip link set va up' "$NET_DIR/err" || fail "nothing is said of an interface that is down"
echo "1011 pings answered over $2"
