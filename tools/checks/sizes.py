#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no source file passes 800 lines, and no function of C, C++ or Python 60; lists the
library's functions over 40 lines and prints their median.

usage: sizes.py ROOT

Universal Ctags finds the functions of C and C++. The first line of one is that of its name, the
last that of its closing brace.
"""
import ast
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from sources import report

TOOL = "ctags-universal"
FILE_LIMIT = 800
FUNCTION_LIMIT = 60
LIBRARY_LIMIT = 40
LIBRARY = ("lazult", "include", "doors")
FOLDERS = (*LIBRARY, "tools", "bench", "apps", "examples", "tests", "docs", "cmake")
CPP_SUFFIXES = {".hpp", ".h", ".cpp", ".cc", ".c"}
SUFFIXES = {*CPP_SUFFIXES, ".S", ".py", ".sh", ".cmake", ".pml"}
OPTIONS = (
    "--options=NONE",
    "--langmap=C++:+.h",
    "--kinds-C=f",
    "--kinds-C++=f",
    "--fields=+ne",
    "-x",
    "--_xformat=%F\t%n\t%{end}\t%N",
    "-L-",
)


def functions(files):
    """(file, first line, last line, name) of every function of C and C++. Of lambdas, too: their
    names begin with __anon."""
    names = "".join(f"{path}\n" for path in files)
    done = subprocess.run([TOOL, *OPTIONS], input=names, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        file, first, last, name = line.split("\t")
        yield Path(file), int(first), int(last), name


def python_functions(files):
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield path, node.lineno, node.end_lineno, node.name


def files_in(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and "build" not in path.relative_to(root).parts:
                yield path


def check_files(files, findings):
    for path in files:
        lines = len(path.read_text().splitlines())
        if lines > FILE_LIMIT:
            findings.error(path, lines, f"{lines} lines; no file passes {FILE_LIMIT}")


def check_functions(root, found, findings):
    for path, first, last, name in found:
        length = last - first + 1
        if length > FUNCTION_LIMIT:
            findings.error(
                path, first, f"{name} has {length} lines; no function passes {FUNCTION_LIMIT}"
            )
        elif length > LIBRARY_LIMIT and is_library(root, path):
            print(f"warning: {findings.where(path, first)}: {name} has {length} lines")


def is_library(root, path):
    return path.relative_to(root).parts[0] in LIBRARY


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which(TOOL) is None:
        print(f"sizes: {TOOL} not installed: apt-get install universal-ctags", file=sys.stderr)
        return 1
    root = Path(arguments[0]).resolve()
    findings = report(root)
    files = list(files_in(root))
    check_files(files, findings)
    cpp = list(functions(path for path in files if path.suffix in CPP_SUFFIXES))
    check_functions(root, cpp, findings)
    check_functions(
        root, python_functions(path for path in files if path.suffix == ".py"), findings
    )
    lengths = [
        last - first + 1
        for path, first, last, name in cpp
        if is_library(root, path) and not name.startswith("__anon")
    ]
    median = statistics.median(lengths) if lengths else 0
    over = sum(length > LIBRARY_LIMIT for length in lengths)
    return findings.finish(
        f"sizes: {len(files)} files; library: {len(lengths)} functions, median {median:g} lines, "
        f"{over} over {LIBRARY_LIMIT}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
