#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of results in README.md and docs/ from the files in docs/results.

usage: tables.py [--check]
       tables.py --take NAME FILE [--date DAY] [--revision R] [--processor P] [--conditions WORDS]

A document has a table of docs/results/NAME.json between `<!-- results: NAME -->` and
`<!-- end of results -->`. Such a file says when (`date`), of what (`revision`) and where
(`processor`, `kernel`) the results were taken, under which `conditions`, and has one of
  rows          what `lazult bench peers`, `lazult bench openmp`, `make kmeans-openmp` or
                `make concert-figures` wrote
  columns       and `cells`, of a table that no such command writes; `right` are the numbers of the
                columns that stand at the right
  of, picks     some figures of another file of results, with words for a reader in a hurry
Figures with `taken_over` were in a document before there was a file; a date with `date_of` "commit"
is that of the commit which recorded them.

--take makes docs/results/NAME.json of a file that a benchmark wrote by --json. Without an option
the date is that of the file, the revision git's, and the processor the one that the file names, or
this machine's. --check only compares.
"""
import argparse
import datetime
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pages

sys.dont_write_bytecode = True
sys.path.append(str(pages.ROOT / "bench/peers"))

import report  # noqa: E402

NAMES_OF_PEERS = {"argobots": "Argobots", "onetbb": "oneTBB", "go": "Go"}


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


# --- one function for each kind of file; each returns columns, lines and the columns at the right


def of_peers(rows):
    """As `lazult bench peers --page` has it."""
    times, lines = {}, []
    for row in rows:
        case = f"{row['library']}:{row['case']}"
        times.setdefault((row["row"], row["inexact"]), {})[case] = [row["median"]]
        if "verdict" in row:
            one = SimpleNamespace(name=row["row"])
            each = SimpleNamespace(label=row["figure"], case=case)
            lines.append((one, each, row["inexact"], row["verdict"]))
    return report.COLUMNS, [report.page_cells(line, times) for line in lines], ()


def range_words(row):
    has, least, most = (row[f"times_as_fast_as_best{end}"] for end in ("", "_min", "_max"))
    return f"{has:.2f}, {least:.2f} to {most:.2f}"


def times_of(rows, runtime):
    return number(rows[runtime]["median"]) if runtime in rows else ""


def of_openmp(rows):
    """A line for each case and way to wait. The first runtime of the file is ours."""
    runtimes = list(dict.fromkeys(row["runtime"] for row in rows))
    found = {}
    for row in rows:
        found.setdefault((row["case"], row["waiting"]), {})[row["runtime"]] = row
    lines = [
        [*case, *(times_of(of, each) for each in runtimes), range_words(of[runtimes[0]])]
        for case, of in found.items()
    ]
    columns = ["case", "waiting", *runtimes, "times as fast as the best, least to most"]
    return columns, lines, range(2, 2 + len(runtimes))


def of_kmeans(rows):
    """Million points a second: a line for each runtime, a column for each number of locks."""
    locks = sorted({row["locks"] for row in rows})
    found = {}
    for row in rows:
        name = "gcc's libgomp" if row["runtime"] == "gcc" else f"`{row['runtime']}`"
        found.setdefault(name, {})[row["locks"]] = f"{row['median'] / 1e6:.2f}"
    lines = [[name, *(of.get(each, "") for each in locks)] for name, of in found.items()]
    return ["locks", *map(str, locks)], lines, range(1, 1 + len(locks))


def of_concert(rows):
    """A line for each sentence; the paper's stands beside the first of its figure."""
    lines, before = [], None
    for row in rows:
        is_new = row["figure"] != before
        before = row["figure"]
        lines.append(
            [before if is_new else "", row["paper"] if is_new else "", row["where"], row["here"]]
        )
    return ["figure", "the paper", "where", "here"], lines, ()


KINDS = {
    "peers": of_peers,
    "openmp": of_openmp,
    "kmeans-openmp": of_kmeans,
    "concert-outcomes": of_concert,
}


def of_picks(rows, picks):
    """Some figures of `peers`, each with the words for it."""
    lines = []
    for pick in picks:
        figure = (pick["row"], pick["figure"])
        of = [row for row in rows if (row["row"], row["figure"]) == figure and not row["inexact"]]
        ours = [row for row in of if "verdict" in row]
        if not ours:
            raise pages.wrong(f"no figure {pick['figure']} in the row {pick['row']}")
        verdict = ours[0]["verdict"]
        best = [row for row in of if f"{row['library']}:{row['case']}" == verdict["peer"]][0]
        peer = NAMES_OF_PEERS.get(best["library"], best["library"])
        times = [
            f"{row['median']:,.{0 if row['median'] >= 10000 else 1}f}" for row in (ours[0], best)
        ]
        ratio = f"{verdict['ratio']['median']:.2f}"
        lines.append([pick["words"], times[0], f"{peer} {times[1]}", ratio])
    return ["nanoseconds for one", "Lazult", "best peer", "ratio"], lines, ()


def load(root, name):
    file = root / f"docs/results/{name}.json"
    if not file.exists():
        raise pages.wrong(f"there is no docs/results/{name}.json")
    return json.loads(file.read_text(encoding="utf-8"))


def caption(results):
    """Where, when and how."""
    where = results.get("processor") or "Processor not recorded"
    where = ", ".join(filter(None, (where, results.get("kernel"))))
    day = pages.day(results)
    when = ", ".join(filter(None, (day[:1].upper() + day[1:], results.get("revision"))))
    words = results.get("conditions")
    return f"{where}. {when}.{f' {words}.' if words else ''}"


def render(root, name):
    results = source = load(root, name)
    if "picks" in results:
        source = load(root, results["of"])
        columns, lines, right = of_picks(source["rows"], results["picks"])
    elif "rows" in results:
        columns, lines, right = KINDS[results["rows"][0]["benchmark"]](results["rows"])
    else:
        columns, lines, right = results["columns"], results["cells"], results.get("right", ())
    return f"{pages.table(columns, lines, right)}\n{caption(source)}\n"


def documents(root):
    """Those with tables of ours; that of trust.py has a command of its own."""
    for path in sorted([*root.glob("*.md"), *(root / "docs").glob("*.md")]):
        names = [name for name, _ in pages.tables_in(path.read_text(encoding="utf-8"))]
        if names and names != ["trust"]:
            yield path, names


def unused(root):
    """Files of results that no document shows."""
    shown = {name for _, names in documents(root) for name in names} | {"trust"}
    return sorted({file.stem for file in (root / "docs/results").glob("*.json")} - shown)


def check(root):
    code = 0
    for path, _ in documents(root):
        text = path.read_text(encoding="utf-8")
        if pages.with_tables(text, lambda name: render(root, name)) != text:
            print(f"{path.relative_to(root)} is not what docs/results make: tools/docs/tables.py")
            code = 1
    for name in unused(root):
        print(f"docs/results/{name}.json: no document shows it")
        code = 1
    return code


def machine_of(rows):
    machine = rows[0].get("machine", {})
    kernel = re.match(r"Linux [\d.]+", machine.get("kernel", f"Linux {os.uname().release}"))
    return machine.get("processor"), kernel and kernel[0]


def take(options):
    name, file = options.take[0], Path(options.take[1])
    rows = json.loads(file.read_text(encoding="utf-8"))
    if not rows or rows[0].get("benchmark") not in KINDS:
        raise pages.wrong(f"{file}: not of {', '.join(KINDS)}")
    processor, kernel = machine_of(rows)
    day = datetime.date.fromtimestamp(file.stat().st_mtime).isoformat()
    head = {
        "date": options.date or day,
        "revision": options.revision
        or rows[0].get("machine", {}).get("revision")
        or pages.revision(options.root),
        "processor": options.processor or processor or pages.processor(),
        "kernel": kernel,
        "conditions": options.conditions
        or rows[0].pop("conditions", None)
        or f"Medians of {rows[0]['repetitions']} rounds",
    }
    for row in rows:
        row.pop("machine", None)
        row.pop("conditions", None)
    write(options.root, name, {**head, "rows": rows})


def write(root, name, results):
    """One line for each row, so that the file is short and git shows what changed."""
    lists = {key: results[key] for key in ("rows", "cells", "picks") if key in results}
    head = {key: value for key, value in results.items() if key not in lists}
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()]
    for key, rows in lists.items():
        inner = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f"{json.dumps(key)}: [\n{inner}\n]")
    file = root / f"docs/results/{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def parsed(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=pages.ROOT, help="the tree with docs/")
    parser.add_argument("--check", action="store_true", help="only compares")
    parser.add_argument("--take", nargs=2, metavar=("NAME", "FILE"), help="new results")
    parser.add_argument("--date", help="of the results")
    parser.add_argument("--revision", help="of the results")
    parser.add_argument("--processor", help="of the results")
    parser.add_argument("--conditions", help="of the results: rounds, load")
    return parser.parse_args(words)


def main(words):
    options = parsed(words)
    try:
        if options.check:
            return check(options.root)
        if options.take:
            take(options)
        for path, _ in documents(options.root):
            if pages.update(path, lambda name: render(options.root, name)):
                print(f"{path.relative_to(options.root)} has new tables")
    except pages.wrong as reason:
        print(f"tables.py: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
