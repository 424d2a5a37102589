# SPDX-License-Identifier: BSD-3-Clause
"""The table, and what stands above it."""
import os
import platform
import time

import testpmd


def cpu_model():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def result(rows, setting):
    return {
        "version": 1,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"cpu": cpu_model(), "cpus": len(setting.cpus), "kernel": platform.release(),
                    "load_1min": os.getloadavg()[0], "free_huge_mib": testpmd.free_huge_mib()},
        "runs": setting.runs, "quick": setting.quick, "n_runs": setting.n_runs, "n_loaded": setting.n_loaded,
        "rows": rows, "notes": setting.notes,
    }


def number(x):
    return "%.0f" % x if x >= 1000 else "%.1f" % x if x >= 10 else "%.2f" % x


def figure(f):
    if not f:
        return "-"
    return "%s (%s..%s)" % (number(f["median"]), number(f["min"]), number(f["max"]))


def verdict(row):
    sign = ">=" if row["more_is_better"] else "<="
    bound = row["goal"] if row["goal"] is not None else row["limit"]
    words = []
    if "met" in row:
        words.append("%s %s: %s" % (sign, bound, "met" if row["met"] else "MISSED"))
    if row["loaded"]:
        words.append("loaded")
    return ", ".join(words)


def table(r):
    m = r["machine"]
    print("%s, %d CPUs, Linux %s, load %.1f, %d runs%s" % (m["cpu"], m["cpus"], m["kernel"], m["load_1min"], r["runs"],
                                                         " (quick: figures mean nothing)" if r["quick"] else ""))
    lines = [("row", "what", "ours", "testpmd", "ratio", "goal")]
    for row in r["rows"]:
        ratio = "%.2f" % row["ratio"] if "ratio" in row else "-"
        lines.append((row["row"], "%s [%s]" % (row["what"], row["unit"]), figure(row["ours"]), figure(row.get("peer")), ratio,
                      verdict(row)))
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    for line in lines:
        print("  ".join(cell.ljust(w) for cell, w in zip(line, widths)) + "  " + line[5])
    for note in r["notes"]:
        print("%s: %s" % (note["row"], note["why"]))
    print("%d of %d runs with foreign load above 0.2 CPUs" % (r["n_loaded"], r["n_runs"]))
