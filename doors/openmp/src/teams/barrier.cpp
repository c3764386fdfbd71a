// SPDX-License-Identifier: BSD-3-Clause
// The last to arrive opens the barrier, if no task is pending; otherwise whoever finds later that none is. To find that, the
// threads' counts of completed tasks are read first, and then those of created ones: where they are equal, nothing was pending
// in between, and with everybody here nothing comes any more.
//
// A flow that goes to sleep counts itself in team::parked, and looks again behind a barrier in all threads. Who completes a task,
// or creates one, looks at that count behind its own light one: of the two, one sees the other.
#include "teams/barrier.hpp"

#include "tasks/tasking.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {
namespace {

bool is_open(const team_barrier& b, std::uint32_t before) noexcept {
    return b.generation.load(std::memory_order_acquire) != before;  // pairs with: open()
}

// Published by the store that opens the barrier. Who waits looks at the same line, which stays in all caches if nothing changes.
void clear(atomic<bool>& word) noexcept {
    if (word.load(std::memory_order_relaxed)) {
        word.store(false, std::memory_order_relaxed);
    }
}

// By the one whose compare and exchange took everybody's arrival back.
void open(team& all, team_barrier& b) noexcept {
    clear(all.has_tasks);
    clear(all.share_cancelled);
    // pairs with: is_open(), and park_while()
    b.generation.fetch_add(1, std::memory_order_seq_cst);
    wake_all(&b);
}

bool everybody_is_here(const team& all, const team_barrier& b) noexcept {
    return b.arrived.load(std::memory_order_acquire) == all.size;  // pairs with: arrive()
}

bool is_cancelled(const team& all, cancellation how) noexcept {
    return how == cancellation::ends_wait && all.is_cancelled();
}

// True: the caller was the last one, and has opened it; or it is among the first, who need not wait.
bool arrive(team& all, team_barrier& b, std::uint32_t first_leave = 0) noexcept {
    const bool has_tasks = all.has_tasks.load(std::memory_order_relaxed);
    // acquire pairs with: the others' arrivals: their tasks' traces
    // release pairs with: the last arrival, and everybody_is_here(). Who leaves touches the team no more.
    const std::uint32_t count = b.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (count <= first_leave && !has_tasks) {
        return true;
    }
    if (count != all.size || all.has_tasks.load(std::memory_order_relaxed)) {
        return false;
    }
    b.arrived.store(0, std::memory_order_relaxed);  // published by open()
    open(all, b);
    return true;
}

// What there is to run, for who is about to sleep: behind the barrier in all threads, who makes a task available sees the caller.
task* find_late(thread& t, team& all, const barrier_wait& waited) noexcept {
    if (!may_have_tasks(all, waited)) {
        return nullptr;
    }
    ds::default_atomics::heavy_barrier();  // pairs with: notify_sleepers(), light_barrier
    open_if_complete(all, waited.where);
    return is_open(waited.where, waited.before) ? nullptr : find_task(t);
}

void run_found(thread& t, task& found) {
    if (has_room_for_call()) LAZULT_LIKELY {
        run_task(t, found);
    } else {
        run_apart(t, found);
    }
}

// `news`: team::news() before the caller looked for tasks.
void sleep(thread& t, team& all, const barrier_wait& waited, std::uint64_t news) {
    all.parked.fetch_add(1, std::memory_order_relaxed);  // ordered by the next line
    task* const found = find_late(t, all, waited);
    team* const whole = &all;
    team_barrier* const where = &waited.where;
    const std::uint32_t before = waited.before;
    const cancellation how = waited.how;
    if (found == nullptr) {
        park_while(wait_kind::barrier, where, [=] {
            // pairs with: open(), fetch_add
            return where->generation.load(std::memory_order_seq_cst) == before && whole->news() == news &&
                   // pairs with: abi/cancel.cpp, exchange
                   !(how == cancellation::ends_wait && whole->cancelled.load(std::memory_order_seq_cst));
        });
    }
    all.parked.fetch_sub(1, std::memory_order_relaxed);
    if (found != nullptr) {
        run_found(t, *found);
    }
}

// Runs what there is to run. False when there was nothing.
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
    while (!is_open(b, waited.before) && !is_cancelled(all, waited.how)) {
        const std::uint64_t news = all.news();
        if (may_have_tasks(all, waited)) {
            while (help(t)) {
                spin = spin_budget(all);
            }
            open_if_complete(all, b);
        }
        if (!is_open(b, waited.before) && !spin.again()) {
            sleep(t, all, waited, news);
            spin = spin_budget(all);
        }
    }
    t.at_barrier = nullptr;
}

}  // namespace

bool may_have_tasks(const team& all, const barrier_wait& waited) noexcept {
    // pairs with: count_created(), store
    return all.has_tasks.load(std::memory_order_acquire) && !is_open(waited.where, waited.before);
}

void open_if_complete(team& all, team_barrier& b) noexcept {
    if (!everybody_is_here(all, b) || has_pending_tasks(all)) {
        return;
    }
    std::uint32_t here = all.size;
    // release pairs with: arrive() in the next round; acquire: likewise, of this one
    if (b.arrived.compare_exchange_strong(here, 0, std::memory_order_acq_rel, std::memory_order_relaxed)) {
        open(all, b);
    }
}

void finish_at_barrier(thread& t, team_barrier& b, std::uint32_t first_leave) {
    team& all = *t.its_team;
    const std::uint32_t before = b.generation.load(std::memory_order_relaxed);  // this thread's last round
    if (!arrive(all, b, first_leave)) {
        wait_for_others(t, all, {b, before, cancellation::ignored});
    }
}

bool wait_at_barrier(thread& t, team_barrier& b, cancellation how) {
    team& all = *t.its_team;
    if (is_cancelled(all, how)) {
        return true;
    }
    const std::uint32_t before = b.generation.load(std::memory_order_relaxed);  // this thread's last round
    if (!arrive(all, b)) {
        wait_for_others(t, all, {b, before, how});
    }
    t.loops_open = 0;
    return is_cancelled(all, how);
}

}  // namespace lazult::omp
