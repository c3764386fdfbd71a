#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""iccedar writes what it found, finds the same again, and refuses what it cannot run."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["LAZULT_BIN_DIR"]) / "iccedar"
SMALL = ("--residues", "20", "--waters", "200", "--minimise", "20")
NEAR = ("--cutoff", "0.5", "--list", "0.6")


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=100
    )


class Iccedar(unittest.TestCase):
    def found(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out.json"
            done = run(*SMALL, *NEAR, "--steps", "5", "--json", str(path), *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(path.read_text()), done.stdout

    def test_results_are_written(self):
        found, shown = self.found()
        self.assertEqual((found["atoms"], found["steps"], found["law"]), (700, 5, "truncated"))
        self.assertIn(found["checksum"], shown)
        self.assertGreater(found["seconds"]["non_bonded"], 0)
        self.assertAlmostEqual(
            found["last"]["total"],
            found["last"]["kinetic"] + sum(found["last"]["potential"].values()),
            places=5,
        )

    def test_runs_are_the_same_again(self):
        first = self.found()[0]["checksum"]
        self.assertEqual(self.found("--owners", "3")[0]["checksum"], first)
        self.assertNotEqual(self.found("--seed", "2")[0]["checksum"], first)
        self.assertNotEqual(self.found("--law", "shifted")[0]["checksum"], first)

    def refused(self, words, *arguments):
        done = run(*arguments)
        self.assertNotEqual(done.returncode, 0, arguments)
        self.assertIn(words, done.stderr + done.stdout)

    def test_bad_options_are_refused(self):
        self.refused("not above the cutoff", *SMALL, "--cutoff", "0.6", "--list", "0.5")
        self.refused("less than twice as wide", *SMALL, "--cutoff", "1.4", "--list", "1.5")
        self.refused("chain:RESIDUES:SEED", "--chain", "chain:20", "--waters", "200")
        self.refused("too few waters", "--residues", "154", "--waters", "10")
        self.refused("nothing in the box", "--residues", "0", "--waters", "0")
        self.refused("time step", *SMALL, *NEAR, "--dt", "0")
        self.refused("--law", "--law", "smooth")
        self.refused("--steps", "--steps", "0")
        self.refused("--waters", "--waters", "-3")
        self.refused("--chain", "--chain", "chain:20:1", "--residues", "20")
        self.refused("cannot be written", *SMALL, *NEAR, "--json", "/nowhere/out.json")


if __name__ == "__main__":
    unittest.main()
