# SPDX-License-Identifier: BSD-3-Clause
import shutil
import unittest
from pathlib import Path

from planted import planted_tree

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("clang-format-19", "black")
WIDE = "wide " * 20


@unittest.skipUnless(all(map(shutil.which, TOOLS)), f"{' or '.join(TOOLS)} is not installed")
class layout(planted_tree):
    check = "format.py"
    clean = {
        ".clang-format": (ROOT / ".clang-format").read_text(),
        "pyproject.toml": (ROOT / "pyproject.toml").read_text(),
        "lazult/core/unit.hpp": "int twice(int n) { return 2 * n; }\n",
        "tools/twice.py": "def twice(n):\n    return 2 * n\n",
        "README.md": WIDE * 2,
        "build/wide.cpp": f"// {WIDE}\n",
    }

    def test_clean_tree(self):
        self.assertIn(
            "format: 1 files of C and C++, 1 of Python: 0 error(s); width of 2 files; 0 error(s)",
            self.assert_clean(),
        )

    def test_another_layout_of_cpp_is_found(self):
        for name in ("unit_test.cpp", "unit.c"):
            self.assert_found(
                {f"tests/core/{name}": "int twice(int n){return 2*n;}\n"},
                f"{name}:1:",
                "clang-format",
            )

    def test_another_layout_of_python_is_found(self):
        self.assert_found(
            {"tests/core/unit_test.py": "def twice( n ) :\n  return 2*n\n"},
            "error: black: would reformat",
            "unit_test.py",
            "2 of Python: 1 error(s)",
        )

    def test_python_that_does_not_parse_is_found(self):
        self.assert_found({"tests/core/unit_test.py": "def twice(n:\n"}, "error: black: error:")

    def test_wide_line_is_found(self):
        for name, text in (
            ("lazult/core/wide.hpp", f"int n;\n// {WIDE}\n"),
            ("lazult/arch/wide.S", f"\n/* {WIDE} */\n"),
            ("tools/wide.py", f'n = 1\ntext = "{WIDE}"\n'),
            ("tests/core/CMakeLists.txt", f"\n# {WIDE}\n"),
            ("cmake/wide.cmake", f"\n# {WIDE}\n"),
            ("Makefile", f"\n# {WIDE}\n"),
            ("tools/ci/wide.sh", f"\n# {WIDE}\n"),
            (".ci/run", f"\n# {WIDE}\n"),
        ):
            self.assert_found({name: text}, f"error: {name}:2: ", "no line passes 100")

    def test_looks_at_the_files_that_are_named(self):
        self.options = ("tools/twice.py",)
        self.assertIn(
            "0 files of C and C++, 1 of Python", self.assert_clean({"Makefile": WIDE * 2})
        )
        self.options = ("Makefile",)
        self.assert_found({"Makefile": WIDE * 2}, "Makefile:1: ")

    def test_a_line_may_have_100_columns(self):
        self.assert_clean({"Makefile": "ä" * 100 + "\n"})
        self.assert_found({"Makefile": "ä" * 101 + "\n"}, "Makefile:1: 101 columns")


if __name__ == "__main__":
    unittest.main()
