# SPDX-License-Identifier: BSD-3-Clause
"""The check of interfaces over a small library, which the test compiles and changes."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
CXX = os.environ.get("LAZULT_CXX", "g++")
CHANGELOG = """# Changelog

## [Unreleased]

### Added

- A library.

## [0.1.0]

- Nothing.
"""

LIBRARY = """
#include <utility>
namespace lazult {
namespace core {
struct worker { int place; };
int push(worker* one) { return one->place; }
}
enum class kind : int { shared, stealing };
struct options { int streams; long stack; std::pair<int, int> range; };
int start(const options& how, kind which) { return how.streams + int(which); }
core::worker* stop() { return nullptr; }
}
extern "C" int lazult_switch() { return 0; }
extern "C" int lazult_io_close(int fd) { return fd; }
extern "C" int C_call(lazult::options* how) { return how->streams; }
"""


class small_library(unittest.TestCase):
    compiled = {}  # {what: bytes}, as many tests begin with the same library

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "tests/abi").mkdir(parents=True)
        shutil.copy(SOURCE / "tests/abi/private.suppr", self.root / "tests/abi")
        self.changelog = self.root / "CHANGELOG.md"
        self.changelog.write_text(CHANGELOG)
        self.dump = self.root / "tests/abi/libsmall.x86_64.abi"
        self.list = self.root / "interfaces.txt"
        self.list.write_text(f"libsmall={self.root}/libsmall.so\n")

    def compile(self, old="", new="", *options):
        text = LIBRARY
        if old:
            self.assertEqual(text.count(old), 1)
            text = text.replace(old, new)
        source, library = self.root / "small.cpp", self.root / "libsmall.so"
        options = options or ("-g",)
        if (text, options) not in self.compiled:
            source.write_text(text)
            flags = ["-std=c++20", "-fPIC", "-shared", "-Wl,-soname,libsmall.so.1", *options]
            subprocess.run([CXX, *flags, source, "-o", library], check=True)
            self.compiled[text, options] = library.read_bytes()
        library.write_bytes(self.compiled[text, options])

    def run_check(self, *options):
        check = SOURCE / "tools/checks/abi.py"
        command = [sys.executable, check, self.root, self.list, "--arch", "x86_64", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def renew(self, what="the first dump"):
        code, words = self.run_check("--renew", what)
        self.assertEqual(code, 0, words)
        return words

    def assert_same(self, result):
        self.assertEqual(result[0], 0, result[1])
        self.assertIn("1 libraries compared; 0 error(s)", result[1])


class abi(small_library):
    def after(self, old, new, *options):
        """The check's words on the library with a change, beside the dump of the one without."""
        self.compile()
        self.renew()
        self.compile(old, new, *options)
        return self.run_check()

    def assert_compatible(self, result, *expected):
        code, words = result
        self.assertEqual(code, 1, words)
        for text in ("libsmall has more than its dump says", "make abi-dumps", *expected):
            self.assertIn(text, words)

    def assert_incompatible(self, result, *expected):
        code, words = result
        self.assertEqual(code, 1, words)
        for text in ("libsmall has changed", "may not run with the new one", *expected):
            self.assertIn(text, words)

    def test_the_same_library(self):
        self.assert_same(self.after("", ""))

    def test_another_compilation_of_the_same_text(self):
        self.assert_same(self.after("", "", "-g", "-O2"))

    def test_an_added_function(self):
        result = self.after("core::worker* stop", "void more() {}\ncore::worker* stop")
        self.assert_compatible(result, "1 Added function", "lazult::more()")

    def test_an_added_enumerator(self):
        result = self.after("stealing }", "stealing, priority }")
        self.assert_compatible(result, "lazult::kind::priority")

    def test_a_removed_function(self):
        result = self.after("core::worker* stop() { return nullptr; }", "")
        self.assert_incompatible(result, "1 Removed function", "lazult::stop()")

    def test_a_renamed_function_is_a_removed_one(self):
        self.assert_incompatible(self.after("C_call", "C_call_2"), "C_call_2", "1 Removed function")

    def test_a_removed_function_of_the_c_interface(self):
        found = "1 Removed function"
        self.assert_incompatible(self.after("lazult_io_close", "close"), "lazult_io_close", found)

    def test_a_changed_order_of_members(self):
        result = self.after("int streams; long stack;", "long stack; int streams;")
        self.assert_incompatible(result, "'int streams' offset changed")

    def test_a_larger_struct(self):
        result = self.after("std::pair<int, int> range;", "std::pair<int, int> range; int more;")
        self.assert_incompatible(result, "struct lazult::options", "type size changed")

    def test_a_changed_value_of_an_enumerator(self):
        result = self.after("shared, stealing", "stealing, shared")
        self.assert_incompatible(result, "lazult::kind::shared")

    def test_a_changed_result(self):
        result = self.after("int start(", "long start(")
        self.assert_incompatible(result, "return type changed")

    def test_a_changed_name_of_the_library(self):
        result = self.after("", "", "-g", "-Wl,-soname,libsmall.so.2")
        self.assert_incompatible(result, "SONAME changed")

    def test_what_is_private_may_change(self):
        self.assert_same(self.after("int place; }", "long place, more; }"))
        self.compile("int push(worker* one)", "int other(worker* one)")
        self.assert_same(self.run_check())
        self.compile('extern "C" int lazult_switch() { return 0; }', "")
        self.assert_same(self.run_check())

    def test_a_library_without_a_dump(self):
        self.compile()
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("libsmall has no dump yet: make abi-dumps", words)

    def test_a_library_without_debug_information(self):
        self.compile()
        self.renew()
        self.compile("", "", "-g0")
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("has no debug information", words)
        self.assertEqual(self.run_check("--renew", "by mistake so")[0], 1)

    def test_a_dump_without_a_library(self):
        self.compile()
        self.renew()
        self.list.write_text("")
        code, words = self.run_check()
        self.assertEqual(code, 0, words)
        self.assertIn("this build has no libsmall", words)

    def test_a_list_that_is_not_there(self):
        self.list.unlink()
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("cmake --preset release", words)


class changelog(small_library):
    def note(self):
        return re.search(r"^- `libsmall` ([0-9a-f]{12}): (.*)$", self.changelog.read_text(), re.M)

    def test_renewal_writes_a_line(self):
        self.compile()
        self.renew("the first dump.")
        self.assertEqual(self.note()[2], "the first dump.")
        text = self.changelog.read_text()
        self.assertEqual(re.sub(r"### ABI\n\n- .*\n\n", "", text), CHANGELOG)
        self.assertLess(text.index("### ABI"), text.index("## [0.1.0]"))

    def test_the_newest_line_comes_first(self):
        self.compile()
        self.renew("the first dump")
        self.compile("core::worker* stop", "void more() {}\ncore::worker* stop")
        self.assertIn("1 Added function", self.renew("more() is new"))
        self.assertEqual(self.note()[2], "more() is new.")
        self.assertEqual(self.changelog.read_text().count("### ABI"), 1)
        self.assertIn("the first dump.", self.changelog.read_text())
        self.assert_same(self.run_check())

    def test_renewal_leaves_a_true_dump_alone(self):
        self.compile()
        self.renew()
        before = self.dump.read_bytes(), self.changelog.read_bytes()
        self.assertIn("0 dumps written", self.renew("nothing at all"))
        self.assertEqual((self.dump.read_bytes(), self.changelog.read_bytes()), before)

    def test_renewal_wants_words(self):
        self.compile()
        for what in ("", "changes"):
            code, words = self.run_check("--renew", what)
            self.assertEqual(code, 1)
            self.assertIn("say in words what has changed", words)
            self.assertFalse(self.dump.exists())

    def test_a_line_of_a_version_counts(self):
        self.compile()
        self.renew()
        released = self.changelog.read_text().replace("[Unreleased]", "[0.2.0]")
        self.changelog.write_text(released)
        self.assert_same(self.run_check())

    def test_an_edited_dump(self):
        self.compile()
        self.renew()
        self.dump.write_text(self.dump.read_text() + "\n")
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertRegex(words, r"line for libsmall is of the dump [0-9a-f]{12}, and the dump is")

    def test_a_dump_without_a_line(self):
        self.compile()
        self.renew()
        self.changelog.write_text(CHANGELOG)
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("the changelog has no line for this dump", words)

    def test_a_line_without_words(self):
        self.compile()
        self.renew()
        text = self.changelog.read_text()
        self.changelog.write_text(text.replace(": the first dump.", ""))
        code, words = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("does not say what has changed", words)


if __name__ == "__main__":
    if shutil.which("abidw") is None:
        print("skipped: no abidw: apt-get install abigail-tools")
        sys.exit(77)
    unittest.main()
