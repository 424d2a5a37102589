#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# plugin.sh FOLDER     Programs of an installed ginet find ginet-dpdk.so where it was installed, and only there.
set -euo pipefail
folder=$1
. "$(dirname "$0")/lib.sh"
[ -e "$(libdir_of "$folder/prefix")/ginet/ginet-dpdk.so" ] || {
	echo "skipped: built without DPDK (libdpdk-dev)"
	exit 77
}
work=$(mktemp -d) # outside of the build folder, whose own programs may use the plugin there
trap 'rm -rf "$work"' EXIT
cp -r "$folder/prefix" "$work/prefix"
libdir=$(libdir_of "$work/prefix") starter=$work/prefix/share/ginet/samples/starter
export PKG_CONFIG_PATH=$libdir/pkgconfig GINET_GPU=cpu GINET_NIC=soft:net_pcap0,rx_pcap=$starter/ten.pcap GINET_LOG=warning
read -ra shared < <(pkg-config --cflags --libs ginet)
read -ra static < <(pkg-config --cflags --libs ginet-static)
gcc "${shared[@]}" -c -x c "$starter/kernel.cu" -o "$work/kernel.o"
gcc "$starter/host.c" "$work/kernel.o" "${shared[@]}" -Wl,-rpath,"$libdir" -o "$work/shared"
gcc "$starter/host.c" "$work/kernel.o" "${static[@]}" -o "$work/prefix/bin/static"

for program in "$work/shared" "$work/prefix/bin/static"; do
	[ "$("$program" 2>&1)" = "10 packets" ] || fail "$program: $("$program" 2>&1)"
done

rm "$libdir/ginet/ginet-dpdk.so"
for program in "$work/shared" "$work/prefix/bin/static"; do
	! "$program" >"$work/out" 2>&1 || fail "$program runs without its plugin"
	[ "$(wc -l <"$work/out")" = 1 ] || fail "not one line: $(cat "$work/out")"
	grep -F "ginet-dpdk.so, which is not in " "$work/out" || fail "says: $(cat "$work/out")"
done
