# SPDX-License-Identifier: BSD-3-Clause
"""usage: simulated.py RADIOSITY RADIOSITY_CONCERT

radiosity-concert on simulated ranks: each version finds what radiosity finds, and is faster on more
ranks; calls on the stack make fewer contexts.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCENE = ["--scene", "box", "--area-eps", "20000", "--iterations", "1"]
RANKS = (1, 4, 16)
RADIOSITY, RADIOSITY_CONCERT = sys.argv[1:3]


def result_of(*command):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "result.json")
        subprocess.run([*command, "--json", file], check=True, timeout=200, capture_output=True)
        with open(file, encoding="utf-8") as text:
            return json.load(text)


SIMULATE = [*SCENE, "--simulate", "t3d", "--ranks", ",".join(map(str, RANKS))]


class simulated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = result_of(RADIOSITY_CONCERT, *SIMULATE)

    def test_two_runs_have_the_same_clocks(self):
        self.assertEqual(result_of(RADIOSITY_CONCERT, *SIMULATE), self.found)

    def test_twice_as_slow_computes_twice_as_long(self):
        slower = result_of(RADIOSITY_CONCERT, *SIMULATE, "--slower", "66")
        for one, other in zip(self.found["rows"], slower["rows"]):
            # Nearly: a ray looks first at what stopped the ray before, which may be another rank's.
            self.assertAlmostEqual(other["computed_us"] / one["computed_us"], 2, places=3)

    def test_results_and_order(self):
        alone = result_of(RADIOSITY, *SCENE)
        found = self.found
        self.assertEqual((found["what"], found["machine"]), ("radiosity", "t3d"))
        rows = {(each["version"], each["ranks"]): each for each in found["rows"]}
        self.assertEqual(len(rows), 4 * len(RANKS))
        for each in rows.values():
            self.assertEqual(each["energy"], alone["energy"])
        for version in ("base", "stack", "pull", "stack+pull"):
            times = [rows[version, ranks]["elapsed_us"] for ranks in RANKS]
            self.assertEqual(times, sorted(times, reverse=True), version)
        for ranks in RANKS:
            self.assertLess(rows["stack", ranks]["contexts"], rows["base", ranks]["contexts"] / 2)
        self.assertEqual(rows["stack", 4]["messages"], rows["base", 4]["messages"])
        self.assertEqual(rows["stack", 1]["messages"], 0)

    def test_what_it_refuses(self):
        for wrong in (
            ("--simulate", "cray"),
            ("--simulate", "t3d", "--ranks", "0"),
            ("--simulate", "t3d", "--slower", "0"),
            ("--ranks", "4"),
        ):
            done = subprocess.run(
                [RADIOSITY_CONCERT, *SCENE, *wrong],
                check=False,
                timeout=60,
                capture_output=True,
                text=True,
            )
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn(wrong[-2], done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
