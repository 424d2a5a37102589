# SPDX-License-Identifier: BSD-3-Clause
"""Capture files, made and read: what the tests of this folder share. scapy is the judge of what a reply must be."""
import os
import subprocess
import sys

try:
    import logging
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.all import ARP, Dot1AD, Dot1Q, Ether, ICMP, IP, IPOption, IPv6, Raw, RawPcapReader, TCP, UDP, PcapWriter
except ImportError:
    print("skipped: python3-scapy is missing")
    sys.exit(77)

NIC_MAC, NIC_IP = "02:00:00:00:00:01", "10.0.0.2"
PEER_MAC, PEER_IP = "02:aa:00:00:00:02", "10.0.0.1"


def fail(text):
    print("FAILED: " + text, file=sys.stderr)
    sys.exit(1)


def write_pcap(path, frames):
    with PcapWriter(path, linktype=1, sync=False) as writer:
        writer.write_header(None)
        for frame in frames:
            writer.write_packet(frame, sec=1, usec=0)


def read_pcap(path):
    return [data for data, _ in RawPcapReader(path)]


def run(command, **env):
    """Runs a sample, which must end well by itself and say nothing but its output."""
    environment = dict(os.environ, GINET_LOG="warning", **env)
    for name in ("GINET_NIC", "GINET_GPU"):
        if name not in env:
            environment.pop(name, None)
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
    if done.returncode or done.stderr:
        fail("%s: code %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


def ck_sums(output):
    if not output.rstrip().endswith(": ok"):
        fail("the counters do not add up:\n" + output)


def padded(frame):
    """As a MAC sends and takes it: 60 bytes at least."""
    frame = bytes(frame)
    return frame + bytes(max(0, 60 - len(frame)))


def ck_frames(what, got, want):
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            fail("%s: frame %d is\n%s\nnot\n%s" % (what, i, g.hex(), w.hex()))
    if len(got) != len(want):
        fail("%s: %d frames, not %d" % (what, len(got), len(want)))
