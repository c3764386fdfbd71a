#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of results in the documents are what docs/results make, and tools/docs/tables.py
makes of each kind of results what it says."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TABLES = SOURCE / "tools/docs/tables.py"

HEAD = {"date": "2026-01-02", "revision": "abc", "processor": "P", "conditions": "Load 0.5"}


def page(name):
    return f"Before.\n\n<!-- results: {name} -->\n<!-- end of results -->\n\nBehind.\n"


def peers(library, median, **keys):
    row = {"benchmark": "peers", "row": "yield", "figure": "C++ door", "library": library}
    return {**row, "case": "yield", "inexact": False, "median": median, "repetitions": 9, **keys}


VERDICT = {
    "peer": "argobots:yield",
    "ratio": {"median": 0.5, "min": 0.4, "max": 0.75},
    "goals": [{"of": "argobots", "limit": 0.35, "ratio": 0.5, "met": False}],
    "instructions": 160,
    "instructions_goal": 150,
    "met": False,
    "missing": [],
}
MACHINE = {"processor": "P (family 1)", "kernel": "Linux 6.1.0-extra"}
PEERS = [
    peers("lazult", 10.0, verdict=VERDICT, machine=MACHINE),
    peers("argobots", 20.0, machine=MACHINE),
]


class tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/results").mkdir(parents=True)

    def tables(self, *options):
        command = [sys.executable, str(TABLES), "--root", str(self.root), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.words = done.stdout + done.stderr
        return done.returncode

    def write(self, name, **results):
        (self.root / f"docs/results/{name}.json").write_text(json.dumps({**HEAD, **results}))
        (self.root / f"docs/{name}.md").write_text(page(name))

    def lines(self, name):
        return (self.root / f"docs/{name}.md").read_text().splitlines()

    def test_plain_tables(self):
        self.write("plain", columns=["a|b", "n"], cells=[["x", "1"]], right=[1])
        self.assertEqual(self.tables(), 0, self.words)
        table = ["| a\\|b | n |", "| --- | ---: |", "| x | 1 |", ""]
        caption = "P. 2026-01-02, abc. Load 0.5."
        expected = ["Before.", "", "<!-- results: plain -->", *table, caption]
        expected += ["<!-- end of results -->", "", "Behind."]
        self.assertEqual(self.lines("plain"), expected)

    def test_what_is_not_known_is_said(self):
        self.write("plain", columns=["a"], cells=[["x"]], processor=None, date_of="commit")
        self.assertEqual(self.tables(), 0, self.words)
        self.assertIn("Processor not recorded. By 2026-01-02, abc. Load 0.5.", self.lines("plain"))

    def test_peers(self):
        self.write("peers", rows=PEERS)
        self.assertEqual(self.tables(), 0, self.words)
        goal = "0.50 of argobots (≤ 0.35), ≤ 150 instr."
        line = "| yield | C++ door | 10.0 | 160 | argobots | 20.0 | 0.50 (0.40 to 0.75) | %s | no |"
        self.assertIn(line % goal, self.lines("peers"))

    def test_picks_of_peers(self):
        self.write("peers", rows=PEERS)
        picks = [{"row": "yield", "figure": "C++ door", "words": "a yield"}]
        self.write("few", of="peers", picks=picks)
        self.assertEqual(self.tables(), 0, self.words)
        self.assertIn("| a yield | 10.0 | Argobots 20.0 | 0.50 |", self.lines("few"))
        self.write("few", of="peers", picks=[{**picks[0], "figure": "none"}])
        self.assertEqual(self.tables(), 2)

    def test_openmp(self):
        case = {"benchmark": "openmp", "case": "fib", "waiting": "passive"}
        best = dict(zip(("", "_min", "_max"), (2.5, 2, 3)))
        best = {f"times_as_fast_as_best{end}": value for end, value in best.items()}
        rows = [
            {**case, "runtime": "lazult", "median": 99.94, **best},
            {**case, "runtime": "gcc", "median": 1234.5},
            {**case, "case": "single", "runtime": "lazult", "median": 5, **best},
        ]
        self.write("openmp", rows=rows)
        self.assertEqual(self.tables(), 0, self.words)
        self.assertIn("| fib | passive | 99.9 | 1,234 | 2.50, 2.00 to 3.00 |", self.lines("openmp"))
        self.assertIn("| single | passive | 5.0 |  | 2.50, 2.00 to 3.00 |", self.lines("openmp"))

    def test_kmeans(self):
        row = {"benchmark": "kmeans-openmp"}
        rows = [
            {**row, "runtime": runtime, "locks": locks, "median": speed}
            for runtime, locks, speed in (("full", 1, 5e6), ("full", 2, 6e6), ("gcc", 2, 7e6))
        ]
        self.write("kmeans", rows=rows)
        self.assertEqual(self.tables(), 0, self.words)
        self.assertIn("| `full` | 5.00 | 6.00 |", self.lines("kmeans"))
        self.assertIn("| gcc's libgomp |  | 7.00 |", self.lines("kmeans"))

    def test_concert(self):
        row = {"benchmark": "concert-outcomes", "paper": "P.", "where": "measured"}
        found = (("Figure 11", "One."), ("Figure 11", "Two."), ("Figure 12", "Three."))
        self.write(
            "concert", rows=[{**row, "figure": name, "here": words} for name, words in found]
        )
        self.assertEqual(self.tables(), 0, self.words)
        self.assertIn("| Figure 11 | P. | measured | One. |", self.lines("concert"))
        self.assertIn("|  |  | measured | Two. |", self.lines("concert"))
        self.assertIn("| Figure 12 | P. | measured | Three. |", self.lines("concert"))

    def test_conditions_and_revision_of_the_rows_are_taken(self):
        (self.root / "docs/concert.md").write_text(page("concert"))
        row = {"benchmark": "concert-outcomes", "figure": "F", "paper": "P.", "here": "H."}
        machine = {"processor": "Q", "kernel": "Linux 6.1.0", "revision": "def"}
        row = {**row, "where": "measured", "machine": machine, "conditions": "Under load 3"}
        file = self.root / "new.json"
        file.write_text(json.dumps([row]))
        self.assertEqual(self.tables("--take", "concert", str(file), "--date", "2026-01-03"), 0)
        self.assertIn("Q, Linux 6.1.0. 2026-01-03, def. Under load 3.", self.lines("concert"))

    def test_new_results_are_taken(self):
        (self.root / "docs/peers.md").write_text(page("peers"))
        file = self.root / "new.json"
        file.write_text(json.dumps(PEERS))
        os.utime(file, (1767355200, 1767355200))
        self.assertEqual(self.tables("--take", "peers", str(file), "--revision", "def"), 0)
        caption = "P (family 1), Linux 6.1.0. 2026-01-02, def. Medians of 9 rounds."
        self.assertIn(caption, self.lines("peers"))
        self.assertNotIn("extra", (self.root / "docs/results/peers.json").read_text())
        file.write_text('[{"benchmark": "other"}]')
        self.assertEqual(self.tables("--take", "peers", str(file)), 2)

    def test_a_table_that_was_changed_by_hand_is_found(self):
        self.write("plain", columns=["a"], cells=[["x"]])
        self.assertEqual(self.tables(), 0)
        self.assertEqual(self.tables("--check"), 0, self.words)
        changed = self.root / "docs/plain.md"
        changed.write_text(changed.read_text().replace("| x |", "| y |"))
        self.assertEqual(self.tables("--check"), 1)
        self.assertIn("docs/plain.md is not", self.words)

    def test_results_without_a_page_and_pages_without_results_are_found(self):
        self.write("plain", columns=["a"], cells=[["x"]])
        (self.root / "docs/plain.md").write_text("No table.\n")
        self.assertEqual(self.tables("--check"), 1)
        self.assertIn("docs/results/plain.json: no document shows it", self.words)
        (self.root / "docs/plain.md").write_text(page("gone"))
        self.assertEqual(self.tables("--check"), 2)
        self.assertIn("there is no docs/results/gone.json", self.words)


class tree(unittest.TestCase):
    def test_the_tables_are_what_the_results_make(self):
        command = [sys.executable, str(TABLES), "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
