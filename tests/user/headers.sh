#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# headers.sh FOLDER     Each header of FOLDER/prefix alone, in each language that may include it; and the names it brings.
set -euo pipefail
folder=$1
. "$(dirname "$0")/lib.sh"
include=$folder/prefix/include
work=$folder/headers
rm -rf "$work"
mkdir -p "$work"

# shim_cpu.h is a part of shim.h.
headers=$(cd "$include" && find ginet -name '*.h' ! -name shim_cpu.h | sort)
n=0

# $1: language, $2: standard; the rest: compiler. Twice, so that the guards are tried too.
alone() {
	local language=$1 std=$2 header
	shift 2
	for header in $headers; do
		printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$header" "$header" >"$work/alone.$language"
		"$@" -x "$language" -std="$std" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" \
			"$work/alone.$language" || fail "<$header> alone, $* -std=$std"
		n=$((n + 1))
	done
}

for compiler in gcc clang-14; do
	alone c c11 $compiler -Wshadow -Wstrict-prototypes
done
alone c c17 gcc
for compiler in g++ clang++-14; do
	alone c++ c++17 $compiler
done
alone c++ c++20 clang++-14

for file in host device; do
	case $file in
	host) (cd "$include" && find ginet ! -path 'ginet/dev*' -name '*.h') ;;
	device) echo ginet/device.h ;;
	esac | sort | sed 's/.*/#include <&>/' >"$work/$file.c"
	clang-14 -std=gnu11 -I"$include" -fsyntax-only -Xclang -ast-dump=json "$work/$file.c" >"$work/$file.json"
	clang-14 -std=gnu11 -I"$include" -E -dD "$work/$file.c" >"$work/$file.macros"
	"$(dirname "$0")/names.py" "$include" "$work/$file.json" "$work/$file.macros" | sort -u >"$work/$file.names"
done

# What a host program gets is ours by its name.
bad=$(grep -vE '^(gin_|GIN_|GINET_)' "$work/host.names" || true)
[ -z "$bad" ] || fail "names that are not ginet's in host headers: $bad"

# A kernel gets CUDA's words too, those that shim_cpu.h offers: a new one has to be listed here.
cat >"$work/cuda" <<END
__align__ __all_sync __any_sync __ballot_sync __brev __byte_perm __clz __clzll __device__ __ffs __ffsll
__forceinline__ __global__ __grid_constant__ __host__ __launch_bounds__ __match_any_sync __nanosleep __popc __popcll
__reduce_add_sync __reduce_max_sync __reduce_min_sync __shared__ __shfl_down_sync __shfl_sync __shfl_up_sync
__shfl_xor_sync __syncthreads __syncthreads_and __syncthreads_count __syncthreads_or __syncwarp __threadfence
__threadfence_block __threadfence_system __trap atomicAdd atomicAnd atomicCAS atomicExch atomicMax atomicMin atomicOr
atomicSub atomicXor blockDim blockIdx clock64 gridDim max min printf threadIdx warpSize
END
tr -s ' ' '\n' <"$work/cuda" | sort >"$work/cuda.words"
grep -vE '^(gin_|GIN_|GINET_)' "$work/device.names" >"$work/cuda.found" || true
same "words of CUDA in device headers" "$work/cuda.words" "$work/cuda.found"
echo "$n compilations, $(wc -l <"$work/host.names") names for hosts, $(wc -l <"$work/device.names") for kernels"
