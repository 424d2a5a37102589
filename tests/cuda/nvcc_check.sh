#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# nvcc_check.sh WHAT NVCC TOP     What nvcc makes of the device headers of the tree TOP.
#
#   targets  device.cu and every sample's kernel compile for every GPU that nvcc knows
#   alone    each public header compiles on its own
#   ptx      instructions and their order, in the PTX of device.cu
#   stack    no kernel of device.cu has a stack or spills registers
set -euo pipefail
[ $# = 3 ] || {
	echo "usage: nvcc_check.sh targets|alone|ptx|stack NVCC TOP" >&2
	exit 2
}
what=$1 nvcc=$2 top=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-x cu -std=c++17 -O3 -Werror all-warnings -I"$top/device" -I"$top/include")
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# sm_75 up to the newest, oldest first, as numbers.
archs() {
	"$nvcc" --list-gpu-arch | sed -n 's/^compute_//p' | sort -n | awk '$1 >= 75'
}

check_targets() {
	local gencode=() arch file n=0
	for arch in $(archs); do
		gencode+=(-gencode "arch=compute_$arch,code=sm_$arch")
	done
	gencode+=(-gencode "arch=compute_$arch,code=compute_$arch")
	while read -r file; do
		"$nvcc" "${flags[@]}" --threads 2 "${gencode[@]}" -c "$file" -o "$work/o" || fail "$file"
		n=$((n + 1))
	done < <(echo "$top/tests/cuda/device.cu" && find "$top/samples" -name '*.cu' | sort)
	echo "$n files for $(archs | wc -l) GPUs"
}

check_alone() {
	local header n=0
	while read -r header; do
		echo "#include <$header>" >"$work/a.cu"
		"$nvcc" "${flags[@]}" -arch="compute_$(archs | tail -n 1)" -ptx "$work/a.cu" -o "$work/o" || fail "$header"
		n=$((n + 1))
	done < <(cd "$top/device" && find ginet -name '*.h' ! -name shim_cpu.h | sort && cd "$top/include" &&
		find ginet -name '*.h' | sort)
	echo "$n headers"
}

# $1: PTX. The instructions of our wrappers alone, as "kernel opcode address".
wrappers() {
	awk '
		/\.entry/ { match($0, /\.entry [A-Za-z0-9_]+/); kernel = substr($0, RSTART + 7, RLENGTH - 7) }
		/begin inline asm/ { inside = 1; next }
		/end inline asm/ { inside = 0 }
		inside && NF { sub(/;$/, "", $1); print kernel, $1, $2 }' "$1"
}

# What must stand before what, whatever the compiler moved: one line for each offence.
order_of_fences() {
	awk '
		$1 != kernel { kernel = $1; one = two = three = "" }
		{ op = $2 }
		op == "st.global.v4.b32" { stores++ }
		# A record may not overtake the WQEs, or the reads of the slots that it gives away.
		op == "st.relaxed.sys.global.b32" { records++
			if (one != "fence.acq_rel.sys")
				print kernel ": doorbell record without a fence before it, but " one }
		# A doorbell may not overtake its record.
		op == "st.mmio.relaxed.sys.global.b64" { doorbells++
			if (one != "fence.acq_rel.sys" || two != "st.relaxed.sys.global.b32" || three != "fence.acq_rel.sys")
				print kernel ": doorbell behind " three ", " two ", " one }
		{ three = two; two = one; one = op }
		END {
			if (doorbells < 9 || records < 15 || stores < 30)
				print "only " doorbells " doorbells, " records " records, " stores " WQE stores: is this device.cu?"
		}' "$1"
}

check_ptx() {
	local arch bad op
	for arch in 80 90 "$(archs | tail -n 1)"; do
		"$nvcc" "${flags[@]}" -arch="compute_$arch" -ptx "$top/tests/cuda/device.cu" -o "$work/d.ptx"
		wrappers "$work/d.ptx" >"$work/ops"

		# The non-coherent path may return stale data of memory that the NIC writes.
		bad=$(grep -nE 'ld\.global\.nc|ldu\.' "$work/d.ptx" || true)
		[ -z "$bad" ] || fail "compute_$arch: read by the non-coherent path: $bad"

		bad=$(awk '$2 ~ /^(ld|st|atom|red)\./ && $2 !~ /\.global\./' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: generic address in a wrapper: $bad"

		# What a wait reads must come from memory each time.
		bad=$(awk '$2 ~ /^ld\.relaxed\.sys/ && $2 !~ /L1::no_allocate/' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: polled through L1: $bad"

		for op in st.mmio.relaxed.sys.global.b64 atom.acq_rel.gpu.global.exch.b64 atom.relaxed.gpu.global.cas.b64 \
			ld.relaxed.sys.global.L1::no_allocate.b32 st.relaxed.sys.global.b32; do
			grep -qF " $op " "$work/ops" || fail "compute_$arch: no $op"
		done
		bad=$(awk '$2 ~ /mmio/ && $2 != "st.mmio.relaxed.sys.global.b64"' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: doorbell is $bad"

		bad=$(order_of_fences "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: $bad"

		# A receive ends with an acquire between the owner bits and what the caller reads: before it moves on.
		bad=$(awk '$1 == "one_recv" { if ($2 == "st.relaxed.gpu.global.b64" && last ~ /^fence\.(acquire|acq_rel)\.sys$/) n++; last = $2 }
			END { if (n != 1) print "no acquire behind the last look" }' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: one_recv: $bad"

		# Producers hand WQEs to each other: the exchange must both release and acquire.
		bad=$(awk '$2 ~ /exch/ && $2 !~ /acq_rel/' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: hand-over without order: $bad"

		# One owner needs no atomics: that is what the own forms are for.
		bad=$(awk '$1 == "one_send_own" && $2 ~ /^atom/' "$work/ops")
		[ -z "$bad" ] || fail "compute_$arch: atomics in one_send_own: $bad"
		echo "compute_$arch: $(wc -l <"$work/ops") instructions of wrappers"
	done
}

check_stack() {
	local arch bad n
	for arch in 80 90 100; do
		"$nvcc" "${flags[@]}" -arch="sm_$arch" -cubin -Xptxas -v "$top/tests/cuda/device.cu" -o "$work/o" 2>"$work/v"
		n=$(grep -c 'bytes stack frame' "$work/v")
		[ "$n" = "$(grep -c '^GIN_KERNEL' "$top/tests/cuda/device.cu")" ] || fail "sm_$arch: $n kernels reported"
		bad=$(awk '/Function properties for/ { kernel = $NF }
			/bytes stack frame/ && !/ 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
				print kernel ":" $0 }' "$work/v")
		[ -z "$bad" ] || fail "sm_$arch: $bad"
		echo "sm_$arch: $n kernels, $(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$work/v" | sort -n | tail -n 1) registers at most"
	done
}

case $what in
targets) check_targets ;;
alone) check_alone ;;
ptx) check_ptx ;;
stack) check_stack ;;
*) fail "unknown check '$what'" ;;
esac
exit $failed
