// SPDX-License-Identifier: BSD-3-Clause
// A mutex that its owner, a work unit or an OS thread, may lock again.
//
// field    written by    read by    order
// owner_   the holder    anyone     relaxed: only the owner itself can find its own name there, and
//                                   it wrote that
// depth_   the holder    the holder the mutex's
#pragma once

#include "lazult/sync/mutex.hpp"

#include <cstdint>

namespace lazult::sync {

class recursive_mutex {
public:
    constexpr recursive_mutex() noexcept = default;
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;

    // Misuse in a tasklet, as for mutex.
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

    // Misuse when the caller does not hold it.
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

    // An OS thread outside the streams is known by its worker, which lives as long as the thread.
    // So is that of an OS thread that became a stream: it may have locked before the runtime
    // started, and unlock afterwards.
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
