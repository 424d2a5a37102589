#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ping.sh ICMP_ECHO SWEEP     Every size that fits the MTU, and patterns that checksums find hard.
. "$(dirname "$0")/lib.sh"

start_sample "$1" 10.77.0.2 soft:tap=gin0 cpu
set_up_tap gin0
"$2" 10.77.0.2
pings=1473
for size in 0 1 17 18 19 56 63 64 65 255 256 1023 1470 1471 1472; do
	ping_all 1 -W 5 -s "$size" 10.77.0.2
	pings=$((pings + 1))
done
for pattern in 00 ff 0001 ffff0000 8000; do
	for size in 16 57 1471 1472; do
		ping_all 1 -W 5 -p "$pattern" -s "$size" 10.77.0.2
		pings=$((pings + 1))
	done
done
stop_sample
expect_silence
[ "$(counter tx_wire)" -gt "$pings" ] || fail "$pings pings and an ARP question, $(counter tx_wire) answers"
echo "$pings pings answered"
