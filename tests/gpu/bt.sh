#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bt.sh PROGRAM: a backtrace in a kernel reaches the kernel's entry and ends there.
if ! command -v gdb >/dev/null; then
	echo "skipped: gdb is not installed"
	exit 77
fi
out=$(timeout 120 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending off' -ex 'break stop_here' \
	-ex run -ex bt -ex kill "$1" 2>&1)
case $out in
*ptrace*"not permitted"* | *"Could not trace"* | *"Couldn't get registers"* | *"warning: Error disabling address"*)
	if ! echo "$out" | grep -q '^#0'; then
		echo "skipped: this machine does not let gdb run programs"
		exit 77
	fi
	;;
esac
frames=$(echo "$out" | grep '^#')
echo "$frames"
fail() {
	echo "FAILED: $1"
	echo "$out"
	exit 1
}
echo "$frames" | grep -q '^#0 .*stop_here .*bt.cu:' || fail "did not stop in stop_here()"
echo "$frames" | grep -q '^#1 .*bt_kernel .*bt.cu:' || fail "its caller is not the kernel"
echo "$frames" | tail -n 1 | grep -q 'gin_fiber_start' || fail "the last frame is not the fiber's first"
[ "$(echo "$frames" | wc -l)" -le 6 ] || fail "more frames than there are functions"
echo "$out" | grep -q 'Backtrace stopped' && fail "gdb lost its way"
exit 0
