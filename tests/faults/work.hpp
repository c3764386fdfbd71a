// SPDX-License-Identifier: BSD-3-Clause
// Something of everything that programs do with threads, for the programs that disturb it.
#pragma once

#include <lazult/lazult.hpp>

#include <vector>

namespace lazult::faults {

inline constexpr technique techniques[] = {
    technique::full,
    technique::lazy_stack,
    technique::return_on_completion,
    technique::stack_separation,
    technique::scheduler_creation,
    technique::run_to_completion,
    technique::adaptive,
};

// A tree of threads with inner nodes that suspend. Returns the number of its leaves.
inline int leaves_of_tree(technique how, int depth) {
    if (depth == 0) {
        return 1;
    }
    const bool is_tasklet = how == technique::run_to_completion;  // it may not join
    int sums[3] = {};
    {
        std::vector<thread> children;
        for (int i = 0; i < 3; ++i) {
            children.emplace_back(
                thread_attributes{.how = is_tasklet && depth > 1 ? technique::full : how},
                [=, &sum = sums[i]] { sum = leaves_of_tree(how, depth - 1); });
        }
        this_thread::yield();
        for (thread& child : children) {
            child.join();
        }
    }
    return sums[0] + sums[1] + sums[2];
}

// 0 when all techniques get it right, so many times.
inline int work(int rounds = 1) {
    for (int round = 0; round < rounds; ++round) {
        for (const technique how : techniques) {
            if (leaves_of_tree(how, 4) != 81) {
                return 1;
            }
        }
    }
    return 0;
}

}  // namespace lazult::faults
