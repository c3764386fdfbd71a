# SPDX-License-Identifier: BSD-3-Clause
"""Compares what was measured with what the paper has, for Figures 11 and 12: whether the versions
are in the paper's order, and by how much each mechanism helps."""
import math

import concert_paper as paper

MEASURED = ("efficiency", "low", "high")
CLEAR_GAIN = 0.03  # of efficiency: means that differ by less say nothing
LEAST_GAP = 0.01  # of efficiency: two simulated rows that differ by less are equal


def scaled(rows, ranks=None, processors=None):
    """Efficiency of the processors that the ranks have: four ranks of two processors cannot have
    more than half of what four have. Simulated ranks have a processor each."""
    factor = max(1, ranks / processors) if ranks and processors else 1
    return [
        {**row, **{end: row.get(end, row["efficiency"]) * factor for end in MEASURED}}
        for row in rows
    ]


def best(rows):
    return max(row["efficiency"] for row in rows)


def relative(rows):
    """In multiples of the best point: what the versions differ by where other programs leave the
    ranks a share of the processors only."""
    return [{**row, **{key: row[key] / best(rows) for key in MEASURED}} for row in rows]


# --- the order of versions


def point_of(row):
    return row["pattern"], row["tau_us"], row["sigma"], row["local_percent"]


def by_point(rows):
    points = {}
    for row in rows:
        points.setdefault(point_of(row), {})[row["version"]] = row
    return points


def has_spread(rows):
    return max(row.get("rounds", 2) for row in rows) > 1


def percent(share):
    return f"{round(100 * share):d}"


def compare(lesser, greater):
    """right, wrong, or even where the gap is within the spread."""
    if greater["low"] > lesser["high"] + LEAST_GAP:
        return "right"
    if lesser["low"] > greater["high"] + LEAST_GAP:
        return "wrong"
    return "even"


def order(rows):
    """How often the versions are in the paper's order, and where they are not."""
    counts = {"right": 0, "even": 0, "wrong": 0}
    against = []
    for point, of in by_point(rows).items():
        for lesser, greater in paper.ORDER:
            if lesser in of and greater in of:
                found = compare(of[lesser], of[greater])
                counts[found] += 1
                if found == "wrong":
                    gap = of[lesser]["efficiency"] - of[greater]["efficiency"]
                    against.append((gap, lesser, greater, point))
    return counts, sorted(against, reverse=True)


def counts_words(counts):
    return (
        f"Order of versions, in pairs: {counts['right']} as in the paper, {counts['wrong']} "
        f"against it, {counts['even']} within the spread."
    )


def order_words(rows):
    counts, against = order(rows)
    words = counts_words(counts)
    if against:
        gap, lesser, greater, (pattern, tau, sigma, local) = against[0]
        words += (
            f" Against it most: {lesser} above {greater} by {percent(gap)} points at {tau:g} us, "
            f"{local:g} % local"
            + (f" ({pattern}, sigma {sigma:g})." if pattern != "random" else ".")
        )
    return words


# --- what a mechanism adds


def gains(rows, without, using):
    """[(local, tau, points)]"""
    return [
        (local, tau, of[using]["efficiency"] - of[without]["efficiency"])
        for (_, tau, _, local), of in by_point(rows).items()
        if without in of and using in of
    ]


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def growth_words(more):
    if abs(more) < CLEAR_GAIN:
        return " (no clear difference)"
    return " (as in the paper)" if more > 0 else " (not as in the paper)"


def gain_words(rows):
    """The largest gains of both mechanisms, and where they are larger."""
    words = []
    for name, pairs, end in (
        ("the stack", (("base", "stack"), ("pull", "stack+pull")), "local"),
        ("pull", (("base", "pull"), ("stack", "stack+pull")), "remote"),
    ):
        found = [gain for pair in pairs for gain in gains(rows, *pair)]
        if not found:
            continue
        near = mean(points for local, _, points in found if local >= 80)
        far = mean(points for local, _, points in found if local <= 20)
        more = near - far if end == "local" else far - near
        words.append(
            f"{name} adds up to {percent(max(each[2] for each in found))} points; its mean gain is "
            f"{percent(near)} points from 80 % local, {percent(far)} up to 20 %"
            + growth_words(more)
        )
    return ("; ".join(words) + ".").capitalize() if words else ""


def values_of(rows, key):
    return sorted({row[key] for row in rows})


# --- Figure 12: robustness


def pattern_spreads(rows, version):
    """[(sigma, tau, points between the best and the worst pattern)]"""
    groups = {}
    for row in rows:
        if row["version"] == version:
            groups.setdefault((row["sigma"], row["tau_us"]), []).append(row["efficiency"])
    return [(*group, max(values) - min(values)) for group, values in groups.items()]


def mean_efficiency(rows, version):
    return mean(row["efficiency"] for row in rows if row["version"] == version)


def pattern_words(rows):
    words = []
    for version in ("stack", "stack+pull"):
        spreads = [each[2] for each in pattern_spreads(rows, version)]
        if spreads:
            words.append(
                f"{version} has {percent(mean_efficiency(rows, version))} % in the mean, and its "
                f"patterns differ by up to {percent(max(spreads))} points"
            )
    more = mean_efficiency(rows, "stack+pull") - mean_efficiency(rows, "stack")
    words = "; ".join(words)
    pull = "Pull makes no clear difference; in the paper it helps"
    if abs(more) >= CLEAR_GAIN:
        pull = "Pull helps, as in the paper" if more > 0 else "Pull harms; in the paper it helps"
    return f"{words}. {pull}."
