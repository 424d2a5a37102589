#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""counts.py RX_COUNT STARTER     What the samples count in a capture file is what capinfos counts in it."""
import random
import shutil
import tempfile

from frames import *


def capinfos(path):
    """Packets and their bytes."""
    out = subprocess.run(["capinfos", "-c", "-d", "-M", "-T", "-r", path], capture_output=True, text=True, check=True).stdout
    return tuple(int(word) for word in out.split("\t")[1:3])


def make_frames(n):
    """Whole frames to whomever: 60 to 1,514 bytes, so that nothing is padded or too long."""
    draw = random.Random(3)
    macs = [NIC_MAC, "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "02:00:00:00:00:77"]
    for i in range(n):
        head = bytes.fromhex((draw.choice(macs) + PEER_MAC).replace(":", ""))
        yield head + b"\x88\xb5" + bytes([i % 256]) * draw.randrange(46, 1501)


def ck_rx_count(program, path):
    want = "%d packets, %d bytes" % capinfos(path)
    for scope in ("thread", "warp", "block"):
        output = run([program, scope, "soft:net_pcap0,rx_pcap=" + path, "cpu"])
        ck_sums(output)
        if want not in output.splitlines():
            fail("rx_count %s does not say '%s':\n%s" % (scope, want, output))


def ck_starter(program, folder):
    """It takes what is for other MACs too, and ends with its input."""
    for n, says in ((1300, "1300 packets"), (0, "0 packets")):
        path = "%s/%d.pcap" % (folder, n)
        write_pcap(path, [bytes.fromhex("020000000077" + "020000000009") + bytes(48)] * n)
        output = run([program, "soft:net_pcap0,rx_pcap=" + path], GINET_GPU="cpu")
        if output.strip() != says:
            fail("starter says '%s', not '%s'" % (output.strip(), says))


def main():
    if not shutil.which("capinfos"):
        print("skipped: capinfos is missing (Debian: wireshark-common, by tshark)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        path, pcapng = folder + "/in.pcap", folder + "/in.pcapng"
        write_pcap(path, make_frames(5000))
        ck_rx_count(sys.argv[1], path)
        subprocess.run(["editcap", "-F", "pcapng", path, pcapng], check=True)
        ck_rx_count(sys.argv[1], pcapng)
        ck_starter(sys.argv[2], folder)
    print("counted as capinfos does")


main()
