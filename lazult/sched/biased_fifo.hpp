// SPDX-License-Identifier: BSD-3-Clause
// A pool for any number of consumers, first in, first out, but fastest for one of them. The first
// stream that attaches the pool owns it. The owner pushes and pops in a lane of its own without
// locked instructions, as in a private pool. All other threads push to an inbox, which the owner
// looks at too.
//
// A thread other than the owner that wants units takes what is in the inbox, and closes the inbox.
// The owner gives its lane up for good at its next look at the pool. From then on the pool is a
// shared_fifo. A closed inbox sends every pusher to the shared queue, behind the units that are on
// their way from the inbox. The owner looks in the shared queue first. So the units that one thread
// pushes stay in order, except for pushes at the moment when a stream attaches the pool.
//
// A staying_fifo can have a lane, too (biased_staying). While a pool has one consumer, its units
// stay anyhow. A stream that could keep units here takes none before the owner has given up its
// lane. Else the owner could push a unit into the lane that has begun on that other stream. So such
// a stream may wait for the owner's next look.
//
// Units are launched here as in any shared pool: open (core::launch_open), or with is_local false.
// Then any thread may write a unit's join word. So no thread has to be notified when the owner
// gives the lane up.
//
// field         written by                        read by          order
// owner_        attach from nobody; give_up, the  anybody          CAS acquire; release; relaxed
//               owner                                              for threads that only learn that
//                                                                  they are not the owner
// local_        the owner                         the owner        none needed
// is_wanted_    anybody, once                     the owner        relaxed: the queue orders all
//                                                                  that follows
// on_the_way_   the spiller of the inbox          anybody          release / acquire: not 0 while
//                                                                  units are in neither queue
// inbox_        anybody but the owner; open: the  anybody          see ds/inbox.hpp
//               owner
// attachments_  the owner                         the owner        none needed
#pragma once

#include "lazult/sched/shared_fifo.hpp"
#include "lazult/sched/staying_pool.hpp"

namespace lazult::sched {

// Queue: the shared queue, and the rule of which stream may take a unit there.
template <class Queue>
class biased_queue : public Queue {
public:
    using Queue::is_private_to;

    biased_queue() { core::announce_built(); }  // throws std::bad_alloc
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override {
        // Counts in the order in which units move, so that none is missed.
        std::size_t first = inbox_.size_estimate();
        first += local_size_.get();
        // pairs with: spill()
        const std::size_t between = on_the_way_.load(std::memory_order_acquire);
        return first + between + Queue::size();
    }
    bool serves(const worker& w) const noexcept override { return is_private_to(&w); }
    const char* kind() const noexcept override { return "biased_fifo"; }
    void for_each(core::pool::visitor visit, void* argument) override;

    // Called when another thread is going to pop here. The owner gives up its lane: at once if the
    // caller runs on the owner's stream, else at the owner's next look at the pool.
    void expect_others() noexcept override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool may_keep(const worker& w, const work_unit& u) const noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override {
        return !must_await_owner(w) && Queue::take_other(w, u);
    }

private:
    using Queue::announce;
    using Queue::local_;
    using Queue::local_size_;
    using Queue::nobody;
    using Queue::owner_;
    using Queue::push_local;

    bool is_wanted() const noexcept { return is_wanted_.load(std::memory_order_relaxed); }
    bool must_await_owner(const worker& w) const noexcept;
    void wake_owner() noexcept;
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

using biased_fifo = biased_queue<shared_fifo>;
using biased_staying = biased_queue<staying_fifo>;
extern template class biased_queue<shared_fifo>;
extern template class biased_queue<staying_fifo>;

}  // namespace lazult::sched
