// SPDX-License-Identifier: BSD-3-Clause
// First in, first out, popped by one stream. The owner takes no locked instruction. All other
// threads may still make units ready here, through an inbox. If no stream has attached the pool, a
// thread that pops owns the pool while it pops.
//
// field         written by           read by              order
// owner_        attach, detach;      anybody              CAS acquire from nobody, and release back
//                                                         to it: what the
//               own, disown                               owner before left in local_; else relaxed
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

    // Its stream has gone for good: units that become ready here from now on go to the successor,
    // and those that are here move there. The pool itself must stay, because suspended units know
    // it.
    void retire(core::pool& successor) noexcept;

    // Schedulers of one stream may attach it several times.
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    bool is_private() const noexcept override { return true; }
    const char* kind() const noexcept override { return "private_fifo"; }
    // By its owner, or while that rests.
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
};

}  // namespace lazult::sched
