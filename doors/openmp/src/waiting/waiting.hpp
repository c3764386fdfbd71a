// SPDX-License-Identifier: BSD-3-Clause
// How flows wait: an OS thread's own flow spins a while, if nothing else could run there; then it suspends, as all others do
// at once.
#pragma once

#include "flows/flow_host.hpp"
#include "waiting/parking.hpp"

namespace lazult::omp {

// Who spins for microseconds lets others have the processor now and then: whoever is waited for may be among them.
inline constexpr std::uint32_t rounds_per_yield = 32;

// How long one flow spins. Made anew for each wait.
class spin_budget {
public:
    spin_budget() noexcept;
    // Pauses a little. False: it is time to suspend.
    bool again() noexcept;

private:
    flow_host* host_;  // nullptr: the flow's thread has other work, or is not ours
    std::int64_t ends_at_ = 0;
    std::uint32_t rounds_ = 0;
};

// Waits while the condition holds. It is evaluated by other flows too: see park_while().
template <class MustWait>
void wait_while(const void* key, MustWait must_wait) {
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
        park_while(key, must_wait);
    }
}

// Few instructions by another flow are waited for. If that has lost its processor, or stands on this very thread, others go on.
class short_wait {
public:
    void pause() noexcept;

private:
    std::uint32_t rounds_ = 0;
};

}  // namespace lazult::omp
