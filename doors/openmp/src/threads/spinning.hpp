// SPDX-License-Identifier: BSD-3-Clause
// How units wait: an OS thread's own unit spins a while, if nothing else could run there; then it
// suspends, as all others do at once.
#pragma once

#include "threads/scheduler.hpp"
#include "waiting/parking.hpp"
#include "waiting/patience.hpp"

namespace lazult::omp {

// How long one unit spins. Made anew for each wait.
class spin_budget {
public:
    // Whether the unit's scheduler has others to run is asked now and then, or from the beginning:
    // where what the unit waits for may well be among these.
    enum class first_look : std::uint8_t { later, at_once };
    explicit spin_budget(first_look when = first_look::later) noexcept;
    // For the team: units of nested ones look at once whether their scheduler has others to run.
    explicit spin_budget(const team& waits) noexcept;
    // Pauses a little. False: it is time to suspend.
    bool again() noexcept;

private:
    thread_scheduler* scheduler_;  // nullptr: the unit's thread has other work, or is not ours
    std::uint32_t rounds_ = 0;
    patience left_;
};

// Waits while the condition holds. It is evaluated by other units too: see park_while().
template <class MustWait>
void wait_while(wait_kind what, const void* key, MustWait must_wait) {
    if (!must_wait()) {
        return;
    }
    spin_budget spin;
    while (spin.again()) {
        if (!must_wait()) {
            return;
        }
    }
    while (must_wait()) {
        park_while(what, key, must_wait);
    }
}

}  // namespace lazult::omp
