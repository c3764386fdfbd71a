// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/finding.hpp"

#include <mutex>

#include "environment/environment.hpp"
#include "tasks/kept_sharing.hpp"

namespace lazult::omp {
namespace {

task* take_urgent(thread& t, team& all) noexcept {
    const std::lock_guard hold(all.urgent_lock);
    task** link = &all.urgent;
    while (*link != nullptr && !may_start(t, **link)) {
        link = &(*link)->next;
    }
    task* found = *link;
    if (found != nullptr) {
        *link = found->next;
        all.urgent_count.store(all.urgent_count.load(std::memory_order_relaxed) - 1,
                               std::memory_order_relaxed);
    }
    return found;
}

}  // namespace

task* steal_task(thread& t, team& all, std::uint32_t wanted) noexcept {
    // A task that may start under this tied task might not under the next: takes only one.
    const std::uint32_t more = t.suspended_tied == nullptr ? task_queue::most_at_once : 0;
    for (std::uint32_t i = 1; i < all.size; ++i) {
        thread& victim = *all.members[(t.number + i) % all.size];
        if (victim.tasks.maybe_has_work()) {
            task* found = victim.tasks.steal(
                t.tasks, [&](const task& what) { return may_start(t, what); }, wanted, more);
            if (found != nullptr) {
                return found;
            }
            ++t.failed_thefts;
        }
    }
    return nullptr;
}

task* take_own(thread& t) noexcept {
    share_kept_if_any(t);
    return t.tasks.take([&](const task& what) { return may_start(t, what); });
}

task* find_near(thread& t, team& all) noexcept {
    if (all.urgent_count.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
        if (task* found = take_urgent(t, all); found != nullptr) {
            return found;
        }
    }
    return take_own(t);
}

task* find_task(thread& t) noexcept {
    team& all = *t.its_team;
    task* near = find_near(t, all);
    return near != nullptr ? near : steal_task(t, all);
}

task* find_worthwhile(thread& t) noexcept {
    team& all = *t.its_team;
    if (task* near = find_near(t, all); near != nullptr) {
        return near;
    }
    if (!t.thefts.are_due() && !t.thefts.are_due(os::now_ns(), variables().spin_ns)) {
        return nullptr;
    }
    task* const found = steal_task(t, all, t.thefts.wanted());
    if (found != nullptr) {
        t.thefts.begin(1 + static_cast<std::uint32_t>(t.tasks.size_estimate()), os::now_ns());
    }
    return found;
}

task* find_buried_task(thread& t, std::uint64_t lowest) noexcept {
    return t.tasks.dig([&t](const task& what) { return may_start(t, what); }, lowest);
}

}  // namespace lazult::omp
