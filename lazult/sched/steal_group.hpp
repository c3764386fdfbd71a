// SPDX-License-Identifier: BSD-3-Clause
// The work-stealing pools of all streams, for thieves. Streams come and go; thieves keep a copy and
// look at the version before they sleep. Pools are never destroyed while the process runs, so a
// late thief is safe.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <vector>

#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {

// field      written by         read by     order
// members_   join (lock)        copy (lock) the lock's
// sleepers_  add, remove (lock) add, wake_one, wake_all (lock)  the lock's
// version_   join (lock)        anybody     release / acquire
class steal_group {
public:
    struct member {
        stealing_pool* pool;
        int processor;
    };

    steal_group() noexcept { base::hold_across_fork(base::fork_lock::thieves, lock_); }

    // A pool for a new stream: a retired one if there is any.
    stealing_pool& enter(int processor);
    void retire(stealing_pool& p);

    // A thief that may sleep, by its slot, before its stream starts. `own` is its pool: those that
    // sleep now do not know that, if it is a new member of the group. From here on its work wakes
    // them all the same.
    void add_sleeper(unsigned slot, stealing_pool& own);
    // Before the slot is given back.
    void remove_sleeper(unsigned slot) noexcept;

    // Any OS thread: wakes one of the thieves that sleep, or all of them. False: none sleeps.
    bool wake_one() noexcept;
    void wake_all() noexcept;

    // Takes every unit out of every pool. For a runtime that stops, when no stream is left.
    void empty_all(worker& w, void (*dropped)(worker&, work_unit*));

    std::uint64_t version() const noexcept {
        // pairs with: enter(), store of version_
        return version_.load(std::memory_order_acquire);
    }
    // Everybody else's pools, nearest first, with the version that the copy belongs to.
    std::uint64_t others(const stealing_pool& mine, std::vector<stealing_pool*>& result) const;

private:
    mutable std::mutex lock_;
    std::vector<member> members_;
    std::vector<stealing_pool*> retired_;
    std::bitset<lot::no_slot> sleepers_;
    ds::default_atomics::atomic<std::uint64_t> version_{1};
};

steal_group& thieves();

}  // namespace lazult::sched
