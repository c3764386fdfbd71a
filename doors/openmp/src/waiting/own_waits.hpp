// SPDX-License-Identifier: BSD-3-Clause
// What units wait for at OpenMP's own constructs. The door registers what reports call these waits
// when it is loaded.
#pragma once

#include "door.hpp"

namespace lazult::omp {

using sync::wait_kind;

enum class own_wait : std::uint8_t {
    lock,
    turn,       // in an ordered loop
    iteration,  // of a loop with dependences
    tasks,      // with their dependences
    event,      // of a detached task
    region,     // in which others still are
};

// Asked when a unit is about to suspend: the kinds are known from the load on.
wait_kind kind_of(own_wait what) noexcept;
constexpr wait_kind kind_of(wait_kind what) noexcept { return what; }

}  // namespace lazult::omp
