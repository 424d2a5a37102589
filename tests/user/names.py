#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""names.py INCLUDE AST MACROS     Names that headers below INCLUDE bring into a program that includes them.

AST: clang's -ast-dump=json; MACROS: the output of -E -dD. Declarations at file scope, enumerators among them, and
macros.
"""
import json
import re
import sys

include, ast, macros = sys.argv[1:]
file = ""


def follow(node):
    """clang names a file only where it differs from the one before, so every location has to be read, in order."""
    global file
    if isinstance(node, dict):
        file = node.get("file", file)
        for key, value in node.items():
            if key != "includedFrom":
                follow(value)
    elif isinstance(node, list):
        for value in node:
            follow(value)


with open(ast) as f:
    unit = json.load(f)
for decl in unit["inner"]:
    follow(decl.get("loc", {}))
    ours = file.startswith(include)
    follow({key: value for key, value in decl.items() if key != "loc"})
    if not ours:
        continue
    # Compilers declare their own functions where they are used first.
    if not re.match("__(atomic|builtin)_|$", decl.get("name", "")):
        print(decl["name"])
    if decl["kind"] == "EnumDecl":
        for constant in decl.get("inner", []):
            if constant["kind"] == "EnumConstantDecl":
                print(constant["name"])

with open(macros) as f:
    for line in f:
        if match := re.match(r'# \d+ "([^"]*)"', line):
            file = match[1]
        elif file.startswith(include) and (match := re.match(r"#define (\w+)", line)):
            print(match[1])
