# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of this folder share, on top of tests/net/lib.sh: a veth pair, a second program.
. "$(dirname "$0")/../net/lib.sh"
other_pid=
trap 'for p in $sample_pid $other_pid; do kill -KILL "$p" 2>/dev/null || true; done' EXIT

skip() {
	echo "skipped: $1"
	exit 77
}

# va for the NIC, vb for the kernel; both up and silent by themselves.
set_up_veth() {
	ip link set lo up
	ip link add va type veth peer name vb
	ip link set va addrgenmode none
	ip link set vb addrgenmode none
	ip addr add 10.77.0.1/24 dev vb
	ip link set va up
	ip link set vb up
}

# The kernel would leave checksums and the cutting into packets to whoever is at the other end: DPDK's drivers do neither.
finish_frames() {
	ethtool -K vb tx off tso off gso off gro off >/dev/null 2>&1 || fail "ethtool -K vb"
}

# net_af_xdp (22.11) forgets 80 bytes of libxdp's for each port: not what LeakSanitizer is asked for.
forgive_libxdp() {
	echo leak:xsk_umem__create >"$NET_DIR/lsan"
	export LSAN_OPTIONS=suppressions=$NET_DIR/lsan:print_suppressions=0
}

# As start_sample, for a second program.
start_other() {
	rm -f "$NET_DIR/other"
	mkfifo "$NET_DIR/other"
	"$@" >"$NET_DIR/other" 2>"$NET_DIR/other_err" &
	other_pid=$!
	exec 4<"$NET_DIR/other"
	read -r _ <&4 || {
		cat "$NET_DIR/other_err" >&2
		fail "$* did not start"
	}
}

stop_other() {
	kill -INT "$other_pid"
	cat <&4 >"$NET_DIR/other_stats"
	exec 4<&-
	wait "$other_pid" || fail "the other program ended with code $?"
	other_pid=
	tail -n 1 "$NET_DIR/other_stats" | grep -q '^  sums: .*: ok$' || {
		cat "$NET_DIR/other_stats" >&2
		fail "the other program's counters do not add up"
	}
}

# $1: where to. Sizes from nothing to the MTU, then as fast as they are answered.
ping_sizes_and_flood() {
	local size
	for size in 0 1 17 18 19 56 64 255 1023 1471 1472; do
		ping_all 1 -W 5 -s "$size" "$1"
	done
	ping_all 1000 -f -q -W 10 "$1"
}

# No frame was lost on the sample's side.
expect_no_drops() {
	local drop
	for drop in rx_drop_no_buffer rx_drop_too_long rx_drop_bad_frame rx_drop_queue_error rx_drop_link_down \
		tx_drop_too_long tx_drop_link_down tx_drop_queue_error refused; do
		[ "$(counter $drop)" = 0 ] || fail "$drop is $(counter $drop)"
	done
	[ "$(counter tx_wire)" -ge 1012 ] || fail "1011 pings and an ARP question, $(counter tx_wire) answers"
}
