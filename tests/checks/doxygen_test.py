# SPDX-License-Identifier: BSD-3-Clause
"""Doxygen over the public headers, as `make docs` runs it: no warnings, and what has no comment is
found."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTERFACES = {
    "native": "include/lazult",
    "argobots": "doors/argobots/include",
    "concert": "doors/concert/include",
}


def document(root, interface, pages):
    """Doxygen's exit code and words over the headers under root. It writes XML below `pages`."""
    settings = (
        f"@INCLUDE = docs/doxygen/{interface}.doxyfile\nOUTPUT_DIRECTORY = {pages}\n"
        "GENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
    )
    done = subprocess.run(
        ["doxygen", "-"], input=settings, cwd=root, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


class doxygen(unittest.TestCase):
    def planted(self, header, where, what):
        """The words over a tree in which this text stands behind that one, and whether Doxygen
        failed."""
        interface = next(name for name, folder in INTERFACES.items() if header.startswith(folder))
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for copied in ("docs", INTERFACES[interface]):
                shutil.copytree(ROOT / copied, root / copied)
            text = (ROOT / header).read_text()
            self.assertEqual(text.count(where), 1)
            (root / header).write_text(text.replace(where, where + what))
            code, words = document(root, interface, root / "pages")
        return words if code != 0 else ""

    def test_finds_an_undocumented_member(self):
        words = self.planted(
            "include/lazult/latch.hpp",
            "    bool try_wait() const noexcept;\n",
            "    bool plant();\n",
        )
        line = (ROOT / "include/lazult/latch.hpp").read_text().split("try_wait()")[0].count(
            "\n"
        ) + 2
        self.assertRegex(words, rf"latch\.hpp:{line}: .*plant\(\).*is not documented")

    def test_finds_an_undocumented_function_of_the_c_interface(self):
        words = self.planted(
            "doors/argobots/include/abt/rwlock.h",
            '#include "types.h"\n',
            "\n/* A heading of several. */\n\nint ABT_plant(void);\n",
        )
        self.assertRegex(words, r"rwlock\.h:\d+: .*ABT_plant.*is not documented")

    def test_what_stands_behind_a_commented_one_needs_a_comment_too(self):
        words = self.planted(
            "doors/argobots/include/abt/unit.h",
            '#include "types.h"\n',
            "\n/** Known. */\nint ABT_known(void);\nint ABT_plant(void);\n",
        )
        self.assertIn("ABT_plant", words)
        self.assertNotIn("ABT_known", words)

    def test_a_plain_comment_documents_nothing(self):
        words = self.planted(
            "doors/concert/include/lazult_concert.hpp",
            "/// Sends the messages that wait for others to the same rank.\n",
            "inline void other();\n// Plain.\ninline void plant();\n",
        )
        self.assertIn("plant()", words)
        self.assertNotIn("other()", words)

    def test_finds_a_member_without_a_comment_in_a_list_that_shares_one(self):
        words = self.planted(
            "doors/argobots/include/abt/error.h",
            "#define ABT_ERR_TIMER 47\n/** @} */\n",
            "#define ABT_ERR_PLANT 99\n",
        )
        self.assertIn("ABT_ERR_PLANT", words)

    def test_each_header_is_in_a_module(self):
        text = (ROOT / "docs/doxygen/native.dox").read_text()
        named = re.findall(r"@file (\w+\.h(?:pp)?) @ingroup (\w+)", text)
        headers = [path.name for path in (ROOT / INTERFACES["native"]).glob("*.h*")]
        self.assertEqual(sorted(name for name, _ in named), sorted(headers))
        groups = set(re.findall(r"@defgroup (\w+)", text))
        self.assertEqual({group for _, group in named}, groups)
        self.assertEqual(set(re.findall(r"@ref (\w+) \|", text)), groups)

    def test_no_warnings_and_a_main_page(self):
        for interface in INTERFACES:
            with tempfile.TemporaryDirectory() as pages:
                code, words = document(ROOT, interface, pages)
                self.assertEqual((code, words), (0, ""))
                text = (Path(pages) / "xml/indexpage.xml").read_text()
                self.assertGreater(len(text), 1000, interface)


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("skipped: no doxygen")
        sys.exit(77)
    unittest.main()
