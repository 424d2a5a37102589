#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh TOP BUILD FOLDER     What cmake --install puts where. The other tests of this folder use FOLDER/prefix.
set -euo pipefail
top=$1 build=$2 folder=$3
. "$(dirname "$0")/lib.sh"
rm -rf "$folder"
mkdir -p "$folder"

# Each header, and nothing that is not listed here.
expected_files() {
	local abi version
	abi=$(abi_of "$top/include") version=$(version_of "$top/include" | tr ' ' .)
	(cd "$top/include" && find ginet -name '*.h') | sed 's|^|include/|'
	(cd "$top/device" && find ginet -name '*.h') | sed 's|^|include/|'
	(cd "$top" && find samples -type f) | sed 's|^|share/ginet/|'
	(cd "$top/tools" && find . -name '*.[1578]') | sed -E 's|.*/(.*)\.(.)$|share/man/man\2/\1.\2|'
	printf "$1/%s\n" libginet.a libginet.so "libginet.so.$abi" "libginet.so.$version" pkgconfig/ginet.pc \
		pkgconfig/ginet-static.pc cmake/ginet/ginet-config.cmake cmake/ginet/ginet-config-version.cmake \
		cmake/ginet/ginet-targets.cmake cmake/ginet/kernel.cmake
	[ ! -e "$build/host/ginet-dpdk.so" ] || echo "$1/ginet/ginet-dpdk.so"
	printf 'bin/%s\n' gpu-check ginet-bench
	printf 'libexec/ginet/%s\n' LICENSE lib samples/{icmp_echo,rx_count,starter} tools/{gpu-check,ginet-bench} \
		tools/gpucheck/{gpucheck,bundle} tools/bench/bench_stream
	(cd "$top/tools" && echo bench/*.py) | tr ' ' '\n' | sed 's|^|libexec/ginet/tools/|'
}

# Of an installed tree.
files() {
	find "$1" -mindepth 1 ! -type d -printf '%P\n' | grep -v '/ginet-targets-[a-z]*\.cmake$' | sort
}

quietly cmake --install "$build" --prefix "$folder/first"
libdir=$(libdir_of "$folder/first")
libdir=${libdir#"$folder/first/"}
expected_files "$libdir" | sort >"$folder/expected"
files "$folder/first" >"$folder/found"
same "files of the installed tree" "$folder/expected" "$folder/found"

# The two include roots of the tree become one: no header may have the path of another.
[ -z "$(grep '^include/' "$folder/expected" | uniq -d)" ] || fail "two headers of the same path"

DESTDIR=$folder/dest quietly cmake --install "$build" --prefix /opt/ginet-of-a-test
[ ! -e /opt/ginet-of-a-test ] || fail "installed outside of DESTDIR"
files "$folder/dest/opt/ginet-of-a-test" >"$folder/found"
same "files under DESTDIR" "$folder/expected" "$folder/found"
[ "$(find "$folder/dest" -type f | wc -l)" = "$(find "$folder/first" -type f | wc -l)" ] ||
	fail "files beside the prefix under DESTDIR"

# It may be moved: no text in it says where it was made, no library where others were.
for path in "$build" "$top" "$folder"; do
	! grep -rIlF "$path" "$folder/first" || fail "these files name $path"
done
while read -r library; do
	! readelf -d "$library" 2>&1 | grep -E 'RPATH|RUNPATH' || fail "$library has a search path"
done < <(find "$folder/first" -name '*.so' -o -path '*/libexec/*' -type f -perm -100)

# Programs need nothing but the C library beside libginet.so.
bad=$(readelf -d "$folder/first/$libdir/libginet.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(lib(c|m|dl|rt|pthread)\.so\.6|lib(dl|rt|pthread)\.so\.[0-9]+|ld-linux.*)$' || true)
[ -z "$bad" ] || fail "libginet.so needs $bad"
readelf -d "$folder/first/$libdir/libginet.so" | grep -F "Library soname: [libginet.so.$(abi_of "$top/include")]" >/dev/null ||
	fail "soname is $(readelf -d "$folder/first/$libdir/libginet.so" | grep SONAME)"

rm -rf "$folder/dest"
mv "$folder/first" "$folder/prefix" # all that follows runs on a tree that was moved
echo "$(wc -l <"$folder/expected") files"
