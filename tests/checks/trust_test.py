#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/trust.md is what its rows and their results make, and tools/docs/trust.py shows what fails
and refuses what says nothing."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LAZULT_BUILD_DIR", SOURCE / "build/release"))
TRUST = SOURCE / "tools/docs/trust.py"

PAGE = "# Trust\n\n<!-- results: trust -->\n<!-- end of results -->\n\nThe end.\n"
TESTS = """
add_test(good.one "/bin/true")
add_test(good.two "/bin/true")
add_test(bad.one "/bin/false")
add_test(cases.pass "/bin/echo" "Ran 5 tests in 0.1s\n\nOK (skipped=2)")
add_test(cases.fail "/bin/sh" "-c" "echo 'Ran 4 tests in 0.1s'; echo 'FAILED (failures=1)'; exit 1")
add_test(figures.two "/bin/echo" "1,200 cases, 0 went wrong\n30 cases, 1 went wrong")
add_test(away.one "/bin/sh" "-c" "exit 77")
set_tests_properties(away.one PROPERTIES SKIP_RETURN_CODE 77)
"""
FIGURES = [["([\\d,]+) cases, (\\d+) went", "{} cases, {} went wrong"], ["(\\d) cases", "{}"]]


def row(name, **keys):
    return {"name": name, "what": f"What of {name}", "shows": "something", **keys}


class trust(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "docs/trust.md").write_text(PAGE)
        build = self.root / "build/release"
        build.mkdir(parents=True)
        (build / "CTestTestfile.cmake").write_text(TESTS)

    def trust(self, rows, *options):
        (self.root / "docs/trust.json").write_text(json.dumps(rows))
        command = [sys.executable, str(TRUST), "--root", str(self.root), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.words = done.stdout + done.stderr
        return done.returncode

    def result(self, name):
        """The last two cells of a row of the page."""
        lines = (self.root / "docs/trust.md").read_text().splitlines()
        found = [line for line in lines if line.startswith(f"| What of {name} |")]
        self.assertEqual(len(found), 1, lines)
        return [cell.strip() for cell in re.split(r"(?<!\\)\|", found[0])][4:6]

    def test_it_counts_what_passed(self):
        rows = [row("a", ctest="-R '^good|^none'")]
        code = self.trust(rows, "--date", "2026-01-02", "--revision", "abc", "--processor", "P")
        self.assertEqual(code, 0, self.words)
        self.assertEqual(self.result("a"), ["2 passed", "2026-01-02, abc, A"])
        page = (self.root / "docs/trust.md").read_text()
        self.assertIn("`ctest -R '^good\\|^none'`", page)
        self.assertIn("Processors: A: P; ?: not recorded.", page)
        self.assertTrue(page.endswith("\nThe end.\n"), page)

    def test_a_failure_is_shown(self):
        self.assertEqual(self.trust([row("a", ctest="-R 'good|bad'")]), 1)
        self.assertEqual(self.result("a")[0], "**failed**: 2 passed, 1 failed")

    def test_cases_of_scripts_count(self):
        self.assertEqual(self.trust([row("a", ctest="-R 'cases.pass|good'")]), 0)
        self.assertEqual(self.result("a")[0], "5 passed, 2 skipped")
        self.assertEqual(self.trust([row("a", ctest="-R cases.fail")]), 1)
        self.assertEqual(self.result("a")[0], "**failed**: 3 passed, 1 failed")

    def test_figures_are_added_up(self):
        self.assertEqual(self.trust([row("a", ctest="-R figures", figures=FIGURES)]), 0)
        self.assertEqual(self.result("a")[0], "1,230 cases, 1 went wrong, 0")

    def test_no_test_is_an_error_and_the_last_result_stays(self):
        self.assertEqual(self.trust([row("a", ctest="-R good")]), 0)
        for pattern in ("nothing", "away"):
            self.assertEqual(self.trust([row("a", ctest=f"-R {pattern}")]), 2)
            self.assertIn("a: error: ", self.words)
            self.assertEqual(self.result("a")[0], "2 passed")

    def test_a_figure_that_is_not_there_is_an_error(self):
        self.assertEqual(self.trust([row("a", ctest="-R good", figures=FIGURES)]), 2)
        self.assertIn("does not have", self.words)
        self.assertEqual(self.result("a"), ["not run", ""])

    def test_a_build_that_is_not_there_is_an_error(self):
        self.assertEqual(self.trust([row("a", ctest="-R good", build="tsan")]), 2)
        self.assertIn("no build with tests in", self.words)

    def test_commands_of_the_shell(self):
        rows = [row("a", run="echo 7 of 9"), row("b", run="echo 7 of 9; exit 3")]
        rows[0]["figures"] = rows[1]["figures"] = [["(\\d+) of", "{} found"]]
        self.assertEqual(self.trust(rows), 1)
        self.assertEqual(self.result("a")[0], "7 found")
        self.assertEqual(self.result("b")[0], "**failed**: 7 found")

    def test_long_rows_and_those_by_hand_wait_until_they_are_named(self):
        rows = [row("a", run="true", long=True), row("b", by_hand="`it`"), row("c", run="true")]
        self.assertEqual(self.trust(rows), 0)
        found = [self.result(name)[0] for name in "abc"]
        self.assertEqual(found, ["not run", "not run", "passed"])
        self.assertEqual(self.trust(rows, "--row", "a"), 0)
        self.assertEqual(self.result("a")[0], "passed")
        self.assertEqual(self.trust(rows, "--row", "b"), 2)

    def test_results_by_hand_are_recorded(self):
        rows = [row("a", by_hand="`it`")]
        given = ("--date", "2026-01-02", "--revision", "abc", "--processor", "P")
        self.assertEqual(self.trust(rows, "--record", "a", "3 of 3", *given), 0)
        self.assertEqual(self.result("a"), ["3 of 3", "2026-01-02, abc, A"])
        self.assertEqual(self.trust(rows, "--record", "a", "2 of 3", "--failed"), 0)
        self.assertEqual(self.result("a")[0], "**failed**: 2 of 3")
        self.assertEqual(self.trust(rows, "--record", "z", "3 of 3"), 2)

    def test_a_page_that_was_changed_by_hand_is_found(self):
        rows = [row("a", run="true")]
        self.assertEqual(self.trust(rows), 0)
        self.assertEqual(self.trust(rows, "--check"), 0, self.words)
        page = self.root / "docs/trust.md"
        page.write_text(page.read_text().replace("passed", "passed twice"))
        self.assertEqual(self.trust(rows, "--check"), 1)
        self.assertIn("--render", self.words)
        self.assertEqual(self.trust(rows, "--render"), 0)
        self.assertEqual(self.trust(rows, "--check"), 0)

    def test_a_page_without_the_table_is_found(self):
        (self.root / "docs/trust.md").write_text("# Trust\n")
        self.assertEqual(self.trust([row("a", run="true")], "--check"), 1)

    def test_rows_that_make_no_sense_are_refused(self):
        self.assertEqual(self.trust([row("a")], "--check"), 2)
        self.assertEqual(self.trust([row("a", run="true", ctest="-R good")], "--check"), 2)
        self.assertEqual(self.trust([row("a", run="true"), row("a", run="true")], "--check"), 2)


class tree(unittest.TestCase):
    def test_the_page_is_what_rows_and_results_make(self):
        command = [sys.executable, str(TRUST), "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def found_in_build(self, options):
        command = f"ctest --test-dir '{BUILD}' -N {options}"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        return int(re.search(r"^Total Tests: (\d+)", done.stdout, re.M)[1])

    @unittest.skipUnless(
        BUILD.name == "release" and (BUILD / "CTestTestfile.cmake").exists(), "no release build"
    )
    def test_each_row_of_the_release_build_finds_tests(self):
        if not all(map(self.found_in_build, ("-L '^openmp$'", "-L '^mpi$'", "-L '^tools$'"))):
            self.skipTest("the build leaves out doors or tools")
        rows = json.loads((SOURCE / "docs/trust.json").read_text())
        asked = [row for row in rows if "ctest" in row and "build" not in row]
        self.assertGreater(len(asked), 20)
        lost = [row["name"] for row in asked if self.found_in_build(row["ctest"]) == 0]
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main(verbosity=0)
