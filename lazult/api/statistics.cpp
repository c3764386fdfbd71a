// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/statistics.hpp>

#include <algorithm>
#include <atomic>

#include "lazult/core/core.hpp"

namespace lazult {
namespace {

static_assert(std::tuple_size_v<decltype(technique_counts::counts)> == core::technique_count);

void add(technique_counts& sum, const core::counter* numbers) noexcept {
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
        sum.counts[i] += numbers[i].get();
    }
}

void add_worker(core::worker& w, void* argument) {
    auto& sum = *static_cast<statistics_snapshot*>(argument);
    const core::counters& count = w.count;
    add(sum.created_by_technique, count.created);
    add(sum.planned_by_technique, count.planned);
    add(sum.promoted_by_technique, count.promoted);
    add(sum.fallbacks_by_technique, count.fallbacks);
    sum.created += count.started.get();
    sum.suspensions += count.suspensions.get();
    sum.steals += count.steals.get();
    sum.sleeps += count.sleeps.get();
    sum.slept += std::chrono::nanoseconds(count.slept_ns.get());
    sum.stacks_made += w.stacks.made_estimate();
    sum.stacks_in_use += w.stacks.in_use_estimate();
    sum.promoted = sum.promoted_by_technique.total();
    sum.fallbacks = sum.fallbacks_by_technique.total();
}

}  // namespace

statistics_snapshot statistics() {
    statistics_snapshot sum;
    core::for_each_worker(add_worker, &sum);
    return sum;
}

std::vector<stream_statistics> statistics_by_stream() {
    std::vector<stream_statistics> all;
    core::for_each_worker(
        [](core::worker& w, void* argument) {
            const int rank = std::atomic_ref(w.rank).load(std::memory_order_relaxed);  // a hint
            auto& list = *static_cast<std::vector<stream_statistics>*>(argument);
            add_worker(w, &list.emplace_back(stream_statistics{rank, {}}).counts);
        },
        &all);
    std::reverse(all.begin(), all.end());
    return all;
}

std::vector<stack_use> stack_use_by_function() {
    std::vector<stack_use> all;
    for (const core::stack_use& use : core::stack_uses()) {
        all.push_back({core::describe_local_function(reinterpret_cast<const void*>(use.entry)),
                       use.stack_bytes, use.units, use.deepest, use.median,
                       core::enough_stack(use.deepest)});
    }
    return all;
}

}  // namespace lazult
