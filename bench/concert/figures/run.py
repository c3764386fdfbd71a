#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make concert-figures` runs: Tables 1 and 4 and Figures 10 to 15 of Karamcheti, Plevyak and
Chien, Runtime Mechanisms for Efficient Dynamic Multithreading.

  run.py --build build/release --report build/report

All is measured in several rounds. In a round each program runs once, and all versions of the
runtime follow each other. Simulated rows are of `lazult bench concert --simulate`. The results go
to REPORT/concert-figures.json, and plots and a page are made of them. An interrupted run goes on
where it was. --only measures some parts anew, and leaves the others as they are in that file.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

import programs
import steps
import store

sys.path.append(str(programs.ROOT / "tools/docs"))

import pages  # noqa: E402

sys.dont_write_bytecode = True


def python_with_matplotlib():
    """Debian's, before one that has no matplotlib; or None."""
    for python in (os.environ.get("PYTHON"), "/usr/bin/python3", sys.executable):
        if python and pathlib.Path(python).exists():
            tried = subprocess.run([python, "-c", "import matplotlib"], capture_output=True)
            if tried.returncode == 0:
                return python
    return None


class progress:
    """Which step runs, how many are left, and about how long they take."""

    def __init__(self, wanted):
        self.total = len(wanted)
        self.left = [each.part for each in wanted]
        self.times = {}  # seconds of the finished steps of each part
        self.shows = sys.stderr.isatty()

    def minutes_left(self):
        every = [value for values in self.times.values() for value in values]
        if not every:
            return ""
        usual = sum(every) / len(every)
        seconds = 0
        for part in self.left:
            values = self.times.get(part)
            seconds += sum(values) / len(values) if values else usual
        return f", about {seconds / 60:.0f} min" if seconds > 90 else f", about {seconds:.0f} s"

    def begin(self, step, rounds):
        text = (
            f"{len(self.left)} of {self.total} left{self.minutes_left()}: "
            f"round {step.number} of {rounds}, {step.part}, {step.name}"
        )
        end = "" if self.shows else "\n"
        print(f"\r\033[K{text}" if self.shows else text, end=end, file=sys.stderr, flush=True)

    def end(self, step, seconds):
        self.left.remove(step.part)
        self.times.setdefault(step.part, []).append(seconds)

    def close(self):
        if self.shows:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def result_of(step):
    found = {"date": store.now(), "load": store.load()}
    try:
        found["rows"] = step.run()
    except programs.failed as reason:
        if not step.optional:
            raise
        found["unavailable"] = reason.said
    return found


def measure(wanted, kept, rounds):
    shown = progress([each for each in wanted if not kept.has(each)])
    for each in wanted:
        if kept.has(each):
            continue
        shown.begin(each, rounds)
        began = time.monotonic()
        kept.put(each, result_of(each))
        shown.end(each, time.monotonic() - began)
    shown.close()


def parts_of(wanted, kept):
    found = {}
    for each in wanted:
        found.setdefault(each.part, []).append(kept.get(each))
    return {name: store.part_of(results) for name, results in found.items()}


def rows_so_far(part, kept, before):
    """Of this run, or else of the one before it."""
    files = sorted(kept.folder.glob(f"*.{part}.*.json"))
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return store.part_of(found)["rows"] if found else before.get(part, {}).get("rows", [])


def machine(of):
    return {
        "processor": pages.processor(),
        "processors": os.cpu_count(),
        "kernel": f"{os.uname().sysname} {os.uname().release.split('-')[0]}",
        "revision": pages.revision(),
        "mpi": of.mpi,
    }


def chosen(planned, only):
    if not only:
        return planned
    known = sorted({each.part for each in planned})
    unknown = sorted(set(only) - set(known))
    if unknown:
        sys.exit(f"run.py: no part {', '.join(unknown)}; there are {', '.join(known)}")
    return [each for each in planned if each.part in only]


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("build/report"))
    parser.add_argument("--mpi", help="openmpi or mpich; without it the first that was built")
    parser.add_argument("--quick", action="store_true", help="the size of a test")
    parser.add_argument("--rounds", type=int, help="how often each is measured")
    parser.add_argument("--only", nargs="+", metavar="PART", help="measure these parts alone")
    parser.add_argument("--afresh", action="store_true", help="forget an interrupted run")
    parser.add_argument("--no-plots", action="store_true", help="only measure")
    return parser.parse_args()


def run(options):
    how = steps.quick() if options.quick else steps.amounts()
    if options.rounds:
        how = dataclasses.replace(how, rounds=options.rounds)
    of = programs.programs(options.build, options.mpi)
    here = machine(of)
    options.report.mkdir(parents=True, exist_ok=True)
    file = options.report / "concert-figures.json"
    before = json.loads(file.read_text(encoding="utf-8"))["parts"] if file.exists() else {}
    # As JSON has it: lists and no tuples.
    settings = json.loads(json.dumps([dataclasses.asdict(how), here, options.only]))
    kept = store.store(options.report / "concert-figures.parts", settings)
    plan = steps.planner(of, how, options.report, lambda part: rows_so_far(part, kept, before))
    planned = chosen(plan.plan(), options.only)
    if kept.begin(options.afresh):
        print("concert-figures: goes on with the run that was interrupted", file=sys.stderr)
    measure(planned, kept, how.rounds)
    all_parts = {**(before if options.only else {}), **parts_of(planned, kept)}
    results = {"machine": here, "quick": options.quick, "rounds": how.rounds, "parts": all_parts}
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    kept.end()
    return file


def draw(file, report):
    python = python_with_matplotlib()
    if python is None:
        sys.exit("run.py: no python3 has matplotlib: apt-get install python3-matplotlib")
    plots = programs.ROOT / "tools/plots"
    commands = [[plots / "plot_concert.py", file, "--out", report]]
    picture = report / "radiosity.ppm"
    if picture.exists():
        commands.append([plots / "plot_picture.py", picture, "--out", report])
    for command in commands:
        subprocess.run([python, *map(str, command)], check=True)


def main():
    options = parse()
    try:
        file = run(options)
        print(file)
        if not options.no_plots:
            draw(file, options.report)
    except programs.failed as reason:
        sys.exit(f"run.py: {reason}")
    except subprocess.CalledProcessError as reason:
        sys.exit(reason.returncode)
    except KeyboardInterrupt:
        sys.exit("\nrun.py: interrupted; the same command goes on from here")


if __name__ == "__main__":
    main()
