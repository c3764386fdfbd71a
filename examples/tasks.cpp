// SPDX-License-Identifier: BSD-3-Clause
// Recursive fork and join.
#include <lazult/task_group.hpp>

#include <cstdio>

namespace {

long fib(int n) {
    if (n < 2) {
        return n;
    }
    long a = 0;
    lazult::task_group group;
    group.run([&a, n] { a = fib(n - 1); });
    const long b = fib(n - 2);
    group.wait();
    return a + b;
}

}  // namespace

int main() {
    const long result = fib(22);
    std::printf("fib(22) = %ld\n", result);
    return result == 17711 ? 0 : 1;
}
