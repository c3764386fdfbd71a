#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that each header compiles alone, and twice in one file. Public headers whose names end in
.h compile as C11, too.

usage: headers.py ROOT [--compiler CXX] [--arch ARCH] [--quick] [-- FLAG...]

Public headers see include/ only; internal ones see the root of the tree too. --quick takes a third
of the time: headers from outside this tree are compiled once, and each header sees all of them. So
it finds what a header needs of the tree and does not include, and misses what it needs of the
standard library.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import report

ARCHITECTURES = {"x86_64", "aarch64", "generic"}
LANGUAGE = ["-std=c++20", "-pthread"]
C_LANGUAGE = ["-std=c11", "-pthread"]
WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wsign-conversion",
    "-Werror",
]


def headers(root, arch):
    for folder in ("include", "lazult"):
        for path in sorted((root / folder).rglob("*.h*")):
            parts = path.relative_to(root).parts
            other = parts[:2] == ("lazult", "arch") and parts[2] in ARCHITECTURES - {arch}
            if path.suffix in (".hpp", ".h") and not other:
                yield path


def foreign_headers(paths):
    """The headers from outside the tree that its headers include."""
    names = {
        name
        for path in paths
        for name in re.findall(r"^ *# *include <([^>]+)>", path.read_text(), re.M)
    }
    return sorted(name for name in names if not name.startswith("lazult/"))


def precompile(folder, names, compiler, flags):
    """The flags by which a file sees them. Some may be missing on a system; those are left out."""
    header = Path(folder) / "foreign.hpp"
    header.write_text(
        "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in names)
    )
    subprocess.run(
        [
            compiler,
            *LANGUAGE,
            *WARNINGS,
            *flags,
            "-x",
            "c++-header",
            str(header),
            "-o",
            f"{header}.gch",
        ],
        check=True,
    )
    return ["-include", str(header)]


def is_public(root, path):
    return path.relative_to(root).parts[0] == "include"


def compile_twice(root, path, folders, command):
    """The compiler's words if a file that includes the header twice does not compile, or None."""
    command = command + ["-fsyntax-only", *WARNINGS]
    command += [f"-I{root / folder}" for folder in folders] + ["-"]
    source = f'#include "{path}"\n' * 2
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def compile_alone(root, path, compiler, flags):
    """The compiler's words if the header does not compile alone, otherwise None."""
    public = is_public(root, path)
    folders = ["include"] if public else [".", "include"]
    words = compile_twice(root, path, folders, [compiler, *LANGUAGE, *flags, "-x", "c++"])
    if words is None and public and path.suffix == ".h":
        words = compile_twice(root, path, folders, [compiler, *C_LANGUAGE, "-x", "c"])
    return words


def first_error(root, path, words):
    """(file, line, text) of the first error inside the tree; the header itself if there is none."""
    for line in words.splitlines():
        parts = line.split(":", 3)
        if len(parts) == 4 and parts[1].isdigit() and "error" in parts[3]:
            place = Path(parts[0]).resolve()
            if place.is_relative_to(root):
                return place, int(parts[1]), parts[3].split("error:", 1)[-1].strip()
    return path, 1, (words.strip().splitlines() or ["no message"])[0]


def main(arguments):
    flags = []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, flags = arguments[:cut], arguments[cut + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--arch", default="x86_64", choices=sorted(ARCHITECTURES))
    parser.add_argument(
        "--quick", action="store_true", help="all see all headers that are not of this tree"
    )
    options = parser.parse_args(arguments)
    root = Path(options.root).resolve()
    paths = list(headers(root, options.arch))
    findings = report(root)
    with ThreadPoolExecutor(os.cpu_count()) as workers, tempfile.TemporaryDirectory() as folder:
        if options.quick:
            flags = flags + precompile(folder, foreign_headers(paths), options.compiler, flags)
        results = workers.map(
            lambda path: compile_alone(root, path, options.compiler, flags), paths
        )
        for path, words in zip(paths, results):
            if words is not None:
                place, line, message = first_error(root, path, words)
                findings.error(
                    place, line, f"{path.relative_to(root)} does not compile alone: {message}"
                )
                print(words, file=sys.stderr)
    return findings.finish(f"headers: {len(paths)} compiled alone with {options.compiler}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
