# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLEAN = "namespace {\nint* last = nullptr;\n}\nint* take() { return last; }\n"


# Without clang-tidy-19 these tests fail, as `make tidy` does.
class tidy(unittest.TestCase):
    def run_on(self, files, **environment):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            shutil.copy(ROOT / ".clang-tidy", root)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "build").mkdir()
            commands = [
                {
                    "file": str(root / name),
                    "command": f"c++ -I{root} -std=c++20 -Wall -o a.o -c {name}",
                }
                for name in files
                if name.endswith(".cpp")
            ]
            (root / "build/compile_commands.json").write_text(json.dumps(commands))
            command = [sys.executable, ROOT / "tools/ci/tidy.py", root / "build", "--root", root]
            done = subprocess.run(
                command,
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout + done.stderr

    def assert_found(self, files, *expected):
        code, words = self.run_on(files)
        self.assertEqual(code, 1, words)
        for text in expected:
            self.assertIn(text, words)
        return words

    def test_files_of_a_folder_are_seen_as_one(self):
        code, words = self.run_on(
            {
                "lazult/base/a.cpp": CLEAN,
                "lazult/base/b.cpp": "int* b() { return last; }\n",
                "doors/mpi/src/c.cpp": "extern \"C\" int MPI_It() { return 3; }\n",
                "tools/lazult/main.cpp": "int* other = 0;\n",
            }
        )
        self.assertEqual(code, 0, words)
        self.assertRegex(words, r"^tidy: 3 files in 2 groups, \d+ s .*; groups with errors: 0$")

    def test_a_finding_is_an_error(self):
        words = self.assert_found(
            {"lazult/base/a.cpp": CLEAN, "lazult/base/b.cpp": "int* b() { return 0; }\n"},
            "lazult/base/b.cpp:1:",
            "modernize-use-nullptr",
            "groups with errors: 1",
        )
        self.assertNotIn("as one", words)

    def test_a_finding_in_a_door_is_an_error(self):
        self.assert_found(
            {"doors/mpi/src/a.cpp": CLEAN.replace("nullptr", "0")},
            "doors/mpi/src/a.cpp:2:",
            "modernize-use-nullptr",
        )

    def test_a_finding_in_a_header_is_said_once(self):
        include = '#include "lazult/base/a.hpp"\n'
        words = self.assert_found(
            {
                "lazult/base/a.hpp": "#pragma once\ninline int* a() { return 0; }\n",
                "lazult/base/a.cpp": include,
                "lazult/core/b.cpp": include,
            },
            "groups with errors: 2",
        )
        self.assertEqual(words.count("[modernize-use-nullptr"), 1, words)

    def test_c_headers_are_found_in_sources(self):
        self.assert_found(
            {"lazult/base/a.cpp": "#include <stddef.h>\n"}, "modernize-deprecated-headers"
        )

    def test_names_are_checked_in_the_library(self):
        self.assert_found(
            {"lazult/base/a.cpp": "int It() { return 1; }\n"}, "readability-identifier-naming"
        )

    def test_one_name_for_two_things_is_an_error(self):
        self.assert_found(
            {"lazult/base/a.cpp": CLEAN, "lazult/base/b.cpp": CLEAN.replace("take", "give")},
            "redefinition of 'last'",
            "the files of lazult/base do not compile as one",
        )

    def test_what_does_not_compile_is_an_error(self):
        self.assert_found(
            {"lazult/base/a.cpp": CLEAN, "lazult/base/b.cpp": "int b = c;\n"},
            "lazult/base/b.cpp:1:",
            "undeclared identifier 'c'",
        )

    def test_nothing_to_look_at_is_an_error(self):
        self.assert_found({"tools/a.cpp": CLEAN}, "tidy: 0 files in 0 groups")

    def test_a_missing_tool_is_an_error(self):
        code, words = self.run_on({"lazult/base/a.cpp": CLEAN}, PATH="/nowhere")
        self.assertEqual(code, 2, words)
        self.assertIn("tidy: clang-tidy-19 is not installed", words)


if __name__ == "__main__":
    unittest.main()
