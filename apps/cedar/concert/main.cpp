// SPDX-License-Identifier: BSD-3-Clause
// IC-Cedar over the ranks of MPI, by methods of Concert.
#include "apps/cedar/command_line.hpp"
#include "apps/cedar/concert/rank_share.hpp"
#include "apps/cedar/concert/report_of_ranks.hpp"
#include "apps/cedar/concert/simulated.hpp"
#include "apps/cedar/report.hpp"
#include "apps/common/simulated_options.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <lazult/lazult.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

namespace concert = lazult::concert;

// Collective. Every rank does the work; if it throws on any, all learn of it. Then this returns
// false, and the first of the ranks on which it threw has said why.
template <typename Work>
bool all_succeed(const Work& work) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::optional<std::string> error;
    try {
        work();
    } catch (const std::exception& caught) {
        error = caught.what();
    }
    const int mine = error ? rank : ranks;
    int first = ranks;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) {
        fmt::print(stderr, "iccedar-concert: {}\n", *error);
    }
    return first == ranks;
}

// The first rank looks for the positions to begin from. The others get them.
struct preparation {
    cedar::assembly system;
    cedar::findings found;

    bool run(const cedar::request& wanted) {
        const bool is_first = concert_rank() == 0;
        const bool is_made = all_succeed([&] {
            if (is_first) {
                system = prepare(wanted, found);
            } else {
                system = assemble(wanted.chain, wanted.waters, wanted.waters_seed);
            }
        });
        if (is_made) {
            MPI_Bcast(system.positions.data(), static_cast<int>(3 * system.positions.size()),
                      MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
        return is_made;
    }
};

// On the first rank: the others serve. What goes wrong on a rank comes as an exception.
bool direct(const cedar::request& wanted, const preparation& from,
            std::optional<cedar::findings_of_ranks>& found) {
    try {
        found = run_over_ranks(wanted, from.system.box_edge, from.found);
        return true;
    } catch (const std::exception& error) {
        fmt::print(stderr, "iccedar-concert: {}\n", error.what());
        return false;
    }
}

struct result {
    bool is_done = false;                           // all that this rank had to do
    std::optional<cedar::findings_of_ranks> found;  // on the first rank
    cedar::counter_sums counters{};
};

// Collective.
result simulate(cedar::request& wanted) {
    concert::session world;
    wanted.forces.owners = static_cast<unsigned>(world.size());
    preparation from;
    std::optional<cedar::rank_share> mine;
    const bool is_ready = from.run(wanted) && all_succeed([&] {
                              mine.emplace(from.system, wanted.forces, wanted.dynamics,
                                           static_cast<cedar::owner>(world.rank()));
                          });
    result of;
    if (is_ready) {
        const cedar::share_in_use used(*mine);
        of.is_done = world.rank() != 0 || direct(wanted, from, of.found);
        world.quiesce();  // here the other ranks serve
        of.counters = cedar::sum_of_counters();
    }
    return of;
}

bool run(const cedar::arguments& given) {
    cedar::request wanted = request_of(given);
    lazult::options options;
    options.streams = 1;
    const lazult::runtime streams(options);
    const result of = simulate(wanted);
    if (of.found) {
        fmt::print("{}", describe(wanted, *of.found, of.counters));
        if (!given.json.empty()) {
            cedar::write_json(given.json, to_json(wanted, *of.found, of.counters));
        }
    }
    return of.is_done;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Molecular dynamics over the ranks of MPI: each rank is the owner of some cells");
    cedar::arguments given;
    cedar::declare(app, given);
    simulated_ranks::request simulated;
    simulated.ranks = {8, 16, 32, 64, 128};
    simulated_ranks::declare(app, simulated);
    try {
        app.parse(argc, argv);
        if (!simulated.machine.empty()) {
            cedar::simulate(given, simulated);
            return 0;
        }
        return run(given) ? 0 : 2;
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "iccedar-concert: {}\n", error.what());
        return 2;
    }
}
