# SPDX-License-Identifier: BSD-3-Clause
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from planted import CHECKS, planted_tree

sys.path.insert(0, str(CHECKS))
from sizes import functions  # noqa: E402

SAMPLE = """\
namespace lazult {
class queue : public base {
public:
    explicit queue(int n) : size_{n}, more_{(n)} {
        if (n) {
            grow();
        }
    }
    int size() const noexcept { return size_; }
private:
    int size_{0};
    std::function<void()> hook_ = [] { return; };
};
template <class T>
    requires(sizeof(T) > 1)
auto twice(T value) -> decltype(value + value) {
    // a brace in a comment {
    auto text = "{{{";
    return value + value;
}
#define BRACES {{{
constexpr int table[] = {f(1), f(2)};
enum class colour : int { red, green };
}  // namespace lazult
"""


@unittest.skipUnless(shutil.which("ctags-universal"), "universal-ctags is not installed")
class sizes(planted_tree):
    check = "sizes.py"
    clean = {"lazult/base/a.cpp": SAMPLE}

    def test_functions_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.cpp"
            path.write_text(SAMPLE)
            found = [each[1:] for each in functions([path]) if not each[3].startswith("__anon")]
        self.assertEqual(
            sorted(found), [(4, 8, "queue"), (9, 9, "size"), (16, 20, "twice")], "a.cpp"
        )

    def test_median(self):
        self.assertIn("3 functions, median 5 lines, 0 over 40", self.assert_clean())

    def test_long_function_of_the_library_is_a_warning(self):
        text = "void f() {\n" + "    g();\n" * 45 + "}\n"
        self.assertIn(
            "warning: lazult/base/b.cpp:1: f has 47 lines",
            self.assert_clean({"lazult/base/b.cpp": text}),
        )
        self.assertNotIn("warning", self.assert_clean({"tests/base/b.cpp": text}))

    def test_longer_function_is_an_error(self):
        for name, begin, end in (
            ("lazult/base/b.cpp", "void f() {\n", "}\n"),
            ("include/b.h", "static inline int f(void) {\n", "}\n"),
            ("tests/base/b.c", "int f(void) {\n", "}\n"),
            ("tests/base/b_test.cpp", "TEST(b, f) {\n", "}\n"),
            ("tools/b.py", "def f():\n", "    g()\n"),
        ):
            self.assert_clean({name: begin + "    g();\n" * 58 + end})
            self.assert_found(
                {name: begin + "    g();\n" * 59 + end},
                f"error: {name}:1: ",
                "has 61 lines; no function passes 60",
            )

    def test_long_file(self):
        self.assert_clean({"lazult/base/b.cpp": "int a;\n" * 800})
        self.assert_found({"lazult/base/b.cpp": "int a;\n" * 801}, "lazult/base/b.cpp:801:")
        self.assert_found({"tools/long.py": "a = 1\n" * 801}, "tools/long.py:801:")


if __name__ == "__main__":
    unittest.main()
