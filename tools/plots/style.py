# SPDX-License-Identifier: BSD-3-Clause
"""What the plots share: colours that colour-blind readers tell apart, plain axes, labels at the
lines."""

import json
import os
import textwrap

import matplotlib

matplotlib.use("Agg")  # no display needed

import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's palette, without its yellow (too pale on white).
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"

# In the order of the design's table; colour and marker tell the same, so that neither is needed.
TECHNIQUES = {
    "adaptive": (BLACK, "o"),
    "full": (VERMILLION, "s"),
    "lazy_stack": (ORANGE, "D"),
    "return_on_completion": (PURPLE, "^"),
    "stack_separation": (GREEN, "v"),
    "scheduler_creation": (BLUE, "P"),
    "run_to_completion": (SKY, "X"),
}

plt.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#666666",
        "axes.titlelocation": "left",
        "axes.titlesize": 10.5,
        "axes.labelcolor": "#333333",
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "grid.color": "#E4E4E4",
        "xtick.color": "#333333",
        "ytick.color": "#333333",
        "ytick.left": False,
        "svg.hashsalt": "lazult",  # the same data give the same file
        "savefig.dpi": 150,
    }
)


def load(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)
    return rows


def headline(figure, title, subtitle):
    """The finding in bold, then how it was measured, both flush left above the axes."""
    height = figure.get_size_inches()[1]
    figure.text(0.02, 1 - 0.16 / height, title, fontsize=12.5, fontweight="bold", va="top")
    figure.text(
        0.02, 1 - 0.47 / height, subtitle, fontsize=9.5, color="#555555", va="top", linespacing=1.4
    )


def long_headline(figure, title, subtitle):
    """The same, with lines that are broken where the figure ends. Returns how far down the axes may
    begin, as a share of the height."""
    width, height = figure.get_size_inches()
    lines = [
        line
        for paragraph in subtitle.split("\n")
        for line in textwrap.wrap(paragraph, int(12.4 * width))
    ]
    headline(figure, title, "\n".join(lines))
    return 1 - (0.55 + 0.19 * len(lines)) / height


def spread_apart(wanted, gap):
    """Positions in the order of `wanted`, at least `gap` apart, moved as little as need be."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    clusters = []  # (sum of wanted - offset, members)
    for i in order:
        clusters.append([[i], [wanted[i]]])
        while len(clusters) > 1 and low(clusters[-1], gap) < high(clusters[-2], gap) + gap:
            last = clusters.pop()
            clusters[-1][0] += last[0]
            clusters[-1][1] += last[1]
    placed = [0.0] * len(wanted)
    for cluster in clusters:
        for rank, i in enumerate(cluster[0]):
            placed[i] = low(cluster, gap) + rank * gap
    return placed


def low(cluster, gap):
    return sum(cluster[1]) / len(cluster[1]) - gap * (len(cluster[1]) - 1) / 2


def high(cluster, gap):
    return low(cluster, gap) + gap * (len(cluster[1]) - 1)


def curves_of(rows, name_of, x):
    """{name: its rows by ascending x}, in the order of the file."""
    curves = {}
    for row in rows:
        curves.setdefault(name_of(row), []).append(row)
    return {name: sorted(curve, key=lambda row: row[x]) for name, curve in curves.items()}


def draw_curve(axes, xs, curve, key, scale, look, **line):
    """A line of medians, and a band from the least to the greatest. Returns the last y, where its
    label goes."""
    colour, marker = look
    low, high = ("min", "max") if key == "median" else (f"{key}_min", f"{key}_max")
    ys = [row[key] * scale for row in curve]
    axes.fill_between(
        xs,
        [row[low] * scale for row in curve],
        [row[high] * scale for row in curve],
        color=colour,
        alpha=0.09,
        linewidth=0,
    )
    axes.plot(xs, ys, color=colour, marker=marker, markersize=5, clip_on=False, **line)
    return ys[-1]


def name_ticks(axes, ticks):
    axes.set_ylim(0, None)
    axes.set_xticks(range(len(ticks)), [str(tick) for tick in ticks])


def label_lines(axes, x, labels, size=9):
    """labels: (y, text, colour, weight) at the right end of each line."""
    bottom, top = axes.get_ylim()
    points = axes.get_window_extent().height * 72 / axes.figure.dpi
    gap = (top - bottom) * (size * 1.35) / points
    for (_, text, colour, weight), y in zip(
        labels, spread_apart([label[0] for label in labels], gap)
    ):
        axes.annotate(
            text,
            (x, y),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=colour,
            fontweight=weight,
            annotation_clip=False,
        )


def save(figure, folder, name):
    os.makedirs(folder, exist_ok=True)
    written = []
    for kind in ("svg", "png"):
        path = os.path.join(folder, f"{name}.{kind}")
        figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)
        written.append(path)
    plt.close(figure)
    return written
