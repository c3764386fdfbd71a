#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs abt_bench over two libraries in turns, and prints how many times as fast the first one is.

  compare.py --program build/release/bin/abt_bench --ours build/release/lib --peer PREFIX

PREFIX is where the other library is installed. The program is compiled for it against its own
abt.h: the null constants depend on how a library was configured. Each case is a process of its own,
pinned to one processor where it has one stream. The figures are medians of the rounds' medians; a
ratio's range is that of the rounds' ratios.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# What the project wants to reach, as the times that it is as fast.
TARGETS = {
    "ult-private": 3,
    "ult-default": 2.5,
    "tasklet-private": 2,
    "tasklet-default": 2,
    "yield-private": 2,
    "yield-default": 2,
    "yield-to-private": 2,
    "yield-to-default": 2,
    "fib-randws": 3,
}
SYNCHRONISATION = (
    "mutex",
    "rwlock",
    "condition",
    "eventual",
    "barrier",
)  # none slower, 1.5 in the geometric mean
TWO_STREAMS = ("streams", "randws")


def environment(library):
    return dict(os.environ, LD_LIBRARY_PATH=library)


def output_of(command, library):
    done = subprocess.run(
        command, env=environment(library), capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        sys.exit(
            f"compare.py: {' '.join(command)} over {library} ended with {done.returncode}: "
            f"{done.stderr.strip()}"
        )
    return done.stdout.split("\n")


def build_for_peer(prefix, folder):
    """The same sources, the same options."""
    sources = sorted(str(source) for source in pathlib.Path(__file__).parent.glob("*.c"))
    program = os.path.join(folder, "abt_bench")
    subprocess.run(
        [
            os.environ.get("CC", "cc"),
            "-std=gnu11",
            "-O3",
            "-I",
            f"{prefix}/include",
            *sources,
            "-o",
            program,
            "-L",
            f"{prefix}/lib",
            "-labt",
            "-ldl",
        ],
        check=True,
    )
    return program


def measure(options, case, program, library):
    pinned = (
        []
        if any(word in case for word in TWO_STREAMS)
        else ["taskset", "-c", str(options.processor)]
    )
    lines = output_of(pinned + [program, case, str(options.repetitions)], library)
    return statistics.median(float(line) for line in lines if line)


def compare(options, case):
    ours, peer = [], []
    for _ in range(options.rounds):
        peer.append(measure(options, case, options.peer_program, f"{options.peer}/lib"))
        ours.append(measure(options, case, options.program, options.ours))
    ratios = [p / o for p, o in zip(peer, ours)]
    return {
        "case": case,
        "ours_ns": statistics.median(ours),
        "peer_ns": statistics.median(peer),
        "ratio": statistics.median(ratios),
        "least": min(ratios),
        "most": max(ratios),
    }


def target_of(case):
    return TARGETS.get(case, 1 if case.startswith(SYNCHRONISATION) else None)


def show(row):
    target = target_of(row["case"])
    print(
        f"{row['case']:28s} {row['peer_ns']:10.1f} {row['ours_ns']:10.1f} {row['ratio']:8.2f}  "
        f"{row['least']:6.2f} to {row['most']:.2f}   {'' if target is None else target}",
        flush=True,
    )


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True)
    parser.add_argument("--ours", required=True, help="folder with this project's libabt.so.1")
    parser.add_argument(
        "--peer", required=True, metavar="PREFIX", help="where the other one is installed"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=5, help="in each process")
    parser.add_argument("--processor", type=int, default=0)
    parser.add_argument("--json")
    parser.add_argument("cases", nargs="*")
    return parser.parse_args()


def check_what_is_loaded(program, library):
    loaded = output_of([program, "--library"], library)[0]
    if os.path.realpath(os.path.dirname(loaded)) != os.path.realpath(library):
        sys.exit(f"compare.py: with {library} in LD_LIBRARY_PATH the program loads {loaded}")


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        options.peer_program = build_for_peer(options.peer, folder)
        check_what_is_loaded(options.program, options.ours)
        check_what_is_loaded(options.peer_program, f"{options.peer}/lib")
        run(options)


def run(options):
    known = [
        line.split("\t")[0] for line in output_of([options.program, "--list"], options.ours) if line
    ]
    unknown = set(options.cases) - set(known)
    if unknown:
        sys.exit(f"compare.py: no case {', '.join(sorted(unknown))}; there are: {' '.join(known)}")
    print(
        f"load {os.getloadavg()[0]:.2f}; ns per operation\n"
        f"{'case':28s} {'peer':>10s} {'ours':>10s} {'times':>8s}  range            wanted"
    )
    rows = []
    for case in options.cases or known:
        rows.append(compare(options, case))
        show(rows[-1])
    synchronisation = [row["ratio"] for row in rows if row["case"].startswith(SYNCHRONISATION)]
    if synchronisation:
        print(
            "synchronisation, geometric mean "
            f"{statistics.geometric_mean(synchronisation):24.2f}   1.5"
        )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
