// SPDX-License-Identifier: BSD-3-Clause
// How units wait: a unit spins for a while, unless its scheduler has other work, and then suspends.
#pragma once

#include "threads/scheduler.hpp"
#include "waiting/patience.hpp"

namespace lazult::omp {

// Limits how long a unit spins. Make a new object for each wait.
class spin_budget {
public:
    // When the unit begins to ask whether its scheduler has other units to run. `at_once` is for
    // waits that one of these units may well end.
    enum class first_look : std::uint8_t { later, at_once };
    explicit spin_budget(first_look when = first_look::later) noexcept;
    // For a wait in team `waits`: `at_once` if its threads are ULTs.
    explicit spin_budget(const team& waits) noexcept;
    // Pauses briefly. Returns false when it is time to suspend.
    bool again() noexcept;

private:
    thread_scheduler* scheduler_;  // nullptr: the caller is not the door's work unit
    std::uint32_t rounds_ = 0;
    patience left_;
};

// Waits while the condition holds. It is evaluated by other units too: see park_while().
template <class What, class MustWait>
void wait_while(What what, const void* key, MustWait must_wait) {
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
