# SPDX-License-Identifier: BSD-3-Clause
"""What the rows share: on-CPU time, foreign load, processes that end with their row, figures."""
import ctypes
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

LOADED = 0.2  # CPUs used by others, from which on a run is marked


class Failed(Exception):
    """Something that should work did not."""


class Missing(Exception):
    """What a row needs is not there."""


class Setting:
    """How to measure, and where the programs are."""

    def __init__(self, build, runs, quick):
        self.build, self.runs, self.quick = os.path.abspath(build), runs, quick
        self.cpus = sorted(os.sched_getaffinity(0))
        self.n_loaded = self.n_runs = 0
        self.notes = []

    def note(self, name, why):
        self.notes.append({"row": name, "why": str(why)})

    def peers(self, name):
        """A figure for testpmd; None, with a note, where there is none."""
        if shutil.which("dpdk-testpmd"):
            return Figure()
        self.note(name, "dpdk-testpmd is not installed (apt-get install dpdk-dev): ours alone")
        return None

    def program(self, path):
        full = os.path.join(self.build, path)
        if not os.access(full, os.X_OK):
            raise Failed("%s is missing: build it, or leave --build away" % full)
        return full


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Process:
    """A program that does not outlive the with-statement; cpus: where it may run."""

    def __init__(self, command, cpus, **more):
        def prepare():
            die_with_parent()
            os.sched_setaffinity(0, cpus)
        self.errors = tempfile.TemporaryFile("w+")
        more.setdefault("stdout", subprocess.PIPE)
        self.popen = subprocess.Popen(command, preexec_fn=prepare, stderr=self.errors, stdin=subprocess.DEVNULL,
                                      text=True, start_new_session=True, **more)
        self.name = os.path.basename(command[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        if self.popen.stdout:
            self.popen.stdout.close()
        self.errors.close()

    def complaint(self):
        self.errors.seek(0)
        return self.errors.read().strip()[-600:]

    def fail(self, what):
        raise Failed("%s: %s\n%s" % (self.name, what, self.complaint()))

    def line(self, word, timeout=30):
        """The next line with this word in it; who does not say it in time is ended."""
        timer = threading.Timer(timeout, self.popen.kill)
        timer.start()
        try:
            for line in self.popen.stdout:
                if word in line:
                    return line
        finally:
            timer.cancel()
        self.popen.wait()
        self.fail("ended, or was ended after %d s, without saying '%s'" % (timeout, word))

    def interrupt(self):
        """Ctrl-C; all that it still says."""
        self.popen.send_signal(signal.SIGINT)
        rest = self.popen.stdout.read()
        if self.popen.wait():
            self.fail("ended with code %d" % self.popen.returncode)
        return rest

    def on_cpu_ns(self):
        """Of all its threads. A thread that has ended is not in it."""
        total, folder = 0, "/proc/%d/task" % self.popen.pid
        for task in os.listdir(folder):
            with open("%s/%s/schedstat" % (folder, task)) as f:
                total += int(f.read().split()[0])
        return total


def busy_s():
    """Of all CPUs, since boot: all but idle and waiting for disks."""
    with open("/proc/stat") as f:
        fields = [int(x) for x in f.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


class Load:
    """CPUs that others used while the with-statement ran. ours_ns: to be filled in, what we used."""

    def __init__(self, setting):
        self.setting, self.ours_ns = setting, 0

    def __enter__(self):
        self.wall, self.busy = time.monotonic(), busy_s()
        return self

    def __exit__(self, *_):
        wall = time.monotonic() - self.wall
        self.foreign = max(0.0, (busy_s() - self.busy - self.ours_ns / 1e9) / wall)
        self.setting.n_runs += 1
        self.setting.n_loaded += self.foreign > LOADED


class Figure:
    """Values of one side over all runs."""

    def __init__(self):
        self.values, self.foreign = [], []

    def add(self, value, load):
        self.values.append(value)
        self.foreign.append(load.foreign)

    def result(self):
        return {"min": min(self.values), "median": statistics.median(self.values), "max": max(self.values),
                "values": self.values, "foreign": self.foreign}


def row(name, what, unit, ours, peer=None, goal=None, more_is_better=False, peer_name=None, limit=None):
    """One line of the table. goal: of the ratio ours / peer; limit: of ours alone."""
    result = {"row": name, "what": what, "unit": unit, "ours": ours.result(), "goal": goal, "limit": limit,
              "more_is_better": more_is_better}
    if peer:
        result["peer_name"] = peer_name
        result["peer"] = peer.result()
        result["ratio"] = result["ours"]["median"] / result["peer"]["median"]
    value, bound = (result.get("ratio"), goal) if goal is not None else (result["ours"]["median"], limit)
    if value is not None and bound is not None:
        result["met"] = value >= bound if more_is_better else value <= bound
    both = ours.foreign + (peer.foreign if peer else [])
    result["loaded"] = max(both) > LOADED
    return result
