// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

namespace kmeans {
namespace {

using clock_type = std::chrono::steady_clock;

configuration configure(const plan& of, const variant& which, std::size_t locks,
                        std::size_t block) {
    settings with = of.common;
    with.locks = locks;
    with.block = block;
    return {which, with};
}

double percent(const unit_counts& units) {
    return units.created == 0
               ? 0
               : 100 * static_cast<double>(units.suspended) / static_cast<double>(units.created);
}

void measure(const problem& of, const result& expected, outcome& into, bool warm_up) {
    const clock_type::time_point start = clock_type::now();
    const run done = into.what.of.execute(of, into.what.with);
    const std::chrono::duration<double> elapsed = clock_type::now() - start;
    if (done.found != expected) ++into.mismatches;
    if (warm_up) {
        return;
    }
    const auto assigned = static_cast<double>(of.points.count() * done.found.iterations);
    into.points_per_second.push_back(assigned / elapsed.count());
    if (done.units) {
        into.suspend_percent.push_back(percent(*done.units));
        into.units_created = done.units->created;
    }
}

// An order in which no configuration always follows the same one. Some leave the machine as they
// used it: threads of libgomp spin for milliseconds after their last region.
std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

}  // namespace

spread summarise(std::vector<double> values) {
    if (values.empty()) {
        return {0, 0, 0};
    }
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    const double median =
        values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

std::vector<configuration> configurations(const plan& of) {
    std::vector<configuration> all;
    for (const variant& which : of.variants) {
        // What a variant does not use, it is not measured over.
        const std::size_t lock_choices = which.units == granularity::none ? 1 : of.locks.size();
        const std::size_t block_choices = which.units == granularity::block ? of.blocks.size() : 1;
        for (std::size_t block = 0; block < block_choices; ++block) {
            for (std::size_t lock = 0; lock < lock_choices; ++lock) {
                all.push_back(configure(of, which, of.locks[lock], of.blocks[block]));
            }
        }
    }
    return all;
}

bool experiment::all_match() const {
    return std::ranges::all_of(outcomes, [](const outcome& one) { return one.mismatches == 0; });
}

experiment conduct(const problem& of, const plan& as, const progress_function& progress) {
    experiment all{
        solve(of, [&](const centres& from,
                      assignment& clusters) { return sequential_pass(of.points, from, clusters); }),
        {}};
    for (configuration& one : configurations(as)) {
        all.outcomes.push_back({std::move(one), {}, {}});
    }
    const std::size_t count = all.outcomes.size();
    const std::size_t total = count * (as.repetitions + 1);
    std::mt19937_64 random(of.seed);
    for (std::size_t repetition = 0; repetition <= as.repetitions; ++repetition) {
        std::size_t done = repetition * count;
        for (const std::size_t each : shuffled(count, random)) {
            outcome& next = all.outcomes[each];
            progress(done++, total, next.what.of.name);
            measure(of, all.expected, next, repetition == 0);
        }
    }
    progress(total, total, "");
    return all;
}

}  // namespace kmeans
