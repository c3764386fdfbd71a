// SPDX-License-Identifier: BSD-3-Clause
// First in, first out, popped by one stream. The owner takes no locked instruction; all others, who may still
// make units ready here, go through an inbox.
//
// field        who writes           who reads            order
// owner_       attach, detach       anybody              set before units are pushed from elsewhere
// local_       the owner            the owner            none needed
// inbox_       anybody but owner    the owner            see ds/mpsc_queue.hpp
// inbox_size_  anybody              anybody              relaxed: a hint
// successor_   retire               push_other           release / acquire, ordered with inbox_ by the barriers
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class private_fifo final : public ready_pool {
public:
    // Its stream has gone for good: units that become ready here from now on go to the successor, and those that
    // are here move there. The pool itself must stay, because suspended units know it.
    void retire(core::pool& successor) noexcept;

    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    bool is_private() const noexcept override { return true; }
    const char* kind() const noexcept override { return "private_fifo"; }

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    core::pool* retired_to() noexcept;
    void forward(core::pool& successor) noexcept;

    ds::mpsc_queue<work_unit, &work_unit::next> inbox_;
    ds::default_atomics::atomic<std::size_t> inbox_size_{0};
    ds::default_atomics::atomic<core::pool*> successor_{nullptr};
};

}  // namespace lazult::sched
