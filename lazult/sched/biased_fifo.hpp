// SPDX-License-Identifier: BSD-3-Clause
// First in, first out, for any number of consumers, in the hope that there is one: the first stream that attaches the pool
// owns it, and pushes and pops in a lane of its own without locked instructions, as in a private pool. All others push to a
// shared queue, which the owner looks at too. Once somebody else wants units from here, the owner gives its lane up at its
// next look at the pool, for good: from then on this is a shared_fifo.
//
// Whoever may run a unit here writes its join word as for any shared pool: units are launched open (core::launch_open), or
// with is_local false. So nothing has to be told to anybody when the lane is given up.
//
// field         who writes                        who reads        order
// owner_        attach from nobody; give_up, the  anybody          CAS acquire; release; relaxed for those who only learn
//               owner                                              that they are not it
// local_        the owner                         the owner        none needed
// is_wanted_    anybody, once                     the owner        relaxed: what it leads to is ordered by the queue
// attachments_  the owner                         the owner        none needed
#pragma once

#include "lazult/sched/shared_fifo.hpp"

namespace lazult::sched {

class biased_fifo : public shared_fifo {
public:
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override { return local_size_.get() + shared_fifo::size(); }
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    const char* kind() const noexcept override { return "biased_fifo"; }
    void for_each(visitor visit, void* argument) override;

    // Somebody else is going to pop here. At once if the caller is the owner's unit; else what stands in the lane comes when
    // the owner looks at the pool.
    void expect_others() noexcept override;

protected:
    work_unit* pop_other(worker& w) noexcept override;

private:
    bool is_wanted() const noexcept { return is_wanted_.load(std::memory_order_relaxed); }
    void give_up(worker& w) noexcept;

    ds::default_atomics::atomic<bool> is_wanted_{false};
    int attachments_ = 0;
};

}  // namespace lazult::sched
