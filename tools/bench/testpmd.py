# SPDX-License-Identifier: BSD-3-Clause
"""dpdk-testpmd, set up as it is fastest without touching the system's settings."""
from base import Process

HUGE = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"


def free_huge_mib():
    try:
        with open(HUGE) as f:
            return 2 * int(f.read())
    except OSError:
        return 0


def memory(n_processes):
    """Huge pages where enough are free for all."""
    if free_huge_mib() >= 512 * n_processes:
        return ["--in-memory"]
    return ["--no-huge", "-m", "512", "--no-shconf"]


def start(vdev, mode, cpu, n_processes=1, more=(), **streams):
    command = ["dpdk-testpmd", *memory(n_processes), "--no-pci", "--no-telemetry", "--iova-mode=va",
               "--lcores", "0@%d,1@%d" % (cpu, cpu), "--vdev", vdev, "--",
               "--nb-cores=1", "--total-num-mbufs=16384", "--stats-period=1", "--forward-mode=" + mode, *more]
    return Process(command, {cpu}, **streams)


def received(process):
    """Packets received so far, when testpmd next says it: once a second."""
    return int(process.line("RX-packets").split("RX-packets:")[1].split()[0])
