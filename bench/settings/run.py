#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what one value of a setting costs beside another one, door by door: the benchmarks of
`lazult bench`, abt_bench, omp_bench and bench/io, each with both values in turns. A ratio is that
of a pair of neighbours; the figures are medians of the pairs, with the least and the most."""
import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 120


def native(name, *words):
    """A benchmark of `lazult bench`."""
    return (f"{name} {' '.join(words)}".strip(), ["lazult", "bench", name, *words])


def argobots(name):
    return (name, ["abt_bench", name, "1"])


def openmp(name):
    return (name, ["omp_bench", name, "1", "20"])


def reads(depth):
    """Random reads of a file past the page cache, so many at a time."""
    words = ["--by", "lazult", "--direct", "--depth", depth, "--seconds", "2"]
    return (f"direct reads, {depth} at a time", ["io/random_reads", *words])


@dataclass
class Comparison:
    """Two values of a setting, and what they are measured with. For each door: what a table calls a
    case, and its command."""

    setting: str
    usual: str
    other: str
    doors: dict


COMPARISONS = {
    "staying": Comparison(
        "LAZULT_STARTED",
        "move",
        "stay",
        {
            "C++": [
                native("fib", "--fib-n", "30", "--streams", "2"),
                native("fork-join", "--pool", "work_stealing"),
                native("yield", "--pool", "work_stealing"),
                native("fork-join", "--pool", "shared"),
                native("yield", "--pool", "shared"),
            ],
            "Argobots": [
                argobots("ult-default"),
                argobots("tasklet-default"),
                argobots("yield-default"),
                argobots("yield-to-default"),
                argobots("fib-randws"),
                argobots("barrier-two-streams"),
                argobots("ult-shared-two-streams"),
                argobots("yield-shared-two-streams"),
            ],
            "OpenMP": [
                openmp("parallel"),
                openmp("barrier"),
                openmp("tasks-single"),
                openmp("fib"),
                openmp("taskloop"),
            ],
        },
    ),
    "lending": Comparison(
        "LAZULT_SPARE",
        "0",
        "5ms",
        {
            "C++": [  # the private pool of main's stream is not lent
                native("fork-join", "--pool", "shared"),
                native("yield", "--pool", "shared"),
            ],
            "Argobots": [
                argobots("ult-private"),
                argobots("tasklet-private"),
                argobots("yield-private"),
                argobots("yield-default"),
                argobots("ult-default"),
            ],
            "files": [reads("1"), reads("64")],
        },
    ),
}


class failure(Exception):
    """A benchmark that did not run to its end."""


class usage_error(Exception):
    """Words of the command line that cannot be followed."""


def output_of(folder, command, setting, value):
    """What the command prints."""
    words = [str(folder / command[0]), *command[1:]]
    if command[0] == "lazult":
        words += ["--reps", "1", "--json", "-"]
    environment = dict(os.environ, **{setting: value})
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError) as problem:
        words = str(getattr(problem, "stderr", "") or problem).strip()
        raise failure(f"{' '.join(command)} with {setting}={value}: {words}") from problem
    return done.stdout


def ns_in(text, command):
    """Nanoseconds of an operation."""
    if command[0] == "io/random_reads":
        return 1e9 / json.loads(text)["reads_per_second"]
    if command[0] != "lazult":
        return float(text.split()[0])
    return next(one["median"] for one in json.loads(text) if one["benchmark"] == command[2])


def measure(folder, command, rounds, what):
    """Pairs of both values. The first process of each value warms up and does not count."""
    values = (what.usual, what.other)
    pairs = []
    for number in range(-1, rounds):
        order = values if number % 2 == 0 else values[::-1]
        pair = {
            each: ns_in(output_of(folder, command, what.setting, each), command) for each in order
        }
        if number >= 0:
            pairs.append(pair)
    return pairs


def row(case, pairs, what):
    ratios = [pair[what.other] / pair[what.usual] for pair in pairs]
    usual, other = (
        statistics.median(pair[value] for pair in pairs) for value in (what.usual, what.other)
    )
    return (
        f"| {case} | {usual:.1f} | {other:.1f} | {statistics.median(ratios):.2f} "
        f"| {min(ratios):.2f} to {max(ratios):.2f} |"
    )


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=COMPARISONS, help="what is compared")
    parser.add_argument("door", nargs="*", help="some doors, such as C++ or Argobots; none: all")
    parser.add_argument("--build", default="build/release", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=7, help="pairs for each case (7)")
    parser.add_argument("--case", action="append", help="these cases alone; give it repeatedly")
    parser.add_argument("--json", metavar="FILE", help="also write the pairs there")
    return parser.parse_intermixed_args(words)


def chosen(options):
    """Doors with those of their cases that the words of the command line want."""
    doors = COMPARISONS[options.what].doors
    unknown = [each for each in options.door if each not in doors]
    if unknown:
        raise usage_error(f'there is no door "{unknown[0]}"; give some of {", ".join(doors)}')
    if options.rounds < 1:
        raise usage_error("--rounds must be at least 1")
    known = {case for cases in doors.values() for case, _ in cases}
    strange = [each for each in options.case or [] if each not in known]
    if strange:
        raise usage_error(f'there is no case "{strange[0]}"; there are: {", ".join(sorted(known))}')
    return {
        door: [each for each in doors[door] if not options.case or each[0] in options.case]
        for door in options.door or doors
    }


def run(options):
    what = COMPARISONS[options.what]
    doors = chosen(options)
    folder = Path(options.build).resolve() / "bin"
    print(f"load {os.getloadavg()[0]:.2f}; ns for each operation, {options.rounds} pairs")
    results = []
    for door, cases in doors.items():
        if not cases:
            continue
        print(
            f"\n| {door}, {what.setting} | {what.usual} | {what.other} "
            f"| {what.other} / {what.usual} | range |\n|---|---|---|---|---|",
            flush=True,
        )
        for case, command in cases:
            pairs = measure(folder, command, options.rounds, what)
            results.append({"door": door, "case": case, "pairs": pairs})
            print(row(case, pairs, what), flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def main(words):
    try:
        run(parse(words))
        return 0
    except usage_error as problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 2
    except failure as problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
