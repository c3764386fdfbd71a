// SPDX-License-Identifier: BSD-3-Clause
// The owner's end of a work-stealing pool, as the fast paths of creation and join see it: without a virtual call, a lock
// or a locked instruction.
//
// A thief that helps itself here stops every thread of the process for a moment (ds/deque.hpp). So it asks first, and the
// owner gives at its next operation: while somebody asks, the fast paths are closed, and the pool's functions do it. Only
// where the owner does not answer, because its unit computes or its thread does not run, the thief helps itself.
//
//   asked_   false -> true   ask()      thieves
//            true -> false   answer()   the owner
//
// field    who writes          who reads   order
// asked_   thieves, the owner  the owner   relaxed: a hint, and no data behind it
// units_   see ds/deque.hpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "lazult/core/pool.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Unit, class Home, class Door, class Atomics = ds::default_atomics>
class basic_steal_lane {
public:
    using deque = ds::deque<Unit, Atomics>;

    basic_steal_lane(const Home& home, Door& door, std::size_t capacity = deque::default_capacity)
        : home_(&home), door_(&door), units_(capacity) {}

    // --- by the owner's thread

    // Whether the fast paths may be used for units that are at home there.
    bool is_open_for(const Home* home) const noexcept { return home == home_ && !is_asked(); }
    const Home* home() const noexcept { return home_; }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
    void answer() noexcept { asked_.store(false, std::memory_order_relaxed); }

    // Makes it available, here and to thieves. False where the deque would have to grow, and there is no memory.
    bool push(Unit* u) noexcept {
        try {
            units_.push(u);
        } catch (const std::bad_alloc&) {
            return false;
        }
        door_->notify();
        return true;
    }
    // Likewise without a call, after has_room() said yes.
    bool has_room() const noexcept { return units_.has_room(); }
    LAZULT_ALWAYS_INLINE void push_into_room(Unit* u) noexcept {
        units_.push_into_room(u);
        door_->notify();
    }
    bool is_newest(const Unit* u) const noexcept { return units_.is_bottom(u); }
    // Takes it if it is the newest. False also where a thief was faster.
    bool take(Unit* u) noexcept { return units_.pop_if(u); }
    // Takes the unit if it is the oldest, by a locked instruction. False also if a thief was faster.
    bool is_oldest(const Unit* u) const noexcept { return units_.is_top(u); }
    bool take_oldest(const Unit* u) noexcept { return units_.take_oldest_if(u); }
    // Takes what is_newest() has just said yes to. False if a thief was faster.
    LAZULT_ALWAYS_INLINE bool take_newest() noexcept { return units_.take_bottom(); }

    // Whom thieves have asked: gives the oldest to put(), one of a few, each of which may be the root of many, or up to half of
    // many. How many put() has taken; where it says no, that one stays.
    template <class Put>
    unsigned give(unsigned most, Put put) noexcept {
        answer();
        const std::size_t all = units_.size_estimate();
        const std::size_t wanted = all <= most ? 1 : std::min<std::size_t>(most, all / 2);
        unsigned given = 0;
        for (Unit* u = nullptr; given < wanted && (u = units_.take_oldest()) != nullptr; ++given) {
            if (!put(*u)) LAZULT_UNLIKELY {
                push(u);  // into the room that it left
                break;
            }
        }
        return given;
    }

    // --- by anybody

    void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
    // Asks, looks so many times with take_given() whether the owner has given something, and then helps itself.
    template <class TakeGiven>
    Unit* take_as_thief(int patience, TakeGiven take_given) noexcept {
        if (units_.empty_estimate()) {
            return nullptr;
        }
        ask();
        for (int i = 0; i < patience; ++i) {
            Atomics::pause();
            if (Unit* const u = take_given(); u != nullptr) {
                return u;
            }
        }
        return units_.steal();
    }
    deque& units() noexcept { return units_; }
    const deque& units() const noexcept { return units_; }

private:
    const Home* home_;
    Door* door_;
    typename Atomics::template atomic<bool> asked_{false};
    deque units_;
};

class steal_lane : public basic_steal_lane<work_unit, pool, ds::gate<>> {
public:
    using basic_steal_lane::basic_steal_lane;
};

}  // namespace lazult::core
