// SPDX-License-Identifier: BSD-3-Clause
#include "bench/concert/plan.hpp"
#include "bench/concert/simulated.hpp"

#include <random>

namespace lazult::bench {
namespace {

constexpr double mean_delay_ns = 13'200;  // the paper's
constexpr double deviation = 0.5;         // in means: ours
constexpr unsigned sends = 200;
constexpr unsigned first_that_counts = 50;

// What a rank's sends cost on average; 0: it sends nothing.
double send_all(concert::simulated_rank& me, const std::string& pattern, std::size_t bytes) {
    if (pattern == "alone" && me.rank() != 0) {
        return 0;
    }
    std::mt19937_64 generator(static_cast<std::uint64_t>(me.rank()) + 1);
    targets to(pattern, me.rank(), me.size());
    delays computing(mean_delay_ns, deviation);
    double sum = 0;
    for (unsigned i = 0; i < sends; ++i) {
        const double cost = me.send(to.next(generator), bytes);
        sum += i >= first_that_counts ? cost : 0;
        me.extract();
        concert::spend(computing.next(generator));
    }
    return sum / (sends - first_that_counts);
}

double source_us(const concert::machine& on, int ranks, bool pulls, const std::string& pattern,
                 std::size_t bytes) {
    std::vector<double> of_rank(static_cast<std::size_t>(ranks));
    concert::simulate(on, ranks, {true, pulls}, [&](concert::simulated_rank& me) {
        of_rank[static_cast<std::size_t>(me.rank())] = send_all(me, pattern, bytes);
    });
    double inverse = 0;
    unsigned senders = 0;
    for (const double each : of_rank) {
        if (each > 0) {
            inverse += 1000 / each;
            ++senders;
        }
    }
    return senders / inverse;
}

}  // namespace

std::vector<source_row> simulate_fig10(const concert::machine& on, const simulated_grid& grid,
                                       const progress& told) {
    const std::vector<std::string> patterns{"alone",    "all-to-all", "random",
                                            "hotspot4", "hotspot16",  "all-to-one"};
    const std::vector<std::string> schemes{"push", "pull"};
    std::vector<source_row> rows;
    for (const std::string& scheme : schemes) {
        for (const std::string& pattern : patterns) {
            for (const std::size_t bytes : grid.bytes) {
                rows.push_back({scheme, pattern, bytes,
                                source_us(on, grid.ranks, scheme == "pull", pattern, bytes)});
                told(100 * static_cast<double>(rows.size()) /
                     static_cast<double>(schemes.size() * patterns.size() * grid.bytes.size()));
            }
        }
    }
    return rows;
}

}  // namespace lazult::bench
