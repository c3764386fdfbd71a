// SPDX-License-Identifier: BSD-3-Clause
// A hundred thousand threads that may all wait for the same mutex.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <mutex>

int main() {
    lazult::mutex lock;
    int primes = 0;
    lazult::task_group all;
    for (int n = 2; n < 100'000; ++n) {
        all.run([&, n] {
            for (int divisor = 2; divisor * divisor <= n; ++divisor) {
                if (n % divisor == 0) {
                    return;
                }
            }
            const std::scoped_lock hold(lock);
            ++primes;
        });
    }
    all.wait();
    std::printf("%d primes\n", primes);
    return primes == 9592 ? 0 : 1;
}
