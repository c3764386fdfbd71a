# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree

PLAIN = "// The thread that resumes it takes the lock.\n" * 400


class prose(planted_tree):
    check = "prose.py"
    clean = {
        "lazult/core/unit.hpp": PLAIN
        + "int whoever = 0;  // a name in code is no prose\nauto text = \"who // is told\";\n",
        "README.md": "A caller waits.\n" * 400,
    }

    def test_clean_tree(self):
        self.assertIn("comments: 0 of 401 lines", self.assert_clean())

    def test_a_few_lines_may_have_such_words(self):
        words = self.assert_clean(
            {"lazult/core/few.hpp": "// Whoever resumes it takes the lock.\n"}
        )
        self.assertIn("comments: 1 of 402 lines", words)

    def test_many_may_not(self):
        self.assert_found(
            {"lazult/core/many.hpp": "// Likewise.\n/* Who asks,\n   is told. */\n"},
            "lazult/core/many.hpp:1: name the actor: // Likewise.",
            "many.hpp:3",
            "comments: 0.74 %",
        )

    def test_nor_in_pages(self):
        self.assert_found(
            {"docs/page.md": "Whose turn it is.\n" * 3}, "docs/page.md:2", "pages: 0.74 %"
        )


if __name__ == "__main__":
    unittest.main()
