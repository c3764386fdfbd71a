// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/soak/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace lazult::tool {
namespace {

// What may rise within the last half: so much, and a share of its mean.
//
// Not the number of mapped stacks. There are as many as were ever in use at once, and as caches of
// streams may keep (which is bounded), and under a random load either comes to its most at any
// time: native's rose by 330 of 2600 in a quarter of an hour of a busy machine. Those that are free
// for all have one page of memory, until all is quiet, which counts as resident. What leaks is a
// stack that was taken and is not given back when nothing runs.
//
// Free memory goes back to the system in a quiet second, and such seconds come by chance on a busy
// machine. Then resident memory falls, and rises again when the load goes on. Threads that serve
// others, such as spare streams, start when they are needed and end when they have been idle. So
// what a figure has been before is no rise, where `returns` is set.
struct bound {
    const char* name;
    const char* unit;
    double soak_figures::* what;
    double absolute;
    double relative;
    bool returns = false;
};
constexpr std::array bounds{
    bound{"resident memory", "KiB", &soak_figures::rss_kib, 2048, 0.03, true},
    bound{"stacks taken", "stacks", &soak_figures::stacks_taken, 4, 0},
    bound{"units", "units", &soak_figures::units, 0.5, 0},
    bound{"open files", "files", &soak_figures::descriptors, 1, 0},
    bound{"mappings", "mappings", &soak_figures::mappings, 16, 0.03},
    bound{"OS threads", "threads", &soak_figures::threads, 1, 0, true},
};

bool is_in_last_half(const soak_figures& each, const std::vector<soak_figures>& all) {
    return each.seconds >= all.back().seconds / 2;
}

std::vector<soak_figures> last_half(const std::vector<soak_figures>& all) {
    std::vector<soak_figures> half;
    for (const soak_figures& each : all) {
        if (is_in_last_half(each, all)) {
            half.push_back(each);
        }
    }
    return half;
}

// The highest figure of the last half, less the highest before.
double rise_of_highest(const std::vector<soak_figures>& all, double soak_figures::* what) {
    double before = 0;
    double later = 0;
    for (const soak_figures& each : all) {
        double& highest = is_in_last_half(each, all) ? later : before;
        highest = std::max(highest, each.*what);
    }
    return later - before;
}

double rise_of(const std::vector<soak_figures>& all, const bound& judged) {
    const double rise = rise_of_last_half(all, judged.what);
    return judged.returns ? std::min(rise, rise_of_highest(all, judged.what)) : rise;
}

struct mean_point {
    double time = 0;
    double value = 0;
};
mean_point mean_of(const std::vector<soak_figures>& all, double soak_figures::* what) {
    mean_point mean;
    for (const soak_figures& each : all) {
        mean.time += each.seconds;
        mean.value += each.*what;
    }
    const auto count = static_cast<double>(all.size());
    return {mean.time / count, mean.value / count};
}

}  // namespace

std::optional<soak_figures> parse_figures(std::string_view line) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object() || !parsed.contains("load")) {
        return std::nullopt;
    }
    try {
        return soak_figures{
            parsed.at("load"),          parsed.at("pid"),          parsed.at("seconds"),
            parsed.at("rounds"),        parsed.at("operations"),   parsed.at("rss_kib"),
            parsed.at("stacks_mapped"), parsed.at("stacks_taken"), parsed.at("stacks_used"),
            parsed.at("units"),         parsed.at("descriptors"),  parsed.at("mappings"),
            parsed.at("threads"),       parsed.at("chaos")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

// Least squares.
double rise_of_last_half(const std::vector<soak_figures>& all, double soak_figures::* what) {
    constexpr std::size_t fewest = 4;
    if (all.size() < fewest) {
        return 0;
    }
    const std::vector<soak_figures> half = last_half(all);
    const mean_point mean = mean_of(half, what);
    double product = 0;
    double square = 0;
    for (const soak_figures& each : half) {
        product += (each.seconds - mean.time) * (each.*what - mean.value);
        square += (each.seconds - mean.time) * (each.seconds - mean.time);
    }
    return square == 0 ? 0 : product / square * (half.back().seconds - half.front().seconds);
}

std::string judge_memory(const std::vector<soak_figures>& all) {
    std::string bad;
    if (all.empty() || all.back().seconds < least_seconds) {
        return bad;
    }
    for (const bound& each : bounds) {
        const double rise = rise_of(all, each);
        const double allowed =
            each.absolute + each.relative * mean_of(last_half(all), each.what).value;
        if (rise > allowed) {
            bad += fmt::format("{}{} rose by {:.1f} {} in the last half, {:.1f} are allowed",
                               bad.empty() ? "" : "; ", each.name, rise, each.unit, allowed);
        }
    }
    return bad;
}

std::string_view memory_rule() noexcept {
    return "flat: a line through the last half of the time rises within it by at most 2 MiB + 3 % "
           "of resident memory, 1 OS thread (or the highest of these two is at most that above the "
           "highest before), 4 stacks that are not given back, 16 + 3 % of mappings, 1 open file "
           "and no unit, in each process";
}

}  // namespace lazult::tool
