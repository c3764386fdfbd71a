#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make demo-mpi` runs: graph500 and poisson2d on ranks of this machine, for each MPI that the
build found.

  mpi.py --build build/release --json build/report/mpi.json

graph500: breadth-first search by messages (pull, push), by blocking MPI calls in ULTs, and in OS
threads, over the length of the buffers in which offers travel (Figure 18 of Iwasaki et al., SC18),
with three techniques. What runs in ULTs runs over the MPI door, so that none of their MPI calls
stops a stream; OS threads call MPI as it is. poisson2d: a ULT that communicates and tasklets for
rows, OS threads, MPI alone. All goes in turns, so that a change of the machine's mood meets all
alike. Programs check their own results: a wrong tree or grid ends the demo.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

TECHNIQUES = ("adaptive", "full", "scheduler_creation")
SEARCHES = (
    [("pull", t) for t in TECHNIQUES]
    + [("push", "adaptive")]
    + [("ults", t) for t in TECHNIQUES]
    + [("threads", None)]
)
RELAXATIONS = ("ult", "threads", "mpi")


def launchers(build, program="graph500"):
    """{name of an MPI: words that start its programs}, as the build found them; of those that have
    the program."""
    file = build / "mpi_launchers.txt"
    entries = (
        [entry for entry in file.read_text(encoding="utf-8").strip().split("|") if entry]
        if file.exists()
        else []
    )
    found = dict(entry.split("=", 1) for entry in entries)
    return {
        name: words.split()
        for name, words in found.items()
        if (build / "bin" / name / program).exists()
    }


def environment(ranks, technique):
    streams = max(1, (os.cpu_count() or 1) // ranks)
    changed = dict(
        os.environ,
        LAZULT_BIND="off",
        LAZULT_STREAMS=str(streams),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )
    changed.pop("LAZULT_TECHNIQUE", None)
    if technique is not None:
        changed["LAZULT_TECHNIQUE"] = technique
    return changed


def run(options, mpi, ranks, program, arguments, over_door=False, technique=None):
    """What it prints."""
    under = [str(options.build / "bin/lazult"), "run", "--mpi", "--"] if over_door else []
    command = [
        *options.launchers[mpi],
        str(ranks),
        *under,
        str(options.build / "bin" / mpi / program),
        *map(str, arguments),
    ]
    done = subprocess.run(
        command,
        env=environment(ranks, technique),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if done.returncode != 0:
        sys.exit(
            f"mpi.py: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def number_after(words, text):
    return float(re.search(re.escape(words) + r" ([0-9.e+]+)", text).group(1))


def search(options, mpi, via, technique, buffer):
    roots = options.slow_roots if via == "threads" else options.roots
    line = run(
        options,
        mpi,
        options.ranks,
        "graph500",
        ["--scale", options.scale, "--roots", roots, "--buffer", buffer, "--via", via],
        via != "threads",
        technique,
    )
    return number_after("harmonic mean", line)


def relax(options, mpi, ranks, by, rows):
    steps = options.steps
    line = run(
        options,
        mpi,
        ranks,
        "poisson2d",
        ["--n", options.n, "--steps", steps, "--rows-per-task", rows, "--by", by],
        by == "ult",
    )
    seconds = re.search(r": ([0-9.]+) s, ([0-9.]+) us a step", line)
    return float(seconds.group(2))


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure(options):
    found = {}
    for number in range(options.rounds):
        for mpi in options.launchers:
            for buffer in options.buffers:
                for via, technique in SEARCHES:
                    progress(
                        f"round {number + 1} of {options.rounds}: graph500, {mpi}, {via}, "
                        f"{technique or ''}, buffers of {buffer}"
                    )
                    found.setdefault(
                        ("graph500", mpi, options.ranks, via, technique, buffer), []
                    ).append(search(options, mpi, via, technique, buffer))
            for ranks in (2, options.ranks):
                for rows in options.rows:
                    for by in RELAXATIONS:
                        progress(
                            f"round {number + 1} of {options.rounds}: poisson2d, {mpi}, {by}, "
                            f"{rows} rows"
                        )
                        found.setdefault(("poisson2d", mpi, ranks, by, None, rows), []).append(
                            relax(options, mpi, ranks, by, rows)
                        )
    progress("")
    return [
        {
            "benchmark": benchmark,
            "mpi": mpi,
            "ranks": ranks,
            "how": how,
            "technique": technique,
            "grain": grain,
            "median": statistics.median(values),
            "min": min(values),
            "max": max(values),
            "rounds": len(values),
            "scale": options.scale,
            "n": options.n,
        }
        for (benchmark, mpi, ranks, how, technique, grain), values in found.items()
    ]


def table(rows, factor):
    grains = sorted({row["grain"] for row in rows})
    lines = {}
    for row in rows:
        lines.setdefault((row["mpi"], row["ranks"], row["how"], row["technique"] or ""), {})[
            row["grain"]
        ] = (row["median"] * factor)
    text = f"{'MPI':<9}{'ranks':>5}  {'how':<9}{'technique':<20}" + "".join(
        f"{grain:>10}" for grain in grains
    )
    for (mpi, ranks, how, technique), cells in lines.items():
        text += f"\n{mpi:<9}{ranks:>5}  {how:<9}{technique:<20}" + "".join(
            f"{cells[grain]:>10.2f}" for grain in grains
        )
    return text


def numbers(text):
    return [int(each) for each in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("build/report/mpi.json"))
    parser.add_argument("--mpi", help="only this one: openmpi or mpich")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--scale", type=int, default=16, help="of graph500: 2^scale vertices")
    parser.add_argument("--roots", type=int, default=8, help="searches of a run")
    parser.add_argument(
        "--slow-roots",
        type=int,
        default=1,
        help="searches of a run by OS threads, which take so much longer",
    )
    parser.add_argument(
        "--buffers", type=numbers, default=[64, 256, 1024], help="offers in a buffer"
    )
    parser.add_argument("--n", type=int, default=1024, help="of poisson2d: rows and columns")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rows", type=numbers, default=[8, 32, 128], help="rows of a task")
    return parser.parse_args()


def main():
    options = parse()
    options.launchers = launchers(options.build)
    if options.mpi is not None:
        options.launchers = {
            name: words for name, words in options.launchers.items() if name == options.mpi
        }
    if not options.launchers:
        sys.exit(
            f"mpi.py: {options.build} was built without MPI; install openmpi-bin libopenmpi-dev or "
            "mpich libmpich-dev, and `make build` again"
        )
    rows = measure(options)
    print(
        f"graph500, scale {options.scale}: million traversed edges a second by the length of "
        f"buffers, medians of {options.rounds} rounds; all trees are valid\n"
        + table([row for row in rows if row["benchmark"] == "graph500"], 1e-6)
    )
    print(
        f"\npoisson2d, {options.n} x {options.n}: microseconds for a step by rows of a task; "
        "all grids are right\n" + table([row for row in rows if row["benchmark"] == "poisson2d"], 1)
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
