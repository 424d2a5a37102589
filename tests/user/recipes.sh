#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# recipes.sh TOP FOLDER CC     The two ways to build against the tree itself, not installed, from a folder outside of it.
set -euo pipefail
top=$1 folder=$2 cc=$3
project=$top/tests/user/project
rm -rf "$folder"
mkdir -p "$folder"

# $1: program, $2: how it was built
expect() {
	[ "$("$1" 2>&1)" = "100 bytes came back" ] || {
		echo "FAILED: $2: $("$1" 2>&1)" >&2
		exit 1
	}
	echo "$2: works"
}

{ cmake -S "$project" -B "$folder/build" -G Ninja -DGINET="$top" -DGINET_CUDA=OFF -DCMAKE_C_COMPILER="$cc" &&
	ninja -C "$folder/build" mine; } >"$folder/log" 2>&1 || {
	tail -n 30 "$folder/log" >&2
	exit 1
}
expect "$folder/build/mine" "CMake"

"$cc" -I"$top/include" -I"$top/device" -x c -c "$project/kernel.cu" -o "$folder/kernel.o"
"$cc" -I"$top/include" "$project/host.c" "$folder/kernel.o" "$folder/build/ginet/host/libginet.a" -lpthread -o "$folder/mine"
expect "$folder/mine" "compiler lines"
