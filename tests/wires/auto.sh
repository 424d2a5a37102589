#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# auto.sh NIC DPDK     "auto" takes the first way that works, and says which and why. DPDK: 1 if its plugin was built.
. "$(dirname "$0")/wires.sh"
nic=$1 dpdk=$2
export GINET_LOG=info

# expect WIRE PATTERN...: it opens, and says one line with all of these.
expect() {
	local wire=$1
	shift
	start_other "$nic" "soft:$wire"
	said "$wire" "$@"
	stop_other
}

# refuse WIRE PATTERN...: run by "as", it does not open, and says one line with all of these.
refuse() {
	local wire=$1 rc=0
	shift
	timeout 20 "${as[@]}" "$nic" "soft:$wire" >/dev/null 2>"$NET_DIR/other_err" || rc=$?
	[ "$rc" = 1 ] || fail "$wire: exit code $rc"
	said "$wire" "$@"
}
as=(env)

said() {
	local wire=$1
	shift
	[ "$(wc -l <"$NET_DIR/other_err")" = 1 ] || {
		cat "$NET_DIR/other_err" >&2
		fail "$wire: not one line"
	}
	for part in "$@"; do
		grep -qF -- "$part" "$NET_DIR/other_err" || {
			cat "$NET_DIR/other_err" >&2
			fail "$wire: does not say: $part"
		}
	done
}

forgive_libxdp
set_up_veth
ip link add wa numrxqueues 2 numtxqueues 2 type veth peer name wb numrxqueues 2 numtxqueues 2
ip link set wa up
ip link set wb up
is_root=$(awk 'NR == 1 { print $3 == 4294967295 }' /proc/self/uid_map)

if [ "$dpdk" = 1 ]; then
	if [ "$is_root" = 1 ]; then
		expect auto,iface=va "auto,iface=va: by net_af_xdp" "AF_XDP" "sudo ethtool -K PEER tx off"
	else
		expect auto,iface=va "auto,iface=va: by net_af_packet" "not af_xdp: "
	fi
	if ethtool -l wa | grep -q '^RX:.*2$'; then
		expect auto,iface=wa "by net_af_packet" "not af_xdp: it would see one of 2 receive queues"
	fi
fi
# Without the plugin.
export GINET_PLUGIN_DIR=$NET_DIR/nowhere
expect auto,iface=va "by packet=va (a packet socket" "not af_xdp: this needs ginet-dpdk.so" "not af_packet: this needs"
expect auto,iface=va,model=cx5,mac=02:00:00:00:00:07 "by packet=va"
grep -q 02:00:00:00:00:07 "$NET_DIR/other_stats" || fail "other keys were lost"
refuse auto,iface=va,mtu=9000 "no way to it" "not packet: the interface's MTU is 1500, the NIC's 9000"
# A TAP that is there is opened as one; so is an interface that is not there.
ip tuntap add ta mode tap
expect auto,iface=ta "by tap=ta (a TAP interface)"
ip link show ta >/dev/null || fail "a TAP that was there is gone"
expect auto,iface=new0 "by tap=new0 (a TAP interface)"
! ip link show new0 >/dev/null 2>&1 || fail "the new TAP is still there"
# Without rights.
as=(setpriv --bounding-set -all --inh-caps -all --no-new-privs)
refuse auto,iface=va "no way to it" "not packet: no right to a packet socket"
refuse auto,iface=new1 "no way to it; not tap: no right to make the interface"
as=(env)
refuse auto "auto needs iface=IFNAME"
refuse auto,iface= "'iface' is given twice, or is no interface's name"
refuse auto,iface=a_name_of_16_long "'iface' is given twice, or is no interface's name"
refuse auto,iface=va,iface=wa "'iface' is given twice"
refuse auto,iface=va,qpairs=1 "unknown key 'qpairs'"
refuse auto=va "'auto=va' is no known wire" "auto,iface=IFNAME"
echo "auto takes what works and says why"
