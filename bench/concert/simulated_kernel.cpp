// SPDX-License-Identifier: BSD-3-Clause
#include "bench/concert/kernel_program.hpp"
#include "bench/concert/simulated.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace lazult::bench {
namespace {

// A step of the plan is a nanosecond.
constexpr double step_ns = 1;

kernel_work work_of(const std::vector<kernel_state>& ranks,
                    const std::vector<std::uint64_t>& accesses) {
    kernel_work done;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const kernel_state& each = ranks[rank];
        done.threads += each.ended;
        done.result += each.result;
        done.accesses += accesses[rank];
        done.hottest_accesses = std::max(done.hottest_accesses, accesses[rank]);
        for (const planned_thread& t : each.plan) {
            done.remote_threads += t.rank != static_cast<int>(rank) ? 1 : 0;
        }
    }
    return done;
}

simulated_kernel_row run_shape(const concert::machine& on, int ranks, const std::string& version,
                               const kernel_shape& shape) {
    const auto count = static_cast<std::size_t>(ranks);
    std::vector<kernel_state> states(count);
    std::vector<body_ptr> bodies(count);
    std::vector<std::uint64_t> accesses(count);
    double began_ns = 0;
    double ended_ns = 0;
    const auto program = [&](concert::simulated_rank& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        bodies[rank] = concert::run(concert::create<body>, std::uint64_t{rank + 1});
        me.quiesce();
        kernel_state& mine = states[rank];
        mine.bodies = bodies;
        began_ns = me.now_ns();
        run_all_threads(mine, me.rank());
        me.quiesce();
        ended_ns = me.now_ns();
        accesses[rank] = concert::run(&body::accesses, bodies[rank]);
        concert::run(concert::destroy, bodies[rank]);
    };
    for (std::size_t rank = 0; rank < count; ++rank) {
        states[rank].is_simulated = true;
        states[rank].plan = plan_of(shape, static_cast<int>(rank), ranks, step_ns);
    }
    simulated_kernel_row row{version, shape, {}, 0, 0, {}};
    row.all = concert::simulate(on, ranks, version_of(version), program).sum;
    row.work = work_of(states, accesses);
    row.elapsed_us = (ended_ns - began_ns) / 1000;
    row.efficiency = row.all.spent_ns / ((ended_ns - began_ns) * ranks);
    return row;
}

void check_equal(const simulated_kernel_row& a, const simulated_kernel_row& b) {
    const auto words = [](const kernel_work& w) {
        return fmt::format("{} threads, {} remote, {} accesses, result {}", w.threads,
                           w.remote_threads, w.accesses, w.result);
    };
    if (words(a.work) != words(b.work)) {
        throw std::runtime_error(fmt::format("version {} has done: {}; {} has done: {}", a.version,
                                             words(a.work), b.version, words(b.work)));
    }
}

}  // namespace

concert::simulated_version version_of(const std::string& name) {
    return {name == "stack" || name == "stack+pull", name == "pull" || name == "stack+pull"};
}

std::vector<simulated_kernel_row> simulate_microkernel(const concert::machine& on,
                                                       const simulated_grid& grid,
                                                       const progress& told) {
    const std::vector<kernel_shape> shapes = shapes_of(grid.kernel, grid.threads);
    std::vector<simulated_kernel_row> rows;
    for (const kernel_shape& shape : shapes) {
        const std::size_t first = rows.size();
        for (const std::string& version : grid.versions) {
            rows.push_back(run_shape(on, grid.ranks, version, shape));
            check_equal(rows[first], rows.back());
            told(100 * static_cast<double>(rows.size()) /
                 static_cast<double>(shapes.size() * grid.versions.size()));
        }
    }
    return rows;
}

}  // namespace lazult::bench
