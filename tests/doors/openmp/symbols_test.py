#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that libgomp.so.1 shows gcc's names in gcc's versions, and nothing else."""
import os
import subprocess
import sys
from pathlib import Path


def shown(library):
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", library],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {f[2] for f in fields if len(f) == 3 and f[1] != "A"}


def main():
    library = Path(os.environ["LAZULT_BUILD_DIR"]) / "lib/lazult/openmp/libgomp.so.1"
    wanted = set((Path(__file__).parent / "libgomp-symbols.txt").read_text().split())
    found = shown(library)
    for name in sorted(wanted - found):
        print(f"missing: {name}")
    for name in sorted(found - wanted):
        print(f"not of the interface: {name}")
    return 0 if found == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
