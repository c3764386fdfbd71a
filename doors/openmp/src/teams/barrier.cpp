// SPDX-License-Identifier: BSD-3-Clause
// Waiting at barriers. When they open: see barrier_release.hpp.
#include "teams/barrier.hpp"

#include "tasks/finding.hpp"
#include "tasks/keeping.hpp"
#include "tasks/running.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

bool is_cancelled(const team& all, cancellation how) noexcept {
    return how == cancellation::ends_wait && all.is_cancelled();
}

// Looks for a task once more, and sleeps if there is none. `news` is team::news() before the caller
// looked for tasks.
void sleep(thread& t, team& all, const barrier_wait& waited, std::uint64_t news) {
    task* found = nullptr;
    {
        const counted_sleeper here(all);
        found = find_late(all, waited.where, waited.before, [&] { return find_task(t); });
        if (found == nullptr) {
            park_while(wait_kind::barrier, &waited.where, [whole = &all, waited, news] {
                return must_sleep(*whole, waited.where, waited.before, news) &&
                       // pairs with: abi/cancel.cpp, exchange
                       !(waited.how == cancellation::ends_wait &&
                         whole->cancelled.load(std::memory_order_seq_cst));
            });
        }
    }
    if (found != nullptr) {
        run_found(t, *found);
    }
}

// Runs a task. Returns false if there is none.
bool help(thread& t) {
    task* found = find_worthwhile(t);
    if (found == nullptr) {
        return false;
    }
    run_found(t, *found);
    return true;
}

void wait_for_others(thread& t, team& all, const barrier_wait& waited) {
    team_barrier& b = waited.where;
    spin_budget spin(all);
    t.at_barrier = &waited;
    while (!is_released(b, waited.before) && !is_cancelled(all, waited.how)) {
        const std::uint64_t news = all.news();
        if (may_have_tasks(all, waited)) {
            while (help(t)) {
                spin = spin_budget(all);
            }
            release_if_complete(all, b);
        }
        if (!is_released(b, waited.before) && !spin.again()) {
            sleep(t, all, waited, news);
            spin = spin_budget(all);
        }
    }
    t.at_barrier = nullptr;
}

}  // namespace

void finish_at_barrier(thread& t, team_barrier& b, std::uint32_t first_leave) {
    settle_kept(t);
    team& all = *t.its_team;
    // relaxed: this thread took part in the last round
    const std::uint32_t before = b.generation.load(std::memory_order_relaxed);
    if (!arrive(all, b, first_leave)) {
        wait_for_others(t, all, {b, before, cancellation::ignored});
    }
}

bool wait_at_barrier(thread& t, team_barrier& b, cancellation how) {
    settle_kept(t);
    team& all = *t.its_team;
    if (is_cancelled(all, how)) {
        return true;
    }
    // relaxed: this thread took part in the last round
    const std::uint32_t before = b.generation.load(std::memory_order_relaxed);
    if (!arrive(all, b)) {
        wait_for_others(t, all, {b, before, how});
    }
    t.loops_open = 0;
    return is_cancelled(all, how);
}

}  // namespace lazult::omp
