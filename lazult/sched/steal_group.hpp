// SPDX-License-Identifier: BSD-3-Clause
// The work-stealing pools of all streams. Streams come and go. So each thief has a copy of the
// list, and compares its version with the group's before it sleeps. Pools are never destroyed while
// the process runs, so that a thief with an old copy is safe.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <vector>

#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {

// field      written by         read by     order
// members_   enter (lock)       others (lock) the lock's
// sleepers_  add, remove (lock) add, wake_one, wake_all (lock)  the lock's
// version_   enter (lock)       anybody     release / acquire
class steal_group {
public:
    struct member {
        stealing_pool* pool;
        int processor;
    };

    steal_group() noexcept { base::hold_across_fork(base::fork_lock::thieves, lock_); }

    // Returns a pool for a new stream: a retired pool if there is one.
    stealing_pool& enter(int processor);
    void retire(stealing_pool& p);

    // Adds the slot of a thief, which is its number in sleepers(), before its stream starts. `own`
    // is the thief's pool. Thieves that sleep now do not know that pool yet, if it is new in the
    // group. So they are registered at its gate, and its work wakes them, too.
    void add_sleeper(unsigned slot, stealing_pool& own);
    // Removes the slot from the group and from the gates of its pools. Called before the thief
    // gives the slot back to sleepers(), because the next thread with the slot may serve other
    // pools.
    void remove_sleeper(unsigned slot) noexcept;

    // Any OS thread may call these functions. wake_one() wakes one sleeping thief, or returns false
    // if there is none. wake_all() wakes all of them.
    bool wake_one() noexcept;
    void wake_all() noexcept;

    // Takes every unit out of every pool, for dropped(). Called when the runtime's streams have
    // ended.
    void empty_all(worker& w, void (*dropped)(worker&, work_unit*));

    std::uint64_t version() const noexcept {
        // pairs with: enter(), store of version_
        return version_.load(std::memory_order_acquire);
    }
    // Sets `result` to all pools but `mine`, nearest first. Returns the version of this copy.
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
