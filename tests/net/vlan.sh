#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# vlan.sh ICMP_ECHO VLAN     Tagged traffic: answers keep the tags. By the kernel's ping too, where it knows 802.1Q.
. "$(dirname "$0")/lib.sh"

mac=02:00:00:00:00:02
start_sample "$1" 10.77.0.2 "soft:tap=gin0,mac=$mac" cpu
set_up_tap gin0
ip link set gin0 mtu 1508 # room for the tags; the NIC's is 1500
"$2" gin0 $mac
if ip link add link gin0 name gin0.77 type vlan id 77 2>/dev/null; then
	ip addr flush dev gin0
	ip addr add 10.77.0.1/24 dev gin0.77
	ip link set gin0.77 up
	for size in 0 56 1472; do
		ping_all 1 -W 5 -s "$size" 10.77.0.2
	done
	ping_all 200 -f -q -W 10 10.77.0.2
	echo "tagged frames by an 802.1Q interface and by hand answered"
else
	echo "tagged frames by hand answered; this kernel has no 802.1Q interfaces"
fi
stop_sample
expect_silence
