// SPDX-License-Identifier: BSD-3-Clause
// What reports and debuggers read of a mutex. mutex.hpp is laid out so.
#pragma once

#include <cstdint>

#include "lazult/core/core.hpp"

namespace lazult::sync {

struct mutex_view {
    static constexpr std::uintptr_t locked = 1;  // a bit of the word

    std::uintptr_t word;
    const core::work_unit* owner;  // that took the mutex last, as far as is known

    // The unit that holds the mutex. nullptr if no unit holds it (but an OS thread or nobody), or
    // if the holder is not known.
    const core::work_unit* holder() const noexcept {
        return (word & locked) != 0 ? owner : nullptr;
    }
};

}  // namespace lazult::sync
