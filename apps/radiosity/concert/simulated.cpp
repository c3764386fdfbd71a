// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/simulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <lazult_concert_simulation.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/radiosity/concert/replica.hpp"
#include "apps/radiosity/concert/simulated_time.hpp"
#include "apps/radiosity/concert/solve_over_ranks.hpp"
#include "apps/radiosity/report.hpp"
#include "apps/radiosity/scene.hpp"

namespace radiosity {
namespace {

namespace concert = lazult::concert;

struct row {
    const char* version;
    int ranks;
    double elapsed_ns;  // of the iterations
    outcome found;
    concert::rank_report all;  // of the whole run
};

row run_on(const concert::machine& costs, const settings& with,
           const simulated_ranks::named_version& version, int ranks) {
    row made{version.name, ranks, 0, {}, {}};
    const auto direct = [&](concert::simulated_rank& me) {
        if (me.rank() != 0) {
            return;  // it serves until all are done
        }
        const element_array roots = make_roots();
        const double began = me.now_ns();
        made.found = solve_over_ranks(roots, with);
        made.elapsed_ns = me.now_ns() - began;
        end_roots(roots);
    };
    made.all = concert::simulate(costs, ranks, version.how, direct).sum;
    return made;
}

// The fastest run on one rank, which all speed-ups refer to.
double fastest_alone(const std::vector<row>& rows) {
    double least = 0;
    for (const row& each : rows) {
        if (each.ranks == 1 && (least == 0 || each.elapsed_ns < least)) {
            least = each.elapsed_ns;
        }
    }
    return least;
}

nlohmann::json json_of(const std::vector<row>& rows) {
    nlohmann::json all = nlohmann::json::array();
    const double alone = fastest_alone(rows);
    for (const row& each : rows) {
        nlohmann::json one{{"version", each.version},
                           {"ranks", each.ranks},
                           {"elapsed_us", each.elapsed_ns / 1000},
                           {"computed_us", each.all.spent_ns / 1000},
                           {"iterations", each.found.iterations},
                           {"energy", each.found.energy},
                           {"messages", each.all.sent},
                           {"bytes", each.all.bytes},
                           {"contexts", each.all.methods.contexts},
                           {"fallbacks", each.all.methods.fallbacks}};
        if (alone > 0) {
            one["speedup"] = alone / each.elapsed_ns;
        }
        all.push_back(std::move(one));
    }
    return all;
}

void print(const std::vector<row>& rows) {
    const double alone = fastest_alone(rows);
    fmt::print("{:<12} {:>5} {:>12} {:>9} {:>10} {:>10}\n", "version", "ranks", "virtual ms",
               "speed-up", "messages", "contexts");
    for (const row& each : rows) {
        const std::string speedup =
            alone > 0 ? fmt::format("{:.2f}", alone / each.elapsed_ns) : "-";
        fmt::print("{:<12} {:>5} {:>12.3f} {:>9} {:>10} {:>10}\n", each.version, each.ranks,
                   each.elapsed_ns / 1e6, speedup, each.all.sent, each.all.methods.contexts);
    }
}

}  // namespace

void simulate(const request& given, const simulated_ranks::request& how) {
    const concert::machine costs = simulated_ranks::machine_of(how);
    set_simulated_slowness(how.slower);
    const replica mine(make_scene(given.scene), given.with.within);
    const replica_in_use used(mine);
    std::vector<row> rows;
    const std::size_t count = how.ranks.size() * simulated_ranks::versions.size();
    for (const int ranks : how.ranks) {
        for (const simulated_ranks::named_version& version : simulated_ranks::versions) {
            fmt::print(stderr, "radiosity-concert: run {} of {}: {} on {} simulated ranks\n",
                       rows.size() + 1, count, version.name, ranks);
            rows.push_back(run_on(costs, given.with, version, ranks));
        }
    }
    print(rows);
    if (!given.json.empty()) {
        write_json({{"what", "radiosity"},
                    {"machine", how.machine},
                    {"scene", given.scene},
                    {"slower", how.slower},
                    {"rows", json_of(rows)}},
                   given.json);
    }
}

}  // namespace radiosity
