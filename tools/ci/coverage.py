#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which branches of the library the tests take: builds the preset `coverage`, runs the tests,
prints a table.

usage: coverage.py [--jobs N] [--floors A,B] [--at-least PERCENT] [--no-run]

For each floor: branches, taken ones, share. Each condition has two branches, and so has each case
of a switch; those of a template count once, whichever of its instances takes them. Exceptions are
no branches, and constants of the build none (what stands behind them is: what only a sanitizer's
build does counts as not taken). The doors and the tests of the command are left out. A floor named
in --floors with a smaller share than --at-least is a failure. What is not taken is written to
build/coverage/missed.txt, by file and line, and the whole to build/coverage/summary.json.
"""
import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "coverage"
RAW = BUILD / "raw"
# Scripts that look at the command, and run for long.
LEFT_OUT = r"^tools\.(bench|info|patterns|run|soak)"


def llvm(tool):
    for name in (f"llvm-{tool}-19", f"llvm-{tool}"):
        if (
            subprocess.run(["sh", "-c", f"command -v {name}"], stdout=subprocess.DEVNULL).returncode
            == 0
        ):
            return name
    sys.exit(f"coverage: there is no llvm-{tool}-19: install llvm-19 (tools/ci/deps.sh test)")


def build(jobs):
    run = lambda *words: subprocess.run(words, cwd=ROOT, check=True)
    run("cmake", "--preset", "coverage", "-DLAZULT_TESTS=ON")
    run("cmake", "--build", "--preset", "coverage", "-j", str(jobs))


def run_tests(jobs):
    RAW.mkdir(parents=True, exist_ok=True)
    for old in RAW.glob("*.profraw"):
        old.unlink()
    # %m: one file for each program or library, that all its processes share; %c: mapped while they
    # run.
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(RAW / "%m%c.profraw"))
    return subprocess.run(
        [
            "ctest",
            "--preset",
            "coverage",
            "-j",
            str(jobs),
            "-LE",
            "^deep$",
            "-E",
            LEFT_OUT,
            "--no-tests=error",
        ],
        cwd=ROOT,
        env=environment,
    ).returncode


def programs():
    """Everything that was built with counters: programs, examples and shared libraries."""
    found = [f for f in (BUILD / "bin").iterdir() if f.is_file() and os.access(f, os.X_OK)]
    found += [f for f in (BUILD / "examples").glob("*") if f.is_file() and os.access(f, os.X_OK)]
    found += [
        f
        for f in (BUILD / "lib").rglob("*.so.*")
        if f.is_file() and not f.is_symlink() and f.suffix != ".py"
    ]
    return found


def exported():
    merged = BUILD / "merged.profdata"
    subprocess.run(
        [llvm("profdata"), "merge", "-sparse", "-o", merged, *RAW.glob("*.profraw")], check=True
    )
    first, *others = programs()
    objects = [word for one in others for word in ("-object", str(one))]
    told = subprocess.run(
        [
            llvm("cov"),
            "export",
            "-instr-profile",
            merged,
            first,
            *objects,
            "-ignore-filename-regex",
            "/tests/|/usr/",
        ],
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(told.stdout)["data"][0]


def branches_of(data):
    """{file: {(line, column, end line, end column): [true taken, false taken]}}, the best of a
    template's instances."""
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for function in data["functions"]:
        for start, column, end, end_column, if_true, if_false, file, *_ in function["branches"]:
            name = Path(function["filenames"][file])
            if not name.is_relative_to(ROOT / "lazult"):
                continue
            counts = found[name.relative_to(ROOT).as_posix()][(start, column, end, end_column)]
            counts[0] += if_true
            counts[1] += if_false
    return found


def summary_of(found):
    floors = defaultdict(lambda: [0, 0])
    for name, branches in found.items():
        floor = floors[name.split("/")[1]]
        for counts in branches.values():
            floor[0] += 2
            floor[1] += sum(count > 0 for count in counts)
    return floors


def missed_lines(found):
    for name in sorted(found):
        text = (ROOT / name).read_text().splitlines()
        for (line, column, end, end_column), counts in sorted(found[name].items()):
            for taken, way in zip(counts, ("true", "false")):
                if not taken:
                    stop = end_column - 1 if end == line else None
                    yield f"{name}:{line}:{column}: never {way}: {text[line - 1][column - 1:stop]}"


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--floors", default="core,watch,sched,sync,ds")
    arguments.add_argument("--at-least", type=float, default=0)
    arguments.add_argument("--no-run", action="store_true", help="counts what the last run left")
    options = arguments.parse_args()
    failed = 0
    if not options.no_run:
        build(options.jobs)
        failed = run_tests(options.jobs)
    found = branches_of(exported())
    floors = summary_of(found)
    (BUILD / "missed.txt").write_text("\n".join(missed_lines(found)) + "\n")
    (BUILD / "summary.json").write_text(
        json.dumps({f: {"branches": b, "taken": t} for f, (b, t) in floors.items()}, indent=1)
    )
    print(f"{'floor':<8} {'branches':>9} {'taken':>7} {'share':>7}")
    low = []
    for floor, (branches, taken) in sorted(floors.items()):
        share = 100 * taken / branches
        print(f"{floor:<8} {branches:>9} {taken:>7} {share:>6.1f}%")
        if floor in options.floors.split(",") and share < options.at_least:
            low.append(floor)
    if low:
        print(
            f"coverage: fewer than {options.at_least:g} % of branches taken: {', '.join(low)}; "
            "see build/coverage/missed.txt"
        )
    sys.exit(1 if low or failed else 0)


main()
