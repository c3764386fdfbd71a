# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the tutorial are the examples, word for word, so what it shows is compiled and
run."""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TUTORIAL = SOURCE / "docs/tutorial.md"


def without_licence(text):
    return re.sub(r"\A// SPDX-[^\n]*\n", "", text)


class tutorial(unittest.TestCase):
    def test_its_programs_are_examples(self):
        examples = {
            without_licence(path.read_text()): path.name
            for path in (SOURCE / "examples").glob("*.cpp")
        }
        blocks = re.findall(r"^```cpp\n(.*?)^```", TUTORIAL.read_text(), re.M | re.S)
        programs = [block for block in blocks if re.search(r"\bmain\(", block)]
        self.assertGreaterEqual(len(programs), 5)
        for program in programs:
            self.assertIn(program, examples, f"no example has this text:\n{program}")

    def test_each_program_is_named_by_its_file(self):
        words = TUTORIAL.read_text()
        for name in ("first_thread", "many_threads", "results", "loops", "words"):
            self.assertIn(f"examples/{name}.cpp", words)


if __name__ == "__main__":
    unittest.main()
