# SPDX-License-Identifier: BSD-3-Clause
"""A network namespace with an interface that something answers on."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

from base import Failed, Missing, Process

IP, PEER_IP = "10.77.0.1", "10.77.0.2"
INSIDE = "GINET_BENCH_INSIDE"


def namespace():
    """The command that gives a program a network of its own."""
    command = ["unshare", "--net", "--fork", "--kill-child"]
    if os.getuid():
        command[1:1] = ["--user", "--map-root-user"]
    return command


def enter(argv):
    """Run the whole bench in a network of its own, which goes when it ends; stay outside where that is not possible."""
    if INSIDE in os.environ:
        return None
    if subprocess.call(namespace() + ["true"], stderr=subprocess.DEVNULL):
        return None
    more = ["--pid", "--mount-proc"]
    if subprocess.call(namespace() + more + ["true"], stderr=subprocess.DEVNULL):
        more = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    child = subprocess.Popen(namespace() + more + argv, env={**os.environ, INSIDE: "1"})
    try:
        return child.wait()
    finally:
        child.kill()  # whatever ends us, its end is the end of all inside


def check(setting):
    if INSIDE not in os.environ:
        raise Missing("no right to make a network namespace: run as root, or allow user namespaces")
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as why:
        raise Missing("/dev/net/tun: %s: load the tun module, or let users open it" % why.strerror) from None
    setting.program("samples/icmp_echo")


def ip(*words, check_=True):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if check_ and done.returncode:
        raise Failed("ip %s: %s" % (" ".join(words), done.stderr.strip()))
    return done.returncode == 0


def icmp_echo(setting, device):
    process = Process([setting.program("samples/icmp_echo"), PEER_IP, device, "cpu"], {setting.cpus[-1]},
                      env={**os.environ, "GINET_LOG": "warning"})
    for line in process.popen.stdout:
        if "answers ping" in line:
            return process
    process.popen.wait()
    why = process.complaint()
    if "ginet-dpdk.so" in why or "not installed" in why:
        raise Missing(why.splitlines()[0])
    process.fail("did not start")


class net:
    """
    A wire for one run. device: ginet's name of the answering end; vdev: DPDK's.
    bench0: the interface that the kernel pings by.
    """

    def __init__(self, setting, wire):
        self.setting, self.wire, self.ping_cpu_ns = setting, wire, 0
        if wire == "tap":
            self.device = "soft:tap=bench0"
        elif wire == "net_tap":
            self.vdev = "net_tap0,iface=bench0"
        else:
            self.vdev = "net_af_packet0,iface=bench1"
        if wire != "tap":
            self.device = "soft:" + self.vdev

    def __enter__(self):
        ip("link", "set", "lo", "up")
        if self.wire == "net_af_packet":
            ip("link", "add", "bench0", "type", "veth", "peer", "name", "bench1")
            ip("link", "set", "bench1", "addrgenmode", "none")
            ip("link", "set", "bench1", "up")
            subprocess.run(["ethtool", "-K", "bench0", "tx", "off"], capture_output=True)
        return self

    def __exit__(self, *_):
        ip("link", "del", "bench0", check_=False)

    def ready(self, process):
        """The answering process is up: give our end an address and wait for the first answer."""
        end = time.monotonic() + 20
        while not ip("link", "show", "dev", "bench0", check_=False):
            if process.popen.poll() is not None or time.monotonic() > end:
                process.fail("no interface bench0")
            time.sleep(0.01)
        ip("link", "set", "bench0", "addrgenmode", "none")
        ip("addr", "replace", IP + "/24", "dev", "bench0")
        ip("link", "set", "bench0", "up")
        while "1 received" not in self.ping(["-q", "-c", "1", "-W", "1"]):
            if process.popen.poll() is not None or time.monotonic() > end:
                process.fail("answers no ping")

    def ping(self, options):
        """Output of ping, pinned to the first CPU."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with Process(["ping", "-n", *options, PEER_IP], {self.setting.cpus[0]}) as p:
            text = p.popen.stdout.read()
            p.popen.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.ping_cpu_ns = used * 1e9
        if not re.search(r"packets transmitted", text):
            p.fail("gave no result")
        return text
