# SPDX-License-Identifier: BSD-3-Clause
"""
64-byte frames from kernel to kernel over a cable: CPU time of all threads for
each packet. testpmd reads no packet; our receiving kernel checks each number.
"""
import os
import subprocess
import tempfile

import testpmd
from base import Figure, Load, Process, row

PEER = "testpmd txonly, memif, rxonly"


class NoPackets(Exception):
    """testpmd's two ends did not find each other."""


def stream(setting, threads, cpus):
    """One run of ours: its values by name."""
    n = 200000 if setting.quick else 10000000
    with Process([setting.program("tools/bench/bench_stream"), str(n), threads], cpus) as p:
        words = dict(line.split() for line in p.popen.stdout)
        if p.popen.wait() or words.get("errors") != "0" or words.get("packets") != str(n):
            p.fail("frames lost or out of order: %s" % words)
    return {k: int(v) for k, v in words.items()}


CONNECT_S = 15


def await_packets(receiver):
    """memif connects once in a while only on a second try: then this run is given up."""
    for _ in range(CONNECT_S):
        if testpmd.received(receiver):
            return
    raise NoPackets("dpdk-testpmd: memif carried nothing in %d s" % CONNECT_S)


def memif(setting, load):
    """One run of testpmd's: ns for each packet."""
    first, second = setting.cpus[0], setting.cpus[-1]
    with tempfile.TemporaryDirectory() as folder:
        vdev = "net_memif0,role=%s,socket-abstract=no,id=0,socket=" + os.path.join(folder, "memif")
        with testpmd.start(vdev % "server", "txonly", first, 2, stdout=subprocess.DEVNULL) as a, \
             testpmd.start(vdev % "client", "rxonly", second, 2) as b:
            await_packets(b)
            testpmd.received(b)
            packets, cpu = testpmd.received(b), a.on_cpu_ns() + b.on_cpu_ns()
            for _ in range(1 if setting.quick else 3):
                last = testpmd.received(b)
            used = a.on_cpu_ns() + b.on_cpu_ns() - cpu
            load.ours_ns = a.on_cpu_ns() + b.on_cpu_ns()
            if last == packets:
                raise NoPackets("dpdk-testpmd: no packet in a second")
            return used / (last - packets)


def measure_peers(setting, peers):
    try:
        with Load(setting) as load:
            value = memif(setting, load)
        peers.add(value, load)
    except NoPackets as why:
        setting.note("cable", why)


def measure(setting, ways, peers):
    for _ in range(setting.runs):
        for figure, threads, cpus in ways:
            with Load(setting) as load:
                words = stream(setting, threads, cpus)
                load.ours_ns = words["cpu_ns"] * 1.1
            figure.add(words["cpu_ns"] / words["packets"], load)
        if peers:
            measure_peers(setting, peers)


def rows(setting):
    last, both = {setting.cpus[-1]}, {setting.cpus[0], setting.cpus[-1]}
    ways = {"one kernel, two threads, one CPU": (Figure(), "one", last),
            "two kernels, one CPU": (Figure(), "two", last)}
    peers = None
    if len(both) == 1:
        setting.note("cable", "testpmd needs two CPUs for memif: ours alone")
    else:
        ways["two kernels, two CPUs"] = (Figure(), "two", both)
        peers = setting.peers("cable")
    measure(setting, ways.values(), peers)
    if peers and not peers.values:
        peers = None
    return [row("cable", "CPU time per packet, " + name, "ns", way[0], peers, goal=1.5, peer_name=PEER)
            for name, way in ways.items()]
