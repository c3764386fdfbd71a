#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks how atomics are written: every order explicit, no operators, no bare fences, every pair
named.

usage: atomics.py ROOT

A reader of text and not a compiler: it knows an atomic by its declaration in the same file, or in
the header of the same name. A line that it takes for an atomic's and is not may end in the comment
`not atomic`.
"""
import re
import sys
from pathlib import Path

from sources import code_only, cpp_files, line_of, report

CALL = re.compile(
    r"(?:\.|->)\s*(?:template\s+)?"
    r"(load|store|exchange|compare_exchange_(?:weak|strong)|fetch_(?:add|sub|or|and|xor)"
    r"|test_and_set)\s*\("
)
DECLARATION = re.compile(
    r"\batomic(?:_(?:bool|flag|u?int\w*|size_t|ref))?\s*(?:<[^;{}()]*>)?[\s>]*"
    r"\s(\w+)\s*(?:\[[^\]]*\]\s*)*(?=[;{=(])"
)
FENCE = re.compile(r"\b(?:atomic_thread_fence|__sync_synchronize|__atomic_thread_fence)\b")
DEFAULT_ORDER = re.compile(r"\bmemory_order\s+\w+\s*=")
STRONG_ORDER = re.compile(r"\bmemory_order(?:_|::)(acquire|release|acq_rel|seq_cst|consume)\b")
ANY_ORDER = re.compile(
    r"\bmemory_order|\border\b|\b\w*_order\b|\border_\w*\b|\b(?:success|failure)\b"
)
PAIR = re.compile(r"\bpairs?\s+with\b|\bpaired\s+with\b", re.I)
EXEMPT = re.compile(r"//.*\bnot atomic\b")
LOOK_BACK = 5


def arguments_of(code, opening):
    """The text between the parenthesis at `opening` and its partner."""
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return code[opening + 1 : at]
    return code[opening + 1 :]


def check_orders(path, code, exempt, findings):
    for match in CALL.finditer(code):
        operation = match[1]
        line = line_of(code, match.start(1))
        arguments = arguments_of(code, match.end() - 1)
        orders = len(ANY_ORDER.findall(arguments))
        if line in exempt:
            continue
        if orders == 0:
            findings.error(path, line, f"{operation} without a memory order")
        elif operation.startswith("compare_exchange") and orders < 2:
            findings.error(path, line, f"{operation} without both memory orders")
    for match in DEFAULT_ORDER.finditer(code):
        findings.error(path, line_of(code, match.start()), "a default memory order")


def check_fences(path, code, exempt, findings):
    for match in FENCE.finditer(code):
        if line_of(code, match.start()) in exempt:
            continue
        findings.error(
            path,
            line_of(code, match.start()),
            f"a bare fence ({match[0]}): ThreadSanitizer does not model it",
        )


def check_pairs(path, lines, code_lines, findings):
    for number, code in enumerate(code_lines):
        match = STRONG_ORDER.search(code)
        if (
            match
            and "signal_fence" not in code
            and not any(
                PAIR.search(line) for line in lines[max(0, number - LOOK_BACK) : number + 1]
            )
        ):
            findings.error(
                path, number + 1, f"{match[1]} names no pair: add the comment `pairs with: ...`"
            )


def check_operators(path, code, names, exempt, findings):
    for name in sorted(names):
        # Plain structures often have a field of the same name; private members, ending in _, are
        # not confused.
        member = r"|\.|->" if name.endswith("_") else ""
        operators = re.compile(
            rf"(?:\+\+|--)\s*(?:\w+(?:\.|->))*{name}\b(?!\s*(?:\.|->|\[))"
            rf"|\b{name}\s*(?:\+\+|--|[-+|&^]=)"
            rf"|(?:^|[;{{}}]{member})[ \t]*{name}\s*=(?!=)",
            re.M,
        )
        for match in operators.finditer(code):
            line = line_of(code, match.end())
            if line not in exempt:
                findings.error(path, line, f"an operator on the atomic {name}")


def atomics_in(code):
    return set(DECLARATION.findall(code))


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    findings = report(root)
    files = strong = 0
    for path in cpp_files(root, "lazult", "include", "doors"):
        if path.suffix == ".S":
            continue
        files += 1
        text = path.read_text()
        code = code_only(text)
        lines = text.splitlines()
        exempt = {number for number, line in enumerate(lines, 1) if EXEMPT.search(line)}
        names = atomics_in(code)
        header = path.with_suffix(".hpp")
        if header != path and header.is_file():
            names |= atomics_in(code_only(header.read_text()))
        strong += len(STRONG_ORDER.findall(code))
        check_orders(path, code, exempt, findings)
        check_fences(path, code, exempt, findings)
        check_pairs(path, lines, code.splitlines(), findings)
        check_operators(path, code, names, exempt, findings)
    return findings.finish(f"atomics: {files} files, {strong} orders stronger than relaxed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
