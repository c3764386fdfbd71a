#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""iccedar beside iccedar-concert: the paper's four versions, in turns, so that a change of the
machine's mood meets all alike. All must find the same positions.

  versions.py --build build/release --ranks 1,2 --rounds 5 -- --residues 154 --waters 3830

What follows -- goes to the programs. The table has the time of a step (median, least and
most), and what it is to that of iccedar; of runs on one rank also the user time, without that of
the preparation. --callgrind counts the instructions of a step: those of a run less those of one
with fewer steps, on one rank. That needs valgrind, and takes long.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PLAIN = "iccedar"
VERSIONS = [(calls, scheme) for calls in ("heap", "stack") for scheme in ("push", "pull")]
Row = collections.namedtuple("Row", "ranks calls scheme")
ROW_OF_PLAIN = Row(1, PLAIN, "")


def launcher(build, mpi):
    """The words that start a program of this MPI, as the build found them."""
    entries = (build / "mpi_launchers.txt").read_text(encoding="utf-8").strip().split("|")
    found = dict(entry.split("=", 1) for entry in entries if entry)
    if mpi not in found:
        sys.exit(f"{mpi}: the build in {build} has {', '.join(found) or 'no MPI'}")
    return found[mpi].split()


def command(options, row):
    if row == ROW_OF_PLAIN:
        return [str(options.build / "bin" / PLAIN)]
    program = str(options.build / "bin" / options.mpi / "iccedar-concert")
    start = [*launcher(options.build, options.mpi), str(row.ranks)] if row.ranks > 1 else []
    return [*start, program]


def environment(row):
    changed = dict(
        os.environ,
        LAZULT_BIND="off",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )
    if row != ROW_OF_PLAIN:
        changed.update(LAZULT_CONCERT_CALLS=row.calls, LAZULT_CONCERT_SCHEME=row.scheme)
    return changed


def run(options, row, under=(), steps=None):
    """What the program found, and what it and its helper said on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "found.json"
        words = [*under, *command(options, row), *options.arguments, "--json", str(file)]
        words += ["--steps", str(steps or options.steps)]
        done = subprocess.run(
            words,
            env=environment(row),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)} ends with {done.returncode}:\n{done.stderr}")
        return json.loads(file.read_text(encoding="utf-8")), done.stderr


def measure(options, rows):
    """{row: what it found in each round}"""
    results = {row: [] for row in rows}
    for turn in range(options.rounds):
        for row in rows:
            print(f"round {turn + 1} of {options.rounds}: {name_of(row)}", file=sys.stderr)
            results[row].append(run(options, row)[0])
    checksums = {each["checksum"] for found in results.values() for each in found}
    if len(checksums) != 1:
        sys.exit(f"the programs have moved the atoms to different places: {sorted(checksums)}")
    return results


def instructions_of_step(options, row):
    counts = []
    for steps in (options.steps, 3 * options.steps):
        with tempfile.TemporaryDirectory() as folder:
            under = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
            said = run(options, row, under, steps)[1]
        counts.append(int(re.search(r"Collected : (\d+)", said)[1]))
    return (counts[1] - counts[0]) / (2 * options.steps)


def name_of(row):
    return PLAIN if row == ROW_OF_PLAIN else f"{row.ranks} {row.calls} {row.scheme}"


def summary(row, found):
    steps = found[0]["steps"]
    times = [1000 * each["seconds"]["steps"] / steps for each in found]
    users = [1000 * each["seconds"]["user"] / steps for each in found]
    return {
        "ranks": row.ranks,
        "calls": row.calls,
        "scheme": row.scheme,
        "ms": statistics.median(times),
        "ms_least": min(times),
        "ms_most": max(times),
        "user_ms": statistics.median(users) if row.ranks == 1 else None,
        "messages": found[0].get("messages", 0) / steps,
        "kib": sum(each["bytes"] for each in found[0].get("traffic", {}).values()) / 1024 / steps,
        "contexts": found[0].get("counters", {}).get("contexts", 0) / steps,
    }


def print_table(rows, instructions):
    plain = rows[0]
    print(
        f"{'ranks version':<20} {'ms a step':>10} {'least':>9} {'most':>9} {'to plain':>9} "
        f"{'user ms':>9} {'to plain':>9} {'messages':>9} {'KiB':>8} {'contexts':>9}"
    )
    for row in rows:
        name = name_of(Row(row["ranks"], row["calls"], row["scheme"]))
        user = ["", ""]
        if row["user_ms"] is not None:
            user = [f"{row['user_ms']:.3f}", f"{row['user_ms'] / plain['user_ms']:.2f}"]
        print(
            f"{name:<20} {row['ms']:>10.3f} {row['ms_least']:>9.3f} {row['ms_most']:>9.3f} "
            f"{row['ms'] / plain['ms']:>9.2f} {user[0]:>9} {user[1]:>9} {row['messages']:>9.1f} "
            f"{row['kib']:>8.1f} {row['contexts']:>9.1f}"
        )
    for name, count in instructions.items():
        ratio = count / instructions[PLAIN]
        print(f"{name:<20} {count:>14,.0f} instructions a step, {ratio:.3f} of those of {PLAIN}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--mpi", default="openmpi", help="openmpi or mpich")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks")
    parser.add_argument("--rounds", type=int, default=3, help="how often each version runs")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--callgrind", action="store_true", help="count instructions, too")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows there")
    parser.add_argument("arguments", nargs="*", help="options of iccedar, behind --")
    return parser.parse_args()


def main():
    options = parse()
    ranks = [int(number) for number in options.ranks.split(",")]
    rows = [ROW_OF_PLAIN, *(Row(n, *version) for n in ranks for version in VERSIONS)]
    measured = [summary(row, found) for row, found in measure(options, rows).items()]
    counted = {}
    if options.callgrind:
        for row in (ROW_OF_PLAIN, Row(1, "stack", "pull"), Row(1, "heap", "pull")):
            counted[name_of(row)] = instructions_of_step(options, row)
    print_table(measured, counted)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        every = {"benchmark": "iccedar-concert", "rows": measured, "instructions": counted}
        options.json.write_text(json.dumps(every, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
