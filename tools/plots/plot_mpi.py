#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what apps/demo/mpi.py measured: graph500 by the length of buffers, as Figure 18 of Iwasaki
et al. (SC18), and poisson2d by the rows of a task. One plot of each for each MPI."""

import argparse

import style

SEARCHES = {
    "pull": (style.BLUE, "o"),
    "push": (style.SKY, "v"),
    "ults": (style.GREEN, "s"),
    "threads": (style.VERMILLION, "D"),
}
RELAXATIONS = {
    "ult": (style.BLUE, "o"),
    "threads": (style.VERMILLION, "D"),
    "mpi": (style.GREY, "s"),
}
DASHES = {"adaptive": "-", "full": "--", "scheduler_creation": ":", None: "-"}
WORDS = {
    "pull": "pull messages",
    "push": "push messages",
    "ults": "MPI in ULTs",
    "threads": "in OS threads",
    "ult": "ULT and tasklets",
    "mpi": "MPI alone",
}


def curves_of(rows):
    return style.curves_of(rows, lambda row: (row["how"], row["technique"]), "grain")


def label_of(how, technique):
    return WORDS[how] + ("" if technique in (None, "adaptive") else f", {technique}")


def draw_curves(axes, curves, looks, scale):
    ticks = [row["grain"] for row in next(iter(curves.values()))]
    labels = []
    for (how, technique), curve in curves.items():
        last = style.draw_curve(
            axes,
            range(len(curve)),
            curve,
            "median",
            scale,
            looks[how],
            linestyle=DASHES[technique],
            linewidth=1.6,
        )
        labels.append((last, label_of(how, technique), looks[how][0], "normal"))
    style.name_ticks(axes, ticks)
    style.label_lines(axes, len(ticks) - 1, labels)


def best(curves, how):
    return max(row["median"] for name, curve in curves.items() for row in curve if name[0] == how)


def draw_searches(rows):
    curves = curves_of(rows)
    first = rows[0]
    figure, axes = style.plt.subplots(figsize=(9, 4.8))
    figure.subplots_adjust(left=0.08, right=0.68, top=0.84, bottom=0.11)
    draw_curves(axes, curves, SEARCHES, 1e-6)
    axes.set_ylabel("million traversed edges per second")
    axes.set_xlabel("offers in a buffer")
    ratio = best(curves, "pull") / best(curves, "threads")
    style.headline(
        figure,
        f"Breadth-first search: pull messages are {ratio:.0f} times as fast as MPI in OS threads",
        f"graph500, scale {first['scale']}, {first['ranks']} ranks on one machine, {first['mpi']}. "
        f"Medians of {first['rounds']} rounds in turns; bands: from the slowest to the fastest.",
    )
    return figure


def draw_relaxations(rows):
    ranks = sorted({row["ranks"] for row in rows})
    first = rows[0]
    figure, all_axes = style.plt.subplots(1, len(ranks), figsize=(9, 4.2), squeeze=False)
    figure.subplots_adjust(left=0.08, right=0.84, top=0.80, bottom=0.13, wspace=0.75)
    for axes, number in zip(all_axes[0], ranks):
        draw_curves(
            axes, curves_of([row for row in rows if row["ranks"] == number]), RELAXATIONS, 1
        )
        axes.set_title(f"{number} ranks")
        axes.set_xlabel("rows of a task")
    all_axes[0][0].set_ylabel("microseconds for a step")
    style.headline(
        figure,
        f"Jacobi's method, {first['n']} x {first['n']}: one exchanges borders, others compute",
        f"poisson2d, {first['mpi']}. Medians of {first['rounds']} rounds in turns; "
        "bands: from the fastest to the slowest.",
    )
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="file that apps/demo/mpi.py wrote")
    parser.add_argument("--out", default="build/report", help="folder of the plots")
    arguments = parser.parse_args()
    rows = style.load([arguments.json])
    for benchmark, draw in (("graph500", draw_searches), ("poisson2d", draw_relaxations)):
        for mpi in dict.fromkeys(row["mpi"] for row in rows):
            chosen = [row for row in rows if row["benchmark"] == benchmark and row["mpi"] == mpi]
            if chosen:
                print("\n".join(style.save(draw(chosen), arguments.out, f"{benchmark}-{mpi}")))


if __name__ == "__main__":
    main()
