#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws comments and functions of the library for a stranger to read.

usage: draw_reading.py ROOT [--comments N] [--functions N] [--seed TEXT]

The seed is the hash of the last commit unless another is given, so nobody chooses what is read, and
anybody can draw the same. A comment comes with the code below it. A reader who has not seen the
code says what each means; what is misread is rewritten.
"""
import argparse
import random
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "checks"))
from sizes import CPP_SUFFIXES, LIBRARY, functions  # pylint: disable=wrong-import-position

FEWEST_WORDS = 6
FEWEST_LINES = 6
LINES_BELOW = 14


def comments_of(path):
    """(first line, text, code below) of each block of whole-line comments."""
    lines = path.read_text().splitlines()
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].lstrip().startswith(("//", "/*", "* ")):
            end += 1
        block = [line for line in lines[at:end] if "SPDX" not in line]
        if sum(len(line.split()) - 1 for line in block) >= FEWEST_WORDS:
            yield at + 1, "\n".join(block + lines[end : end + LINES_BELOW])
        at = max(end, at + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--comments", type=int, default=30)
    parser.add_argument("--functions", type=int, default=10)
    parser.add_argument("--seed")
    options = parser.parse_args()
    seed = options.seed or subprocess.check_output(
        ["git", "-C", options.root, "rev-parse", "HEAD"], text=True
    )
    draw = random.Random(seed.strip())
    files = sorted(
        path
        for folder in LIBRARY
        for path in (options.root / folder).rglob("*")
        if path.suffix in CPP_SUFFIXES
    )
    comments = [(path, *each) for path in files for each in comments_of(path)]
    found = [each for each in functions(files) if each[2] - each[1] >= FEWEST_LINES]
    print(f"seed {seed.strip()}: of {len(comments)} comments and {len(found)} functions")
    for number, (path, line, text) in enumerate(draw.sample(comments, options.comments), 1):
        print(f"\n=== comment {number}: {path.relative_to(options.root)}:{line}\n{text}")
    for number, (path, first, last, name) in enumerate(draw.sample(found, options.functions), 1):
        body = "\n".join(path.read_text().splitlines()[first - 1 : last])
        print(f"\n=== function {number}: {path.relative_to(options.root)}:{first}: {name}\n{body}")


if __name__ == "__main__":
    main()
