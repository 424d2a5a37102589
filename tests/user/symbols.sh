#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# symbols.sh FOLDER     libginet.so exports what the headers of FOLDER/prefix declare for hosts, and nothing else.
set -euo pipefail
folder=$1
. "$(dirname "$0")/lib.sh"
prefix=$folder/prefix
work=$folder/symbols
rm -rf "$work"
mkdir -p "$work"
library=$(libdir_of "$prefix")/libginet.so

# gcc lists what a file declares, with the header: "/* FILE:LINE:NC */ extern int gin_x (...);".
(cd "$prefix/include" && ls ginet/*.h) | grep -v ginet/device.h | sed 's/.*/#include <&>/' >"$work/all.c"
gcc -std=gnu11 -I"$prefix/include" -aux-info "$work/list" -c "$work/all.c" -o "$work/all.o"
{
	sed -nE "s|^/\* $prefix/include/ginet/[a-z]+\.h:.* extern .*[ *]([A-Za-z0-9_]+) \(.*|\1|p" "$work/list"
	gcc -std=gnu11 -I"$prefix/include" -E -P "$work/all.c" | sed -nE 's/^extern .*[ *](gin_[a-z0-9_]+);$/\1/p' # variables
} | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
same "functions that headers declare, and those of libginet.so" "$work/declared" "$work/exported"
[ "$(wc -l <"$work/declared")" -ge 48 ] || fail "only $(wc -l <"$work/declared") declarations found"
! grep -v '^gin_' "$work/exported" || fail "exported without gin_"

# Each carries the version, so that a program of another one is refused whatever the file is called.
bad=$(nm -D --defined-only "$library" | awk -v version="GINET_$(abi_of "$prefix/include")" \
	'$2 != "A" && $3 !~ "@@" version "$" { print $3 }')
[ -z "$bad" ] || fail "symbols of another version: $bad"
echo "$(wc -l <"$work/exported") symbols"
