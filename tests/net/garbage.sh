#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# garbage.sh ICMP_ECHO FRAMES     Pings for others and frames of nonsense: it does not answer the former and survives the latter.
. "$(dirname "$0")/lib.sh"

mac=02:00:00:00:00:02
start_sample "$1" 10.77.0.2 "soft:tap=gin0,mac=$mac" cpu
set_up_tap gin0
ping_all 1 -W 5 10.77.0.2
# By ARP, and with the NIC's own MAC.
ip neigh add 10.77.0.4 lladdr $mac dev gin0
for other in 10.77.0.3 10.77.0.4; do
	! ping -n -c 2 -i 0.2 -W 0.5 "$other" >"$NET_DIR/ping" || fail "an answer for $other"
	grep -q '0 received' "$NET_DIR/ping" || fail "an answer for $other"
done
ping_all 1 -W 5 10.77.0.2
stop_sample
expect_silence
# Two pings, and an ARP question before each at most.
answers=$(counter tx_wire)
[ "$answers" -ge 3 ] && [ "$answers" -le 4 ] || fail "$answers frames sent, where 3 or 4 were asked for"

start_sample "$1" 10.77.0.2 "soft:tap=gin0,mac=$mac" cpu
set_up_tap gin0
# Rounds that fit into the interface's queue; each ends with a ping, which waits for the round's last frame.
for seed in $(seq 1 20); do
	"$2" gin0 $mac 400 "$seed"
	ping_all 1 -W 10 10.77.0.2
done
stop_sample
expect_silence
[ "$(counter rx_wire)" -ge 8020 ] || fail "8020 frames put on the interface, $(counter rx_wire) counted"
echo "others' pings not answered; 8000 frames of nonsense survived"
