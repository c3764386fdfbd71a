// SPDX-License-Identifier: BSD-3-Clause
// The library's own pools.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// A pool from which one stream pops: PRIV, SPSC and MPSC.
class private_pool final : public sched::private_fifo, public pool_part {
public:
    private_pool() noexcept { set_makers_word(static_cast<pool_part*>(this)); }
};

// The same where spare streams help a stream that is caught (LAZULT_SPARE, LAZULT_QUANTUM).
class lendable_pool final : public sched::lendable_fifo, public pool_part {
public:
    lendable_pool() { set_makers_word(static_cast<pool_part*>(this)); }
    // Its ULTs are at home in pools of this door alone.
    bool lets_units_move() const noexcept override { return false; }
};

// A pool from which any number of streams pop: SPMC and MPMC.
template <class Queue>
class pool_of_streams final : public Queue, public pool_part {
public:
    pool_of_streams() {
        Queue::set_makers_word(static_cast<pool_part*>(this));
        is_shared = true;
    }

protected:
    // Lets a joiner take its child out of this pool, to run the child in place. The joiner's home
    // must be this pool, because clients rely on it that only streams which serve a pool run its
    // units.
    bool take_other(worker& w, work_unit* u) noexcept override {
        return w.current != nullptr && w.current->home == this && Queue::take_other(w, u);
    }
};
// While it has one scheduler, that scheduler uses it as fast as a private pool.
using shared_pool = pool_of_streams<sched::biased_fifo>;
// Where spare streams help, each unit goes through the queue.
using lendable_shared_pool = pool_of_streams<sched::shared_fifo>;
// ULTs stay on the stream where they began.
using staying_shared_pool = pool_of_streams<sched::staying_fifo>;
// The same, as fast as a private pool while it has one scheduler.
using staying_default_pool = pool_of_streams<sched::biased_staying>;

// A pool for work stealing. The stream that attached it first pushes and pops new units at the top.
// Other streams that have the pool steal the oldest units.
class stealing_pool final : public sched::stealing_pool, public pool_part {
public:
    stealing_pool() {
        set_makers_word(static_cast<pool_part*>(this));
        is_shared = true;
        hears_of_yields_ = true;  // the pool gets each unit that yields
    }

    base::status attach(worker& w) noexcept override {
        const base::status outcome = sched::stealing_pool::attach(w);
        return outcome == base::status::busy ? base::status::ok : outcome;
    }
    // Returns false: only streams that have the pool serve it.
    bool serves(const worker&) const noexcept override { return false; }
    bool binds_schedulers() const noexcept override { return false; }
    bool remove(work_unit* u) noexcept override;
};

}  // namespace lazult::abt
