// SPDX-License-Identifier: BSD-3-Clause
// Which variants run with which settings, how often, and what came out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kmeans/variant.hpp"

namespace kmeans {

struct plan {
    std::vector<variant> variants;
    std::vector<std::size_t> locks;
    std::vector<std::size_t> blocks;
    settings common;  // its locks and block are replaced by each of the above
    std::size_t repetitions;
};

struct spread {
    double median;
    double min;
    double max;
};
spread summarise(std::vector<double> values);

// One variant with one choice of settings.
struct configuration {
    variant of;
    settings with;
};
std::vector<configuration> configurations(const plan& of);

struct outcome {
    configuration what;
    std::vector<double> points_per_second;  // one to each repetition
    std::vector<double> suspend_percent;    // the same, or empty where the runtime does not count
    std::uint64_t units_created = 0;        // in the last repetition
    std::size_t mismatches = 0;             // runs with another result than the sequential one
};

struct experiment {
    result expected;
    std::vector<outcome> outcomes;

    bool all_match() const;
};

using progress_function =
    std::function<void(std::size_t done, std::size_t total, const std::string& variant)>;

// Repetition by repetition over all configurations, so that a change of the machine's mood meets
// all of them alike; one repetition before the first warms up and is only checked. Each repetition
// has an order of its own, drawn by the seed.
experiment conduct(const problem& of, const plan& as, const progress_function& progress);

}  // namespace kmeans
