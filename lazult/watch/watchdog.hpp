// SPDX-License-Identifier: BSD-3-Clause
// Units that run for long without a scheduling point. One OS thread uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// What a stream's thread counts changes at every scheduling point: units started, suspensions, and
// what is left until its scheduler is due, which also changes where a unit yields and nobody else
// is ready. So as long as none of them changes, and the unit that runs is the same, it has not
// reached one.
class watchdog {
public:
    explicit watchdog(std::int64_t limit_ns) noexcept : limit_ns_(limit_ns) {}

    // Looks at all streams. Reports each unit that takes too long on standard error, once for each
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
