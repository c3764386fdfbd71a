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

#include <new>

#include "lazult/core/pool.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {

class steal_lane {
public:
    steal_lane(const pool& home, ds::gate<>& door) : home_(&home), door_(&door) {}

    // --- by the owner's thread

    // Whether the fast paths may be used for units that are at home there.
    bool is_open_for(const pool* home) const noexcept { return home == home_ && !is_asked(); }
    const pool* home() const noexcept { return home_; }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
    void answer() noexcept { asked_.store(false, std::memory_order_relaxed); }

    // Makes it available, here and to thieves. False where the deque would have to grow, and there is no memory.
    bool push(work_unit* u) noexcept {
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
    LAZULT_ALWAYS_INLINE void push_into_room(work_unit* u) noexcept {
        units_.push_into_room(u);
        door_->notify();
    }
    bool is_newest(const work_unit* u) const noexcept { return units_.is_bottom(u); }
    // Takes it if it is the newest. False also where a thief was faster.
    bool take(work_unit* u) noexcept { return units_.pop_if(u); }
    // Takes what is_newest() has just said yes to. False if a thief was faster.
    LAZULT_ALWAYS_INLINE bool take_newest() noexcept { return units_.take_bottom(); }

    // --- by anybody

    void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
    ds::deque<work_unit>& units() noexcept { return units_; }
    const ds::deque<work_unit>& units() const noexcept { return units_; }

private:
    const pool* home_;
    ds::gate<>* door_;
    ds::default_atomics::atomic<bool> asked_{false};
    ds::deque<work_unit> units_;
};

}  // namespace lazult::core
