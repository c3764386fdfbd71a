// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/lending.hpp"

#include <algorithm>
#include <new>

namespace lazult::sched {

lending_list& lending() {
    static base::never_destroyed<lending_list> instance;
    return *instance;
}

lending_list::lending_list() noexcept {
    base::hold_across_fork(base::fork_lock::lending, lock_, forget_parents_streams);
}

// The child has none of them.
void lending_list::forget_parents_streams() noexcept {
    const std::lock_guard hold(lending().lock_);
    lending().all_.clear();
    lending().caught_.clear();
}

bool streams_may_lend() noexcept {
    return base::current_settings().spare != 0 || base::current_settings().quantum != 0;
}

bool lending_list::enter(ready_pool& p, worker& owner) noexcept {
    const std::lock_guard hold(lock_);
    try {
        if (p.loans() == nullptr) {
            p.count_loans_in(*unused_or_new_count());
        }
        all_.push_back({&p, &owner, false});
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// Throws std::bad_alloc. Each call may look at some counts, and saves the looks that it does not
// need for the next calls. So a program with many pools does not search for long, and has at most
// one unused count for each seven used ones, and a few more.
loan_count* lending_list::unused_or_new_count() {
    constexpr std::size_t looks_of_a_call = 8;
    looks_left_ = std::min(looks_left_ + looks_of_a_call, counts_.size());
    const auto is_free = [](const loan_count& each) {
        // relaxed: see the table of loan_count; a count of 0 stays 0
        return !each.is_used.load(std::memory_order_relaxed) &&
               each.lent.load(std::memory_order_relaxed) == 0;
    };
    loan_count* found = nullptr;
    for (; looks_left_ != 0 && found == nullptr; --looks_left_) {
        last_count_ = (last_count_ + 1) % counts_.size();
        loan_count* const each = counts_[last_count_].get();
        found = is_free(*each) ? each : nullptr;
    }
    if (found == nullptr) {
        found = counts_.emplace_back(std::make_unique<loan_count>()).get();
    }
    found->is_used.store(true, std::memory_order_relaxed);  // see the table of loan_count
    return found;
}

void lending_list::leave(const ready_pool& p, const worker& owner) noexcept {
    const std::lock_guard hold(lock_);
    const auto found = std::ranges::find_if(
        all_, [&](const lender& each) { return each.pool == &p && each.owner == &owner; });
    if (found != all_.end()) {
        all_.erase(found);
    }
}

bool lending_list::note_caught(std::span<worker* const> caught) noexcept {
    const std::lock_guard hold(lock_);
    note_ports(caught);
    bool is_new = false;
    for (lender& each : all_) {
        const bool is_caught = std::ranges::find(caught, each.owner) != caught.end();
        is_new = is_new || (is_caught && !each.is_caught);
        each.is_caught = is_caught;
    }
    return is_new || has_awaited_port();
}

// Without memory the ports are left alone until the next look.
void lending_list::note_ports(std::span<worker* const> caught) noexcept {
    try {
        caught_.assign(caught.begin(), caught.end());
    } catch (const std::bad_alloc&) {
        caught_.clear();
    }
}

// Ports are never freed, nor are workers.
core::kernel_port* lending_list::awaited_port_of(worker& w) noexcept {
    // pairs with: the store in port::mine()
    core::kernel_port* const p = w.port.load(std::memory_order_acquire);
    return p != nullptr && p->is_awaited() ? p : nullptr;
}

bool lending_list::has_awaited_port() const noexcept {
    return std::ranges::any_of(caught_, [](worker* w) { return awaited_port_of(*w) != nullptr; });
}

bool lending_list::has_awaited_ports() noexcept {
    const std::lock_guard hold(lock_);
    return has_awaited_port();
}

int lending_list::look_into_ports() noexcept {
    int ready = 0;
    for (std::size_t i = 0; i < count_caught(); ++i) {
        if (core::kernel_port* const p = awaited_port_at(i); p != nullptr) {
            ready += p->poll_for_holder();  // may call users' pools, so not under the lock
        }
    }
    return ready;
}

std::size_t lending_list::count_caught() noexcept {
    const std::lock_guard hold(lock_);
    return caught_.size();
}

core::kernel_port* lending_list::awaited_port_at(std::size_t i) noexcept {
    const std::lock_guard hold(lock_);
    return i < caught_.size() ? awaited_port_of(*caught_[i]) : nullptr;
}

bool lending_list::has_lenders() noexcept {
    const std::lock_guard hold(lock_);
    return std::ranges::any_of(all_, &lender::is_caught);
}

bool lending_list::maybe_has_work(const worker& spare) noexcept {
    const std::lock_guard hold(lock_);
    return std::ranges::any_of(all_, [&spare](const lender& each) {
        return each.is_caught && each.pool->maybe_has_work(spare);
    });
}

// Looks at each pool once, at each call from the next one.
lending_list::loan lending_list::take(worker& spare) noexcept {
    const std::lock_guard hold(lock_);
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const lender& each = all_[++turn_ % all_.size()];
        if (!each.is_caught || !each.pool->maybe_has_work(spare)) {
            continue;
        }
        loan_count& count = *each.pool->loans();
        count.change(1);
        if (work_unit* const u = each.pool->lend(spare); u != nullptr) {
            spare.set_stream_number(each.owner->stream_number());
            return {u, &count};
        }
        count.change(-1);
    }
    return {};
}

std::unique_lock<std::mutex> lending_list::hold_off() noexcept {
    return streams_may_lend() ? std::unique_lock(lock_) : std::unique_lock<std::mutex>();
}

}  // namespace lazult::sched
