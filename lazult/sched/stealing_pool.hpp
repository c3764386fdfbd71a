// SPDX-License-Identifier: BSD-3-Clause
// A work-stealing pool: its owner works at the bottom of a deque, last in first out; thieves take from the top,
// first in first out; everybody else, and units that give way, go through an inbox that thieves may empty too.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class stealing_pool : public ready_pool {
public:
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    // Any stream of the steal group may run what is at home here.
    bool serves(const worker&) const noexcept override { return true; }
    const char* kind() const noexcept override { return "work_stealing"; }
    void for_each(visitor visit, void* argument) override;

    // Whether a stream is attached. A hint to others.
    bool is_owned() const noexcept { return deque_owner_.load(std::memory_order_relaxed) != nullptr; }

    // By a thief: one unit, or nullptr. Up to half of the rest moves to the thief's own pool.
    work_unit* steal(worker& thief, stealing_pool& into) noexcept;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    void push_yielded_other(worker* w, work_unit* u) noexcept override;
    ticket push_parent_other(worker* w, work_unit* u) noexcept override;
    bool take_parent_other(worker& w, work_unit* u, ticket t) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    bool owned_by(const worker* w) const noexcept {
        return w == deque_owner_.load(std::memory_order_relaxed) && w != nullptr;
    }

    // field          who writes       who reads  order
    // deque_owner_   attach, detach   anybody    relaxed: whoever is not the owner only learns that
    ds::default_atomics::atomic<worker*> deque_owner_{nullptr};
    int attachments_ = 0;  // the owner's: schedulers of one stream that have the pool
    // What waits in the inbox, and the oldest units of a deque that newer ones keep on top of, would wait for ever while
    // no thief comes: the owner takes one of them at every 64th pop, as Go and Tokio do.
    static constexpr unsigned fair_period = 64;
    work_unit* pop_oldest() noexcept;
    unsigned pops_ = 0;  // the owner's
    ds::deque<work_unit> deque_;
    shared_queue inbox_;
};

}  // namespace lazult::sched
