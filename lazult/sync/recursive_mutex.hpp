// SPDX-License-Identifier: BSD-3-Clause
// A mutex that its owner, a work unit or an OS thread, may lock again.
//
// field    written by    read by    order
// owner_   the holder    anyone     relaxed: a caller compares it with its own name, which only the
//                                   caller itself writes
// depth_   the holder    the holder the mutex's
#pragma once

#include "lazult/sync/mutex.hpp"

#include <cstdint>

namespace lazult::sync {

class recursive_mutex {
public:
    // Misuse in a tasklet that would have to wait.
    void lock() {
        const owner me = caller();
        if (is_owned_by(me)) {
            ++depth_;
            return;
        }
        mutex_.lock();
        take(me);
    }
    bool try_lock() noexcept {
        const owner me = caller();
        if (is_owned_by(me)) {
            ++depth_;
            return true;
        }
        if (!mutex_.try_lock()) {
            return false;
        }
        take(me);
        return true;
    }
    base::status lock_until(std::int64_t deadline_ns) {
        const owner me = caller();
        if (is_owned_by(me)) {
            ++depth_;
            return base::status::ok;
        }
        const base::status outcome = mutex_.lock_until(deadline_ns);
        if (outcome == base::status::ok) {
            take(me);
        }
        return outcome;
    }

    // Misuse if the caller does not hold the mutex.
    void unlock() noexcept {
        if (!is_owned_by(caller())) LAZULT_UNLIKELY {
            base::fatal_misuse("recursive mutex",
                               "it is unlocked by a caller that does not hold it",
                               "unlock it where it was locked, as often as it was locked");
        }
        if (--depth_ == 0) {
            // relaxed: see the table
            owner_.store(0, std::memory_order_relaxed);
            mutex_.unlock();
        }
    }

    bool is_mine() const noexcept { return is_owned_by(caller()); }

private:
    using owner = std::uintptr_t;

    // Returns the caller's name: a unit's own address, or an OS thread's worker, which lives as
    // long as the thread. A primary unit that stays on its OS thread has the worker, too, because
    // the thread may lock before the runtime starts, and unlock afterwards.
    static owner caller() noexcept {
        core::worker& w = core::this_worker();
        const core::work_unit* u = w.current;
        const bool is_thread =
            u == nullptr || (u->has(core::flag_host) && u->stk == &w.thread_stack);
        return is_thread ? reinterpret_cast<owner>(&w) : reinterpret_cast<owner>(u);
    }
    bool is_owned_by(owner who) const noexcept {
        return owner_.load(std::memory_order_relaxed) == who;
    }
    void take(owner me) noexcept {
        owner_.store(me, std::memory_order_relaxed);
        depth_ = 1;
    }

    mutex mutex_;
    ds::default_atomics::atomic<owner> owner_{0};
    std::uint64_t depth_ = 0;
};
static_assert(sizeof(recursive_mutex) == 32);

}  // namespace lazult::sync
