// SPDX-License-Identifier: BSD-3-Clause
// Finds streams that are caught: the unit that runs there blocks in the kernel, or computes for
// long. Only the monitor's OS thread uses it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lazult/watch/stretches.hpp"

namespace lazult::watch {

class caught_streams {
public:
    // blocks_ns: a unit may block for so long; computes_ns: it may reach no scheduling point for so
    // long. 0: for ever.
    caught_streams(std::int64_t blocks_ns, std::int64_t computes_ns) noexcept
        : blocks_ns_(blocks_ns), computes_ns_(computes_ns) {}

    // Returns the streams that are caught, until the next call. Throws std::bad_alloc.
    std::span<core::worker* const> look();

private:
    bool is_caught(const stretch& each) const noexcept;

    std::int64_t blocks_ns_;
    std::int64_t computes_ns_;
    stretches running_;
    std::vector<core::worker*> found_;
};

}  // namespace lazult::watch
