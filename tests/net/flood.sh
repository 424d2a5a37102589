#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# flood.sh ICMP_ECHO [GPU]     20,000 pings as fast as they are answered, none lost.
. "$(dirname "$0")/lib.sh"

start_sample "$1" 10.77.0.2 soft:tap=gin0 "${2:-cpu}"
set_up_tap gin0
ping_all 20000 -f -q -W 10 10.77.0.2
stop_sample
expect_silence
for drop in rx_drop_filter rx_drop_no_buffer rx_drop_queue_error rx_drop_link_down tx_drop_link_down tx_drop_queue_error refused; do
	[ "$(counter $drop)" = 0 ] || fail "$drop is $(counter $drop)"
done
# A second ARP question may come in between.
[ "$(counter tx_wire)" -ge 20001 ] || fail "20000 pings and an ARP question, $(counter tx_wire) answers"
echo "20000 pings answered"
