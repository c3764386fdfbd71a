#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the layout of sources: C and C++ as clang-format 19 lays them out by .clang-format, Python
as black does by pyproject.toml, and no line of code is wider than 100 columns.

usage: format.py ROOT [FILE...]

FILE, as it is called from ROOT: looks at these files only. `make format` lays files out; wide
strings and comments are to be broken by hand.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import report

CLANG_FORMAT = "clang-format-19"
# Debian's, before one that pip put first in PATH: black changes its layout each year.
BLACK = "/usr/bin/black" if Path("/usr/bin/black").exists() else "black"
FOLDERS = "lazult include doors tools apps bench examples tests docs cmake .ci".split()
CPP_SUFFIXES = {".cpp", ".hpp", ".h", ".c"}
AT_ONCE = 40

# Neither tool breaks strings, and nothing else looks at assembly, CMake, make and shell.
WIDTH = 100
NARROW_SUFFIXES = {*CPP_SUFFIXES, ".cc", ".S", ".py", ".cmake", ".in", ".sh", ".f90"}
NARROW_NAMES = {"CMakeLists.txt", "Makefile", "pre-commit", "run"}
# What may be wide has another suffix:
#   .md                 a paragraph is as wide as its reader's window
#   .json .svg .txt     data: one entry to a line, much of it written by programs
#   .map                symbols for the linker, one to a line
#   .pml                a comment names a statement of the sources by its text, on one line: see
#                       tests/spin/models_test.py
#   .cff                YAML, read by other programs


def files_in(root):
    for place in [root.glob("*"), *((root / folder).rglob("*") for folder in FOLDERS)]:
        for path in sorted(place):
            if path.is_file() and "build" not in path.relative_to(root).parts:
                yield path


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def look_at_cpp(files):
    done = run(CLANG_FORMAT, "--dry-run", "-Werror", *files)
    return done.stderr if done.returncode != 0 else ""


def look_at_python(files):
    done = run(BLACK, "--check", *files) if files else None
    if done is None or done.returncode == 0:
        return ""
    lines = [line for line in done.stderr.splitlines(True) if line.startswith(("would", "error"))]
    return "".join(f"error: black: {line}" for line in lines) or f"error: black: {done.stderr}"


def look_at_widths(files, findings):
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > WIDTH:
                findings.error(path, number, f"{len(line)} columns; no line passes {WIDTH}")


def is_narrow(path):
    return path.suffix in NARROW_SUFFIXES or path.name in NARROW_NAMES


def main(arguments):
    if not arguments or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    missing = [tool for tool in (CLANG_FORMAT, BLACK) if shutil.which(tool) is None]
    if missing:
        words = " ".join(missing)
        print(f"format: {words} not installed: apt-get install {words}", file=sys.stderr)
        return 1
    root = Path(arguments[0])
    findings = report(root)
    files = [root / name for name in arguments[1:]] or list(files_in(root))
    cpp = [str(path) for path in files if path.suffix in CPP_SUFFIXES]
    python = [str(path) for path in files if path.suffix == ".py"]
    narrow = [path for path in files if is_narrow(path)]
    parts = [cpp[at : at + AT_ONCE] for at in range(0, len(cpp), AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        layout = "".join([*pool.map(look_at_cpp, parts), look_at_python(python)])
    print(layout, end="", file=sys.stderr)
    look_at_widths(narrow, findings)
    code = findings.finish(
        f"format: {len(cpp)} files of C and C++, {len(python)} of Python: "
        f"{layout.count('error: ')} error(s); width of {len(narrow)} files"
    )
    return 1 if layout else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
