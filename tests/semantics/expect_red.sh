#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# expect_red.sh PROGRAM     A Check program that was broken on purpose: some check must fail.
set -euo pipefail
output=$("$1" 2>&1) && rc=0 || rc=$?
if [ "$rc" = 0 ] || ! grep -qE 'Checks: [0-9]+, Failures: [1-9]' <<<"$output"; then
	echo "$output" | tail -n 20
	echo "FAILED: exit code $rc: nothing turned red"
	exit 1
fi
grep -E 'Failures: [1-9]' <<<"$output"
