#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""replies.py ICMP_ECHO     From a capture file to a capture file: every reply byte for byte, none where none is due."""
import random
import struct
import tempfile

from frames import *

cases = []  # (name, frame, reply or None)


def ping(size=56, mac=NIC_MAC, ip=NIC_IP, tags=(), options=(), **fields):
    """A request and its reply, each built from nothing."""
    icmp = dict(id=fields.pop("ident", 0x1234), seq=fields.pop("seq", size))
    body = Raw(bytes((size + 7 * i) % 256 for i in range(size)))

    def frame(src_mac, dst_mac, src, dst, kind):
        p = Ether(src=src_mac, dst=dst_mac)
        for tag in tags:
            p /= tag
        return p / IP(src=src, dst=dst, options=list(options), **fields) / ICMP(type=kind, **icmp) / body

    return bytes(frame(PEER_MAC, mac, PEER_IP, ip, 8)), bytes(frame(NIC_MAC, PEER_MAC, ip, PEER_IP, 0))


def arp(op=1, mac="ff:ff:ff:ff:ff:ff", ip=NIC_IP, src=PEER_IP, tags=(), **fields):
    request, reply = Ether(src=PEER_MAC, dst=mac), Ether(src=NIC_MAC, dst=PEER_MAC)
    for tag in tags:
        request, reply = request / tag, reply / tag
    request /= ARP(op=op, hwsrc=PEER_MAC, psrc=src, hwdst="00:00:00:00:00:00", pdst=ip, **fields)
    reply /= ARP(op=2, hwsrc=NIC_MAC, psrc=ip, hwdst=PEER_MAC, pdst=src)
    return bytes(request), bytes(reply)


def answered(name, pair):
    cases.append((name, pair[0], padded(pair[1])))


def silent(name, frame):
    cases.append((name, bytes(frame), None))


def edit(frame, at, value):
    return frame[:at] + value + frame[at + len(value):]


def wrong_icmp_checksum():
    """It stays as wrong as it was: only type 8 becomes 0, RFC 1624, eqn. 3."""
    request, reply = ping(100)
    old = 0xdead
    new = (~old & 0xffff) + (~0x0800 & 0xffff)
    while new >> 16:
        new = (new & 0xffff) + (new >> 16)
    return edit(request, 36, struct.pack(">H", old)), edit(reply, 36, struct.pack(">H", ~new & 0xffff))


def wrong_ip_checksum():
    """Nobody looks at it, and swapping addresses does not change it."""
    request, reply = ping(100)
    return edit(request, 24, b"\xbe\xef"), edit(reply, 24, b"\xbe\xef")


def trailer(pair, tail):
    return pair[0] + tail, pair[1] + tail


def make_cases():
    tag, outer = Dot1Q(vlan=5, prio=3), Dot1AD(vlan=7)
    for size in sorted(set(range(0, 66)) | set(range(66, 1473, 7)) | set(range(1466, 1473))):
        answered("ping of %d bytes" % size, ping(size))
    answered("ARP request", arp())
    answered("ARP request to the own MAC", arp(mac=NIC_MAC))
    answered("ARP probe", arp(src="0.0.0.0"))
    answered("ARP request with a tag", arp(tags=[tag]))
    silent("ARP request for another", arp(ip="10.0.0.3")[0])
    silent("ARP reply", arp(op=2, mac=NIC_MAC)[0])
    silent("ARP of another network", arp(hwtype=6)[0])
    silent("ARP request that ends early", arp()[0][:59 - 20])
    answered("ping with a tag", ping(tags=[tag]))
    answered("ping with a priority tag", ping(tags=[Dot1Q(vlan=0, prio=7)]))
    answered("longest ping with a tag", ping(1472, tags=[tag]))
    answered("ping with two tags", ping(tags=[outer, tag]))
    answered("ping with a TOS and a TTL", ping(tos=0xb8, ttl=1, id=0xffff))
    answered("ping that must not be fragmented", ping(flags="DF"))
    answered("ping to a group's MAC", ping(mac="01:00:5e:00:00:01"))
    answered("ping to all", ping(mac="ff:ff:ff:ff:ff:ff"))
    answered("IP options", ping(options=[IPOption(b"\x94\x04\x00\x00")]))
    answered("40 bytes of IP options", ping(options=[IPOption(b"\x01")] * 40))
    answered("wrong ICMP checksum", wrong_icmp_checksum())
    answered("wrong IP checksum", wrong_ip_checksum())
    answered("bytes behind the IP packet", trailer(ping(100), b"\xa5" * 33))
    answered("short ping with odd padding", trailer(ping(0), bytes(range(18))))
    silent("first fragment", ping(flags="MF")[0])
    silent("last fragment", ping(frag=185)[0])
    silent("for another MAC", ping(mac="02:00:00:00:00:09")[0])
    silent("for another IP", ping(ip="10.0.0.3")[0])
    silent("echo reply", ping()[1][:0] + edit(edit(ping()[1], 0, ping()[0][:12]), 26, ping()[0][26:34]))
    silent("three tags", ping(tags=[outer, tag, tag])[0])
    base = Ether(src=PEER_MAC, dst=NIC_MAC)
    silent("UDP", base / IP(src=PEER_IP, dst=NIC_IP) / UDP(sport=7, dport=7) / b"\x08")
    silent("TCP", base / IP(src=PEER_IP, dst=NIC_IP) / TCP(dport=7))
    silent("IPv6", base / IPv6() / b"\x80")
    silent("timestamp request", base / IP(src=PEER_IP, dst=NIC_IP) / ICMP(type=13))
    silent("longer than the MTU", ping(1473)[0])
    silent("longer than the MTU, with a tag", ping(1473, tags=[tag])[0])
    silent("IP length above the frame", edit(ping(200)[0], 16, b"\x05\xdc"))
    silent("IP length below its header", edit(ping(200)[0], 16, b"\x00\x13"))
    silent("no room for ICMP", edit(ping(200)[0], 16, b"\x00\x1b"))
    silent("IP header of 16 bytes", edit(ping(200)[0], 14, b"\x44"))
    silent("IP version 5", edit(ping(200)[0], 14, b"\x55"))
    silent("header of 60 bytes in a packet of 56", edit(edit(ping(200)[0], 14, b"\x4f"), 16, b"\x00\x38"))
    for n in (1, 5, 13, 14, 15, 33):
        silent("%d bytes of a ping" % n, ping(200)[0][:n])
    noise = random.Random(1)
    for n in range(300):
        body = bytes(noise.randrange(256) for _ in range(noise.randrange(14, 400)))
        silent("noise %d" % n, bytes.fromhex(NIC_MAC.replace(":", "")) + body)


def ck_no_luck():
    """Noise that happens to be a request would be answered: this seed has none."""
    for name, frame, reply in cases:
        if name.startswith("noise") and frame[12:14] in (b"\x08\x00", b"\x08\x06", b"\x81\x00", b"\x88\xa8"):
            fail(name + " is no noise")


def main():
    make_cases()
    ck_no_luck()
    random.Random(2).shuffle(cases)
    with tempfile.TemporaryDirectory() as folder:
        source, sink = folder + "/in.pcap", folder + "/out.pcap"
        write_pcap(source, [frame for _, frame, _ in cases])
        nic = "soft:net_pcap0,rx_pcap=%s,tx_pcap=%s,mac=%s" % (source, sink, NIC_MAC)
        ck_sums(run([sys.argv[1], NIC_IP, nic, "cpu"]))
        ck_frames("replies", read_pcap(sink), [reply for _, _, reply in cases if reply])
    print("%d frames, %d answers" % (len(cases), sum(1 for c in cases if c[2])))


main()
