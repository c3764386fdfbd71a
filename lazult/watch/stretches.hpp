// SPDX-License-Identifier: BSD-3-Clause
// How long the units that run now have reached no scheduling point. Only the monitor's OS thread
// uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// A stream has three counts that change at scheduling points: units started, suspensions, and the
// scheduling points until its loop is due, which change also when a unit yields and no other is
// ready. So as long as the counts and the running unit stay the same, the unit has reached no
// scheduling point.
struct stretch {
    core::worker* where;
    const core::work_unit* unit;  // nullptr: none runs
    std::uint64_t started;
    std::uint64_t suspensions;
    int scheduling_points;
    int system_thread;
    std::int64_t since;
    bool reported;
};

class stretches {
public:
    // Looks at all streams. Throws std::bad_alloc.
    void look();
    std::vector<stretch>& all() noexcept { return all_; }
    // When it has looked last.
    std::int64_t now() const noexcept { return now_; }

private:
    static void look_at(core::worker& w, void* self);
    void note(const stretch& now);

    std::int64_t now_ = 0;
    std::vector<stretch> all_;
};

}  // namespace lazult::watch
