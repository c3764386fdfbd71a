// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lazult/core/core.hpp"
#include "tools/lazult/bench/measure.hpp"

namespace CLI {
class App;
}

namespace lazult::tool {

enum class pool_kind : std::uint8_t { private_fifo, shared_fifo, work_stealing };
enum class join_kind : std::uint8_t { each, many };

std::string name(pool_kind kind);
std::string name(join_kind kind);

// As given on the command line; every list with several values makes several rows.
struct raw_options {
    std::vector<std::string> names;
    std::vector<std::string> techniques;
    std::vector<double> suspend;
    std::vector<std::uint64_t> n;
    std::vector<unsigned> streams;
    std::vector<std::string> pools{"private"};
    std::vector<std::string> joins{"each"};
    std::vector<double> phases;
    std::string stack_size;
    std::string state;
};

struct bench_options {
    raw_options raw;

    std::vector<core::technique> techniques;
    bool all_techniques = false;
    std::vector<pool_kind> pools;
    std::vector<join_kind> joins;
    bool child_first = false;
    std::uint64_t phase_length = 0;
    unsigned fib_n = 30;
    std::vector<std::uint64_t> inside{0, 20, 100};
    std::uint64_t outside = 0;
    double contend_ms = 50;
    std::uint64_t blocked = 0;
    std::optional<std::size_t> stack_size;
    unsigned wakes = 100;
    double idle_ms = 1000;

    effort how;
    std::string json_file;
    std::vector<std::string> compared_files;  // none, or two
    bool callgrind = false;
    bool isolated = false;

    std::vector<unsigned> streams_or(unsigned otherwise) const;
    std::uint64_t n_or(std::uint64_t otherwise) const {
        return raw.n.empty() ? otherwise : raw.n.front();
    }
    std::vector<double> suspend() const {
        return raw.suspend.empty() ? std::vector<double>{0} : raw.suspend;
    }
};

void declare(CLI::App& bench, bench_options& options);
// Turns words into values. Throws usage_error.
void interpret(bench_options& options);

// All that were asked for but run_to_completion; throws usage_error when that was asked for by
// name.
std::vector<core::technique> techniques_that_wait(const bench_options& options,
                                                  const char* benchmark);

// Of the process, but for the streams: what a configuration starts from.
base::settings settings_with(unsigned streams);

}  // namespace lazult::tool
