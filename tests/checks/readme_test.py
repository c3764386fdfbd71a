# SPDX-License-Identifier: BSD-3-Clause
import sys
import unittest

from planted import CHECKS

sys.path.insert(0, str(CHECKS))
from readme import first_program  # noqa: E402


class readme(unittest.TestCase):
    def test_takes_the_first_whole_program(self):
        text = "# A\n```sh\nmain()\n```\n```cpp\nint part;\n```\n```cpp\nint main() {}\n```\n"
        self.assertEqual(first_program(text), (9, "int main() {}\n"))

    def test_no_program(self):
        self.assertIsNone(first_program("# A\n```cpp\nint part;\n```\n"))


if __name__ == "__main__":
    unittest.main()
