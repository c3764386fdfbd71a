// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/private_fifo.hpp"

namespace lazult::sched {

// Makes the caller the owner. Returns false if the pool has an owner, also if that is the caller.
bool private_fifo::own(worker& w) noexcept {
    worker* expected = nobody;
    // acquire pairs with: disown(), detach(), store of owner_
    if (!owner_.compare_exchange_strong(expected, &w, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return false;
    }
    probe::acquire(&owner_);
    return true;
}

void private_fifo::disown() noexcept {
    probe::release(&owner_);
    owner_.store(nobody, std::memory_order_release);  // pairs with: own(), CAS of owner_
    // Either this thread sees the successor, or the thread in retire() finds no owner.
    if (core::pool* successor = retired_to(); successor != nullptr) LAZULT_UNLIKELY {
        forward(*successor);
    } else if (!inbox_.empty_estimate()) LAZULT_UNLIKELY {
        deliver_messages();  // either this thread sees a message, or its sender finds no owner
    }
}

base::status private_fifo::attach(worker& w) noexcept {
    while (!is_private_to(&w) && !own(w)) {
        // pairs with: the store below. 0: the owner only pops, and is gone in a few instructions
        if (attachments_.load(std::memory_order_relaxed) != 0) {
            return base::status::busy;
        }
        os::yield_thread();
    }
    attachments_.store(attachments_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    offer_fast_way(w);
    return base::status::ok;
}

// Units in local_ stay there for the next owner. Messages are never in local_.
void private_fifo::detach(worker& w) noexcept {
    if (!is_private_to(&w)) {
        return;
    }
    const int left = attachments_.load(std::memory_order_relaxed) - 1;
    attachments_.store(left, std::memory_order_relaxed);
    if (left != 0) {
        return;
    }
    if (w.fast_pool == this) {
        w.fast_pool = nullptr;
    }
    disown();
}

// Runs the messages in the inbox if no thread owns the pool. The senders wait for that, and perhaps
// no stream attaches the pool again.
void private_fifo::deliver_messages() noexcept {
    worker& w = core::this_worker();
    if (!own(w)) {
        return;
    }
    collect_inbox();
    disown();
}

void private_fifo::push_other(worker*, work_unit* u) noexcept {
    const bool message = core::is_message(*u);
    arrivals_.fetch_add(1, std::memory_order_relaxed);
    inbox_.push(u);
    announce();
    if (message) LAZULT_UNLIKELY {
        // pairs with: retired_to(), light_barrier, in disown()
        ds::default_atomics::heavy_barrier();
    }
    // Either this thread sees the successor, or the thread in retire() sees the unit.
    if (core::pool* successor = retired_to(); successor != nullptr) LAZULT_UNLIKELY {
        forward(*successor);
    } else if (message && is_private_to(nobody)) LAZULT_UNLIKELY {
        deliver_messages();
    }
}

core::pool* private_fifo::retired_to() noexcept {
    ds::default_atomics::light_barrier();               // pairs with: retire(), heavy_barrier
    return successor_.load(std::memory_order_acquire);  // pairs with: retire(), store of successor_
}

void private_fifo::retire(core::pool& successor) noexcept {
    // pairs with: retired_to(), load of successor_
    successor_.store(&successor, std::memory_order_release);
    // pairs with: retired_to(), light_barrier
    ds::default_atomics::heavy_barrier();
    forward(successor);
}

// Moves all units to the successor. Any thread may call this, because take_all() gives each unit of
// the inbox to one caller, and only the pool's owner touches local_.
void private_fifo::forward(core::pool& successor) noexcept {
    const auto send = [&successor](work_unit* u) {
        u->join.open_biased();
        core::set_present_home(*u, successor);
        successor.push(nullptr, u);
    };
    work_unit* u = inbox_.take_all();
    while (u != nullptr) {
        work_unit* next = u->next;
        arrivals_.fetch_sub(1, std::memory_order_relaxed);
        send(u);
        u = next;
    }
    if (!own(core::this_worker())) {
        return;  // because the owner forwards local_ when it disowns the pool
    }
    while (!local_.empty()) {
        local_size_.decrement();
        send(local_.pop_front());
    }
    probe::release(&owner_);
    owner_.store(nobody, std::memory_order_release);  // pairs with: own(), CAS of owner_
}

void private_fifo::collect_inbox() noexcept {
    work_unit* u = inbox_.take_all();
    while (u != nullptr) {
        work_unit* next = u->next;
        arrivals_.fetch_sub(1, std::memory_order_relaxed);
        if (core::is_message(*u)) LAZULT_UNLIKELY {
            // The message runs at once, because this thread may never come here again.
            core::run_message(core::this_worker(), u);
        } else {
            local_.push_back(u);
            local_size_.increment();
        }
        u = next;
    }
}

void private_fifo::collect(worker& w) noexcept {
    if (is_private_to(&w)) {
        collect_inbox();
    }
}

work_unit* private_fifo::pop_collected() noexcept {
    if (!inbox_.empty_estimate()) {
        collect_inbox();
    }
    if (local_.empty()) {
        return nullptr;
    }
    local_size_.decrement();
    return local_.pop_front();
}

work_unit* private_fifo::pop_other(worker& w) noexcept {
    if (is_private_to(&w)) LAZULT_LIKELY {
        return inbox_.empty_estimate() ? nullptr : pop_collected();
    }
    if (!maybe_has_work(w) || !own(w)) {
        return nullptr;
    }
    work_unit* u = pop_collected();
    if (u != nullptr) {
        core::open_here(*u);  // the unit may end here, while another stream attaches the pool
    }
    disown();
    return u;
}

bool private_fifo::take_other(worker&, work_unit*) noexcept { return false; }

bool private_fifo::remove(work_unit* u) noexcept {
    worker& w = core::this_worker();
    const bool mine = is_private_to(&w);
    if (!mine && !own(w)) {
        return false;
    }
    collect_inbox();
    const bool found = local_.remove(u);
    if (found) {
        local_size_.decrement();
    }
    if (!mine) {
        if (found) {
            core::open_here(*u);  // as in pop_other()
        }
        disown();
    }
    return found;
}

void private_fifo::for_each(visitor visit, void* argument) {
    const auto show = [=](work_unit* u) { visit(u, argument); };
    worker& w = core::this_worker();
    if (is_private_to(&w)) {
        collect_inbox();
    }
    local_.for_each(show);
    inbox_.for_each(show);
}

bool private_fifo::maybe_has_work(const worker&) const noexcept {
    return local_size_.get() != 0 || !inbox_.empty_estimate();
}

std::size_t private_fifo::size() const noexcept {
    return local_size_.get() + arrivals_.load(std::memory_order_relaxed);
}

}  // namespace lazult::sched
