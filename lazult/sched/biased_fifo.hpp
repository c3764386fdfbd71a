// SPDX-License-Identifier: BSD-3-Clause
// First in, first out, for any number of consumers, in the hope that there is one: the first stream that attaches the pool
// owns it, and pushes and pops in a lane of its own without locked instructions, as in a private pool. All others push to an
// inbox, which the owner looks at too. Once somebody else wants units from here, that one takes what is in the inbox and closes
// it, and the owner gives its lane up at its next look at the pool, for good: from then on this is a shared_fifo. A closed inbox
// sends everybody to the shared queue, after what is on its way from the inbox; the owner looks there first, so that what one
// thread pushes stays in order, but for pushes at the moment when a stream attaches the pool.
//
// Whoever may run a unit here writes its join word as for any shared pool: units are launched open (core::launch_open), or
// with is_local false. So nothing has to be told to anybody when the lane is given up.
//
// field         written by                        read by          order
// owner_        attach from nobody; give_up, the  anybody          CAS acquire; release; relaxed for those who only learn
//               owner                                              that they are not it
// local_        the owner                         the owner        none needed
// is_wanted_    anybody, once                     the owner        relaxed: what it leads to is ordered by the queue
// on_the_way_   who spills the inbox              anybody          release / acquire: not 0 while units are in neither queue
// inbox_        anybody but the owner; open: the  anybody          see ds/inbox.hpp
//               owner
// attachments_  the owner                         the owner        none needed
#pragma once

#include "lazult/sched/shared_fifo.hpp"

namespace lazult::sched {

class biased_fifo : public shared_fifo {
public:
    biased_fifo() { core::announce_built(); }  // throws std::bad_alloc
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override {
        // In the direction that units move, lest one is overlooked.
        std::size_t first = inbox_.size_estimate();
        first += local_size_.get();
        const std::size_t between = on_the_way_.load(std::memory_order_acquire);  // pairs with: spill()
        return first + between + shared_fifo::size();
    }
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    const char* kind() const noexcept override { return "biased_fifo"; }
    void for_each(visitor visit, void* argument) override;

    // Somebody else is going to pop here. At once if the caller is the owner's unit; else what stands in the lane comes when
    // the owner looks at the pool.
    void expect_others() noexcept override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;

private:
    bool is_wanted() const noexcept { return is_wanted_.load(std::memory_order_relaxed); }
    void give_up(worker& w) noexcept;
    void want() noexcept;
    void spill(worker* w) noexcept;
    void push_shared(worker* w, work_unit* first) noexcept;
    void collect_shared(worker& w) noexcept;
    void collect_inbox() noexcept;
    void await_spill() const noexcept;
    work_unit* pop_collected() noexcept;
    work_unit* pop_for_others(worker& w) noexcept;

    ds::inbox<work_unit, &work_unit::next> inbox_;
    ds::default_atomics::atomic<bool> is_wanted_{false};
    ds::default_atomics::atomic<std::size_t> on_the_way_{0};
    int attachments_ = 0;
};

}  // namespace lazult::sched
