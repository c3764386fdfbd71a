// SPDX-License-Identifier: BSD-3-Clause
// What the drivers' loops write, and its check.
#ifndef BENCH_PEERS_COUNTERS_HPP
#define BENCH_PEERS_COUNTERS_HPP

#include <vector>

#include "../driver.h"

// Kept over repetitions, so that these measure loops and not memory that is new.
template <int n>
struct counters {
    std::vector<int> data = std::vector<int>(n);
    int passes = 0;

    void check(long rounds) {
        passes += static_cast<int>(rounds);
        for (const int each : data) {
            bench_check(each == passes, "how often each iteration ran");
        }
    }
};

#endif
