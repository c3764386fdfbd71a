// SPDX-License-Identifier: BSD-3-Clause
// What all benchmarks share: a configuration is one row of the result; its repetitions are
// interleaved with those of all other rows, so that a change of the machine's mood meets all of
// them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lazult/base/base.hpp"

namespace lazult::tool {

// What else describes a configuration: it goes into the table's last column, and becomes fields in
// JSON.
using detail = std::variant<bool, std::uint64_t, double, std::string, std::vector<double>>;
using details = std::vector<std::pair<std::string, detail>>;

// What one repetition found.
struct sample {
    double value = 0;   // per operation, in the configuration's unit
    double cycles = 0;  // TSC cycles per operation; 0 where they mean nothing
    double elapsed_ns = 0;
    double operations = 0;
    std::vector<std::pair<std::string, double>> extras;  // reported as medians
};

struct configuration {
    std::string benchmark;
    std::string technique = "none";
    double suspend_percent = 0;
    unsigned streams = 1;
    std::string unit = "ns";
    tool::details details;
    base::settings settings = base::current_settings();  // in force while it runs

    std::function<sample(std::uint64_t iterations)> run;
    bool calibrated = true;  // else run() decides itself how long it takes
    // Each repetition in a fresh process, given these arguments: what it measures is there only
    // once in a process.
    std::vector<std::string> isolated_arguments;
};

struct measurement {
    configuration what;
    std::vector<sample> samples;
};

struct effort {
    unsigned repetitions = 10;
    double min_ms = 5;
    std::uint64_t iterations = 0;  // 0: as many as fill min_ms
};

// One round is discarded, then each gives `repetitions` samples.
std::vector<measurement> measure_all(std::vector<configuration> all, const effort& how);

// How many iterations take so long.
std::uint64_t calibrate(const std::function<sample(std::uint64_t iterations)>& run, double min_ns);

// Each once, with a fixed number of iterations and nothing else, for counters of instructions.
// Returns the operations.
double run_once(const configuration& what, std::uint64_t iterations);

// A check that must hold in release builds, on any stack: what would be measured otherwise is
// nothing.
inline void require(bool condition, const char* what) noexcept {
    if (!condition) LAZULT_UNLIKELY {
        base::fatal_misuse("bench", what, "this is an error in Lazult: please report it");
    }
}

inline void require_memory(const void* got) noexcept {
    if (got == nullptr) LAZULT_UNLIKELY {
        base::fatal_misuse("bench", "memory is exhausted",
                           "lower --n or --stack-size, or raise vm.max_map_count");
    }
}

}  // namespace lazult::tool
