#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# samples.sh ICMP_ECHO RX_COUNT     What the samples say to wrong arguments: one line, code 2 or 1, no output.
set -euo pipefail
icmp_echo=$1 rx_count=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset GINET_NIC GINET_GPU
export GINET_LOG=warning

# $1: exit code, $2: words of the one line on stderr, then the command.
expect() {
	local code=$1 words=$2 got=0
	shift 2
	timeout 60 "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
	if [ "$got" != "$code" ] || [ "$(wc -l <"$dir/err")" != 1 ] || ! grep -qF -- "$words" "$dir/err" || [ -s "$dir/out" ]; then
		echo "FAILED: $* : code $got, not $code with one line '$words':" >&2
		cat "$dir/out" "$dir/err" >&2
		exit 1
	fi
}

expect 2 "usage: icmp_echo IP" "$icmp_echo"
expect 2 "usage: icmp_echo IP" "$icmp_echo" 10.0.0
expect 2 "usage: icmp_echo IP" "$icmp_echo" 10.0.0.256
expect 2 "usage: icmp_echo IP" "$icmp_echo" ::1
expect 2 "usage: icmp_echo IP" "$icmp_echo" ""
expect 2 "usage: icmp_echo IP" "$icmp_echo" 10.0.0.2 soft:loop cpu more
expect 2 "usage: rx_count thread|warp|block" "$rx_count"
expect 2 "usage: rx_count thread|warp|block" "$rx_count" lane
expect 2 "usage: rx_count thread|warp|block" "$rx_count" ""
expect 2 "usage: rx_count thread|warp|block" "$rx_count" warp soft:loop cpu more
for sample in "$icmp_echo 10.0.0.2" "$rx_count block"; do
	expect 1 "keys: model=" $sample soft:loop,colour=blue cpu
	expect 1 "wires: loop" $sample soft:wire cpu
	expect 1 "names begin with 'soft:'" $sample mlx5_0 cpu
	expect 1 "is not understood" $sample soft:loop gpu
	expect 1 "no '/'" $sample soft:tap=a/b cpu
	GINET_NIC=soft:wire expect 1 "wires: loop" $sample
	GINET_GPU=gpu expect 1 "is not understood" $sample
done
# More threads than the GPU has: both numbers.
expect 1 "needs 256 threads at once; 64 of 64" "$rx_count" block soft:loop cpu:lanes=64
if ! [ -e /dev/nvidiactl ]; then
	expect 1 "cuda:0" "$icmp_echo" 10.0.0.2 soft:loop cuda:0
fi
echo "all said what is wrong"
