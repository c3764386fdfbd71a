// SPDX-License-Identifier: BSD-3-Clause
// How a ULT obtains an object of the C library.
#pragma once

#include <algorithm>

#include "locks/times.hpp"
#include "parking/parking.hpp"

namespace lazult::posix {

struct wanted {
    core::work_unit* unit;
    sync::wait_kind kind;
    const void* object;
    bool is_shared;  // with other processes, which this library does not see
};

// How long a ULT parks for what other processes may set free.
inline constexpr std::int64_t look_again_ns = 2'000'000;

// Calls attempt() until it returns anything but EBUSY, and returns that; or ETIMEDOUT at the
// deadline. In between the ULT is suspended. attempt() runs on any stack.
template <class Attempt>
int take(const wanted& what, std::int64_t deadline_ns, Attempt attempt) {
    for (;;) {
        std::int64_t until = deadline_ns;
        if (what.is_shared) {
            const std::int64_t soon = sync::deadline_after(look_again_ns);
            until = deadline_ns < 0 ? soon : std::min(soon, deadline_ns);
        }
        const int result = parked.take(what.unit, what.kind, what.object, until, attempt);
        if (result != EBUSY) {
            return result;
        }
        if (until == deadline_ns) {
            return ETIMEDOUT;
        }
    }
}

}  // namespace lazult::posix
