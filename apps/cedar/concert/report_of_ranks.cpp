// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/report_of_ranks.hpp"

#include "apps/cedar/report.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cstdlib>
#include <numeric>

namespace cedar {
namespace {

constexpr std::array<const char*, std::tuple_size_v<counter_sums>> counter_names{
    "contexts", "heap_calls", "fallbacks",    "taken",      "restarts",    "foreign",
    "sent",     "served",     "served_later", "cache_hits", "cache_misses"};

std::string variable(const char* name, const char* otherwise) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables
    const char* const text = std::getenv(name);
    return text == nullptr || *text == 0 ? otherwise : text;
}

double seconds_waited(const findings& found) { return found.seconds_of_steps - found.times.sum(); }

// All others start phases, and say that they have ended.
std::uint64_t messages_of_cells(const traffic& of) {
    return 2 * std::reduce(of.calls.begin(), of.calls.end());
}

std::string table_of_messages(const findings_of_ranks& found, double steps) {
    std::string text =
        fmt::format("{:<14} {:>15} {:>13}\n", "phase", "messages a step", "KiB a step");
    for (std::size_t each = 0; each < phases; ++each) {
        if (found.calls.calls[each] > 0) {
            text += fmt::format("{:<14} {:>15.1f} {:>13.1f}\n", phase_names[each],
                                2 * static_cast<double>(found.calls.calls[each]) / steps,
                                static_cast<double>(found.calls.bytes[each]) / 1024 / steps);
        }
    }
    const auto starts = static_cast<double>(found.messages - messages_of_cells(found.calls));
    return text + fmt::format("{:<14} {:>15.1f}\n{:<14} {:>15.1f}, in {:.1f} packets\n",
                              "phases start", starts / steps, "all",
                              static_cast<double>(found.messages) / steps,
                              static_cast<double>(found.packets) / steps);
}

}  // namespace

counter_sums sum_of_counters() {
    const auto mine = std::bit_cast<counter_sums>(lazult::concert::count_methods());
    counter_sums sums{};
    MPI_Reduce(mine.data(), sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T, MPI_SUM, 0,
               MPI_COMM_WORLD);
    return sums;
}

std::string describe(const request& wanted, const findings_of_ranks& found,
                     const counter_sums& counters) {
    std::string text = describe(wanted, found.found);
    text += fmt::format("of a step the ranks waited {:.3f} ms for each other\n\n",
                        1000 * seconds_waited(found.found) / wanted.steps);
    if (wanted.forces.owners > 1) {
        text += fmt::format("{} times an atom went to another rank\n\n", found.arrivals) +
                table_of_messages(found, wanted.steps) + "\n";
    }
    for (std::size_t each = 0; each < counters.size(); ++each) {
        text += fmt::format("{:<13} {}\n", counter_names[each], counters[each]);
    }
    return text;
}

nlohmann::json to_json(const request& wanted, const findings_of_ranks& found,
                       const counter_sums& counters) {
    nlohmann::json result = to_json(wanted, found.found);
    result["ranks"] = wanted.forces.owners;
    result["calls"] = variable("LAZULT_CONCERT_CALLS", "stack");
    result["scheme"] = variable("LAZULT_CONCERT_SCHEME", "pull");
    result["seconds"]["wait"] = seconds_waited(found.found);
    for (std::size_t each = 0; each < phases; ++each) {
        result["traffic"][phase_names[each]] = {{"messages", 2 * found.calls.calls[each]},
                                                {"bytes", found.calls.bytes[each]}};
    }
    result["arrivals"] = found.arrivals;
    result["messages"] = found.messages;
    result["packets"] = found.packets;
    for (std::size_t each = 0; each < counters.size(); ++each) {
        result["counters"][counter_names[each]] = counters[each];
    }
    return result;
}

}  // namespace cedar
