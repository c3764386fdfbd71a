# SPDX-License-Identifier: BSD-3-Clause
"""Figure 13: where in the plane of granularity and local accesses a version has 70 %, and whether
that is where the paper has it."""
import itertools
import math

import concert_paper as paper
from concert_verdicts import percent, values_of


def curve(rows, version, local):
    """[(tau, efficiency)] by ascending tau."""
    return sorted(
        (row["tau_us"], row["efficiency"])
        for row in rows
        if row["version"] == version and row["local_percent"] == local
    )


def crossing(low, high, threshold):
    """Where the line between two points (x, y), over log x, passes the threshold."""
    (x0, y0), (x1, y1) = low, high
    share = (threshold - y0) / (y1 - y0)
    return math.exp(math.log(x0) + share * (math.log(x1) - math.log(x0)))


def least_tau(points, threshold=paper.REACHED):
    """The edge of the region that reaches to the greatest tau; None: that is outside. The second
    value says whether all of the grid is inside."""
    if not points or points[-1][1] < threshold:
        return None, False
    for low, high in zip(points[-2::-1], points[:0:-1]):
        if low[1] < threshold:
            return crossing(low, high, threshold), False
    return points[0][0], True


def edge(rows, version, threshold=paper.REACHED):
    """{local: (least tau or None, whether it is the grid's first)}"""
    return {
        local: least_tau(curve(rows, version, local), threshold)
        for local in values_of(rows, "local_percent")
    }


def least_at(rows, version, tau, threshold):
    """The least percent local of the region that reaches to the most, at this granularity, by
    interpolation; None: the most is outside."""
    points = sorted(
        (row["local_percent"], row["efficiency"])
        for row in rows
        if row["version"] == version and row["tau_us"] == tau
    )
    if not points or points[-1][1] < threshold:
        return None
    for (x0, y0), (x1, y1) in zip(points[-2::-1], points[:0:-1]):
        if y0 < threshold:
            return x1 - (x1 - x0) * (y1 - threshold) / (y1 - y0)
    return points[0][0]


def least_local(rows, version, threshold=paper.REACHED):
    """The least percent local at which 70 % is reached at any granularity; None: at none."""
    found = [least_at(rows, version, tau, threshold) for tau in values_of(rows, "tau_us")]
    inside = [each for each in found if each is not None]
    # A point may be above 70 % though it is not where all is local: the spread does that.
    alone = [
        row["local_percent"]
        for row in rows
        if row["version"] == version and row["efficiency"] >= threshold
    ]
    return min(inside or alone, default=None)


def ends(rows, version):
    """(least tau, whether it is the grid's first, least local) of the version's region."""
    reached = [each for each in edge(rows, version).values() if each[0] is not None]
    tau, is_first = min(reached, default=(None, False))
    return tau, is_first, least_local(rows, version)


def microseconds(value):
    return f"{value:.3g} us" if value < 1000 else f"{value:,.0f} us"


def calls(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def tau_words(tau, is_first, heap_us):
    multiple = f" ({calls(tau / heap_us)} heap calls)" if heap_us else ""
    return f"{'up to ' if is_first else ''}{microseconds(tau)}{multiple}"


def ours_words(rows, version, heap_us=None):
    tau, is_first, local = ends(rows, version)
    if tau is None:
        return "nowhere"
    return f"from {tau_words(tau, is_first, heap_us)} and {local:.0f} % local"


def end_words(rows, version, heap_us=None):
    tau, local = paper.ENDS[version]
    theirs = f"{tau} us ({calls(tau / paper.HEAP_CALL_US)} heap calls) and " if tau else ""
    return (
        f"The paper's {version} reaches 70 % from {theirs}{local} % local; here "
        f"{ours_words(rows, version, heap_us)}."
    )


def efficiency_at(rows, version, tau, local):
    """By interpolation over log tau and over the percentage; None outside of the grid."""
    locals_known = values_of(rows, "local_percent")
    if not locals_known or not locals_known[0] <= local <= locals_known[-1]:
        return None

    def along(percent):
        points = curve(rows, version, percent)
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            if x0 <= tau <= x1:
                share = math.log(tau / x0) / math.log(x1 / x0)
                return y0 + share * (y1 - y0)
        return points[0][1] if len(points) == 1 and points[0][0] == tau else None

    below = max(each for each in locals_known if each <= local)
    above = min(each for each in locals_known if each >= local)
    low, high = along(below), along(above)
    if low is None or high is None:
        return None
    return low if below == above else low + (high - low) * (local - below) / (above - below)


def is_met(value, relation):
    lower, upper = paper.REACHED - paper.TOLERANCE, paper.REACHED + paper.TOLERANCE
    return (relation == "at most" or value >= lower) and (relation == "at least" or value <= upper)


def edges_met(rows):
    """[(version, tau, local, relation, efficiency, whether it is met)] of the paper's points that
    the grid has."""
    found = []
    for version, tau, local, relation in paper.EDGES:
        value = efficiency_at(rows, version, tau, local)
        if value is not None:
            found.append((version, tau, local, relation, value, is_met(value, relation)))
    return found


def edge_words(rows):
    found = edges_met(rows)
    if not found:
        return "The grid has none of the paper's points."
    missed = [each for each in found if not each[-1]]
    words = (
        f"{len(found) - len(missed)} of {len(found)} of the paper's points are met within 10 points"
    )
    listed = "; ".join(
        f"{version} at {tau} us and {local} % local has {percent(value)} %, the paper "
        f"{relation} 70 %"
        for version, tau, local, relation, value, _ in missed
    )
    return f"{words}. {f'Not met: {listed}.' if missed else ''}".strip()
