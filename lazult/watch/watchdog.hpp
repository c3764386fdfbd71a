// SPDX-License-Identifier: BSD-3-Clause
// Finds units that run for long without a scheduling point. Only the monitor's OS thread uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// A stream has three counts that change at scheduling points: units started, suspensions, and the
// scheduling points until its loop is due, which change also when a unit yields and no other is
// ready. So as long as the counts and the running unit stay the same, the unit has reached no
// scheduling point.
class watchdog {
public:
    explicit watchdog(std::int64_t limit_ns) noexcept : limit_ns_(limit_ns) {}

    // Looks at all streams. Reports on standard error each unit that takes too long, once for each
    // such stretch.
    void look();

private:
    struct stretch {
        const core::worker* where;
        const core::work_unit* unit;
        std::uint64_t started;
        std::uint64_t suspensions;
        int scheduling_points;
        int system_thread;
        std::int64_t since;
        bool reported;
    };

    static void look_at(core::worker& w, void* self);
    void note(const stretch& now);
    void report(const stretch& late) const;

    std::int64_t limit_ns_;
    std::int64_t now_ = 0;
    std::vector<stretch> all_;
};

}  // namespace lazult::watch
