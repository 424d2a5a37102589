#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# table.sh TOP BUILT FOLDER     tools/gpu-check --gpu cpu: every row is correct; arguments and missing GPUs are told.
set -euo pipefail
top=$1 folder=$3
export GINET_BUILT=$2 GINET_LOG=error
mkdir -p "$folder"

fail() {
	echo "FAILED: $1" >&2
	exit 1
}

# $1: expected exit code, $2: what must be said, then arguments.
expect() {
	local rc=0 code=$1 text=$2
	shift 2
	"$top/tools/gpu-check" "$@" >"$folder/said" 2>&1 || rc=$?
	if [ "$rc" != "$code" ] || ! grep -qE "$text" "$folder/said"; then
		cat "$folder/said" >&2
		fail "gpu-check $*: exit code $rc, expected $code with '$text'"
	fi
}

expect 2 '^usage: ' --fast
expect 2 '^usage: ' --gpu
expect 2 '^usage: ' --gpu tpu
expect 2 '^usage: ' --json ''
expect 1 '^gpu-check: cannot write /dev/null/no: Not a directory' --gpu cpu --json /dev/null/no
expect 2 "unknown key 'speed=1'" --gpu cpu:speed=1
expect 77 '^skipped: no GPU: .*(built without CUDA|NVIDIA driver|no such GPU)' --gpu cuda:99
mkdir -p "$folder/mine" && touch "$folder/mine/gpu-check"
expect 1 'is there and is no bundle' --bundle "$folder/mine"
expect 1 'is there and is no bundle' --bundle "$folder/said"

expect 0 '^[0-9]+ rows: [0-9]+ ok, 0 failed, 0 hung' --gpu cpu --quick --json "$folder/table.json"
python3 - "$folder/table.json" <<'END'
import json, sys

table = json.load(open(sys.argv[1]))
rows = {row["name"]: row for row in table["rows"]}
assert len(rows) == len(table["rows"]) >= 30, "rows: %d" % len(rows)
for name, row in rows.items():
    may_miss = name.startswith("sample ")
    assert row["status"] == "ok" or (may_miss and row["status"] == "not run" and row["note"]), row
trip = rows["64 B round trip kernel -> NIC -> kernel"]["metrics"]
assert trip["round_trip_ns_min"] <= trip["round_trip_ns"] <= trip["round_trip_ns_max"], trip
assert abs(trip["ratio"] - trip["round_trip_ns"] / trip["flag_ns"]) < 0.001, trip
stop = rows["kernel stop: gin_gpu_stop() to gin_gpu_wait() == 0"]["metrics"]
assert stop["stops"] >= 20 and 0 < stop["stop_ns"] <= stop["stop_ns_max"], stop
for scope in "thread", "warp", "block":
    rate = rows["64 B, kernel -> NIC -> cable -> NIC -> kernel, " + scope]["metrics"]
    assert rate["packets_per_s"] > 0, rate
END
sed -n '3,$p' "$folder/said"
