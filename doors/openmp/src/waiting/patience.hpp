// SPDX-License-Identifier: BSD-3-Clause
// How long an OS thread looks for what it waits for before it sleeps.
#pragma once

#include <cstdint>

namespace lazult::omp {

// A unit that spins for microseconds lets others have the processor now and then: the thread that
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

// Few instructions by another unit are waited for. If that has lost its processor, or stands on
// this very thread, others go on.
class short_wait {
public:
    void pause() noexcept;

private:
    std::uint32_t rounds_ = 0;
};

}  // namespace lazult::omp
