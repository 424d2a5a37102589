#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bad_input.sh RX_COUNT ICMP_ECHO     Captures that cannot be used, wholly or in part: one line with cause and remedy.
set -euo pipefail
rx_count=$1 icmp_echo=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export GINET_LOG=warning
unset GINET_NIC GINET_GPU

{
	printf '\xff\xff\xff\xff\xff\xff\x02\xaa\x00\x00\x00\x02\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01'
	printf '\x02\xaa\x00\x00\x00\x02\x0a\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x02'
	head -c 18 /dev/zero
} >arp

# draft-ietf-opsawg-pcap, 4. $1: link type, one byte in octal.
header() {
	printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00%b\x00\x00\x00' "\\0$1"
}

# 5: an ARP request for 10.0.0.2, 60 bytes. $1: how many of them are in the file, $2: how long the packet says it was; both in octal.
packet() {
	printf '\x01\x00\x00\x00\x00\x00\x00\x00%b\x00\x00\x00%b\x00\x00\x00' "\\0$1" "\\0$2"
	head -c $((8#$1)) arp
}

fail() {
	echo "FAILED: $1" >&2
	cat out err >&2
	exit 1
}

run() {
	code=0
	timeout 60 "$rx_count" warp "soft:$1" cpu >out 2>err </dev/null || code=$?
}

# $1: words of the one line, $2: device string. No file is made, none is changed.
refused() {
	local before
	rm -f out err
	before=$(ls; cksum whole)
	run "$2"
	[ "$code" = 1 ] || fail "$2: code $code, not 1"
	[ "$(wc -l <err)" = 1 ] && grep -qF -- "$1" err || fail "$2: not one line with '$1'"
	[ ! -s out ] || fail "$2: output"
	rm -f out err
	[ "$before" = "$(ls; cksum whole)" ] || fail "$2: left something behind"
}

# $1: words of the one line, or "" for none, $2: packets and bytes that are counted, $3: device string.
used() {
	run "$3"
	[ "$code" = 0 ] || fail "$3: code $code"
	[ "$(wc -l <err)" = "$([ -n "$1" ] && echo 1 || echo 0)" ] && grep -qF -- "$1" <(cat err; echo) || fail "$3: not one line with '$1'"
	grep -qxF -- "$2" out || fail "$3: not '$2'"
	grep -q '^  sums: .*: ok$' out || fail "$3: the counters do not add up"
}

{ header 1; packet 74 74; packet 74 74; } >whole
: >empty
header 1 >none
head -c 20 none >short_header
packet 74 74 >one
{ cat whole; head -c 40 one; } >cut_data
{ cat whole; head -c 9 one; } >cut_header
{ cat whole; printf '\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f\x3c\x00\x00\x00'; } >absurd
{ header 1; packet 74 74; packet 24 74; packet 24 75; } >snapped
{ header 161; packet 74 74; } >cooked
head -c 3000 /dev/zero >zeros
mkdir folder
mkfifo fifo

refused "rx_pcap=missing: No such file or directory" net_pcap0,rx_pcap=missing,tx_pcap=o
refused "rx_pcap=empty is empty" net_pcap0,rx_pcap=empty,tx_pcap=o
refused "no capture that libpcap can read (truncated dump file" net_pcap0,rx_pcap=short_header,tx_pcap=o
refused "no capture that libpcap can read (unknown file format)" net_pcap0,rx_pcap=zeros,tx_pcap=o
refused "link type 113 (LINUX_SLL), not Ethernet" net_pcap0,rx_pcap=cooked,tx_pcap=o
refused "is a directory: name a file" net_pcap0,rx_pcap=folder,tx_pcap=o
refused "is no regular file: name a file" net_pcap0,rx_pcap=fifo,tx_pcap=o
refused "would be standard input or output" net_pcap0,rx_pcap=-
refused "would be standard input or output" net_pcap0,rx_pcap=whole,tx_pcap=-
refused "is a directory: name a file" net_pcap0,rx_pcap=whole,tx_pcap=folder
refused "cannot write tx_pcap=none/o: Not a directory" net_pcap0,rx_pcap=whole,tx_pcap=none/o
refused "tx_pcap is the same file as rx_pcap" net_pcap0,rx_pcap=whole,tx_pcap=folder/../whole
refused "is the file that the wire reads or writes" net_pcap0,rx_pcap=whole,capture=whole
if [ "$(id -u)" != 0 ]; then
	chmod 0 snapped
	refused "rx_pcap=snapped: Permission denied" net_pcap0,rx_pcap=snapped
	chmod 600 snapped
fi

used "" "2 packets, 120 bytes" net_pcap0,rx_pcap=whole,tx_pcap=o
used "" "0 packets, 0 bytes" net_pcap0,rx_pcap=none,tx_pcap=o
used "behind packet 2 (truncated dump file" "2 packets, 120 bytes" net_pcap0,rx_pcap=cut_data,tx_pcap=o
used "behind packet 2 (truncated dump file" "2 packets, 120 bytes" net_pcap0,rx_pcap=cut_header,tx_pcap=o
used "behind packet 2 (invalid packet capture length" "2 packets, 120 bytes" net_pcap0,rx_pcap=absurd,tx_pcap=o
# 20 bytes of each are there, and a MAC pads them.
used "2 of 3 packets, first number 2, were cut" "3 packets, 180 bytes" net_pcap0,rx_pcap=snapped,tx_pcap=o

# A disk that gets full: the packets go on, and one line says that the file has not all.
namespace=(unshare --mount)
[ "$(id -u)" = 0 ] || namespace+=(--user --map-root-user)
full_disk() {
	# shellcheck disable=SC2016
	"${namespace[@]}" bash -c 'mount -t tmpfs -o size=64k tmpfs folder && exec timeout 60 "$@"' - "$@" cpu >out 2>err ||
		fail "full disk: code $?"
	grep -q '^  sums: .*: ok$' out || fail "full disk: the counters do not add up"
}
if "${namespace[@]}" true 2>/dev/null; then
	{ header 1; for ((i = 0; i < 2000; i++)); do cat one; done; } >long
	full_disk "$rx_count" warp soft:net_pcap0,rx_pcap=long,capture=folder/c
	[ "$(wc -l <err)" = 1 ] && grep -q "capture=folder/c: No space left on device: the capture ends after [0-9]* packets" err ||
		fail "full disk: not one line for the capture"
	grep -qxF "2000 packets, 120000 bytes" out || fail "full disk: packets are lost"
	full_disk "$icmp_echo" 10.0.0.2 soft:net_pcap0,rx_pcap=long,tx_pcap=folder/o
	[ "$(wc -l <err)" = 1 ] && grep -q "tx_pcap=folder/o has not all of the 2000 packets" err ||
		fail "full disk: not one line for the output"
fi
echo "all said what is wrong"
