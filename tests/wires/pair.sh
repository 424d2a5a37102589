#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pair.sh ICMP_ECHO NIC WIRE_A WIRE_B
#	Two processes with a wire between them: NIC has a kernel interface behind
#	WIRE_B, whose pings cross the wire to ICMP_ECHO on WIRE_A. "@" in a wire: a
#	folder of the test's own.
. "$(dirname "$0")/wires.sh"

ip link set lo up
start_sample "$1" 10.77.0.2 "soft:${3//@/$NET_DIR}" cpu
start_other "$2" "soft:${4//@/$NET_DIR},host=tap=gin0"
set_up_tap gin0
ping_sizes_and_flood 10.77.0.2
stop_other
stop_sample
expect_silence
[ ! -s "$NET_DIR/other_err" ] || {
	cat "$NET_DIR/other_err" >&2
	fail "the other program complains"
}
expect_no_drops
[ "$(find "$NET_DIR" -mindepth 1 -printf '%f\n' | grep -cvxE 'out|err|other|other_err|ping|stats|other_stats')" = 0 ] || fail "left behind: $(ls "$NET_DIR")"
echo "1011 pings answered over ${3%%[=,]*} between two processes"
