#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# udp_echo.sh TOP FOLDER PREFIX     "UDP echo, step by step" of the README, against the ginet in PREFIX. In namespace.sh.
set -euo pipefail
top=$1 work=$2
export CMAKE_PREFIX_PATH=$3
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
	echo "FAILED: $1"
	exit 1
}
section=$(sed -n '/^### UDP echo/,/^### The parts/p' "$top/README.md")
# $1: language, $2: how many blocks of it come before
block() {
	awk -v start="^\`\`\`$1\$" -v skip="$2" '$0 ~ /^```$/ { on = 0 } on { print } $0 ~ start && skip-- == 0 { on = 1 }' <<<"$section"
}

rm -rf "$work"
mkdir -p "$work"
cp -r "$top/samples" "$work"
cd "$work"
bash -e -c "$(block sh 0)"
cd udp_echo
block c 0 >udp_reply
grep -q '^GIN_FN int udp_reply' udp_reply || fail "no function in the README"
call=$(sed -n 's/.*in `reply()` call it: `\(.*\)`\.$/\1/p' <<<"$section")
awk '/^\/\* Swapping addresses/ { while ((getline line <"udp_reply") > 0) print line; out = 1 } !out { print } /^}/ { out = 0 }' kernel.cu |
	sed "s/h\.icmp && ping_reply([^)]*)/${call//&/\\&}/" >changed.cu
grep -q 'h.udp && udp_reply' changed.cu || fail "the call is not in the kernel"
mv changed.cu kernel.cu

talk=$(block sh 1)
bash -e -c "$(head -n 1 <<<"$talk")" >"$work/log" 2>&1 || {
	cat "$work/log"
	fail "it does not build"
}
ip link set lo up
mkfifo ready
eval "$(sed -n 2p <<<"$talk" | sed 's/ &$//') >ready 2>err &"
pid=$!
exec 3<ready
read -r _ <&3 || fail "it does not start: $(cat err)"
bash -e -c "$(sed -n 3p <<<"$talk")"
[ "$(bash -e -c "$(sed -n 4p <<<"$talk")")" = hello ] || fail "no answer"
kill -INT "$pid"
stats=$(cat <&3)
wait "$pid" || fail "it ended with code $?"
pid=
tail -n 1 <<<"$stats" | grep -q ': ok$' || fail "the counters do not add up: $stats"
