#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# smoke.sh GINET_BENCH BUILD     The bench measures what it says, tells what is missing, and fails when packets are lost.
set -euo pipefail
bench=$1 build=$2
stream=$build/tools/bench/bench_stream
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "FAILED: $1" >&2
	exit 1
}

# $1: exit code that is due, then a command. Its output is in $dir/out.
expect() {
	local want=$1 code=0
	shift
	"$@" >"$dir/out" 2>&1 || code=$?
	[ $code = "$want" ] || {
		cat "$dir/out" >&2
		fail "$* ended with code $code, not $want"
	}
}

# $1: Python, true for the JSON result r.
holds() {
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), r' "$dir/json" "$1" || fail "not so: $1"
}

expect 2 "$bench" no_such_row
grep -q "no row 'no_such_row'; known: cable, echo_tap" "$dir/out" || fail "the known rows are not listed"
expect 2 "$bench" --runs 0
expect 2 "$bench" --runs many
expect 2 "$stream"
expect 2 "$stream" 0 one
expect 2 "$stream" 5 three
expect 1 "$bench" --build "$dir" cable
grep -q "bench_stream is missing" "$dir/out" || fail "it does not say that bench_stream is missing"

# Every frame arrives, in order, each way.
for way in one two; do
	expect 0 "$stream" 100003 $way
	grep -qx 'packets 100003' "$dir/out" && grep -qx 'errors 0' "$dir/out" || fail "bench_stream: $(cat "$dir/out")"
done

# Without testpmd: ours alone, and a note.
mkdir "$dir/bin"
for program in unshare true ip ping ethtool; do
	! path=$(type -P $program) || ln -s "$path" "$dir/bin/$program"
done
python=$(python3 -c 'import sys; print(sys.executable)')
without_testpmd=(env PATH="$dir/bin" "$python" "$bench")
expect 0 "${without_testpmd[@]}" --quick --json "$dir/json" --build "$build" cable
holds 'r["version"] == 1 and r["quick"] and r["runs"] == 1'
holds 'all(row["row"] == "cable" and row["ours"]["min"] > 0 and "peer" not in row and "met" not in row for row in r["rows"])'
holds 'len(r["rows"]) == (3 if r["machine"]["cpus"] > 1 else 2)'
holds 'any("dpdk-testpmd is not installed" in note["why"] for note in r["notes"]) or r["machine"]["cpus"] == 1'

# With it: a ratio, of the medians.
if command -v dpdk-testpmd >"$dir/out" && [ "$(nproc)" -gt 1 ]; then
	expect 0 "$bench" --quick --json "$dir/json" --build "$build" cable
	holds 'all("peer" in row for row in r["rows"]) or any("memif" in note["why"] for note in r["notes"])'
	holds 'all("peer" not in row or abs(row["ratio"] * row["peer"]["median"] / row["ours"]["median"] - 1) < 1e-9 for row in r["rows"])'
	holds 'all("peer" not in row or row["met"] == (row["ratio"] <= row["goal"]) for row in r["rows"])'
fi

# Lost packets are a failure, not a figure.
mkdir -p "$dir/build/tools/bench"
printf '#!/bin/sh\nprintf "packets $1\\nerrors 1\\ncpu_ns 1\\nwall_ns 1\\n"\n' >"$dir/build/tools/bench/bench_stream"
chmod +x "$dir/build/tools/bench/bench_stream"
expect 1 "$bench" --quick --build "$dir/build" cable
grep -q 'lost or out of order' "$dir/out" || fail "it does not say that frames were lost"

# The table, of rows that need a network namespace; where there can be none it says so and measures nothing.
code=0
"${without_testpmd[@]}" --quick --build "$build" echo_plain idle >"$dir/out" 2>&1 || code=$?
cat "$dir/out"
if [ $code = 77 ]; then
	grep -qE 'no right to make a network namespace|/dev/net/tun' "$dir/out" || fail "no reason given"
	exit 0
fi
[ $code = 0 ] || fail "the echo rows ended with code $code"
[ "$(grep -cE '^(echo_plain|idle) .*[0-9]\.\.[0-9]' "$dir/out")" = 7 ] || fail "not four rows of pings and three of idling"
