#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no source file passes 800 lines; lists functions over 40 lines and prints the median.

usage: sizes.py ROOT
"""
import re
import statistics
import sys
from pathlib import Path

from sources import code_only, cpp_files, line_of, report

FILE_LIMIT = 800
FUNCTION_LIMIT = 40
FOLDERS = ("lazult", "include", "doors", "tools", "bench", "apps", "examples", "tests")
SCRIPT_SUFFIXES = {".py", ".sh", ".cmake", ".pml"}

SCOPE = re.compile(
    r"^(?:inline\s+)?namespace\b|^extern\b|\b(?:class|struct|union|enum)\b(?![^<]*>)"
)
BODY_FOLLOWS = re.compile(r"(?:[)}]|\b(?:const|noexcept|override|final|try)|&|->\s*[^(){}]+)$")
ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:(?!:)")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def without_groups(head):
    """The head of a definition without what stands in parentheses, braces or angle brackets."""
    head = re.sub(r"\boperator\s*(?:\(\)|[^\s\w(]+)", "operator_", head)
    for group in (r"\([^()]*\)", r"\{[^{}]*\}", r"<[^<>]*>"):
        while (shorter := re.sub(group, " ", head)) != head:
            head = shorter
    return head


def kind_of_brace(head):
    """What a brace at namespace or class scope opens after this head: a function, a scope or an
    initialiser."""
    head = head.strip()
    if "(" in head and BODY_FOLLOWS.search(head) and "=" not in without_groups(head):
        return "function"
    return "scope" if SCOPE.search(head) and "=" not in without_groups(head) else "block"


def functions(text):
    """(first line, last line) of every function defined at namespace or class scope."""
    code = PREPROCESSOR.sub(lambda directive: re.sub(r"[^\n]", " ", directive[0]), code_only(text))
    found, scopes, head_start, parentheses = [], [], 0, 0
    for match in re.finditer(r"[{}();]", code):
        symbol, at = match[0], match.start()
        nested = parentheses > 0 or any(kind != "scope" for kind, _ in scopes)
        if symbol == "{":
            while access := ACCESS.match(code, head_start, at):
                head_start = access.end()
            head = code[head_start:at]
            kind = "block" if nested else kind_of_brace(head)
            scopes.append((kind, head_start + len(head) - len(head.lstrip())))
            head_start = at + 1 if kind == "scope" else head_start
        elif symbol == "}" and scopes:
            kind, start = scopes.pop()
            if kind == "function":
                found.append((line_of(code, start), line_of(code, at)))
            # An initialiser such as `: a_{1}, b_{2} {` is part of the head that it stands in.
            head_start = head_start if kind == "block" else at + 1
        elif symbol == ";" and not nested:
            head_start = at + 1
        parentheses += {"(": 1, ")": -1}.get(symbol, 0)
    return found


def scripts(root):
    for folder in (*FOLDERS, "cmake"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in SCRIPT_SUFFIXES:
                yield path


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    findings = report(root)
    lengths, files = [], 0
    for path in [*cpp_files(root, *FOLDERS), *scripts(root)]:
        files += 1
        text = path.read_text()
        lines = len(text.splitlines())
        if lines > FILE_LIMIT:
            findings.error(path, lines, f"{lines} lines; no file passes {FILE_LIMIT}")
        if path.suffix == ".S" or path.suffix in SCRIPT_SUFFIXES:
            continue
        own = [(first, last) for first, last in functions(text)]
        for first, last in own:
            if last - first + 1 > FUNCTION_LIMIT:
                print(
                    f"warning: {findings.where(path, first)}: "
                    f"a function of {last - first + 1} lines"
                )
        if path.relative_to(root).parts[0] in ("lazult", "include", "doors"):
            lengths += [last - first + 1 for first, last in own]
    median = statistics.median(lengths) if lengths else 0
    over = sum(length > FUNCTION_LIMIT for length in lengths)
    return findings.finish(
        f"sizes: {files} files; library: {len(lengths)} functions, median {median:g} lines, "
        f"{over} over {FUNCTION_LIMIT}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
