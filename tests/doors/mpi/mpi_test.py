# SPDX-License-Identifier: BSD-3-Clause
"""The MPI door from outside: `lazult run --mpi`, its report, what it exports, and what becomes of a
job that loses a rank."""
import os
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
COMMAND = BUILD / "bin" / "lazult"
LAUNCHERS = {
    name: words.split()
    for name, _, words in (
        each.partition("=") for each in os.environ["LAZULT_MPI_LAUNCHERS"].split("|") if each
    )
}
FAMILIES = [
    name for name in LAUNCHERS if (BUILD / "lib/lazult/mpi" / name / "liblazult-mpi.so").exists()
]
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "LAZULT_STREAMS": "1",
}


def launch(family, ranks, *command, timeout=180, **more):
    return subprocess.run(
        [*LAUNCHERS[family], str(ranks), *map(str, command)],
        env={**ENVIRONMENT, **more},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def cases(family):
    return BUILD / "tests/doors/mpi" / family / "cases"


class door(unittest.TestCase):
    def each_family(self):
        self.assertTrue(FAMILIES, "there is an MPI")
        for family in FAMILIES:
            with self.subTest(family):
                yield family

    def test_report_has_the_suspension_rate(self):
        for family in self.each_family():
            done = launch(family, 2, cases(family), "reverse_order", LAZULT_STATS="1")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = re.findall(
                r"MPI door: rank \d: (\d+) calls by ULTs, (\d+) suspensions \(rate (\d\.\d+)\)",
                done.stderr,
            )
            self.assertEqual(len(lines), 2, done.stderr)
            for calls, suspensions, rate in lines:
                self.assertGreaterEqual(int(calls), 2000)
                self.assertGreater(int(suspensions), 0)
                self.assertAlmostEqual(float(rate), int(suspensions) / int(calls), places=2)

    def test_no_report_unasked(self):
        for family in self.each_family():
            self.assertNotIn("MPI door", launch(family, 2, cases(family), "levels").stderr)

    def test_a_rank_that_dies_ends_the_job(self):
        for family in self.each_family():
            begun = time.monotonic()
            done = launch(family, 2, cases(family), "wait_for_the_dead", timeout=180)
            self.assertLess(time.monotonic() - begun, 170)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stdout + done.stderr, r"(?i)signal|aborted|terminated")

    def test_exports_bindings_only(self):
        for family in self.each_family():
            library = BUILD / "lib/lazult/mpi" / family / "liblazult-mpi.so"
            names = subprocess.run(
                ["nm", "-D", "--defined-only", str(library)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split("\n")
            for name in filter(None, (line.split(" ")[-1] for line in names)):
                self.assertRegex(name, r"^(MPI_|mpi_|ompi_\w+_f$)")


@unittest.skipUnless(COMMAND.exists(), "the command is not built")
class preloaded(unittest.TestCase):
    """Programs that were linked without the door."""

    def test_run_finds_the_right_library(self):
        for family in FAMILIES:
            with self.subTest(family):
                done = launch(
                    family,
                    2,
                    COMMAND,
                    "run",
                    "--mpi",
                    "--stats",
                    "1",
                    "--",
                    cases(family).with_name("plain_cases"),
                    "reverse_order",
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                # 2,000 receives, a barrier, and the sum by which the ranks agree on the barrier's
                # form.
                self.assertIn("2002 calls by ULTs", done.stderr)

    def test_refuses_what_has_no_mpi(self):
        done = subprocess.run(
            [str(COMMAND), "run", "--mpi", "--", sys.executable, "-c", "pass"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("--mpi-family", done.stderr)


if __name__ == "__main__":
    unittest.main()
