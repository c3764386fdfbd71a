// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/simulated.hpp"

#include "apps/cedar/concert/rank_share.hpp"
#include "apps/cedar/concert/run_over_ranks.hpp"
#include "apps/cedar/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace cedar {
namespace {

namespace concert = lazult::concert;

struct beginning {
    request wanted;
    assembly system;
    findings prepared;
};

struct row {
    const char* version;
    int ranks;
    findings_of_ranks found;
    concert::rank_report all;  // of the whole run

    double elapsed_ns() const { return 1e9 * found.found.seconds_of_steps; }
};

// One for each simulated rank, as one rank of MPI has its own.
std::vector<std::unique_ptr<rank_share>> make_shares(const beginning& from, int ranks) {
    force_settings forces = from.wanted.forces;
    forces.owners = static_cast<unsigned>(ranks);
    std::vector<std::unique_ptr<rank_share>> shares;
    shares.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        shares.push_back(std::make_unique<rank_share>(from.system, forces, from.wanted.dynamics,
                                                      static_cast<owner>(rank)));
    }
    return shares;
}

row run_on(const concert::machine& costs, const beginning& from,
           const simulated_ranks::named_version& version, int ranks) {
    const auto shares = make_shares(from, ranks);
    std::vector<rank_share*> by_rank;
    by_rank.reserve(shares.size());
    for (const auto& each : shares) {
        by_rank.push_back(each.get());
    }
    const share_in_use used(by_rank);
    row made{version.name, ranks, {}, {}};
    const auto direct = [&](concert::simulated_rank& me) {
        if (me.rank() != 0) {
            return;  // it serves until all are done
        }
        made.found = run_over_ranks(from.wanted, from.system.box_edge, from.prepared,
                                    [&] { return me.now_ns() / 1e9; });
    };
    made.all = concert::simulate(costs, ranks, version.how, direct).sum;
    return made;
}

bool is_same(const observation& a, const observation& b) {
    return a.potential.of == b.potential.of && a.kinetic == b.kinetic &&
           a.temperature == b.temperature;
}

// Each number to its last bit.
void check_equal(const findings& plain, const row& made) {
    const findings& found = made.found.found;
    if (found.checksum != plain.checksum || !is_same(found.first, plain.first) ||
        !is_same(found.last, plain.last) || found.renewals != plain.renewals) {
        throw std::runtime_error(
            fmt::format("{} on {} simulated ranks moves the atoms in another way than iccedar: "
                        "checksum {:016x}, not {:016x}",
                        made.version, made.ranks, found.checksum, plain.checksum));
    }
}

// The paper's scale: how much the ranks of the smallest run compute, if they shared it evenly.
double baseline_ns(const std::vector<row>& rows) {
    const row* least = &rows.front();
    for (const row& each : rows) {
        least = each.ranks < least->ranks ? &each : least;
    }
    return least->found.computed.spent_ns();
}

double speedup_of(const std::vector<row>& rows, const row& of) {
    return baseline_ns(rows) / of.elapsed_ns();
}

nlohmann::json json_of(const std::vector<row>& rows) {
    nlohmann::json all = nlohmann::json::array();
    for (const row& each : rows) {
        nlohmann::json counts;
        for (std::size_t kind = 0; kind < kinds_of_computing; ++kind) {
            counts[computing_names[kind]] = each.found.computed.counts()[kind];
        }
        all.push_back({{"version", each.version},
                       {"ranks", each.ranks},
                       {"elapsed_us", each.elapsed_ns() / 1000},
                       {"computed_us", each.found.computed.spent_ns() / 1000},
                       {"most_computed_us", each.found.most_computed_ns / 1000},
                       {"speedup", speedup_of(rows, each)},
                       {"computed", counts},
                       {"renewals", each.found.found.renewals},
                       {"checksum", fmt::format("{:016x}", each.found.found.checksum)},
                       {"energy", each.found.found.last.total()},
                       {"messages", each.all.sent},
                       {"bytes", each.all.bytes},
                       {"contexts", each.all.methods.contexts},
                       {"fallbacks", each.all.methods.fallbacks}});
    }
    return all;
}

void print(const std::vector<row>& rows, const findings& plain) {
    fmt::print("{:<12} {:>5} {:>12} {:>9} {:>10} {:>10}\n", "version", "ranks", "virtual ms",
               "speed-up", "messages", "contexts");
    for (const row& each : rows) {
        fmt::print("{:<12} {:>5} {:>12.3f} {:>9.2f} {:>10} {:>10}\n", each.version, each.ranks,
                   each.elapsed_ns() / 1e6, speedup_of(rows, each), each.all.sent,
                   each.all.methods.contexts);
    }
    fmt::print(
        "speed-up 1 is all computing of the fewest ranks on one; each run has moved the "
        "atoms as iccedar does, checksum {:016x}\n",
        plain.checksum);
}

// What the plain program does from here.
findings run_plain(const beginning& from) {
    findings found = from.prepared;
    simulation dynamics(from.system, from.wanted.forces, from.wanted.dynamics);
    for (unsigned step = 0; step < from.wanted.steps; ++step) {
        note(dynamics.step(), step, found);
    }
    conclude(dynamics, from.system.box_edge, found);
    return found;
}

std::vector<row> run_all(const concert::machine& costs, const beginning& from,
                         const std::vector<int>& numbers, const findings& plain) {
    std::vector<row> rows;
    const std::size_t count = numbers.size() * simulated_ranks::versions.size();
    for (const int ranks : numbers) {
        for (const simulated_ranks::named_version& version : simulated_ranks::versions) {
            fmt::print(stderr, "iccedar-concert: run {} of {}: {} on {} simulated ranks\n",
                       rows.size() + 1, count, version.name, ranks);
            rows.push_back(run_on(costs, from, version, ranks));
            check_equal(plain, rows.back());
        }
    }
    return rows;
}

}  // namespace

void simulate(const arguments& given, const simulated_ranks::request& how) {
    const concert::machine costs = simulated_ranks::machine_of(how);
    set_slowness(how.slower);
    beginning from{request_of(given), {}, {}};
    from.system = prepare(from.wanted, from.prepared);
    const findings plain = run_plain(from);
    const std::vector<row> rows = run_all(costs, from, how.ranks, plain);
    print(rows, plain);
    if (!given.json.empty()) {
        write_json(given.json, {{"what", "iccedar"},
                                {"machine", how.machine},
                                {"slower", how.slower},
                                {"steps", from.wanted.steps},
                                {"rows", json_of(rows)}});
    }
}

}  // namespace cedar
