#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that comments and pages name the actor: few of their lines have words such as "who",
"whose" and "likewise".

usage: prose.py ROOT [--list]

"The thread that resumes it" can be looked up, "whoever resumes it" cannot. At most half a percent
of the lines of comments, and of the pages, may have such a word. --list prints them all.
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, report, without_comments

FOLDERS = ("lazult", "include", "doors", "tools", "apps", "bench", "examples", "tests")
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
WORDS = re.compile(r"\b(?:who|whoever|whose|whom|likewise|let be|(?:is|are|was|be) told)\b", re.I)
MOST_PERCENT = 0.5


def comment_lines(text):
    """(number, comment) of each line that has one."""
    for number, (line, rest) in enumerate(
        zip(text.split("\n"), without_comments(text).split("\n")), 1
    ):
        if line != rest:
            yield number, "".join(c for c, kept in zip(line, rest) if c == " " or c != kept)


def check(kind, lines, findings, listed):
    """`lines` are (path, number, words). Returns a summary."""
    found = [(path, number, words) for path, number, words in lines if WORDS.search(words)]
    percent = 100 * len(found) / max(1, len(lines))
    if listed:
        for path, number, words in found:
            print(f"{findings.where(path, number)}: {words.strip()}")
    if percent > MOST_PERCENT:
        for path, number, words in found[:20]:
            findings.error(path, number, f"name the actor: {words.strip()[:100]}")
        findings.errors.append(
            f"{kind}: {percent:.2f} % of the lines have such words, {MOST_PERCENT} % may: "
            "prose.py --list"
        )
    return f"{kind}: {len(found)} of {len(lines)} lines ({percent:.2f} %)"


def main(arguments):
    if not arguments or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    root, listed = Path(arguments[0]), "--list" in arguments
    findings = report(root)
    comments = [
        (path, number, words)
        for path in cpp_files(root, *FOLDERS)
        for number, words in comment_lines(path.read_text(encoding="utf-8", errors="replace"))
    ]
    pages = [
        (path, number, line)
        for pattern in PAGES
        for path in sorted(root.glob(pattern))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if line.strip()
    ]
    return findings.finish(
        f"{check('comments', comments, findings, listed)}, "
        f"{check('pages', pages, findings, listed)}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
