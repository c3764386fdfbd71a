// SPDX-License-Identifier: BSD-3-Clause
// Every case over every runtime, round by round, so that a change of the machine's mood meets all
// of them alike.
#pragma once

#include <string>
#include <vector>

#include "tools/lazult/bench/openmp/runtimes.hpp"

namespace lazult::tool {

struct openmp_case {
    std::string name;
    std::string operation;
};

struct comparison_effort {
    unsigned threads = 2;
    unsigned rounds = 5;
    unsigned repetitions = 5;  // in each process
    double min_ms = 4;
};

// Of one contender in one case.
struct openmp_times {
    std::vector<double> rounds;  // ns for an operation: the median of a process's repetitions
    double threads_created = 0;  // OS threads for each iteration after the first, at most
};

struct openmp_row {
    openmp_case what;
    wait_policy policy;
    std::vector<openmp_times> times;  // in the order of the contenders; the first one's are ours
};

struct times_as_fast {
    double median;
    double least;
    double most;
};
// Ours against that peer, or in each round against the best of the peers that round.
times_as_fast against(const openmp_row& row, std::size_t peer);
times_as_fast against_best(const openmp_row& row);

std::vector<openmp_case> cases_of(const contender& who);
// Those named, or all. Throws usage_error.
std::vector<openmp_case> choose_cases(const std::vector<openmp_case>& all,
                                      const std::vector<std::string>& names);
std::vector<openmp_row> compare(const std::vector<contender>& all,
                                const std::vector<openmp_case>& cases,
                                const std::vector<wait_policy>& policies,
                                const comparison_effort& how);

}  // namespace lazult::tool
