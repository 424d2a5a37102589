# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of this folder share. They run inside namespace.sh.
set -euo pipefail
sample_pid=
export GINET_LOG=warning
trap '[ -z "$sample_pid" ] || kill -KILL "$sample_pid" 2>/dev/null || true' EXIT

fail() {
	echo "FAILED: $1" >&2
	exit 1
}

# Start a sample and wait for its first line, which says that it is ready.
start_sample() {
	rm -f "$NET_DIR/out"
	mkfifo "$NET_DIR/out"
	"$@" >"$NET_DIR/out" 2>"$NET_DIR/err" &
	sample_pid=$!
	exec 3<"$NET_DIR/out"
	read -r _ <&3 || {
		cat "$NET_DIR/err" >&2
		fail "$* did not start"
	}
}

# Ctrl-C for the sample, or signal $1: it must end well, without a word of complaint, and its counters must add up.
stop_sample() {
	kill -"${1:-INT}" "$sample_pid"
	cat <&3 >"$NET_DIR/stats"
	exec 3<&-
	wait "$sample_pid" || {
		cat "$NET_DIR/stats" "$NET_DIR/err" >&2
		fail "the sample ended with code $?"
	}
	sample_pid=
	tail -n 1 "$NET_DIR/stats" | grep -q '^  sums: .*: ok$' || {
		cat "$NET_DIR/stats" >&2
		fail "the counters do not add up"
	}
}

# The sample said nothing on stderr.
expect_silence() {
	[ ! -s "$NET_DIR/err" ] || {
		cat "$NET_DIR/err" >&2
		fail "the sample complains"
	}
}

# $1: name of a counter -> its value in the table that the sample printed; 0 when it is not there.
counter() {
	awk -v name="$1" '$1 == name { print $2; found = 1; exit } END { if (!found) print 0 }' "$NET_DIR/stats"
}

# $1: interface. Up, with an IPv4 address, and silent by itself: no IPv6.
set_up_tap() {
	ip link set lo up
	ip link set "$1" addrgenmode none
	ip addr add 10.77.0.1/24 dev "$1"
	ip link set "$1" up
}

# One ping run without loss, duplicates or changed bytes. $1: how many, then ping's options.
ping_all() {
	local n=$1
	shift
	ping -n -c "$n" "$@" >"$NET_DIR/ping" 2>&1 || {
		tail -n 20 "$NET_DIR/ping" >&2
		fail "ping $*"
	}
	if grep -qE 'wrong data|DUP!|truncated|Unreachable' "$NET_DIR/ping" ||
		! grep -q "^$n packets transmitted, $n received, 0% packet loss" "$NET_DIR/ping"; then
		tail -n 20 "$NET_DIR/ping" >&2
		fail "ping $*"
	fi
}
