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

// Calls attempt() until it returns anything but EBUSY, which it then returns; or ETIMEDOUT at the
// deadline. In between the ULT is suspended. attempt() runs on any stack.
template <class Attempt>
int take(const wanted& what, std::int64_t deadline_ns, Attempt attempt) {
    int result = attempt();
    while (result == EBUSY) {
        sync::waiter<> me(what.unit, what.kind, what.object);
        const auto try_again = [&result, attempt]() mutable noexcept {
            result = attempt();
            return result != EBUSY;
        };
        std::int64_t until = deadline_ns;
        if (what.is_shared) {
            const std::int64_t soon = sync::deadline_after(look_again_ns);
            until = deadline_ns < 0 ? soon : std::min(soon, deadline_ns);
        }
        const base::status end = parked.wait(me, until, try_again);
        if (result == EBUSY) {
            if (end == base::status::timed_out && until == deadline_ns) {
                return ETIMEDOUT;
            }
            result = attempt();
        }
    }
    return result;
}

}  // namespace lazult::posix
