// SPDX-License-Identifier: BSD-3-Clause
// The queues of streams, for spare streams: private ones and shared ones. A pool is listed here
// with each stream that pops there. The monitor says which streams are caught, and spare streams
// take units from the pools of those. The caught stream may return at any time. Then it and spare
// streams use the pool together, until the monitor's next look.
//
// field     written by             read by           order
// all       enter, leave, note,    the same          the lock's
//           take
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// Whether the settings want spare streams, so that pools must be able to lend.
bool streams_may_lend() noexcept;

class lending_list {
public:
    lending_list() noexcept { base::hold_across_fork(base::fork_lock::lending, lock_); }

    // For the pool's stream. enter() returns false if out of memory. When leave() returns, no spare
    // stream uses the pool on behalf of the caller.
    bool enter(ready_pool& p, worker& owner) noexcept;
    void leave(const ready_pool& p, const worker& owner) noexcept;

    // For the monitor: these streams are caught. Returns whether a pool can lend from now on.
    bool note_caught(std::span<const worker* const> caught) noexcept;

    // For spare streams: whether caught streams have such pools; whether there are units in such
    // pools, as it seems; a unit to run, or nullptr. The unit's code takes the spare stream for the
    // caught one: the spare stream has its number then.
    bool has_lenders() noexcept;
    bool maybe_has_work(const worker& spare) noexcept;
    work_unit* take(worker& spare) noexcept;

private:
    struct lender {
        ready_pool* pool;
        worker* owner;
        bool is_caught;
    };

    std::mutex lock_;
    std::vector<lender> all_;
    std::size_t turn_ = 0;
};

lending_list& lending();

}  // namespace lazult::sched
