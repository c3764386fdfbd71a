# SPDX-License-Identifier: BSD-3-Clause
"""usage: simulated.py PROGRAM -- COMMAND

iccedar-concert on simulated ranks: each version finds what iccedar finds, on 2 and 8 ranks. Two
runs give the same times. Ranks compute the same in each version, and the counts say what a version
is.
"""
import copy
import sys
import unittest

from small_runs import OVER_RANKS, PLAIN, found_by, run

SETTINGS = ["--minimise", "20", "--steps", "12", "--cells-per-range", "2"]
RANKS = (2, 8)
SIMULATE = [*SETTINGS, "--simulate", "t3d", "--ranks", ",".join(map(str, RANKS))]
VERSIONS = ("base", "stack", "pull", "stack+pull")
# Each of these is computed on one rank. All ranks find and share out all cells, and molecules in
# cells of several ranks are held on each of these.
SHARED = ("atom_pair", "bonded_term", "moved_atom")


def faults_of(found, alone):
    """What is wrong with the rows, one text for each rule that they break."""
    faults = []

    def expect(holds, text):
        if not holds:
            faults.append(text)

    rows = {(each["version"], each["ranks"]): each for each in found["rows"]}
    wanted = {(version, ranks) for version in VERSIONS for ranks in RANKS}
    expect(set(rows) == wanted and len(found["rows"]) == len(wanted), "a row for each run")
    if faults:
        return faults
    for each in rows.values():
        expect(each["checksum"] == alone["checksum"], "the positions are those of iccedar")
        expect(each["energy"] == found["rows"][0]["energy"], "the energy is that of the others")
        expect(
            each["elapsed_us"] > each["most_computed_us"] > 0, "no rank computes all of the time"
        )
    for ranks in RANKS:
        base, stack, pull, both = (rows[version, ranks] for version in VERSIONS)
        for other in (stack, pull, both):
            expect(other["computed"] == base["computed"], "versions compute the same")
        expect(stack["contexts"] < base["contexts"] / 2, "the stack makes fewer contexts")
        expect(both["contexts"] < pull["contexts"] / 2, "the stack with pull, too")
        expect(stack["messages"] == base["messages"] > 0, "the stack sends the same messages")
    for kind in SHARED:
        counts = {each["computed"][kind] for each in rows.values()}
        expect(len(counts) == 1 and counts != {0}, f"{kind} is shared out")
    for version in VERSIONS:
        few, many = (rows[version, ranks]["elapsed_us"] for ranks in RANKS)
        expect(many < few, "more ranks are faster")
    return faults


class simulated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.alone = found_by(PLAIN, *SETTINGS)
        cls.found = found_by(OVER_RANKS, *SIMULATE)

    def test_results_and_counts(self):
        self.assertEqual(self.found["what"], "iccedar")
        self.assertGreater(
            self.found["rows"][0]["computed"]["listed_pair"], 0, "no list is renewed"
        )
        self.assertEqual(faults_of(self.found, self.alone), [])

    def test_two_runs_have_the_same_clocks(self):
        self.assertEqual(found_by(OVER_RANKS, *SIMULATE), self.found)

    def test_twice_as_slow_computes_twice_as_long(self):
        slower = found_by(OVER_RANKS, *SIMULATE, "--slower", "66")
        for one, other in zip(self.found["rows"], slower["rows"]):
            self.assertAlmostEqual(other["computed_us"] / one["computed_us"], 2, places=6)
            self.assertGreater(other["elapsed_us"], one["elapsed_us"])

    def test_planted_faults_are_noticed(self):
        def planted(change):
            found = copy.deepcopy(self.found)
            change({(each["version"], each["ranks"]): each for each in found["rows"]})
            return faults_of(found, self.alone)

        def other_counter(rows):
            rows["pull", 8]["computed"]["atom_pair"] += 1

        def other_version(rows):
            rows["stack", 2]["version"] = "base"

        def other_positions(rows):
            rows["base", 8]["checksum"] = "0" * 16

        def contexts_of_base(rows):
            rows["stack", 8]["contexts"] = rows["base", 8]["contexts"]

        for change in (other_counter, other_version, other_positions, contexts_of_base):
            self.assertNotEqual(planted(change), [], change.__name__)

    def test_what_it_refuses(self):
        for wrong in (
            ("--simulate", "cray"),
            ("--simulate", "t3d", "--ranks", "0"),
            ("--simulate", "t3d", "--slower", "0"),
            ("--ranks", "4"),
        ):
            done = run(OVER_RANKS, *wrong)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn(wrong[-2], done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
