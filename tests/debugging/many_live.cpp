// SPDX-License-Identifier: BSD-3-Clause
// As many threads as the argument says, all suspended at once, each on a stack of its own.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

int main(int count, char** arguments) {
    const int wanted = count == 2 ? std::atoi(arguments[1]) : 1000;
    const lazult::runtime two(lazult::options{.streams = 2});
    lazult::eventual<int> go;
    lazult::mutex lock;
    int arrived = 0;
    int sum = 0;
    std::vector<lazult::thread> all;
    for (int i = 0; i < wanted; ++i) {
        all.emplace_back([&] {
            {
                const std::lock_guard hold(lock);
                ++arrived;
            }
            const int one = go.wait();
            const std::lock_guard hold(lock);
            sum += one;
        });
    }
    const auto all_arrived = [&] {
        const std::lock_guard hold(lock);
        return arrived == wanted;
    };
    while (!all_arrived()) {
        lazult::this_thread::yield();
    }
    go.set(1);
    all.clear();  // joins
    std::printf("%d\n", sum);
    return sum == wanted ? 0 : 1;
}
