// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/lendable_fifo.hpp"

#include "lazult/sched/lending.hpp"

namespace lazult::sched {

base::status lendable_fifo::attach(worker& w) noexcept {
    worker* owner = nullptr;
    // acquire pairs with: detach(), store of owner_
    const bool is_new = owner_.compare_exchange_strong(owner, &w, std::memory_order_acquire,
                                                       std::memory_order_relaxed);
    if (!is_new && owner != &w) {
        return base::status::busy;
    }
    if (is_new) {
        probe::acquire(&owner_);
        keeps_lane_ = ds::default_atomics::light_barrier_is_free();
        if (!lending().enter(*this, w)) {
            owner_.store(nullptr, std::memory_order_release);  // pairs with: the CAS above
            return base::status::out_of_memory;
        }
    }
    ++attachments_;
    return base::status::ok;
}

void lendable_fifo::detach(worker& w) noexcept {
    if (!is_owned_by(&w) || --attachments_ != 0) {
        return;
    }
    lending().leave(*this, w);  // no spare stream is in here any more
    empty_lane(w);
    probe::release(&owner_);
    owner_.store(nullptr, std::memory_order_release);  // pairs with: attach(), CAS of owner_
}

// The units stay in the shared queue, for the next owner.
void lendable_fifo::empty_lane(worker& w) noexcept {
    const core::push_guard here(&w, *this);
    while (!lane_.empty_estimate()) {
        if (work_unit* const u = lane_.pop(); u != nullptr) {
            shared_fifo::push_other(&w, u);
        } else {
            os::yield_thread();  // because a thread that lists the units is inside
        }
    }
}

// The owner is awake, so a push to its lane wakes nobody. Spare streams look from time to time.
void lendable_fifo::push_other(worker* w, work_unit* u) noexcept {
    if (!is_owned_by(w) || !keeps_lane_ || !lane_.push(u)) {
        shared_fifo::push_other(w, u);
    }
}

work_unit* lendable_fifo::pop_other(worker& w) noexcept {
    if (!is_owned_by(&w)) {
        const bool has_owner = owner_.load(std::memory_order_relaxed) != nullptr;
        return has_owner ? nullptr : shared_fifo::pop_other(w);
    }
    is_shared_turn_ = !is_shared_turn_;
    work_unit* first = is_shared_turn_ ? shared_fifo::pop_other(w) : lane_.pop();
    if (first == nullptr) {
        first = is_shared_turn_ ? lane_.pop() : shared_fifo::pop_other(w);
    }
    return first;
}

// A unit in the shared queue may come before those in the lane. Then this is pop_other()'s work. A
// spare stream leaves a unit where it is until its context is saved: see may_go().
work_unit* lendable_fifo::change_turns(worker& w, work_unit* running) noexcept {
    if (!is_owned_by(&w) || !keeps_lane_ || shared_fifo::maybe_has_work(w)) {
        return nullptr;
    }
    return lane_.rotate(running, [](work_unit& u) { u.begin_to_leave(); });
}

// A spare stream that looks through the lane, or the queue, would hide the unit.
bool lendable_fifo::remove(work_unit* u) noexcept {
    const auto held_off = lending().hold_off();
    return (is_owned_by(core::this_worker_or_null()) && lane_.remove(u)) || remove_from_queue(u);
}

void lendable_fifo::for_each(visitor visit, void* argument) {
    lane_.for_each(is_owned_by(core::this_worker_or_null()),
                   [=](work_unit* u) { visit(u, argument); });
    shared_fifo::for_each(visit, argument);
}

work_unit* lendable_fifo::lend(worker& spare) noexcept {
    work_unit* const u = lane_.take_any(may_go);
    return u != nullptr ? u : shared_fifo::lend(spare);
}

}  // namespace lazult::sched
