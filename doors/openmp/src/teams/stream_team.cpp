// SPDX-License-Identifier: BSD-3-Clause
#include "teams/stream_team.hpp"

#include <algorithm>

#include "environment/environment.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/implicit_task.hpp"
#include "teams/barrier.hpp"
#include "teams/os_thread.hpp"
#include "teams/thread_pool.hpp"
#include "threads/affinity.hpp"
#include "threads/spreading.hpp"
#include "waiting/crowd.hpp"

namespace lazult::omp {
namespace {

os_thread::hot_team& hot_team_at(os_thread& self, std::size_t depth) {
    while (self.hot.size() <= depth) {
        auto fresh = std::make_unique<os_thread::hot_team>();
        fresh->region.kind = team_kind::streams;
        reset_shares(fresh->region);
        self.hot.push_back(std::move(fresh));
    }
    return *self.hot[depth];
}

void seat(os_thread& self, os_thread::hot_team& hot, std::uint32_t size) {
    hot.region.members.assign(1, &hot.self);
    for (std::uint32_t i = 1; i < size; ++i) {
        hot.region.members.push_back(&self.helpers[i - 1]->self);
    }
    forget_history(hot.region);
}

// Gets the helpers for a team, and returns the team's size. After a region with tasks, waits for
// the helpers, because they may still be looking for tasks there. All teams of the OS thread share
// the helpers. If these come from another team, their counts are reset.
std::uint32_t gather(os_thread& self, os_thread::hot_team& hot, std::uint32_t wanted) {
    if (self.helpers.size() + 1 < wanted) {
        take_helpers(self.helpers, wanted - 1);
    }
    const auto size =
        static_cast<std::uint32_t>(std::min<std::size_t>(self.helpers.size() + 1, wanted));
    const std::vector<thread*>& seated = hot.region.members;
    const bool changes =
        seated.size() != size || (size > 1 && (self.helped != &hot.region ||
                                               seated.back() != &self.helpers[size - 2]->self));
    if (changes || hot.region.had_tasks.load(std::memory_order_relaxed)) {
        await_helpers(self.helpers);
    }
    hot.region.shows_affinity = changes && size > 1 && variables().display_affinity;
    if (changes) {
        seat(self, hot, size);
        self.helped = size > 1 ? &hot.region : self.helped;
    }
    return size;
}

// Makes the parent's unit the scheduler's primary unit, unless it is that already.
void become_thread_0(os_thread& self, team& region) {
    thread& t = *region.members[0];
    worker& w = core::this_worker();
    stream_scheduler& scheduler = provide(self.scheduler);
    begin_implicit(t, region, 0);
    bind_to_scheduler(t, scheduler);
    if (w.here == nullptr) {
        scheduler.enter(w);
    }
    scheduler.primary_data() = unit_data{&t.implicit, &t, 0, region.size};
    scheduler.serve(&t);
}

void leave_thread_0(os_thread& self, const team& region) {
    stream_scheduler& scheduler = provide(self.scheduler);
    if (region.outer->kind == team_kind::initial) {
        scheduler.serve(nullptr);
        scheduler.leave(core::this_worker());
    } else {
        scheduler.serve(region.parent);
        scheduler.primary_data() = outer_data(region);
    }
}

}  // namespace

team& begin_streams(const region_request& wanted, const unit_data& outside, std::uint32_t threads) {
    os_thread& self = this_os_thread();
    const unit_data mine = outside;
    os_thread::hot_team& hot = hot_team_at(self, self.depth);
    team& region = hot.region;
    const std::uint32_t size = gather(self, hot, threads);
    ++self.depth;
    count_engaged(static_cast<int>(size));
    describe(region, wanted, mine, size);
    note_processor_of_fork(region);
    become_thread_0(self, region);
    for (std::uint32_t i = 1; i < size; ++i) {
        start_helper(*self.helpers[i - 1], region, i);
    }
    apply_affinity(*region.members[0]);
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_affinity();
    }
    return region;
}

void end_streams(team& region) {
    wait_at_barrier(*region.members[0], region.end, cancellation::ignored);
    uncount_busy(region);
    os_thread& self = this_os_thread();
    leave_thread_0(self, region);
    count_engaged(-static_cast<int>(region.size));
    --self.depth;
}

}  // namespace lazult::omp
