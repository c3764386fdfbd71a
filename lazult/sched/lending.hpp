// SPDX-License-Identifier: BSD-3-Clause
// The queues of streams, for spare streams: private ones and shared ones. A pool is listed here
// with each stream that pops there. The monitor says which streams are caught, and spare streams
// take units from the pools of those. The caught stream may return at any time. Then it and spare
// streams use the pool together, until the monitor's next look.
//
// A lent unit is out of its pool. The pool's lent() counts it from before it leaves until it has
// left the spare stream, so that the stream it came from does not end meanwhile. The pool also
// seems empty while a spare stream looks through it. So a stream that may end looks a last time
// while it holds spare streams off: see hold_off().
//
// Nor does a caught stream look into its port, where its units wait for descriptors and files.
// Spare streams look there, too.
//
// field     written by             read by           order
// all       enter, leave, note,    the same          the lock's
//           take
// counts,   enter                  the same          the lock's
// last_count,
// looks_left
// caught    note_caught            look_into_ports   the lock's
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// Whether the settings want spare streams, so that pools must be able to lend.
bool streams_may_lend() noexcept;

class lending_list {
public:
    lending_list() noexcept;

    // For the pool's stream. enter() returns false if out of memory. When leave() returns, no spare
    // stream uses the pool on behalf of the caller.
    bool enter(ready_pool& p, worker& owner) noexcept;
    void leave(const ready_pool& p, const worker& owner) noexcept;

    // For the monitor: these streams are caught. Returns whether a pool can lend from now on, or
    // units wait in a port.
    bool note_caught(std::span<worker* const> caught) noexcept;

    // For spare streams: whether caught streams have such pools; whether there are units in such
    // pools, as it seems; a unit to run, or no unit. The unit's code takes the spare stream for the
    // caught one: the spare stream has its number then. When the unit has left the spare stream,
    // that calls count->change(-1). The pool may be gone by then.
    struct loan {
        work_unit* unit = nullptr;
        loan_count* count = nullptr;
    };
    bool has_lenders() noexcept;
    // The same for ports. Returns how many units were made ready.
    bool has_awaited_ports() noexcept;
    int look_into_ports() noexcept;
    bool maybe_has_work(const worker& spare) noexcept;
    loan take(worker& spare) noexcept;

    // For threads that look for units in pools: no spare stream takes units, or looks for them,
    // while the caller has the lock. The caller must not call users' pools. Returns no lock if
    // there are never spare streams.
    [[nodiscard]] std::unique_lock<std::mutex> hold_off() noexcept;

private:
    static void forget_parents_streams() noexcept;

    loan_count* unused_or_new_count();
    void note_ports(std::span<worker* const> caught) noexcept;
    static core::kernel_port* awaited_port_of(worker& w) noexcept;
    bool has_awaited_port() const noexcept;
    std::size_t count_caught() noexcept;
    core::kernel_port* awaited_port_at(std::size_t i) noexcept;

    struct lender {
        ready_pool* pool;
        worker* owner;
        bool is_caught;
    };

    std::mutex lock_;
    std::vector<std::unique_ptr<loan_count>> counts_;
    std::size_t last_count_ = 0;  // the one that enter() looked at last
    std::size_t looks_left_ = 0;  // that enter() may still take
    std::vector<lender> all_;
    std::vector<worker*> caught_;
    std::size_t turn_ = 0;
};

lending_list& lending();

}  // namespace lazult::sched
