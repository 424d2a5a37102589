#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tools.sh TOP FOLDER     gpu-check and ginet-bench of an installed ginet run what was installed with them, build nothing, and
# have pages where man looks.
set -euo pipefail
top=$1 folder=$2
. "$(dirname "$0")/lib.sh"
work=$(mktemp -d) # outside of the build folder, whose own programs may use the plugin there
trap 'rm -rf "$work"' EXIT
cp -r "$folder/prefix" "$work/prefix"
bin=$work/prefix/bin libexec=$work/prefix/libexec/ginet
export GINET_LOG=error
unset GINET_BUILT

# $1: exit code that is due, $2: what must be said; the rest: command. From another folder, by PATH, as users do.
expect() {
	local code=$1 text=$2 rc=0
	shift 2
	(cd / && PATH=$bin:$PATH "$@") >"$work/said" 2>&1 || rc=$?
	if [ "$rc" != "$code" ] || ! grep -qE -- "$text" "$work/said"; then
		cat "$work/said" >&2
		fail "$*: exit code $rc, expected $code with '$text'"
	fi
}

expect 2 '^usage: gpu-check \[' gpu-check --fast
expect 77 '^skipped: no GPU: ' gpu-check --gpu cuda:99
expect 0 '^[0-9]+ rows: [0-9]+ ok, 0 failed, 0 hung' gpu-check --gpu cpu --quick --json "$work/table.json"
! grep -q '^building' "$work/said" || fail "gpu-check builds"
[ -s "$work/table.json" ] || fail "no JSON"
for sample in 'icmp_echo' 'rx_count thread' 'rx_count warp' 'rx_count block' 'starter'; do
	grep -qE "^sample $sample +(ok|not run) " "$work/said" || fail "no row of $sample: $(cat "$work/said")"
done
if [ -e "$(libdir_of "$work/prefix")/ginet/ginet-dpdk.so" ]; then # found by the installed samples
	grep -qE '^sample starter +ok +64 frames out of a capture' "$work/said" || fail "starter: $(grep starter "$work/said")"
fi

expect 0 '^bundle in ' gpu-check --bundle "$work/bundle"
cmp "$work/bundle/bin/gpucheck" "$libexec/tools/gpucheck/gpucheck"
cmp "$work/bundle/LICENSE" "$top/LICENSE"
! [ -e "$libexec/lib/ginet/ginet-dpdk.so" ] || cmp "$work/bundle/lib/ginet/ginet-dpdk.so" "$libexec/lib/ginet/ginet-dpdk.so"

expect 2 "no row 'no_such_row'; known: cable" ginet-bench no_such_row
mkdir "$work/few" # what it needs; and no testpmd, which would take its time
for program in unshare true ip; do
	! path=$(type -P $program) || ln -s "$path" "$work/few/$program"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/few/python3"
expect 0 '^cable +CPU time per packet' env PATH="$bin:$work/few" ginet-bench --quick cable
! grep -q '^building' "$work/said" || fail "ginet-bench builds"
[ -z "$(find "$work/prefix" -name build -o -name __pycache__)" ] || fail "left behind: $(find "$work/prefix" -name build -o -name __pycache__)"
mv "$libexec/tools/bench/bench_stream" "$work"
expect 1 "bench_stream is missing" ginet-bench --build "$libexec" cable

for page in gpu-check.1 ginet-bench.1 ginet.7; do
	cmp "$top/tools/man/$page" "$work/prefix/share/man/man${page##*.}/$page"
	[ ! -x "$(command -v man)" ] || [ "$(man -M "$work/prefix/share/man" -w "${page%.*}")" = "$work/prefix/share/man/man${page##*.}/$page" ] ||
		fail "man does not find $page"
done
echo "gpu-check, ginet-bench and their pages work where they were moved to"
