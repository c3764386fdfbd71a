# SPDX-License-Identifier: BSD-3-Clause
"""The page of the figures: each with the paper's outcome, ours, and where they differ."""
import pathlib
import sys

import concert_costs as costs
import concert_fig15 as fig15
import concert_panels as panels
import concert_paper as paper
import concert_regions as regions
import concert_verdicts as verdicts
from concert_verdicts import MEASURED

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))

import pages  # noqa: E402


TABLES = {"table1": "primitives", "table4": "schemas"}
ABSENT = "Not there:"
REASONS = {
    "fig10": "The simulation has no contention inside the network, so its all-to-all costs less "
    "than the paper's. The paper has 13.5 us for a node alone in Figure 10, and 14.65 us in "
    "Table 5.",
    "fig11": "Measured ranks share one memory, and a reply needs a receiver that runs: where ranks "
    "have no processor of their own, the system's time slices decide, not the versions.",
    "fig12": "On two ranks all patterns are the same, for there is one other rank: what differs "
    "there is noise.",
    "fig13": "The paper's base has 70 % above 300 us only, but the costs in its own Tables 1 and 4 "
    "give that at about 20 us where all is local: this edge cannot be reproduced from them. The "
    "grid's finest granularity is the edge where a version reaches 70 % all over.",
    "fig14": "The paper's scene is not known: ours is one of our own, made as large as SPLASH-2's. "
    "More ranks than processors do not add speed.",
    "fig15": "More ranks than processors do not add speed; the protein is generated. "
    "Simulated speed-ups are over what the fewest ranks compute, as the paper scales it; computing "
    "is counted, and has fixed prices.",
}


def base_words(results):
    heap_us = panels.heap_call_us(results)
    if heap_us is None:
        return ""
    return (
        f"A call in a context takes {1000 * heap_us:.0f} ns here, on the T3D "
        f"{1000 * paper.HEAP_CALL_US:,.0f} ns."
    )


def kernel_verdicts(results, figure, each):
    heap_us = panels.heap_call_of(results, each)
    if figure == "fig11":
        words = [verdicts.order_words(each.rows), verdicts.gain_words(each.rows)]
        if not each.is_simulated and not verdicts.has_spread(each.rows):
            words.append("One round has no spread, so its order decides nothing.")
        return words
    if figure == "fig12":
        return [verdicts.pattern_words(each.rows)]
    if verdicts.best(each.rows) < panels.LEAST_BEST and not each.is_simulated:
        return [disturbed_words(each.rows, heap_us)]
    words = [
        regions.end_words(each.rows, version, heap_us)
        for version in panels.VERSIONS
        if any(row["version"] == version for row in each.rows)
    ]
    return words + ([regions.edge_words(each.rows)] if each.machine == "t3d" else [])


def disturbed_words(rows, heap_us):
    top = verdicts.best(rows)
    ends = "; ".join(
        f"{version} {regions.ours_words(verdicts.relative(rows), version, heap_us)}"
        for version in panels.VERSIONS
        if any(row["version"] == version for row in rows)
    )
    return (
        f"The best point has {verdicts.percent(top)} % only: other programs, or more ranks than "
        f"processors, take the rest, so that the paper's 70 % are no measure. At 70 % of the best "
        f"point: {ends}."
    )


def load_of(ends):
    return f", load {ends[0]:.1f} to {ends[1]:.1f}" if ends else ""


def verdicts_of(results):
    """{figure: [(panel's title, sentence)]}. A panel that is not there has one that says why."""
    parts = results["parts"]
    found = {}
    for name, words in (("table1", costs.primitive_words), ("table4", costs.schema_words)):
        rows = costs.with_instructions(parts, TABLES[name])
        if rows:
            found[name] = [(f"measured{load_of(parts[TABLES[name]]['load'])}", words(rows))]
    for figure, family, ranks in (
        ("fig10", "sends", 64),
        ("fig11", "kernel", 32),
        ("fig12", "patterns", 32),
        ("fig13", "kernel", 32),
    ):
        found[figure] = []
        for each in panels.panels_of(results, family, ranks):
            if each.absent:
                sentences = [f"{ABSENT} {' '.join(each.absent.split())[-300:]}"]
            elif figure == "fig10":
                sentences = [costs.send_words(each.rows)]
                if each.machine == "t3d":
                    sentences.append(costs.send_point_words(each.rows))
            else:
                sentences = kernel_verdicts(results, figure, each)
            where = each.title + load_of(each.load if each.rows else ())
            found[figure] += [(where, sentence) for sentence in sentences if sentence]
    for figure, part, theirs, at in SPEEDUPS:
        of = parts.get(part, {"unavailable": "not run"})
        if of.get("rows"):
            words = costs.speedup_words(of["rows"], theirs, at)
            found[figure] = [(f"measured{load_of(of['load'])}", words)]
        else:
            found[figure] = [("measured", f"{ABSENT} {of.get('unavailable', 'no rows')}")]
    found["fig15"] += simulated_molecules(parts)
    return found


def simulated_molecules(parts):
    rows = fig15.rows_of(parts)
    if rows:
        return [(fig15.title(rows), words) for words in fig15.words(rows)]
    why = parts.get(fig15.PART, {}).get("unavailable", "not run")
    return [(fig15.title(rows), f"{ABSENT} {why}")]


SPEEDUPS = (
    ("fig14", "radiosity", paper.RADIOSITY, paper.RADIOSITY_AT),
    ("fig15", "iccedar", paper.CEDAR, paper.CEDAR_AT),
)
TITLES = {
    "table1": "Table 1: primitives of threads and futures",
    "table4": "Table 4: calls, and calls that block",
    "fig10": "Figure 10: source overhead of a send",
    "fig11": "Figure 11: efficiency of the microkernel",
    "fig12": "Figure 12: robustness over patterns and deviations",
    "fig13": "Figure 13: where the efficiency is 70 % or more",
    "fig14": "Figure 14: hierarchical radiosity",
    "fig15": "Figure 15: IC-Cedar",
}


def number(value, digits=0):
    return "" if value is None else f"{value:,.{digits}f}"


def cost_table(rows):
    columns = ["what", "ns", "least to most", "cycles", "instructions", "T3D us", "T3D cycles"]
    lines = [
        [
            row["benchmark"],
            number(row["median"], 1),
            f"{row['low']:,.1f} to {row['high']:,.1f}",
            number(row.get("cycles")),
            number(row["instructions"], 1),
            number(row.get("t3d_us"), 2),
            number(costs.cycles_of_paper(row)),
        ]
        for row in rows
    ]
    return pages.table(columns, lines, range(1, 7))


def send_table(rows):
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    found = {}
    for row in rows:
        found.setdefault((costs.pattern_of(row), row["bytes"]), {})[row["scheme"]] = row
    lines = [
        [name, number(size), *(number(of[s]["harmonic_mean"]) if s in of else "" for s in schemes)]
        for (name, size), of in found.items()
    ]
    return pages.table(["pattern", "bytes", *(f"{s}, ns" for s in schemes)], lines, range(1, 9))


def kernel_table(rows, heap_us):
    lines = {}
    for row in rows:
        lines.setdefault(verdicts.point_of(row), {})[row["version"]] = row
    versions = [name for name in panels.VERSIONS if any(name in of for of in lines.values())]
    text = [
        [
            pattern,
            f"{tau:g}",
            f"{tau / heap_us:.1f}" if heap_us else "",
            f"{sigma:g}",
            f"{local:g}",
            *(
                "{} ({} to {})".format(*(verdicts.percent(of[each][end]) for end in MEASURED))
                if each in of
                else ""
                for each in versions
            ),
        ]
        for (pattern, tau, sigma, local), of in lines.items()
    ]
    columns = ["pattern", "tau us", "in heap calls", "sigma", "local %", *versions]
    return pages.table(columns, text, range(1, 5 + len(versions)))


def speedup_table(rows):
    found = costs.speedups(rows)
    lines = [
        [
            row["version"],
            number(row["ranks"]),
            number(row["seconds"], 3),
            f"{row['low']:,.3f} to {row['high']:,.3f}",
            number(found[row["version"]][row["ranks"]], 2),
        ]
        for row in rows
    ]
    columns = ["version", "ranks", "seconds", "least to most", "speed-up"]
    return pages.table(columns, lines, range(1, 5))


def simulated_table(rows):
    lines = [
        [
            row["version"],
            number(row["ranks"]),
            number(1000 * row["seconds"], 1),
            number(row["speedup"], 2),
            number(row["messages"]),
            number(row["contexts"]),
        ]
        for row in rows
    ]
    columns = ["version", "ranks", "virtual ms", "speed-up", "messages", "contexts"]
    return pages.table(columns, lines, range(1, 6))


def tables_of(results, figure):
    """[(caption, Markdown)]"""
    parts = results["parts"]
    if figure in TABLES:
        return [("", cost_table(costs.with_instructions(parts, TABLES[figure])))]
    families = {"fig10": ("sends", 64), "fig11": ("kernel", 32), "fig12": ("patterns", 32)}
    if figure in families:
        shown = [each for each in panels.panels_of(results, *families[figure]) if each.rows]
        if figure == "fig10":
            return [(each.title, send_table(each.rows)) for each in shown]
        return [
            (each.title, kernel_table(each.rows, panels.heap_call_of(results, each)))
            for each in shown
        ]
    found = [
        ("", speedup_table(parts[part]["rows"]))
        for each, part, _, _ in SPEEDUPS
        if each == figure and parts.get(part, {}).get("rows")
    ]
    simulated = fig15.rows_of(parts) if figure == "fig15" else []
    if simulated:
        found.append((fig15.title(simulated), simulated_table(simulated)))
    return found


def rounds_words(results):
    return f"{results['rounds']} round{'s' if results['rounds'] > 1 else ''}"


def load_words(results):
    loads = [part["load"] for part in results["parts"].values()]
    return f"{min(low for low, _ in loads):.1f} to {max(high for _, high in loads):.1f}"


def conditions(results):
    return (
        f"Medians of {rounds_words(results)} in turns, {results['machine']['mpi']}, under a load "
        f"of {load_words(results)} as these programs and others made it"
    )


def head(results):
    machine = results["machine"]
    days = [part["date"] for part in results["parts"].values()]
    lines = [
        "# Tables 1 and 4, Figures 10 to 15 of the Concert paper, here and in the paper\n",
        f"{machine['processor']}, {machine['kernel']}, {machine['mpi']}, revision "
        f"{machine['revision']}. From {min(days)} to {max(days)}. Medians of "
        f"{rounds_words(results)} in turns, with the least and the most.",
        f"The load of the machine, as other programs and these made it, was {load_words(results)}: "
        "times of ranks that share processors depend on it.",
        base_words(results),
    ]
    if results["quick"]:
        lines.append("**This was a short run to try the programs: its times say nothing.**")
    return [line for line in lines if line]


def page(results, plots):
    """plots: {figure: names of files}"""
    found = verdicts_of(results)
    lines = head(results)
    if "picture" in results["parts"]:
        lines += ["## The scene of Figure 14", "![the room](radiosity.png)"]
    for figure, title in TITLES.items():
        if figure not in found:
            continue
        lines += [f"## {title}", f"The paper: {paper.SAYS[figure]}"]
        lines += [f"![{title}]({name})" for name in plots.get(figure, [])]
        lines.append("\n".join(f"- *{where}*: {words}" for where, words in found[figure]))
        if figure in REASONS:
            lines.append(REASONS[figure])
        for caption, text in tables_of(results, figure):
            lines += [f"{caption}:" if caption else "", text.rstrip()]
    return "\n\n".join(line for line in lines if line) + "\n"
