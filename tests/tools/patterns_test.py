# SPDX-License-Identifier: BSD-3-Clause
"""The headers of lazult bench that compute: which units suspend, medians and percentiles."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CXX = os.environ.get("LAZULT_CXX", "c++")

PATTERNS = r"""
#include "tools/lazult/bench/patterns.hpp"
#include <cstdio>
int main() {
    for (double percent : {0.0, 1.0, 10.0, 50.0, 99.6, 100.0}) {
        lazult::tool::suspend_patterns p(128, percent);
        for (unsigned k = 0; k < 65; ++k) {
            for (int i = 0; i < 128; ++i) std::putchar('0' + p.pattern(k)[i]);
            std::putchar('\n');
        }
    }
}
"""

STATISTICS = r"""
#include "tools/lazult/bench/statistics.hpp"
#include <cstdio>
#include <numeric>
int main() {
    using namespace lazult::tool;
    std::vector<double> v(1000);
    std::iota(v.begin(), v.end(), 1.0);
    std::printf("%g %g %g %g\n", quantile(v, 0.5), quantile(v, 0.999), quantile(v, 1),
                quantile({7}, 0.999));
    std::printf("%g %g %g %g\n", median({3, 1, 2}), median({4, 1, 2, 3}), smallest({3, 1, 2}),
                largest({3, 1, 2}));
}
"""


def output_of(text):
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "main.cpp", Path(folder) / "main"
        source.write_text(text)
        subprocess.run(
            [
                CXX,
                "-std=c++20",
                "-Wall",
                "-Wextra",
                "-Wconversion",
                "-Werror",
                "-I",
                str(SOURCE),
                str(source),
                "-o",
                str(program),
            ],
            check=True,
        )
        return subprocess.run(
            [str(program)], check=True, capture_output=True, text=True
        ).stdout.splitlines()


class headers(unittest.TestCase):
    def test_patterns(self):
        lines = output_of(PATTERNS)
        self.assertEqual(len(lines), 6 * 65)
        for block, expected in enumerate((0, 1, 13, 64, 127, 128)):
            patterns = lines[65 * block : 65 * (block + 1)]
            self.assertEqual({line.count("1") for line in patterns}, {expected})
            self.assertEqual(patterns[64], patterns[0], "the 65th round begins anew")
            if expected in (13, 64):
                self.assertEqual(len(set(patterns)), 64, "64 different patterns")

    def test_statistics(self):
        self.assertEqual(output_of(STATISTICS), ["500 999 1000 7", "2 2.5 1 3"])


if __name__ == "__main__":
    unittest.main()
