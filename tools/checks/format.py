#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that C++ sources are laid out as clang-format 19 lays them out by .clang-format.

usage: format.py ROOT

`make format` lays them out.
"""
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import cpp_files

TOOL = "clang-format-19"
FOLDERS = ("lazult", "include", "doors", "tools", "apps", "bench", "examples", "tests")
SUFFIXES = {".cpp", ".hpp", ".h"}
AT_ONCE = 40


def complaints(files):
    done = subprocess.run(
        [TOOL, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False
    )
    return done.stderr if done.returncode != 0 else ""


def main(arguments):
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which(TOOL) is None:
        print(f"format: {TOOL} is not installed: apt-get install {TOOL}", file=sys.stderr)
        return 1
    root = Path(arguments[0])
    files = [str(path) for path in cpp_files(root, *FOLDERS) if path.suffix in SUFFIXES]
    parts = [files[at : at + AT_ONCE] for at in range(0, len(files), AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = "".join(pool.map(complaints, parts))
    print(found, end="", file=sys.stderr)
    errors = found.count(": error: ")
    print(f"format: {len(files)} files; {errors} error(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
