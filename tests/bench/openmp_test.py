# SPDX-License-Identifier: BSD-3-Clause
"""lazult bench openmp: our runtime beside gcc's. Looks at words and at counts, never at times."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/tools"))

from command import BIN, command_test, run  # noqa: E402

GCC = subprocess.run(
    ["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True
).stdout.strip()
# The one that starts this may be another one than Debian's, which has matplotlib.
PLOTTERS = [
    python
    for python in (sys.executable, "/usr/bin/python3")
    if subprocess.run(
        [python, "-c", "import matplotlib"], capture_output=True, check=False
    ).returncode
    == 0
]
QUICK = ("--rounds", "2", "--reps", "2", "--min-ms", "0.01")


class comparison(command_test):
    def compare(self, *arguments, quick=QUICK):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "openmp.json"
            done = self.succeed("bench", "openmp", *quick, "--json", file, *arguments)
            return json.loads(file.read_text()), done.stdout

    def test_every_case_over_both_runtimes(self):
        listed = [
            line.split()[0]
            for line in self.succeed("bench", "openmp", "--list").stdout.splitlines()
        ]
        rows, shown = self.compare("--peer", f"gcc={GCC}", "--policy", "passive")
        self.assertEqual(
            [(row["case"], row["runtime"]) for row in rows],
            [(case, runtime) for case in listed for runtime in ("lazult", "gcc")],
        )
        for row in rows:
            self.assertEqual(
                (row["waiting"], row["repetitions"], row["threads"]), ("passive", 2, 2)
            )
            self.assertTrue(0 < row["min"] <= row["median"] <= row["max"], row)
            self.assertIn(row["case"], shown)

    def test_ratio_is_the_peers_time_over_ours(self):
        rows, _ = self.compare(
            "--peer", f"gcc={GCC}", "barrier", quick=("--rounds", "1", *QUICK[2:])
        )
        for ours, peer in (rows[:2], rows[2:]):
            self.assertAlmostEqual(ours["times_as_fast_as_best"], peer["median"] / ours["median"])
            self.assertAlmostEqual(peer["times_as_fast"], peer["median"] / ours["median"])

    def test_nested_regions_create_threads_in_gccs_runtime_only(self):
        rows, shown = self.compare("--peer", f"gcc={GCC}", "--policy", "default", "nested-8x8")
        created = {row["runtime"]: row["os_threads_created"] for row in rows}
        self.assertEqual(created["lazult"], 0)
        self.assertGreaterEqual(created["gcc"], 56)
        self.assertIn("gcc creates", shown)
        self.assertNotIn("lazult creates", shown)

    def test_without_a_peer_there_is_no_ratio(self):
        rows, _ = self.compare("single")
        self.assertEqual([row["runtime"] for row in rows], ["lazult", "lazult"])
        self.assertNotIn("times_as_fast_as_best", rows[0])

    @unittest.skipUnless(PLOTTERS, "no matplotlib")
    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "openmp.json"
            self.succeed(
                "bench",
                "openmp",
                *QUICK,
                "--json",
                file,
                "--peer",
                f"gcc={GCC}",
                "barrier",
                "single",
            )
            draw = [PLOTTERS[0], SOURCE / "tools/plots/plot_openmp.py", file, "--out", folder]
            subprocess.run(draw, check=True, capture_output=True, timeout=120)
            drawn = (Path(folder) / "openmp.svg").read_text()
            self.assertIn("<svg", drawn)
            self.assertGreater((Path(folder) / "openmp.png").stat().st_size, 10_000)


class errors(command_test):
    def test_peers_that_are_none(self):
        self.refuse("bench", "openmp", "--peer", GCC, words=("--peer", "NAME=FILE"))
        self.refuse(
            "bench",
            "openmp",
            "--peer",
            "gcc=/nonexistent/libgomp.so.1",
            words=("--peer", "missing", "/nonexistent"),
        )
        self.refuse("bench", "openmp", "--peer", "c=/lib/libc.so.6", words=("--peer", "libc.so.6"))
        self.refuse(
            "bench", "openmp", "--peer", f"a={GCC}", "--peer", f"a={GCC}", words=('"a"', "already")
        )

    def test_unknown_case(self):
        self.refuse("bench", "openmp", "bariers", words=('"bariers"', "barrier"))

    def test_another_library_gets_in_between(self):
        done = run("bench", "openmp", *QUICK, "--peer", f"gcc={GCC}", "barrier", LD_PRELOAD=GCC)
        self.assertEqual(done.returncode, 1)
        self.assertIn("LD_PRELOAD", done.stderr)

    def test_program_refuses_what_it_does_not_know(self):
        done = subprocess.run(
            [BIN / "omp_bench", "barrier", "0", "1"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage", done.stderr)


if __name__ == "__main__":
    unittest.main()
