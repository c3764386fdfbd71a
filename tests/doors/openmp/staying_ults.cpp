// SPDX-License-Identifier: BSD-3-Clause
// Regions that ULTs of the C++ door enter: their threads and tasks follow the rule of that door. If
// what has begun stays, addresses of thread_local variables hold over all that suspends them.
#include <omp.h>

#include <atomic>
#include <lazult/lazult.hpp>
#include <vector>

#include "check.h"

namespace {

thread_local int of_os_thread;
std::atomic<long> moved{0};
std::atomic<long> looks{0};

[[gnu::noinline]] const int* address_now() {
    asm volatile("");
    return &of_os_thread;
}

void look(const int* kept) {
    moved += address_now() != kept ? 1 : 0;
    ++looks;
}

void task() {
    const int* const kept = address_now();
    lazult::this_thread::yield();
    look(kept);
#pragma omp task
    ++looks;
#pragma omp taskwait
    look(kept);
}

void region() {
    const int* const outside = address_now();
#pragma omp parallel num_threads(2)
    {
        const int* const kept = address_now();
        for (int i = 0; i < 5; ++i) {
#pragma omp barrier
            look(kept);
#pragma omp task
            task();
#pragma omp taskwait
            look(kept);
            lazult::this_thread::yield();
            look(kept);
        }
    }
    look(outside);
}

}  // namespace

int main() {
    constexpr int rounds = 20;
    constexpr int ults = 12;
    constexpr int regions = 10;
    const lazult::runtime r({.streams = 3, .started = lazult::started_kind::stay});
    for (int round = 0; round < rounds; ++round) {
        std::vector<lazult::thread> all;
        for (int i = 0; i < ults; ++i) {
            all.emplace_back([] {
                for (int k = 0; k < regions; ++k) {
                    region();
                }
            });
        }
        lazult::join_many(all);
    }
    CHECK(moved == 0);
    CHECK(looks == long{rounds} * ults * regions * (2 * 5 * 6 + 1));
    return 0;
}
