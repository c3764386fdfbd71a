#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws `lazult bench openmp --json`: how many times as fast ours is as each other runtime, by
case."""

import argparse

import style

COLOURS = (style.VERMILLION, style.BLUE, style.GREEN, style.PURPLE)
WAITING = ("default", "passive")


def measured(rows):
    """{case: {(waiting, runtime): its row}}, in the order of the file."""
    found = {}
    for row in rows:
        if row["benchmark"] == "openmp":
            found.setdefault(row["case"], {})[row["waiting"], row["runtime"]] = row
    return found


def peers_of(cases):
    """Those that ours was compared with, in the order of the file."""
    names = {
        runtime: None
        for of in cases.values()
        for (_, runtime), row in of.items()
        if "times_as_fast" in row
    }
    return list(names)


def bests(cases):
    return [
        row["times_as_fast_as_best"]
        for of in cases.values()
        for row in of.values()
        if "times_as_fast_as_best" in row
    ]


def finding(cases):
    all_bests = bests(cases)
    at_least = sum(1 for times in all_bests if times >= 1)
    return (
        "As fast as the best other OpenMP runtime, or faster, "
        f"in {at_least} of {len(all_bests)} cases"
    )


def draw_case(axes, of, peers, y):
    """A lane for each way to wait; in it a dot for each peer, and its range over the rounds."""
    for lane, waiting in enumerate(WAITING):
        at = y + 0.2 * (2 * lane - 1)
        for peer, colour in zip(peers, COLOURS):
            row = of.get((waiting, peer))
            if row is None:
                continue
            axes.plot(
                [row["times_as_fast_min"], row["times_as_fast_max"]],
                [at, at],
                color=colour,
                linewidth=1,
                alpha=0.5,
            )
            axes.plot(
                row["times_as_fast"],
                at,
                "o",
                color=colour,
                markersize=5.5,
                markerfacecolor=colour if waiting == "default" else "white",
                zorder=4,
            )


def draw_legend(axes, peers):
    handles = [
        style.plt.Line2D([], [], color=colour, marker="o", linestyle="", label=peer)
        for peer, colour in zip(peers, COLOURS)
    ]
    for waiting in WAITING:
        fill = style.GREY if waiting == "default" else "white"
        handles.append(
            style.plt.Line2D(
                [],
                [],
                color=style.GREY,
                marker="o",
                linestyle="",
                markerfacecolor=fill,
                label=f"{waiting} waiting",
            )
        )
    axes.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9
    )


def draw(cases, peers):
    height = 1.7 + 0.42 * len(cases)
    figure, axes = style.plt.subplots(figsize=(9, height))
    figure.subplots_adjust(left=0.16, right=0.83, top=1 - 0.85 / height, bottom=0.6 / height)
    for y, of in enumerate(cases.values()):
        draw_case(axes, of, peers, y)
    axes.axvline(1, color="#222222", linewidth=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks(range(len(cases)), list(cases), fontsize=9)
    axes.set_ylim(len(cases) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.set_xlabel("times as fast as that runtime (right of 1: ours is faster)")
    draw_legend(axes, peers)
    any_row = next(iter(next(iter(cases.values())).values()))
    style.headline(
        figure,
        finding(cases),
        f"{any_row['threads']} threads. Dots: medians of {any_row['repetitions']} rounds in turns; "
        "lines: from the least to the most.",
    )
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", nargs="+", help="files that `lazult bench openmp --json` wrote")
    parser.add_argument("--out", default="build/report", help="folder of the plots")
    arguments = parser.parse_args()
    cases = measured(style.load(arguments.json))
    peers = peers_of(cases)
    if not peers:
        parser.error("no comparison with another runtime in " + " ".join(arguments.json))
    print("\n".join(style.save(draw(cases, peers), arguments.out, "openmp")))


if __name__ == "__main__":
    main()
