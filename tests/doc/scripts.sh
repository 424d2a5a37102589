#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts.sh TOP     shellcheck has nothing to say of any shell script in the tree.
set -euo pipefail
cd "$1"
command -v shellcheck >/dev/null || {
	echo "skipped: shellcheck is not installed"
	exit 77
}
mapfile -t scripts < <({ find .ci tools tests samples host device -type f -name '*.sh' &&
	grep -rlIE '^#!.*[/ ](ba)?sh$' .ci tools tests samples host device; } | sort -u)
[ "${#scripts[@]}" -gt 15 ] || {
	echo "FAILED: only ${#scripts[@]} scripts found"
	exit 1
}
# SC2154: variables of a script that another one reads in by '.'; set -u finds the others.
shellcheck -s bash -S warning -e SC2154 "${scripts[@]}"
echo "${#scripts[@]} scripts"
