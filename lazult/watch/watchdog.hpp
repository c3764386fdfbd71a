// SPDX-License-Identifier: BSD-3-Clause
// Finds units that run for long without a scheduling point. Only the monitor's OS thread uses it.
#pragma once

#include <cstdint>

#include "lazult/watch/stretches.hpp"

namespace lazult::watch {

class watchdog {
public:
    explicit watchdog(std::int64_t limit_ns) noexcept : limit_ns_(limit_ns) {}

    // Looks at all streams. Reports on standard error each unit that takes too long, once for each
    // such stretch.
    void look();

private:
    void report(const stretch& late) const;

    std::int64_t limit_ns_;
    stretches running_;
};

}  // namespace lazult::watch
