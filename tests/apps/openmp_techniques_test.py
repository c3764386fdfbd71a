# SPDX-License-Identifier: BSD-3-Clause
"""k-means over our OpenMP runtime: every technique finds the same clusters, and suspensions are
counted."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LAZULT_BUILD_DIR", SOURCE / "build/release"))
SCRIPT = SOURCE / "apps/kmeans/openmp_techniques.py"


def has_tasks():
    """Whether the program was built with OpenMP, which clang and the sanitizers leave out."""
    shown = subprocess.run(
        [BUILD / "bin/kmeans", "--list"], capture_output=True, text=True, check=False, timeout=60
    ).stdout
    return "openmp-tasks" in shown


@unittest.skipUnless(
    (BUILD / "lib/lazult/openmp/libgomp.so.1").exists() and has_tasks(), "built without OpenMP"
)
class techniques(unittest.TestCase):
    def test_every_technique_finds_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.json"
            done = subprocess.run(
                [
                    sys.executable,
                    SCRIPT,
                    "--build",
                    BUILD,
                    "--json",
                    file,
                    "--rounds",
                    "1",
                    "--clusters",
                    "6",
                    "--workers",
                    "2",
                    "--iterations",
                    "1",
                ],
                capture_output=True,
                text=True,
                check=False,
                timeout=200,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads(file.read_text())
        self.assertEqual(
            {row["runtime"] for row in rows},
            {
                "adaptive",
                "full",
                "lazy_stack",
                "return_on_completion",
                "stack_separation",
                "scheduler_creation",
                "gcc",
            },
        )
        self.assertEqual(sorted({row["locks"] for row in rows}), [1, 2, 3, 6, 12])
        for row in rows:
            self.assertTrue(row["same_result"])
            self.assertGreater(row["median"], 0)
            promotes = row["runtime"] in (
                "return_on_completion",
                "stack_separation",
                "scheduler_creation",
            )
            self.assertEqual("suspend_percent" in row, promotes)
            if promotes:
                self.assertEqual(row["units_created"], row["points"])
                self.assertTrue(0 <= row["suspend_percent"] <= 100)

    def test_a_build_without_the_program(self):
        done = subprocess.run(
            [sys.executable, SCRIPT, "--build", "/nonexistent"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("make build", done.stderr)


if __name__ == "__main__":
    unittest.main()
