#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that what the documents point at is there: relative links, their headings, files named in
`code`, and what they quote: a block of code that begins with the name of a file, as a comment,
stands in that file.

usage: links.py ROOT

Looks at the Markdown files of the root and of docs/. A name in code is a file's if it begins with a
folder of the tree; names with <, *, { or ... stand for several and are passed over. The changelog
may name what is gone.
"""
import re
import sys
from pathlib import Path

from sources import line_of, report

FOLDERS = (
    "lazult",
    "include",
    "doors",
    "tools",
    "apps",
    "bench",
    "examples",
    "tests",
    "docs",
    "cmake",
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"^(?:%s)/[\w./+-]*$" % "|".join(FOLDERS))
QUOTE = re.compile(r"^```\w+\n(?://|/\*) ([\w./-]+)(?: \*/)?\n(.*?)^```", re.M | re.S)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors_of(markdown):
    """The headings of a document, as links name them."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", FENCE.sub("", markdown), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def without_blocks(text):
    return FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)


def check_link(root, path, line, target, findings):
    if re.match(r"[a-z]+:", target):
        return
    name, _, anchor = target.partition("#")
    there = (path.parent / name).resolve() if name else path
    if not there.exists() or root not in (there, *there.parents):
        findings.error(path, line, f"a link to {target}: there is no such file")
    elif anchor and there.suffix == ".md" and anchor not in anchors_of(there.read_text()):
        findings.error(path, line, f"a link to {target}: there is no such heading")


def check_quotes(root, path, text, findings):
    for block in QUOTE.finditer(text):
        source = root / block[1]
        if not source.is_file():
            findings.error(
                path, line_of(text, block.start()), f"quotes {block[1]}: there is no such file"
            )
        elif block[2].strip("\n") not in source.read_text():
            findings.error(
                path,
                line_of(text, block.start()),
                f"quotes {block[1]}, where this does not stand: take it over",
            )


def check(root, path, findings):
    check_quotes(root, path, path.read_text(), findings)
    text = without_blocks(path.read_text())
    links = 0
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(line):
            links += 1
            check_link(root, path, number, target, findings)
        for name in CODE.findall(line) if path.name != "CHANGELOG.md" else ():
            if NAME.match(name) and "..." not in name and not (root / name).exists():
                findings.error(path, number, f"names {name}: there is no such file")
    return links


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    findings = report(root)
    pages = sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])
    links = sum(check(root, page, findings) for page in pages)
    return findings.finish(f"links: {len(pages)} documents, {links} links")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
