// SPDX-License-Identifier: BSD-3-Clause
// Reads the home pool of a unit that may end on another thread at any moment. A thread that sees
// that end may destroy the pool at once. So may a thread that knows that the unit has another home
// by now.
//
// A reader announces the pool that it looks at, as a pusher does. Then it checks whether the unit
// is still there. The destroyer waits for all announced threads: core::await_pushers(). So at least
// one of the two sees the other.
#pragma once

#include <atomic>

#include "lazult/core/worker/pool.hpp"
#include "lazult/core/worker/steal_lane.hpp"
#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

inline pool* present_home(const work_unit& u) noexcept {
    // atomic: its runner may be migrating it
    return std::atomic_ref(const_cast<work_unit&>(u).home).load(std::memory_order_relaxed);
}

// Called by the thread that holds the unit, or that runs it.
inline void set_present_home(work_unit& u, pool& home) noexcept {
    std::atomic_ref(u.home).store(&home, std::memory_order_relaxed);
}

// Must not live over a suspension. `w` is the caller's worker or nullptr.
class home_guard {
public:
    home_guard(worker* w, const work_unit& u) noexcept : home_(present_home(u)), here_(w, *home_) {
        ds::default_atomics::light_barrier();  // pairs with: await_pushers(), heavy_barrier
    }

    // Whether the pool may be touched while this guard lives. If not, the unit has ended, or moved.
    bool keeps_home_of(const work_unit& u) const noexcept {
        return !u.join.is_finished() && present_home(u) == home_;
    }
    // Whether the unit is confined there; then the pool may be touched, too. A local unit has
    // neither ended nor moved, unless its pool was retired. A retired pool stays, and forwards.
    bool keeps_confined(const work_unit& u) const noexcept { return u.join.is_local(); }
    pool& home() const noexcept { return *home_; }

private:
    pool* home_;
    push_guard here_;
};

// Whether only the caller's thread may claim the unit: see join_word.hpp. A unit is biased towards
// the owner of its home.
inline bool is_biased_towards(const worker* w, const work_unit& u) noexcept {
    if (w == nullptr) {
        return false;
    }
    const pool* const home = present_home(u);
    return home == w->fast_pool || (w->lane != nullptr && w->lane->home() == home);
}

}  // namespace lazult::core
