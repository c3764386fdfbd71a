// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/stealing_pool.hpp"

#include "lazult/sched/stream.hpp"

namespace lazult::sched {

base::status stealing_pool::attach(worker& w) noexcept {
    worker* owner = nullptr;
    // acquire pairs with: detach(), store of deque_owner_: what the last owner did to the plain fields
    const bool mine =
        deque_owner_.compare_exchange_strong(owner, &w, std::memory_order_acquire, std::memory_order_relaxed);
    if (!mine && owner != &w) {
        return base::status::busy;
    }
    ++attachments_;
    if (w.deque_pool == nullptr) {
        w.deque_pool = this;
    }
    return base::status::ok;
}

void stealing_pool::detach(worker& w) noexcept {
    if (!owned_by(&w) || --attachments_ != 0) {
        return;
    }
    if (w.deque_pool == this) {
        w.deque_pool = nullptr;
    }
    while (work_unit* u = deque_.pop()) {
        inbox_.push(u);
    }
    deque_owner_.store(nullptr, std::memory_order_release);  // pairs with: attach(), CAS of deque_owner_
    if (maybe_has_work(w)) {
        door().notify_all();
    }
}

// Puts it into the deque. False where that would have to grow, and there is no memory.
bool stealing_pool::push_to_deque(work_unit* u) noexcept {
    try {
        deque_.push(u);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void stealing_pool::push_other(worker* w, work_unit* u) noexcept {
    if (owned_by(w) && push_to_deque(u)) LAZULT_LIKELY {
        announce();
    } else {
        push_to_inbox(u);
    }
}

void stealing_pool::push_to_inbox(work_unit* u) noexcept {
    inbox_.push(u);
    announce();
    forward();
}

// Either a push sees the successor here, or retire() sees the unit.
void stealing_pool::forward() noexcept {
    ds::default_atomics::light_barrier();  // pairs with: retire(), heavy_barrier
    core::pool* successor =
        successor_.load(std::memory_order_acquire);  // pairs with: retire(), store of successor_
    if (successor == nullptr) LAZULT_LIKELY {
        return;
    }
    while (work_unit* u = inbox_.pop()) {
        u->home = successor;
        successor->push(nullptr, u);
    }
}

void stealing_pool::retire(core::pool& successor) noexcept {
    successor_.store(&successor, std::memory_order_release);  // pairs with: forward(), load of successor_
    ds::default_atomics::heavy_barrier();                     // pairs with: forward(), light_barrier
    forward();
}

// The deque's indices below its top are never used again, so the place names the publication.
core::pool::ticket stealing_pool::push_parent_other(worker* w, work_unit* u) noexcept {
    if (!owned_by(w)) {
        push_other(w, u);
        return no_ticket;
    }
    const ticket place = deque_.bottom_index();
    push_other(w, u);
    return deque_.bottom_index() == place ? no_ticket : place;
}

bool stealing_pool::take_parent_other(worker& w, work_unit* u, ticket t) noexcept {
    return owned_by(&w) && deque_.bottom_index() == t + 1 && deque_.pop_if(u);
}

void stealing_pool::push_yielded_other(worker*, work_unit* u) noexcept { push_to_inbox(u); }

// In the inbox it would wait until its stream has nothing newer. So the stream that makes it ready takes it over, as a
// thief would: it is the next one to be popped there, and can be stolen all the same.
void stealing_pool::push_soon_other(worker* w, work_unit* u) noexcept {
    stealing_pool* own =
        w == nullptr || w->stream == nullptr ? nullptr : static_cast<stream*>(w->stream)->stealing();
    if (own == nullptr || own == this || !in_group_ || !own->in_group_ ||
        base::current_settings().scheduler != base::scheduler_kind::work_stealing) {
        push_other(w, u);
        return;
    }
    u->home = own;
    own->push(w, u);
}

// The inbox and the deque's old end in turn.
work_unit* stealing_pool::pop_oldest() noexcept {
    if (pops_ % (2 * fair_period) == 0 && !inbox_.empty_estimate()) {
        return inbox_.pop();
    }
    return deque_.steal();
}

work_unit* stealing_pool::pop_other(worker& w) noexcept {
    if (owned_by(&w)) LAZULT_LIKELY {
        if (++pops_ % fair_period == 0) LAZULT_UNLIKELY {
            if (work_unit* u = pop_oldest(); u != nullptr) {
                return u;
            }
        }
        if (work_unit* u = deque_.pop(); u != nullptr) LAZULT_LIKELY {
            return u;
        }
    } else if (work_unit* u = deque_.steal(); u != nullptr) {
        return u;
    }
    return inbox_.empty_estimate() ? nullptr : inbox_.pop();
}

bool stealing_pool::take_other(worker& w, work_unit* u) noexcept { return owned_by(&w) && deque_.pop_if(u); }

bool stealing_pool::remove(work_unit* u) noexcept {
    worker* w = core::this_worker_or_null();
    return owned_by(w) && deque_.pop_if(u);
}

void stealing_pool::for_each(visitor visit, void* argument) {
    const auto show = [=](work_unit* u) { visit(u, argument); };
    deque_.for_each(show);
    inbox_.for_each(show);
}

bool stealing_pool::maybe_has_work(const worker&) const noexcept {
    return !deque_.empty_estimate() || !inbox_.empty_estimate();
}

std::size_t stealing_pool::size() const noexcept { return deque_.size_estimate() + inbox_.size_estimate(); }

work_unit* stealing_pool::steal(worker& thief, stealing_pool& into) noexcept {
    work_unit* first = deque_.steal();
    if (first == nullptr) {
        first = inbox_.empty_estimate() ? nullptr : inbox_.pop();
    }
    if (first == nullptr) {
        return nullptr;
    }
    if (!into.in_group_) {
        thief.count.steals.increment();
        return first;  // a user's pool may be gone before the unit is
    }
    first->home = &into;
    constexpr std::size_t most = 16;
    std::size_t moved = 1;
    if (deque_.size_estimate() > most) {
        moved += deque_.steal_half(most, [&](work_unit* u) {
            u->home = &into;
            into.push(&thief, u);
        });
    }
    thief.count.steals.add(moved);
    return first;
}

}  // namespace lazult::sched
