#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests on mutants of the core: copies of the library with one planted error each.

A mutant is killed when a test fails, crashes or exceeds its time limit. tests/mutants/mutants.json lists the mutants:
the text `find`, which stands once in `file`, becomes `replace`. A mutant that is equivalent to the original says why in
`equivalent`, and is not run.

The mutants are built one after another in a copy of the tree, build/mutants/source, so that only what includes the
mutated file is compiled again. Results are kept in build/mutants/results.jsonl: an interrupted run goes on where it
was. A result counts for as long as the mutant, and the file that it is in, stay as they were.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/mutants/mutants.json"

# The folders of tests that are asked about a floor, in this order, until one fails.
SUITES = {
    "core": ["core", "model", "sync", "sched", "api", "stress"],
    "ds": ["ds", "model", "sched", "stress"],
    "sched": ["sched", "model", "api", "stress"],
    "sync": ["sync", "model", "api", "stress"],
}
# A folder of tests takes at most this many seconds: one that hangs meets the limits of its tests much earlier.
LONGEST = 600
# Where several of these are chosen for `make test-deep`: quick ones, of each floor.
TEN = [
    "join_withdraw_always_succeeds", "in_place_end_keeps_the_childs_errno", "countdown_without_its_own_count",
    "deque_pop_races_for_two", "parker_forgets_a_claim", "scheduler_ends_with_work", "biased_fifo_spills_nothing",
    "semaphore_release_loses_tokens", "latch_opens_early", "channel_close_is_not_seen",
]


def read_mutants():
    return json.loads(LIST.read_text())


def misfits(mutants):
    """What is wrong with the list, as one line for each mutant that does not fit the tree."""
    wrong = []
    seen = set()
    for each in mutants:
        name = each["id"]
        if name in seen:
            wrong.append(f"{name}: two mutants have this id")
        seen.add(name)
        path = ROOT / each["file"]
        count = path.read_text().count(each["find"]) if path.is_file() else 0
        if count != 1:
            wrong.append(f"{name}: its text stands {count} times in {each['file']}, and not once")
        if each["find"] == each["replace"]:
            wrong.append(f"{name}: it changes nothing")
        if each["file"].split("/")[1] not in SUITES:
            wrong.append(f"{name}: no suites are known for {each['file']}")
    return wrong


def digest(mutant):
    text = json.dumps([mutant["find"], mutant["replace"]]) + (ROOT / mutant["file"]).read_text()
    return hashlib.sha256(text.encode()).hexdigest()


class Workshop:
    """The copy of the tree, its build, and the results."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.source = folder / "source"
        self.build = folder / "build"
        self.jobs = str(jobs)
        self.results_file = folder / "results.jsonl"

    def run(self, command, limit=None):
        """Exit code and output; 124 where the limit was met."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, errors="replace", start_new_session=True) as child:
            try:
                output, _ = child.communicate(timeout=limit)
                return child.returncode, output
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.communicate()
                return 124, "the limit of time was met"

    def update_source(self):
        """Brings the copy to the state of the tree. What has not changed keeps its time, so it is not compiled again."""
        names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        wanted = {name for name in names if (ROOT / name).is_file()}
        for name in wanted:
            self.copy(name)
        for path in self.source.rglob("*"):
            if path.is_file() and str(path.relative_to(self.source)) not in wanted:
                path.unlink()

    def copy(self, name):
        origin, target = ROOT / name, self.source / name
        if not target.is_file() or target.read_bytes() != origin.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin, target)
            shutil.copymode(origin, target)

    def configure(self):
        code, output = self.run([
            "cmake", "-S", str(self.source), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g0 -DNDEBUG", "-DLAZULT_TESTS=ON", "-DLAZULT_DOORS=OFF",
            "-DLAZULT_TOOLS=OFF", "-DLAZULT_CHECKS=OFF", "-DLAZULT_WERROR=OFF", "-DLAZULT_PRECOMPILE=OFF",
            "-DLAZULT_TEST_FLOORS=ds;core;sched;sync;api;model;stress"])
        if code != 0:
            sys.exit(f"mutants: the copy of the tree cannot be configured:\n{output}")

    def build_suite(self, suite):
        return self.run(["cmake", "--build", str(self.build), "-j", self.jobs, "--target", suite + "_test"])

    def ask_suite(self, suite):
        """None, or what failed."""
        code, output = self.build_suite(suite)
        if code != 0:
            return "does not compile: " + first_error(output)
        code, output = self.run(["ctest", "--test-dir", str(self.build), "-L", f"^{suite}$", "-LE", "^deep$",
                                 "-j", self.jobs, "--stop-on-failure", "--no-tests=error"], LONGEST)
        return None if code == 0 else failed_test(output)

    def try_mutant(self, mutant):
        target = self.source / mutant["file"]
        original = target.read_text()
        target.write_text(original.replace(mutant["find"], mutant["replace"]))
        begun = time.monotonic()
        try:
            killer = None
            for suite in mutant.get("suites", SUITES[mutant["file"].split("/")[1]]):
                killer = self.ask_suite(suite)
                if killer is not None:
                    break
        finally:
            target.write_text(original)
        return {"id": mutant["id"], "digest": digest(mutant), "killed_by": killer,
                "seconds": round(time.monotonic() - begun)}

    def known_results(self):
        lines = self.results_file.read_text().splitlines() if self.results_file.is_file() else []
        return {(each["id"], each["digest"]): each for each in map(json.loads, lines)}

    def keep(self, result):
        with self.results_file.open("a") as file:
            file.write(json.dumps(result) + "\n")


def first_error(output):
    return next((line.strip() for line in output.splitlines() if "error:" in line), "no error is named")[:160]


def failed_test(output):
    for line in output.splitlines():
        if "***" in line and "Test" in line:
            return " ".join(line.split("Test")[1].split()[1:])[:160]
    return "the whole suite, at its limit of time"


def chosen(mutants, arguments):
    names = TEN if arguments.ten else arguments.only
    if not names:
        return mutants
    unknown = set(names) - {each["id"] for each in mutants}
    if unknown:
        sys.exit(f"mutants: not in the list: {', '.join(sorted(unknown))}")
    return [each for each in mutants if each["id"] in names]


def report(results, equivalents, wanted):
    survivors = [each for each in results if each["killed_by"] is None]
    for each in survivors:
        print(f"survived: {each['id']}")
    for each in equivalents:
        print(f"equivalent: {each['id']}: {each['equivalent']}")
    share = 100.0 * (len(results) - len(survivors)) / len(results) if results else 100.0
    seconds = sum(each["seconds"] for each in results)
    print(f"mutants: {len(results) - len(survivors)} of {len(results)} killed ({share:.1f} %), "
          f"{len(equivalents)} equivalent, {seconds} s")
    return 0 if share >= wanted else 1


def main():
    parser = argparse.ArgumentParser(description="Runs the tests on mutants of the core.")
    parser.add_argument("--check", action="store_true", help="only look whether each mutant fits the tree")
    parser.add_argument("--ten", action="store_true", help="ten quick ones")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these alone")
    parser.add_argument("--again", action="store_true", help="run survivors of earlier runs again")
    parser.add_argument("--at-least", type=float, default=95.0, metavar="PERCENT", help="fails below this share (95)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutants")
    arguments = parser.parse_args()

    mutants = read_mutants()
    wrong = misfits(mutants)
    for line in wrong:
        print(line)
    if wrong or arguments.check:
        print(f"mutants: {len(mutants)} listed, {len(wrong)} do not fit the tree")
        return 1 if wrong else 0

    shop = Workshop(arguments.folder, arguments.jobs)
    wanted = chosen(mutants, arguments)
    known = shop.known_results()
    results = []
    ready = False
    for mutant in (each for each in wanted if "equivalent" not in each):
        result = known.get((mutant["id"], digest(mutant)))
        if result is None or (arguments.again and result["killed_by"] is None):
            if not ready:
                shop.update_source()
                shop.configure()
                ready = True
            result = shop.try_mutant(mutant)
            shop.keep(result)
            print(f"{result['seconds']:5d} s  {result['id']}: {result['killed_by'] or 'SURVIVED'}", flush=True)
        results.append(result)
    return report(results, [each for each in wanted if "equivalent" in each], arguments.at_least)


if __name__ == "__main__":
    sys.exit(main())
