#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the first C++ block of a Markdown file that is a whole program to a source file.

usage: readme.py README.md OUTPUT.cpp
"""
import re
import sys
from pathlib import Path


def first_program(markdown):
    """(line, text) of the first ```cpp block that has a main, or None."""
    for block in re.finditer(r"^```(?:cpp|c\+\+)\s*\n(.*?)^```", markdown, re.M | re.S):
        if re.search(r"\bmain\s*\(", block.group(1)):
            return markdown.count("\n", 0, block.start(1)) + 1, block.group(1)
    return None


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, output = map(Path, arguments)
    found = first_program(source.read_text())
    if found is None:
        print(f"{source}: no ```cpp block with a main()", file=sys.stderr)
        return 1
    line, text = found
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(f'#line {line} "{source}"\n{text}')
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
