// SPDX-License-Identifier: BSD-3-Clause
// The kinds of objects that callers wait for, as reports of deadlocks and debuggers show them.
#pragma once

#include <cstdint>

namespace lazult::sync {

// Further kinds are the doors' own: see wait_names.hpp.
enum class wait_kind : std::uint8_t {
    unknown,
    mutex,
    condition,
    rwlock,
    barrier,
    latch,
    semaphore,
    eventual,
    future,
    channel,
    end_of_unit,
    descriptor,      // until it is ready
    file_operation,  // until the kernel has made it
    helper,          // until a helper thread has made a call
    sleep,           // until the time is over; no record has this kind
    first_of_doors,
};

}  // namespace lazult::sync
