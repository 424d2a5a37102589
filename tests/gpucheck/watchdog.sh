#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# watchdog.sh TOP BUILT FOLDER     A row that hangs and one whose process dies are told; the rows behind them still run.
# Ended from outside, nothing stays.
set -euo pipefail
program=$2/tools/gpucheck/gpucheck samples=$2/samples folder=$3
mkdir -p "$folder"
export GINET_LOG=error
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true; rm -f "$folder/out"' EXIT

fail() {
	cat "$folder/said" >&2
	echo "FAILED: $1" >&2
	exit 1
}

# The process of the rows that run now.
worker() {
	tr -d ' ' <"/proc/$pid/task/$pid/children"
}

# $1: signal for the worker once the first row is there, $2: the row that it hits, $3: how many rows are what.
hit() {
	rm -f "$folder/out"
	mkfifo "$folder/out"
	"$program" --gpu cpu --quick --programs "$samples" --limit 3 >"$folder/out" 2>&1 &
	pid=$!
	exec 3<"$folder/out"
	: >"$folder/said"
	while read -r line <&3; do
		echo "$line" >>"$folder/said"
		case $line in
		words:*) kill "-$1" "$(worker)" ;;
		esac
	done
	exec 3<&-
	rc=0
	wait "$pid" || rc=$?
	pid=
	[ "$rc" = 1 ] || fail "exit code $rc, expected 1"
	grep -qE "$2" "$folder/said" || fail "no row says: $2"
	grep -qE "$3" "$folder/said" || fail "the last line does not say: $3"
}

hit STOP ' HUNG +no answer within 3 s: killed' ' 0 failed, 1 hung, '
hit KILL ' FAILED +its process died, by signal 9' ' 1 failed, 0 hung, '
# Ended in the middle: its process of rows goes too, and its folder.
rm -f "$folder/out"
mkfifo "$folder/out"
"$program" --gpu cpu --quick --programs "$samples" >"$folder/out" 2>&1 &
pid=$!
exec 3<"$folder/out"
: >"$folder/said"
while read -r line <&3; do
	[[ $line != words:* ]] || break
done
left=$(readlink "/proc/$pid/fd/"* | grep '^/tmp/gpu-check\.') || fail "it has no folder"
child=$(worker)
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
pid=
cat <&3 >/dev/null # until the last who may write there is gone
[ "$rc" = 143 ] || fail "exit code $rc, expected 143"
if grep -q '^State:.[RSDT]' "/proc/$child/status" 2>/dev/null; then
	fail "process $child is still there"
fi
[ ! -e "$left" ] || fail "$left is still there"
echo "what hangs or dies is one row"
