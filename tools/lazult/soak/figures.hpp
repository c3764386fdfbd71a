// SPDX-License-Identifier: BSD-3-Clause
// What the programs of `lazult soak` say of themselves, and whether their memory stays flat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::tool {

// One line: of one process at one moment, when nothing of the program's ran.
struct soak_figures {
    std::string load;
    int pid = 0;
    double seconds = 0;
    std::uint64_t rounds = 0;
    std::uint64_t operations = 0;
    double rss_kib = 0;
    double stacks_mapped = 0;
    double stacks_taken = 0;  // from caches, and not given back
    double stacks_used = 0;   // by units
    double units = 0;
    double descriptors = 0;  // open files
    double mappings = 0;
    double threads = 0;
    bool chaos = false;
};

// Nothing for a line that is none.
std::optional<soak_figures> parse_figures(std::string_view line);

// By how much a line through the figures of the last half of the time rises within that half; 0 of
// fewer than four.
double rise_of_last_half(const std::vector<soak_figures>& all, double soak_figures::* what);

// What rises more than it may, in words; empty where memory stays flat. Below `least_seconds`
// nobody can tell: the first rounds fill caches.
inline constexpr double least_seconds = 30;
std::string judge_memory(const std::vector<soak_figures>& all);
// The rule, in words.
std::string_view memory_rule() noexcept;

}  // namespace lazult::tool
