# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree

PLAIN = "// The thread that resumes it takes the lock.\n" * 400


class prose(planted_tree):
    check = "prose.py"
    clean = {
        "lazult/core/unit.hpp": PLAIN
        + "int whoever = 0;  // a name in code is no prose\nauto text = \"whose\";\n",
        "lazult/core/messages.cpp": 'auto text = "a stream waits"; // "is // no comment"\n' * 400,
        "tests/core/unit_test.cpp": "TEST(unit, waits) {}\n" * 200,
        "tests/core/unit_test.py": "def test_it_waits(self):\n    pass\n" * 200,
        "README.md": "A caller waits.\n" * 400,
    }

    def test_clean_tree(self):
        self.assertIn("comments: 0 of 801 (", self.assert_clean())

    def test_a_few_lines_may_have_such_words(self):
        words = self.assert_clean(
            {"lazult/core/few.hpp": "// Whoever resumes it takes the lock.\n"}
        )
        self.assertIn("comments: 1 of 802 (", words)

    def test_many_may_not(self):
        self.assert_found(
            {"lazult/core/many.hpp": "// Likewise.\n/* Who asks,\n   is told. */\n" * 2},
            "lazult/core/many.hpp:1: name the actor: // Likewise.",
            "many.hpp:3",
            "comments: 0.74 %",
        )

    def test_nor_in_pages(self):
        self.assert_found(
            {"docs/page.md": "Whose turn it is.\n" * 3}, "docs/page.md:2", "pages: 0.74 %"
        )

    def test_nor_in_messages(self):
        self.assertIn("messages: 0 of 400 (", self.assert_clean())
        self.assert_found(
            {
                "doors/mpi/say.cpp": 'say("to whoever asks" "and is told");\n',
                "tools/say.py": '"""Whose words: a comment."""\nprint(f"who asks {1}")\n',
            },
            "doors/mpi/say.cpp:1: name the actor",
            "tools/say.py:2: name the actor",
            "messages: 0.74 %",
        )

    def test_nor_in_names_of_tests(self):
        self.assertIn("names of tests: 0 of 400 (", self.assert_clean())
        self.assert_found(
            {
                "tests/core/more_test.cpp": "TEST_F(\n    unit, is_taken_by_who_asks) {}\n"
                "TYPED_TEST(unit, whose_turn) {}\n",
                "tests/core/more_test.py": "    def test_all_are_told(self):\n        pass\n",
            },
            "more_test.cpp:1: name the actor: is taken by who asks",
            "more_test.cpp:3",
            "more_test.py:1",
            "names of tests: 0.74 %",
        )


if __name__ == "__main__":
    unittest.main()
