// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/staying_pool.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include "lazult/sched/queue_search.hpp"

namespace lazult::sched {
namespace {

// The lock of streams that begin, and that end, to serve a pool of this kind.
constinit std::mutex serving;

[[gnu::constructor]] void hold_lock_across_fork() {
    base::hold_across_fork(base::fork_lock::staying, serving);
}

template <std::size_t Levels>
std::size_t size_of(const std::array<shared_queue, Levels>& queues) noexcept {
    return std::accumulate(
        queues.begin(), queues.end(), std::size_t{0},
        [](std::size_t sum, const shared_queue& each) { return sum + each.size_estimate(); });
}

template <std::size_t Levels>
bool holds_any(const std::array<shared_queue, Levels>& queues) noexcept {
    return std::ranges::any_of(queues, [](const shared_queue& q) { return !q.empty_estimate(); });
}

}  // namespace

template <std::size_t Levels>
staying_pool<Levels>::~staying_pool() {
    core::await_pushers(*this);
    for (place* at = first_place(); at != &own_;) {
        delete std::exchange(at, at->next);
    }
}

template <std::size_t Levels>
std::size_t staying_pool<Levels>::level_of(const work_unit& u) noexcept {
    return std::min<std::size_t>(u.header.priority, Levels - 1);
}

template <std::size_t Levels>
auto staying_pool<Levels>::place_of(const worker& w) const noexcept -> place* {
    place* at = first_place();
    while (at != nullptr && at->owner.load(std::memory_order_relaxed) != &w) {
        at = at->next;
    }
    return at;
}

// The unit's last stream has written ran_on, and the push or the unit's handing over published it.
template <std::size_t Levels>
auto staying_pool<Levels>::place_of(const work_unit& begun) const noexcept -> place* {
    const std::uint16_t number = begun.ran_on.load(std::memory_order_relaxed);
    if (number == 0) {
        return nullptr;  // it ran on a thread that is no stream
    }
    place* at = first_place();
    // pairs with: claim_place(), store of number
    while (at != nullptr && at->number.load(std::memory_order_acquire) != number) {
        at = at->next;
    }
    return at;
}

template <std::size_t Levels>
auto staying_pool<Levels>::unused_or_new() noexcept -> place* {
    for (place* at = first_place(); at != nullptr; at = at->next) {
        // pairs with: clear(), store of owner
        if (at->owner.load(std::memory_order_acquire) == nullptr) {
            return at;
        }
    }
    place* made = nullptr;
    const auto make = [&] { made = std::make_unique<place>().release(); };
    if (!base::has_memory_for(make)) {
        return nullptr;
    }
    made->next = first_.load(std::memory_order_relaxed);  // written under this lock
    first_.store(made, std::memory_order_release);        // pairs with: first_place()
    return made;
}

// Under the lock.
template <std::size_t Levels>
auto staying_pool<Levels>::place_of(const keeping_stream& at) const noexcept -> place* {
    place* const its = place_of(*at.w);
    const bool is_there =
        its != nullptr && its->life == at.life && its->number.load(std::memory_order_relaxed) != 0;
    return is_there ? its : nullptr;
}

// Under the lock. The place of a stream that had this number before.
template <std::size_t Levels>
auto staying_pool<Levels>::that_has(std::uint16_t number, const worker& but) const noexcept
    -> place* {
    place* at = first_place();
    while (at != nullptr && (at->number.load(std::memory_order_relaxed) != number ||
                             at->owner.load(std::memory_order_relaxed) == &but)) {
        at = at->next;
    }
    return at;
}

// Under the lock. A place of the worker's former stream is as good as an unused one.
template <std::size_t Levels>
auto staying_pool<Levels>::claim_place(worker& w) noexcept -> place* {
    const keeping_stream here = keeping_stream::of(w);
    if (place* const mine = place_of(here); mine != nullptr) {
        return mine;
    }
    place* const former = place_of(w);
    place* const at = former != nullptr ? former : unused_or_new();
    if (at != nullptr) {
        at->life = here.life;
        at->schedulers = 0;
        at->owner.store(&w, std::memory_order_relaxed);  // the owner looks for itself
        // pairs with: place_of()
        at->number.store(w.stream_number(), std::memory_order_release);
    }
    return at;
}

template <std::size_t Levels>
base::status staying_pool<Levels>::begin_to_keep(worker& w) noexcept {
    if (w.stream_number() == 0) {
        return base::status::not_supported;
    }
    const core::push_guard here(nullptr, *this);
    place* stale = nullptr;
    {
        const std::lock_guard hold(serving);
        place* const at = claim_place(w);
        if (at == nullptr) {
            return base::status::out_of_memory;
        }
        ++at->schedulers;
        stale = that_has(w.stream_number(), w);
        if (stale != nullptr) {
            stale->number.store(0, std::memory_order_release);  // pairs with: announce_kept()
        }
    }
    if (stale != nullptr) {
        clear(*stale);
    }
    return base::status::ok;
}

template <std::size_t Levels>
void staying_pool<Levels>::end_to_keep(const keeping_stream& at) noexcept {
    give_place_up(at, false);
}

// A stacked scheduler that waits may still be counted. It would go on in a place that nobody
// serves.
template <std::size_t Levels>
void staying_pool<Levels>::stream_ends(const keeping_stream& at) noexcept {
    give_place_up(at, true);
}

template <std::size_t Levels>
void staying_pool<Levels>::give_place_up(const keeping_stream& at, bool for_all) noexcept {
    const core::push_guard here(nullptr, *this);
    place* left = nullptr;
    {
        const std::lock_guard hold(serving);
        left = place_of(at);
        if (left == nullptr || (--left->schedulers != 0 && !for_all)) {
            return;
        }
        left->number.store(0, std::memory_order_release);  // pairs with: announce_kept()
    }
    clear(*left);
}

// Empties a place that has lost its number. Either a pusher sees that it is unused, or this thread
// sees the pusher's unit. Another stream of the owner may use the place again meanwhile.
template <std::size_t Levels>
void staying_pool<Levels>::clear(place& left) noexcept {
    ds::default_atomics::heavy_barrier();  // pairs with: announce_kept(), light_barrier
    send_on(left);
    const std::lock_guard hold(serving);
    if (left.number.load(std::memory_order_relaxed) == 0) {
        left.owner.store(nullptr, std::memory_order_release);  // pairs with: unused_or_new()
    }
}

// Pushes the units of an unused place again: to all streams, or to where they stay by now. A stream
// that uses the place again has them from then on.
template <std::size_t Levels>
void staying_pool<Levels>::send_on(place& left) noexcept {
    for (shared_queue& queue : left.begun) {
        // pairs with: claim_place(), store of number
        while (left.number.load(std::memory_order_acquire) == 0) {
            work_unit* const u = queue.pop();
            if (u == nullptr) {
                break;
            }
            staying_pool::push_other(nullptr, u);  // into the shared queues, not into a lane
        }
    }
}

// The unit may have run, and ended, by now.
template <std::size_t Levels>
void staying_pool<Levels>::announce_kept(place& at) noexcept {
    at.idle.notify();
    ds::default_atomics::light_barrier();  // pairs with: clear(), heavy_barrier
    // pairs with: give_place_up() and begin_to_keep(), store of number
    if (at.number.load(std::memory_order_acquire) == 0) LAZULT_UNLIKELY {
        send_on(at);
    }
}

template <std::size_t Levels>
gate* staying_pool<Levels>::gate_of_kept(const worker& w) noexcept {
    place* const at = place_of(w);
    return at == nullptr ? nullptr : &at->idle;
}

template <std::size_t Levels>
bool staying_pool<Levels>::keeps_for_others(const worker& w) const noexcept {
    for (const place* at = first_place(); at != nullptr; at = at->next) {
        // pairs with: clear(), store of owner
        const worker* const owner = at->owner.load(std::memory_order_acquire);
        if (owner != nullptr && owner != &w) {
            return true;
        }
    }
    return false;
}

template <std::size_t Levels>
void staying_pool<Levels>::push_other(worker*, work_unit* u) noexcept {
    place* const at = u->is_resumed() ? place_of(*u) : nullptr;
    if (at != nullptr) {
        at->begun[level_of(*u)].push(u);
        announce_kept(*at);
    } else {
        fresh_[level_of(*u)].push(u);
        announce();
    }
}

template <std::size_t Levels>
work_unit* staying_pool<Levels>::pop_other(worker& w) noexcept {
    place* const mine = place_of(w);
    if (mine == nullptr) {
        for (shared_queue& queue : fresh_) {
            if (work_unit* const u = queue.pop(); u != nullptr) {
                return u;
            }
        }
        return nullptr;
    }
    mine->fresh_first = !mine->fresh_first;
    for (std::size_t level = 0; level < Levels; ++level) {
        shared_queue* first = &mine->begun[level];
        shared_queue* second = &fresh_[level];
        if (mine->fresh_first) {
            std::swap(first, second);
        }
        for (shared_queue* const queue : {first, second}) {
            if (work_unit* const u = queue->pop(); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

// Only a stream that can keep the unit takes it.
template <std::size_t Levels>
bool staying_pool<Levels>::take_other(worker& w, work_unit* u) noexcept {
    place* const mine = place_of(w);
    if (mine == nullptr) {
        return false;
    }
    const core::push_guard here(&w, *this);
    if (u->is_resumed()) {
        return take_front(mine->begun[level_of(*u)], u, [&] { announce_kept(*mine); });
    }
    return take_front(fresh_[level_of(*u)], u, [this] { announce(); });
}

template <std::size_t Levels>
bool staying_pool<Levels>::may_keep(const worker& w, const work_unit& u) const noexcept {
    const place* const mine = place_of(w);
    if (mine == nullptr) {
        return false;
    }
    const place* const its = u.is_resumed() ? place_of(u) : nullptr;
    return its == nullptr || its == mine;
}

template <std::size_t Levels>
bool staying_pool<Levels>::remove(work_unit* u) noexcept {
    const core::push_guard here(nullptr, *this);
    const std::size_t level = level_of(*u);
    place* const at = u->is_resumed() ? place_of(*u) : nullptr;
    if (at != nullptr && remove_by_rotation(at->begun[level], u, [&] { announce_kept(*at); })) {
        return true;
    }
    return remove_by_rotation(fresh_[level], u, [this] { announce(); });
}

template <std::size_t Levels>
bool staying_pool<Levels>::maybe_has_work(const worker& w) const noexcept {
    const place* const mine = place_of(w);
    return holds_any(fresh_) || (mine != nullptr && holds_any(mine->begun));
}

template <std::size_t Levels>
std::size_t staying_pool<Levels>::size() const noexcept {
    std::size_t total = size_of(fresh_);
    for (const place* at = first_place(); at != nullptr; at = at->next) {
        total += size_of(at->begun);
    }
    return total;
}

template <std::size_t Levels>
void staying_pool<Levels>::for_each(visitor visit, void* argument) {
    const auto show = [&](queues& some) {
        for (shared_queue& queue : some) {
            queue.for_each([=](work_unit* u) { visit(u, argument); });
        }
    };
    for (place* at = first_place(); at != nullptr; at = at->next) {
        show(at->begun);
    }
    show(fresh_);
}

template class staying_pool<1>;
template class staying_pool<8>;

}  // namespace lazult::sched
