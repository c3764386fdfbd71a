#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `kmeans --json` measured: throughput by variant, and by the number of locks."""

import argparse

import style

FAMILY_COLOURS = {
    "lazult": style.BLUE,
    "openmp": style.ORANGE,
    "os_threads": style.PURPLE,
    "sequential": style.GREY,
}


def millions(row, key="median"):
    return row[key] / 1e6


def per(points):
    return "per point" if points == 1 else f"per {points} points"


def name_of(row):
    each = per(row["points_to_a_unit"])
    return {
        "sequential": "sequential, no threads, no locks",
        "openmp": f"OpenMP task {each}",
        "os_threads": "OS thread per worker"
        if row["variant"].endswith("range")
        else f"OS thread {each}",
    }.get(row["family"]) or f"ULT {each}, {row['technique']}"


def at_locks(rows, locks):
    return [row for row in rows if row["locks"] in (0, locks)]


def common_locks(rows):
    """One lock to a cluster where it was measured, as most programs would have it."""
    counts = {row["locks"] for row in rows if row["locks"] > 0}
    clusters = rows[0]["clusters"]
    return clusters if clusters in counts else max(counts, default=0)


def best(rows, family, **wanted):
    fitting = [
        row
        for row in rows
        if row["family"] == family and all(row[key] == value for key, value in wanted.items())
    ]
    return max(fitting, key=lambda row: row["median"], default=None)


def finding(rows):
    """The finest ULTs, adaptive where it ran, against OS threads and OpenMP's tasks."""
    smallest = min(row["points_to_a_unit"] for row in rows if row["family"] == "lazult")
    ours = best(rows, "lazult", points_to_a_unit=smallest, technique="adaptive") or best(
        rows, "lazult", points_to_a_unit=smallest
    )
    peers = [
        best(rows, "os_threads", variant="os-threads-block"),
        best(rows, "openmp", points_to_a_unit=smallest),
    ]
    ratios = [
        f"{ours['median'] / peer['median']:.1f}× an {name_of(peer)}" for peer in peers if peer
    ]
    return f"A ULT {per(smallest)}: " + (
        ", ".join(ratios) or f"{millions(ours):.1f} million points a second"
    )


def setting(row):
    return (
        f"k-means: {row['points']:,} flights, {row['clusters']} clusters, "
        f"{row['iterations']} iterations, "
        f"{row['workers']} workers"
    )


def group_of(row):
    family = ["sequential", "os_threads", "openmp", "lazult"].index(row["family"])
    return family, row["points_to_a_unit"] if row["family"] == "lazult" else 0


def draw_variants(rows):
    locks = common_locks(rows)
    chosen = at_locks(rows, locks)
    techniques = ["", *style.TECHNIQUES]
    chosen.sort(key=lambda row: (*group_of(row), techniques.index(row["technique"])))
    positions, at, previous = [], 0.0, None
    for row in chosen:
        group = group_of(row)
        at += 1 if previous in (None, group) else 1.5
        previous = group
        positions.append(at)
    figure, axes = style.plt.subplots(figsize=(9, 1.75 + 0.245 * at))
    height = figure.get_size_inches()[1]
    figure.subplots_adjust(left=0.335, right=0.95, top=1 - 1.0 / height, bottom=0.55 / height)
    draw_bars(axes, chosen, positions)
    axes.set_ylim(positions[-1] + 0.7, positions[0] - 0.7)
    axes.set_xlabel("million points assigned per second")
    style.headline(
        figure,
        finding(chosen),
        f"{setting(lazult_or_any(chosen))}, {locks} locks. Bars: medians of "
        f"{chosen[0]['repetitions']} repetitions;\nlines: from the slowest to the fastest. "
        "Every variant found the same clusters."
        if all(row["same_result"] for row in chosen)
        else "SOME VARIANTS FOUND OTHER CLUSTERS.",
    )
    return figure


def lazult_or_any(rows):
    return next((row for row in rows if row["family"] == "lazult"), rows[-1])


def draw_bars(axes, rows, positions):
    axes.barh(
        positions,
        [millions(row) for row in rows],
        height=0.74,
        color=[FAMILY_COLOURS[row["family"]] for row in rows],
        alpha=0.85,
    )
    for row, y in zip(rows, positions):
        axes.plot(
            [millions(row, "min"), millions(row, "max")], [y, y], color="#222222", linewidth=1.1
        )
        bold = "bold" if row["technique"] == "adaptive" else "normal"
        axes.annotate(
            f"{millions(row):.1f}",
            (max(millions(row), millions(row, "max")), y),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            fontweight=bold,
        )
    axes.set_yticks(positions, [name_of(row) for row in rows], fontsize=9)
    axes.set_xlim(0, 1.08 * max(millions(row, "max") for row in rows))
    axes.grid(axis="x")
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)


def by_variant(rows, points):
    """{variant: its rows by ascending locks} at one size of unit; OS threads stand beside every
    size."""
    curves = {}
    for row in rows:
        if row["locks"] > 0 and (
            row["family"] == "os_threads" or row["points_to_a_unit"] == points
        ):
            curves.setdefault(row["variant"], []).append(row)
    return {name: sorted(curve, key=lambda row: row["locks"]) for name, curve in curves.items()}


SPINS = "run_to_completion"  # it never suspends, so it is no case of the others


def is_fixed(row):
    return row["family"] == "lazult" and row["technique"] not in ("adaptive", SPINS)


def colour_of(row):
    if row["family"] == "lazult":
        return {"adaptive": style.BLACK, SPINS: style.SKY}.get(row["technique"], style.BLUE)
    return FAMILY_COLOURS[row["family"]]


def short_name(row):
    if row["family"] == "lazult":
        return f"{SPINS} (spins)" if row["technique"] == SPINS else row["technique"]
    return name_of(row) if row["family"] == "os_threads" else "OpenMP tasks"


def draw_curve(axes, curve, ticks, value, shift):
    """A named curve with whiskers, drawn `shift` beside the tick so that whiskers do not hide each
    other."""
    first = curve[0]
    xs = [ticks.index(row["locks"]) + shift for row in curve]
    strong = first["technique"] == "adaptive"
    axes.plot(
        xs,
        [value(row) for row in curve],
        color=colour_of(first),
        linewidth=2.6 if strong else 1.7,
        marker="o",
        markersize=4.5,
        zorder=5 if strong else 4,
        clip_on=False,
    )
    if value is millions:
        axes.vlines(
            xs,
            [millions(row, "min") for row in curve],
            [millions(row, "max") for row in curve],
            color=colour_of(first),
            linewidth=1.1,
            alpha=0.75,
        )
    return value(curve[-1]), short_name(first), colour_of(first), "bold" if strong else "normal"


def draw_curves(axes, curves, ticks, value):
    labels = []
    named = [curve for curve in curves.values() if not is_fixed(curve[0])]
    fixed = [curve for curve in curves.values() if is_fixed(curve[0])]
    for rank, curve in enumerate(named):
        labels.append(draw_curve(axes, curve, ticks, value, 0.05 * (rank - (len(named) - 1) / 2)))
    for curve in fixed:
        xs = [ticks.index(row["locks"]) for row in curve]
        axes.plot(
            xs,
            [value(row) for row in curve],
            color=style.BLUE,
            linewidth=0.9,
            alpha=0.8,
            zorder=3,
            clip_on=False,
        )
    if fixed:
        mean = sum(value(curve[-1]) for curve in fixed) / len(fixed)
        labels.append((mean, f"{len(fixed)} other techniques", style.BLUE, "normal"))
    return labels


def draw_suspensions(axes, curves, ticks):
    ours = {
        name: curve
        for name, curve in curves.items()
        if "suspend_percent" in curve[0] and curve[0]["technique"] != SPINS
    }
    labels = draw_curves(axes, ours, ticks, lambda row: row["suspend_percent"])
    for line, (_, text, colour, weight) in enumerate(labels):
        axes.annotate(
            text,
            (1, 1),
            xycoords="axes fraction",
            xytext=(0, -8 - 13 * line),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            color=colour,
            fontweight=weight,
        )
    axes.set_title("Suspensions per 100 ULTs")
    axes.set_xticks(range(len(ticks)), [str(tick) for tick in ticks])
    axes.set_xlabel("locks")


def draw_locks(rows):
    ticks = sorted({row["locks"] for row in rows if row["locks"] > 0})
    sizes = sorted({row["points_to_a_unit"] for row in rows if row["family"] == "lazult"})
    figure, grid = style.plt.subplots(
        2,
        len(sizes),
        figsize=(2.4 + 4.2 * len(sizes), 6.6),
        squeeze=False,
        sharex=True,
        sharey="row",
        gridspec_kw={"height_ratios": [2, 1]},
    )
    figure.subplots_adjust(
        left=0.075, right=0.825, top=0.825, bottom=0.08, wspace=0.52, hspace=0.26
    )
    pending = []
    for column, points in enumerate(sizes):
        curves = by_variant(rows, points)
        pending.append((grid[0][column], draw_curves(grid[0][column], curves, ticks, millions)))
        draw_suspensions(grid[1][column], curves, ticks)
        grid[0][column].set_title(f"One ULT or task {per(points)}")
    for row in grid:
        row[0].set_ylim(0, row[0].get_ylim()[1])
    for axes, labels in pending:
        style.label_lines(axes, len(ticks) - 0.9, labels)
    grid[0][0].set_ylabel("million points per second")
    style.headline(
        figure,
        locks_finding(rows, ticks),
        f"{setting(lazult_or_any(rows))}. Medians of {rows[0]['repetitions']} repetitions; "
        f"upright lines: slowest to fastest.\nMore locks than clusters mean replicas of the sums. "
        f"{creators_note(rows)}",
    )
    return figure


def creators_note(rows):
    batch = lazult_or_any(rows).get("batch")
    if not batch:
        return ""
    return f"Up to {100 / batch:.1f} suspensions are joins of the ULTs that create the others."


def locks_finding(rows, ticks):
    smallest = min(row["points_to_a_unit"] for row in rows if row["family"] == "lazult")
    curve = [
        best(
            [row for row in rows if row["locks"] == tick],
            "lazult",
            points_to_a_unit=smallest,
            technique="adaptive",
        )
        for tick in ticks
    ]
    if len(ticks) < 2 or None in curve:
        return "k-means by the number of locks"
    gain = curve[-1]["median"] / curve[0]["median"]
    if gain < 1.05 or curve[-1]["min"] <= curve[0]["max"]:
        return (
            "The number of locks changes adaptive's throughput by no more than the measurements "
            "spread"
        )
    return (
        f"With {ticks[-1]} locks instead of {ticks[0]}, adaptive assigns {gain:.1f} times as many "
        "points"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="file that `kmeans --json` wrote")
    parser.add_argument("--out", default="build/report", help="folder of the plots")
    arguments = parser.parse_args()
    rows = [row for row in style.load([arguments.json]) if row["benchmark"] == "kmeans"]
    if not any(row["family"] == "lazult" for row in rows):
        parser.error(f"{arguments.json} holds no measurement of Lazult")
    style.save(draw_variants(rows), arguments.out, "kmeans-variants")
    style.save(draw_locks(rows), arguments.out, "kmeans-locks")


if __name__ == "__main__":
    main()
