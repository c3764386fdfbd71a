# SPDX-License-Identifier: BSD-3-Clause
"""Runs the `lazult` command of the build under test."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(
    os.environ.get("LAZULT_BIN_DIR", Path(__file__).resolve().parents[2] / "build/release/bin")
)
COMMAND = BIN / "lazult"

# Small enough for sanitizers: these tests look at the words, never at the times.
QUICK = ("--reps", "2", "--min-ms", "0.01")


def run(*arguments, **environment):
    """The finished process, its output as text."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LAZULT_")}
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


class command_test(unittest.TestCase):
    def succeed(self, *arguments, **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def refuse(self, *arguments, words):
        """Exit code 2, nothing on stdout, and one line that says all these words."""
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("lazult: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def bench(self, *arguments, quick=QUICK, **environment):
        """What --json wrote, without and with the floors, and what was printed."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.json"
            done = self.succeed("bench", *arguments, *quick, "--json", file, **environment)
            everything = json.loads(file.read_text())
        rows = [row for row in everything if not row["benchmark"].startswith("floor-")]
        return rows, everything, done
