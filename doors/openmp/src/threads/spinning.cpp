// SPDX-License-Identifier: BSD-3-Clause
#include "threads/spinning.hpp"

#include "threads/spreading.hpp"

namespace lazult::omp {
namespace {

// For units that are not an OS thread's own: what they wait for may come from another processor.
constexpr std::uint32_t rounds_of_units = 64;
constexpr std::uint32_t rounds_per_look = 16;

// Returns whether other units of the thread could run tasks that no other thread can. In a larger
// team, these are kept tasks, which are few, so the unit spins for a while first.
bool has_tasks_alone(const thread& t, std::uint32_t rounds) noexcept {
    constexpr std::uint32_t rounds_with_others = 1024;
    return t.its_team->size == 1 ? !t.kept.is_empty() || t.tasks.maybe_has_work()
                                 : rounds >= rounds_with_others && !t.kept.is_empty();
}

}  // namespace

spin_budget::spin_budget(first_look when) noexcept
    : scheduler_(thread_scheduler::current()),
      rounds_(when == first_look::at_once ? rounds_per_look - 1 : 0) {}

spin_budget::spin_budget(const team& waits) noexcept
    : spin_budget(waits.kind == team_kind::units ? first_look::at_once : first_look::later) {}

bool spin_budget::again() noexcept {
    ds::default_atomics::pause();
    if (++rounds_ % rounds_per_look != 0 && !left_.is_crowded()) LAZULT_LIKELY {
        return true;
    }
    if (scheduler_ == nullptr) {
        return rounds_ < rounds_of_units;
    }
    thread& t = *data_of_unit()->here;
    if (scheduler_->has_other_work(core::this_worker()) || has_tasks_alone(t, rounds_)) {
        return false;
    }
    if (t.its_team->kind == team_kind::units) {
        return rounds_ < rounds_of_units;
    }
    if (rounds_ % rounds_per_yield == 0 && !left_.is_crowded()) {
        left_.yield();
        keep_apart(t);
    }
    return left_.lasts();
}

}  // namespace lazult::omp
