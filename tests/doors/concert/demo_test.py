# SPDX-License-Identifier: BSD-3-Clause
"""apps/demo/mpi.py: every way to search and to relax has its row, and the plots come out."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["LAZULT_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["LAZULT_BUILD_DIR"])
SMALL = [
    "--rounds",
    "1",
    "--ranks",
    "4",
    "--scale",
    "8",
    "--roots",
    "2",
    "--buffers",
    "16",
    "--n",
    "40",
    "--steps",
    "5",
    "--rows",
    "4",
]


def call(script, *arguments):
    return subprocess.run(
        [sys.executable, str(SOURCE / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


class demo(unittest.TestCase):
    @unittest.skipUnless(
        (BUILD / "bin/openmpi/graph500").exists() or (BUILD / "bin/mpich/graph500").exists(),
        "the programs are not built",
    )
    def test_rows_tables_and_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mpi.json"
            done = call("apps/demo/mpi.py", "--build", BUILD, "--json", file, *SMALL)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("all trees are valid", done.stdout)
            self.assertIn("all grids are right", done.stdout)
            rows = json.loads(file.read_text(encoding="utf-8"))
            for mpi in {row["mpi"] for row in rows}:
                searches = {
                    (row["how"], row["technique"])
                    for row in rows
                    if (row["mpi"], row["benchmark"]) == (mpi, "graph500")
                }
                self.assertEqual({how for how, _ in searches}, {"pull", "push", "ults", "threads"})
                self.assertEqual(
                    {t for how, t in searches if how == "pull"},
                    {"adaptive", "full", "scheduler_creation"},
                )
                relaxed = {
                    (row["how"], row["ranks"])
                    for row in rows
                    if (row["mpi"], row["benchmark"]) == (mpi, "poisson2d")
                }
                self.assertEqual(
                    relaxed, {(how, ranks) for how in ("ult", "threads", "mpi") for ranks in (2, 4)}
                )
            self.assertTrue(all(row["median"] > 0 for row in rows))
            if importlib.util.find_spec("matplotlib"):
                drawn = call("tools/plots/plot_mpi.py", file, "--out", folder)
                self.assertEqual(drawn.returncode, 0, drawn.stderr)
                for name in drawn.stdout.split():
                    self.assertGreater(pathlib.Path(name).stat().st_size, 1000)

    def test_a_build_without_mpi_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            done = call("apps/demo/mpi.py", "--build", folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("was built without MPI", done.stderr)


if __name__ == "__main__":
    unittest.main()
