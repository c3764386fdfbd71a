// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/biased_fifo.hpp"

namespace lazult::sched {

base::status biased_fifo::attach(worker& w) noexcept {
    worker* expected = nobody;
    // acquire pairs with: give_up(), store of owner_
    if (!is_wanted() &&
        owner_.compare_exchange_strong(expected, &w, std::memory_order_acquire, std::memory_order_relaxed)) {
        probe::acquire(&owner_);
        attachments_ = 0;
        offer_fast_way(w);
    }
    if (is_private_to(&w)) {
        ++attachments_;
    } else {
        expect_others();
    }
    return base::status::ok;
}

void biased_fifo::detach(worker& w) noexcept {
    if (is_private_to(&w) && --attachments_ == 0) {
        give_up(w);
    }
}

// By the owner, between two operations on the pool.
void biased_fifo::give_up(worker& w) noexcept {
    if (w.fast_pool == this) {
        w.fast_pool = nullptr;
    }
    const core::push_guard here(&w, *this);
    while (!local_.empty()) {
        push_other(&w, local_.pop_front());
        local_size_
            .decrement();  // not before: to another scheduler, which may end, the pool would seem to be empty
    }
    probe::release(&owner_);
    owner_.store(nobody, std::memory_order_release);  // pairs with: attach(), CAS of owner_
}

void biased_fifo::expect_others() noexcept {
    is_wanted_.store(true, std::memory_order_relaxed);
    if (worker* w = core::this_worker_or_null(); w != nullptr && is_private_to(w)) {
        give_up(*w);
    }
}

void biased_fifo::collect(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return;
    }
    if (is_wanted()) LAZULT_UNLIKELY {
        give_up(w);
        return;
    }
    for (std::size_t left = shared_fifo::size(); left != 0; --left) {
        work_unit* u = shared_fifo::pop_other(w);
        if (u == nullptr) {
            return;
        }
        push_local(u);
    }
}

bool biased_fifo::maybe_has_work(const worker& w) const noexcept {
    return (is_private_to(&w) && local_size_.get() != 0) || shared_fifo::maybe_has_work(w);
}

// The owner comes here when its lane is empty.
work_unit* biased_fifo::pop_other(worker& w) noexcept {
    work_unit* u = shared_fifo::pop_other(w);
    if (!is_private_to(&w)) {
        if (u == nullptr && !is_wanted() && !is_private_to(nobody)) LAZULT_UNLIKELY {
            expect_others();
        }
    } else if (is_wanted()) LAZULT_UNLIKELY {
        give_up(w);
    }
    return u;
}

bool biased_fifo::remove(work_unit* u) noexcept {
    worker& w = core::this_worker();
    if (is_private_to(&w)) {
        if (local_.remove(u)) {
            local_size_.decrement();
            return true;
        }
    } else if (!is_private_to(nobody)) {
        expect_others();
    }
    return shared_fifo::remove(u);
}

void biased_fifo::for_each(visitor visit, void* argument) {
    const worker* w = core::this_worker_or_null();
    if (is_private_to(w) || is_private_to(nobody)) {  // else the lane moves
        local_.for_each([=](work_unit* u) { visit(u, argument); });
    }
    shared_fifo::for_each(visit, argument);
}

}  // namespace lazult::sched
