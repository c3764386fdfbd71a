// SPDX-License-Identifier: BSD-3-Clause
// Reads the home pool of a unit that may end on another thread at any moment. A thread that sees
// that end may destroy the pool at once. So may a thread that knows that the unit has moved to
// another home.
//
// A reader announces the pool that it looks at, as a pusher does. Then it checks whether the unit
// is still at home there. The destroyer waits for all announced threads (core::await_pushers()). So
// the destroyer waits for the reader, or the reader sees that the unit has ended or moved.
#pragma once

#include <atomic>

#include "lazult/core/worker/steal_lane.hpp"

namespace lazult::core {

inline pool* present_home(const work_unit& u) noexcept {
    // atomic: the thread that runs the unit may be migrating it
    return std::atomic_ref(const_cast<work_unit&>(u).home).load(std::memory_order_relaxed);
}

// Called by the thread that holds the unit, or that runs it.
inline void set_present_home(work_unit& u, pool& home) noexcept {
    std::atomic_ref(u.home).store(&home, std::memory_order_relaxed);
}

// A guard must not live over a suspension. `w` is the caller's worker or nullptr.
class home_guard {
public:
    home_guard(worker* w, const work_unit& u) noexcept : home_(present_home(u)), here_(w, *home_) {
        ds::default_atomics::light_barrier();  // pairs with: await_pushers(), heavy_barrier
    }

    // Returns whether the unit is still at home there. Then the pool may be touched while the guard
    // lives.
    bool keeps_home_of(const work_unit& u) const noexcept {
        return !u.join.is_finished() && present_home(u) == home_;
    }
    // Returns whether the unit is local there; then the pool may be touched, too. A local unit has
    // neither ended nor moved, unless its pool was retired. A retired pool stays, and forwards.
    bool keeps_confined(const work_unit& u) const noexcept { return u.join.is_local(); }
    pool& home() const noexcept { return *home_; }

private:
    pool* home_;
    push_guard here_;
};

// Returns whether the unit's home is a private pool or a lane of the caller's thread. Then only
// this thread may claim the unit: see join_word.hpp.
inline bool is_biased_towards(const worker* w, const work_unit& u) noexcept {
    if (w == nullptr) {
        return false;
    }
    const pool* const home = present_home(u);
    return home == w->fast_pool || (w->lane != nullptr && w->lane->home() == home);
}

}  // namespace lazult::core
