#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_STACK_USE in an Argobots program: rows for the program's own functions, with the depths
that stack_use.c gives them."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["LAZULT_BIN_DIR"]) / "abt_stack_use"
KIB = 1024
FRAMES = 2 * KIB
LOADER = 8 * KIB  # the first call of a function of another library


def rows(**environment):
    """The rows, by function and stack size."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "use.json"
        subprocess.run(
            [PROGRAM],
            env={**os.environ, **environment, "LAZULT_STACK_USE": file},
            check=True,
            timeout=60,
        )
        functions = json.loads(file.read_text())["functions"]
    return {(row["entry"].split()[0], row["stack_size"]): row for row in functions}


class stack_use(unittest.TestCase):
    def check(self, found, name, size, ults, used):
        row = found.pop((name, size))
        self.assertEqual(row["ults"], ults, row)
        self.assertGreaterEqual(row["median"], used, row)
        self.assertLess(row["median"], used + FRAMES, row)
        self.assertLess(row["deepest"], used + FRAMES + LOADER, row)
        self.assertGreater(row["enough"], row["deepest"], row)

    def check_all(self, found):
        usual, large = 64 * KIB, 256 * KIB
        self.check(found, "ten_kib", usual, 3, 10 * KIB)
        self.check(found, "hundred_kib", large, 2, 100 * KIB)
        self.check(found, "shallow", large, 6, 0)
        self.check(found, "twenty_kib_after_yield", usual, 4, 20 * KIB)
        self.check(found, "shallow", usual, 1, 0)  # the first life of a unit that is revived
        self.check(found, "revived", usual, 4, 5 * KIB)
        for name, ults, used in (
            ("fifty_kib_on_own_memory", 2, 50 * KIB),
            ("shallow_on_own_memory", 3, 0),
        ):
            (size,) = [size for function, size in found if function == name]
            self.assertTrue(127 * KIB < size < 128 * KIB, size)
            self.check(found, name, size, ults, used)
        self.assertEqual(found, {})

    def test_functions_of_the_program(self):
        self.check_all(rows())

    def test_with_guards_of_users_stacks(self):
        self.check_all(rows(ABT_STACK_OVERFLOW_CHECK="mprotect"))


if __name__ == "__main__":
    unittest.main()
