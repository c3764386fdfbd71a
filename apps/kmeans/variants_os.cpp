// SPDX-License-Identifier: BSD-3-Clause
// The reference without threads, and plain OS threads.
#include <algorithm>
#include <mutex>
#include <thread>

#include "apps/kmeans/partial_sums.hpp"
#include "apps/kmeans/variant.hpp"

namespace kmeans {
namespace {

using sums_type = partial_sums<std::mutex>;
using pass_type = shared_pass<std::mutex>;

run run_sequential(const problem& of, const settings&) {
    return {
        solve(of, [&](const centres& from,
                      assignment& clusters) { return sequential_pass(of.points, from, clusters); }),
        std::nullopt};
}

void run_ranges(const pass_type& pass, std::size_t workers) {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        threads.emplace_back([&pass, worker, workers] {
            const range mine = share(pass.points.count(), worker, workers);
            pass.run(mine.first, mine.last, worker);
        });
    }
}

// As many alive at a time as a machine takes without harm: the cost to show is that of their
// creation.
constexpr std::size_t threads_alive = 64;

void run_blocks(const pass_type& pass, std::size_t workers, std::size_t block) {
    const std::size_t count = pass.points.count();
    for (std::size_t first = 0; first < count;) {
        std::vector<std::jthread> threads;
        for (; first < count && threads.size() < threads_alive; first += block) {
            const std::size_t worker = threads.size() % workers;
            threads.emplace_back([&pass, first, last = std::min(first + block, count), worker] {
                pass.run(first, last, worker);
            });
        }
    }
}

template <class Run>
run run_threads(const problem& of, const settings& with, Run&& run_pass) {
    sums_type sums(of.clusters, of.points.dimensions(), with.workers, with.locks);
    return {solve(of,
                  [&](const centres& from, assignment& clusters) {
                      run_pass(pass_type{of.points, from, clusters, sums});
                      return sums.reduce();
                  }),
            std::nullopt};
}

}  // namespace

std::vector<variant> sequential_variants() {
    return {{"sequential", "sequential", "", "one loop: no threads, no locks", granularity::none,
             run_sequential}};
}

std::vector<variant> os_thread_variants() {
    return {
        {"os_threads", "os-threads-range", "",
         "std::thread, one to a worker, each over its share of the points", granularity::range,
         [](const problem& of, const settings& with) {
             return run_threads(of, with,
                                [&](const pass_type& pass) { run_ranges(pass, with.workers); });
         }},
        {"os_threads", "os-threads-block", "", "std::thread, one to a block of --os-block points",
         granularity::os_block, [](const problem& of, const settings& with) {
             return run_threads(of, with, [&](const pass_type& pass) {
                 run_blocks(pass, with.workers, with.os_block);
             });
         }}};
}

}  // namespace kmeans
