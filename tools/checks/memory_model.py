#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collects what the code says about its atomics: every operation, its order and the line that it
pairs with.

usage: memory_model.py ROOT [--page FILE]

Fails on a comment `pairs with: ...` that names a field or a file which is nowhere in the tree, a
function that neither the core nor the same door has, or an operation of a function that has none on
an atomic. With --page it writes the reference of the memory model: docs/memory-model.md, and behind
it every structure's table and operations.
"""
import re
import sys
from pathlib import Path

from atomics import CALL, EXEMPT, LOOK_BACK, PAIR, arguments_of
from sources import code_only, cpp_files, line_of, report

FOLDERS = ("lazult", "include", "doors")
INTRODUCTION = "docs/memory-model.md"

ORDER = re.compile(r"\bmemory_order(?:_|::)(\w+)")
BARRIER = re.compile(
    r"\b(?:::|\.|\w)*\b(heavy_barrier|light_barrier|free_barrier)\s*\(\s*\)(?=\s*;)"
)

KEYWORD = re.compile(r"\s*(?:if|for|while|switch|catch|else|do|return|try)\b")
SCOPE = re.compile(r"\b(?:class|struct|union)\s+(?:\w+\([^()]*\)\s*|LAZULT_\w+\s+)*(\w+)[^()]*$")
LAMBDA = re.compile(r"\]\s*(?:<[^{}]*>)?\s*(?:\([^{}]*\))?[^(){}]*$")
NOISE = re.compile(
    r"\b(?:alignas|noexcept|requires|decltype|__attribute__|explicit)\s*"
    r"\((?:[^()]|\([^()]*\))*\)|template\s*<[^{}]*?>\s(?=\s*\w)"
)
FUNCTION = re.compile(r"((?:\w+(?:<[^<>()]*>)?::)*(?:operator\s*[^\s(]+|~?\w+))\s*\(")

# What a pair may be named by: f(), a_, light_barrier, "store of x", x.cpp.
CALLED = re.compile(r"(~?[A-Za-z_]\w*)\s*\(\)")
COMPOUND = re.compile(r"\b([a-z]\w*_\w*)\b(?!\.[a-z])")
OF = re.compile(
    r"\b(?:loads?|stores?|CAS|exchanges?) of "
    r"(?!the\b|it\b|its\b|all\b|a\b|an\b|each\b|another\b|both\b)([a-z]\w*)"
)
CLAIM = re.compile(
    r"((?:~?[\w:]+\(\)(?:,| and)? ?)+)(?:its |the )?"
    r"(?:loads?|stores?|CAS|exchanges?|fetch_\w+|compare_exchange)\b"
)
TABLE = re.compile(r"\bwritten by\b.*\bread by\b|^\s*from\s+to\s+by\b")
OPERATIONS = {
    "light_barrier",
    "free_barrier",
    "heavy_barrier",
    "load",
    "store",
    "exchange",
    "test_and_set",
}
FILE = re.compile(r"\b([\w/]+\.(?:hpp|cpp|h|c))\b")


class operation:
    def __init__(self, path, line, function, atomic, what, orders, pair):
        self.path, self.line, self.function, self.atomic = path, line, function, atomic
        self.what, self.orders, self.pair = what, orders, pair

    @property
    def is_strong(self):
        return any(order != "relaxed" for order in self.orders)


def heads_before(code):
    """(offset, text before the brace) of each opening brace, and (offset, None) of each closing
    one."""
    start = 0
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            yield match.start(), code[start : match.start()]
        elif match[0] == "}":
            yield match.start(), None
        start = match.end()


def name_of(head):
    """("scope" or "function" or None, its name) of what a brace opens."""
    head = re.sub(r"^\s*#.*$", "", head, flags=re.M)
    head = re.sub(r"^(\s*(?:public|private|protected)\s*:)+(?!:)", "", head)
    if KEYWORD.match(head) or LAMBDA.search(head):
        return None, None
    scope = SCOPE.search(
        re.sub(r"template\s*<.*?>\s(?=\s*(?:class|struct|union))", "", head, flags=re.S)
    )
    if scope:
        return "scope", scope[1]
    found = FUNCTION.search(NOISE.sub(" ", head))
    return ("function", found[1]) if found else (None, None)


def functions_at(code, offsets):
    """The function around each offset, with its class."""
    result, open_braces, braces = {}, [], list(heads_before(code))
    at = 0
    for offset in sorted(offsets):
        while at < len(braces) and braces[at][0] < offset:
            if braces[at][1] is None:
                open_braces and open_braces.pop()
            else:
                open_braces.append(name_of(braces[at][1]))
            at += 1
        function = next((name for kind, name in open_braces if kind == "function"), None)
        scopes = [name for kind, name in open_braces if kind == "scope"]
        result[offset] = (
            "::".join([*scopes[-1:], function]) + "()" if function else "::".join(scopes)
        )
    return result


def comment_text(line):
    found = re.search(r"//+\s?(.*)$", line)
    return found[1].strip() if found else None


def pair_in(lines, at):
    """What the comment on this line says after `pairs with:`, with its continuation; None if it
    says nothing."""
    if not PAIR.search(lines[at]):
        return None
    words = [PAIR.split(lines[at], maxsplit=1)[1].lstrip(": ")]
    for following in lines[at + 1 : at + 5]:
        if not following.lstrip().startswith("//") or PAIR.search(following):
            break
        words.append(comment_text(following))
    return " ".join(words).strip()


def pair_of(lines, first, last, is_strong):
    """What an operation on these lines pairs with: by a comment beside it, right above it, or, of a
    strong one, near."""
    for at in range(last, first - 1, -1):
        if pair_in(lines, at):
            return pair_in(lines, at)
    for at in range(first - 1, max(-1, first - LOOK_BACK - 1), -1):
        if not is_strong and not lines[at].lstrip().startswith("//"):
            return None
        if pair_in(lines, at):
            return pair_in(lines, at)
    return None


def start_of_group(code, closing):
    """Where the bracket opens that closes here."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return 0


def object_before(code, offset):
    """The expression whose member is called here: `top_`, `slot(i)`, `u->header.state`."""
    end = at = re.search(r"(?:\.|->)\s*(?:template\s+)?$", code[:offset]).start()
    while at > 0:
        if code[at - 1] in ")]":
            at = start_of_group(code, at - 1)
        elif re.match(r"[\w:.>-]", code[at - 1]):
            at -= 1
        elif re.match(r"\s*(?:\.|->)", code[at:]) and code[at - 1].isspace():
            at -= 1
        else:
            break
    return re.sub(r"\s+", " ", code[at:end]).strip()


def operations_in(path):
    text = path.read_text()
    code, lines = code_only(text), text.splitlines()
    found = []
    for match in CALL.finditer(code):
        orders = ORDER.findall(arguments_of(code, match.end() - 1)) or ["its caller's"]
        if not EXEMPT.search(lines[line_of(code, match.start(1)) - 1]):
            found.append((match.start(1), object_before(code, match.start(1)), match[1], orders))
    for match in BARRIER.finditer(code):
        found.append(
            (match.start(1), "", match[1], ["heavy" if match[1].startswith("heavy") else "light"])
        )
    where = functions_at(code, [offset for offset, *_ in found])
    for offset, atomic, what, orders in sorted(found):
        line = line_of(code, offset)
        last = line_of(code, offset + len(arguments_of(code, code.index("(", offset))))
        pair = pair_of(lines, line - 1, last - 1, any(order != "relaxed" for order in orders))
        yield operation(path, line, where[offset], atomic, what, orders, pair)


def paragraphs_in(text):
    """The comments of their own lines, as lists of lines between empty ones."""
    current = []
    for line in [*text.splitlines(), ""]:
        words = re.sub(r"^\s*// ?", "", line) if line.lstrip().startswith("//") else ""
        if words.strip():
            current.append(words)
        elif current:
            yield current
            current = []


def tables_in(text):
    """The tables `field | written by | ...` and the transitions of state words in comments, as they
    stand."""
    tables = []
    for lines in paragraphs_in(text):
        start = next((n for n, line in enumerate(lines) if TABLE.search(line)), None)
        if start is None and sum(" -> " in line for line in lines) > 1:
            start = 0
        if start is not None:
            tables.append("\n".join(lines[start:]))
    return tables


def pairs_in(lines):
    """(line number, text) of each comment that names a pair."""
    for number, line in enumerate(lines):
        if PAIR.search(line) and "//" in line:
            yield number + 1, pair_in(lines, number)


def zone_of(root, path):
    """The core, or a door: who pairs stays in its own zone or pairs with the core."""
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "doors" else "core"


class catalogue:
    """What there is in the tree to pair with."""

    def __init__(self, root, paths):
        self.root = root
        self.words = {"compare_exchange"}
        self.files = {str(path) for path in paths}
        self.zones = {}  # by function
        self.atomic = set()  # functions with an operation on an atomic
        for path in paths:
            code = code_only(path.read_text())
            self.words |= set(re.findall(r"\w+", code))
            for _, head in heads_before(code):
                kind, name = name_of(head) if head else (None, None)
                if kind == "function":
                    self.zones.setdefault(name.split("::")[-1], set()).add(zone_of(root, path))
            self.atomic |= {
                each.function.split("::")[-1].removesuffix("()") for each in operations_in(path)
            }

    def faults(self, path, pair):
        """Why nobody can find what this comment names."""
        for name in sorted({*COMPOUND.findall(pair), *OF.findall(pair)} - self.words):
            yield f"{name}, which is nowhere in the tree"
        for name in sorted(set(CALLED.findall(pair)) - OPERATIONS):
            if not self.zones.get(name, set()) & {zone_of(self.root, path), "core"}:
                yield f"{name}(), and neither the core nor this door has such a function"
        for name in (name for claim in CLAIM.findall(pair) for name in CALLED.findall(claim)):
            if name in self.zones and name not in self.atomic:
                yield f"an operation in {name}(), which has none on an atomic"
        for name in FILE.findall(pair):
            if not any(file.endswith("/" + name) for file in self.files):
                yield f"{name}, and there is no such file"


def check(root, paths, findings):
    known, pairs = catalogue(root, paths), 0
    for path in paths:
        for line, pair in pairs_in(path.read_text().splitlines()):
            pairs += 1
            for fault in known.faults(path, pair):
                findings.error(path, line, f"pairs with {fault}")
    return pairs


def cell(text):
    return re.sub(r"\s+", " ", text or "").replace("|", "\\|")


def rows_of(operations):
    for each in operations:
        if each.is_strong or each.pair:
            atomic = f"`{cell(each.atomic)}`" if each.atomic else ""
            yield (
                f"| {atomic} | {each.what} | `{cell(each.function)}` | {', '.join(each.orders)} "
                f"| {cell(each.pair)} |"
            )


def section_of(root, path, operations):
    lines = [f"### {path.relative_to(root)}", ""]
    for table in tables_in(path.read_text()):
        lines += ["```text", table, "```", ""]
    rows = list(rows_of(operations))
    if rows:
        lines += [
            "| atomic | operation | in | order | pairs with |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    relaxed = sorted(
        {
            f"`{cell(each.atomic)}` in `{cell(each.function)}`"
            for each in operations
            if not each.is_strong and not each.pair
        }
    )
    if relaxed:
        lines += ["Relaxed, ordering nothing else: " + ", ".join(relaxed) + ".", ""]
    return "\n".join(lines)


def page(root, paths):
    sections, count = [], 0
    for path in paths:
        operations = list(operations_in(path))
        count += len(operations)
        if operations or tables_in(path.read_text()):
            sections.append(section_of(root, path, operations))
    introduction = (root / INTRODUCTION).read_text()
    return f"{introduction}\n## Every atomic: {count} operations\n\n" + "\n".join(sections)


def main(arguments):
    if len(arguments) not in (1, 3) or (len(arguments) == 3 and arguments[1] != "--page"):
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    findings = report(root)
    paths = [path for path in cpp_files(root, *FOLDERS) if path.suffix in (".hpp", ".cpp")]
    pairs = check(root, paths, findings)
    if len(arguments) == 3:
        Path(arguments[2]).write_text(page(root, paths))
    return findings.finish(f"memory model: {pairs} pairs named")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
