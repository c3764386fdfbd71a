# SPDX-License-Identifier: BSD-3-Clause
"""Figures 11, 12 and 13: the microkernel."""
import math

import concert_panels as panels
import concert_paper as paper
import concert_verdicts as verdicts
import style

LOOKS = {
    "base": (style.GREY, "s"),
    "stack": (style.ORANGE, "D"),
    "pull": (style.SKY, "v"),
    "stack+pull": (style.BLUE, "o"),
}
PATTERNS = {
    "all-to-all": style.GREEN,
    "random": style.BLUE,
    "hotspot4": style.ORANGE,
    "hotspot16": style.VERMILLION,
}

TITLE_11 = "Figure 11: efficiency over local accesses, by granularity"
TITLE_12 = "Figure 12: robustness over patterns, 80 % remote"
TITLE_13 = "Figure 13: where the efficiency is at least 70 %"
DASHES = ("-", "--", ":")


def some_of(values, most=6):
    """As many of them as there is room for, evenly, with the first and the last."""
    if len(values) <= most:
        return values
    last = len(values) - 1
    return [values[round(i * last / (most - 1))] for i in range(most)]


def tau_name(tau):
    return f"{tau:g} us" if tau >= 1 else f"{1000 * tau:g} ns"


def draw_versions(axes, rows):
    labels = {}
    for version, look in LOOKS.items():
        curve = sorted(
            (row for row in rows if row["version"] == version), key=lambda row: row["local_percent"]
        )
        if curve:
            xs = [row["local_percent"] for row in curve]
            axes.fill_between(
                xs,
                [100 * row["low"] for row in curve],
                [100 * row["high"] for row in curve],
                color=look[0],
                alpha=0.15,
                linewidth=0,
            )
            (labels[version],) = axes.plot(
                xs,
                [100 * row["efficiency"] for row in curve],
                color=look[0],
                marker=look[1],
                markersize=3.5,
                linewidth=1.4,
            )
    axes.set_ylim(0, 105)
    axes.set_xticks([0, 50, 100])
    return labels


def fig11(shown, subtitle):
    """A line of plots for each panel, a plot for each granularity."""
    taus = [some_of(verdicts.values_of(each.rows, "tau_us")) for each in shown]
    columns = max(map(len, taus))
    height = 2.0 * len(shown) + 2.0
    figure, grid = style.plt.subplots(
        len(shown), columns, figsize=(12.5, height), squeeze=False, sharey=True
    )
    top = style.long_headline(figure, TITLE_11, subtitle) - 0.65 / height
    figure.subplots_adjust(
        left=0.06, right=0.98, top=top, bottom=0.8 / height, hspace=0.75, wspace=0.12
    )
    labels = {}
    for line, each, wanted in zip(grid, shown, taus):
        for axes, tau in zip(line, wanted):
            labels = draw_versions(axes, [row for row in each.rows if row["tau_us"] == tau])
            axes.set_title(tau_name(tau))
            axes.set_xlabel("local, %" if each is shown[-1] else "")
        for axes in line[len(wanted) :]:
            axes.set_visible(False)
        line[0].set_ylabel("efficiency, %")
        line[0].annotate(
            each.title, (0, 1.32), xycoords="axes fraction", fontweight="bold", fontsize=10
        )
    figure.legend(labels.values(), labels, loc="lower center", ncols=4, frameon=False)
    return figure


def draw_patterns(axes, rows):
    handles = {}
    for pattern, colour in PATTERNS.items():
        for sigma, dash in zip(verdicts.values_of(rows, "sigma"), DASHES):
            curve = sorted(
                (row["tau_us"], 100 * row["efficiency"])
                for row in rows
                if (row["pattern"], row["sigma"]) == (pattern, sigma)
            )
            if curve:
                (line,) = axes.plot(
                    *zip(*curve), color=colour, linestyle=dash, marker="o", markersize=3
                )
                handles.setdefault(pattern, line)
    axes.set_xscale("log")
    axes.set_ylim(0, 105)
    return handles


def fig12(shown, subtitle):
    """A line of plots for each panel: the stack alone, and with pull."""
    height = 2.3 * len(shown) + 2.3
    figure, grid = style.plt.subplots(
        len(shown), 2, figsize=(9, height), squeeze=False, sharey=True
    )
    top = style.long_headline(figure, TITLE_12, subtitle) - 0.3 / height
    figure.subplots_adjust(
        left=0.08, right=0.98, top=top, bottom=1.0 / height, hspace=0.45, wspace=0.08
    )
    handles = {}
    for line, each in zip(grid, shown):
        for axes, version in zip(line, ("stack", "stack+pull")):
            handles = draw_patterns(axes, [row for row in each.rows if row["version"] == version])
            axes.set_title(f"{each.title}: {version}")
        line[0].set_ylabel("efficiency, %")
    for axes in grid[-1]:
        axes.set_xlabel("tau, us; sigma: solid, dashed, dotted as it grows")
    figure.legend(handles.values(), handles, loc="lower center", ncols=4, frameon=False)
    return figure


def draw_region(axes, rows, version):
    taus = verdicts.values_of(rows, "tau_us")
    percents = verdicts.values_of(rows, "local_percent")
    found = {
        (row["tau_us"], row["local_percent"]): row["efficiency"]
        for row in rows
        if row["version"] == version
    }
    if len(taus) < 2 or len(percents) < 2 or len(found) < len(taus) * len(percents):
        return
    xs = [math.log10(tau) for tau in taus]  # so that edges are interpolated over the logarithm
    heights = [[found[tau, percent] for tau in taus] for percent in percents]
    colour = LOOKS[version][0]
    if max(map(max, heights)) >= paper.REACHED:
        axes.contourf(xs, percents, heights, levels=[paper.REACHED, 9], colors=[colour], alpha=0.1)
        if min(map(min, heights)) < paper.REACHED:
            axes.contour(
                xs, percents, heights, levels=[paper.REACHED], colors=[colour], linewidths=2
            )


def fig13(shown, subtitle):
    figure, grid = style.plt.subplots(
        1, len(shown), figsize=(3.4 * len(shown) + 0.6, 4.6), squeeze=False, sharey=True
    )
    top = style.long_headline(figure, TITLE_13, subtitle) - 0.08
    figure.subplots_adjust(left=0.6 / len(shown) / 3.4, right=0.98, top=top, bottom=0.22)
    for axes, each in zip(grid[0], shown):
        top = 1 if each.is_simulated else verdicts.best(each.rows)
        is_disturbed = top < panels.LEAST_BEST
        rows = verdicts.relative(each.rows) if is_disturbed else each.rows
        for version in LOOKS:
            draw_region(axes, rows, version)
        if is_disturbed:
            axes.annotate(
                f"70 % of the best point, {100 * top:.0f} %",
                (0.02, 0.03),
                xycoords="axes fraction",
                fontsize=8,
                color="#555555",
            )
        axes.xaxis.set_major_locator(style.plt.MultipleLocator(1))
        axes.xaxis.set_major_formatter(style.plt.FuncFormatter(lambda x, _: f"{10**x:g}"))
        axes.set_ylim(0, 100)
        axes.set_title(each.title)
        axes.set_xlabel("tau, us")
    grid[0][0].set_ylabel("local accesses, %")
    handles = [style.plt.Line2D([], [], color=look[0], linewidth=2) for look in LOOKS.values()]
    figure.legend(handles, LOOKS, loc="lower center", ncols=4, frameon=False)
    return figure
