# SPDX-License-Identifier: BSD-3-Clause
import re
import sys
import tempfile
import unittest
from pathlib import Path

from planted import CHECKS, planted_tree

sys.path.insert(0, str(CHECKS))
import memory_model  # noqa: E402
from sources import code_only, cpp_files  # noqa: E402

ROOT = CHECKS.parents[1]
CLEAN = """\
// field  written by  read by    order
// state_ write()     read()     release / acquire
class word {
public:
    int read() const {
        // acquire pairs with: write(), store of state_
        return state_.load(std::memory_order_acquire);
    }
    void write(int v) { state_.store(v, std::memory_order_release); }  // pairs with: read()
    void plain() { size = 1; }
    int hint() const { return table_[size].load(std::memory_order_relaxed); }
    bool swap(std::atomic<int>& of, int e) {
        // pairs with: write() in word.hpp
        return of.compare_exchange_strong(e, 2, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
    }

private:
    std::atomic<int> state_{0};
    int size;
};
"""


class names(planted_tree):
    check = "memory_model.py"
    clean = {"lazult/ds/word.hpp": CLEAN, "doors/mpi/src/a.cpp": "void only_here() {}\n"}

    def plant(self, pair):
        return {"lazult/ds/word.hpp": CLEAN + f"// pairs with: {pair}\n"}

    def test_clean_tree(self):
        self.assertIn("3 pairs named", self.assert_clean())

    def test_names_that_are_nowhere(self):
        line = f"lazult/ds/word.hpp:{CLEAN.count(chr(10)) + 1}:"
        self.assert_found(self.plant("no_such(), store of state_"), line, "no_such()")
        self.assert_found(self.plant("write(), store of status_"), line, "status_")
        self.assert_found(self.plant("write(), store of status"), line, "status")
        self.assert_found(self.plant("the light_gate"), line, "light_gate")
        self.assert_found(self.plant("other.hpp, write()"), line, "other.hpp", "no such file")

    def test_a_name_that_a_door_alone_has(self):
        self.assert_found(
            self.plant("only_here()"), "only_here()", "neither the core nor this door"
        )
        self.assert_clean({"doors/mpi/src/b.cpp": "// pairs with: only_here()\n"})

    def test_an_operation_that_is_not_there(self):
        self.assert_found(
            self.plant("plain(), store"), "an operation in plain(), which has none on an atomic"
        )

    def test_pairs_over_two_lines(self):
        self.assert_found(self.plant("write(), and\n// no_such()"), "no_such()")


class page(unittest.TestCase):
    def test_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "docs" / "memory-model.md").write_text("# Rules\n")
            path = root / "lazult" / "word.hpp"
            path.parent.mkdir()
            path.write_text(CLEAN)
            text = memory_model.page(root, [path])
        self.assertTrue(text.startswith("# Rules\n"))
        self.assertIn("### lazult/word.hpp\n\n```text\nfield  written by", text)
        self.assertIn(
            "| `state_` | load | `word::read()` | acquire | write(), store of state_ |", text
        )
        self.assertIn("| `state_` | store | `word::write()` | release | read() |", text)
        self.assertIn(
            "| `of` | compare_exchange_strong | `word::swap()` | acq_rel, relaxed | "
            "write() in word.hpp |",
            text,
        )
        self.assertIn("ordering nothing else: `table_[size]` in `word::hint()`.", text)

    def test_every_strong_operation_of_the_tree_has_its_pair(self):
        """What atomics.py asks for, the page finds too: nothing is lost on the way."""
        missing, seen = [], 0
        for path in cpp_files(ROOT, *memory_model.FOLDERS):
            if path.suffix in (".hpp", ".cpp"):
                found = [
                    each
                    for each in memory_model.operations_in(path)
                    if each.orders != ["its caller's"]
                ]
                calls = [
                    match
                    for match in memory_model.CALL.finditer(code_only(path.read_text()))
                    if re.search(
                        r"memory_order(?:_|::)\w",
                        memory_model.arguments_of(match.string, match.end() - 1),
                    )
                ]
                self.assertGreaterEqual(len(found), len(calls), path)
                seen += len(found)
                missing += [
                    f"{path}:{each.line}" for each in found if each.is_strong and not each.pair
                ]
        self.assertEqual(missing, [])
        self.assertGreater(seen, 500)


if __name__ == "__main__":
    unittest.main()
