#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""readme.py TOP     What READMEs and manual pages name exists: paths, commands and their options, identifiers."""
import pathlib
import re
import shutil
import subprocess
import sys

top = pathlib.Path(sys.argv[1])
bad = []

# Commands that a machine which can build ginet need not have; those of the shell are known to it.
ELSEWHERE = {"ldconfig", "podman", "docker", "nvcc", "gdb", "git"}


def text_of(folder, pattern):
    files = sorted(f for f in (top / folder).rglob(pattern) if f.is_file())
    return "".join(f.read_text(errors="replace") for f in files)


code = "".join(text_of(d, p) for d in ("include", "device", "host", "samples") for p in ("*.h", "*.c", "*.cmake", "*.txt"))
code += (top / "CMakeLists.txt").read_text()
tools = text_of("tools", "*") + text_of("host", "*.c")


def fences(text, kind):
    return re.findall(r"^```%s\n(.*?)^```$" % kind, text, re.M | re.S)


def check(page, ok, what):
    if not ok:
        bad.append(f"{page.relative_to(top)}: {what}")


def anchors(page):
    """As forges make them of headings."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def check_links(page, text):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
        if "://" in target:
            continue
        to = page.parent / target if target else page
        check(page, to.exists(), f"the link to {target} leads nowhere")
        check(page, not anchor or (to.exists() and anchor in anchors(to)), f"{target} has no heading #{anchor}")


def check_names(page, text):
    for name in sorted(set(re.findall(r"\b(?:gin|GIN)_[A-Za-z0-9_]+|\bGINET_[A-Z_]+", text))):
        if name not in ("GINET_URL",):  # the workflow's own
            check(page, re.search(r"\b%s(?![A-Za-z0-9_])" % name.rstrip("_"), code + tools) or name.endswith("_"), f"{name} is nowhere")


def commands(script):
    """The words of each simple command."""
    script = re.sub(r"\\\n", " ", script)
    script = re.sub(r"<this repository>", "URL", script)
    for line in script.splitlines():
        line = re.sub(r"\s#.*", "", line)
        for part in re.split(r"&&|\|\|?|;|&(?!\d)", re.sub(r"'[^']*'", "''", line)):
            words = [w for w in part.split() if w]
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            if words:
                yield words


def exists(word):
    if word.startswith("tools/"):
        return (top / word).exists()
    built = re.fullmatch(r"(?:build/\w+|mine/build|build|starter/build)/(?:samples/)?(\w+)", word)
    if built:  # udp_echo is the reader's own: udp_echo.sh builds it
        return built[1] == "udp_echo" or (top / "samples" / built[1]).is_dir()
    if word in ELSEWHERE or shutil.which(word):
        return True
    return subprocess.run(["bash", "-c", f"type {word}"], capture_output=True, check=False).returncode == 0


def check_commands(page, text):
    for script in fences(text, "sh"):
        plain = script.replace("<this repository>", "URL")
        syntax = subprocess.run(["bash", "-n"], input=plain.encode(), capture_output=True, check=False)
        check(page, syntax.returncode == 0, f"no shell script: {script!r}: {syntax.stderr.decode()}")
        for words in commands(script):
            check(page, exists(words[0]), f"there is no command {words[0]}")
            tool = next((w for w in words if w.startswith("tools/")), None)
            for option in words[words.index(tool) + 1:] if tool else []:
                if option.startswith("--"):
                    check(page, option in (top / tool).read_text(), f"{tool} has no {option}")


def check_breakpoint(page, text):
    """A line number ages: gdb's example has to stop where a packet is at hand."""
    for line in re.findall(r"break kernel\.cu:(\d+)", text):
        kernel = (top / "samples/icmp_echo/kernel.cu").read_text().splitlines()
        check(page, "reply(&pkt" in kernel[int(line) - 1], f"kernel.cu:{line} is not where icmp_echo makes its reply")


def check_declarations(header):
    """Every public function says what it does: before its declaration or behind it."""
    lines = header.read_text().splitlines()
    for i, line in enumerate(lines):
        name = re.match(r"\w[\w ]* \**(gin_\w+)\(", line)
        if name:
            end = next(k for k in range(i, len(lines)) if ";" in lines[k])
            said = lines[i - 1].rstrip().endswith("*/") or "/*" in lines[end]
            check(header, said, f"nothing is said of {name[1]}()")


readmes = [top / "README.md", *sorted((top / "samples").glob("*/README.md"))]
pages = sorted((top / "tools").rglob("*.[1-8]"))
for file in readmes:
    content = file.read_text()
    check_links(file, content)
    check_names(file, content)
    check_commands(file, content)
check_breakpoint(readmes[0], readmes[0].read_text())
for file in pages:
    check_names(file, file.read_text())


def check_options(page):
    """The page has exactly the options of the tool whose name it has, and each row that can be asked for."""
    tool = (top / "tools" / page.stem).read_text()
    asked = set(re.findall(r"^\s*(?:[\w-]+ \| )*(--[a-z]+)(?: \| --[a-z]+)*\)", tool, re.M))
    asked |= {o for line in re.findall(r"^\s*(--[a-z]+(?: \| --[a-z]+)+)\)", tool, re.M) for o in line.split(" | ")}
    asked |= set(re.findall(r'add_argument\("(--[a-z]+)"', tool))
    rows = set(re.findall(r'^    "(\w+)": \w+\.\w+,$', tool, re.M))
    text = page.read_text()
    told = {"-" + o for o in re.findall(r"^\.It Fl (-[a-z]+)", text, re.M)}
    check(page, asked == told and len(asked) >= 4, f"options {sorted(told)}, the tool has {sorted(asked)}")
    check(page, rows <= set(re.findall(r"^\.It Cm (\w+)$", text, re.M)), f"rows of the tool: {sorted(rows)}")


for file in pages:
    if file.suffix == ".1":
        check_options(file)

headers = sorted(set((top / "include/ginet").glob("*.h")) - {top / "include/ginet/cpu.h"})  # that one is the device headers' own
for file in headers:
    check_declarations(file)

# All that steers a program from outside stands in ginet(7).
manual = (top / "tools/man/ginet.7").read_text()
for variable in sorted(set(re.findall(r'getenv\("(GINET_\w+)"\)', text_of("host", "*.c")))):
    check(top / "tools/man/ginet.7", f".It Ev {variable}" in manual, f"${variable} is not described")

for line in bad:
    print("FAILED:", line)
print(f"{len(readmes)} READMEs, {len(pages)} manual pages, {len(headers)} headers")
sys.exit(bool(bad) or len(readmes) < 3 or not pages or len(headers) < 10)
