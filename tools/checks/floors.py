#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the floors of the house: which file may include which, and where the platform may be asked
for.

usage: floors.py ROOT

Fails on an include that goes up, across (ds and topo, door and door), past a lower floor's
umbrella, or round in a circle, on internal headers in public ones, and on #if about the
architecture outside arch/ or about the operating system or a sanitizer outside os/ and probe/.
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, line_of, report, without_comments

HEIGHTS = {
    "base": 0,
    "arch": 1,
    "os": 2,
    "probe": 3,
    "ds": 4,
    "topo": 4,
    "core": 5,
    "watch": 6,
    "sched": 7,
    "sync": 8,
    "io": 9,
    "api": 10,
}
TOP = max(HEIGHTS.values())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(?:\\\n|[^\n])*", re.M)

ARCHITECTURE = re.compile(
    r"\b(?:__x86_64(?:__)?|__amd64(?:__)?|__i[3-6]86(?:__)?|__aarch64__|__arm(?:64)?__|__ARM_\w+"
    r"|__riscv\w*|__powerpc\w*|__s390\w*|__loongarch\w*|__SSE\w*|__AVX\w*|__CET__"
    r"|LAZULT_ARCH_(?:X86_64|AARCH64|GENERIC))\b"
)
SYSTEM = re.compile(
    r"\b(?:__(?:gnu_)?linux(?:__)?|linux|__unix(?:__)?|__APPLE__|__MACH__|_WIN(?:32|64)"
    r"|__\w*BSD__|__GLIBC\w*|__ANDROID__|__NR_\w+|SYS_\w+|MADV_\w+|MAP_\w+)\b"
    r"|__has_include\s*\(\s*<(?:sys|linux|valgrind)/"
)
SANITIZER = re.compile(r"\b(?:__SANITIZE_\w+|\w+_sanitizer|__ASAN__|__TSAN__)\b")


class place:
    """Where a file stands: a floor of lazult/, the public headers, or a door."""

    def __init__(self, root, path):
        parts = path.relative_to(root).parts
        self.kind = parts[0]
        self.floor = parts[1] if self.kind == "lazult" and len(parts) > 2 else None
        self.door = parts[1] if self.kind == "doors" and len(parts) > 2 else None
        self.height = HEIGHTS.get(self.floor)

    @property
    def name(self):
        if self.kind == "include":
            return "the public headers"
        if self.door:
            return f"door {self.door}"
        return f"floor {self.floor} ({self.height})"


def resolve(root, source, style, name):
    """The file of this tree that an include means, or None for one of the system's."""
    candidates = [root / name, root / "include" / name]
    if style == '"':
        candidates.insert(0, source.parent / name)
        parts = source.relative_to(root).parts
        if parts[0] == "doors" and len(parts) > 2:
            door = root / "doors" / parts[1]
            candidates += [
                door / name,
                door / "src" / name,
                door / "include" / name,
                root / "doors" / name,
            ]
    for candidate in candidates:
        if candidate.is_file():
            path = candidate.resolve()
            return path if path.is_relative_to(root) else None
    return None


def is_umbrella(root, path):
    parts = path.relative_to(root).parts
    return len(parts) == 3 and parts[2] == f"{parts[1]}.hpp"


def objection(root, source, target):
    """Why source may not include target, or None."""
    here, there = place(root, source), place(root, target)
    if there.kind == "lazult":
        if there.height is None:
            return f"{target.relative_to(root)} stands on no floor"
        if here.kind == "include":
            return f"a public header includes the internal {there.name}"
        if here.kind == "lazult":
            if here.floor == there.floor:
                return None
            if there.height > here.height:
                return f"upward: {here.name} includes {there.name}"
            if there.height == here.height:
                return f"across: {here.name} and {there.name} do not see each other"
        if not is_umbrella(root, target):
            return f"past the umbrella: include lazult/{there.floor}/{there.floor}.hpp instead"
        return None
    if there.kind == "include":
        if here.kind == "lazult" and here.height < TOP:
            return f"upward: {here.name} includes a public header"
        return None
    if there.kind == "doors":
        if here.kind != "doors":
            return f"upward: {here.name} includes {there.name}"
        if here.door != there.door:
            return f"across: {here.name} includes {there.name}"
    return None


def check_includes(root, path, text, findings):
    """Reports forbidden includes; returns (line, target) of the ones inside the tree."""
    edges = []
    for match in INCLUDE.finditer(text):
        style, name = match.groups()
        line = line_of(text, match.start(2))
        target = resolve(root, path, style, name)
        if target is None:
            if style == '"' or name.startswith("lazult/"):
                findings.error(path, line, f"there is no {name}")
            continue
        if target.relative_to(root).parts[0] not in ("lazult", "include", "doors"):
            findings.error(path, line, f"{name} is no part of the library")
            continue
        edges.append((line, target))
        reason = objection(root, path, target)
        if reason:
            findings.error(path, line, reason)
    return edges


def check_conditions(root, path, text, findings):
    floor = place(root, path).floor
    rules = (
        (ARCHITECTURE, ("arch",), "the architecture"),
        (SYSTEM, ("os", "probe"), "the operating system"),
        (SANITIZER, ("os", "probe"), "a sanitizer"),
    )
    for match in CONDITION.finditer(text):
        for pattern, allowed, subject in rules:
            word = pattern.search(match[0])
            if word and floor not in allowed:
                homes = " and ".join(f"{home}/" for home in allowed)
                line = line_of(text, match.start() + match[0].index("#"))
                findings.error(path, line, f"#if on {subject} ({word[0]}) belongs in {homes}")


def check_cycles(root, graph, findings):
    """Reports each include that closes a circle."""
    done, trail = set(), []

    def visit(path):
        trail.append(path)
        for line, target in graph.get(path, ()):
            if target in trail:
                circle = trail[trail.index(target) :] + [target]
                names = " -> ".join(str(member.relative_to(root)) for member in circle)
                findings.error(path, line, f"circle: {names}")
            elif target not in done:
                visit(target)
        trail.pop()
        done.add(path)

    for path in graph:
        if path not in done:
            visit(path)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    findings = report(root)
    graph = {}
    for path in cpp_files(root, "lazult", "include", "doors"):
        here = place(root, path)
        if here.kind == "lazult" and here.height is None:
            findings.error(path, 1, f"stands on no floor; floors are {', '.join(HEIGHTS)}")
            continue
        text = without_comments(path.read_text())
        graph[path] = check_includes(root, path, text, findings)
        check_conditions(root, path, text, findings)
    check_cycles(root, graph, findings)
    edges = sum(map(len, graph.values()))
    return findings.finish(f"floors: {len(graph)} files, {edges} includes of each other")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
