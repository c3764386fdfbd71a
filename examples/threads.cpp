// SPDX-License-Identifier: BSD-3-Clause
// Threads as in the standard library, a hundred thousand of them, and what left one of them.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

int main() {
    std::vector<lazult::thread> threads;
    std::atomic<long> sum{0};
    for (long i = 0; i < 100'000; ++i) {
        threads.emplace_back([&sum, i] { sum += i; });
    }
    lazult::join_many(threads);
    std::printf("%ld\n", sum.load());

    lazult::thread failing([] { throw std::runtime_error("something went wrong"); });
    try {
        failing.join();
    } catch (const std::runtime_error& e) {
        std::printf("it said: %s\n", e.what());
        return sum == 4'999'950'000 ? 0 : 1;
    }
    return 1;
}
