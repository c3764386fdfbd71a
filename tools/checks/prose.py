#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that comments, pages, messages and names of tests name the actor: few of them have words
such as "who", "whose" and "likewise".

usage: prose.py ROOT [--list]

"The thread that resumes it" can be looked up, "whoever resumes it" cannot. At most half a percent
of the lines of comments may have such a word, of the lines of pages, of the messages (strings of
several words in what users run) and of the names of tests. --list prints them all.
"""
import ast
import re
import sys
from pathlib import Path

from sources import cpp_files, line_of, report, string_literals, without_comments

FOLDERS = ("lazult", "include", "doors", "tools", "apps", "bench", "examples", "tests")
FOLDERS_OF_MESSAGES = ("lazult", "include", "doors", "tools", "apps")
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
WORDS = re.compile(r"\b(?:who|whoever|whose|whom|likewise|let be|(?:is|are|was|be) told)\b", re.I)
MOST_PERCENT = 0.5
CPP_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\)", re.M)
PYTHON_TEST = re.compile(r"^ *def (test_\w+)", re.M)


def comment_lines(text):
    """(number, comment) of each line that has one."""
    for number, (line, rest) in enumerate(
        zip(text.split("\n"), without_comments(text).split("\n")), 1
    ):
        if line != rest:
            yield number, "".join(c for c, kept in zip(line, rest) if c == " " or c != kept)


def comments_of(root):
    for path in cpp_files(root, *FOLDERS):
        for number, words in comment_lines(path.read_text(encoding="utf-8", errors="replace")):
            yield path, number, words


def lines_of_pages(root):
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                if line.strip():
                    yield path, number, line


def python_files(root, *folders):
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def python_strings(text):
    """(line, text) of each string, but for those that stand alone, which are comments."""
    tree = ast.parse(text)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def messages_of(root):
    cpp = ((path, string_literals) for path in cpp_files(root, *FOLDERS_OF_MESSAGES))
    python = ((path, python_strings) for path in python_files(root, *FOLDERS_OF_MESSAGES))
    for path, strings in (*cpp, *python):
        for number, words in strings(path.read_text(encoding="utf-8", errors="replace")):
            if " " in words.strip():
                yield path, number, words


def names_of_tests(root):
    cpp = ((path, CPP_TEST) for path in cpp_files(root, "tests"))
    python = ((path, PYTHON_TEST) for path in python_files(root, "tests"))
    for path, pattern in (*cpp, *python):
        text = path.read_text(encoding="utf-8", errors="replace")
        for name in pattern.finditer(text):
            yield path, line_of(text, name.start()), name[1].replace("_", " ")


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
            f"{kind}: {percent:.2f} % have such words, {MOST_PERCENT} % may: " "prose.py --list"
        )
    return f"{kind}: {len(found)} of {len(lines)} ({percent:.2f} %)"


def main(arguments):
    if not arguments or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    root, listed = Path(arguments[0]), "--list" in arguments
    findings = report(root)
    kinds = {
        "comments": comments_of,
        "pages": lines_of_pages,
        "messages": messages_of,
        "names of tests": names_of_tests,
    }
    return findings.finish(
        ", ".join(check(kind, list(lines(root)), findings, listed) for kind, lines in kinds.items())
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
