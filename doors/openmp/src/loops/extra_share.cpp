// SPDX-License-Identifier: BSD-3-Clause
#include "loops/extra_share.hpp"

#include <mutex>
#include <new>

#include "waiting/patience.hpp"

namespace lazult::omp {
namespace {

// Returns the link to the construct in the list, or the list's end. Called under the lock.
extra_share** link_of(team& all, std::uint64_t number) noexcept {
    extra_share** link = &all.extras;
    while (*link != nullptr && (*link)->number != number) {
        link = &(*link)->next;
    }
    return link;
}

// Counts the construct in the slot's departures, as moved. Returns false if all threads have left
// the slot, if the slot is between constructs, or if another construct must move first. Called
// under the lock.
bool move_away(team& all, std::uint64_t number) noexcept {
    work_share& slot = all.shares[number % share_slots];
    // pairs with: leave_share(), store
    const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);
    const std::uint64_t holder = turn / 3;
    std::uint64_t word = slot.left.load(std::memory_order_relaxed);
    for (;;) {
        const departures now(word);
        const bool is_held =
            turn == turn_of(holder) + 2 && now.are_of(holder) && now.threads() < all.size;
        if (!is_held || !now.may_move_more() ||
            holder + share_slots * (now.moved() + 1) != number) {
            return false;
        }
        // acq_rel pairs with: leave_share(), fetch_add: a thread that sees the slot's next turn
        // finds the list locked, or as the holder of the lock left it
        if (slot.left.compare_exchange_weak(word, word + departures::one_moved,
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {
            return true;
        }
    }
}

// Called under the lock.
extra_share* make_extra(team& all, std::uint64_t number) noexcept {
    auto* fresh = new (std::nothrow) extra_share;
    if (fresh == nullptr || !move_away(all, number)) {
        delete fresh;
        return nullptr;
    }
    fresh->number = number;
    fresh->share.is_extra = true;
    // published by the lock
    fresh->share.turn.store(turn_of(number) + 1, std::memory_order_relaxed);
    fresh->next = all.extras;
    all.extras = fresh;
    return fresh;
}

void await_extra(const work_share& s, std::uint64_t number) noexcept {
    short_wait patience;
    // pairs with: publish_share(), store
    while (s.turn.load(std::memory_order_acquire) != turn_of(number) + 2) {
        patience.pause();
    }
}

extra_share* unlink(team& all, std::uint64_t number) noexcept {
    const std::lock_guard hold(all.share_lock);
    extra_share** const link = link_of(all, number);
    extra_share* const found = *link;
    *link = found->next;
    return found;
}

}  // namespace

entered_extra enter_extra(thread& t, std::uint64_t number) noexcept {
    team& all = *t.its_team;
    all.share_lock.lock();
    extra_share* const there = *link_of(all, number);
    extra_share* const made = there == nullptr ? make_extra(all, number) : nullptr;
    all.share_lock.unlock();
    if (made != nullptr) {
        t.stand_at(made->share);
        return entered_extra::as_first;
    }
    if (there == nullptr) {
        return entered_extra::none;
    }
    t.stand_at(there->share);
    await_extra(there->share, number);
    return entered_extra::as_later;
}

void leave_extra(thread& t) noexcept {
    team& all = *t.its_team;
    const std::uint64_t number = t.shares_entered - 1;
    work_share& s = *t.at.share;
    t.stand_at(all.shares[number % share_slots]);
    // acq_rel pairs with: itself: what other threads did in the construct
    const departures before(s.left.fetch_add(departures::one_thread, std::memory_order_acq_rel));
    if (before.threads() + 1 == all.size) {
        delete unlink(all, number);
    }
}

void free_extras(team& region) noexcept {
    while (region.extras != nullptr) {
        extra_share* const first = region.extras;
        region.extras = first->next;
        delete first;
    }
}

}  // namespace lazult::omp
