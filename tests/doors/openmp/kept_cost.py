# SPDX-License-Identifier: BSD-3-Clause
"""A task that its thread keeps takes few instructions more than one that is not deferred.

usage: kept_cost.py PROGRAM    (PROGRAM is kept_cost.c)

Instructions and not time: they are the same on every machine, however busy it is.
"""
import re
import shutil
import subprocess
import sys
import unittest

FEW_LEVELS, MANY_LEVELS = 3, 4
TASKS_MORE = 8**MANY_LEVELS
# On x86-64 a kept task takes 24 more. One with a record takes some 70 more.
MOST_MORE = 40
PROGRAM = None


def instructions(levels, is_deferred):
    done = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            PROGRAM,
            str(levels),
            str(int(is_deferred)),
        ],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if done.returncode != 0:
        raise unittest.SkipTest("valgrind cannot run it: " + done.stderr[-200:])
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def of_a_task(is_deferred):
    return (
        instructions(MANY_LEVELS, is_deferred) - instructions(FEW_LEVELS, is_deferred)
    ) / TASKS_MORE


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not there")
class kept_cost(unittest.TestCase):
    def test_a_kept_task_is_little_more_than_a_call(self):
        call, kept = of_a_task(is_deferred=False), of_a_task(is_deferred=True)
        print(f"instructions of a task: {call:.0f} as a call, {kept:.0f} kept", file=sys.stderr)
        self.assertGreater(call, 50, "the program counted no tasks")
        self.assertLess(kept, call + MOST_MORE)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
