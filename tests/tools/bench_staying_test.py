# SPDX-License-Identifier: BSD-3-Clause
"""bench/staying/run.py: cases of each door run with both values, and wrong words are refused."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["LAZULT_BIN_DIR"])


def run(*words):
    return subprocess.run(
        [sys.executable, ROOT / "bench/staying/run.py", "--build", PROGRAMS.parent, *words],
        capture_output=True,
        text=True,
        check=False,
    )


class staying(unittest.TestCase):
    def test_each_door_is_measured_with_both_values(self):
        cases = {"yield --pool shared": "C++"}
        if (PROGRAMS / "abt_bench").exists():
            cases["yield-default"] = "Argobots"
        if (PROGRAMS / "omp_bench").exists():
            cases["barrier"] = "OpenMP"
        wanted = [word for case in cases for word in ("--case", case)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pairs.json"
            done = run("--rounds", "2", "--json", file, *wanted)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual({row["case"]: row["door"] for row in rows}, cases)
        for row in rows:
            self.assertEqual(len(row["pairs"]), 2)
            for pair in row["pairs"]:
                self.assertEqual(sorted(pair), ["move", "stay"])
                self.assertGreater(min(pair.values()), 0)
            self.assertIn(f"| {row['case']} | ", done.stdout)

    def check_refused(self, words, code, message):
        done = run(*words)
        self.assertEqual(done.returncode, code)
        self.assertIn(message, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_words_that_make_no_sense_are_refused(self):
        self.check_refused(["Pthreads"], 2, 'there is no door "Pthreads"')
        self.check_refused(["--case", "none"], 2, 'there is no case "none"')
        self.check_refused(["--rounds", "0"], 2, "--rounds must be at least 1")

    def test_a_missing_program_is_named(self):
        done = run("C++", "--build", "/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/bin/lazult", done.stderr)


if __name__ == "__main__":
    unittest.main()
