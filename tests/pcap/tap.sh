#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tap.sh ICMP_ECHO     capture=FILE while the kernel pings: tshark finds each request in, each reply out, and nothing else.
. "$(dirname "$0")/../net/lib.sh"
command -v tshark >/dev/null || {
	echo "skipped: tshark is missing"
	exit 77
}
file=$NET_DIR/file.pcapng

# $1: display filter, then fields. One packet a line.
show() {
	local filter=$1 fields=() f
	shift
	for f in "$@"; do
		fields+=(-e "$f")
	done
	tshark -n -r "$file" -Y "$filter" -T fields -E separator=, "${fields[@]}" 2>"$NET_DIR/tshark" || {
		cat "$NET_DIR/tshark" >&2
		fail "tshark cannot read the capture"
	}
}

start_sample "$1" 10.77.0.2 "soft:tap=gin0,capture=$file" cpu
set_up_tap gin0
begin=$(date +%s)
pings=0
for size in 0 1 2 15 16 17 18 19 20 56 64 127 128 255 256 999 1000 1023 1024 1469 1470 1471 1472; do
	ping_all 1 -W 5 -s "$size" 10.77.0.2
	pings=$((pings + 1))
done
end=$(date +%s)

# One can look while it runs: what was sent is there within a moment.
for ((i = 0; i < 100; i++)); do
	[ "$(show icmp frame.number | wc -l)" != $((2 * pings)) ] || break
done
[ "$i" -lt 100 ] || fail "the pings are not in the file while the sample runs"
stop_sample
expect_silence

[ "$(show frame frame.number | wc -l)" = $(($(counter rx_wire) + $(counter tx_wire))) ] ||
	fail "the capture has other packets than the counters"
[ "$(show frame frame.len | awk '{ n += $1 } END { print n }')" = $(($(counter rx_wire_bytes) + $(counter tx_wire_bytes))) ] ||
	fail "the capture has other bytes than the counters"
[ "$(show "icmp.type == 8" frame.packet_flags_direction | sort -u)" = 0x00000001 ] || fail "a request that did not come in"
[ "$(show "icmp.type == 0" frame.packet_flags_direction | sort -u)" = 0x00000002 ] || fail "a reply that did not go out"
show "icmp.type == 8" ip.src ip.dst icmp.ident icmp.seq ip.len data.data >"$NET_DIR/requests"
show "icmp.type == 0" ip.dst ip.src icmp.ident icmp.seq ip.len data.data >"$NET_DIR/replies"
[ "$(wc -l <"$NET_DIR/requests")" = "$pings" ] || fail "$pings pings, $(wc -l <"$NET_DIR/requests") in the capture"
[ -z "$(show "frame.packet_flags_direction == 2 && frame.len < 60" frame.number)" ] || fail "a frame that no MAC would send"
diff "$NET_DIR/requests" "$NET_DIR/replies" >&2 || fail "requests and replies differ"
show "arp.opcode == 2 && frame.packet_flags_direction == 2" arp.src.proto_ipv4 | grep -q '^10.77.0.2$' || fail "no ARP reply went out"
show "icmp" frame.time_epoch | awk -v begin="$begin" -v end="$end" '
	$1 < last { print "time runs backwards at " $1; exit 1 }
	$1 < begin - 1 || $1 > end + 1 { print $1 " is not between " begin " and " end; exit 1 }
	{ last = $1 }' >&2 || fail "times"
show "icmp.checksum.status == 0 || ip.checksum.status == 0" frame.number | grep -q . && fail "checksums that are wrong"
echo "$pings pings in the capture, both ways"
