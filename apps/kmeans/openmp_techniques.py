#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""k-means over OpenMP, one task to a point, by the technique that tasks start with: after Figure 16
of Iwasaki et al. (SC18).

  openmp_techniques.py --build build/release --json build/report/kmeans-openmp.json

Runs the program over this project's libgomp.so.1, once in each round for each technique, which
LAZULT_TECHNIQUE names, and over gcc's for comparison. Everything goes in turns, so that a change of
the machine's mood meets all alike. The locks go from 1 to clusters times workers.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

TECHNIQUES = (
    "adaptive",
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
)
GCC = "gcc"  # in the place of a technique
PROMOTING = TECHNIQUES[3:]  # the core counts what they promote: tasks that suspended
RATES = ("suspend_percent", "suspend_percent_min", "suspend_percent_max")


def environment(build, technique):
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LD_LIBRARY_PATH", "LAZULT_TECHNIQUE")
    }
    if technique != GCC:
        clean.update(LD_LIBRARY_PATH=str(build / "lib/lazult/openmp"), LAZULT_TECHNIQUE=technique)
    return clean


def run_once(options, technique):
    """The rows of one process: one for each number of locks."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        command = [
            str(options.build / "bin/kmeans"),
            "--variant",
            "openmp-tasks",
            "--block",
            "1",
            "--clusters",
            str(options.clusters),
            "--workers",
            str(options.workers),
            "--iterations",
            str(options.iterations),
            "--repetitions",
            "1",
            "--locks",
            ",".join(map(str, locks_of(options))),
            "--json",
            str(file),
        ]
        done = subprocess.run(
            command,
            env=environment(options.build, technique),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        if done.returncode != 0:
            sys.exit(
                f"openmp_techniques.py: {' '.join(command)} with {technique} ended with "
                f"{done.returncode}: {done.stdout}{done.stderr}"
            )
        return json.loads(file.read_text(encoding="utf-8"))


def check(rows, technique):
    wanted = "" if technique == GCC else technique
    found = {row["technique"] for row in rows}
    if found != {wanted}:
        sys.exit(
            f"openmp_techniques.py: the runtime for {technique} says that its technique is "
            f"{found}: is the OpenMP door built?"
        )


def locks_of(options):
    """From 1 to the clusters by doubling, and then replicas for ever fewer workers."""
    below = [n for n in (1, 2, 3, 6, 12, 24, 48) if n < options.clusters]
    replicas = [2**i for i in range(11) if 2**i < options.workers] + [options.workers]
    return below + [options.clusters * n for n in replicas]


def merged(rounds):
    """One row of the rows that several rounds found for the same technique and locks."""
    row = dict(rounds[0])
    speeds = [each["median"] for each in rounds]
    row.update(
        median=statistics.median(speeds),
        min=min(speeds),
        max=max(speeds),
        repetitions=len(speeds),
        same_result=all(each["same_result"] for each in rounds),
    )
    if row["technique"] not in PROMOTING:
        for name in RATES:
            row.pop(name, None)
    else:
        rates = [each[RATES[0]] for each in rounds]
        row.update(zip(RATES, (statistics.median(rates), min(rates), max(rates))))
    return row


def measure(options):
    found = {}
    for number in range(options.rounds):
        for technique in (*TECHNIQUES, GCC):
            print(
                f"\rround {number + 1} of {options.rounds}: {technique:<22}",
                end="",
                file=sys.stderr,
                flush=True,
            )
            rows = run_once(options, technique)
            check(rows, technique)
            for row in rows:
                found.setdefault((technique, row["locks"]), []).append(row)
    print(file=sys.stderr)
    return [
        dict(merged(rounds), benchmark="kmeans-openmp", runtime=technique)
        for (technique, _), rounds in found.items()
    ]


def table(rows, value):
    locks = sorted({row["locks"] for row in rows})
    lines = [f"{'locks':<22}" + "".join(f"{n:>9}" for n in locks)]
    for technique in (*TECHNIQUES, GCC):
        cells = {row["locks"]: value(row) for row in rows if row["runtime"] == technique}
        if None not in cells.values():
            lines.append(f"{technique:<22}" + "".join(f"{cells[n]:>9.2f}" for n in locks))
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument(
        "--json", type=pathlib.Path, default=pathlib.Path("build/report/kmeans-openmp.json")
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clusters", type=int, default=24)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--iterations", type=int, default=10)
    return parser.parse_args()


def main():
    options = parse()
    if not (options.build / "bin/kmeans").exists():
        sys.exit(f"openmp_techniques.py: {options.build}/bin/kmeans is missing: run `make build`")
    rows = measure(options)
    print(
        f"Million points a second, medians of {options.rounds} rounds, {options.workers} workers\n"
        + table(rows, lambda row: row["median"] / 1e6)
    )
    print("Of 100 tasks suspend\n" + table(rows, lambda row: row.get(RATES[0])))
    if not all(row["same_result"] for row in rows):
        sys.exit("openmp_techniques.py: some runs found other clusters than the sequential program")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
