# SPDX-License-Identifier: BSD-3-Clause
"""The library warns of LAZULT_ variables that it does not know: so it must know all that are read
anywhere in the tree."""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TABLES = [
    SOURCE / "lazult/base/settings_table.cpp",
    SOURCE / "lazult/base/unknown_variables.cpp",
    *SOURCE.glob("doors/*/src/**/settings.cpp"),
]
WORD = r"LAZULT_[A-Z0-9_]+"
READS = (rf'getenv\("({WORD})"', rf'environ(?:\.get)?[\[(]"({WORD})"', rf'"({WORD})"')


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def files(*patterns):
    return (path for pattern in patterns for path in SOURCE.glob(pattern) if path.is_file())


class variables(unittest.TestCase):
    def setUp(self):
        self.known = {
            word for table in TABLES for word in re.findall(rf'"({WORD}?)"', text_of(table))
        }
        self.assertIn("LAZULT_STREAMS", self.known)
        self.families = tuple(word for word in self.known if word.endswith("_"))

    def unknown(self, words):
        return {
            word for word in words if word not in self.known and not word.startswith(self.families)
        }

    def test_all_that_the_library_and_its_doors_name(self):
        named = {
            word
            for path in files(
                "lazult/**/*.cpp", "lazult/**/*.hpp", "doors/**/*.cpp", "doors/**/*.hpp"
            )
            for word in re.findall(READS[2], text_of(path))
        }
        self.assertEqual(self.unknown(named) - {"LAZULT_PRIVATE_"}, set())

    def test_a_program_that_runs_with_more_rights_than_its_caller_reads_none(self):
        texts = {
            path: text_of(path)
            for path in files(
                "lazult/**/*.cpp", "lazult/**/*.hpp", "doors/**/*.cpp", "doors/**/*.hpp"
            )
        }
        self.assertTrue(any("secure_getenv(" in text for text in texts.values()))
        unsafe = [
            str(path.relative_to(SOURCE))
            for path, text in texts.items()
            if re.search(r"(?<!secure_)\bgetenv *\(", text)
        ]
        self.assertEqual(unsafe, [])

    def test_all_that_programs_and_scripts_read(self):
        read = {
            word
            for path in files(
                "t*/**/*.cpp",
                "t*/**/*.hpp",
                "t*/**/*.py",
                "apps/**/*.py",
                "apps/**/*.cpp",
                "bench/**/*.py",
                "bench/**/*.c*",
            )
            for pattern in READS[:2]
            for word in re.findall(pattern, text_of(path))
        }
        self.assertIn("LAZULT_BUILD_DIR", read)
        self.assertEqual(self.unknown(read), set())


if __name__ == "__main__":
    unittest.main()
