// SPDX-License-Identifier: BSD-3-Clause
#include "bench/concert/microkernel.hpp"

#include "bench/concert/kernel_program.hpp"
#include "bench/concert/measure.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <stdexcept>

namespace lazult::bench {
namespace {

kernel_state state;

// Returns nanoseconds, from the common beginning until all ranks are done.
double time_threads(concert::session& world) {
    world.quiesce();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto began = clock::now();
    run_all_threads(state, world.rank());
    world.quiesce();
    double mine = ns_since(began);
    double longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

std::uint64_t sum_of_ranks(std::uint64_t mine) {
    std::uint64_t sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
std::uint64_t most_of_ranks(std::uint64_t mine) {
    std::uint64_t most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

// How often the objects were read before, and what the runtime had counted.
struct totals {
    concert::method_counters methods = concert::count_methods();
    std::uint64_t accesses;

    explicit totals(int rank)
        : accesses(concert::run(&body::accesses, state.bodies[static_cast<std::size_t>(rank)])) {}
};

kernel_work work_since(const totals& before, int rank) {
    const totals now(rank);
    const std::uint64_t accesses = now.accesses - before.accesses;
    std::uint64_t remote = 0;
    std::uint64_t threads = state.plan.size();
    for (const planned_thread& each : state.plan) {
        remote += each.rank != rank ? 1 : 0;
    }
    kernel_work done;
    done.threads = sum_of_ranks(threads);
    done.remote_threads = sum_of_ranks(remote);
    done.accesses = sum_of_ranks(accesses);
    done.hottest_accesses = most_of_ranks(accesses);
    done.result = sum_of_ranks(state.result);
    const std::uint64_t ended = sum_of_ranks(state.ended);
    // run() sends a call, too, where another thread is inside the strand.
    const std::uint64_t sent = sum_of_ranks(now.methods.sent_calls - before.methods.sent_calls);
    if (ended != done.threads || done.accesses != 3 * done.threads ||
        sent < 3 * done.remote_threads) {
        throw std::runtime_error(
            fmt::format("microkernel: {} threads of {} ended, with {} accesses and {} calls sent",
                        ended, done.threads, done.accesses, sent));
    }
    return done;
}

kernel_row measure(concert::session& world, const kernel_shape& shape, double step_ns) {
    state.plan = plan_of(shape, world.rank(), world.size(), step_ns);
    state.result = 0;
    state.ended = 0;
    std::uint64_t steps = 0;
    for (const planned_thread& each : state.plan) {
        steps += each.steps;
    }
    const totals before(world.rank());
    kernel_row found;
    found.shape = shape;
    found.elapsed_ns = time_threads(world);
    const concert::method_counters after = concert::count_methods();
    found.work = work_since(before, world.rank());
    const double computing = static_cast<double>(sum_of_ranks(steps)) * step_ns;
    found.efficiency = computing / (found.elapsed_ns * world.size());
    const auto contexts = sum_of_ranks(after.contexts - before.methods.contexts);
    const auto later = sum_of_ranks(after.served_later - before.methods.served_later);
    found.contexts = static_cast<double>(contexts) / static_cast<double>(found.work.threads);
    found.served_later =
        found.work.remote_threads == 0
            ? 0
            : static_cast<double>(later) / static_cast<double>(found.work.remote_threads);
    return found;
}

// Nanoseconds of a step where nothing disturbs it. All ranks measure at the same time.
double time_of_step() {
    constexpr std::uint64_t steps = 100'000;
    MPI_Barrier(MPI_COMM_WORLD);
    double best = 1e9;
    std::uint64_t value = 1;
    for (int i = 0; i < 50; ++i) {
        const auto began = clock::now();
        value = compute(value, steps);
        best = std::min(best, ns_since(began) / static_cast<double>(steps));
    }
    double least = 0;
    MPI_Allreduce(&best, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

void make_bodies(concert::session& world) {
    const auto rank = static_cast<std::uint64_t>(world.rank());
    const body_ptr mine =
        concert::run(concert::on(world.rank(), 0), concert::create<body>, rank + 1);
    state.bodies.resize(static_cast<std::size_t>(world.size()));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, state.bodies.data(), sizeof mine, MPI_BYTE,
                  MPI_COMM_WORLD);
}

}  // namespace

std::vector<kernel_row> run_microkernel(const kernel_grid& grid) {
    concert::session world;
    if (world.size() < 2) {
        throw std::runtime_error("the microkernel needs two ranks");
    }
    make_bodies(world);
    const double step_ns = time_of_step();
    const std::vector<kernel_shape> shapes = shapes_of(grid);
    if (shapes.empty()) {
        throw std::runtime_error("the microkernel needs a value of each option");
    }
    // Without a row: this run starts the runtime, and touches memory for the first time.
    measure(world, shapes.front(), step_ns);
    std::vector<kernel_row> rows;
    for (const kernel_shape& each : shapes) {
        rows.push_back(measure(world, each, step_ns));
    }
    if (world.rank() != 0) {
        rows.clear();
    }
    return rows;
}

}  // namespace lazult::bench
