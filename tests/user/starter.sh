#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# starter.sh FOLDER CC NVCC
#	samples/starter, copied elsewhere, against the ginet in FOLDER/prefix: by CMake and by the lines of its README,
#	with libginet.so and libginet.a, for CPU threads alone and with the CUDA half. NVCC: none if the library in
#	FOLDER/prefix was built without CUDA.
set -euo pipefail
folder=$1 cc=$2 nvcc=$3
. "$(dirname "$0")/lib.sh"
prefix=$folder/prefix libdir=$(libdir_of "$folder/prefix")
work=$folder/starter
rm -rf "$work"
mkdir -p "$work"
cp -r "$prefix/share/ginet/samples/starter" "$work/copy"
export PKG_CONFIG_PATH=$libdir/pkgconfig GINET_GPU=cpu GINET_NIC=soft:loop GINET_LOG=warning

# A program to start with is one that can be read in a minute.
lines=$(cat "$work/copy"/{kernel.cu,host.c,starter.h,CMakeLists.txt} | grep -vcE '^\s*(/\*.*\*/|# .*|[{}]*;?)$')
[ "$lines" -le 40 ] || fail "the starter has $lines lines, more than 40"

# Ten packets come out of its capture, to several MAC addresses; where there is no net_pcap, none out of the loop.
n=0
if [ -e "$libdir/ginet/ginet-dpdk.so" ]; then
	n=10 GINET_NIC=soft:net_pcap0,rx_pcap=$work/copy/ten.pcap
fi

# $1: what was built; the rest: command.
expect_count() {
	local what=$1 said
	shift
	said=$("$@" 2>&1) || true
	[ "$said" = "$n packets" ] || fail "$what says: $said"
	echo "$what: works"
}

# $1: program, $2: 1 or 0: whether it needs libginet.so.
expect_shared() {
	[ "$(readelf -d "$1" | grep -c 'NEEDED.*libginet')" = "$2" ] || fail "$1: $(readelf -d "$1" | grep NEEDED)"
}

# $1: name; the rest: cmake's options. Leaves $work/$1/starter.
by_cmake() {
	local name=$1
	shift
	quietly cmake -S "$work/copy" -B "$work/$name" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
		-DCMAKE_BUILD_TYPE=Release "$@"
	quietly cmake --build "$work/$name"
}

# $1: program of the README's line, $2: how often it comes. Runs the lines, with the compilers under test, in the copy.
readme_lines() {
	local line n=0
	# shellcheck disable=SC2317 # called by eval
	gcc() { command "$cc" "$@"; }
	# shellcheck disable=SC2317
	nvcc() { command "$nvcc" "${@//-arch=native/-arch=sm_75}"; }
	# shellcheck disable=SC2317
	pkg-config() { command pkg-config "${@//ginet/$package}"; }
	while read -r line; do
		(cd "$work/copy" && eval "${line/-c -x c kernel.cu/$flags -c -x c kernel.cu}") || fail "$line"
		n=$((n + 1))
	done < <(sed -nE "s/^    ($1 )/\1/p" "$work/copy/README.md")
	unset -f gcc nvcc pkg-config
	[ "$n" = "$2" ] || fail "README of starter has $n lines of $1"
}
package=ginet flags=

by_cmake shared -DGINET_CUDA=OFF
expect_shared "$work/shared/starter" 1
expect_count "CMake, libginet.so" "$work/shared/starter"

sed -i 's/ginet::ginet)/ginet::ginet_static)/' "$work/copy/CMakeLists.txt"
by_cmake static -DGINET_CUDA=OFF
expect_shared "$work/static/starter" 0
expect_count "CMake, libginet.a" "$work/static/starter"

readme_lines gcc 2
expect_shared "$work/copy/starter" 1
expect_count "compiler lines, libginet.so" env LD_LIBRARY_PATH="$libdir" "$work/copy/starter"

package=ginet-static
readme_lines gcc 2
expect_shared "$work/copy/starter" 0
expect_count "compiler lines, libginet.a" "$work/copy/starter"

# pkg-config --static is for programs that are static altogether. No dlopen() there, which glibc warns of.
read -ra flags_of_static < <(pkg-config --static --cflags --libs ginet)
(cd "$work/copy" && quietly "$cc" -static host.c kernel.o "${flags_of_static[@]}" -o starter)
! readelf -l "$work/copy/starter" | grep INTERP >/dev/null || fail "not static"
n=0 expect_count "compiler lines, all static" env GINET_NIC=soft:loop "$work/copy/starter"

# Root has run it so far, or an ordinary user; now the other, if that can be.
if [ "$(id -u)" = 0 ]; then
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	chmod 755 "$stage"
	cp "$work/shared/starter" "$work/copy/ten.pcap" "$libdir/libginet.so.$(abi_of "$prefix/include")" "$stage"
	[ "$n" = 0 ] || cp -r "$libdir/ginet" "$stage"
	expect_count "as nobody" setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		env LD_LIBRARY_PATH="$stage" GINET_NIC="${GINET_NIC/$work\/copy/$stage}" "$stage/starter"
fi

# All samples are a project too.
quietly cmake -S "$prefix/share/ginet/samples" -B "$work/samples" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
	-DCMAKE_C_COMPILER="$cc" -DGINET_CUDA=OFF
quietly cmake --build "$work/samples"
expect_count "the samples' project" "$work/samples/starter"

# $1: line that must come; the rest: cmake's options. Configuring the copy fails.
refused() {
	local line=$1
	shift
	! cmake -S "$work/copy" -B "$work/refused" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "$@" >"$folder/log" 2>&1 ||
		fail "not refused: $line"
	tr -s ' \n' ' ' <"$folder/log" | grep -F "$line" >/dev/null || { # CMake breaks lines
		cat "$folder/log"
		fail "not said: $line"
	}
	echo "refused: $line"
}

if [ "$nvcc" = none ]; then
	refused "GINET_CUDA is ON, but the ginet that is installed was built without CUDA" -DGINET_CUDA=ON
else
	# Quick: for one GPU. Both halves are in the program; here it runs on CPU threads.
	by_cmake cuda_static -DGINET_CUDA=ON -DGINET_CUDA_ARCHS=75
	expect_count "CMake, nvcc, libginet.a" "$work/cuda_static/starter"
	sed -i 's/ginet::ginet_static)/ginet::ginet)/' "$work/copy/CMakeLists.txt"
	by_cmake cuda_shared -DGINET_CUDA=ON -DGINET_CUDA_ARCHS=75
	expect_shared "$work/cuda_shared/starter" 1
	expect_count "CMake, nvcc, libginet.so" "$work/cuda_shared/starter"
	package=ginet flags=-DGIN_CUDA
	readme_lines "gcc -c" 1
	readme_lines nvcc 2
	expect_count "compiler lines, nvcc" env LD_LIBRARY_PATH="$libdir" "$work/copy/starter"
	for program in cuda_static cuda_shared copy; do
		nm "$work/$program/starter" | grep ' T gin_cuda_starter$' >/dev/null || fail "$program has no CUDA half"
	done
fi

# What does not fit is said when the project is configured.
sed -i 's/project(starter C)/project(starter CXX)/' "$work/copy/CMakeLists.txt"
refused "ginet_add_kernel(starter): add C to the languages in project()" -DGINET_CUDA=OFF
read -r major minor _ < <(version_of "$prefix/include")
sed -i "s/find_package(ginet/& $major.$((minor + 1))/" "$work/copy/CMakeLists.txt"
refused "compatible with requested version \"$major.$((minor + 1))\"" -DGINET_CUDA=OFF
