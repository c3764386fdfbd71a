#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what bench/concert/figures/run.py measured, and writes the page with the paper's outcomes
and ours beside each other: REPORT/concert-figures.md, and the same sentences as rows of JSON in
REPORT/concert-outcomes.json, which `make tables` takes."""

import argparse
import json
import pathlib

import concert_costs as costs
import concert_fig15 as fig15
import concert_kernel as kernel
import concert_lines as lines
import concert_page as page
import concert_panels as panels
import concert_paper as paper
import style


def subtitle_of(results, shown, of_paper):
    words = f"{results['machine']['processor']}, {results['machine']['mpi']}; "
    words += f"medians of {page.rounds_words(results)} in turns."
    absent = [each.title for each in shown if each.absent]
    if absent:
        words += f" Not there: {', '.join(absent)}."
    return f"{words}\n{of_paper}"


def tables(results):
    for figure, part in (("table1", "primitives"), ("table4", "schemas")):
        rows = costs.with_instructions(results["parts"], part)
        if any(row.get("cycles", 0) > 0 and row.get("t3d_us") for row in rows):
            words = subtitle_of(results, [], "A Cray T3D has 150 cycles in a microsecond.")
            yield figure, lines.table(rows, page.TITLES[figure], words)


def of_microkernel(results):
    for figure, family, ranks, draw in (
        ("fig10", "sends", 64, lines.fig10),
        ("fig11", "kernel", 32, kernel.fig11),
        ("fig12", "patterns", 32, kernel.fig12),
        ("fig13", "kernel", 32, kernel.fig13),
    ):
        shown = panels.panels_of(results, family, ranks)
        drawn = [each for each in shown if each.rows]
        if drawn:
            words = subtitle_of(results, shown, f"Paper: {paper.SAYS[figure]}")
            yield figure, draw(drawn, words)


def of_programs(results):
    for figure, part, theirs, at in page.SPEEDUPS:
        rows = results["parts"].get(part, {}).get("rows")
        if rows:
            words = subtitle_of(results, [], f"Paper: {paper.SAYS[figure]}")
            yield figure, lines.speedups(rows, page.TITLES[figure], words, theirs, at)
    rows = fig15.rows_of(results["parts"])
    if rows:
        headline = f"{page.TITLES['fig15']}. {fig15.title(rows)}"
        words = subtitle_of(results, [], f"Paper: {paper.SAYS['fig15']}")
        yield "fig15-simulated", lines.molecules(rows, headline, words)


def outcomes(results):
    """A row for each sentence about something that is there, in the form of other results."""
    return [
        {
            "benchmark": "concert-outcomes",
            "figure": page.TITLES[figure],
            "paper": paper.SAYS[figure],
            "where": where,
            "here": words,
            "conditions": page.conditions(results),
            "machine": results["machine"],
        }
        for figure, found in page.verdicts_of(results).items()
        for where, words in found
        if not words.startswith(page.ABSENT)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", type=pathlib.Path, help="file that run.py wrote")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/report"))
    arguments = parser.parse_args()
    results = json.loads(arguments.json.read_text(encoding="utf-8"))
    drawn = {}
    for make in (tables, of_microkernel, of_programs):
        for figure, plot in make(results):
            written = style.save(plot, arguments.out, f"concert-{figure}")
            drawn.setdefault(figure.removesuffix("-simulated"), []).extend(
                pathlib.Path(name).name for name in written if name.endswith(".png")
            )
            print("\n".join(written))
    for name, text in (
        ("concert-figures.md", page.page(results, drawn)),
        ("concert-outcomes.json", json.dumps(outcomes(results), indent=1) + "\n"),
    ):
        (arguments.out / name).write_text(text, encoding="utf-8")
        print(arguments.out / name)


if __name__ == "__main__":
    main()
