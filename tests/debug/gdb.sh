#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gdb.sh PROGRAM KERNEL_FILE     What the README says of gdb: a breakpoint for one lane, where that lane stands, its
# locals and threadIdx, a step over a barrier that stays with the lane, and threads by name.
set -euo pipefail
program=$1 file=$2
command -v gdb >/dev/null || {
	echo "skipped: gdb is not installed"
	exit 77
}
line=$(grep -n 'planted: look_inside, barrier' "$file" | cut -d: -f1)
out=$(timeout 100 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending off' \
	-ex "break planted.cu:$line if threadIdx.x == 5" -ex run \
	-ex 'echo [bt]\n' -ex bt -ex 'echo [locals]\n' -ex 'info locals' -ex 'print threadIdx' -ex 'print a.eight' \
	-ex 'echo [next]\n' -ex next -ex 'print threadIdx.x' -ex next -ex 'print twice' \
	-ex 'echo [threads]\n' -ex 'info threads' -ex kill --args "$program" look_inside 32 2>&1) || true

# $1: part of what gdb said.
part() {
	echo "$out" | sed -n "/^\[$1\]/,/^\[[a-z]*\]$/p"
}

fail() {
	echo "FAILED: $1"
	echo "$out"
	exit 1
}

case $out in
*ptrace*"not permitted"* | *"Could not trace"* | *"Couldn't get registers"* | *"warning: Error disabling address"*)
	part bt | grep -q '^#0' || {
		echo "skipped: this machine does not let gdb run programs"
		exit 77
	}
	;;
esac
# $1: part, $2: pattern, $3: what is wrong otherwise
expect() {
	part "$1" | grep -qE "$2" || fail "$3"
}
expect bt "^#0 +look_inside .*planted\.cu:$line\$" "does not stand in line $line of the kernel"
part bt | grep '^#' | tail -n 1 | grep -q 'gin_fiber_start ()$' || fail "the backtrace does not end at the lane's start"
expect locals '^lane = 5$' "the lane's local variable does not print"
expect locals '^\$1 = \{x = 5, y = 0, z = 0\}$' "threadIdx does not print"
expect locals '^\$2 = 8$' "the kernel's argument does not print"
expect next "^$((line + 1))[[:space:]]" "next does not lead to the next line"
expect next '^\$3 = 5$' "another lane came behind the barrier"
expect next '^\$4 = 110$' "twice is not 2 * 5 + 100 behind the line that adds it"
expect threads '^\* .*"look_inside/0" look_inside ' "the block's thread does not have its name"
expect threads '"gin soft NIC"' "the NIC's thread does not have its name"
