// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops over indices and ranges, and a reduction.
#include <lazult/parallel.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    std::vector<double> roots(100'000);
    lazult::parallel_for(std::size_t{0}, roots.size(),
                         [&](std::size_t i) { roots[i] = std::sqrt(double(i)); });
    lazult::parallel_for(roots, [](double& r) { r = r * r; }, lazult::guided_chunks(64));
    const double sum = lazult::parallel_reduce(
        roots, 0.0, [](double r) { return r; }, [](double a, double b) { return a + b; },
        lazult::dynamic_chunks(1000));
    std::printf("%.0f\n", sum);
    return std::abs(sum - 4'999'950'000.0) < 1 ? 0 : 1;
}
