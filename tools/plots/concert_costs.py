# SPDX-License-Identifier: BSD-3-Clause
"""Compares Tables 1 and 4, and Figures 10, 14 and 15, with the paper."""
import concert_paper as paper
from concert_verdicts import compare, counts_words, percent


PATTERN_NAMES = {"hotspot4": "hotspot x4", "hotspot16": "hotspot x16"}


def pattern_of(row):
    name = row.get("pattern") or row["benchmark"]
    return PATTERN_NAMES.get(name, name)


def ratios(rows, scheme, size):
    """Each pattern's overhead in multiples of all-to-all's."""
    of = {
        pattern_of(row): row["harmonic_mean"]
        for row in rows
        if (row["scheme"], row["bytes"]) == (scheme, size)
    }
    base = of.get("all-to-all")
    return {name: value / base for name, value in of.items()} if base else {}


def send_points(rows):
    """[(pattern, microseconds, the paper's, whether they are within 30 %)] of 1,024 bytes by push.
    All-to-all is not among them: the network's contention is part of it."""
    of = {
        pattern_of(row): row["harmonic_mean"] / 1000
        for row in rows
        if (row["scheme"], row["bytes"]) == ("push", 1024)
    }
    return [
        (name, of[name], theirs, abs(of[name] / theirs - 1) <= paper.SEND_TOLERANCE)
        for name, theirs in paper.PUSH_1024.items()
        if name in of and name != "all-to-all"
    ]


def send_point_words(rows):
    listed = ", ".join(
        f"{name} {value:.1f} us (paper {theirs}: {'met' if is_met else 'not met'})"
        for name, value, theirs, is_met in send_points(rows)
    )
    return f"Within 30 % of the paper, 1,024 bytes by push: {listed}." if listed else ""


def send_words(rows):
    """In multiples of all-to-all; the paper's are 0.45, 3.2 and 15 by push, and 1 by pull."""
    size = max(row["bytes"] for row in rows)
    push, pull = ratios(rows, "push", size), ratios(rows, "pull", size)
    if not push or not pull:
        return "There is no all-to-all to compare with."
    theirs = {
        name: value / paper.PUSH_1024["all-to-all"] for name, value in paper.PUSH_1024.items()
    }
    listed = ", ".join(
        f"{name} {push[name]:.2g} (paper {theirs[name]:.2g})"
        for name in theirs
        if name in push and name != "all-to-all"
    )
    spread = max(pull.values()) / min(pull.values())
    other = sum(
        1
        for name in theirs
        if name in push and (push[name] > 1) != (theirs[name] > 1) and name != "all-to-all"
    )
    return (
        f"{size:,} bytes by push, in multiples of all-to-all: {listed}. By pull the patterns "
        f"differ by a factor of {spread:.2g} (paper: 1). "
        + (
            "Push degrades where it does in the paper."
            if other == 0
            else f"{other} of these lie on the other side of all-to-all than in the paper."
        )
    )


def speedups(rows):
    """{version: {ranks: speed-up}} from the fastest time of one rank; that of the sequential
    program, in the same measure, is `sequential`."""
    times = {(row["version"], row["ranks"]): row["seconds"] for row in rows}
    alone = [value for (version, ranks), value in times.items() if ranks == 1]
    if not alone:
        return {}
    found = {}
    for (version, ranks), value in times.items():
        found.setdefault(version, {})[ranks] = min(alone) / value
    return found


def speedup_words(rows, theirs, at):
    found = speedups(rows)
    if not found:
        return "There is no time of one rank to compare with."
    versions = [version for version in found if version != "sequential"]
    ranks = max(number for version in versions for number in found[version])
    listed = ", ".join(
        f"{version} {found[version][ranks]:.2f} (paper {theirs[version]} at {at})"
        if version in theirs
        else f"{version} {found[version][ranks]:.2f}"
        for version in versions
        if ranks in found[version]
    )
    words = f"Speed-up at {ranks} ranks: {listed}."
    one = [found[version][1] for version in versions if 1 in found[version]]
    if "sequential" in found and one:
        share = max(one) / found["sequential"][1]
        words += f" One rank has {percent(share)} % of the sequential program's speed."
    counts = {"right": 0, "even": 0, "wrong": 0}
    for lesser, greater, _ in speedup_pairs(rows):
        counts[compare(lesser, greater)] += 1
    return f"{words} {counts_words(counts)}"


def speedup_pairs(rows):
    """Pairs of versions on as many ranks, with speed-ups for efficiencies."""
    alone = min(row["seconds"] for row in rows if row["ranks"] == 1)
    by_ranks = {}
    for row in rows:
        ends = (("low", "high"), ("efficiency", "seconds"), ("high", "low"))
        found = {end: alone / row.get(of, row["seconds"]) for end, of in ends}
        by_ranks.setdefault(row["ranks"], {})[row["version"]] = found
    return [
        (of[lesser], of[greater], ranks)
        for ranks, of in by_ranks.items()
        for lesser, greater in paper.ORDER
        if ranks > 1 and lesser in of and greater in of
    ]


# --- Tables 1 and 4


def with_instructions(parts, name):
    counts = {
        row["benchmark"]: row["instructions"]
        for row in parts.get(f"{name}-instructions", {}).get("rows", [])
    }
    return [
        {**row, "instructions": counts.get(row["benchmark"])}
        for row in parts.get(name, {}).get("rows", [])
    ]


def cycles_of_paper(row):
    return row["t3d_us"] * paper.CYCLES_OF_A_MICROSECOND if "t3d_us" in row else None


def primitive_words(rows):
    of = {row["benchmark"]: row for row in rows if cycles_of_paper(row)}
    whole = of.get("create, enqueue, dequeue, delete")
    if whole is None or "cycles" not in whole:
        return "There are no cycles to compare: this processor has no time-stamp counter."
    share = whole["cycles"] / cycles_of_paper(whole)
    relative = sorted(
        (row["cycles"] / cycles_of_paper(row) / share, name) for name, row in of.items()
    )
    count = whole["instructions"]
    return (
        f"Here a thread takes {whole['median']:.0f} ns, {whole['cycles']:.0f} cycles"
        + (f" and {count:.0f} instructions" if count else "")
        + f": {share:.2g} times the paper's cycles. In proportion to that, the dearest is "
        f"{relative[-1][1]} ({relative[-1][0]:.1f} times its share in the paper), the cheapest "
        f"{relative[0][1]} ({relative[0][0]:.2g} times)."
    )


def schema_words(rows):
    of = {row["benchmark"]: row for row in rows}
    plain, heap = of["plain C call"], of["in a context (heap)"]
    words = ""
    if plain["instructions"] is not None:
        more = [
            f"{of[name]['instructions'] - plain['instructions']:.0f} ({name}, paper {theirs})"
            for name, theirs in (
                ("never-blocking", 0),
                ("may-block", 6),
                ("continuation-passing", 8),
                ("in a context (heap)", 320),
            )
        ]
        words = f"Instructions more than a plain call: {', '.join(more)}. "
    blocking = [
        (row["median"] / heap["median"], row["benchmark"])
        for row in rows
        if "caller" in row["benchmark"]
    ]
    dearest = max(blocking)
    return (
        f"{words}A call in a context takes {heap['median'] / of['may-block']['median']:.0f} times "
        f"as long as a may-block call. To block costs up to {dearest[0]:.1f} heap calls more "
        f"({dearest[1]}); in the paper up to {3.5 / paper.HEAP_CALL_US:.1f} (continuation-passing "
        "caller, may-block callee)."
    )
