# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_TRACE: the end of a slice says which MPI call its ULT waits in; and so does gdb."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["LAZULT_SOURCE_DIR"])
BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
LAUNCHERS = {
    name: words.split()
    for name, _, words in (
        each.partition("=") for each in os.environ["LAZULT_MPI_LAUNCHERS"].split("|") if each
    )
}
FAMILIES = [
    name for name in LAUNCHERS if (BUILD / "lib/lazult/mpi" / name / "liblazult-mpi.so").exists()
]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def program(family):
    return BUILD / "tests/doors/mpi" / family / "traced_waits"


def words_of(file):
    events = json.loads(file.read_text())["traceEvents"]
    return [e["args"]["for"] for e in events if e["ph"] == "E" and "for" in e.get("args", {})]


class waits(unittest.TestCase):
    def test_each_wait_has_its_words(self):
        self.assertTrue(FAMILIES, "there is an MPI")
        for family in FAMILIES:
            with self.subTest(family), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [*LAUNCHERS[family], "2", program(family)],
                    env={
                        **ENVIRONMENT,
                        "LAZULT_TRACE": f"{folder}/%p.json",
                        "LAZULT_TRACE_EVERY": "1",
                    },
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=True,
                )
                wanted = [line for line in done.stdout.splitlines() if "MPI_" in line]
                self.assertEqual(len(wanted), 11, done.stdout + done.stderr)
                told = [words for file in Path(folder).iterdir() for words in words_of(file)]
                for line in wanted:
                    self.assertIn(line, told)

    @unittest.skipUnless(shutil.which("gdb"), "no gdb here")
    def test_gdb_has_the_words_too(self):
        lines = (
            "set debuginfod enabled off",
            "set width 0",
            "set breakpoint pending on",
            "break stop_here",
            "run",
            f"source {SOURCE / 'tools/gdb/lazult_gdb.py'}",
            "lazult ults blocked",
            "kill",
        )
        words = [word for line in lines for word in ("-ex", line)]
        for family in FAMILIES:
            with self.subTest(family):
                done = subprocess.run(
                    ["gdb", "-nx", "-batch", *words, "--args", program(family), "stop"],
                    env=ENVIRONMENT,
                    capture_output=True,
                    text=True,
                    stdin=subprocess.DEVNULL,
                    timeout=120,
                    check=False,
                )
                self.assertRegex(
                    done.stdout, r"receiver +blocked .* MPI_Recv from rank any, tag 3\n"
                )
                self.assertRegex(done.stdout, r"prober +blocked .* MPI_Probe from rank 0, tag 4\n")


if __name__ == "__main__":
    unittest.main()
