#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# versions.sh FOLDER     Programs, kernels and libraries of different versions of ginet.
set -euo pipefail
folder=$1
. "$(dirname "$0")/lib.sh"
prefix=$folder/prefix libdir=$(libdir_of "$folder/prefix") abi=$(abi_of "$folder/prefix/include")
work=$folder/versions
starter=$prefix/share/ginet/samples/starter
rm -rf "$work"
mkdir -p "$work"
export GINET_GPU=cpu GINET_NIC=soft:loop GINET_LOG=warning
read -r major minor patch < <(version_of "$prefix/include")

# $1: sed's command for the header $2. Another ginet's headers, and a starter built with them, linked with our library.
build_with() {
	rm -rf "$work/include"
	cp -r "$prefix/include" "$work/include"
	sed -i "$1" "$work/include/ginet/$2"
	! cmp -s "$work/include/ginet/$2" "$prefix/include/ginet/$2" || fail "$1 changes nothing"
	gcc -I"$work/include" -c -x c "$starter/kernel.cu" -o "$work/kernel.o"
	gcc -I"$work/include" "$starter/host.c" "$work/kernel.o" -L"$libdir" -Wl,-rpath,"$libdir" -lginet -o "$work/starter"
}

# $1: what must be in the one line that it says before it ends with 1.
refused() {
	local rc=0
	"$work/starter" >"$work/out" 2>"$work/err" || rc=$?
	[ "$rc" = 1 ] || fail "exit code $rc: $(cat "$work/err")"
	[ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $(cat "$work/err")"
	grep -qF "$1" "$work/err" || fail "says: $(cat "$work/err")"
	cat "$work/err"
}

build_with "s/\(define GINET_VERSION_MINOR\).*/\1 $((minor + 1))/" version.h
refused "kernel starter was built with ginet $major.$((minor + 1)).$patch"

# The handle grew, and nobody thought of the version.
build_with 's/uint32_t shape;/uint32_t shape, more[16];/; s/struct gin_dev_rxq) == 64/struct gin_dev_rxq) == 128/' hw/queue.h
refused "(handles of 128 and 64 bytes), the library is $major.$minor.$patch (64 and 64 bytes)"

# Patch levels change no struct: any kernel of one runs with any library of another.
build_with "s/\(define GINET_VERSION_PATCH\).*/\1 $((patch + 1))/" version.h
[ "$("$work/starter" 2>&1)" = "0 packets" ] || fail "another patch level: $("$work/starter" 2>&1)"

# What libginet.a needs.
read -ra libs < <(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --libs ginet-static | sed 's/[^ ]*libginet\.a//')

# $1: version. A libginet.so of it, in a folder of its own.
library_of() {
	mkdir "$work/$1"
	printf 'GINET_%s { global: gin_*; local: *; };' "$1" >"$work/map"
	gcc -shared -Wl,--whole-archive "$libdir/libginet.a" -Wl,--no-whole-archive -Wl,-soname,"libginet.so.$1" \
		-Wl,--version-script="$work/map" "${libs[@]}" -o "$work/$1/libginet.so.$1"
	ln -s "libginet.so.$1" "$work/$1/libginet.so"
}

# $1: folder for the loader, $2: what it must say. The program does not start.
not_loaded() {
	local rc=0
	env LD_LIBRARY_PATH="$1" "$work/starter" >"$work/out" 2>&1 || rc=$?
	[ "$rc" = 127 ] || [ "$rc" = 1 ] || fail "exit code $rc: $(cat "$work/out")"
	grep -qF "$2" "$work/out" || fail "says: $(cat "$work/out")"
	! grep -q packets "$work/out" || fail "it ran"
	cat "$work/out"
}

gcc -I"$prefix/include" -c -x c "$starter/kernel.cu" -o "$work/kernel.o"
gcc -I"$prefix/include" "$starter/host.c" "$work/kernel.o" -L"$libdir" -lginet -o "$work/starter"
library_of "$abi"
[ "$(LD_LIBRARY_PATH=$work/$abi "$work/starter" 2>&1)" = "0 packets" ] || fail "a library made here does not work"
library_of 99.0
not_loaded "$work/99.0" "libginet.so.$abi: cannot open shared object file"
ln -s libginet.so.99.0 "$work/99.0/libginet.so.$abi" # by force
not_loaded "$work/99.0" "version \`GINET_$abi' not found"
