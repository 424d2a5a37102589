#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# planted.sh PROGRAM KERNEL_FILE KERNEL [REPORT]
# A sanitizer stops the kernel with the report and names each line of the file that is marked as its planted mistake.
# Without REPORT: the kernel ends well.
set -euo pipefail
program=$1 file=$2 kernel=$3 report=${4-}
threads=1
[ "$kernel" != race ] || threads=32
status=0
out=$("$program" "$kernel" "$threads" 2>&1) || status=$?

fail() {
	echo "FAILED: $1"
	echo "$out"
	exit 1
}

if [ -z "$report" ]; then
	[ "$status" = 0 ] || fail "exit code $status"
	echo "$out" | grep -qx "$kernel ended, out 100" || fail "the kernel did not end well"
	exit 0
fi
[ "$status" != 0 ] || fail "the mistake was not found"
echo "$out" | grep -q "$report" || fail "no report says '$report'"
lines=$(grep -n "planted: ${kernel}[ ,]" "$file" | cut -d: -f1)
[ -n "$lines" ] || fail "$file has no planted mistake '$kernel'"
for line in $lines; do
	echo "$out" | grep -qE "^ +#0 .*\<$kernel\>.*planted\.cu:$line(:|\$| )" || fail "no line of the report is $kernel in planted.cu:$line"
done
