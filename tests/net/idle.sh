#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# idle.sh ICMP_ECHO     A queue that gets nothing for 3 s while frames are dropped says which, and why.
. "$(dirname "$0")/lib.sh"

# $1: how often a ping goes to a neighbour who has another MAC than the NIC, so that the NIC drops it.
ping_wrong_mac() {
	ip neigh replace 10.77.0.2 lladdr 02:00:00:00:00:09 dev gin0
	ping -n -c "$1" -i 0.2 -W 0.1 10.77.0.2 >/dev/null && fail "an answer from a wrong address"
	return 0
}

# A drop from before the silence says nothing of it: in 4 s without frames no warning comes.
start_sample "$1" 10.77.0.2 soft:tap=gin0,mac=02:00:00:00:00:02 cpu
set_up_tap gin0
ping_wrong_mac 1
ip neigh replace 10.77.0.2 lladdr 02:00:00:00:00:02 dev gin0
ping_all 3 -i 0.2 10.77.0.2
! timeout 4 tail -n +1 -f "$NET_DIR/err" | grep -m 1 'got nothing' || fail "warned of a drop that was before the last packet"
stop_sample
expect_silence

start_sample "$1" 10.77.0.2 soft:tap=gin0,mac=02:00:00:00:00:02 cpu
set_up_tap gin0
gin0_mac=$(ip -br link show gin0 | awk '{ print $3 }')
ping_wrong_mac 1
line=$(grep -m 1 'got nothing' < <(timeout 30 tail -n +1 -f --pid="$sample_pid" "$NET_DIR/err")) || fail "no warning within 30 s"
echo "$line"
case $line in
*"soft0/rxq0 got nothing for 3 s, while soft0 drops frames as rx_drop_filter; the first: 98 bytes, $gin0_mac -> 02:00:00:00:00:09, EtherType 0x0800, then 45"*) ;;
*) fail "the warning does not name the frame" ;;
esac
stop_sample
[ "$(counter rx_drop_filter)" = 1 ] || fail "rx_drop_filter is $(counter rx_drop_filter)"
[ "$(wc -l <"$NET_DIR/err")" = 1 ] || fail "more than one line"
