// SPDX-License-Identifier: BSD-3-Clause
// How flows wait: an OS thread's own flow spins a while, if nothing else could run there; then it
// suspends, as all others do at once.
#pragma once

#include "flows/flow_host.hpp"
#include "waiting/parking.hpp"

namespace lazult::omp {

// A flow that spins for microseconds lets others have the processor now and then: the thread that
// it waits for may be among them.
inline constexpr std::uint32_t rounds_per_yield = 32;

// How long an OS thread looks for what it waits for before it sleeps. If teams have more threads
// than there are processors, it yields at each look: a yield costs a third of a sleep and a
// wake-up. Its next turn may come late, so it yields a few times even if its time is over.
// If another program wants the processor, it does not yield. In a crowd it then sleeps at once.
// Otherwise it spins for a short time, or for as long as active waiting asks: see contention.hpp.
class patience {
public:
    // `rivals` is what rivals_for_processor() returned. While it is 1, lasts() asks again.
    explicit patience(int rivals = 1) noexcept : rivals_(rivals) {}
    bool is_crowded() const noexcept { return rivals_ > 1; }
    // Lets others have the processor.
    void yield() noexcept;
    // Between two looks, a microsecond or so apart; in a crowd it yields. False: it is time to
    // sleep.
    bool lasts() noexcept;

private:
    std::int64_t ends_at_ = 0;
    std::uint32_t turns_ = 0;
    int rivals_;
};

// How long one flow spins. Made anew for each wait.
class spin_budget {
public:
    // Whether the flow's host has others to run is asked now and then, or from the beginning: where
    // what the flow waits for may well be among these.
    enum class first_look : std::uint8_t { later, at_once };
    explicit spin_budget(first_look when = first_look::later) noexcept;
    // For the team: flows of nested ones look at once whether their host has others to run.
    explicit spin_budget(const team& waits) noexcept;
    // Pauses a little. False: it is time to suspend.
    bool again() noexcept;

private:
    flow_host* host_;  // nullptr: the flow's thread has other work, or is not ours
    std::uint32_t rounds_ = 0;
    patience left_;
};

// Waits while the condition holds. It is evaluated by other flows too: see park_while().
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

// Few instructions by another flow are waited for. If that has lost its processor, or stands on
// this very thread, others go on.
class short_wait {
public:
    void pause() noexcept;

private:
    std::uint32_t rounds_ = 0;
};

}  // namespace lazult::omp
