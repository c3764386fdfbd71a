#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws `lazult bench fork-join --json` over techniques and suspension rates, and prints it as a
table."""

import argparse
import json
import statistics

import style


def combine(rows):
    """{technique: {percent: (median, min, max)}}; several measurements of one become one."""
    found = {}
    for row in rows:
        if row["benchmark"] == "fork-join" and row["technique"] in style.TECHNIQUES:
            found.setdefault(row["technique"], {}).setdefault(row["suspend_percent"], []).append(
                row
            )
    return {
        technique: {
            percent: (
                statistics.median(r["median"] for r in of[percent]),
                min(r["min"] for r in of[percent]),
                max(r["max"] for r in of[percent]),
            )
            for percent in sorted(of)
        }
        for technique in style.TECHNIQUES
        if (of := found.get(technique))
    }


def table(curves):
    percents = sorted({percent for curve in curves.values() for percent in curve})
    lines = [f"{'suspended':<22}" + "".join(f"{percent:>8g} %" for percent in percents)]
    for technique, curve in curves.items():
        cells = (
            f"{curve[percent][0]:>10.1f}" if percent in curve else f"{'-':>10}"
            for percent in percents
        )
        lines.append(f"{technique:<22}" + "".join(cells))
    return "\n".join(lines)


def finding(curves):
    """What the reader sees first: how far adaptive is from the best fixed technique, at worst."""
    fixed = [
        curve for name, curve in curves.items() if name not in ("adaptive", "run_to_completion")
    ]
    if "adaptive" not in curves or not fixed:
        return "A thread costs least until it blocks"
    worst = max(
        value[0] / min(curve[percent][0] for curve in fixed if percent in curve)
        for percent, value in curves["adaptive"].items()
        if any(percent in curve for curve in fixed)
    )
    if worst <= 1:
        return "The adaptive technique is as fast as the best fixed one at every suspension rate"
    percent = 100 * (worst - 1)
    return (
        f"The adaptive technique stays within {percent:.0f} % of the best fixed one at every rate"
    )


def draw(curves, streams, repetitions):
    figure, axes = style.plt.subplots(figsize=(9, 5.4))
    figure.subplots_adjust(left=0.075, right=0.775, top=0.845, bottom=0.11)
    for technique, curve in curves.items():
        colour, marker = style.TECHNIQUES[technique]
        strong = technique == "adaptive"
        xs = list(curve)
        medians = [curve[x][0] for x in xs]
        axes.fill_between(
            xs,
            [curve[x][1] for x in xs],
            [curve[x][2] for x in xs],
            color=colour,
            alpha=0.12,
            linewidth=0,
        )
        axes.plot(
            xs,
            medians,
            color=colour,
            marker=marker,
            markersize=6 if strong else 5,
            linewidth=2.6 if strong else 1.5,
            zorder=4 if strong else 3,
            markeredgecolor="white",
            markeredgewidth=0.6,
            clip_on=False,
        )
    # A single slow repetition must not flatten what all the others show.
    highest = max(value[0] for curve in curves.values() for value in curve.values())
    axes.set_ylim(0, highest * 1.25)
    axes.set_xlim(-1.5, 101.5)
    axes.set_xticks([0, 10, 25, 50, 75, 100])
    axes.set_xlabel("ULTs that suspend once (%)")
    axes.set_ylabel("ns to create, run and join one ULT")
    label_curves(axes, curves)
    style.headline(
        figure,
        finding(curves),
        f"Fork-join of empty ULTs, {streams} execution stream{'s' if streams != 1 else ''}. "
        f"Lines: medians of {repetitions} repetitions; bands: from the fastest to the slowest.",
    )
    return figure


def label_curves(axes, curves):
    ends, alone = [], []
    for technique, curve in curves.items():
        weight = "bold" if technique == "adaptive" else "normal"
        label = (list(curve.values())[-1][0], technique, style.TECHNIQUES[technique][0], weight)
        (ends if max(curve) == 100 else alone).append((max(curve), label))
    style.label_lines(axes, 100, [label for _, label in ends])
    # run_to_completion: it cannot suspend, so it is one point
    for x, (y, text, colour, _) in alone:
        line = {
            "arrowstyle": "-",
            "color": colour,
            "linewidth": 0.8,
            "shrinkB": 4,
            "relpos": (0, 0.5),
        }
        axes.annotate(
            f"{text} (cannot suspend)",
            (x, y),
            xytext=(30, -22),
            textcoords="offset points",
            fontsize=9,
            color=colour,
            va="center",
            arrowprops=line,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", nargs="+", help="files that `lazult bench fork-join --json` wrote")
    parser.add_argument("--out", default="build/report", help="folder of the plots")
    parser.add_argument("--merged", help="also write all measurements into this one file")
    arguments = parser.parse_args()
    rows = style.load(arguments.json)
    curves = combine(rows)
    if not curves:
        parser.error("no fork-join measurement in " + " ".join(arguments.json))
    if arguments.merged:
        with open(arguments.merged, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")
    of_interest = [row for row in rows if row["benchmark"] == "fork-join"]
    print("Nanoseconds to create, run and join a ULT: median, by the ULTs that suspend once")
    print(table(curves))
    # Several runs of the bench add up to the repetitions of one point.
    runs = max(
        sum(1 for r in of_interest if (r["technique"], r["suspend_percent"]) == key)
        for key in {(r["technique"], r["suspend_percent"]) for r in of_interest}
    )
    figure = draw(curves, of_interest[0]["streams"], runs * of_interest[0]["repetitions"])
    style.save(figure, arguments.out, "fork-join")


if __name__ == "__main__":
    main()
