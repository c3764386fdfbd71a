#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libabt.so.1 exports the functions and data that symbols.txt lists, and nothing else; its name is
libabt.so.1, and the core that it shares with other doors is liblazult's."""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def library():
    found = sorted(Path(os.environ["LAZULT_BUILD_DIR"]).rglob("libabt.so.1"))
    if not found:
        sys.exit("there is no libabt.so.1 in the build directory")
    return found[0]


def exported(path):
    text = subprocess.run(
        ["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True
    ).stdout
    return {tuple(line.split()[-2:]) for line in text.splitlines()}


def dynamic_section(path):
    return subprocess.run(
        ["readelf", "-d", path], check=True, capture_output=True, text=True
    ).stdout


def own_name(path):
    return re.search(r"\(SONAME\).*\[(.*)\]", dynamic_section(path))[1]


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic_section(path))


def main():
    path = library()
    wanted = {tuple(line.split()) for line in (HERE / "symbols.txt").read_text().splitlines()}
    # Initialised data is D, zeroed data B, constants R: which of the first two is the linker's
    # choice.
    there = {("D" if kind == "B" else kind, name) for kind, name in exported(path)}
    problems = [f"missing: {kind} {name}" for kind, name in sorted(wanted - there)]
    problems += [f"too much: {kind} {name}" for kind, name in sorted(there - wanted)]
    if own_name(path) != "libabt.so.1":
        problems.append(f"its name is {own_name(path)}")
    if not any(re.fullmatch(r"liblazult\.so\.[0-9.]+", name) for name in needed(path)):
        found = ", ".join(needed(path))
        problems.append(f"it does not need liblazult.so with a number, but {found}")
    print("\n".join([*problems, f"{len(there)} symbols, {len(problems)} problems"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
