// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace ioservice {
namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

// The service of one run, with its store and the streams of its own.
class running_service {
public:
    running_service(const plan& as, const mode& which, ABT_pool pool, expected_stamps& expected,
                    unsigned seed)
        : store_(as.folder, settings(as, which)), service_(store_) {
        if (which.by == servers::os_threads) {
            service_.start_os_threads(as.servers);
        } else if (which.by == servers::shared_streams) {
            service_.start_ults(pool, as.servers);
        } else {
            service_.start_ults(own_.emplace(as.service_streams).pool(), as.servers);
        }
        clients_.emplace(service_, as.load, expected, seed);
    }

    load_result stop() {
        load_result found = clients_->stop();
        store_.close();
        return found;
    }

private:
    static store_settings settings(const plan& as, const mode& which) {
        return {as.direct, as.sync, which.suspends ? &suspending_calls() : &plain_calls()};
    }

    store store_;
    std::optional<streams> own_;
    service service_;
    std::optional<clients> clients_;
};

void compute(const plan& as, ABT_pool pool, stencil& grid, run_result& into) {
    const clock_type::time_point start = clock_type::now();
    for (int i = 0; i < as.steps; ++i) {
        const clock_type::time_point began = clock_type::now();
        grid.step(pool, as.tasks);
        into.step_ms.push_back(seconds_since(began) * 1e3);
    }
    into.seconds = seconds_since(start);
}

void must_be_right(const run_result& done, const mode& which) {
    if (!done.load.error.empty()) {
        throw std::runtime_error(done.load.error);
    }
    if (done.load.wrong != 0) {
        throw std::runtime_error(fmt::format("mode {}: {} answers of the service are wrong",
                                             which.name, done.load.wrong));
    }
    if (!done.is_grid_right) {
        throw std::runtime_error(fmt::format("mode {}: the grid is wrong", which.name));
    }
}

run_result run(const plan& as, const mode& which, ABT_pool pool, const stencil& expected_grid,
               expected_stamps& expected, int round) {
    run_result done;
    stencil grid(as.grid);
    std::optional<running_service> beside;
    if (which.by != servers::none) {
        beside.emplace(as, which, pool, expected, static_cast<unsigned>(round));
    }
    {
        const unit computation(pool, [&] { compute(as, pool, grid, done); });
    }
    if (beside) {
        done.load = beside->stop();
    }
    done.is_grid_right = grid == expected_grid;
    must_be_right(done, which);
    return done;
}

stencil computed_alone(const plan& as) {
    stencil grid(as.grid);
    for (int i = 0; i < as.steps; ++i) {
        grid.step();
    }
    return grid;
}

expected_stamps fill_store(const plan& as) {
    store filled(as.folder, {as.direct, as.sync, &plain_calls()});
    expected_stamps found = prepare(filled, as.load);
    filled.close();
    return found;
}

}  // namespace

std::vector<mode> all_modes() {
    std::vector<mode> all{
        {"off", "no service", servers::none, false},
        {"threads", "OS threads, plain calls", servers::os_threads, false},
        {"private-plain", "ULTs on streams of their own, plain calls", servers::own_streams, false},
        {"shared-plain", "ULTs on the computation's streams, plain calls", servers::shared_streams,
         false}};
    if (can_suspend()) {
        all.push_back({"private", "ULTs on streams of their own, calls that suspend",
                       servers::own_streams, true});
        all.push_back({"shared", "ULTs on the computation's streams, calls that suspend",
                       servers::shared_streams, true});
    }
    return all;
}

mode mode_named(const std::string& name) {
    std::string names;
    for (const mode& each : all_modes()) {
        if (each.name == name) {
            return each;
        }
        names += (names.empty() ? "" : ", ") + each.name;
    }
    throw std::invalid_argument(fmt::format("there is no mode '{}'; there are {}", name, names));
}

void check(const plan& of) {
    if (of.load.put_percent + of.load.erase_percent > 100) {
        throw std::invalid_argument("--puts and --deletes: more than 100 percent");
    }
    if (of.load.keys < static_cast<std::uint64_t>(of.load.clients)) {
        throw std::invalid_argument("--keys: each client needs one");
    }
}

std::vector<outcome> conduct(const plan& as, ABT_pool pool,
                             const std::function<void(int round, const mode&)>& progress) {
    const stencil expected_grid = computed_alone(as);
    expected_stamps expected = fill_store(as);
    std::vector<outcome> all;
    for (const mode& each : as.modes) {
        all.push_back({each, {}});
    }
    // Each round begins with another mode. Round 0 warms up.
    for (int round = 0; round <= as.rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            outcome& next = all[(i + static_cast<std::size_t>(round)) % all.size()];
            progress(round, next.of);
            run_result done = run(as, next.of, pool, expected_grid, expected, round);
            if (round != 0) {
                next.rounds.push_back(std::move(done));
            }
        }
    }
    return all;
}

}  // namespace ioservice
