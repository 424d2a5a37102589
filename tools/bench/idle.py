# SPDX-License-Identifier: BSD-3-Clause
"""What an engine costs while nothing comes, and how long the first packet takes after that."""
import re
import time

import scene
from base import Figure, Load, Missing, row

LIMIT_CPU, LIMIT_US = 0.5, 200


def first_packets(net, n):
    """Round trips in us, each after 0.3 s of silence."""
    text = net.ping(["-c", str(n), "-i", "0.3"])
    return sorted(float(ms) * 1000 for ms in re.findall(r"time=([0-9.]+) ms", text))


def run(setting, wire, idle, median, p99):
    n = 3 if setting.quick else 60
    with scene.net(setting, wire) as net, scene.icmp_echo(setting, net.device) as process:
        net.ready(process)
        time.sleep(0.5)  # it may still be awake from the first ping
        with Load(setting) as load:
            before, start = process.on_cpu_ns(), time.monotonic_ns()
            time.sleep(0.5 if setting.quick else 4)
            load.ours_ns = process.on_cpu_ns() - before
            share = load.ours_ns / (time.monotonic_ns() - start) * 100
        idle.add(share, load)
        with Load(setting) as load:
            times = first_packets(net, n)
            load.ours_ns = net.ping_cpu_ns
        if len(times) < n:
            process.fail("%d of %d pings were not answered" % (n - len(times), n))
        median.add(times[len(times) // 2], load)
        p99.add(times[len(times) * 99 // 100], load)


def rows(setting):
    scene.check(setting)
    result = []
    for wire in ("tap",) if setting.quick else ("tap", "net_tap", "net_af_packet"):
        idle, median, p99 = Figure(), Figure(), Figure()
        try:
            for _ in range(setting.runs):
                run(setting, wire, idle, median, p99)
        except Missing as why:
            setting.note("idle", why)
            continue
        result.append(row("idle", wire + ", nothing to do", "% of a CPU", idle, limit=LIMIT_CPU))
        result.append(row("idle", wire + ", ping after 0.3 s of silence, median", "us", median, limit=LIMIT_US))
        result.append(row("idle", wire + ", the same, 99th percentile", "us", p99))
    return result
