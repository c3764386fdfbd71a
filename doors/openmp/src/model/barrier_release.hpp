// SPDX-License-Identifier: BSD-3-Clause
// Opens a team's barrier when all threads have arrived and all tasks of the team have completed.
//
// The last thread to arrive opens the barrier if no task was created since the barrier before.
// Otherwise the thread that later finds no task pending opens it. To find that, a thread first adds
// up the threads' counts of completed tasks, and then those of created tasks. If the sums are
// equal, no task was pending in between. Because all threads have arrived, no new task can come.
//
// Several threads may find this at once. For example, the last thread arrives, and loses its
// processor before it looks whether there are tasks. Other threads run the tasks, open the barrier
// and arrive at the next one. Then the last thread goes on. So one compare and exchange, which
// takes all arrivals back, decides which thread opens.
//
// Sleep: a unit first counts itself in `parked`. If the team has tasks at all (`has_tasks`), the
// unit then executes a heavy memory barrier, which takes effect in all threads, and looks for a
// task once more. A thread that completes a task, or makes one available, executes a light memory
// barrier before it reads `parked`. So the unit finds the task, or the thread sees the unit. The
// thread may see the unit before a waker can find the unit in the list of waiters. So there is an
// epoch, too (news_of()). The unit reads it before it looks for tasks, and does not sleep if it has
// changed when the unit joins the list.
//
// Wake-up: a woken unit takes microseconds to run, or longer if threads share processors. Until
// then many tasks may be created and completed, and to wake a unit for each would cost a system
// call each. So a waker sets `waking`, and while `waking` is set, no thread wakes another unit. A
// unit clears `waking` when it goes to sleep, and again after its sleep, before it looks for tasks.
// So it finds every task for which no unit was woken.
//
// These are templates, so that the model checker can run them. A `Team` has those members of struct
// team that are used here, and these functions, found by its type:
//   wake_waiters(barrier)   wakes all units that wait there
//   wake_sleepers(team)     wakes one unit at each of its barriers, and the waiter for its end
#pragma once

#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::omp {

// A counter that one unit at a time increments, without a locked instruction.
//
// field   written by          read by     order
// value_  one unit at a time  any thread  release / acquire: what came before the increment
template <class Atomics>
class basic_published_count {
public:
    void increment() noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + 1,
                     std::memory_order_release);  // pairs with: get()
    }
    std::uint64_t get() const noexcept {
        return value_.load(std::memory_order_acquire);  // pairs with: increment(), store
    }
    void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

private:
    typename Atomics::template atomic<std::uint64_t> value_{0};
};

// field       written by               read by           order
// arrived     arriving threads, opener  arriving threads  acq_rel; relaxed by the opener
// generation  opener                   all               seq_cst / acquire
// loop_ends   see ds/split_loop.hpp; on the line of `arrived`, which is written after a loop's end
template <class Atomics>
struct basic_team_barrier {
    alignas(base::cache_line) typename Atomics::template atomic<std::uint32_t> arrived{0};
    ds::split_ends<Atomics> loop_ends;
    alignas(base::cache_line) typename Atomics::template atomic<std::uint32_t> generation{0};
};

// Returns whether any task of the team was created and has not completed.
template <class Team>
bool has_pending_tasks(const Team& all) noexcept {
    // acquire pairs with: complete_outside(), fetch_add
    std::uint64_t completed = all.fulfilled.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < all.size; ++i) {
        completed += all.members[i]->completed.get();
    }
    std::uint64_t created = 0;
    for (std::uint32_t i = 0; i < all.size; ++i) {
        created += all.members[i]->created.get();
    }
    return created != completed;
}

// Counts a task that thread `t` has created. Called before another thread can see the task.
template <class Team, class Thread>
LAZULT_ALWAYS_INLINE void count_created(Team& all, Thread& t) noexcept {
    if (!all.has_tasks.load(std::memory_order_relaxed)) LAZULT_UNLIKELY {
        // The creator's arrival at a barrier publishes `had_tasks`. It stays set until the counts
        // are reset, while each barrier clears `has_tasks`.
        all.had_tasks.store(true, std::memory_order_relaxed);
        // Also published by that arrival.
        // pairs with: may_have_tasks(), load; find_late(), load, against `parked`
        all.has_tasks.store(true, std::memory_order_seq_cst);
    }
    t.created.increment();
}

// Returns the team's epoch, which changes when there may be something to do for sleeping units. A
// waiter reads it before it looks for tasks.
template <class Team>
std::uint64_t news_of(const Team& all) noexcept {
    // pairs with: complete_outside() and tell_waiters(), fetch_add
    return all.fulfilled.load(std::memory_order_seq_cst) +
           all.offered.load(std::memory_order_seq_cst);
}

template <class Team>
// Wakes sleepers, unless a wake-up is on its way already.
LAZULT_NOINLINE void send_wake(Team& all) noexcept {
    // relaxed: a unit that clears `waking` calls find_late() before it sleeps. The heavy barrier
    // there lets the unit see what came before this exchange.
    if (all.waking.exchange(1, std::memory_order_relaxed) != 0) {
        return;
    }
    all.offered.fetch_add(1, std::memory_order_seq_cst);  // pairs with: news_of(), loads
    wake_sleepers(all);
}

// Clears `waking`. Called by a unit before it looks for tasks.
template <class Team>
void take_back_wake(Team& all) noexcept {
    // An exchange, because the reads of that look could overtake a plain store.
    all.waking.exchange(0, std::memory_order_relaxed);
}

// While such an object exists, its unit counts in `parked`, so that threads which complete tasks or
// make them available wake it.
template <class Team>
class counted_sleeper {
public:
    explicit counted_sleeper(Team& all) noexcept : all_(all) {
        all.parked.fetch_add(1, std::memory_order_seq_cst);  // pairs with: notify_sleepers(), load
        take_back_wake(all);
    }
    counted_sleeper(const counted_sleeper&) = delete;
    counted_sleeper& operator=(const counted_sleeper&) = delete;
    ~counted_sleeper() {
        all_.parked.fetch_sub(1, std::memory_order_relaxed);
        take_back_wake(all_);
    }

private:
    Team& all_;
};

// Wakes sleepers, if there are any. Called by a thread that made a task available or completed one.
template <class Team>
LAZULT_ALWAYS_INLINE void notify_sleepers(Team& all) noexcept {
    Team::atomics::light_barrier();  // pairs with: find_late(), heavy_barrier
    // pairs with: counted_sleeper(), fetch_add; see count_created()
    if (all.parked.load(std::memory_order_seq_cst) != 0) LAZULT_UNLIKELY {
        send_wake(all);
    }
}

template <class Barrier>
bool is_released(const Barrier& b, std::uint32_t before) noexcept {
    return b.generation.load(std::memory_order_acquire) != before;  // pairs with: release_once()
}

// Returns whether a thread that waits at `b` may find a task to start. Once the barrier is open,
// other threads may be in the team's next region already, and may have created tasks there, before
// this thread has begun that region. So the function reads `has_tasks` first, and then the barrier.
// If the team had tasks before the barrier opened, the next fork waits for this thread.
template <class Team, class Barrier>
bool may_have_tasks(const Team& all, const Barrier& b, std::uint32_t before) noexcept {
    // pairs with: count_created(), store
    return all.has_tasks.load(std::memory_order_acquire) && !is_released(b, before);
}

// Clears a flag; the change of `generation` publishes this. A flag that is not set is not written,
// so that its cache line, which waiters read, stays in their caches.
template <class Word>
void clear(Word& word) noexcept {
    if (word.load(std::memory_order_relaxed)) {
        word.store(false, std::memory_order_relaxed);
    }
}

// Opens a barrier that the caller found complete. Returns false if another thread has opened it.
template <class Team, class Barrier>
bool release_once(Team& all, Barrier& b) noexcept {
    std::uint32_t here = all.size;
    // relaxed: it only decides which thread opens. The caller has acquired all arrivals before, and
    // `generation` publishes the change.
    if (!b.arrived.compare_exchange_strong(here, 0, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
        return false;
    }
    clear(all.has_tasks);
    clear(all.share_cancelled);
    // pairs with: is_released(), and park_while()
    b.generation.fetch_add(1, std::memory_order_seq_cst);
    wake_waiters(b);
    return true;
}

// Counts the caller's arrival. Returns true if the caller need not wait: it has opened the barrier,
// or it is among the first `first_leave` threads and there are no tasks.
template <class Team, class Barrier>
bool arrive(Team& all, Barrier& b, std::uint32_t first_leave = 0) noexcept {
    const bool has_tasks = all.has_tasks.load(std::memory_order_relaxed);
    // acquire pairs with: arrive() of other threads: what their tasks have written
    // release pairs with: arrive() of the last thread, and release_if_complete(). A thread that
    // leaves does not touch the team afterwards.
    const std::uint32_t count = b.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (count <= first_leave && !has_tasks) {
        return true;
    }
    if (count != all.size || all.has_tasks.load(std::memory_order_relaxed)) {
        return false;
    }
    return release_once(all, b);
}

// Opens the barrier if it is complete. Called by a waiting thread that has looked for tasks.
template <class Team, class Barrier>
void release_if_complete(Team& all, Barrier& b) noexcept {
    // pairs with: arrive(), fetch_add
    if (b.arrived.load(std::memory_order_acquire) == all.size && !has_pending_tasks(all)) {
        release_once(all, b);
    }
}

// Returns whether a unit that waits at `b` must still sleep. Called when wakers can see the unit.
// `news` is what news_of() returned before the unit looked for tasks.
template <class Team, class Barrier>
bool must_sleep(const Team& all, const Barrier& b, std::uint32_t before,
                std::uint64_t news) noexcept {
    // pairs with: release_once(), fetch_add
    return b.generation.load(std::memory_order_seq_cst) == before && news_of(all) == news;
}

// Looks for a task by `find` once more, for a unit that is counted in `parked` and about to sleep.
// Returns nullptr if there is none. After the heavy barrier, every thread that makes a task
// available sees the unit.
template <class Team, class Barrier, class Find>
auto find_late(Team& all, Barrier& b, std::uint32_t before, Find find) noexcept
    -> decltype(find()) {
    // pairs with: count_created(), store
    if (!all.has_tasks.load(std::memory_order_seq_cst) || is_released(b, before)) {
        return nullptr;
    }
    Team::atomics::heavy_barrier();  // pairs with: notify_sleepers(), light_barrier
    release_if_complete(all, b);
    return is_released(b, before) ? nullptr : find();
}

// As find_late() above, for a unit that waits for the end of a region without a barrier there.
template <class Team, class Find>
auto find_late(Team& all, Find find) noexcept -> decltype(find()) {
    // pairs with: count_created(), store
    if (!all.has_tasks.load(std::memory_order_seq_cst)) {
        return nullptr;
    }
    Team::atomics::heavy_barrier();  // pairs with: notify_sleepers(), light_barrier
    return find();
}

}  // namespace lazult::omp
