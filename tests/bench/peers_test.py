# SPDX-License-Identifier: BSD-3-Clause
"""lazult bench peers: what it makes of times, on programs that print given ones; and each of our
own cases, once."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/tools"), str(SOURCE / "bench/peers")]
sys.dont_write_bytecode = True

import drivers  # noqa: E402
import rows  # noqa: E402
from command import COMMAND, command_test, run  # noqa: E402

BUILD = Path(os.environ.get("LAZULT_BUILD_DIR", SOURCE / "build/release"))
CMAKE = os.environ.get("LAZULT_CMAKE", "cmake")

# Prints the next line of PROGRAM.CASE, or of PROGRAM.CASE.inexact.
PROGRAM = """#!/bin/sh
echo "${0##*/}" >>"${0%/*}/order"
file="$0.$1"
case " $* " in *" --inexact "*) file="$file.inexact" ;; esac
head -n 1 "$file" || exit 3
sed -i 1d "$file"
"""
# A hundred instructions an operation, and those of the start.
VALGRIND = """#!/bin/sh
while [ $# -gt 1 ]; do shift; done
echo "==1== Collected : $((7777 + $1 * 1000))" >&2
echo $(($1 * 10))
"""


def write_program(file, text):
    file.write_text(text)
    file.chmod(0o755)


class canned(command_test):
    """Programs that print what `times` says: {"PROGRAM:CASE": one time for each round}."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def write(self, times):
        for case, values in times.items():
            program, name = case.split(":")
            write_program(self.path / program, PROGRAM)
            (self.path / f"{program}.{name}").write_text("".join(f"{value}\n" for value in values))

    def command(self, row, rounds, *options):
        return (
            "bench",
            "peers",
            "--programs",
            self.path,
            "--rounds",
            rounds,
            "--reps",
            1,
            "--json",
            self.path / "out.json",
            *options,
            row,
        )

    def measure(self, row, times, *options, **environment):
        """The verdicts of ours, and what was printed."""
        self.write(times)
        rounds = len(next(iter(times.values())))
        done = self.succeed(
            *self.command(row, rounds, *(options or ("--no-instructions",))), **environment
        )
        results = json.loads((self.path / "out.json").read_text())
        return [one["verdict"] for one in results if "verdict" in one], results, done.stdout

    def test_ratio_is_the_median_of_the_rounds_ratios(self):
        times = {
            "lazult:kmeans": [10, 80, 20],
            "libgomp:kmeans": [20, 40, 20],
            "libomp:kmeans": [50, 50, 50],
        }
        (verdict,), results, shown = self.measure("kmeans", times)
        self.assertEqual(verdict["peer"], "libgomp:kmeans")
        self.assertEqual(verdict["ratio"], {"median": 1.0, "min": 0.5, "max": 2.0})
        self.assertEqual(verdict["met"], False)
        self.assertEqual(
            [(one["library"], one["median"], one["min"], one["max"]) for one in results],
            [("lazult", 20, 10, 80), ("libgomp", 20, 20, 40), ("libomp", 50, 50, 50)],
        )
        self.assertIn("1 rows: 0 meet their goal, 1 do not", shown)

    def test_programs_take_turns_and_each_round_begins_with_another(self):
        self.measure(
            "kmeans",
            {f"{program}:kmeans": [1, 1, 1] for program in ("lazult", "libgomp", "libomp")},
        )
        order = (self.path / "order").read_text().split()
        rounds = [order[0:3], order[3:6], order[6:9]]
        self.assertEqual([sorted(one) for one in rounds], [["lazult", "libgomp", "libomp"]] * 3)
        self.assertEqual(len({one[0] for one in rounds}), 3)

    def test_goal_is_of_the_peer_that_it_names_and_the_best_may_be_another(self):
        times = {"lazult:kmeans": [10], "libgomp:kmeans": [20], "libomp:kmeans": [8]}
        (verdict,), _, shown = self.measure("kmeans", times)
        self.assertEqual((verdict["peer"], verdict["ratio"]["median"]), ("libomp:kmeans", 1.25))
        self.assertEqual(
            verdict["goals"], [{"of": "libgomp", "limit": 0.91, "ratio": 0.5, "met": True}]
        )
        self.assertEqual(verdict["met"], True)
        self.assertIn("slower than the best peer: kmeans", shown)

    def test_goal_of_two_peers_is_met_by_both_or_not(self):
        times = {
            "lazult:large-loop": [10],
            "onetbb:large-loop": [100],
            "onetbb:large-loop-static": [20],
            "libgomp:large-loop": [11],
            "libomp:large-loop": [50],
        }
        (verdict,), _, _ = self.measure("large-loop", times)
        self.assertEqual(
            [(goal["ratio"], goal["met"]) for goal in verdict["goals"]],
            [(0.5, True), (10 / 11, False)],
        )
        self.assertEqual(verdict["met"], False)

    def test_missing_peers_are_shown_and_leave_the_goal_open(self):
        (verdict,), _, shown = self.measure(
            "kmeans", {"lazult:kmeans": [10], "libomp:kmeans": [20]}
        )
        self.assertEqual((verdict["met"], verdict["missing"]), (None, ["libgomp"]))
        self.assertIn("missing: libgomp", shown)
        self.assertIn("not known: kmeans", shown)

    def test_goal_may_be_of_our_own_and_counts_instructions(self):
        times = {"lazult:task-group": [10], "abt:ult-private": [20]}
        write_program(self.path / "valgrind", VALGRIND)
        (verdict,), _, shown = self.measure(
            "task-group", times, "--quick", PATH=f"{self.path}:{os.environ['PATH']}"
        )
        self.assertEqual(
            (verdict["goals"][0]["ratio"], verdict["instructions"], verdict["met"]),
            (0.5, 100, True),
        )
        self.assertIsNone(verdict["ratio"])
        self.assertIn("1 rows: 1 meet", shown)
        (verdict,), _, _ = self.measure("task-group", times)
        self.assertEqual((verdict["instructions"], verdict["met"]), (None, None))

    def test_units_that_raised_a_flag_count_too(self):
        times = {
            "lazult:bank": [10],
            "lazult:bank.inexact": [30],
            "go:bank": [20],
            "go:bank.inexact": [20],
        }
        verdicts, _, shown = self.measure("bank", times)
        self.assertEqual([verdict["met"] for verdict in verdicts], [True, False])
        self.assertIn("after FE_INEXACT", shown)
        self.assertIn("do not: bank", shown)

    def test_two_files_can_be_compared(self):
        times = {"lazult:kmeans": [10], "libgomp:kmeans": [20], "libomp:kmeans": [8]}
        self.measure("kmeans", times)
        done = self.succeed("bench", "--compare", self.path / "out.json", self.path / "out.json")
        self.assertNotIn("only in", done.stdout)
        self.assertEqual(done.stdout.count("row=kmeans"), 3)

    def test_page_is_a_table_of_markdown_with_date_and_revision(self):
        times = {
            "lazult:kmeans": [10, 12, 14],
            "libgomp:kmeans": [20, 20, 20],
            "libomp:kmeans": [8, 8, 8],
        }
        self.measure(
            "kmeans",
            times,
            "--no-instructions",
            "--page",
            self.path / "page.md",
            "--revision",
            "abc1234",
        )
        head, _, columns, dashes, line = (self.path / "page.md").read_text().splitlines()
        self.assertRegex(head, r"\d{4}-\d\d-\d\d, abc1234, .*, medians of 3 rounds\.$")
        self.assertEqual(
            line,
            "| kmeans | lazult::task_group | 12.0 |  | libomp | 8.0 | 1.50 (1.25 to 1.75) | "
            "0.60 of libgomp (≤ 0.91) | yes |",
        )
        self.assertEqual({text.count("|") for text in (columns, dashes, line)}, {10})

    def fail(self, times, words):
        self.write(times)
        done = run(*self.command("kmeans", 1, "--no-instructions"))
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in ("lazult: bench peers: ", *words):
            self.assertIn(word, done.stderr)

    def test_program_that_fails_ends_the_run(self):
        self.write({"libgomp:other": []})
        self.fail({"lazult:kmeans": [10]}, ("libgomp kmeans", "ended with 3"))

    def test_program_that_prints_no_times_ends_the_run(self):
        for printed in ("nonsense", "-1", "inf", "1 2"):
            self.fail({"lazult:kmeans": [printed]}, ("lazult kmeans", "not 1 times"))


class words(command_test):
    def refuse_words(self, *arguments, words):
        self.refuse("bench", "peers", *arguments, words=words)

    def test_errors(self):
        self.refuse_words("--lazult", "/", "yeild", words=('"yeild"', "yield-to"))
        self.refuse_words("--prefix", "argobot=/", words=("argobot=/", "massivethreads"))
        self.refuse_words("--prefix", "argobots=/nonexistent", words=("/nonexistent",))

    def test_prefix_that_has_no_library_is_an_error_and_not_a_missing_peer(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(drivers.failure, "argobots cannot be built"):
                drivers.build_peers({"argobots": Path(folder)}, folder, {"argobots"})

    def test_peer_without_a_prefix_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                drivers.build_peers({}, folder, {"massivethreads"}),
                ({}, {"massivethreads": "say --prefix massivethreads=DIR"}),
            )

    def test_list_and_help(self):
        self.assertEqual(len(self.succeed("bench", "peers", "--list").stdout.splitlines()), 22)
        self.assertIn("python3", self.succeed("bench", "peers", "--help").stdout)

    def test_python_is_needed(self):
        done = subprocess.run(
            [COMMAND, "bench", "peers"],
            env={"PATH": "/nonexistent"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("install python3", done.stderr)


class cases(unittest.TestCase):
    def test_peers_have_the_cases_that_rows_name(self):
        files = {
            "argobots": "../argobots/*.c",
            "go": "go/*.go",
            "libgomp": "openmp.c",
            "libomp": "openmp.c",
            "onetbb": "onetbb.cpp",
            "libfork": "libfork.cpp",
            "massivethreads": "massivethreads.c",
        }
        for case in {case for one in rows.ROWS for each in one.figures for case in each.peers}:
            program, name = case.split(":")
            self.assertIn(
                f'{{"{name}",',
                "".join(file.read_text() for file in drivers.HERE.glob(files[program])),
                case,
            )

    def test_drivers_are_short(self):
        for file in [*drivers.sources("*.c*", "lazult/*", "go/*"), *drivers.ARGOBOTS.glob("*.c")]:
            self.assertLessEqual(len(file.read_text().splitlines()), 150, file)

    def test_each_of_ours_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder) / "prefix"
            for component in ("core", "argobots"):
                subprocess.run(
                    [CMAKE, "--install", BUILD, "--prefix", prefix, "--component", component],
                    check=True,
                    capture_output=True,
                    timeout=120,
                )
            for name, program in drivers.build_ours(prefix, folder).items():
                with self.subTest(name):
                    self.check(name, program)

    def check(self, name, program):
        listed = {
            line.split("\t")[0]
            for line in drivers.output_of(program, ["--list"], None).splitlines()
        }
        wanted = {
            case for one in rows.ROWS for case in rows.cases_of(one) if case.split(":")[0] == name
        }
        self.assertEqual({case.split(":")[1] for case in wanted} - listed, set())
        for case in sorted({case.split(":")[1] for case in wanted}):
            self.assertGreater(drivers.times_of(program, case, 1, inexact=True, quick=True)[0], 0)


if __name__ == "__main__":
    unittest.main()
