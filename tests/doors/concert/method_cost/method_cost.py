# SPDX-License-Identifier: BSD-3-Clause
"""A call of a method that does not block takes few instructions more than a call in C++.

usage: method_cost.py PROGRAM    (PROGRAM is cost.cpp)

Instructions and not time: they are the same on every machine, however busy it is. The bounds are
those of the Concert paper's compiler (section 4.1.1), 6 and 8 more, with two to spare. They hold
for g++. clang needs a frame pointer for the check of the stack, and a few instructions more.
"""
import re
import shutil
import subprocess
import sys
import unittest

# Far apart: the runtime starts with some ten thousand instructions more in one run than in another.
SMALL, LARGE = 14, 24
PROGRAM = None


def calls(n):
    """How many calls the recursion of n makes."""
    return 1 if n < 2 else 1 + calls(n - 1) + calls(n - 2)


def counted(way, n):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, way, str(n)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if done.returncode != 0:
        raise unittest.SkipTest("valgrind cannot run it: " + done.stderr[-200:])
    result, compiler = done.stdout.split()
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1)), int(result), compiler


def of_a_call(way):
    """Instructions of one call, the program's result, and its compiler."""
    few, _, _ = counted(way, SMALL)
    many, result, compiler = counted(way, LARGE)
    return (many - few) / (calls(LARGE) - calls(SMALL)), result, compiler


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not there")
class method_cost(unittest.TestCase):
    def test_of_each_schema(self):
        ways = ("plain", "never-blocks", "may-block", "continuation-passing", "coroutine", "heap")
        found = {way: of_a_call(way) for way in ways}
        print({way: round(each[0], 1) for way, each in found.items()}, file=sys.stderr)
        self.assertEqual(len({result for _, result, _ in found.values()}), 1)
        plain, _, compiler = found["plain"]
        spare = 5 if compiler == "clang" else 0
        self.assertGreater(plain, 5, "the program made no calls")
        self.assertLess(found["never-blocks"][0], plain + 0.1)
        self.assertLess(found["may-block"][0], plain + 8 + spare)
        self.assertLess(found["continuation-passing"][0], plain + 10 + spare)
        self.assertLess(found["coroutine"][0], 300)
        self.assertLess(found["heap"][0], 400)

    def test_of_objects(self):
        found = {
            way: of_a_call(way)[0] for way in ("object-plain", "object-reads", "object-writes")
        }
        print({way: round(each, 1) for way, each in found.items()}, file=sys.stderr)
        # Half of the calls are those of an object.
        self.assertLess(2 * (found["object-reads"] - found["object-plain"]), 60)
        self.assertLess(2 * (found["object-writes"] - found["object-plain"]), 60)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
