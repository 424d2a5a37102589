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
	mistakes=$(mandoc -T lint -W style "$file" | grep -vE 'input text line longer than 80 bytes|referenced manual not found') || true
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

# $1: list, $2: how many at least, $3: the part of the page, from its heading to the next one of its kind.
# Its keys head an item there, its values stand there too.
described() {
	local part text end item word n=0
	case $3 in
	.It*) end='^\.(It Cm net_|S[sh])' ;;
	.Ss*) end='^\.S[sh]' ;;
	*) end='^\.Sh' ;;
	esac
	part=$(awk -v head="$3" -v end="${end//\\/\\\\}" '$0 == head { on = 1; next } on && $0 ~ end { exit } on' "$page")
	text=$(tr -s ' ' '\n' <<<"$part")
	for item in ${1//, / }; do
		n=$((n + 1))
		word=${item%%=*}
		grep -qE "^\.It .*Cm ${word%[0-9]}( |\$)" <<<"$part" || fail "ginet(7) has no item for $item in '$3'"
		for word in ${item//[=|+:]/ }; do
			[ "$word" = NAME ] || grep -qiw -- "$word" <<<"$text" || fail "ginet(7) does not have the word $word of $item in '$3'"
		done
	done
	[ "$n" -ge "$2" ] || fail "a list of only $n: $1"
	echo "$3: $1"
}
export GINET_LOG=error
wires=$(list soft:loop,colour=blue cpu 'wires: ')
wires=${wires/, net_DRIVER0 or a PCI address (DPDK)/, net_}
described "${wires//auto,iface/auto, iface}" 7 '.Ss Wires'
described "$(list soft:loop,colour=blue cpu 'keys: ')" 12 '.Ss Keys'
described "$(list soft:loop cpu:colour=blue 'known: ')" 5 '.Sh GPU NAMES'
for driver in net_tap net_af_packet net_af_xdp net_pcap net_memif net_null; do
	described "$(list "soft:${driver}0,colour=blue" cpu "keys of $driver: ")" 2 ".It Cm $driver"
done
exit $failed
