#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the components of a floor, and of a door, depend on each other one way.

usage: components.py ROOT [--list]    --list names each include of the circles, too

A component is what has one name in one folder: NAME.hpp, NAME.cpp, and NAME_slow.hpp, which is the
part of the first that is compiled once. Fails on components that include each other in a circle,
and on folders of a floor or of a door that do. Circles of headers alone are floors.py's.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

from floors import INCLUDE, resolve
from sources import cpp_files, line_of, report, without_comments


def component_of(root, path):
    name = str(path.relative_to(root).with_suffix(""))
    return re.sub(r"_slow$", "", name)


def room_of(component):
    """The folder inside a floor or a door's source that a component stands in, or None."""
    parts = component.split("/")
    above = {"lazult": 2, "doors": 3}.get(parts[0], len(parts))
    return "/".join(parts[: above + 1]) if len(parts) > above + 1 else None


def includes_of(root):
    """Each include of the library, as (file, line, the component, the component that it needs)."""
    for path in cpp_files(root, "lazult", "include", "doors"):
        text = without_comments(path.read_text())
        for match in INCLUDE.finditer(text):
            target = resolve(root, path, *match.groups())
            if target is not None:
                here, there = component_of(root, path), component_of(root, target)
                if here != there:
                    yield path, line_of(text, match.start(2)), here, there


def circles(graph):
    """The strongly connected sets of more than one node (Tarjan's algorithm)."""
    index, low, trail, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        trail.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
            if other in trail:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = trail.index(node)
            if len(trail) - at > 1:
                found.append(set(trail[at:]))
            del trail[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def complain(kind, edges, findings, listed):
    """`edges`: (file, line, from, to). Reports each circle once, at its first include."""
    graph = defaultdict(set)
    for _, _, here, there in edges:
        graph[here].add(there)
    for circle in circles(graph):
        inside = [edge for edge in edges if edge[2] in circle and edge[3] in circle]
        path, line = inside[0][:2]
        findings.error(path, line, f"{kind} in a circle: {', '.join(sorted(circle))}")
        if listed:
            for path, line, _, there in inside:
                print(f"  {findings.where(path, line)}: needs {there}")


def main(arguments):
    listed = "--list" in arguments
    roots = [word for word in arguments if word != "--list"]
    if len(roots) != 1 or not Path(roots[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    sys.setrecursionlimit(10000)
    root = Path(roots[0]).resolve()
    findings = report(root)
    edges = list(includes_of(root))
    complain("components", edges, findings, listed)
    rooms = [(path, line, room_of(here), room_of(there)) for path, line, here, there in edges]
    complain(
        "folders",
        [edge for edge in rooms if edge[2] and edge[3] and edge[2] != edge[3]],
        findings,
        listed,
    )
    names = {name for edge in edges for name in edge[2:]}
    return findings.finish(f"components: {len(names)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
