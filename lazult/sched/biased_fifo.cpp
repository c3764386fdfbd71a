// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/biased_fifo.hpp"

namespace lazult::sched {

template <class Queue>
base::status biased_queue<Queue>::attach(worker& w) noexcept {
    worker* expected = nobody;
    // acquire pairs with: give_up(), store of owner_
    if (!is_wanted() && !Queue::keeps_for_others(w) &&
        owner_.compare_exchange_strong(expected, &w, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        probe::acquire(&owner_);
        attachments_ = 0;
        // If another thread has wanted units since, give_up() closes the inbox again.
        inbox_.open();
        Queue::offer_fast_way(w);
    }
    if (!is_private_to(&w)) {
        expect_others();
        return base::status::ok;
    }
    ++attachments_;
    if (Queue::keeps() && (is_wanted() || Queue::keeps_for_others(w))) {
        give_up(w);  // another stream has come since the first look
    }
    return base::status::ok;
}

template <class Queue>
void biased_queue<Queue>::detach(worker& w) noexcept {
    if (is_private_to(&w) && --attachments_ == 0) {
        give_up(w);
    }
}

template <class Queue>
void biased_queue<Queue>::push_shared(worker* w, work_unit* first) noexcept {
    while (first != nullptr) {
        work_unit* const following = first->next;
        Queue::push_other(w, first);
        first = following;
    }
}

// Moves the units of the inbox to the shared queue, and closes the inbox. Called under a
// push_guard, because a unit that is pushed may run, end, and destroy the pool.
template <class Queue>
void biased_queue<Queue>::spill(worker* w) noexcept {
    if (inbox_.is_closed()) {
        return;
    }
    // acq_rel: a thread that misses the units sees the count. pairs with: size(), maybe_has_work()
    on_the_way_.fetch_add(1, std::memory_order_acq_rel);
    push_shared(w, inbox_.close());
    on_the_way_.fetch_sub(1, std::memory_order_release);  // pairs with: size(), maybe_has_work()
}

// Called by the owner between two operations on the pool: gives up the lane and the ownership.
template <class Queue>
void biased_queue<Queue>::give_up(worker& w) noexcept {
    if (w.fast_pool == this) {
        w.fast_pool = nullptr;
    }
    const core::push_guard here(&w, *this);
    while (!local_.empty()) {
        Queue::push_other(&w, local_.pop_front());
        // not before the push, or the pool would seem empty to another scheduler, which may end
        local_size_.decrement();
    }
    spill(&w);
    probe::release(&owner_);
    owner_.store(nobody, std::memory_order_release);  // pairs with: attach(), CAS of owner_
    if (Queue::keeps()) {
        Queue::idle_gate().notify_all();  // a stream in must_await_owner() may sleep
    }
}

// Returns whether the stream of `w` could keep units of the pool, but another stream has a lane.
template <class Queue>
bool biased_queue<Queue>::must_await_owner(const worker& w) const noexcept {
    return Queue::keeps() && !is_private_to(nobody) && !is_private_to(&w) && Queue::has_place(w);
}

// Called by a stream in must_await_owner(), because a push may have woken that stream alone.
template <class Queue>
void biased_queue<Queue>::wake_owner() noexcept {
    const worker* const owner = owner_.load(std::memory_order_relaxed);  // only compared
    if (owner != nobody) {
        if (gate* const its = Queue::gate_of_kept(*owner); its != nullptr) {
            its->notify();
        }
    }
}

template <class Queue>
void biased_queue<Queue>::want() noexcept {
    is_wanted_.store(true, std::memory_order_relaxed);
}

template <class Queue>
void biased_queue<Queue>::expect_others() noexcept {
    want();
    if (worker* w = core::this_worker_or_null(); w != nullptr && is_private_to(w)) {
        give_up(*w);
    }
}

// The next two are called by the owner. They raise local_size_, so that the pool never seems empty.
template <class Queue>
void biased_queue<Queue>::collect_shared(worker& w) noexcept {
    std::size_t left = Queue::size();
    if (left == 0) LAZULT_LIKELY {
        return;
    }
    local_size_.increment();
    for (; left != 0; --left) {
        work_unit* u = Queue::pop_other(w);
        if (u == nullptr) {
            break;
        }
        push_local(u);
    }
    local_size_.decrement();
}

template <class Queue>
void biased_queue<Queue>::collect_inbox() noexcept {
    if (inbox_.empty_estimate()) LAZULT_LIKELY {
        return;
    }
    local_size_.increment();
    for (work_unit* u = inbox_.take_all(); u != nullptr;) {
        work_unit* const following = u->next;
        push_local(u);
        u = following;
    }
    local_size_.decrement();
}

template <class Queue>
void biased_queue<Queue>::collect(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return;
    }
    if (is_wanted()) LAZULT_UNLIKELY {
        give_up(w);
        return;
    }
    collect_shared(w);
    collect_inbox();
    inbox_.open();  // for_each() of another thread may have closed it
}

template <class Queue>
bool biased_queue<Queue>::maybe_has_work(const worker& w) const noexcept {
    if (must_await_owner(w)) LAZULT_UNLIKELY {
        return false;
    }
    return (is_private_to(&w) && local_size_.get() != 0) || !inbox_.empty_estimate() ||
           on_the_way_.load(std::memory_order_acquire) != 0 ||  // pairs with: spill()
           Queue::maybe_has_work(w);
}

template <class Queue>
void biased_queue<Queue>::push_other(worker* w, work_unit* u) noexcept {
    if (inbox_.push(u)) LAZULT_LIKELY {
        announce();
    } else {
        await_spill();
        Queue::push_other(w, u);
    }
}

// Waits until the units of a closed inbox are in the shared queue. Called by a pusher that the
// inbox refused, so that its unit does not overtake units that it pushed before.
template <class Queue>
void biased_queue<Queue>::await_spill() const noexcept {
    constexpr unsigned pauses_per_yield = 64;
    // pairs with: spill()
    for (unsigned i = 1; on_the_way_.load(std::memory_order_acquire) != 0; ++i) {
        if (i % pauses_per_yield == 0) {
            os::yield_thread();
        } else {
            ds::default_atomics::pause();
        }
    }
}

// The owner comes here when its lane is empty.
template <class Queue>
work_unit* biased_queue<Queue>::pop_other(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return pop_for_others(w);
    }
    work_unit* u = Queue::pop_other(w);
    if (is_wanted()) LAZULT_UNLIKELY {
        give_up(w);
    } else if (u == nullptr && !inbox_.empty_estimate()) {
        u = pop_collected();
    }
    return u;
}

// A single unit does not go through the lane, because every pusher reads the lane's cache line.
template <class Queue>
work_unit* biased_queue<Queue>::pop_collected() noexcept {
    if (work_unit* only = inbox_.take_only(); only != nullptr) LAZULT_LIKELY {
        return only;
    }
    collect_inbox();
    if (local_.empty()) {
        return nullptr;
    }
    local_size_.decrement();
    return local_.pop_front();
}

// Pops a unit for a thread that does not own the pool. If the shared queue is empty, asks the owner
// to give up its lane, and moves the inbox to the shared queue.
template <class Queue>
work_unit* biased_queue<Queue>::pop_for_others(worker& w) noexcept {
    if (must_await_owner(w)) LAZULT_UNLIKELY {
        want();
        wake_owner();
        return nullptr;
    }
    work_unit* u = Queue::pop_other(w);
    if (u != nullptr || is_private_to(nobody)) {
        return u;
    }
    if (!is_wanted()) LAZULT_UNLIKELY {
        want();
    }
    if (inbox_.empty_estimate()) LAZULT_LIKELY {
        return nullptr;
    }
    {
        const core::push_guard here(&w, *this);
        spill(&w);
    }
    return Queue::pop_other(w);
}

template <class Queue>
bool biased_queue<Queue>::remove(work_unit* u) noexcept {
    worker& w = core::this_worker();
    if (is_private_to(&w)) {
        collect_shared(w);
        collect_inbox();
        if (local_.remove(u)) {
            local_size_.decrement();
            return true;
        }
    } else if (!is_private_to(nobody)) {
        want();
        const core::push_guard here(&w, *this);
        spill(&w);
    }
    return Queue::remove(u);
}

template <class Queue>
void biased_queue<Queue>::for_each(core::pool::visitor visit, void* argument) {
    worker* const w = core::this_worker_or_null();
    const bool is_mine = w != nullptr && is_private_to(w);
    if (is_mine) {
        collect_shared(*w);
        collect_inbox();
    }
    if (is_mine || is_private_to(nobody)) {
        local_.for_each([=](work_unit* u) { visit(u, argument); });
    } else {  // the lane is the owner's, so only the other units are shown
        const core::push_guard here(w, *this);
        spill(w);
    }
    Queue::for_each(visit, argument);
}

template <class Queue>
bool biased_queue<Queue>::may_keep(const worker& w, const work_unit& u) const noexcept {
    return is_private_to(&w) || (!must_await_owner(w) && Queue::may_keep(w, u));
}

template class biased_queue<shared_fifo>;
template class biased_queue<staying_fifo>;

}  // namespace lazult::sched
