# SPDX-License-Identifier: BSD-3-Clause
"""bench/settings/run.py: cases of each door run with both values, and wrong words are refused."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["LAZULT_BIN_DIR"])


def run(what, *words):
    return subprocess.run(
        [sys.executable, ROOT / "bench/settings/run.py", what, "--build", PROGRAMS.parent, *words],
        capture_output=True,
        text=True,
        check=False,
    )


def has(name):
    return (PROGRAMS / name).exists()


class settings(unittest.TestCase):
    def check_pairs(self, what, cases, values):
        wanted = [word for case in cases for word in ("--case", case)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pairs.json"
            done = run(what, "--rounds", "2", "--json", file, *wanted)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual({row["case"]: row["door"] for row in rows}, cases)
        for row in rows:
            self.assertEqual(len(row["pairs"]), 2)
            for pair in row["pairs"]:
                self.assertEqual(sorted(pair), values)
                self.assertGreater(min(pair.values()), 0)
            self.assertIn(f"| {row['case']} | ", done.stdout)

    def test_each_door_is_measured_with_both_values(self):
        cases = {"yield --pool shared": "C++"}
        if has("abt_bench"):
            cases["yield-default"] = "Argobots"
        if has("omp_bench"):
            cases["barrier"] = "OpenMP"
        self.check_pairs("staying", cases, ["move", "stay"])

    def test_pools_that_lend_are_measured_beside_those_that_do_not(self):
        cases = {"yield --pool shared": "C++"}
        if has("abt_bench"):
            cases["yield-private"] = "Argobots"
        self.check_pairs("lending", cases, ["0", "5ms"])

    def check_refused(self, words, code, message):
        done = run("staying", *words)
        self.assertEqual(done.returncode, code)
        self.assertIn(message, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_words_that_make_no_sense_are_refused(self):
        self.check_refused(["Pthreads"], 2, 'there is no door "Pthreads"')
        self.check_refused(["--case", "none"], 2, 'there is no case "none"')
        self.check_refused(["--rounds", "0"], 2, "--rounds must be at least 1")

    def test_a_missing_program_is_named(self):
        done = run("staying", "C++", "--build", "/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/bin/lazult", done.stderr)


if __name__ == "__main__":
    unittest.main()
