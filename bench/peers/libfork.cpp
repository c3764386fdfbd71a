// SPDX-License-Identifier: BSD-3-Clause
// The driver of `lazult bench peers` for libfork.
#include <libfork.hpp>

#include "case.h"

namespace {

void open_streams(int) {}
void close_streams() {}

constexpr auto fib = [](auto self, int n) -> lf::task<long> {
    if (n < 2) {
        co_return n;
    }
    long first = 0;
    long second = 0;
    co_await lf::fork(&first, self)(n - 1);
    co_await lf::call(&second, self)(n - 2);
    co_await lf::join;
    co_return first + second;
};

constexpr int fib_argument = 20;
constexpr long fib_result = 6765;
constexpr double fib_units = 10945;  // fib(n + 1) - 1

double fibs(long rounds) {
    static lf::lazy_pool pool(1);
    for (long round = 0; round < rounds; ++round) {
        bench_check(lf::sync_wait(pool, fib, fib_argument) == fib_result, "fib(20)");
    }
    return static_cast<double>(rounds) * fib_units;
}

const peers_case cases[] = {{"fib", "fork and join in fib(20)", 1, 50, fibs}, {}};

}  // namespace

int main(int argc, char** argv) {
    return peers_main(argc, argv, cases, open_streams, close_streams);
}
