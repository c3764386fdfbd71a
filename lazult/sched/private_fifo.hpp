// SPDX-License-Identifier: BSD-3-Clause
// A pool from which one stream pops, first in, first out. That stream, the owner, takes no locked
// instruction. All other threads push through an inbox. If no stream has attached the pool, a
// thread that pops owns the pool while it pops.
//
// field         written by           read by              order
// owner_        attach, detach,      anybody              CAS acquire from nobody, release back to
//               own, disown                               nobody: local_ goes from owner to owner;
//                                                         else relaxed
// local_        the owner            the owner            none needed
// attachments_  the owner            attach               relaxed: 0 marks an owner that only pops
// inbox_        anybody but owner    the owner            see ds/mpsc_queue.hpp
// arrivals_     anybody              anybody              relaxed: a hint
// successor_    retire               push_other, disown   release / acquire, ordered with inbox_
//                                                         and owner_ by the barriers
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class private_fifo : public ready_pool {
public:
    private_fifo() noexcept {
        confines_ = true;
        core::announce_built();
    }
    ~private_fifo() override { core::await_pushers(*this); }

    // Called when the pool's stream has ended for good. Units that are here, and units that become
    // ready here later, go to the successor. The pool must not be destroyed, because suspended
    // units refer to it.
    void retire(core::pool& successor) noexcept;

    // Several schedulers of one stream may attach the pool.
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    bool is_private() const noexcept override { return true; }
    const char* kind() const noexcept override { return "private_fifo"; }
    // Called before other threads know the pool.
    void set_place_of_new_units(core::pool& p) noexcept { place_of_new_units_ = &p; }
    core::pool& place_of_new_units() noexcept override { return *place_of_new_units_; }
    // Called by the owner, or while the owner does not use the pool.
    void for_each(visitor visit, void* argument) override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    bool own(worker& w) noexcept;
    void disown() noexcept;
    core::pool* retired_to() noexcept;
    void forward(core::pool& successor) noexcept;
    work_unit* pop_collected() noexcept;
    void collect_inbox() noexcept;
    void deliver_messages() noexcept;

    ds::mpsc_queue<work_unit, &work_unit::next> inbox_;
    ds::default_atomics::atomic<core::pool*> successor_{nullptr};
    ds::default_atomics::atomic<int> attachments_{0};
    core::pool* place_of_new_units_ = this;
};

}  // namespace lazult::sched
