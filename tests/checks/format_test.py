# SPDX-License-Identifier: BSD-3-Clause
import shutil
import unittest
from pathlib import Path

from planted import planted_tree

RULES = (Path(__file__).resolve().parents[2] / ".clang-format").read_text()


@unittest.skipUnless(shutil.which("clang-format-19"), "clang-format-19 is not installed")
class layout(planted_tree):
    check = "format.py"
    clean = {".clang-format": RULES, "lazult/core/unit.hpp": "int twice(int n) { return 2 * n; }\n"}

    def test_clean_tree(self):
        self.assertIn("format: 1 files; 0 error(s)", self.assert_clean())

    def test_another_layout_is_found(self):
        self.assert_found(
            {"tests/core/unit_test.cpp": "int twice(int n){return 2*n;}\n"},
            "unit_test.cpp:1:",
            "clang-format",
        )


if __name__ == "__main__":
    unittest.main()
