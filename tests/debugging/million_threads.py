# SPDX-License-Identifier: BSD-3-Clause
"""A million suspended threads: with guards that need no mapping; and with guards that need two
each, of which the kernel allows some 65,000 in a process: the library goes over to canaries."""
import sys
import unittest

from program import BIN, run

COUNT = 1_000_000
SKIPPED = 77


def free_gigabytes():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable")) / (
            1 << 20
        )


class million_threads(unittest.TestCase):
    def check(self, guard):
        done = run(BIN / "many_live", COUNT, limit=280, LAZULT_GUARD=guard)
        self.assertEqual((done.returncode, done.text), (0, f"{COUNT}\n"))

    def test_with_the_best_guard(self):
        self.check("auto")

    def test_beyond_the_limit_of_mappings(self):
        self.check("mprotect")


if __name__ == "__main__":
    if free_gigabytes() < 14:
        print("a million stacks need 14 GB of memory here")
        sys.exit(SKIPPED)
    unittest.main()
