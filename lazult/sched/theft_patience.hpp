// SPDX-License-Identifier: BSD-3-Clause
// How long a thief leaves a pool's only unit alone. Mostly the pool's own stream goes on with it at
// its next switch: a unit that another one has woken, or a child that its creator joins. That comes
// sooner than the unit could run elsewhere, and there it would miss what it needs from this
// stream's caches. So a thief takes an only unit when the stream has not switched for 3 us. Go's
// thieves wait as long before they take what a goroutine has just made ready. Of two units a thief
// takes one at once.
//
// A stream may also switch all the time, and never to this unit, because newer ones come first.
// Then the thief finds an only unit at every look, and takes it after 100 us.
#pragma once

#include <cstdint>

#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {

// A thief's, for one pool. Its own stream writes and reads it.
class theft_patience {
public:
    // Whether the thief may take something of what it has seen there. It asks again and again while
    // it has nothing to run.
    bool has_ended(const stealing_pool& victim) noexcept {
        const worker* const owner = victim.owner_of_only_unit();
        if (owner == nullptr) {
            starts_ = true;
            return true;
        }
        return has_waited_for(*owner);
    }
    // The thief has found nothing there, or has taken something.
    void start_anew() noexcept { starts_ = true; }

private:
    static constexpr std::int64_t longest_without_switch_ns = 3'000;
    static constexpr std::int64_t longest_ns = 100'000;

    bool has_waited_for(const worker& owner) noexcept {
        const std::uint64_t switches = owner.count.suspensions.get() + owner.count.started.get();
        const std::int64_t now = os::now_ns();
        first_ns_ = starts_ ? now : first_ns_;
        switched_ns_ = starts_ || switches != switches_ ? now : switched_ns_;
        switches_ = switches;
        starts_ = false;
        return now - switched_ns_ >= longest_without_switch_ns || now - first_ns_ >= longest_ns;
    }

    bool starts_ = true;          // no look in a row has found an only unit yet
    std::int64_t first_ns_ = 0;   // when the first of them did
    std::uint64_t switches_ = 0;  // the owner's, at the last look
    std::int64_t switched_ns_ = 0;
};

}  // namespace lazult::sched
