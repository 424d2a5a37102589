#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# switch.sh ICMP_ECHO NIC
#	Three processes on one "unix" wire: two answer pings, one has the kernel
#	behind it. Once the switch has learned who is where, nobody sees the others'
#	pings. The host leaves: the others say so, and go on when they come again.
. "$(dirname "$0")/wires.sh"

wire=soft:unix=$NET_DIR/s
ip link set lo up
start_sample "$1" 10.77.0.2 "$wire" cpu # the host
start_other "$1" 10.77.0.3 "$wire" cpu
first_pid=$other_pid
exec 5<&4
mv "$NET_DIR/other_err" "$NET_DIR/first_err"
start_other "$2" "$wire,host=tap=gin0"
set_up_tap gin0
ping_all 1 -W 5 10.77.0.2
ping_all 1 -W 5 10.77.0.3
ping_sizes_and_flood 10.77.0.2
ping_sizes_and_flood 10.77.0.3
stop_sample # the host leaves
expect_silence
expect_no_drops
# Its own 1,012 pings, and ARP; not the 1,012 of the other one.
[ "$(counter rx_wire)" -le 1030 ] || fail "the host's NIC saw $(counter rx_wire) frames"
line=$(grep -m 1 'left' < <(timeout 30 tail -n +1 -f "$NET_DIR/first_err")) || fail "nobody says that the host left"
case $line in
*"which hosted it, left: link down; open the NIC again to host it"*) ;;
*) fail "$line" ;;
esac
kill -INT "$first_pid"
cat <&5 >"$NET_DIR/stats"
exec 5<&-
wait "$first_pid" || fail "the first guest ended with code $?"
expect_no_drops
[ "$(counter rx_wire)" -le 1030 ] || fail "the first guest saw $(counter rx_wire) frames"
stop_other
[ ! -e "$NET_DIR/s" ] || fail "the socket is still there"
start_sample "$1" 10.77.0.2 "$wire" cpu
start_other "$2" "$wire,host=tap=gin0"
set_up_tap gin0
ping_all 10 -i 0.01 -W 5 10.77.0.2
stop_other
stop_sample
echo "2034 pings answered by two processes on a switch"
