# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree

README = """\
# A tree

[a page](docs/page.md), [its part](docs/page.md#a-part-of-it), [here](#a-tree),
[elsewhere](https://example.org/x.md).
`lazult/ds/` and `lazult/ds/word.hpp`, `lazult/<floor>/`, `tests/x_*.py`.

```sh
cat docs/never.md  # [not](a-link.md)
```
"""


class links(planted_tree):
    check = "links.py"
    clean = {
        "README.md": README,
        "docs/page.md": "# Page\n\n## A part, of `it`\n\n[back](../README.md)\n",
        "lazult/ds/word.hpp": "",
        "CHANGELOG.md": "`docs/gone.md` went\n",
    }

    def test_clean_tree(self):
        self.assertIn("5 links", self.assert_clean())

    def test_links_to_nothing(self):
        self.assert_found(
            {"docs/other.md": "\n[x](none.md)\n"},
            "docs/other.md:2:",
            "none.md: there is no such file",
        )
        self.assert_found({"docs/other.md": "[x](../../etc/passwd)\n"}, "there is no such file")
        self.assert_found(
            {"docs/other.md": "[x](page.md#gone)\n"}, "docs/other.md:1:", "no such heading"
        )

    def test_quotes(self):
        files = {"lazult/ds/word.hpp": "int a;\nint b;\nint c;\n"}
        self.assert_clean(
            {**files, "docs/q.md": "```cpp\n// lazult/ds/word.hpp\nint b;\nint c;\n```\n"}
        )
        self.assert_found(
            {**files, "docs/q.md": "\n```cpp\n// lazult/ds/word.hpp\nint c;\nint b;\n```\n"},
            "docs/q.md:2:",
            "quotes lazult/ds/word.hpp, where this does not stand",
        )
        self.assert_found({"docs/q.md": "```c\n/* lazult/gone.h */\nint b;\n```\n"}, "no such file")

    def test_names_of_nothing(self):
        self.assert_found(
            {"docs/other.md": "see `lazult/ds/gone.hpp`\n"}, "names lazult/ds/gone.hpp"
        )


if __name__ == "__main__":
    unittest.main()
