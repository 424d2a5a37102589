#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tap.sh ICMP_ECHO SWEEP     The Linux kernel's pings over DPDK's net_tap: every size that fits, and 2,000 in a flood;
# a second program is refused, a TAP that nobody holds is taken, and SIGTERM ends well too.
. "$(dirname "$0")/../net/lib.sh"

start_sample "$1" 10.77.0.2 soft:net_tap0,iface=gin0,model=cx5 cpu
set_up_tap gin0
if timeout 10 "$1" 10.77.0.2 soft:net_tap0,iface=gin0 cpu >/dev/null 2>"$NET_DIR/second"; then
	fail "a second program took the interface too"
fi
[ "$(wc -l <"$NET_DIR/second")" = 1 ] && grep -q "another program or NIC holds gin0" "$NET_DIR/second" ||
	fail "a second program says: $(cat "$NET_DIR/second")"
"$2" 10.77.0.2
ping_all 2000 -f -q -W 10 10.77.0.2
stop_sample
expect_silence
for drop in rx_drop_filter rx_drop_no_buffer rx_drop_queue_error rx_drop_link_down tx_drop_link_down tx_drop_queue_error refused; do
	[ "$(counter $drop)" = 0 ] || fail "$drop is $(counter $drop)"
done
[ "$(counter tx_wire)" -ge 3474 ] || fail "1473 + 2000 pings and an ARP question, $(counter tx_wire) answers"
! ip link show gin0 >/dev/null 2>&1 || fail "the interface is still there"

ip tuntap add gin0 mode tap multi_queue
start_sample "$1" 10.77.0.2 soft:net_tap0,iface=gin0 cpu
stop_sample TERM
ip link show gin0 >/dev/null || fail "the interface that was there is gone"

echo "3473 pings answered over net_tap"
