# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

from planted import planted_tree


class headers(planted_tree):
    check = "headers.py"
    options = (
        "--compiler",
        os.environ.get("LAZULT_CXX", "c++"),
        "--arch",
        "x86_64",
        "--",
        "-DPLANTED=1",
    )
    clean = {
        "lazult/base/base.hpp": (
            "#pragma once\n#include <vector>\nstatic_assert(PLANTED);\n"
            "inline std::vector<int> v;\n"
        ),
        "lazult/arch/arch.hpp": (
            '#pragma once\n#include "lazult/base/base.hpp"\ninline auto w = v;\n'
        ),
        "lazult/arch/aarch64/only.hpp": "#pragma once\n#error not this architecture\n",
        "include/lazult/thread.hpp": "#pragma once\n",
    }

    def test_clean_tree(self):
        self.assertIn("3 compiled alone", self.assert_clean())

    def test_missing_include(self):
        files = {"lazult/base/list.hpp": "#pragma once\n\ninline std::vector<int> w;\n"}
        self.assert_found(files, "lazult/base/list.hpp:3:", "does not compile alone")

    def test_missing_include_guard(self):
        files = {"lazult/base/list.hpp": "struct list {};\n"}
        self.assert_found(files, "lazult/base/list.hpp:1:", "does not compile alone")

    def test_error_inside_another_header(self):
        files = {"lazult/base/base.hpp": "#pragma once\nint x\n"}
        self.assert_found(
            files, "lazult/base/base.hpp:", "lazult/arch/arch.hpp does not compile alone"
        )

    def test_public_headers_do_not_see_the_root(self):
        files = {"include/lazult/mutex.hpp": '#pragma once\n#include "lazult/base/base.hpp"\n'}
        self.assert_found(files, "include/lazult/mutex.hpp:2:")

    def test_public_headers_for_c_are_c(self):
        text = "#pragma once\nenum { answer = 42 };\n"
        self.assert_clean({"include/lazult/io.h": text})
        files = {"include/lazult/io.h": f"{text}inline bool is_so = true;\n"}
        self.assert_found(files, "include/lazult/io.h:3:", "does not compile alone")


class quick_headers(headers):
    """The same faults are found; only what a header needs of the standard library is not."""

    options = ("--quick",) + headers.options

    def test_missing_include(self):
        files = {"lazult/base/list.hpp": "#pragma once\ninline auto w = v;\n"}
        self.assert_found(files, "lazult/base/list.hpp:2:", "does not compile alone")

    def test_misses_an_include_of_the_standard_library(self):
        self.assert_clean({"lazult/base/list.hpp": "#pragma once\n\ninline std::vector<int> w;\n"})


if __name__ == "__main__":
    unittest.main()
