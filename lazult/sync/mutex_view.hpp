// SPDX-License-Identifier: BSD-3-Clause
// The part of a mutex that reports and debuggers read. basic_mutex (mutex.hpp) has the same layout.
#pragma once

#include <cstdint>

#include "lazult/core/core.hpp"

namespace lazult::sync {

struct mutex_view {
    static constexpr std::uintptr_t locked = 1;  // a bit of the word

    std::uintptr_t word;
    const core::work_unit*
        owner;  // the unit that took the mutex last; nullptr: no unit, or not known

    // Returns the unit that holds the mutex. Returns nullptr if the mutex is free, if an OS thread
    // holds it, or if the holder is not known.
    const core::work_unit* holder() const noexcept {
        return (word & locked) != 0 ? owner : nullptr;
    }
};

}  // namespace lazult::sync
