#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# man.sh TOP PROGRAM     Manual pages have no mistakes that mandoc knows, and ginet(7) describes every wire, key and value
# that the library lists when it does not know one. PROGRAM: icmp_echo.
set -euo pipefail
top=$1 program=$2 page=$1/tools/man/ginet.7
command -v mandoc >/dev/null || {
	echo "skipped: mandoc is not installed"
	exit 77
}
failed=0
fail() {
	echo "FAILED: $1"
	failed=1
}

while read -r file; do
	mistakes=$(mandoc -T lint -W style "$file" | grep -v 'input text line longer than 80 bytes') || true
	[ -z "$mistakes" ] || fail "$mistakes"
done < <(find "$top/tools" -name '*.[1-8]')

# $1: NIC, $2: GPU, $3: what stands before the list in the line that refuses them -> the list, up to ';' or the end.
list() {
	local line
	line=$("$program" 10.0.0.1 "$1" "$2" 2>&1) && fail "$1 on $2 is not refused"
	case $line in
	*"$3"*) ;;
	*) fail "no list '$3' in: $line" ;;
	esac
	line=${line#*"$3"}
	echo "${line%%;*}"
}

text=$(mandoc -T ascii "$page" | col -b)
# $1: list. Its keys head an item, its other words stand somewhere.
described() {
	local item word n=0
	for item in ${1//, / }; do
		n=$((n + 1))
		word=${item%%=*}
		grep -qE "^\.It Cm $word( |\$)" "$page" || fail "ginet(7) has no item for $item"
		for word in ${item//[=|+:.]/ }; do
			grep -qiw -- "$word" <<<"$text" || fail "ginet(7) does not have the word $word of $item"
		done
	done
	[ "$n" -gt 2 ] || fail "a list of only $n: $1"
	echo "$n described: $1"
}
export GINET_LOG=error
described "$(list soft:loop,colour=blue cpu 'wires: ')"
described "$(list soft:loop,colour=blue cpu 'keys: ')"
described "$(list soft:loop cpu:colour=blue 'known: ')"
exit $failed
