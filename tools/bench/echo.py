# SPDX-License-Identifier: BSD-3-Clause
"""
Pings that icmp_echo, or testpmd's icmpecho, answers: how many a second with 1
and with 100 in flight, and CPU time of the whole process for each. The pinging
side runs on the first CPU, the answering one on the last.
"""
import re

import scene
import testpmd
from base import Figure, Load, row

PEER = "testpmd icmpecho"
IN_FLIGHT = (1, 100)


class Figures:
    """Of one side: by number in flight, pings a second and CPU time for each."""

    def __init__(self):
        self.rate = {n: Figure() for n in IN_FLIGHT}
        self.cpu = {n: Figure() for n in IN_FLIGHT}


def flood(setting, net, process, in_flight, figures):
    n = 2000 if setting.quick else 50000 if in_flight > 1 else 20000
    with Load(setting) as load:
        before = process.on_cpu_ns()
        text = net.ping(["-q", "-f", "-c", str(n), "-l", str(in_flight)])
        used = process.on_cpu_ns() - before
        ms = int(re.search(r"time (\d+)ms", text).group(1))
        load.ours_ns = used + net.ping_cpu_ns
    answered = int(re.search(r"(\d+) received", text).group(1))
    if answered < n * 0.999:
        process.fail("%d of %d pings were not answered" % (n - answered, n))
    figures.rate[in_flight].add(answered / max(ms, 1) * 1000, load)
    figures.cpu[in_flight].add(used / answered / 1000, load)


def side(setting, wire, start, figures):
    """One run of one side on a wire of its own."""
    with scene.net(setting, wire) as net, start(net) as process:
        net.ready(process)
        for in_flight in IN_FLIGHT:
            flood(setting, net, process, in_flight, figures)
        if process.name == "icmp_echo" and not process.interrupt().rstrip().endswith(": ok"):
            process.fail("the counters do not add up")


def rows(setting, name, wire, peer_wire, title):
    scene.check(setting)
    ours, peers = Figures(), Figures() if setting.peers(name) else None
    cpu = setting.cpus[-1]
    for _ in range(setting.runs):
        side(setting, wire, lambda net: scene.icmp_echo(setting, net.device), ours)
        if peers:
            side(setting, peer_wire, lambda net: testpmd.start(net.vdev, "icmpecho", cpu, more=["--port-topology=loop"]), peers)
    result = []
    for n in IN_FLIGHT:
        result.append(row(name, "%s, %d in flight" % (title, n), "pings/s", ours.rate[n], peers and peers.rate[n],
                          goal=0.95, more_is_better=True, peer_name=PEER))
        result.append(row(name, "%s, %d in flight, CPU time per ping" % (title, n), "us", ours.cpu[n],
                          peers and peers.cpu[n], goal=1.0, peer_name=PEER))
    return result


def tap(setting):
    return rows(setting, "echo_tap", "net_tap", "net_tap", "net_tap")


def packet(setting):
    return rows(setting, "echo_packet", "net_af_packet", "net_af_packet", "net_af_packet over veth")


def plain(setting):
    return rows(setting, "echo_plain", "tap", "net_tap", "soft:tap= beside net_tap")
