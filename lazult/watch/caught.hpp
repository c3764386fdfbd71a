// SPDX-License-Identifier: BSD-3-Clause
// Finds streams that are caught: the unit that runs there blocks in the kernel. Only the monitor's
// OS thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/watch/stretches.hpp"

namespace lazult::watch {

class caught_streams {
public:
    explicit caught_streams(std::int64_t limit_ns) noexcept : limit_ns_(limit_ns) {}

    // Returns how many streams are caught: their units have reached no scheduling point for that
    // long, and their OS threads wait in the kernel. Throws std::bad_alloc.
    std::size_t count();

private:
    std::int64_t limit_ns_;
    stretches running_;
};

}  // namespace lazult::watch
