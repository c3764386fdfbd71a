# SPDX-License-Identifier: BSD-3-Clause
"""Tables 1 and 4 as plots, Figures 10, 14 and 15."""
import concert_costs as costs
import concert_fig15 as fig15
import concert_kernel as kernel
import concert_paper as paper
import concert_verdicts as verdicts
import style

SCHEMES = {"push": (style.VERMILLION, "D"), "pull": (style.BLUE, "o"), "auto": (style.GREEN, "s")}
TITLE_10 = "Figure 10: what a send costs its sender, by pattern"
ORDER_OF_PATTERNS = ("alone", "all-to-all", "random", "hotspot x4", "hotspot x16", "all-to-one")


def table(rows, title, subtitle):
    """Cycles here and on the T3D."""
    rows = [row for row in rows if row.get("t3d_us") and row.get("cycles", 0) > 0][::-1]
    figure, axes = style.plt.subplots(figsize=(9, 0.34 * len(rows) + 2.1))
    height = figure.get_size_inches()[1]
    top = style.long_headline(figure, title, subtitle) - 0.1 / height
    figure.subplots_adjust(left=0.38, right=0.97, top=top, bottom=0.6 / height)
    ours = [row["cycles"] for row in rows]
    theirs = [costs.cycles_of_paper(row) for row in rows]
    places = range(len(rows))
    axes.hlines(places, ours, theirs, color="#CCCCCC", linewidth=2)
    axes.scatter(theirs, places, color=style.GREY, marker="s", label="Cray T3D")
    axes.scatter(ours, places, color=style.BLUE, marker="o", label="here")
    axes.set_yticks(places, [row["benchmark"] for row in rows])
    axes.set_xscale("log")
    axes.set_xlabel("cycles")
    axes.legend(frameon=False, fontsize=9, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return figure


def draw_sends(axes, rows):
    handles = {}
    known = {costs.pattern_of(row) for row in rows}
    names = [name for name in ORDER_OF_PATTERNS if name in known]
    for scheme, look in SCHEMES.items():
        sizes = verdicts.values_of(rows, "bytes")
        for size in sorted({sizes[0], sizes[-1]}):
            of = {
                costs.pattern_of(row): row["harmonic_mean"] / 1000
                for row in rows
                if (row["scheme"], row["bytes"]) == (scheme, size)
            }
            places = [i for i, name in enumerate(names) if name in of]
            if places:
                (line,) = axes.plot(
                    places,
                    [of[names[i]] for i in places],
                    color=look[0],
                    marker=look[1],
                    markersize=4,
                    linestyle="-" if size == sizes[-1] else ":",
                )
                handles.setdefault(scheme, line)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
    values = [row["harmonic_mean"] / 1000 for row in rows]
    axes.set_yscale("log")
    axes.set_ylim(min(values) / 1.5, max(values) * 1.5)
    axes.yaxis.set_major_locator(style.plt.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(style.plt.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(style.plt.NullFormatter())
    return handles


def fig10(shown, subtitle):
    figure, grid = style.plt.subplots(
        1, len(shown) + 1, figsize=(3.1 * (len(shown) + 1) + 0.6, 5.2), squeeze=False
    )
    top = style.long_headline(figure, TITLE_10, subtitle) - 0.06
    figure.subplots_adjust(left=0.08, right=0.98, top=top, bottom=0.28, wspace=0.25)
    theirs = [
        {"scheme": "push", "bytes": 1024, "pattern": name, "harmonic_mean": 1000 * value}
        for name, value in paper.PUSH_1024.items()
    ]
    draw_sends(grid[0][0], theirs)
    grid[0][0].set_title("paper, 1,024 bytes by push")
    grid[0][0].set_ylabel("source overhead, us")
    handles = {}
    for axes, each in zip(grid[0][1:], shown):
        handles.update(draw_sends(axes, each.rows))
        axes.set_title(each.title)
    names = [f"{scheme} (dotted: the least bytes)" for scheme in handles]
    figure.legend(handles.values(), names, loc="lower center", ncols=3, frameon=False)
    return figure


def speedups(rows, title, subtitle, theirs, at):
    found = costs.speedups(rows)
    figure, axes = style.plt.subplots(figsize=(8, 4.8))
    top = style.long_headline(figure, title, subtitle) - 0.03
    figure.subplots_adjust(left=0.09, right=0.68, top=top, bottom=0.12)
    alone = found.get("sequential", {}).get(1)
    if alone:
        axes.axhline(alone, color=style.BLACK, linestyle="--", linewidth=1)
    for version, look in kernel.LOOKS.items():
        points = sorted(found.get(version, {}).items())
        if points:
            label = version
            if version in theirs:
                label += f" (paper: {theirs[version]} at {at})"
            axes.plot(*zip(*points), color=look[0], marker=look[1], label=label)
    axes.set_xscale("log", base=2)
    ranks = sorted({number for of in found.values() for number in of})
    axes.set_xticks(ranks, [str(number) for number in ranks])
    axes.set_ylim(0, None)
    axes.set_xlabel("ranks; dashed: the sequential program")
    axes.set_ylabel("speed-up from the fastest single rank")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    return figure


def molecules(rows, headline, subtitle):
    found = fig15.by_version(rows)
    figure, axes = style.plt.subplots(figsize=(8, 4.8))
    top = style.long_headline(figure, headline, subtitle) - 0.03
    figure.subplots_adjust(left=0.09, right=0.68, top=top, bottom=0.12)
    for version, look in kernel.LOOKS.items():
        points = sorted(found.get(version, {}).items())
        if points:
            axes.plot(*zip(*points), color=look[0], marker=look[1], label=version)
        if version in paper.CEDAR:
            point = (paper.CEDAR_AT, paper.CEDAR[version])
            label = f"{version}, paper"
            axes.plot(*point, color=look[0], marker="*", markersize=12, linestyle="", label=label)
    ranks = sorted({number for of in found.values() for number in of} | {paper.CEDAR_AT})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(ranks, [str(number) for number in ranks])
    axes.yaxis.set_major_formatter(style.plt.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("simulated ranks of a Cray T3D")
    axes.set_ylabel("speed-up over computing alone")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    return figure
