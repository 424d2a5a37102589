#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""size.py NVCC TOP [--write]     What the calls of the device headers of the tree TOP cost on a GPU.

kernels.cu is measured as it is and with GIN_NO_INLINE, see dev/txq.h: then the sends alone, their names end with +.
Slots are 16-byte instructions: bytes of .text.<kernel> / 16, with all functions that a kernel calls (nvcc puts them
into the kernel's section) and the padding. With nvcc 13.0 they are judged by MARKS and by the file "record" beside
this one (--write makes it anew); with another nvcc they are only printed. Registers, stack, spills, the PTX and how
much the headers add are judged with any.
"""
import os, re, statistics, struct, subprocess, sys, tempfile, time

ARCHS = (80, 90, 100)
JUDGED = "13.0"
MAX_REGISTERS = 32
MAX_LINES = 2500  # that <ginet/device.h> adds to what nvcc includes by itself
PAIRS = 11

# At most so many slots, on each GPU. send_ms and send_own have marks with GIN_NO_INLINE only: the header bytes that old
# NICs want in the WQE are about 30 slots more.
MARKS = {"send_stop": 208, "send_any": 232, "recv_stop": 136, "recv_ms": 136, "recv_any": 160,
         "wait_stop": 80, "wait_ms": 80, "wait_any": 80,
         "send_stop+": 208, "send_ms+": 208, "send_any+": 232,
         "send_own_stop+": 128, "send_own_ms+": 128, "send_own_any+": 144}

failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text)


def run(*command):
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        sys.exit("FAILED: %s\n%s" % (" ".join(command), r.stdout + r.stderr))
    return r.stdout + r.stderr


def text_sizes(path):
    """Bytes of each section .text.NAME of a 64-bit ELF file, by NAME."""
    with open(path, "rb") as f:
        elf = f.read()
    (at,) = struct.unpack_from("<Q", elf, 0x28)
    size, n, names = struct.unpack_from("<HHH", elf, 0x3A)
    section = lambda i: struct.unpack_from("<IIQQQQ", elf, at + i * size)
    base = section(names)[4]
    found = {}
    for i in range(n):
        name, _, _, _, _, length = section(i)
        start = base + name
        text = elf[start:elf.index(b"\0", start)].decode()
        if text.startswith(".text."):
            found[text[6:]] = length
    return found


def resources(log):
    """ptxas -v: {kernel: (registers, stack, spill stores + loads)}; functions that were not inlined are there too."""
    found, name, frame = {}, None, (0, 0)
    for line in log.splitlines():
        m = re.search(r"Function properties for (\S+)", line)
        if m:
            name = m[1]
        m = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if m:
            frame = int(m[1]), int(m[2]) + int(m[3])
            found.setdefault(name, (0,) + frame)
        m = re.search(r"Used (\d+) registers", line)
        if m:
            found[name] = (int(m[1]),) + frame
    return found


def measure(nvcc, flags, source, work, suffix=""):
    slots, used = {}, {}
    for arch in ARCHS:
        cubin = os.path.join(work, "k.cubin")
        log = run(nvcc, *flags, "-arch=sm_%d" % arch, "-cubin", "-Xptxas", "-v", source, "-o", cubin)
        for name, size in text_sizes(cubin).items():
            slots.setdefault(name + suffix, {})[arch] = size // 16
        for name, what in resources(log).items():
            used.setdefault(name + suffix, {})[arch] = what
    return dict(reversed(slots.items())), used  # as they stand in the file


def measure_both(nvcc, flags, source, work):
    slots, used = measure(nvcc, flags, source, work)
    more, more_used = measure(nvcc, flags + ["-DGIN_NO_INLINE"], source, work, "+")
    for name in more:
        if "send" in name:
            slots[name], used[name] = more[name], more_used[name]
    return slots, used


def read_record(path):
    record = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("#") and line.strip():
                name, *numbers = line.split()
                record[name] = dict(zip(ARCHS, map(int, numbers)))
    return record


def write_record(path, slots):
    with open(path, "w") as f:
        f.write("# Slots of each kernel with nvcc %s: %s. Never above.\n" % (JUDGED, ", ".join("sm_%d" % a for a in ARCHS)))
        for name in slots:
            f.write("%-20s %s\n" % (name, " ".join("%4d" % slots[name][a] for a in ARCHS)))


def table(slots, used, record):
    print("%-20s" % "slots/registers", *("%9s" % ("sm_%d" % a) for a in ARCHS), "    mark  record")
    for name in slots:
        cells = ["%5d/%-3d" % (slots[name][a], used[name][a][0]) for a in ARCHS]
        print("%-20s" % name, *cells, "%8s" % MARKS.get(name, "-"), " %s" % " ".join(str(record[name][a]) for a in ARCHS)
              if name in record else " -")


def judge_slots(slots, record):
    if set(record) != set(slots):
        fail("the record has other kernels: %s" % ", ".join(sorted(set(record) ^ set(slots))))
    for name in slots:
        for arch in ARCHS:
            n = slots[name][arch]
            if n > MARKS.get(name, n):
                fail("%s: %d slots on sm_%d, the mark is %d" % (name, n, arch, MARKS[name]))
            if name in record and n > record[name][arch]:
                fail("%s: %d slots on sm_%d, there have been only %d" % (name, n, arch, record[name][arch]))


def judge_resources(used):
    for name in used:
        for arch, (registers, stack, spills) in used[name].items():
            if registers > MAX_REGISTERS:
                fail("%s: %d registers on sm_%d, at most %d" % (name, registers, arch, MAX_REGISTERS))
            if stack or spills:
                fail("%s: %d bytes of stack and %d of spills on sm_%d" % (name, stack, spills, arch))


def judge_ptx(nvcc, flags, top, work):
    """Every function of the device headers: tests/cuda/device.cu calls each, and the kernels here."""
    for source in ("tests/cuda/device.cu", "tests/size/kernels.cu"):
        for arch in ARCHS:
            ptx = os.path.join(work, "k.ptx")
            run(nvcc, *flags, "-arch=compute_%d" % arch, "-ptx", os.path.join(top, source), "-o", ptx)
            with open(ptx) as f:
                text = f.read()
            where = "%s, compute_%d" % (source, arch)
            # The non-coherent path may return stale data of memory that the NIC or the host writes.
            for line in sorted(set(re.findall(r"^\s*((?:ld\.global\S*\.nc|ldu)\S*\s.*)$", text, re.M))):
                fail("%s: non-coherent read: %s" % (where, line))
            # What the headers do to memory of the NIC they do by address of global memory.
            for block in re.findall(r"begin inline asm(.*?)end inline asm", text, re.S):
                for line in re.findall(r"^\s*((?:atom|red|st|ld)\.\S*\s.*)$", block, re.M):
                    if ".global" not in line.split()[0]:
                        fail("%s: generic address: %s" % (where, line))


def lines(nvcc, flags, source, work):
    path = os.path.join(work, "e.cu")
    with open(path, "w") as f:
        f.write(source)
    text = run(nvcc, *flags, "-arch=sm_90", "-E", path)
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#"))


def judge_lines(nvcc, flags, work):
    added = lines(nvcc, flags, "#include <ginet/device.h>\n", work) - lines(nvcc, flags, "\n", work)
    print("<ginet/device.h> adds %d lines to CUDA's own, at most %d" % (added, MAX_LINES))
    if not 100 < added <= MAX_LINES:
        fail("<ginet/device.h> adds %d lines" % added)


def compile_time(nvcc, flags, work):
    """An empty kernel with and without the headers, one after the other, so that load of the machine hits both."""
    sources = {"without": "__global__ void k(void) {}\n", "with": "#include <ginet/device.h>\n__global__ void k(void) {}\n"}
    seconds = {name: [] for name in sources}
    for name, source in sources.items():
        with open(os.path.join(work, name + ".cu"), "w") as f:
            f.write(source)
    for _ in range(PAIRS):
        for name in sources:
            start = time.monotonic()
            run(nvcc, *flags, "-arch=sm_90", "-cubin", os.path.join(work, name + ".cu"), "-o", os.path.join(work, "t"))
            seconds[name].append(time.monotonic() - start)
    ratio = statistics.median(b / a for a, b in zip(seconds["without"], seconds["with"]))
    print("compile time of an empty kernel: %.2f s, with <ginet/device.h> %.2f s, %.2f times (medians of %d pairs)" %
          (statistics.median(seconds["without"]), statistics.median(seconds["with"]), ratio, PAIRS))


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    nvcc, top = sys.argv[1], os.path.abspath(sys.argv[2])
    here = os.path.join(top, "tests", "size")
    record_path = os.path.join(here, "record")
    flags = ["-x", "cu", "-std=c++17", "-O3", "-I" + os.path.join(top, "device"), "-I" + os.path.join(top, "include")]
    version = re.search(r"release (\S+),", run(nvcc, "--version"))[1]
    with tempfile.TemporaryDirectory() as work:
        slots, used = measure_both(nvcc, flags, os.path.join(here, "kernels.cu"), work)
        if sys.argv[3:]:
            write_record(record_path, slots)
        record = read_record(record_path)
        table(slots, used, record)
        if version == JUDGED:
            judge_slots(slots, record)
        else:
            print("slots are judged with nvcc %s only, this is %s" % (JUDGED, version))
        judge_resources(used)
        judge_ptx(nvcc, flags, top, work)
        judge_lines(nvcc, flags, work)
        compile_time(nvcc, flags, work)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
