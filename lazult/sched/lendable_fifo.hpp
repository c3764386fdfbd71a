// SPDX-License-Identifier: BSD-3-Clause
// A private pool that lends its units. One stream owns the pool, and pops the oldest unit first, as
// in a private_fifo. While the owner is caught, spare streams take units, too (lending.hpp).
// make_pool() makes this pool in place of a private_fifo if the settings want spare streams.
//
// The owner pushes to a lane of its own, without a locked instruction. The lane is a
// ds::owned_fifo: a spare stream takes from it while the owner is not inside, and a caught owner is
// not. If the owner comes back meanwhile, it finds the lane taken for a moment, and uses the shared
// queue. All other threads push to the shared queue. The owner takes from both in turn.
//
// field            written by      read by     order
// owner_           attach, detach  anybody     CAS acquire from null, release back to null: the
//                                              plain fields go from owner to owner; else relaxed
// attachments_,    the owner       the owner   none needed
// is_shared_turn_,
// keeps_lane_
// lane_            see ds/owned_fifo.hpp
#pragma once

#include "lazult/sched/shared_fifo.hpp"

namespace lazult::sched {

class lendable_fifo : public shared_fifo {
public:
    lendable_fifo() { core::announce_built(); }  // throws std::bad_alloc
    ~lendable_fifo() override { core::await_pushers(*this); }

    // Several schedulers of one stream may attach the pool.
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override {
        return !lane_.empty_estimate() || shared_fifo::maybe_has_work(w);
    }
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override {
        return lane_.size_estimate() + shared_fifo::size();
    }
    bool serves(const worker& w) const noexcept override { return is_owned_by(&w); }
    bool is_private() const noexcept override { return true; }
    // A unit that begins on a spare stream goes on there if what has begun stays.
    bool lets_units_move() const noexcept override {
        return base::current_settings().started == base::started_kind::stay &&
               !is_owned_by(core::this_worker_or_null());
    }
    const char* kind() const noexcept override { return "private_fifo"; }
    work_unit* change_turns(worker& w, work_unit* running) noexcept override;
    void for_each(visitor visit, void* argument) override;

    work_unit* lend(worker& spare) noexcept override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override {
        return is_owned_by(&w) && lane_.remove_front(u);
    }

private:
    bool is_owned_by(const worker* w) const noexcept {
        return w != nullptr && owner_.load(std::memory_order_relaxed) == w;
    }
    void empty_lane(worker& w) noexcept;

    ds::default_atomics::atomic<worker*> owner_{nullptr};
    int attachments_ = 0;
    bool is_shared_turn_ = false;
    bool keeps_lane_ = false;  // light barriers are free
    ds::owned_fifo<work_unit, &work_unit::next> lane_;
};

}  // namespace lazult::sched
