// SPDX-License-Identifier: BSD-3-Clause
// Decides when a barrier opens: all threads have arrived, and every task that the team created has
// completed.
//
// The last thread to arrive opens the barrier if no task was created since the barrier before.
// Otherwise the thread that later finds no task pending opens it. To find that, a thread first
// reads the threads' counts of completed tasks, and then those of created tasks. If the sums are
// equal, no task was pending in between, and with all threads here no new task comes.
//
// Several threads may find this at once: the last one to arrive may lose its processor before it
// has looked whether there are tasks. By then others may have run them, opened the barrier, and
// arrived at the next one. So only one thread opens: the one that takes all arrivals back, by a
// compare and exchange.
//
// A unit that goes to sleep counts itself in `parked`, and then looks again. First it looks whether
// there are tasks at all. If so, it looks for one behind a barrier in all threads. A thread that
// makes the first task known, completes a task, or makes one available looks at `parked`, behind
// its own light barrier. Of the two, one sees the other. The thread may see the unit before the
// unit is in the list of those that can be woken. So there is an epoch, too (news_of()): the unit
// has read it before it looked for tasks, and compares it when it joins the list.
//
// A woken sleeper takes microseconds to run, or longer if threads share processors, and many tasks
// may be created and completed until then. To wake other units for each of them would cost a system
// call each. So `waking` says that a wake-up is on its way, and no other one is sent. A unit takes
// that back when it goes to sleep, and when it has slept, before it looks for tasks: so that look
// sees each task that was not announced.
//
// Templates, for the model runs. A `Team` has those members of struct team that are used here, and
// these functions, found by its type:
//   wake_waiters(barrier)   wakes all that wait there
//   wake_sleepers(team)     wakes one waiter at each of its barriers, and the waiter for its end
#pragma once

#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::omp {

// A number that one unit at a time adds to, without a locked instruction.
//
// field   written by         read by    order
// value_  one unit at a time  anybody   release / acquire: what was done before it was counted
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

// field       written by           read by     order
// arrived     arrivals, opener     arrivals    acq_rel; relaxed by the opener
// generation  opener               all         seq_cst / acquire
// loop_ends   see ds/split_loop.hpp: beside `arrived`, which a leaver of a loop writes next
template <class Atomics>
struct basic_team_barrier {
    alignas(base::cache_line) typename Atomics::template atomic<std::uint32_t> arrived{0};
    ds::split_ends<Atomics> loop_ends;
    alignas(base::cache_line) typename Atomics::template atomic<std::uint32_t> generation{0};
};

// Of the whole team: whether a task that was created has not completed.
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

// By thread t, before anybody else can see the task.
template <class Team, class Thread>
LAZULT_ALWAYS_INLINE void count_created(Team& all, Thread& t) noexcept {
    if (!all.has_tasks.load(std::memory_order_relaxed)) LAZULT_UNLIKELY {
        // Published by the creator's arrival at a barrier. It stays until the counts are reset, and
        // has_tasks does not.
        all.had_tasks.store(true, std::memory_order_relaxed);
        // Published in the same way, too.
        // pairs with: may_have_tasks(), load; find_late(), load, against `parked`
        all.has_tasks.store(true, std::memory_order_seq_cst);
    }
    t.created.increment();
}

// An epoch: it changes when there may be something to do for units that nothing else wakes. A
// waiter reads it before it looks for tasks.
template <class Team>
std::uint64_t news_of(const Team& all) noexcept {
    // pairs with: complete_outside() and tell_waiters(), fetch_add
    return all.fulfilled.load(std::memory_order_seq_cst) +
           all.offered.load(std::memory_order_seq_cst);
}

template <class Team>
LAZULT_NOINLINE void send_wake(Team& all) noexcept {
    // relaxed: a unit that takes it back goes through find_late() before it sleeps. The barrier
    // there shows it what came before this.
    if (all.waking.exchange(1, std::memory_order_relaxed) != 0) {
        return;
    }
    all.offered.fetch_add(1, std::memory_order_seq_cst);  // pairs with: news_of(), loads
    wake_sleepers(all);
}

// By a unit before it looks for tasks.
template <class Team>
void take_back_wake(Team& all) noexcept {
    // An exchange, because the look might overtake a store.
    all.waking.exchange(0, std::memory_order_relaxed);
}

// While it lives, the unit is seen by those that make tasks available or complete some.
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

// By a thread that made a task available, or completed one: units that wait for that may be asleep.
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

// Whether a thread that waits at `b` may find a task to start. Once the barrier is open, other
// threads may be in the team's next region already, and may have created tasks there, before this
// thread has begun that region. So this looks at `has_tasks` first, and then at the barrier. If
// there were tasks before the barrier opened, the next fork waits for this thread.
template <class Team, class Barrier>
bool may_have_tasks(const Team& all, const Barrier& b, std::uint32_t before) noexcept {
    // pairs with: count_created(), store
    return all.has_tasks.load(std::memory_order_acquire) && !is_released(b, before);
}

// The store that opens the barrier publishes the change. Only a flag that is set is written:
// waiters look at the same line, which stays in all caches if nothing changes.
template <class Word>
void clear(Word& word) noexcept {
    if (word.load(std::memory_order_relaxed)) {
        word.store(false, std::memory_order_relaxed);
    }
}

// By threads that found the barrier complete. True: the caller has opened it, and no other thread.
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

// True: the caller has opened the barrier, or is among the first `first_leave`, which need not
// wait.
template <class Team, class Barrier>
bool arrive(Team& all, Barrier& b, std::uint32_t first_leave = 0) noexcept {
    const bool has_tasks = all.has_tasks.load(std::memory_order_relaxed);
    // acquire pairs with: the others' arrivals: their tasks' traces
    // release pairs with: the last arrival, and release_if_complete(). A thread that leaves touches
    // the team no more.
    const std::uint32_t count = b.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (count <= first_leave && !has_tasks) {
        return true;
    }
    if (count != all.size || all.has_tasks.load(std::memory_order_relaxed)) {
        return false;
    }
    return release_once(all, b);
}

// By a thread that completed a task, or may have.
template <class Team, class Barrier>
void release_if_complete(Team& all, Barrier& b) noexcept {
    // pairs with: arrive(), fetch_add
    if (b.arrived.load(std::memory_order_acquire) == all.size && !has_pending_tasks(all)) {
        release_once(all, b);
    }
}

// By a unit that is about to sleep, and that wakers see by now. `news` is what news_of() returned
// before the unit looked for tasks.
template <class Team, class Barrier>
bool must_sleep(const Team& all, const Barrier& b, std::uint32_t before,
                std::uint64_t news) noexcept {
    // pairs with: release_once(), fetch_add
    return b.generation.load(std::memory_order_seq_cst) == before && news_of(all) == news;
}

// The last look for a task, by `find`, of a unit that has counted itself in `parked` and is about
// to sleep. nullptr: there is none. Behind the barrier in all threads, each thread that makes a
// task available sees the caller.
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

// The same for a unit that waits for the region's end without a barrier there.
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
