// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/private_fifo.hpp"

namespace lazult::sched {

base::status private_fifo::attach(worker& w) noexcept {
    worker* owner = nobody;
    // acquire pairs with: detach(), store of owner_: what the last owner did to the plain fields
    const bool mine =
        owner_.compare_exchange_strong(owner, &w, std::memory_order_acquire, std::memory_order_relaxed);
    if (!mine && owner != &w) {
        return base::status::busy;
    }
    if (w.fast_pool == nullptr) {
        w.fast_pool = this;
    }
    return base::status::ok;
}

void private_fifo::detach(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return;
    }
    if (w.fast_pool == this) {
        w.fast_pool = nullptr;
    }
    while (!local_.empty()) {
        local_size_.decrement();
        push_other(nullptr, local_.pop_front());
    }
    owner_.store(nobody, std::memory_order_release);  // pairs with: attach(), CAS of owner_
}

void private_fifo::push_other(worker*, work_unit* u) noexcept {
    inbox_size_.fetch_add(1, std::memory_order_relaxed);
    inbox_.push(u);
    announce();
    // Either this sees the successor, or retire()'s forwarding sees the unit.
    if (core::pool* successor = retired_to(); successor != nullptr) LAZULT_UNLIKELY {
        forward(*successor);
    }
}

core::pool* private_fifo::retired_to() noexcept {
    ds::default_atomics::light_barrier();               // pairs with: retire(), heavy_barrier
    return successor_.load(std::memory_order_acquire);  // pairs with: retire(), store of successor_
}

void private_fifo::retire(core::pool& successor) noexcept {
    successor_.store(&successor, std::memory_order_release);  // pairs with: retired_to(), load of successor_
    ds::default_atomics::heavy_barrier();                     // pairs with: retired_to(), light_barrier
    forward(successor);
}

// Any thread: take_all gives each unit to one caller.
void private_fifo::forward(core::pool& successor) noexcept {
    work_unit* u = inbox_.take_all();
    while (u != nullptr) {
        work_unit* next = u->next;
        inbox_size_.fetch_sub(1, std::memory_order_relaxed);
        u->home = &successor;
        successor.push(nullptr, u);
        u = next;
    }
}

void private_fifo::collect(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return;
    }
    work_unit* u = inbox_.take_all();
    while (u != nullptr) {
        work_unit* next = u->next;
        inbox_size_.fetch_sub(1, std::memory_order_relaxed);
        local_.push_back(u);
        local_size_.increment();
        u = next;
    }
}

work_unit* private_fifo::pop_other(worker& w) noexcept {
    if (!is_private_to(&w) || inbox_.empty_estimate()) {
        return nullptr;
    }
    collect(w);
    if (local_.empty()) {
        return nullptr;
    }
    local_size_.decrement();
    return local_.pop_front();
}

bool private_fifo::take_other(worker&, work_unit*) noexcept { return false; }

bool private_fifo::remove(work_unit* u) noexcept {
    worker* w = core::this_worker_or_null();
    if (!is_private_to(w)) {
        return false;
    }
    collect(*w);
    if (!local_.remove(u)) {
        return false;
    }
    local_size_.decrement();
    return true;
}

bool private_fifo::maybe_has_work(const worker&) const noexcept {
    return local_size_.get() != 0 || !inbox_.empty_estimate();
}

std::size_t private_fifo::size() const noexcept {
    return local_size_.get() + inbox_size_.load(std::memory_order_relaxed);
}

}  // namespace lazult::sched
