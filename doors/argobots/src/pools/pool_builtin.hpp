// SPDX-License-Identifier: BSD-3-Clause
// The library's own pools.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// One stream pops it: PRIV, SPSC and MPSC.
class private_pool final : public sched::private_fifo, public pool_part {
public:
    private_pool() noexcept { set_makers_word(static_cast<pool_part*>(this)); }
};

// Any number of streams: SPMC and MPMC. While it has one scheduler, it is as fast as a private one
// there.
class shared_pool final : public sched::biased_fifo, public pool_part {
public:
    shared_pool() {
        set_makers_word(static_cast<pool_part*>(this));
        is_shared = true;
    }

protected:
    // A joiner may take its child from here to run it in place only where the pool's units run:
    // clients count on it that only the streams that have a pool run what is in it.
    bool take_other(worker& w, work_unit* u) noexcept override {
        return w.current != nullptr && w.current->home == this && biased_fifo::take_other(w, u);
    }
};

// For work stealing: new units on top, where the stream that attached it first works. Others that
// have the pool are thieves of the oldest.
class stealing_pool final : public sched::stealing_pool, public pool_part {
public:
    stealing_pool() {
        set_makers_word(static_cast<pool_part*>(this));
        is_shared = true;
        hears_of_yields_ = true;  // as sched::shared_fifo does
    }

    base::status attach(worker& w) noexcept override {
        const base::status outcome = sched::stealing_pool::attach(w);
        return outcome == base::status::busy ? base::status::ok : outcome;
    }
    // Not any stream: those that have it.
    bool serves(const worker&) const noexcept override { return false; }
    bool remove(work_unit* u) noexcept override;
};

}  // namespace lazult::abt
