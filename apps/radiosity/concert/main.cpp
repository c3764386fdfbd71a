// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical radiosity over the ranks of MPI, by methods of Concert.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <array>
#include <bit>
#include <cstdlib>
#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/common/simulated_options.hpp"
#include "apps/radiosity/command_line.hpp"
#include "apps/radiosity/concert/replica.hpp"
#include "apps/radiosity/concert/simulated.hpp"
#include "apps/radiosity/concert/solve_over_ranks.hpp"
#include "apps/radiosity/report.hpp"
#include "apps/radiosity/run.hpp"
#include "apps/radiosity/scene.hpp"

namespace {

namespace concert = lazult::concert;

constexpr std::size_t counter_count = sizeof(concert::method_counters) / sizeof(std::uint64_t);
constexpr std::array<const char*, counter_count> counter_names{
    "contexts", "heap_calls", "fallbacks",    "taken",      "restarts",    "foreign",
    "sent",     "served",     "served_later", "cache_hits", "cache_misses"};
using counter_sums = std::array<std::uint64_t, counter_count>;

// Collective. Over all ranks, on the first of them.
counter_sums sum_of_counters() {
    const auto mine = std::bit_cast<counter_sums>(concert::count_methods());
    counter_sums sums{};
    MPI_Reduce(mine.data(), sums.data(), static_cast<int>(counter_count), MPI_UINT64_T, MPI_SUM, 0,
               MPI_COMM_WORLD);
    return sums;
}

std::string variable(const char* name, const char* otherwise) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables
    const char* const text = std::getenv(name);
    return text == nullptr || *text == 0 ? otherwise : text;
}

// Which of Concert's versions runs.
std::string version() {
    return fmt::format("concert, ranks {}, calls {}, scheme {}", concert_size(),
                       variable("LAZULT_CONCERT_CALLS", "stack"),
                       variable("LAZULT_CONCERT_SCHEME", "pull"));
}

double emitted_by(const std::vector<radiosity::record>& patches) {
    double emitted = 0;
    for (const radiosity::record& each : patches) {
        emitted += each.area * sum(each.emittance);
    }
    return emitted;
}

// On the first rank: the others serve.
radiosity::report direct(const radiosity::request& given) {
    const double start = radiosity::now_in_seconds();
    const radiosity::element_array roots = radiosity::make_roots();
    const double model_seconds = radiosity::now_in_seconds() - start;
    const radiosity::outcome found = radiosity::solve_over_ranks(roots, given.with);
    const radiosity::tree_count counted = radiosity::count(roots);
    radiosity::end_roots(roots);
    return {given.scene,     version(),
            given.with,      roots.size(),
            model_seconds,   found,
            counted.counted, {emitted_by(radiosity::replica_here().patches), counted.absorbed}};
}

struct result {
    radiosity::report measured;
    counter_sums counters;
    int ranks;
};

// Collective. The result is on the first rank.
std::optional<result> solve(const radiosity::request& given) {
    const radiosity::replica mine(radiosity::make_scene(given.scene), given.with.within);
    const radiosity::replica_in_use used(mine);
    lazult::options options;
    options.streams = static_cast<int>(given.with.workers);
    const lazult::runtime streams(options);
    concert::session world;
    std::optional<radiosity::report> measured;
    if (world.rank() == 0) {
        measured = direct(given);
    }
    world.quiesce();  // here the other ranks serve
    const counter_sums counters = sum_of_counters();
    if (!measured) {
        return std::nullopt;
    }
    return result{*measured, counters, world.size()};
}

void print(const result& of) {
    fmt::print("{}", radiosity::describe(of.measured));
    for (std::size_t i = 0; i < counter_count; ++i) {
        fmt::print("{:<13} {}\n", counter_names[i], of.counters[i]);
    }
}

void write_json(const result& of, const std::string& file) {
    nlohmann::json counters;
    for (std::size_t i = 0; i < counter_count; ++i) {
        counters[counter_names[i]] = of.counters[i];
    }
    nlohmann::json all = radiosity::to_json(of.measured);
    all["counters"] = counters;
    all["ranks"] = of.ranks;
    radiosity::write_json(all, file);
}

void run(const radiosity::request& given) {
    radiosity::check(given.with);
    if (const std::optional<result> found = solve(given)) {
        print(*found);
        if (!given.json.empty()) {
            write_json(*found, given.json);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("hierarchical radiosity over the ranks of MPI");
    radiosity::request given;
    radiosity::declare_request(app, given, "execution streams of each rank", 64);
    simulated_ranks::request simulated;
    simulated.ranks = {1, 2, 4, 8, 16, 32};
    simulated_ranks::declare(app, simulated);
    return radiosity::parse_and_run(app, argc, argv, "radiosity-concert", [&] {
        if (simulated.machine.empty()) {
            run(given);
        } else {
            radiosity::simulate(given, simulated);
        }
    });
}
