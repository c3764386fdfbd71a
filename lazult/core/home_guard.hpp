// SPDX-License-Identifier: BSD-3-Clause
// Looking at the home pool of a unit that may end elsewhere at any moment. Whoever sees that end may destroy the pool at once,
// and so may who knows that the unit has another home by now.
//
// Like who pushes, who looks says where it is: and then looks whether the unit is there still. Of the two, it and who destroys
// the pool, one sees the other: core::await_pushers().
#pragma once

#include <atomic>

#include "lazult/core/pool.hpp"
#include "lazult/core/worker.hpp"

namespace lazult::core {

inline pool* present_home(const work_unit& u) noexcept {
    // atomic: its runner may be migrating it
    return std::atomic_ref(const_cast<work_unit&>(u).home).load(std::memory_order_relaxed);
}

// By who has it, or runs it.
inline void set_present_home(work_unit& u, pool& home) noexcept {
    std::atomic_ref(u.home).store(&home, std::memory_order_relaxed);
}

// Not over a suspension. `w` is the caller's worker or nullptr.
class home_guard {
public:
    home_guard(worker* w, const work_unit& u) noexcept : home_(present_home(u)), here_(w, *home_) {
        ds::default_atomics::light_barrier();  // pairs with: await_pushers(), heavy_barrier
    }

    // Whether the pool may be touched while this lives. Where not, the unit has ended, or moved.
    bool keeps_home_of(const work_unit& u) const noexcept {
        return !u.join.is_finished() && present_home(u) == home_;
    }
    // Likewise, whether the unit is confined there. What is local has not ended, nor moved, but where its pool was retired;
    // such a pool stays, and forwards.
    bool keeps_confined(const work_unit& u) const noexcept { return u.join.is_local(); }
    pool& home() const noexcept { return *home_; }

private:
    pool* home_;
    push_guard here_;
};

}  // namespace lazult::core
