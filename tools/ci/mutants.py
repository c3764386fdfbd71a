#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests on mutants of the core: copies of the library with one planted error each.

tests/mutants/mutants.json lists the mutants: the text `find`, which stands once in `file`, becomes
`replace`. A mutant that is equivalent to the original has a proof in `equivalent`, and is not run.
`lone` names programs of one test file to ask first, as FLOOR/NAME or FLOOR/NAME:FILTER, where the
filter is GoogleTest's: what killed it before. `suites` are the folders of tests to ask, where those
of its floor are not the right ones.

A mutant is killed when a test fails, crashes or exceeds its time limit, and does so again when it
alone is repeated; what the model checker finds is not repeated, for it tries the same interleavings
each time. The same tests pass on the original: each suite is tried there once, before it is first
believed, and tests that fail there now and then are left out. A mutant that does not compile is an
error in the list.

The mutants are built one after another in a copy of the tree, build/mutants/source, so that only
what includes the mutated file is compiled again. Results are kept in build/mutants/results.jsonl:
an interrupted run goes on where it was. A result counts for as long as the mutant, and the file
that it is in, stay as they were. A new test needs the survivors alone: --again.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/mutants/mutants.json"

# The folders of tests that are asked about a floor, in this order, until one fails. The models see
# headers only.
SUITES = {
    "core": ["core", "model", "sync", "sched", "api", "stress"],
    "ds": ["ds", "model", "core", "sched", "sync", "stress"],
    "sched": ["sched", "core", "sync", "api", "stress"],
    "sync": ["sync", "model", "core", "sched", "api", "stress"],
}
# The models that know the floor sync. Those of the other floors know nothing of it.
MODELS_OF_SYNC = "^model\\.(sync_|end_watch)"
# A folder of tests takes at most this many seconds: one that hangs meets the limits of its tests
# much earlier.
LONGEST = 900
# A test of a suite that is not named for its length takes three seconds at most on the original.
SECONDS_OF_TEST = 20
# A program of one test file, on the original. On mutants it may take so many times as long as
# there, and some seconds more.
LONGEST_LONE = 300
LONE_TIMES, LONE_MORE = 5, 10
# The harness looks at its clock each second. A gap of more seconds means that somebody stopped the
# whole run for a while: limits of time that were met meanwhile mean nothing.
STOPPED = 8
# A kill is believed when the same test fails again in one of so many runs.
REPETITIONS = 3
# Of a suite that fails, and not by a test.
UNNAMED = "(unnamed)"
# For `make test-deep`: quick ones, of each floor.
TEN = [
    "join_withdraw_always_succeeds",
    "in_place_end_keeps_the_childs_errno",
    "countdown_without_its_own_count",
    "deque_pop_races_for_two",
    "parker_forgets_a_claim",
    "scheduler_ends_with_work",
    "biased_fifo_spills_nothing",
    "semaphore_release_loses_tokens",
    "latch_opens_early",
    "channel_close_is_not_seen",
]


def read_mutants():
    return json.loads(LIST.read_text())


def floor_of(mutant):
    return mutant["file"].split("/")[1]


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
        if floor_of(each) not in SUITES:
            wrong.append(f"{name}: no suites are known for {each['file']}")
        wrong += [f"{name}: {fault}" for lone in each.get("lone", []) for fault in faults_of(lone)]
    return wrong + [
        f"{name}: is one of the ten, and not in the list" for name in TEN if name not in seen
    ]


def faults_of(lone):
    name, _, chosen_cases = lone.partition(":")
    path = ROOT / f"tests/{name}_test.cpp"
    if not path.is_file():
        return [f"there is no {path.relative_to(ROOT)}"]
    cases = re.findall(r"\w+\.(\w+)", chosen_cases)
    return [
        f"{path.relative_to(ROOT)} has no case {case}"
        for case in cases
        if case not in path.read_text()
    ]


def digest(mutant):
    text = json.dumps([mutant["find"], mutant["replace"]]) + (ROOT / mutant["file"]).read_text()
    return hashlib.sha256(text.encode()).hexdigest()


def lone_programs(mutant):
    """Programs of one test file, as FLOOR/NAME, that need little of the library: the models and the
    tests of a header."""
    if "lone" in mutant:
        return mutant["lone"]
    name = pathlib.Path(mutant["file"])
    if name.suffix != ".hpp" or floor_of(mutant) not in ("core", "ds"):
        return []
    return [
        f"{folder}/{name.stem}"
        for folder in ("model", "ds")
        if (ROOT / f"tests/{folder}/{name.stem}_test.cpp").is_file()
    ]


def suites_of(mutant):
    if "suites" in mutant:
        return mutant["suites"]
    is_header = mutant["file"].endswith(".hpp")
    return [suite for suite in SUITES[floor_of(mutant)] if is_header or suite != "model"]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def end_with_descendants(pid):
    """Children first asked who theirs are: a process that has lost its parent is found no more."""
    children = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    for each in found:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass


class StillbornMutant(Exception):
    """It does not compile."""


class PlantedFile:
    """The file of a mutant, in the copy of the tree. It is written only when it changes: what is
    written is compiled again."""

    def __init__(self, path, mutant):
        self.path = path
        self.original = path.read_text()
        self.mutated = self.original.replace(mutant["find"], mutant["replace"])
        self.is_planted = False

    def plant(self, wanted=True):
        if wanted != self.is_planted:
            self.path.write_text(self.mutated if wanted else self.original)
            self.is_planted = wanted


class Workshop:
    """The copy of the tree, its build, and the results."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.source = folder / "source"
        self.build = folder / "build"
        self.jobs = str(jobs)
        self.results_file = folder / "results.jsonl"
        self.was_stopped = False
        # of each suite that was tried on the original, the tests that cannot be believed
        self.left_out = {}
        # of each program of one test file that was tried on the original, in seconds
        self.lone_limit = {}
        self.build_seconds = 0.0

    # --- processes

    def run(self, command, limit=None):
        """Exit code and output; 124 where the limit was met. Time for which the whole run was
        stopped does not count."""
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
        ) as child:
            awake = 0.0
            try:
                while True:
                    begun = time.monotonic()
                    try:
                        output, _ = child.communicate(timeout=1)
                        return child.returncode, output
                    except subprocess.TimeoutExpired:
                        pass
                    passed = time.monotonic() - begun
                    self.was_stopped = self.was_stopped or passed > STOPPED
                    awake += min(passed, 2.0)
                    if limit is not None and awake > limit:
                        return 124, "the limit of time was met"
            finally:
                if child.poll() is None:
                    end_with_descendants(child.pid)

    def run_unstopped(self, command, limit):
        """The same, but again if it failed and was stopped meanwhile."""
        while True:
            self.was_stopped = False
            code, output = self.run(command, limit)
            if code == 0 or not self.was_stopped:
                return code, output

    # --- the copy of the tree

    def update_source(self):
        """Brings the copy to the state of the tree. What has not changed keeps its time, so it is
        not compiled again."""
        self.source.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
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
        code, output = self.run(
            [
                "cmake",
                "-S",
                str(self.source),
                "-B",
                str(self.build),
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g0 -DNDEBUG",
                "-DLAZULT_TESTS=ON",
                "-DLAZULT_DOORS=OFF",
                "-DLAZULT_TOOLS=OFF",
                "-DLAZULT_CHECKS=OFF",
                "-DLAZULT_WERROR=OFF",
                "-DLAZULT_PRECOMPILE=OFF",
                "-DLAZULT_LONE_TESTS=ON",
                f"-DLAZULT_TEST_SECONDS={SECONDS_OF_TEST}",
                "-DLAZULT_TEST_FLOORS=ds;core;sched;sync;api;model;stress",
            ]
        )
        if code != 0:
            sys.exit(f"mutants: the copy of the tree cannot be configured:\n{output}")

    def build_target(self, target):
        begun = time.monotonic()
        code, output = self.run(
            ["cmake", "--build", str(self.build), "-j", self.jobs, "--target", target]
        )
        self.build_seconds += time.monotonic() - begun
        if code != 0:
            raise StillbornMutant(first_error(output))

    # --- tests: each function returns None, or which test failed and how

    def ask_lone(self, lone, limit):
        program = lone_target(lone)
        self.build_target(program)
        name, _, chosen_cases = lone.partition(":")
        command = [
            str(self.build / "bin" / program),
            "--gtest_brief=1",
            "--gtest_fail_fast",
            f"--gtest_filter={chosen_cases or '*'}",
        ]
        code, output = self.run_unstopped(command, limit)
        return None if code == 0 else f"{name}: {failed_case(code, output)}"

    def ask_suite(self, suite, left_out, models=None):
        self.build_target(suite + "_test")
        command = [
            "ctest",
            "--test-dir",
            str(self.build),
            "-L",
            f"^{suite}$",
            "-LE",
            "^deep$",
            "-j",
            self.jobs,
            "--stop-on-failure",
            "--no-tests=error",
        ]
        command += ["-R", models] if suite == "model" and models else []
        command += ["-E", exactly(left_out)] if left_out else []
        code, output = self.run_unstopped(command, LONGEST)
        return None if code == 0 else failed_test(output)

    def fails_again(self, killer, suite):
        name = killer.split()[0]
        chosen_tests = (
            ["-L", f"^{suite}$", "-LE", "^deep$"] if name == UNNAMED else ["-R", exactly([name])]
        )
        command = ["ctest", "--test-dir", str(self.build), "--no-tests=error"] + chosen_tests
        return any(self.run_unstopped(command, LONGEST)[0] != 0 for _ in range(REPETITIONS))

    # --- the original

    def try_suite_on_original(self, suite):
        """Tests that fail there, and pass when they are repeated, are left out."""
        flaky = []
        while (killer := self.ask_suite(suite, flaky)) is not None:
            if self.fails_again(killer, suite):
                sys.exit(f"mutants: fails on the original: {killer}")
            flaky.append(killer.split()[0])
            print(f"mutants: left out, for it failed once on the original: {killer}", flush=True)
        self.left_out[suite] = flaky

    def try_lone_on_original(self, lone):
        self.build_target(lone_target(lone))
        begun = time.monotonic()
        killer = self.ask_lone(lone, LONGEST_LONE)
        if killer is not None:
            sys.exit(f"mutants: fails on the original: {killer}")
        self.lone_limit[lone] = LONE_MORE + LONE_TIMES * (time.monotonic() - begun)

    # --- mutants

    def ask_suite_surely(self, suite, mutant, file, seldom):
        """As ask_suite(), but a test that fails once and not again goes to `seldom`, and the others
        are asked on."""
        if suite not in self.left_out:
            file.plant(False)
            self.try_suite_on_original(suite)
        file.plant()
        left_out = list(self.left_out[suite])
        models = MODELS_OF_SYNC if floor_of(mutant) == "sync" else None
        while (killer := self.ask_suite(suite, left_out, models)) is not None:
            if is_of_model_checker(killer) or self.fails_again(killer, suite):
                return killer
            seldom.append(killer)
            left_out.append(killer.split()[0])
        return None

    def ask_lone_surely(self, lone, file, seldom):
        if lone not in self.lone_limit:
            file.plant(False)
            self.try_lone_on_original(lone)
        file.plant()
        limit = self.lone_limit[lone]
        killer = self.ask_lone(lone, limit)
        if (
            killer is None
            or is_of_model_checker(killer)
            or any(self.ask_lone(lone, limit) is not None for _ in range(REPETITIONS))
        ):
            return killer
        seldom.append(killer)
        return None

    def find_killer(self, mutant, file, seldom):
        for lone in lone_programs(mutant):
            killer = self.ask_lone_surely(lone, file, seldom)
            if killer is not None:
                return killer
        for suite in suites_of(mutant):
            killer = self.ask_suite_surely(suite, mutant, file, seldom)
            if killer is not None:
                return killer
        return None

    def try_mutant(self, mutant, its_digest):
        file = PlantedFile(self.source / mutant["file"], mutant)
        begun, used, built = time.monotonic(), processor_seconds(), self.build_seconds
        result = {"id": mutant["id"], "digest": its_digest, "killed_by": None, "seldom": []}
        try:
            result["killed_by"] = self.find_killer(mutant, file, result["seldom"])
        except StillbornMutant as error:
            result["does_not_compile"] = str(error)
        finally:
            file.plant(False)
        result["seconds"] = round(time.monotonic() - begun)
        result["build_seconds"] = round(self.build_seconds - built)
        result["processor_seconds"] = round(processor_seconds() - used)
        return result

    def known_results(self):
        lines = self.results_file.read_text().splitlines() if self.results_file.is_file() else []
        return {(each["id"], each["digest"]): each for each in map(json.loads, lines)}

    def keep(self, result):
        with self.results_file.open("a") as file:
            file.write(json.dumps(result) + "\n")


def lone_target(lone):
    return "lone_" + lone.partition(":")[0].replace("/", "_") + "_test"


def is_of_model_checker(killer):
    """What it found, and not a crash of it nor a limit of time: that is so each time."""
    return (
        re.fullmatch(r"model/\w+: \w+_model\.\w+|model\.\w+_model\.\w+ Failed", killer) is not None
    )


def first_error(output):
    return next(
        (line.strip() for line in output.splitlines() if "error:" in line), "no error is named"
    )[:160]


def exactly(names):
    """A pattern for ctest."""
    return (
        "^(" + "|".join(re.escape(name) for name in names) + ")( |$)"
    )  # a parameter's value may stand behind it


def failed_test(output):
    """Its name, and how it failed."""
    failed = re.search(r"Test +#\d+: (\S+) .*\*\*\* ?(?!Skipped)(\S.*?)\s+[\d.]+ sec", output)
    return f"{failed[1]} {failed[2]}" if failed else f"{UNNAMED} {output[-200:].strip()}"


def failed_case(code, output):
    if code == 124:
        return "met its limit of time"
    failed = re.search(r"\[ +FAILED +\] ([\w/.]+)", output)
    if failed:
        return failed[1]
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def chosen(mutants, arguments):
    names = TEN if arguments.ten else arguments.only
    if not names:
        return mutants
    unknown = set(names) - {each["id"] for each in mutants}
    if unknown:
        sys.exit(f"mutants: not in the list: {', '.join(sorted(unknown))}")
    return [each for each in mutants if each["id"] in names]


def line_of(result):
    return (
        f"{result['seconds']:5d} s, {result['build_seconds']:4d} of them to build  {result['id']}: "
        f"{result.get('does_not_compile') or result['killed_by'] or 'SURVIVED'}"
        + "".join(f"; once only: {each}" for each in result["seldom"])
    )


def report(results, equivalents, wanted):
    stillborn = [each for each in results if "does_not_compile" in each]
    survivors = [each for each in results if each["killed_by"] is None and each not in stillborn]
    for each in stillborn:
        print(f"does not compile: {each['id']}: {each['does_not_compile']}")
    for each in survivors:
        print(f"survived: {each['id']}")
    for each in equivalents:
        print(f"equivalent: {each['id']}: {each['equivalent']}")
    killed = len(results) - len(survivors) - len(stillborn)
    share = 100.0 * killed / len(results) if results else 100.0
    print(
        f"mutants: {killed} of {len(results)} killed ({share:.1f} %), "
        f"{len(equivalents)} equivalent, "
        f"{sum(each['seconds'] for each in results)} s, "
        f"{sum(each['processor_seconds'] for each in results)} s of processor time"
    )
    return 0 if share >= wanted and not stillborn else 1


def parsed_arguments():
    parser = argparse.ArgumentParser(description="Runs the tests on mutants of the core.")
    parser.add_argument(
        "--check", action="store_true", help="only look whether each mutant fits the tree"
    )
    parser.add_argument("--ten", action="store_true", help="ten quick ones")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these alone")
    parser.add_argument("--again", action="store_true", help="run survivors of earlier runs again")
    parser.add_argument(
        "--at-least",
        type=float,
        default=95.0,
        metavar="PERCENT",
        help="fails below this share (95)",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutants")
    return parser.parse_args()


def run_all(shop, wanted, again):
    known = shop.known_results()
    digests = {
        each["id"]: digest(each) for each in wanted
    }  # now: the tree may change while its copy is at work
    results = []
    ready = False
    for mutant in wanted:
        result = known.get((mutant["id"], digests[mutant["id"]]))
        if result is None or (again and result["killed_by"] is None):
            if not ready:
                shop.update_source()
                shop.configure()
                ready = True
            result = shop.try_mutant(mutant, digests[mutant["id"]])
            shop.keep(result)
            print(line_of(result), flush=True)
        results.append(result)
    return results


def main():
    arguments = parsed_arguments()
    mutants = read_mutants()
    wrong = misfits(mutants)
    for line in wrong:
        print(line)
    if wrong or arguments.check:
        print(f"mutants: {len(mutants)} listed, {len(wrong)} do not fit the tree")
        return 1 if wrong else 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    wanted = chosen(mutants, arguments)
    results = run_all(
        Workshop(arguments.folder, arguments.jobs),
        [each for each in wanted if "equivalent" not in each],
        arguments.again,
    )
    return report(results, [each for each in wanted if "equivalent" in each], arguments.at_least)


if __name__ == "__main__":
    sys.exit(main())
