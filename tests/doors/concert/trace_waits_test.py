# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_TRACE: what ULTs wait for in this door."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
LAUNCHERS = {
    name: words.split()
    for name, _, words in (
        each.partition("=") for each in os.environ["LAZULT_MPI_LAUNCHERS"].split("|") if each
    )
}


def ends_of_slices(*command):
    """In the traces of all processes."""
    with tempfile.TemporaryDirectory() as folder:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LAZULT_")}
        traced = {
            "LAZULT_TRACE": f"{folder}/%p.json",
            "LAZULT_TRACE_EVERY": "1",
            "LAZULT_BIND": "off",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        subprocess.run(list(map(str, command)), env={**clean, **traced}, timeout=120, check=True)
        files = [json.loads(file.read_text())["traceEvents"] for file in Path(folder).iterdir()]
    return [e["args"] for f in files for e in f if e["ph"] == "E" and "left" in e.get("args", {})]


class waits(unittest.TestCase):
    def test_wait_for_a_result_has_words(self):
        ends = ends_of_slices(BUILD / "bin" / "concert_traced")
        told = [end.get("for", "") for end in ends if end["left"] == "wait"]
        self.assertEqual(len(told), 1, ends)
        self.assertTrue(re.fullmatch(r"method's result 0x[0-9a-f]+", told[0]), told)
        self.assertFalse([end for end in ends if end["left"] == "yield" and "for" in end])

    def test_yields_in_a_wait_for_other_ranks_have_words(self):
        families = [name for name in LAUNCHERS if self.program(name).exists()]
        self.assertTrue(families, "there is an MPI")
        for family in families:
            with self.subTest(family):
                ends = ends_of_slices(*LAUNCHERS[family], 2, self.program(family))
                yields = [end.get("for", "") for end in ends if end["left"] == "yield"]
                self.assertGreater(yields.count("other ranks"), 2)
                # Those of the ULT beside it.
                self.assertGreater(yields.count(""), 2)
                self.assertEqual(set(yields), {"", "other ranks"})

    @staticmethod
    def program(family):
        return BUILD / "tests" / "concert" / family / "traced_ranks"


if __name__ == "__main__":
    unittest.main()
