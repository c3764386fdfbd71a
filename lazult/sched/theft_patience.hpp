// SPDX-License-Identifier: BSD-3-Clause
// Says how long a thief leaves a pool's only unit alone. Mostly that unit was woken by the running
// one, or is a child that its creator joins. Then the pool's own stream runs it at its next switch,
// sooner than the thief could, and has the unit's data in its caches. So a thief takes an only unit
// when the stream has not switched for 3 us. Go's thieves wait as long before they take a goroutine
// that was just made ready. If there are two units, a thief takes one at once.
//
// A stream may also switch all the time, and never to this unit, because newer units come first.
// Then the thief finds an only unit at every look, and takes it after 100 us.
//
// Units that I/O has made ready are pushed quietly (quiet_work.hpp): the stream of the descriptors'
// port runs each for some microseconds. A thief would take the descriptors along, to have them
// taken back when that stream is idle. So it takes such units when the stream has not switched for
// 50 us, or when it has found some at every look for a millisecond.
#pragma once

#include <cstdint>

#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {

// One thief's patience with one pool. Only the thief's stream uses it.
class theft_patience {
public:
    // Called by the thief at each look at a pool with units, while it has nothing to run. Returns
    // whether it may take one.
    bool has_ended(const stealing_pool& victim) noexcept {
        const worker* const owner = victim.owner_of_only_unit();
        if (owner != nullptr) {
            return has_waited_for(*owner, only_unit);
        }
        if (const worker* const quiet = victim.owner_of_quiet_units(); quiet != nullptr) {
            return has_waited_for(*quiet, quiet_units);
        }
        starts_ = true;
        return true;
    }
    // Called when the thief has found the pool empty, or takes a unit there.
    void start_anew() noexcept { starts_ = true; }

private:
    struct limits {
        std::int64_t without_switch_ns;
        std::int64_t longest_ns;
    };
    static constexpr limits only_unit{3'000, 100'000};
    static constexpr limits quiet_units{50'000, 1'000'000};

    bool has_waited_for(const worker& owner, const limits& most) noexcept {
        const std::uint64_t switches = owner.count.suspensions.get() + owner.count.started.get();
        const std::int64_t now = os::now_ns();
        first_ns_ = starts_ ? now : first_ns_;
        switched_ns_ = starts_ || switches != switches_ ? now : switched_ns_;
        switches_ = switches;
        starts_ = false;
        return now - switched_ns_ >= most.without_switch_ns || now - first_ns_ >= most.longest_ns;
    }

    bool starts_ = true;            // the last look did not find an only unit
    std::int64_t first_ns_ = 0;     // the first look since then that found one
    std::uint64_t switches_ = 0;    // the owner's switches, counted at the last look
    std::int64_t switched_ns_ = 0;  // the first look with this count
};

}  // namespace lazult::sched
