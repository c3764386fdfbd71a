#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what apps/kmeans/openmp_techniques.py measured, as Figure 16 of Iwasaki et al. (SC18):
throughput by the number of locks for each technique, and how many of 100 tasks suspend."""

import argparse

import style

GCC = (style.GREY, "h")


def curves_of(rows):
    return style.curves_of(rows, lambda row: row["runtime"], "locks")


def draw_curves(axes, curves, ticks, key, scale):
    labels = []
    for name, curve in curves.items():
        look = style.TECHNIQUES.get(name, GCC)
        strong = name == "adaptive"
        last = style.draw_curve(
            axes,
            [ticks.index(row["locks"]) for row in curve],
            curve,
            key,
            scale,
            look,
            linewidth=2.4 if strong else 1.4,
            zorder=5 if strong else 4,
        )
        labels.append(
            (
                last,
                "gcc's libgomp" if name == "gcc" else name,
                look[0],
                "bold" if strong else "normal",
            )
        )
    return labels


def finding(curves):
    ours = curves.get("adaptive")
    peer = curves.get("gcc")
    if not ours or not peer:
        return "k-means over OpenMP, a task to a point, by technique"
    ratios = [a["median"] / b["median"] for a, b in zip(ours, peer)]
    return (
        f"A task to a point: {min(ratios):.1f} to {max(ratios):.1f} times as fast as over gcc's "
        "libgomp"
    )


def draw(curves):
    ticks = [row["locks"] for row in next(iter(curves.values()))]
    figure, (speed, rate) = style.plt.subplots(
        2, 1, figsize=(9, 7.2), sharex=True, gridspec_kw={"height_ratios": [2, 1]}
    )
    figure.subplots_adjust(left=0.08, right=0.78, top=0.865, bottom=0.075, hspace=0.16)
    labels = draw_curves(speed, curves, ticks, "median", 1e-6)
    speed.set_ylabel("million points per second")
    ours = {name: curve for name, curve in curves.items() if "suspend_percent" in curve[0]}
    draw_curves(rate, ours, ticks, "suspend_percent", 1)
    rate.set_ylabel("of 100 tasks suspend")
    rate.set_xlabel("locks")
    for axes in (speed, rate):
        style.name_ticks(axes, ticks)
    style.label_lines(speed, len(ticks) - 1, labels)
    row = next(iter(curves.values()))[0]
    style.headline(
        figure,
        finding(curves),
        f"k-means: {row['points']:,} flights, {row['clusters']} clusters, "
        f"{row['workers']} workers. Medians of {row['repetitions']} rounds in turns;\n"
        "bands: from the slowest to the fastest. More locks than clusters mean replicas of the "
        "sums.",
    )
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", help="file that apps/kmeans/openmp_techniques.py wrote")
    parser.add_argument("--out", default="build/report", help="folder of the plots")
    arguments = parser.parse_args()
    rows = [row for row in style.load([arguments.json]) if row["benchmark"] == "kmeans-openmp"]
    if not rows:
        parser.error(f"{arguments.json} holds no measurement of k-means over OpenMP")
    print("\n".join(style.save(draw(curves_of(rows)), arguments.out, "kmeans-openmp")))


if __name__ == "__main__":
    main()
