# SPDX-License-Identifier: BSD-3-Clause
"""lazult bench messages: every scheme, size and traffic pattern has its row."""
import json
import unittest

from benches import FAMILIES, bench

POINT_TO_POINT = (
    "send",
    "extract",
    "latency",
    "flood",
    "MPI latency",
    "MPI flood",
    "bare swap and store",
    "the same, shared",
)
PATTERNS = ["all-to-all", "random", "hotspot x4", "hotspot x16", "all-to-one"]


class form(unittest.TestCase):
    def test_rows_of_each_mpi(self):
        for mpi in FAMILIES:
            with self.subTest(mpi=mpi):
                done = bench(
                    *("messages", "--mpi", mpi, "--ranks", "2"),
                    *("--rounds", "4", "--sends", "50", "--json", "-"),
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(json.loads(done.stdout))

    def test_without_patterns(self):
        done = bench("messages", "--ranks", "2", "--rounds", "1", "--sends", "0", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {row["benchmark"] for row in json.loads(done.stdout)}
        self.assertNotIn("random", names)
        self.assertIn("slow receiver", names)

    def test_patterns_alone(self):
        done = bench("messages", "--ranks", "2", "--rounds", "0", "--sends", "20", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)
        self.assertEqual({row["benchmark"] for row in rows}, set(PATTERNS))
        self.assertTrue(all(row["harmonic_mean"] > 0 for row in rows))

    def check(self, rows):
        found = {
            (row["benchmark"], row["scheme"], row["aggregated"], row["bytes"]): row for row in rows
        }
        for scheme in ("push", "pull", "auto"):
            for what in POINT_TO_POINT:
                for size in (16, 32, 64, 128, 256, 512, 1024):
                    for aggregated in (False, True):
                        row = found[(what, scheme, aggregated, size)]
                        self.assertGreater(row["median"], 0)
                        self.assertLessEqual(row["low"], row["median"])
                        self.assertLessEqual(row["median"], row["high"])
                        self.assertGreater(row["ratio"], 0)
            for what in PATTERNS:
                for size in (16, 1024):
                    self.assertGreater(found[(what, scheme, False, size)]["harmonic_mean"], 0)
            self.assertIn(("slow receiver", scheme, False, 16), found)

    def test_what_it_refuses(self):
        done = bench("messages", "--mpi", "nobodys")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nobodys", done.stderr)
        done = bench("messages", "yield")
        self.assertEqual(done.returncode, 2)
        self.assertIn("messages alone", done.stderr)


if __name__ == "__main__":
    unittest.main()
