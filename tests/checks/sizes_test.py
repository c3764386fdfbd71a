# SPDX-License-Identifier: BSD-3-Clause
import sys
import unittest

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


class sizes(planted_tree):
    check = "sizes.py"
    clean = {"lazult/base/a.cpp": SAMPLE}

    def test_functions_are_found(self):
        self.assertEqual(functions(SAMPLE), [(4, 8), (9, 9), (14, 20)])

    def test_median(self):
        self.assertIn("3 functions, median 5 lines, 0 over 40", self.assert_clean())

    def test_long_function_is_a_warning(self):
        text = "void f() {\n" + "    g();\n" * 45 + "}\n"
        self.assertIn(
            "warning: lazult/base/b.cpp:1: a function of 47 lines",
            self.assert_clean({"lazult/base/b.cpp": text}),
        )

    def test_long_file(self):
        self.assert_clean({"lazult/base/b.cpp": "int a;\n" * 800})
        self.assert_found({"lazult/base/b.cpp": "int a;\n" * 801}, "lazult/base/b.cpp:801:")
        self.assert_found({"tools/long.py": "a = 1\n" * 801}, "tools/long.py:801:")


if __name__ == "__main__":
    unittest.main()
