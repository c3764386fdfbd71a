// SPDX-License-Identifier: BSD-3-Clause
#include "teams/team_setup.hpp"

#include <algorithm>

#include "environment/environment.hpp"
#include "loops/work_sharing.hpp"
#include "threads/affinity.hpp"

namespace lazult::omp {
namespace {

std::uint32_t within_limit(std::uint32_t wanted, const task& self) noexcept {
    const std::uint32_t limit = self.variables.thread_limit;
    if (limit == UINT_MAX || wanted <= 1) {
        return wanted;
    }
    const std::uint32_t busy = self.its_team->group->busy.load(std::memory_order_relaxed);
    return std::clamp(limit > busy ? limit - busy + 1 : 1U, 1U, wanted);
}

void count_busy(const team& region, std::uint32_t change) noexcept {
    if (region.variables.thread_limit != UINT_MAX) {
        region.group->busy.fetch_add(change, std::memory_order_relaxed);
    }
}

void reset_counts(team& region) noexcept {
    for (thread* each : region.members) {
        each->created.reset();
        each->completed.reset();
    }
    region.fulfilled.store(0, std::memory_order_relaxed);
    region.offered.store(0, std::memory_order_relaxed);
    region.had_tasks.store(false, std::memory_order_relaxed);
}

// Resets what the threads of a cancelled region may have left behind.
void forget_cancellation(team& region) noexcept {
    region.cancelled.store(false, std::memory_order_relaxed);
    region.inside.arrived.store(0, std::memory_order_relaxed);
    forget_loops(region);
    region.has_tasks.store(false, std::memory_order_relaxed);
}

void inherit_variables(team& region, const task& parent) noexcept {
    region.variables = parent.variables;
    const process_variables& all = variables();
    if (region.level < all.threads_by_level.size()) {
        region.variables.threads = all.threads_by_level[region.level];
    }
    if (region.level < all.bind_by_level.size() && parent.variables.bind != bind_false) {
        region.variables.bind = all.bind_by_level[region.level];
    }
}

bind_policy policy_of(const region_request& wanted, const task& self) noexcept {
    const auto asked = static_cast<bind_policy>(wanted.flags & 7);
    return asked != bind_false && self.variables.bind != bind_false ? asked : self.variables.bind;
}

}  // namespace

// Writes region.size only if it changes, because a helper that is still in the last region may read
// it. Before a change, gather() (stream_team.cpp) has waited for such helpers.
void describe(team& region, const region_request& wanted, const unit_data& mine,
              std::uint32_t size) {
    team& outer = *mine.here->its_team;
    if (region.size != size) {
        region.size = size;
    }
    region.level = outer.level + 1;
    region.active_level = outer.active_level + (size > 1 ? 1 : 0);
    region.outer = &outer;
    if (const team* root = outer.root != nullptr ? outer.root : &region; region.root != root) {
        region.root = root;
    }
    region.parent = mine.here;
    region.parent_task = mine.running;
    region.function = wanted.function;
    region.data = wanted.data;
    region.league = outer.league;
    region.group = outer.group;
    region.reduction_group = nullptr;
    region.begins_in_share = false;
    describe_no_loop(region);
    if (region.singles.load(std::memory_order_relaxed) != 0 ||
        region.used_shares.load(std::memory_order_relaxed)) {
        reset_shares(region);
        region.used_shares.store(false, std::memory_order_relaxed);
    }
    if (region.had_tasks.load(std::memory_order_relaxed)) LAZULT_UNLIKELY {
        reset_counts(region);
    }
    if (region.is_cancelled()) LAZULT_UNLIKELY {
        forget_cancellation(region);
    }
    inherit_variables(region, *mine.running);
    count_busy(region, size - 1);
    assign_places(region, *mine.here, policy_of(wanted, *mine.running));
    if (wanted.preparation.prepare != nullptr) {
        wanted.preparation.prepare(region, wanted.preparation.argument);
    }
}

std::uint32_t resolve_threads(const task& self, std::uint32_t wanted) noexcept {
    if (wanted == 1 || self.its_team->active_level >= self.variables.max_active_levels) {
        return 1;
    }
    std::uint32_t threads = wanted == 0 ? self.variables.threads : wanted;
    if (self.variables.dynamic) {
        threads =
            std::min(threads, static_cast<std::uint32_t>(std::max(1, variables().processors)));
    }
    return within_limit(threads, self);
}

void uncount_busy(const team& region) noexcept { count_busy(region, 1 - region.size); }

void forget_history(team& region) noexcept {
    reset_counts(region);
    forget_loops(region);
}

unit_data outer_data(const team& region) noexcept {
    const team* outer = region.outer;
    return unit_data{region.parent_task, region.parent, region.parent->number, outer->size};
}

}  // namespace lazult::omp
